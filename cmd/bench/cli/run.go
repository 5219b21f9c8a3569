package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/paper"
	"ocobench/paper/table"
)

// defaultCmd is bench without a verb.
type defaultCmd struct{ outputFlags }

// Run implements the verb.
func (c *defaultCmd) Run(e *env) error {
	for _, name := range paper.Default {
		x, err := paper.Experiment(name)
		if err != nil {
			return err
		}
		if err := execute(e, x, &c.outputFlags, shard{}, false); err != nil {
			return err
		}
	}
	return nil
}

type runCmd struct {
	outputFlags
	Experiment string   `arg:"" help:"The name of an experiment (bench list experiments) or a YAML file." placeholder:"EXPERIMENT|FILE.yaml"`
	Shard      shard    `help:"Compute only the I-th of N parts, for machines that share a store." placeholder:"I/N"`
	Seed       *seed    `help:"Instead of the experiment's seed." placeholder:"S"`
	Replicates count    `help:"Instead of the experiment's replicates." placeholder:"R"`
	Fresh      bool     `help:"Compute all cells, also those that the store has."`
	Horizon    horizons `help:"Instead of the experiment's horizon: one, or an increasing list with commas." placeholder:"T" sep:"none"`
}

// Help implements the verb's help.
func (*runCmd) Help() string {
	return `An experiment file:

    name: frequency
    horizon: 10000            # or [1000, 3162, 10000]: a sweep across T
    replicates: 30
    seed: 1
    problems:   [{use: decaying-frequency, c: [0.5, 0.75, 1]}]   # a list is swept
    algorithms: [{use: penalised-ftrl, gamma: 25}, {use: primal-dual}]`
}

// Run implements the verb.
func (c *runCmd) Run(e *env) error {
	x, _, err := loadExperiment(c.Experiment)
	if err != nil {
		return err
	}
	if c.Seed != nil {
		x.Seed = uint64(*c.Seed)
	}
	if c.Replicates > 0 {
		x.Replicates = int(c.Replicates)
	}
	if c.Horizon != nil {
		x.Horizon = c.Horizon
	}
	return execute(e, x, &c.outputFlags, c.Shard, c.Fresh)
}

// loadExperiment reads an experiment and its source: by the name of one that
// comes with the program, or else from a file.
func loadExperiment(name string) (*spec.Experiment, []byte, error) {
	known := paper.Names()
	if slices.Contains(known, name) {
		source, err := paper.Source(name)
		if err != nil {
			return nil, nil, err
		}
		x, err := paper.Experiment(name)
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

// execute runs an experiment, or a part of it, and writes what the whole
// gives.
func execute(e *env, x *spec.Experiment, f *outputFlags, part shard, fresh bool) error {
	plan, err := harness.NewPlan(e.catalog, x)
	if err != nil {
		return err
	}
	s, err := store.Open(string(f.Store))
	if err != nil {
		return err
	}
	if part.n <= 1 { // rather now than after hours of computing
		if err := os.MkdirAll(filepath.Join(string(f.Out), x.Name), 0o777); err != nil {
			return fmt.Errorf("--out: %w; name a directory that can be written", err)
		}
	}
	bar, failures, err := compute(e, plan, s, part, f.Workers, fresh)
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%w; what was finished is kept, and the same command goes on from there", errInterrupted)
	case err != nil:
		return err
	}
	there := fmt.Sprintf("%s computed, %d found in %s", plural(bar.computed, "cell"), bar.found, s.Dir())
	if part.n > 1 {
		fmt.Fprintf(e.stderr, "%s: part %d of %d: %s\n", x.Name, part.i, part.n, there)
	} else {
		r, err := harness.LoadExperiment(s, x.Name)
		if err != nil {
			return err
		}
		a, err := analysis.Of(e.ctx, r)
		switch {
		case errors.Is(err, context.Canceled):
			return errInterrupted
		case err != nil:
			return err
		}
		files, first, err := paper.Write(string(f.Out), a)
		if err != nil {
			return err
		}
		if first != nil {
			if err := table.WriteTerminal(e.stdout, first); err != nil {
				return err
			}
		}
		fmt.Fprintf(e.stderr, "%s: %s; %s in %s\n", x.Name, there, plural(len(files), "file"), paper.Dir(string(f.Out), x.Name))
	}
	if len(failures) > 0 {
		return &failedError{fmt.Errorf("%d of %s failed; what is finished is kept", len(failures), plural(part.of(len(plan.Cells)), "cell"))}
	}
	return nil
}

// compute runs a plan, or a part of it, and shows on standard error how far it
// is, which pairs it leaves out, and what failed.
func compute(e *env, plan *harness.Plan, s *store.Store, part shard, workers count, fresh bool) (*progress, []harness.Failure, error) {
	x := plan.Experiment
	if n := len(plan.Unmet); n > 0 {
		verb := "not played"
		if x.Assumptions == "ignore" {
			verb = "played without what they assume"
		}
		fmt.Fprintf(e.stderr, "%s: %s %s:\n", x.Name, plural(n, "pair"), verb)
		for _, u := range plan.Unmet {
			fmt.Fprintf(e.stderr, "  %s\n", u)
		}
	}
	total := part.of(len(plan.Cells))
	if workers == 0 {
		workers = count(runtime.GOMAXPROCS(0))
	}
	bar := newProgress(e.stderr, x.Name, total)
	failures, err := plan.Run(e.ctx, s, harness.Options{
		Workers: min(int(workers), max(1, total)), Shard: part.i, Shards: part.n, Fresh: fresh,
		Progress: bar.tick,
		Warn:     bar.warn,
	})
	bar.close(err != nil)
	for _, fail := range failures {
		fmt.Fprintf(e.stderr, "bench: failed: %v\n", fail.Err)
	}
	return bar, failures, err
}
