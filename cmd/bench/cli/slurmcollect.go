package cli

import (
	"fmt"

	"ocobench/harness/cluster"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/report"
)

// slurmCollectCmd submits what an array has left, or else makes tables, figures and the
// page.
type slurmCollectCmd struct{ jobFlags }

// Run implements the verb.
func (c *slurmCollectCmd) Run(e *env) error {
	w, job, plan, err := c.begin(e)
	if err != nil {
		return err
	}
	defer w.host.Close()
	began, err := job.Began()
	if err != nil {
		return err
	}
	attempt := int(c.Attempt)
	if next, err := job.Array(attempt + 1); next != nil || err != nil { // this job was started again
		return err
	}
	todo, failed := cluster.Todo(plan, w.store, began)
	if len(todo) > 0 && attempt < job.Attempts {
		return again(w, job, attempt, plan, todo)
	}
	return w.present([]*spec.Experiment{plan.Experiment}, &c.outputFlags,
		func(x *spec.Experiment) (out report.Written, err error) {
			r, err := run.LoadExperiment(w.store, x.Name)
			if err != nil {
				return out, err
			}
			if r.Digest() != job.Plan {
				return out, fmt.Errorf("%s has another experiment %s by now", w.store.Dir(), x.Name)
			}
			a, err := w.analyse(r)
			if err != nil {
				return out, err
			}
			all := len(plan.Cells)
			if out, err = w.draw(a, &c.outputFlags,
				fmt.Sprintf("%d of %s in %s", all-len(todo)-len(failed), plural(all, "cell"),
					w.store.Dir())); err != nil {
				return out, err
			}
			e.warn(r.DamagedCells())
			e.sayFailures(failed)
			if len(failed) == 0 && r.Missing == 0 {
				return out, nil
			}
			err = fmt.Errorf("%d of %s failed", len(failed), plural(all, "cell"))
			if len(todo) > 0 {
				err = fmt.Errorf("%w, and %d were not computed in %s (%s has the logs; tasks may need more "+
					"--time or --mem)", err, len(todo), plural(attempt, "array"), job.Dir())
			}
			if n := len(r.Damaged); n > 0 {
				err = fmt.Errorf("%w, and of %d the file is damaged", err, n)
			}
			return out, &failedError{err}
		})
}

// again submits another array with the cells that one has left.
func again(w *workbench, job *cluster.Job, attempt int, plan *experiment.Plan,
	todo []*experiment.Cell) error {
	slowness, err := job.Slowness(attempt)
	if err != nil {
		return err
	}
	cost, _, _ := cluster.Costs(w.ctx, w.host, todo)
	for i := range cost {
		cost[i] *= slowness
	}
	fmt.Fprintf(w.stderr, "%s: %s missing after array %d of at most %d\n", job.Experiment,
		plural(len(todo), "cell"), attempt, job.Attempts)
	a, err := job.Submit(w.ctx, attempt+1, todo, cost)
	if err != nil {
		return fmt.Errorf("%w; the cells that are missing can be submitted by bench slurm", err)
	}
	sayArray(w.env, job, a)
	return nil
}
