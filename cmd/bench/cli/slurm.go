package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/kballard/go-shellquote"

	"ocobench/harness"
	"ocobench/harness/cluster"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report"
)

type slurmCmd struct {
	outputFlags
	externalFlags
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

// Help implements the verb's help.
func (*slurmCmd) Help() string {
	return `Distributes the cells that the store does not have over the tasks of a job array,
and submits it with a job that collects: when all tasks have ended it submits what is
still missing again, and then makes tables, figures and the page as bench run does. The
jobs run the program, and the experiment, as they are now; OUT/NAME/slurm has copies of
both, and the logs. STORE and OUT are on a file system that all nodes share.

    bench slurm rates --partition long --time 1h --mem 2G --throttle 50
    bench status rates

bench slurm does not wait. What does not compute fails the collecting job with exit code
3, and bench status says why.`
}

// memory is a size as sbatch has it, such as 800M or 2G.
type memory string

var memorySize = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)

// Decode implements [kong.MapperValue].
func (m *memory) Decode(ctx *kong.DecodeContext) error {
	const expected = "a size such as 800M or 2G"
	text, err := value(ctx, expected)
	if err == nil && !memorySize.MatchString(text) {
		err = fmt.Errorf("%s is not one (expected %s)", text, expected)
	}
	*m = memory(text)
	return err
}

// option is an option of sbatch. What is not one sbatch takes for the script.
type option string

// Decode implements [kong.MapperValue].
func (o *option) Decode(ctx *kong.DecodeContext) error {
	text := ctx.Scan.Pop().String()
	name, _, _ := strings.Cut(text, "=")
	switch {
	case !strings.HasPrefix(text, "--") || text == "--" || strings.ContainsAny(text, "\n\r"):
		return fmt.Errorf("%s is not one (expected an option such as --account=ours)", input.Shown(text))
	case slices.Contains(own, name):
		return fmt.Errorf("%s is that of bench slurm (expected another option, such as --account=ours)", name)
	}
	*o = option(text)
	return nil
}

// own are the options of sbatch without which jobs are not what a submission needs.
var own = []string{"--array", "--chdir", "--dependency", "--wrap"}

// costs returns about how many seconds each of the cells takes on one processor, and how
// many bytes the largest needs.
func costs(e *env, plan *harness.Plan, cells []*harness.Cell) ([]float64, int64) {
	seconds, memory := plan.Costs(e.ctx, cells, 20*time.Second)
	for i := range seconds {
		seconds[i] += 0.01 // to start it, and to have it on disk
	}
	return seconds, memory
}

// Run implements the verb.
func (c *slurmCmd) Run(e *env) error {
	x, err := c.load()
	if err != nil {
		return err
	}
	if _, err := c.metrics(x.Name, x.Metrics); err != nil {
		return err
	}
	if _, err := exec.LookPath("sbatch"); err != nil && !c.DryRun {
		return fmt.Errorf("sbatch: %w; run this where jobs are submitted, or with --dry-run", cluster.ErrNoSlurm)
	}
	for _, p := range []*path{&c.Store, &c.Out} { // a job may not be where the user is
		dir, err := filepath.Abs(string(*p))
		if err == nil {
			err = cluster.CheckPath(dir)
		}
		if err != nil {
			return err
		}
		*p = path(dir)
	}
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
	todo, _ := cluster.Todo(plan, s, time.Now()) // what failed is tried again
	if len(todo) == 0 && c.DryRun {
		fmt.Fprintf(e.stdout, "%s: all of %s found in %s; nothing to submit\n", x.Name, plural(len(plan.Cells), "cell"), s.Dir())
		return nil
	}
	if len(todo) == 0 {
		return execute(e, []*spec.Experiment{x}, &c.outputFlags, false)
	}
	dir := cluster.Dir(report.Dir(string(c.Out), x.Name))
	if !c.DryRun {
		if err := idle(e.ctx, dir, x.Name); err != nil {
			return err
		}
	}
	cost, memory := costs(e, plan, todo)
	if e.ctx.Err() != nil {
		return e.ctx.Err()
	}
	job, err := c.job(e, x, plan)
	if err != nil {
		return err
	}
	tasks := job.Groups(1, cost)
	var all float64
	for _, s := range cost {
		all += s
	}
	fmt.Fprintf(e.stderr, "%s: %s, %d missing in %s: about %s on one processor, in %s with about %d MB each\n", x.Name, plural(len(plan.Cells), "cell"), len(todo), s.Dir(),
		about(seconds(all)), plural(len(tasks), "task"), memory*int64(c.CPUs)>>20+20)
	if c.DryRun {
		job.Place(filepath.Join(dir, "N"), filepath.Join(dir, "program-DIGEST", "bench"))
		array, collect := job.Commands(1, len(tasks), "ARRAY")
		fmt.Fprintf(e.stdout, "%s\n%s\n%s\n", job.Script(), shellquote.Join(array...), shellquote.Join(collect...))
		return nil
	}
	if err := ready(&c.outputFlags, x); err != nil {
		return err
	}
	if err := plan.Record(s, e.warn); err != nil {
		return err
	}
	if err := job.Create(dir, x); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	a, err := job.Submit(e.ctx, 1, todo, cost)
	if err != nil {
		return err
	}
	sayArray(e, job, a)
	return nil
}

// job is the submission that the flags say.
func (c *slurmCmd) job(e *env, x *spec.Experiment, plan *harness.Plan) (*cluster.Job, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	args := []string{"--store=" + string(c.Store), "--out=" + string(c.Out), "--cell-timeout=" + c.CellTimeout.String(), "--external-timeout=" + c.ExternalTimeout.String()}
	for _, x := range c.External {
		args = append(args, "--external="+x.text)
	}
	for _, name := range c.Tables {
		args = append(args, "--tables="+name)
	}
	if c.Workers > 0 {
		args = append(args, fmt.Sprintf("--workers=%d", c.Workers))
	}
	if c.Isolate {
		args = append(args, "--isolate")
	}
	if c.Bounds {
		args = append(args, "--bounds")
	}
	if e.debug {
		args = append(args, "--debug")
	}
	var more []string
	for _, o := range c.Sbatch {
		more = append(more, string(o))
	}
	return &cluster.Job{
		Experiment: x.Name, Plan: plan.Digest(), Arguments: args, Directory: dir, Attempts: int(c.Attempts), ArraySize: int(c.ArraySize),
		Slurm: cluster.Slurm{Partition: c.Partition, Time: c.Time.Duration, Mem: string(c.Mem), CPUs: int(c.CPUs), Throttle: int(c.Throttle), More: more},
	}, nil
}

// idle is an error as long as Slurm has jobs of the last submission in dir.
func idle(ctx context.Context, dir, name string) error {
	job, err := cluster.Latest(dir)
	if err != nil || job == nil {
		return err
	}
	a, _, err := job.Last()
	if err != nil || a == nil {
		return err
	}
	q, err := a.Queue(ctx)
	if err != nil {
		return err
	}
	if q.Busy() {
		return fmt.Errorf("%s is being computed already, by the jobs %s and %s: see bench status %s; to submit it anew, end them: scancel %s %s", name, a.ID, a.Collect, name, a.ID, a.Collect)
	}
	return nil
}

// sayArray says what was submitted.
func sayArray(e *env, job *cluster.Job, a *cluster.Array) {
	fmt.Fprintf(e.stdout, "%s: %s in job array %s of %s, and collecting job %s; logs in %s\n", job.Experiment, plural(a.Cells, "cell"), a.ID, plural(a.Tasks, "task"), a.Collect, job.Dir())
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
