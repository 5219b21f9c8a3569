package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/cluster"
	"ocobench/harness/host"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/report"
)

// jobFlags are those of the jobs that bench slurm submits.
type jobFlags struct {
	outputFlags
	externalFlags
	Job     path  `required:""`
	Attempt count `required:""`
}

// open reads the submission, plans its experiment, and makes sure that the plan is the same.
func (f *jobFlags) open(e *env, host *host.Host) (*cluster.Job, *harness.Plan, *store.Store, error) {
	job, err := cluster.Open(string(f.Job))
	if err != nil {
		return nil, nil, nil, err
	}
	x, err := job.Parse()
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := e.catalog.Plan(e.ctx, host, x)
	if err == nil {
		err = job.Check(plan)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	s, err := store.Open(string(f.Store))
	return job, plan, s, err
}

// slurmTaskCmd computes the cells of a task.
type slurmTaskCmd struct{ jobFlags }

// Run implements the verb.
func (c *slurmTaskCmd) Run(e *env) (err error) {
	index, err := strconv.Atoi(os.Getenv("SLURM_ARRAY_TASK_ID"))
	if err != nil {
		return errors.New("SLURM_ARRAY_TASK_ID is not set: this is a task of a job array that bench slurm submits")
	}
	host := c.host(e)
	defer host.Close()
	hostname, _ := os.Hostname()
	if node := os.Getenv("SLURMD_NODENAME"); node != "" {
		hostname = node
	}
	fmt.Fprintf(e.stderr, "%s task %d of job array %s begins on %s\n", time.Now().UTC().Format(time.RFC3339), index, os.Getenv("SLURM_ARRAY_JOB_ID"), hostname)
	job, plan, s, err := c.open(e, host)
	if err != nil {
		return err
	}
	task, err := job.Task(int(c.Attempt), index)
	if err != nil {
		return err
	}
	part := shard{keys: task.Keys()}
	report := cluster.Report{Host: hostname}
	for key, cost := range task {
		if !s.Has(key) {
			report.Foreseen += cost
		}
	}
	plan.Unmet = nil // which bench slurm has said
	began := time.Now()
	bar, failures, err := compute(e, plan, s, part, c.Workers, false)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("%w; finished cells are stored, and the collecting job submits the others again", errInterrupted)
		}
		return err
	}
	workers := options(part, c.Workers, false, len(task)).Workers
	report.Took = time.Since(began).Seconds() * float64(workers)
	report.Computed, report.Found, report.Failed = bar.computed, bar.found, len(failures)
	if err := job.WriteReport(int(c.Attempt), index, report); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s task %d ends: %s computed, %d found in %s\n", time.Now().UTC().Format(time.RFC3339), index, plural(bar.computed, "cell"), bar.found, s.Dir())
	if len(failures) > 0 {
		return &failedError{fmt.Errorf("%d of %s failed; finished cells are stored", len(failures), plural(len(task), "cell"))}
	}
	return nil
}

// slurmCollectCmd submits what an array has left, or else makes tables, figures and the
// page.
type slurmCollectCmd struct{ jobFlags }

// Run implements the verb.
func (c *slurmCollectCmd) Run(e *env) error {
	host := c.host(e)
	defer host.Close()
	job, plan, s, err := c.open(e, host)
	if err != nil {
		return err
	}
	began, err := job.Began()
	if err != nil {
		return err
	}
	attempt := int(c.Attempt)
	if next, err := job.Array(attempt + 1); next != nil || err != nil { // this job was started again
		return err
	}
	todo, failed := cluster.Todo(plan, s, began)
	if len(todo) > 0 && attempt < job.Attempts {
		slowness, err := job.Slowness(attempt)
		if err != nil {
			return err
		}
		cost, _ := costs(e, plan, todo)
		for i := range cost {
			cost[i] *= slowness
		}
		fmt.Fprintf(e.stderr, "%s: %s missing after array %d of at most %d\n", job.Experiment, plural(len(todo), "cell"), attempt, job.Attempts)
		a, err := job.Submit(e.ctx, attempt+1, todo, cost)
		if err != nil {
			return fmt.Errorf("%w; the cells that are missing can be submitted by bench slurm", err)
		}
		sayArray(e, job, a)
		return nil
	}
	return present(e, []*spec.Experiment{plan.Experiment}, &c.outputFlags, func(x *spec.Experiment) (out report.Written, err error) {
		r, err := harness.LoadExperiment(s, x.Name)
		if err != nil {
			return out, err
		}
		if r.Digest() != job.Plan {
			return out, fmt.Errorf("%s has another experiment %s by now", s.Dir(), x.Name)
		}
		a, err := analysis.Of(e.ctx, e.catalog, r)
		if err != nil {
			return out, err
		}
		all := len(plan.Cells)
		if out, err = draw(e, a, &c.outputFlags, fmt.Sprintf("%d of %s in %s", all-len(todo)-len(failed), plural(all, "cell"), s.Dir())); err != nil {
			return out, err
		}
		e.warn(r.DamagedCells())
		for _, f := range failed {
			e.fail(fmt.Errorf("failed: %w", f.Err))
		}
		if len(failed) > 0 || r.Missing > 0 {
			err = fmt.Errorf("%d of %s failed", len(failed), plural(all, "cell"))
			if len(todo) > 0 {
				err = fmt.Errorf("%w, and %d were not computed in %s (%s has the logs; tasks may need more --time or --mem)", err, len(todo), plural(attempt, "array"), job.Dir())
			}
			if n := len(r.Damaged); n > 0 {
				err = fmt.Errorf("%w, and of %d the file is damaged", err, n)
			}
			return out, &failedError{err}
		}
		return out, nil
	})
}
