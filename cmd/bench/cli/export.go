package cli

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/parquet-go/parquet-go"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/store"
	"ocobench/internal/file"
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
	all, damaged := harness.Load(s)
	switch {
	case len(all) == 0 && damaged != nil:
		return damaged
	case len(all) == 0:
		return fmt.Errorf("no results in %s; run an experiment first, such as: bench run frequency", s.Dir())
	}
	e.warn(damaged)
	games, missing := 0, 0
	for _, r := range all {
		games += len(r.Games)
		missing += r.Missing
		e.warn(r.DamagedCells())
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
	if damaged != nil {
		return &failedError{errDamagedRecords}
	}
	return nil
}

// errDamagedRecords ends a verb that did without experiments it has named.
var errDamagedRecords = errors.New("some experiments cannot be read; run them again to record them anew")

// writeFile writes a file whole or not at all, makes the directory it belongs
// in, and removes what writers that were killed have left there. What is there
// and is no regular file, such as a device, it writes into. Its errors do not name
// the temporary file.
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
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	if _, err := file.Sweep(dir); err != nil {
		return err
	}
	return file.Write(name, write)
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
	out := parquet.NewGenericWriter[sample](w, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("ocobench", programs(all, func(p store.Provenance) string { return p.Version }), ""))
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
	for _, r := range all {
		if err := benchmarks(w, r, r.Games, exported); err != nil {
			return err
		}
	}
	return nil
}

// programs lists what the programs that computed the cells have in common, or
// all that they have.
func programs(all []*harness.Results, part func(store.Provenance) string) string {
	var parts []string
	for _, r := range all {
		for _, c := range r.Computed {
			if p := part(c.Provenance); !slices.Contains(parts, p) {
				parts = append(parts, p)
			}
		}
	}
	return strings.Join(parts, "+")
}

// benchmarks writes the lines of games of one experiment.
func benchmarks(w io.Writer, r *harness.Results, games []*harness.Game, metrics []algorithms.Metric) error {
	key := strings.NewReplacer(" ", "", "/", "|")
	computed := []*harness.Results{r}
	for _, c := range []struct {
		key  string
		part func(store.Provenance) string
	}{
		{"goarch", func(p store.Provenance) string { return p.GOARCH }},
		{"go", func(p store.Provenance) string { return p.Go }},
		{"ocobench", func(p store.Provenance) string { return p.Version }},
	} {
		fmt.Fprintf(w, "%s: %s\n", c.key, programs(computed, c.part))
	}
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
		// Computed are the programs that computed the cells.
		Computed []harness.Computed `json:"computed"`
	}
	var es []experiment
	for _, r := range all {
		es = append(es, experiment{r.Name, r.Seed, r.Replicates, r.Horizon, r.Algorithms, r.Problems, r.Computed})
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Exported    any          `json:"exported"` // the program that wrote the file
		Experiments []experiment `json:"experiments"`
	}{harness.Provenance(), es})
}
