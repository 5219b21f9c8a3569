package cli

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"ocobench/harness"
	"ocobench/harness/store"
)

type exportCmd struct {
	storeFlags
	Out string `help:"The file; its ending says which form." required:"" type:"path" placeholder:"FILE.csv|.parquet|.txt"`
}

// Help implements the verb's help.
func (*exportCmd) Help() string {
	return `.csv      long form: experiment, algorithm, problem, replicate, horizon, t,
          metric, value; a regret whose comparator set is empty is NaN
.parquet  the same
.txt      Go benchmark lines, the final values of every game, for benchstat

FILE.json beside it says which experiments, seeds and program it is from.`
}

// sample is a row of the long form.
type sample struct {
	Experiment string  `parquet:"experiment,dict"`
	Algorithm  string  `parquet:"algorithm,dict"`
	Problem    string  `parquet:"problem,dict"`
	Replicate  int64   `parquet:"replicate"`
	Horizon    int64   `parquet:"horizon"`
	T          int64   `parquet:"t"`
	Metric     string  `parquet:"metric,dict"`
	Value      float64 `parquet:"value"`
}

// Run implements the verb.
func (c *exportCmd) Run(e *env) error {
	writers := map[string]func(io.Writer, []*harness.Results) error{
		".csv": exportCSV, ".parquet": exportParquet, ".txt": exportBenchmarks,
	}
	write, ok := writers[filepath.Ext(c.Out)]
	if !ok {
		return fmt.Errorf("--out %s: expected a name that ends in .csv, .parquet or .txt", c.Out)
	}
	s, err := store.Open(c.Store)
	if err != nil {
		return err
	}
	all, err := harness.Load(s)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("no results in %s; run an experiment first, such as: bench run frequency", relative(c.Store))
	}
	games, missing := 0, 0
	for _, r := range all {
		games += len(r.Games)
		missing += r.Missing
	}
	if err := writeFile(c.Out, func(w io.Writer) error { return write(w, all) }); err != nil {
		return err
	}
	if err := writeFile(c.Out+".json", func(w io.Writer) error { return exportProvenance(w, all) }); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%d games of %d experiments in %s\n", games, len(all), relative(c.Out))
	if missing > 0 {
		return &failedError{fmt.Errorf("%d cells are missing; run the experiments again to compute them", missing)}
	}
	return nil
}

// writeFile writes a file whole or not at all.
func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// samples yields the long form in the order of the plans.
func samples(all []*harness.Results, yield func(sample) error) error {
	for _, r := range all {
		for _, g := range r.Games {
			for _, metric := range harness.Metrics {
				for k, v := range g.Metric(metric) {
					err := yield(sample{r.Name, g.Algorithm, g.Problem, int64(g.Replicate), int64(g.Horizon), int64(g.T[k]), metric, v})
					if err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func exportCSV(w io.Writer, all []*harness.Results) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"experiment", "algorithm", "problem", "replicate", "horizon", "t", "metric", "value"}); err != nil {
		return err
	}
	err := samples(all, func(s sample) error {
		return out.Write([]string{
			s.Experiment, s.Algorithm, s.Problem,
			strconv.FormatInt(s.Replicate, 10), strconv.FormatInt(s.Horizon, 10), strconv.FormatInt(s.T, 10),
			s.Metric, strconv.FormatFloat(s.Value, 'g', -1, 64),
		})
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func exportParquet(w io.Writer, all []*harness.Results) error {
	out := parquet.NewGenericWriter[sample](w, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("ocobench", harness.Version, ""))
	err := samples(all, func(s sample) error {
		_, err := out.Write([]sample{s})
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// exportBenchmarks writes a line a game: the final value of every metric, with
// the replicates of one benchmark as its repetitions.
func exportBenchmarks(w io.Writer, all []*harness.Results) error {
	fmt.Fprintf(w, "goos: %s\ngoarch: %s\ngo: %s\nocobench: %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), harness.Version)
	key := strings.NewReplacer(" ", "", "/", "|")
	for _, r := range all {
		fmt.Fprintf(w, "experiment: %s\nseed: %d\n", r.Name, r.Seed)
		for _, g := range r.Games {
			fmt.Fprintf(w, "Benchmark%s/algorithm=%s/problem=%s/T=%d 1", title(r.Name), key.Replace(g.Algorithm), key.Replace(g.Problem), g.Horizon)
			for _, metric := range harness.Metrics {
				if v := g.Metric(metric); len(v) > 0 && !math.IsNaN(v[len(v)-1]) {
					fmt.Fprintf(w, " %v %s", v[len(v)-1], metric)
				}
			}
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
	}
	return nil
}

// title makes a benchmark's name of an experiment's.
func title(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

func exportProvenance(w io.Writer, all []*harness.Results) error {
	type experiment struct {
		Name       string            `json:"name"`
		Seed       uint64            `json:"seed"`
		Replicates int               `json:"replicates"`
		Horizon    []int             `json:"horizon"`
		Algorithms []harness.Entrant `json:"algorithms"`
		Problems   []harness.Entrant `json:"problems"`
	}
	var es []experiment
	for _, r := range all {
		es = append(es, experiment{r.Name, r.Seed, r.Replicates, r.Horizon, r.Algorithms, r.Problems})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Provenance  any          `json:"provenance"`
		Experiments []experiment `json:"experiments"`
	}{harness.Provenance(), es})
}
