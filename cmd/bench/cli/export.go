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
	"ocobench/harness/analysis"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/file"
	"ocobench/internal/input"
)

type exportCmd struct {
	storeFlags
	Experiment []string `help:"Which experiments; default: all but what bench tune played." placeholder:"NAMES" completes:"@stored"`
	Algorithm  []use    `help:"Which algorithms; one without parameters stands for all of its name. May be repeated." sep:"none" placeholder:"SPEC" completes:"@algorithm"`
	Problem    []use    `help:"Which problems, in the same way." sep:"none" placeholder:"SPEC" completes:"@problem"`
	Metric     []string `help:"Which metrics; default: all." placeholder:"NAMES" completes:"@metric"`

	Out     path `help:"The file. Its extension is the format." required:"" xor:"to" placeholder:"FILE${exports}"`
	Archive path `help:"Write an archive instead: the analyses of whole experiments in one compact file." required:"" xor:"to" placeholder:"FILE"`
}

// Help implements the verb's help.
func (*exportCmd) Help() string {
	help := "The formats:\n\n"
	for _, f := range exporters {
		help += fmt.Sprintf("    %-8s  %s\n", f.ext, strings.ReplaceAll(f.doc, "\n", "\n              "))
	}
	return help + `
FILE.json beside it has the version of the columns, the experiments, the seeds and the
programs that computed them.

    bench export --out regret.csv --experiment quick --metric regret_xmax
    bench export --out two.csv --algorithm ogd --algorithm primal-dual:step=5

An archive has everything that tables and pages show of experiments, and no games.
bench report --beside reads it, with the same version of bench. It is JSON in gzip.

    bench export --archive results.ocobench

What bench tune played is in the experiment NAME-tuning, and is exported where
--experiment names it.`
}

// exporters are the formats of an export, by the extension of the file.
var exporters = []struct {
	ext, doc string
	write    func(io.Writer, selection) error
}{
	{".csv", "long form: experiment, algorithm, problem, replicate, horizon,\n" +
		"t, metric, value; regret against an empty set is NaN, and\n" +
		"regret_xe is there if the problem knows its expected constraints,\n" +
		"and dynamic regret, path length and constraint variation if an\n" +
		"experiment asks for them", exportCSV},
	{".parquet", "the same, with the version of the columns in the metadata", exportParquet},
	{".txt", "Go benchmark lines for benchstat: the final values of every game", exportBenchmarks},
}

// extensions are those of the exporters.
var extensions = func() (all []string) {
	for _, f := range exporters {
		all = append(all, f.ext)
	}
	return all
}()

// selection is what is exported.
type selection struct {
	results []*harness.Results
	metrics []algorithms.Metric
}

// measures tells whether any of the experiments has a metric.
func (s selection) measures(name algorithms.Metric) bool {
	return slices.ContainsFunc(s.results, func(r *harness.Results) bool { return measures(r.Record)(name) })
}

// selected returns what the flags select of the results of experiments.
func (c *exportCmd) selected(e *env, results []*harness.Results) (out selection, err error) {
	exported := func(m harness.Metric) bool { return m.Exported }
	metrics := c.Metric
	if len(metrics) == 0 {
		for _, m := range harness.Select(exported) {
			metrics = append(metrics, string(m.Name))
		}
	}
	if out.metrics, err = metricsOf("metric", metrics, exported); err != nil {
		return out, err
	}
	var algorithms, problems []harness.Entrant
	for _, r := range results {
		algorithms, problems = append(algorithms, r.Algorithms...), append(problems, r.Problems...)
	}
	isAlgorithm, isProblem, err := e.chosen(c.Algorithm, c.Problem, algorithms, problems)
	if err != nil {
		return out, err
	}
	var names []string
	for _, r := range results {
		part := *r
		part.Algorithms = keep(r.Algorithms, func(a harness.Entrant) bool { return isAlgorithm[a.Spec] })
		part.Problems = keep(r.Problems, func(p harness.Entrant) bool { return isProblem[p.Spec] })
		part.Games = keep(r.Games, func(g *harness.Game) bool { return isAlgorithm[g.Algorithm] && isProblem[g.Problem] })
		if len(part.Algorithms) > 0 && len(part.Problems) > 0 {
			out.results, names = append(out.results, &part), append(names, r.Name)
		}
	}
	if len(out.results) == 0 {
		return out, errors.New("no experiment has both an algorithm and a problem that are selected")
	}
	if len(c.Metric) == 0 {
		return out, nil
	}
	return out, asked("metric", out.metrics, strings.Join(names, ", "), out.measures)
}

// chosen returns the SPECs of the algorithms and of the problems that the flags
// --algorithm and --problem select.
func (e *env) chosen(algorithms, problems []use, as, ps []harness.Entrant) (isAlgorithm, isProblem map[string]bool, err error) {
	isAlgorithm, err = chosen("algorithm", algorithms, as, e.catalog.AlgorithmSpec, func(u spec.Use) (specs []string) {
		found, _ := e.catalog.Contenders(u)
		for _, one := range found {
			specs = append(specs, e.catalog.AlgorithmSpec(one.Spec))
		}
		return specs
	})
	if err != nil {
		return nil, nil, err
	}
	isProblem, err = chosen("problem", problems, ps, e.catalog.ProblemSpec, func(u spec.Use) (specs []string) {
		found, _ := e.catalog.Arenas(u)
		for _, one := range found {
			specs = append(specs, e.catalog.ProblemSpec(one.Spec))
		}
		return specs
	})
	return isAlgorithm, isProblem, err
}

// chosen returns the SPECs of the entrants that the uses of a flag select, all of
// them where there are none. Resolve returns the SPECs that a use stands for, as
// canonical writes them.
func chosen(kind string, uses []use, entrants []harness.Entrant, canonical func(string) string, resolve func(spec.Use) []string) (map[string]bool, error) {
	is := make(map[string]bool)
	var specs []string
	for _, e := range entrants {
		if !slices.Contains(specs, e.Spec) {
			specs = append(specs, e.Spec)
		}
		if len(uses) == 0 {
			is[e.Spec] = true
		}
	}
	for _, u := range uses {
		wanted, found := resolve(u.Use), false
		for _, e := range entrants {
			if e.Name == u.Name && len(u.Args) == 0 || slices.Contains(wanted, canonical(e.Spec)) || e.Spec == u.text {
				is[e.Spec], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("--%s: %w", kind, spec.Unknown(kind, u.text, specs, spec.Pos{}))
		}
	}
	return is, nil
}

// keep returns the elements that a condition holds for.
func keep[E any](all []E, holds func(E) bool) (some []E) {
	for _, e := range all {
		if holds(e) {
			some = append(some, e)
		}
	}
	return some
}

// exportSchema is the version of the columns and of what they mean, which docs/reading.md
// says. It increases where a program that reads them would be wrong otherwise.
const exportSchema = 1

// sample is a row of the long form.
type sample struct {
	Experiment string  `parquet:"experiment,dict" completes:"@stored"`
	Algorithm  string  `parquet:"algorithm,dict" completes:"@algorithm"`
	Problem    string  `parquet:"problem,dict" completes:"@problem"`
	Replicate  int64   `parquet:"replicate"`
	Horizon    int64   `parquet:"horizon"`
	T          int64   `parquet:"t"`
	Metric     string  `parquet:"metric,dict" completes:"@metric"`
	Value      float64 `parquet:"value"`
}

// Run implements the verb.
func (c *exportCmd) Run(e *env) error {
	format := slices.Index(extensions, filepath.Ext(string(c.Out)))
	switch {
	case c.Archive != "" && len(c.Algorithm)+len(c.Problem)+len(c.Metric) > 0:
		return errors.New("--archive: an archive has whole experiments; --algorithm, --problem and --metric go with --out")
	case c.Archive == "" && format < 0:
		return fmt.Errorf("--out: unknown ending of %s (expected one of %s)", input.Shown(string(c.Out)), strings.Join(extensions, ", "))
	}
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	results, damaged, err := recorded(s, slices.Sorted(slices.Values(c.Experiment))) // in the order of the store
	if err != nil {
		return err
	}
	e.warn(damaged)
	chosen, err := c.selected(e, results)
	if err != nil {
		return err
	}
	missing := 0
	for _, r := range chosen.results {
		missing += r.Missing
		e.warn(r.DamagedCells())
	}
	if c.Archive != "" {
		err = c.archive(e, chosen.results)
	} else {
		err = c.export(e, chosen, format)
	}
	if err != nil {
		return err
	}
	if missing > 0 {
		return &failedError{fmt.Errorf("%s lacks %s of these experiments; run them again to compute what is missing", s.Dir(), plural(missing, "cell"))}
	}
	if damaged != nil {
		return &failedError{errDamagedRecords}
	}
	return nil
}

// export writes a selection, and its provenance beside it.
func (c *exportCmd) export(e *env, chosen selection, format int) error {
	out, games := string(c.Out), 0
	for _, r := range chosen.results {
		games += len(r.Games)
	}
	if err := writeFile(out, func(w io.Writer) error { return exporters[format].write(w, chosen) }); err != nil {
		return fmt.Errorf("--out: %s: %w", out, err)
	}
	if err := writeFile(out+".json", func(w io.Writer) error { return exportProvenance(w, chosen.results) }); err != nil {
		return fmt.Errorf("--out: %s.json: %w", out, err)
	}
	fmt.Fprintf(e.stderr, "%s of %s in %s\n", plural(games, "game"), plural(len(chosen.results), "experiment"), input.Shown(out))
	return nil
}

// archive writes the analyses of experiments.
func (c *exportCmd) archive(e *env, results []*harness.Results) error {
	out, pairs, size := string(c.Archive), 0, counter(0)
	var all []*analysis.Analysis
	for _, r := range results {
		end := e.stage("%s: fitting", r.Name)
		a, err := analysis.Of(e.ctx, e.catalog, r)
		end()
		if err != nil {
			return err
		}
		all, pairs = append(all, a), pairs+len(a.Pairs)
	}
	if err := writeFile(out, func(w io.Writer) error { return analysis.WriteArchive(io.MultiWriter(w, &size), all) }); err != nil {
		return fmt.Errorf("--archive: %s: %w", out, err)
	}
	fmt.Fprintf(e.stderr, "%s with %s of an algorithm and a problem in %s, %.3g MB\n", plural(len(all), "experiment"), plural(pairs, "pair"), input.Shown(out), float64(size)/1e6)
	return nil
}

// counter counts bytes.
type counter int

func (n *counter) Write(b []byte) (int, error) {
	*n += counter(len(b))
	return len(b), nil
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
func samples(x selection, yield func(sample) error) error {
	for _, r := range x.results {
		for _, g := range r.Games {
			for _, metric := range x.metrics {
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

func exportCSV(w io.Writer, x selection) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"experiment", "algorithm", "problem", "replicate", "horizon", "t", "metric", "value"}); err != nil {
		return err
	}
	err := samples(x, func(s sample) error {
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

func exportParquet(w io.Writer, x selection) error {
	out := parquet.NewGenericWriter[sample](w, parquet.Compression(&parquet.Zstd),
		parquet.KeyValueMetadata("ocobench.schema", strconv.Itoa(exportSchema)),
		parquet.CreatedBy("ocobench", programs(x.results, func(p store.Provenance) string { return p.Version }), ""))
	err := samples(x, func(s sample) error {
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
func exportBenchmarks(w io.Writer, x selection) error {
	for _, r := range x.results {
		if err := benchmarks(w, r, r.Games, x.metrics); err != nil {
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
		Schema      int          `json:"schema"`
		Exported    any          `json:"exported"` // the program that wrote the file
		Experiments []experiment `json:"experiments"`
	}{exportSchema, harness.Provenance(), es})
}
