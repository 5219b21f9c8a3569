package cli

import (
	"fmt"
	"os/exec"
	"time"

	"ocobench/harness/cluster"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/report"
)

type slurmCmd struct {
	runFlags
	experimentFlags
	Partition string   `help:"The partition; default: that of the cluster." placeholder:"NAME"`
	Time      duration `help:"The time limit of a task; default: that of the cluster." placeholder:"D"`
	Mem       memory   `help:"The memory of a task; default: that of the cluster." placeholder:"SIZE"`
	CPUs      count    `name:"cpus" help:"The processors of a task, which computes so many cells at the same time; default ${default}." default:"1" placeholder:"N"`
	ArraySize count    `help:"The number of tasks, if there are so many cells; default: so many that each takes about five minutes, or half of --time if that is less, and at most 1000." placeholder:"N"`
	Throttle  count    `help:"At most so many tasks run at the same time." placeholder:"N"`
	Attempts  count    `help:"At most so many arrays are submitted, each with what the one before has left; default ${default}." default:"3" placeholder:"N"`
	Sbatch    []option `help:"Another option of sbatch, for all jobs, such as --sbatch=--account=ours. May be repeated." placeholder:"OPTION" sep:"none"`
	DryRun    bool     `help:"Print the script of the jobs and the commands that submit them, and stop."`
}

// Run implements the verb.
func (c *slurmCmd) Run(e *env) error {
	x, err := c.load()
	if err == nil {
		err = c.about(x)
	}
	if err != nil {
		return err
	}
	if _, err := c.options(); err != nil {
		return err
	}
	for _, p := range []*path{&c.Store, &c.Out} { // a job may not be where the user is
		dir, err := cluster.Absolute(string(*p))
		if err != nil {
			return err
		}
		*p = path(dir)
	}
	w, err := e.compute(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	plan, err := w.plan(x)
	if err != nil {
		return err
	}
	todo, _ := cluster.Todo(plan, w.store, time.Now()) // what failed is tried again
	switch {
	case len(todo) == 0 && c.DryRun:
		fmt.Fprintf(e.stdout, "%s: all of %s found in %s; nothing to submit\n", x.Name,
			plural(len(plan.Cells), "cell"), w.store.Dir())
		return nil
	case len(todo) == 0:
		return w.execute([]*spec.Experiment{x}, &c.outputFlags)
	}
	return c.submit(w, plan, todo)
}

// submit submits the cells that are to be computed, or prints how.
func (c *slurmCmd) submit(w *workbench, plan *experiment.Plan, todo []*experiment.Cell) error {
	x := plan.Experiment
	dir := cluster.Dir(report.Dir(string(c.Out), x.Name))
	if !c.DryRun {
		if err := c.ready(x); err != nil {
			return err
		}
		if _, err := exec.LookPath("sbatch"); err != nil {
			return fmt.Errorf("sbatch: %w; run this where jobs are submitted, or with --dry-run",
				cluster.ErrNoSlurm)
		}
		if err := cluster.Idle(w.ctx, dir, x.Name); err != nil {
			return err
		}
	}
	cost, all, memory := cluster.Costs(w.ctx, w.host, todo)
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	job, err := c.job(w.env, plan)
	if err != nil {
		return err
	}
	tasks := len(job.Groups(1, cost))
	fmt.Fprintf(w.stderr, "%s: %s, %d missing in %s: about %s on one processor, in %s with about %d "+
		"MB each\n", x.Name, plural(len(plan.Cells), "cell"),
		len(todo), w.store.Dir(), about(seconds(all)), plural(tasks, "task"), memory*int64(c.CPUs)>>20+20)
	if c.DryRun {
		fmt.Fprint(w.stdout, job.DryRun(dir, tasks))
		return nil
	}
	if err := run.RecordPlan(plan, w.store, w.warn); err != nil {
		return err
	}
	if err := job.Create(dir, x); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	a, err := job.Submit(w.ctx, 1, todo, cost)
	if err != nil {
		return err
	}
	sayArray(w.env, job, a)
	return nil
}
