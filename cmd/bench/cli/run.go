package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/experiments"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/file"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/table"
)

// defaultCmd is bench without a verb.
type defaultCmd struct {
	outputFlags
	externalFlags
}

// Run implements the verb.
func (c *defaultCmd) Run(e *env) error {
	var all []*spec.Experiment
	for _, name := range experiments.Default {
		x, err := experiments.Read(name)
		if err != nil {
			return err
		}
		all = append(all, x)
	}
	return execute(e, all, &c.outputFlags, false)
}

// experimentFlags are an experiment and what is changed of it.
type experimentFlags struct {
	Experiment string   `arg:"" help:"The name of an experiment (bench list experiments) or a YAML file." placeholder:"EXPERIMENT|FILE.yaml" completes:"@experiment"`
	Seed       *seed    `help:"The seed, instead of that of the experiment." placeholder:"S"`
	Replicates count    `help:"The number of replicates, instead of that of the experiment." placeholder:"R"`
	Horizon    horizons `help:"The horizon, instead of that of the experiment: an integer, or an increasing list with commas." placeholder:"T" sep:"none"`
}

// load reads the experiment and changes it.
func (f *experimentFlags) load() (*spec.Experiment, error) {
	x, _, err := loadExperiment(f.Experiment)
	if err != nil {
		return nil, err
	}
	if f.Seed != nil {
		x.Seed = uint64(*f.Seed)
	}
	if f.Replicates > 0 {
		x.Replicates = int(f.Replicates)
	}
	if f.Horizon != nil {
		x.Horizon = f.Horizon
	}
	return x, nil
}

type runCmd struct {
	outputFlags
	externalFlags
	experimentFlags
	Shard   shard `help:"Compute only the I-th of N parts, for several machines with one store. With env for I, the environment of a Slurm job array or of an indexed Kubernetes Job says which." placeholder:"I/N"`
	Explain bool  `help:"Say how many cells are found and missing, and about how long and how much memory the missing ones take, and stop."`
	Fresh   bool  `help:"Compute all cells, also those that the store has."`
}

// Help implements the verb's help.
func (*runCmd) Help() string {
	return `An experiment file:

    name: frequency
    horizon: 10000            # or [1000, 3162, 10000]: a sweep across T
    replicates: 30
    seed: 1
    problems:   [{use: decaying-frequency, c: [0.5, 0.75, 1]}]   # a list is swept
    algorithms: [{use: penalised-ftrl, gamma: 25}, {use: primal-dual}]   # or: all

The tables and figures are in OUT/NAME, for instance in out/frequency, with all
numbers in analysis.json. OUT/index.html is a page of the run, for a browser; bench report
makes one of all that the store has.`
}

// Run implements the verb.
func (c *runCmd) Run(e *env) error {
	x, err := c.load()
	if err != nil {
		return err
	}
	if c.Explain {
		return c.explain(e, x)
	}
	if c.Shard.n > 1 {
		return c.part(e, x)
	}
	return execute(e, []*spec.Experiment{x}, &c.outputFlags, c.Fresh)
}

// part runs a part of an experiment.
func (c *runCmd) part(e *env, x *spec.Experiment) error {
	if _, err := c.metrics(x.Name, x.Metrics); err != nil {
		return err
	}
	_, counts, err := measure(e, x, &c.outputFlags, c.Shard, c.Fresh, nil)
	if counts != "" {
		fmt.Fprintf(e.stderr, "%s: part %d of %d: %s\n", x.Name, c.Shard.i, c.Shard.n, counts)
	}
	return err
}

// explain prints what the run would do.
func (c *runCmd) explain(e *env, x *spec.Experiment) error {
	host := c.host(e)
	defer host.Close()
	plan, err := e.catalog.Plan(e.ctx, host, x)
	if err != nil {
		return err
	}
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	o := options(c.Shard, c.Workers, c.Fresh, c.Shard.of(len(plan.Cells)))
	sayOutlook(e.stdout, x.Name, plan.Outlook(e.ctx, s, o, 1), o.Workers)
	return e.ctx.Err()
}

// loadExperiment reads an experiment and its file. The name is that of an experiment
// that comes with the program, or that of a file.
func loadExperiment(name string) (*spec.Experiment, []byte, error) {
	known := experiments.Names()
	if slices.Contains(known, name) {
		source, err := experiments.Source(name)
		if err != nil {
			return nil, nil, err
		}
		x, err := experiments.Read(name)
		return x, source, err
	}
	source, err := spec.Read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "./"):
		return nil, nil, spec.Unknown("experiment", name, known, spec.Pos{})
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w (expected a YAML file, or an experiment that comes with the program: %s)", input.Shown(name), err, strings.Join(known, ", "))
	}
	x, err := spec.Parse(name, source)
	return x, source, err
}

// execute runs experiments, writes the analysis, tables and figures of each and a page
// of all, and prints the first tables of each.
func execute(e *env, all []*spec.Experiment, f *outputFlags, fresh bool) error {
	return present(e, all, f, func(x *spec.Experiment) (report.Written, error) { return produce(e, x, f, fresh) })
}

// present prints the first tables of each experiment that produce writes, and writes a
// page of all.
func present(e *env, all []*spec.Experiment, f *outputFlags, produce func(*spec.Experiment) (report.Written, error)) error {
	var written []report.Written
	var failed error
	for _, x := range all {
		out, err := produce(x)
		if out.Analysis == nil {
			return err
		}
		failed = errors.Join(failed, err)
		written = append(written, out)
		for k, t := range out.First {
			if k > 0 {
				fmt.Fprintln(e.stdout)
			}
			if err := e.show(t, table.Width); err != nil {
				return err
			}
		}
	}
	if err := writePage(e, f.page(), itemsOf(written)); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return failed
}

// produce runs an experiment, and writes its analysis, tables and figures. It returns
// what there is then, also with the error of failed cells. Where the page of the run
// cannot be, it computes nothing.
func produce(e *env, x *spec.Experiment, f *outputFlags, fresh bool) (out report.Written, err error) {
	if _, err := f.metrics(x.Name, x.Metrics); err != nil {
		return out, err
	}
	a, counts, failed := measure(e, x, f, shard{}, fresh, func() error { return ready(f, x) }) // an error now saves hours of computing
	if a == nil {
		return out, failed
	}
	if out, err = draw(e, a, f, counts); err != nil {
		return out, err
	}
	return out, failed
}

// ready makes sure that the files of an experiment can be written.
func ready(f *outputFlags, x *spec.Experiment) error {
	dir := report.Dir(string(f.Out), x.Name)
	if dir == f.page() {
		return fmt.Errorf("--out: the folder of experiment %s would be where the page is; give it another name", x.Name)
	}
	if err := replaceable(f.page()); err != nil {
		return fmt.Errorf("--out: %w or name another directory", err)
	}
	err := os.MkdirAll(dir, 0o777)
	if err != nil {
		return fmt.Errorf("--out: %w; name a writable directory", err)
	}
	if _, err = file.Sweep(dir); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// draw writes an analysis, and its tables and figures.
func draw(e *env, a *analysis.Analysis, f *outputFlags, counts string) (report.Written, error) {
	metrics, err := f.metrics(a.Experiment.Name, a.Experiment.Metrics)
	if err != nil {
		return report.Written{}, err
	}
	name := a.Experiment.Name
	end := e.stage("%s: drawing", name)
	out, err := report.Write(string(f.Out), a, report.Options{Bounds: f.Bounds, Metrics: metrics})
	end()
	if err != nil {
		return report.Written{}, err
	}
	fmt.Fprintf(e.stderr, "%s: %s; %s in %s\n", name, counts, plural(len(out.Files), "file"), report.Dir(string(f.Out), name))
	return out, nil
}

// measure plays the cells of an experiment, or of a part of it, that the store does not
// have; ready, unless nil, is called when they are planned. It returns the analysis of a
// whole experiment, and how many cells were computed in words, both also with the error
// of failed cells.
func measure(e *env, x *spec.Experiment, f *outputFlags, part shard, fresh bool, ready func() error) (a *analysis.Analysis, counts string, err error) {
	host := f.host(e)
	defer host.Close()
	plan, err := e.catalog.Plan(e.ctx, host, x)
	if err != nil {
		return nil, "", err
	}
	s, err := store.Open(string(f.Store))
	if err != nil {
		return nil, "", err
	}
	if ready != nil {
		if err := ready(); err != nil {
			return nil, "", err
		}
	}
	e.sayUnmet(plan)
	bar, failures, err := compute(e, plan, s, part, f.Workers, fresh)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, "", fmt.Errorf("%w; finished cells are stored, and the same command continues", errInterrupted)
	case err != nil:
		return nil, "", err
	}
	if part.n <= 1 {
		defer e.stage("%s: fitting", x.Name)()
		r, err := harness.LoadExperiment(s, x.Name)
		if err != nil {
			return nil, "", err
		}
		if a, err = analysis.Of(e.ctx, e.catalog, r); err != nil {
			return nil, "", err
		}
	}
	if len(failures) > 0 {
		err = &failedError{fmt.Errorf("%d of %s failed; finished cells are stored", len(failures), plural(part.of(len(plan.Cells)), "cell"))}
	}
	return a, fmt.Sprintf("%s computed, %d found in %s", plural(bar.computed, "cell"), bar.found, s.Dir()), err
}

// notPlayed says how many pairs are not played, or are although they should not be.
func notPlayed(plan *harness.Plan) string {
	verb := "not played"
	if plan.Experiment.Assumptions == "ignore" {
		verb = "played although the problem does not meet the assumptions"
	}
	return fmt.Sprintf("%s: %s %s", plan.Experiment.Name, plural(len(plan.Unmet), "pair"), verb)
}

// sayUnmet lists these pairs, with the reasons.
func (e *env) sayUnmet(plan *harness.Plan) {
	if len(plan.Unmet) == 0 {
		return
	}
	fmt.Fprintf(e.stderr, "%s:\n", notPlayed(plan))
	for _, u := range plan.Unmet {
		fmt.Fprintf(e.stderr, "  %s\n", u)
	}
}

// compute runs a plan or a part of it. On standard error it shows the progress and the
// failures.
func compute(e *env, plan *harness.Plan, s *store.Store, part shard, workers count, fresh bool) (*progress, []harness.Failure, error) {
	x := plan.Experiment
	total := part.of(len(plan.Cells))
	o := options(part, workers, fresh, total)
	outlook := plan.Outlook(e.ctx, s, o, manyRounds)
	if outlook.Time > 2*time.Second {
		sayOutlook(e.stderr, x.Name, outlook, o.Workers)
	}
	bar := newProgress(e.stderr, x.Name, outlook)
	o.Progress, o.Warn = bar.tick, bar.warn
	failures, err := plan.Run(e.ctx, s, o)
	bar.close(err != nil)
	for _, fail := range failures {
		e.fail(fmt.Errorf("failed: %w", fail.Err))
	}
	return bar, failures, err
}

// options are those of a run of so many cells.
func options(part shard, workers count, fresh bool, total int) harness.Options {
	if workers == 0 {
		workers = count(runtime.GOMAXPROCS(0))
	}
	return harness.Options{Workers: min(int(workers), max(1, total)), Shard: part.i, Shards: part.n, Keys: part.keys, Fresh: fresh}
}

// manyRounds is the number of missing rounds from which on a run finds out how long
// they take, and says so if that is more than two seconds.
const manyRounds = 1_000_000

// sayOutlook says what a run is about to do, if anything.
func sayOutlook(w io.Writer, name string, o harness.Outlook, workers int) {
	fmt.Fprintf(w, "%s: %s, %d found in the store, %d to compute", name, plural(o.Cells, "cell"), o.Found, o.Cells-o.Found)
	if o.Time > 0 {
		fmt.Fprintf(w, ": about %s on %s, with about %d MB", about(o.Time), plural(workers, "worker"), o.Memory>>20+20)
	}
	fmt.Fprintln(w)
}

// about rounds a time to what a guess deserves.
func about(d time.Duration) string {
	switch {
	case d < time.Second:
		return "a second"
	case d < time.Minute-time.Second/2:
		return d.Round(time.Second).String()
	case d < time.Hour-time.Minute/2:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return strings.TrimSuffix(d.Round(10*time.Minute).String(), "0s")
}
