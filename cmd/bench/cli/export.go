package cli

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/parquet-go/parquet-go"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/store"
)

type exportCmd struct {
	storeFlags
	Out path `help:"The file. Its extension is the format." required:"" placeholder:"FILE${exports}"`
}

// Help implements the verb's help.
func (*exportCmd) Help() string {
	help := "The formats:\n\n"
	for _, f := range exporters {
		help += fmt.Sprintf("    %-8s  %s\n", f.ext, strings.ReplaceAll(f.doc, "\n", "\n              "))
	}
	return help + "\nFILE.json beside it has the experiments, the seeds and the version of the\nprogram."
}

// exporters are the formats of an export, by the extension of the file.
var exporters = []struct {
	ext, doc string
	write    func(io.Writer, []*harness.Results) error
}{
	{".csv", "long form: experiment, algorithm, problem, replicate, horizon,\n" +
		"t, metric, value; regret against an empty set is NaN, and\n" +
		"regret_xe is there if the problem knows its expected constraints", exportCSV},
	{".parquet", "the same", exportParquet},
	{".txt", "Go benchmark lines for benchstat: the final values of every game", exportBenchmarks},
}

// extensions are those of the exporters.
var extensions = func() (all []string) {
	for _, f := range exporters {
		all = append(all, f.ext)
	}
	return all
}()

// exported are the metrics that are exported.
var exported = func() (names []algorithms.Metric) {
	for _, m := range harness.Select(func(m harness.Metric) bool { return m.Exported }) {
		names = append(names, m.Name)
	}
	return names
}()

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
	format := slices.Index(extensions, filepath.Ext(string(c.Out)))
	if format < 0 {
		return fmt.Errorf("--out: unknown ending of %s (expected one of %s)", c.Out, strings.Join(extensions, ", "))
	}
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	all, err := harness.Load(s)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("no results in %s; run an experiment first, such as: bench run frequency", s.Dir())
	}
	games, missing := 0, 0
	for _, r := range all {
		games += len(r.Games)
		missing += r.Missing
	}
	out := string(c.Out)
	if err := writeFile(out, func(w io.Writer) error { return exporters[format].write(w, all) }); err != nil {
		return fmt.Errorf("--out: %s: %w", out, err)
	}
	if err := writeFile(out+".json", func(w io.Writer) error { return exportProvenance(w, all) }); err != nil {
		return fmt.Errorf("--out: %s.json: %w", out, err)
	}
	fmt.Fprintf(e.stderr, "%s of %s in %s\n", plural(games, "game"), plural(len(all), "experiment"), out)
	if missing > 0 {
		return &failedError{fmt.Errorf("%s lacks %s of these experiments; run them again to compute what is missing", s.Dir(), plural(missing, "cell"))}
	}
	return nil
}

// writeFile writes a file completely or not at all, and creates its directory. Its
// errors do not name the temporary file.
func writeFile(name string, write func(io.Writer) error) (err error) {
	defer func() {
		if errno := syscall.Errno(0); errors.As(err, &errno) {
			err = errno
		}
	}()
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return syscall.EISDIR
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(name)+"-")
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

// samples yields the rows of the long form in the order of the plans.
func samples(all []*harness.Results, yield func(sample) error) error {
	for _, r := range all {
		for _, g := range r.Games {
			for _, metric := range exported {
				for k, v := range g.Metric(metric) {
					err := yield(sample{r.Name, g.Algorithm, g.Problem, int64(g.Replicate), int64(g.Horizon), int64(g.T[k]), string(metric), v})
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

// exportBenchmarks writes a line with the final values of all metrics for each game.
// Replicates are repetitions of one benchmark.
func exportBenchmarks(w io.Writer, all []*harness.Results) error {
	machine(w)
	for _, r := range all {
		if err := benchmarks(w, r, r.Games, exported); err != nil {
			return err
		}
	}
	return nil
}

// machine writes the head of a file of benchmark lines.
func machine(w io.Writer) {
	fmt.Fprintf(w, "goos: %s\ngoarch: %s\ngo: %s\nocobench: %s\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), harness.Version)
}

// benchmarks writes the lines of games of one experiment.
func benchmarks(w io.Writer, r *harness.Results, games []*harness.Game, metrics []algorithms.Metric) error {
	key := strings.NewReplacer(" ", "", "/", "|")
	fmt.Fprintf(w, "experiment: %s\nseed: %d\n", r.Name, r.Seed)
	for _, g := range games {
		fmt.Fprintf(w, "Benchmark%s/algorithm=%s/problem=%s/T=%d 1", title(r.Name), key.Replace(g.Algorithm), key.Replace(g.Problem), g.Horizon)
		for _, metric := range metrics {
			if v := g.Metric(metric); len(v) > 0 && !math.IsNaN(v[len(v)-1]) {
				fmt.Fprintf(w, " %v %s", v[len(v)-1], metric)
			}
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// title returns the name of an experiment as the name of a benchmark.
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
