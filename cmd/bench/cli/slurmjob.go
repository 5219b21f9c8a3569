package cli

import (
	"fmt"
	"os"
	"time"

	"ocobench/harness/cluster"
	"ocobench/harness/experiment"
)

// What bench slurm and its jobs have in common.

// job is the submission that the flags say.
func (c *slurmCmd) job(e *env, plan *experiment.Plan) (*cluster.Job, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	args := words(&c.runFlags)
	if e.debug {
		args = append(args, "--debug")
	}
	var more []string
	for _, o := range c.Sbatch {
		more = append(more, string(o))
	}
	return &cluster.Job{
		Experiment: plan.Experiment.Name, Plan: plan.Digest(), Arguments: args, Directory: dir,
		Attempts: int(c.Attempts), ArraySize: int(c.ArraySize),
		Slurm: cluster.Slurm{Partition: c.Partition, Time: c.Time.Duration, Mem: string(c.Mem),
			CPUs: int(c.CPUs), Throttle: int(c.Throttle), More: more},
	}, nil
}

// sayArray says what was submitted.
func sayArray(e *env, job *cluster.Job, a *cluster.Array) {
	fmt.Fprintf(e.stdout, "%s: %s in job array %s of %s, and collecting job %s; logs in %s\n",
		job.Experiment, plural(a.Cells, "cell"), a.ID, plural(a.Tasks, "task"), a.Collect, job.Dir())
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// jobFlags are those of the jobs that bench slurm submits.
type jobFlags struct {
	runFlags
	Job     path  `required:""`
	Attempt count `required:""`
}

// begin reads the submission, plans its experiment, and makes sure that the plan is the
// same. The caller closes the host of the workbench.
func (f *jobFlags) begin(e *env) (w *workbench, job *cluster.Job, plan *experiment.Plan, err error) {
	if job, err = cluster.Open(string(f.Job)); err != nil {
		return nil, nil, nil, err
	}
	x, err := job.Parse()
	if err != nil {
		return nil, nil, nil, err
	}
	if w, err = e.compute(f.storeFlags, &f.computeFlags); err != nil {
		return nil, nil, nil, err
	}
	if plan, err = w.plan(x); err == nil {
		err = job.Check(plan)
	}
	if err != nil {
		w.host.Close()
		return nil, nil, nil, err
	}
	return w, job, plan, nil
}
