package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"ocobench/harness/cluster"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report"
)

type statusCmd struct {
	storeFlags
	Out        path   `help:"The directory of tables and figures that was given to bench slurm; default ${default}." default:"out" placeholder:"DIR"`
	Experiment string `arg:"" optional:"" help:"The name of an experiment in the store, or its YAML file; default: a line for each of the store." placeholder:"EXPERIMENT" completes:"@stored"`
	JSON       bool   `name:"json" help:"Print JSON."`
}

// Run implements the verb.
func (c *statusCmd) Run(e *env) error {
	name := c.Experiment
	var file *spec.Experiment
	if end := filepath.Ext(name); end == ".yaml" || end == ".yml" {
		x, _, err := experiments.Load(name)
		if err != nil {
			return err
		}
		name, file = x.Name, x
	}
	s, err := store.Open(string(c.Store))
	if err != nil {
		return err
	}
	if name == "" {
		return c.list(e, s)
	}
	r, err := run.LoadRecord(s, name)
	if err != nil {
		return err
	}
	if file != nil && (!slices.Equal(file.Horizon, r.Horizon) || file.Replicates != r.Replicates ||
		file.Seed != r.Seed) {
		e.warn(fmt.Errorf("these are the cells of the run with horizon %v, %s and seed %d, and the "+
			"file says otherwise", r.Horizon, plural(r.Replicates, "replicate"), r.Seed))
	}
	st, err := c.look(e, s, r)
	if err != nil {
		return err
	}
	if st.ComputeSeconds == 0 && st.Failed+st.Missing > 0 {
		st.ComputeSeconds = c.foresee(e, s, r)
	}
	if c.JSON {
		return json.NewEncoder(e.stdout).Encode(st)
	}
	fmt.Fprintf(e.stdout, "%s: %d of %s done, %d failed, %d running (%s), %d waiting (%s), %d "+
		"missing\n", name, st.Done, plural(st.Cells, "cell"), st.Failed,
		st.Running, plural(st.Tasks.Running, "task"), st.Waiting, plural(st.Tasks.Waiting, "task"),
		st.Missing)
	if st.Collecting {
		fmt.Fprintln(e.stdout, "the collecting job runs or waits: it submits what is missing, or makes "+
			"tables and the page")
	}
	switch {
	case st.SecondsLeft > 0:
		fmt.Fprintf(e.stdout, "about %s left with the tasks that run, %s on one processor\n",
			about(seconds(st.SecondsLeft)), about(seconds(st.ComputeSeconds)))
	case st.ComputeSeconds > 0:
		fmt.Fprintf(e.stdout, "about %s left on one processor\n", about(seconds(st.ComputeSeconds)))
	}
	for k, reason := range st.Failures {
		if k == 5 {
			fmt.Fprintf(e.stdout, "failed: %d more; --json has all\n", len(st.Failures)-k)
			break
		}
		fmt.Fprintf(e.stdout, "failed: %s\n", input.Message(reason))
	}
	return nil
}

// look returns the status of an experiment.
func (c *statusCmd) look(e *env, s *store.Store, r experiment.Record) (cluster.Status, error) {
	job, err := cluster.Latest(cluster.Dir(report.Dir(string(c.Out), r.Name)))
	if err != nil {
		return cluster.Status{}, err
	}
	if job != nil && job.Plan != r.Digest() { // of another experiment of this name
		job = nil
	}
	st, err := cluster.Look(e.ctx, s, r, job)
	if errors.Is(err, cluster.ErrNoSlurm) {
		e.warn(fmt.Errorf("%w; the tasks of the last submission of %s are not known", err, r.Name))
		err = nil
	}
	return st, err
}

// foresee returns about how many seconds the cells that are not in the store take on one
// processor, 0 where this program does not know all that the experiment names.
func (c *statusCmd) foresee(e *env, s *store.Store, r experiment.Record) float64 {
	plan, keys, _, err := run.Replan(e.ctx, nil, e.catalog, r)
	if err != nil {
		return 0
	}
	for i, key := range keys { // those of the program that recorded it
		plan.Cells[i].Key = key
	}
	return run.EstimateRun(e.ctx, plan, s, run.Options{Workers: 1}, 1).Time.Seconds()
}
