package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"ocobench/harness/cluster"
)

// slurmTaskCmd computes the cells of a task.
type slurmTaskCmd struct{ jobFlags }

// Run implements the verb.
func (c *slurmTaskCmd) Run(e *env) (err error) {
	index, err := strconv.Atoi(os.Getenv("SLURM_ARRAY_TASK_ID"))
	if err != nil {
		return errors.New("SLURM_ARRAY_TASK_ID is not set: this is a task of a job array that bench " +
			"slurm submits")
	}
	hostname, _ := os.Hostname()
	if node := os.Getenv("SLURMD_NODENAME"); node != "" {
		hostname = node
	}
	now := func() string { return time.Now().UTC().Format(time.RFC3339) }
	fmt.Fprintf(e.stderr, "%s task %d of job array %s begins on %s\n", now(), index,
		os.Getenv("SLURM_ARRAY_JOB_ID"), hostname)
	w, job, plan, err := c.begin(e)
	if err != nil {
		return err
	}
	defer w.host.Close()
	task, err := job.Task(int(c.Attempt), index)
	if err != nil {
		return err
	}
	w.options.Keys = task.Keys()
	report := cluster.Report{Host: hostname}
	for key, cost := range task {
		if !w.store.Has(key) {
			report.Foreseen += cost
		}
	}
	began := time.Now()
	p, err := w.play(plan)
	if err != nil {
		return interrupted(err, "finished cells are stored, and the collecting job submits the others "+
			"again")
	}
	report.Took = time.Since(began).Seconds() * float64(p.workers)
	report.Computed, report.Found, report.Failed = p.computed, p.found, len(p.failures)
	if err := job.WriteReport(int(c.Attempt), index, report); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s task %d ends: %s\n", now(), index, p.counts(w.store))
	return p.lost("; finished cells are stored")
}
