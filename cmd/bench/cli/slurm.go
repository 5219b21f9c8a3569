package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/kballard/go-shellquote"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
	"ocobench/harness/run/slurm"
	"ocobench/report"
)

// bench slurm plans an experiment and looks for its cells in the store. If some are missing it
// submits a job array, whose tasks run bench run --shard, and a job after it that runs bench slurm
// again with one attempt less. If none is missing, or no attempt is left, it makes tables.

// slurmCmd holds the flags of bench slurm.
type slurmCmd struct {
	runFlags
	experimentFlags
	Partition  string         `help:"The partition; default: that of the cluster." placeholder:"NAME"`
	Time       duration       `help:"The time limit of a task; default: that of the cluster." placeholder:"D"`
	Mem        memory         `help:"The memory of a task; default: that of the cluster." placeholder:"SIZE"`
	CPUs       count          `name:"cpus" help:"The processors of a task; default ${default}." default:"1" placeholder:"N"`
	Tasks      count          `help:"The number of tasks; default: so that each takes 5m, or half of --time, at most 1000." aliases:"array-size" placeholder:"N"`
	Throttle   count          `help:"At most so many tasks run at the same time." placeholder:"N"`
	Attempts   natural        `help:"Submit at most so many arrays for what is left, 0 to make tables only; default ${default}." default:"2" placeholder:"N"`
	SkipFailed bool           `help:"Submit nothing if all missing cells have failed."`
	Sbatch     []sbatchOption `help:"An option of sbatch, such as --sbatch=--account=ours; repeatable." placeholder:"OPTION" sep:"none"`
	DryRun     bool           `help:"Print the script and the commands, and stop."`
}

// defaultTaskTime limits the estimated time of a task: long enough that its start costs little, and
// short enough that little is lost with it.
const defaultTaskTime = 5 * time.Minute

// Run implements the verb. The job after an array runs it again, with one attempt less.
func (c *slurmCmd) Run(e *env) error {
	x, err := c.loadExperiment()
	if err == nil {
		err = c.setFocus(x)
	}
	if err != nil {
		return err
	}
	if _, err := c.reportOptions(); err != nil {
		return err
	}
	if err := c.makeAbsolute(); err != nil {
		return err
	}
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	plan, err := w.planExperiment(x)
	if err != nil {
		return err
	}
	missing, failed := missingCells(w, plan)
	// With --skip-failed, failed cells are only submitted beside others.
	wanted := len(missing) > 0 || len(failed) > 0 && !c.SkipFailed
	switch all := len(missing) + len(failed); {
	case wanted && c.Attempts > 0:
		for _, f := range failed {
			missing = append(missing, f.Cell)
		}
		return c.submitArray(w, plan, missing)
	case c.DryRun && all == 0:
		fmt.Fprintf(e.stdout, "%s: all of %s found in %s; nothing to submit\n", x.Name,
			plural(len(plan.Cells), "cell"), w.store.Dir())
		return nil
	case c.DryRun:
		fmt.Fprintf(e.stdout, "%s: %s missing in %s, of which %d failed; nothing to submit with these "+
			"flags\n", x.Name, plural(all, "cell"), w.store.Dir(), len(failed))
		return nil
	case all == 0:
		return w.runAll([]*spec.Experiment{x}, &c.outputFlags)
	}
	return c.makeTables(w, plan, missing, failed)
}

// makeAbsolute replaces the paths of the flags by absolute ones, since a job may not be where
// the user is.
func (c *slurmCmd) makeAbsolute() (err error) {
	for _, p := range []*path{&c.Store, &c.Out} {
		dir, err := slurm.Path(string(*p))
		if err != nil {
			return err
		}
		*p = path(dir)
	}
	if !slices.Contains(experiments.Names(), c.Experiment) {
		c.Experiment, err = slurm.Path(c.Experiment)
	}
	return err
}

// missingCells returns the cells of a plan that the store does not have: those that were not
// computed, and those that failed.
func missingCells(w *workbench, p *experiment.Plan) (missing []*experiment.Cell,
	failed []run.Failure) {
	found := run.FoundIn(w.store)
	for _, c := range p.Cells {
		if found(c) {
			continue
		}
		if f, err := w.store.Failure(c.Key); err == nil {
			failed = append(failed, run.Failure{Cell: c, Err: errors.New(f.Reason)})
		} else {
			missing = append(missing, c)
		}
	}
	return missing, failed
}

// submitArray submits a job array that computes the cells; with --dry-run it prints the script and
// the commands.
func (c *slurmCmd) submitArray(w *workbench, plan *experiment.Plan,
	cells []*experiment.Cell) error {
	x := plan.Experiment
	if !c.DryRun {
		if err := c.checkWritable(x); err != nil {
			return err
		}
		if _, err := exec.LookPath("sbatch"); err != nil {
			return fmt.Errorf("sbatch: %w; run this where jobs are submitted, or with --dry-run",
				slurm.ErrNoSlurm)
		}
	}
	job, err := c.newJob(w, plan, cells)
	if err != nil {
		return err
	}
	fmt.Fprintln(w.stderr, job.About[0])
	if c.DryRun {
		array, after := job.Commands("ARRAY")
		fmt.Fprintf(w.stdout, "%s\n%s\n%s\n", job.Script(), shellquote.Join(array...),
			shellquote.Join(after...))
		return nil
	}
	if err := run.RecordPlan(plan, w.store, w.warn); err != nil {
		return err
	}
	array, after, err := job.Submit(w.ctx)
	if err != nil {
		return adviseInterrupted(err, "squeue --me lists a job array that was submitted before")
	}
	fmt.Fprintf(w.stdout, "%s: %s in job array %s of %s, and then job %s; script and logs in %s\n",
		x.Name, plural(len(cells), "cell"), array, plural(job.Tasks, "task"), after, job.LogDir)
	return nil
}

// newJob estimates the cost of the cells, chooses the number of tasks, and returns the job that
// computes the cells.
func (c *slurmCmd) newJob(w *workbench, plan *experiment.Plan,
	cells []*experiment.Cell) (*slurm.Job, error) {
	x := plan.Experiment
	program, err := c.jobProgram()
	if err != nil {
		return nil, err
	}
	here, err := slurm.Path(".")
	if err != nil {
		return nil, err
	}
	const sampling = 20 * time.Second // at most, to measure what the cells cost
	estimates, memory := run.EstimateCosts(w.ctx, w.host, cells, sampling)
	if w.ctx.Err() != nil {
		return nil, w.ctx.Err()
	}
	var total float64
	costs := make(map[*experiment.Cell]float64)
	for i, cell := range cells {
		costs[cell] = estimates[i] + 0.01 // seconds to start the cell and to write it to disk
		total += costs[cell]
	}
	// The cost of every cell in the order in which cells are dealt to tasks; 0 if the store has it.
	costInOrder := make([]float64, len(plan.Cells))
	for i, cell := range plan.ShardOrder() {
		costInOrder[i] = costs[cell] / float64(c.CPUs)
	}
	limit := defaultTaskTime
	if half := c.Time.Duration / 2; half > 0 {
		limit = min(limit, half)
	}
	tasks := min(cmp.Or(int(c.Tasks), slurm.Tasks(costInOrder, limit)), len(costInOrder))
	longest := slurm.Longest(costInOrder, tasks)
	if c.Time.Duration > 0 && longest > c.Time.Duration {
		w.warn(fmt.Errorf("the longest task takes about %s, and --time ends it after %s; give it more "+
			"time, or more --tasks", roundDuration(longest), c.Time))
	}

	bench := []string{program}
	if w.debug {
		bench = append(bench, "--debug")
	}
	task := append(slices.Clone(bench), "run", c.Experiment)
	task = append(task, commandWords(&struct {
		runFlags
		experimentFlags
	}{c.runFlags, c.experimentFlags})...)
	nextFlags := *c
	nextFlags.Attempts, nextFlags.SkipFailed, nextFlags.DryRun = 0, true, false
	next := append(slices.Clone(bench), "slurm", c.Experiment)
	next = append(next, commandWords(&nextFlags)...)
	// commandWords leaves out what is 0, and the default is another number.
	next = append(next, fmt.Sprintf("--attempts=%d", c.Attempts-1))

	var sbatchOptions []string
	for _, o := range c.Sbatch {
		sbatchOptions = append(sbatchOptions, string(o))
	}
	return &slurm.Job{
		Experiment: x.Name,
		About: []string{
			fmt.Sprintf("%s: %s, %d missing in %s: about %s on one processor; %s, the longest about %s "+
				"with about %d MB", x.Name, plural(len(plan.Cells), "cell"), len(cells), w.store.Dir(),
				roundDuration(seconds(total)), plural(tasks, "task"), roundDuration(longest),
				memory*int64(c.CPUs)>>20+programMB),
			"program:    " + program, "experiment: " + c.Experiment, "store:      " + string(c.Store),
		},
		Task: append(task, "--no-report"), Next: next, WorkDir: here,
		LogDir: filepath.Join(report.Dir(string(c.Out), x.Name), "slurm"),
		Tasks:  tasks, Throttle: int(c.Throttle), CPUs: int(c.CPUs), Partition: c.Partition,
		Time: c.Time.Duration, Mem: string(c.Mem), More: sbatchOptions,
	}, nil
}

// jobProgram returns the path of this program. A program that go run has made is an error, since it
// is removed before the jobs begin.
func (c *slurmCmd) jobProgram() (string, error) {
	program, err := os.Executable()
	if err == nil {
		program, err = slurm.Path(program)
	}
	if err == nil && !c.DryRun && temporaryProgram.MatchString(filepath.ToSlash(program)) {
		err = fmt.Errorf("%s is a program that go run removes before the jobs begin; build one that "+
			"stays: go build -o bench ./cmd/bench", program)
	}
	return program, err
}

// temporaryProgram matches the path of a program that go run or go test has built.
var temporaryProgram = regexp.MustCompile(`/go-build\d+/`)

// makeTables makes tables of what the store has, though cells are missing, when nothing more is
// submitted. The error says what is missing.
func (c *slurmCmd) makeTables(w *workbench, plan *experiment.Plan, missing []*experiment.Cell,
	failed []run.Failure) error {
	return w.runAndPrint([]*spec.Experiment{plan.Experiment}, &c.outputFlags,
		func(x *spec.Experiment) (out report.Written, err error) {
			if err := c.checkWritable(x); err != nil {
				return out, err
			}
			if err := run.RecordPlan(plan, w.store, w.warn); err != nil {
				return out, err
			}
			r, err := run.LoadExperiment(w.store, x.Name)
			if err != nil {
				return out, err
			}
			a, err := w.analyse(r)
			if err != nil {
				return out, err
			}
			all := plural(len(plan.Cells), "cell")
			counts := fmt.Sprintf("%d of %s in %s", len(plan.Cells)-len(missing)-len(failed), all,
				w.store.Dir())
			if out, err = w.writeReport(a, &c.outputFlags, counts); err != nil {
				return out, err
			}
			w.warn(r.DamagedCells())
			failures := failurePrinter{env: w.env, print: func(format string, args ...any) {
				fmt.Fprintf(w.stderr, format, args...)
			}}
			failures.countOthers(failed)
			err = fmt.Errorf("%d of %s failed", len(failed), all)
			if len(missing) > 0 {
				err = fmt.Errorf("%w, and %d are missing; their tasks may need more --time or --mem, and "+
					"bench slurm submits them again", err, len(missing))
			}
			return out, &failedError{err}
		})
}

// seconds returns a duration of so many seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
