package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"ocobench/harness/experiment"
)

// Slurm says what the jobs of a submission ask of Slurm. The zero value of a field leaves it
// to the cluster.
type Slurm struct {
	Partition string        `json:"partition,omitempty"`
	Time      time.Duration `json:"time,omitempty"` // the limit of a task
	Mem       string        `json:"mem,omitempty"`  // as sbatch --mem has it
	CPUs      int           `json:"cpus"`           // of a task, at least 1
	Throttle  int           `json:"throttle,omitempty"`
	// More are other options of sbatch, such as --account=ours.
	More []string `json:"more,omitempty"`
}

// taskTime is how long a task is to take: long enough that starting it is nothing beside it,
// and short enough that little is lost with one.
const taskTime = 5 * time.Minute

// maxTasks is the largest array by default: the MaxArraySize of Slurm is 1001, and the
// largest number that a task may have is one less.
const maxTasks = 1000

// tasks returns the number of tasks of an array for so many seconds of one processor.
func (j *Job) tasks(attempt int, seconds float64) int {
	each := taskTime
	if limit := j.Slurm.Time / 2; limit > 0 {
		each = min(each, limit)
	}
	n := int(max(1, min(math.Ceil(seconds/(each.Seconds()*float64(j.Slurm.CPUs))), maxTasks)))
	switch {
	case j.ArraySize > 0 && attempt == 1:
		return j.ArraySize
	case j.ArraySize > 0:
		return min(n, j.ArraySize)
	}
	return n
}

// options are those of all jobs of the submission.
func (j *Job) options(log string) []string {
	s := j.Slurm
	args := []string{
		"--job-name=bench-" + j.Experiment, "--chdir=" + j.Directory,
		"--output=" + strings.ReplaceAll(j.dir, "%", "%%") + string(filepath.Separator) + log,
		"--open-mode=append", "--requeue", "--nodes=1", "--ntasks=1",
		"--cpus-per-task=" + strconv.Itoa(s.CPUs),
	}
	if s.Partition != "" {
		args = append(args, "--partition="+s.Partition)
	}
	if s.Time > 0 {
		seconds := int(math.Ceil(s.Time.Seconds()))
		args = append(args, fmt.Sprintf("--time=%d:%02d", seconds/60, seconds%60))
	}
	if s.Mem != "" {
		args = append(args, "--mem="+s.Mem)
	}
	return append(args, s.More...)
}

// Commands returns the commands that submit an array with so many tasks and its collecting
// job, which depends on the job with the number id.
func (j *Job) Commands(attempt, tasks int, id string) (array, collect []string) {
	indices := fmt.Sprintf("--array=1-%d", tasks)
	if j.Slurm.Throttle > 0 {
		indices += fmt.Sprintf("%%%d", j.Slurm.Throttle)
	}
	command := func(log, option, verb string) []string {
		args := append([]string{"sbatch", "--parsable", option}, j.options(log)...)
		args = append(args, filepath.Join(j.dir, scriptName), verb, "--job="+j.dir,
			fmt.Sprintf("--attempt=%d", attempt))
		return append(args, j.Arguments...)
	}
	return command(fmt.Sprintf("%d-%%a.log", attempt), indices, Computing),
		command(fmt.Sprintf("%d.log", attempt), "--dependency=afterany:"+id, Collecting)
}

// DryRun is the script and the commands of the first array, of so many tasks, as if it were
// submitted in a folder of [Dir].
func (j *Job) DryRun(dir string, tasks int) string {
	dry := *j
	dry.dir, dry.Program = filepath.Join(dir, "N"), filepath.Join(dir, "program-DIGEST", "bench")
	array, collect := dry.Commands(1, tasks, "ARRAY")
	return fmt.Sprintf("%s\n%s\n%s\n", dry.Script(), shellquote.Join(array...),
		shellquote.Join(collect...))
}

// Absolute returns the absolute path of a folder. The error is that Slurm cannot write the
// log of a job into a folder below it.
func Absolute(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil && strings.ContainsAny(dir, "\\\n\r") {
		err = fmt.Errorf("%q has a backslash or a line break, which sbatch does not take", dir)
	}
	return dir, err
}

// Groups distributes cells, with costs in seconds, over the tasks of an array.
func (j *Job) Groups(attempt int, costs []float64) [][]int {
	var all float64
	for _, c := range costs {
		all += c
	}
	return group(costs, j.tasks(attempt, all))
}

// Submit submits cells as an array, and its collecting job.
func (j *Job) Submit(ctx context.Context, attempt int, cells []*experiment.Cell,
	costs []float64) (*Array, error) {
	groups := j.Groups(attempt, costs)
	a := &Array{Tasks: len(groups), Cells: len(cells)}
	for k, g := range groups {
		var mine []*experiment.Cell
		var cost []float64
		for _, i := range g {
			mine, cost = append(mine, cells[i]), append(cost, costs[i])
			a.Seconds += costs[i]
		}
		if err := j.writeTask(attempt, k+1, mine, cost); err != nil {
			return nil, err
		}
	}
	array, _ := j.Commands(attempt, a.Tasks, "")
	var err error
	if a.ID, err = sbatch(ctx, array); err != nil {
		return nil, err
	}
	_, collect := j.Commands(attempt, a.Tasks, a.ID)
	if a.Collect, err = sbatch(ctx, collect); err == nil {
		err = writeJSON(filepath.Join(j.dir, strconv.Itoa(attempt)+".json"), a)
	}
	if err != nil { // nobody would collect
		for _, id := range []string{a.ID, a.Collect} {
			if id != "" {
				exec.Command("scancel", id).Run()
			}
		}
		return nil, err
	}
	return a, nil
}

// ErrNoSlurm says that a command of Slurm is not there.
var ErrNoSlurm = errors.New("not found: this needs the commands of Slurm")

// run runs a command of Slurm and returns what it prints.
func runCommand(ctx context.Context, command []string) (string, error) {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%s: %w", command[0], ErrNoSlurm)
	case errors.As(err, &exit):
		return "", fmt.Errorf("%s: %w: %s", command[0], err, strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return "", fmt.Errorf("%s: %w", command[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// sbatch submits a job and returns its number.
func sbatch(ctx context.Context, command []string) (id string, err error) {
	out, err := runCommand(ctx, command)
	if err != nil {
		return "", err
	}
	id, _, _ = strings.Cut(out, ";") // the name of a cluster
	if n, err := strconv.Atoi(id); err != nil || n < 1 {
		return "", fmt.Errorf("sbatch printed %q (expected the number of a job)", out)
	}
	return id, nil
}

// A Queue is what Slurm still has to do of an array.
type Queue struct {
	Running, Waiting []int // tasks
	Collecting       bool  // the collecting job waits or runs
}

// Busy reports whether anything is left to do.
func (q Queue) Busy() bool { return len(q.Running)+len(q.Waiting) > 0 || q.Collecting }

// squeued is a line of squeue: the number of a job or of a task of an array, and its state.
var squeued = regexp.MustCompile(`(?m)^(\d+)(?:_(\d+))? ([A-Z_]+)$`)

// Queue asks Slurm for the tasks of the array.
func (a *Array) Queue(ctx context.Context) (q Queue, err error) {
	out, err := runCommand(ctx, []string{"squeue", "--noheader", "--array",
		"--jobs=" + a.ID + "," + a.Collect, "--format=%i %T"})
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") { // all ended long ago
			return q, nil
		}
		return q, err
	}
	for _, m := range squeued.FindAllStringSubmatch(out, -1) {
		task, _ := strconv.Atoi(m[2])
		switch {
		case m[1] == a.Collect:
			q.Collecting = true
		case m[1] != a.ID || task == 0:
		case m[3] == "RUNNING" || m[3] == "COMPLETING":
			q.Running = append(q.Running, task)
		default:
			q.Waiting = append(q.Waiting, task)
		}
	}
	return q, nil
}
