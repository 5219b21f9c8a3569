package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/paper"
	"ocobench/paper/table"
)

// outputFlags say where a run puts things and how it works.
type outputFlags struct {
	storeFlags
	Out     string `help:"Where tables and figures go." default:"out" type:"path" placeholder:"DIR"`
	Workers string `help:"How many cells are computed at once; results do not depend on it. Default: the number of processors." placeholder:"N"`
}

func (f *outputFlags) workers() (int, error) {
	if f.Workers == "" {
		return runtime.GOMAXPROCS(0), nil
	}
	return positive("--workers", f.Workers)
}

// defaultCmd is bench without a verb.
type defaultCmd struct{ outputFlags }

// Run implements the verb.
func (c *defaultCmd) Run(e *env) error {
	for _, name := range paper.Default {
		x, err := paper.Experiment(name)
		if err != nil {
			return err
		}
		if err := execute(e, x, &c.outputFlags, 0, 0); err != nil {
			return err
		}
	}
	return nil
}

type runCmd struct {
	outputFlags
	Experiment string  `arg:"" help:"The name of an experiment (bench list experiments) or a YAML file." placeholder:"EXPERIMENT|FILE.yaml"`
	Shard      string  `help:"Compute only the I-th of N parts, for machines that share a store." placeholder:"I/N"`
	Seed       *uint64 `help:"Instead of the experiment's seed." placeholder:"S"`
	Replicates string  `help:"Instead of the experiment's replicates." placeholder:"R"`
	Horizon    string  `help:"Instead of the experiment's horizon: one, or an increasing list with commas." placeholder:"T"`
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
	x, err := c.load()
	if err != nil {
		return err
	}
	if c.Seed != nil {
		x.Seed = *c.Seed
	}
	if c.Replicates != "" {
		if x.Replicates, err = positive("--replicates", c.Replicates); err != nil {
			return err
		}
	}
	if c.Horizon != "" {
		x.Horizon = nil
		for _, s := range strings.Split(c.Horizon, ",") {
			t, err := positive("--horizon", s)
			if err != nil {
				return err
			}
			if n := len(x.Horizon); n > 0 && t <= x.Horizon[n-1] {
				return fmt.Errorf("--horizon %s: expected an increasing list", c.Horizon)
			}
			x.Horizon = append(x.Horizon, t)
		}
	}
	shard, shards, err := c.shard()
	if err != nil {
		return err
	}
	return execute(e, x, &c.outputFlags, shard, shards)
}

// load reads the experiment: a file where there is one, else by name.
func (c *runCmd) load() (*spec.Experiment, error) {
	if slices.Contains(paper.Names(), c.Experiment) {
		return paper.Experiment(c.Experiment)
	}
	x, err := spec.Load(c.Experiment)
	if errors.Is(err, fs.ErrNotExist) {
		if strings.ContainsAny(c.Experiment, "./") {
			return nil, fmt.Errorf("no file %s; the experiments that come with the program are %s", c.Experiment, strings.Join(paper.Names(), ", "))
		}
		return nil, spec.Unknown("experiment", c.Experiment, paper.Names(), spec.Pos{})
	}
	return x, err
}

func (c *runCmd) shard() (i, n int, err error) {
	if c.Shard == "" {
		return 0, 0, nil
	}
	a, b, ok := strings.Cut(c.Shard, "/")
	if ok {
		i, err = strconv.Atoi(a)
		if err == nil {
			n, err = strconv.Atoi(b)
		}
	}
	if !ok || err != nil || i < 1 || i > n {
		return 0, 0, fmt.Errorf("--shard %s: expected I/N with 1 ≤ I ≤ N, such as 2/8", c.Shard)
	}
	return i, n, nil
}

// execute runs an experiment and writes what it gives.
func execute(e *env, x *spec.Experiment, f *outputFlags, shard, shards int) error {
	workers, err := f.workers()
	if err != nil {
		return err
	}
	plan, err := harness.NewPlan(e.catalog, x)
	if err != nil {
		return err
	}
	s, err := store.Open(f.Store)
	if err != nil {
		return err
	}
	total := len(plan.Cells)
	if shards > 0 {
		total = (total - shard + shards) / shards
	}
	bar := newProgress(e.stderr, x.Name, total)
	failures, err := plan.Run(e.ctx, s, harness.Options{
		Workers: workers, Shard: shard, Shards: shards,
		Progress: bar.tick,
		Warn:     bar.warn,
	})
	bar.close(err != nil)
	if err != nil {
		return err
	}
	for _, fail := range failures {
		fmt.Fprintf(e.stderr, "bench: failed: %v\n", fail.Err)
	}
	if shards > 1 {
		fmt.Fprintf(e.stderr, "%s: part %d of %d is there: %d cells computed, %d found in %s\n", x.Name, shard, shards, bar.computed, bar.found, f.Store)
	} else {
		r, err := harness.LoadExperiment(s, x.Name)
		if err != nil {
			return err
		}
		files, exponents, err := paper.Write(f.Out, r)
		if err != nil {
			return err
		}
		if exponents != nil {
			if err := table.WriteTerminal(e.stdout, exponents); err != nil {
				return err
			}
		}
		fmt.Fprintf(e.stderr, "%s: %d cells computed, %d found in %s; %d tables and figures in %s\n",
			x.Name, bar.computed, bar.found, relative(f.Store), len(files), relative(paper.Dir(f.Out, r)))
	}
	if len(failures) > 0 {
		return &failedError{fmt.Errorf("%d of %d cells failed", len(failures), total)}
	}
	return nil
}

// relative shortens a path below the working directory.
func relative(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if rest, ok := strings.CutPrefix(path, wd+"/"); ok {
			return rest
		}
	}
	return path
}
