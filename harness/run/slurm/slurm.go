// Package slurm has Slurm compute an experiment as a job array.
//
//  1. [Tasks] chooses the number of tasks from what the missing cells cost.
//  2. A [Job] has one batch script. A task of the array computes its part of the experiment.
//     The next job, which begins when all tasks have ended, with success or not, looks what is
//     missing then.
//  3. [Job.Submit] submits both.
//  4. In a task, [Index] reads from the environment which part it is.
//
// The store alone says what is done, so that nothing is kept of a submission but its script
// and its logs. A task that is killed leaves the cells that it has finished, and a second
// submission computes the others. Tasks on the same cells exclude each other by the locks of
// the store.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"ocobench/internal/file"
)

// Job describes an array of tasks, and the job that begins after it.
type Job struct {
	Experiment string   // the name of the experiment
	About      []string // lines of comment at the head of the script
	// Task is the command of a task, and Next that of the job after the array.
	Task, Next []string
	WorkDir    string // the working directory of both
	LogDir     string // the absolute path of the folder of the script and the logs
	Tasks      int
	Throttle   int // tasks that run at the same time at most; 0: no limit
	CPUs       int // that a task gets

	// The zero value of these leaves the choice to the cluster.
	Partition string
	Time      time.Duration // the limit of a task
	Mem       string        // as sbatch --mem has it

	More []string // other options of sbatch, such as --account=ours
}

// maxTasks limits the array: the default MaxArraySize of Slurm is 1001, and the largest number
// that a task may have is one less.
const maxTasks = 1000

// Tasks returns the smallest number of tasks such that none takes longer than perTask. If there is
// no such number, because a cell takes longer or maxTasks are too few, it returns the largest
// useful one: a task for each cell, at most maxTasks. The seconds are those of each cell, in the
// order in which cells are dealt to tasks.
func Tasks(seconds []float64, perTask time.Duration) int {
	var total float64
	for _, s := range seconds {
		total += s
	}
	maxUseful := max(1, min(maxTasks, len(seconds)))
	n := int(max(1, min(math.Ceil(total/perTask.Seconds()), float64(maxUseful))))
	for n < maxUseful && Longest(seconds, n) > perTask {
		n++
	}
	return n
}

// Longest returns the time of the longest of n tasks to which cells are dealt in turn.
func Longest(seconds []float64, n int) time.Duration {
	tasks := make([]float64, n)
	for i, s := range seconds {
		tasks[i%n] += s
	}
	return time.Duration(min(slices.Max(tasks)*float64(time.Second), math.MaxInt64/2))
}

// afterArray is passed to the script to make it the job after the array.
const afterArray = "next"

// Script returns the batch script of both jobs.
func (j *Job) Script() string {
	options := []string{
		"--job-name=bench-" + j.Experiment, "--chdir=" + j.WorkDir, "--open-mode=append",
		"--requeue", "--nodes=1", "--ntasks=1", "--cpus-per-task=" + strconv.Itoa(j.CPUs),
	}
	if j.Partition != "" {
		options = append(options, "--partition="+j.Partition)
	}
	if j.Time > 0 {
		seconds := int(math.Ceil(j.Time.Seconds()))
		options = append(options, fmt.Sprintf("--time=%d:%02d", seconds/60, seconds%60))
	}
	if j.Mem != "" {
		options = append(options, "--mem="+j.Mem)
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, line := range j.About {
		b.WriteString("# " + line + "\n")
	}
	for _, o := range append(options, j.More...) {
		b.WriteString("#SBATCH " + quoteOption(o) + "\n")
	}
	fmt.Fprintf(&b, `
echo "$(date -u +%%FT%%TZ) ${SLURM_ARRAY_TASK_ID:+task $SLURM_ARRAY_TASK_ID of }job `+
		`${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID} begins on $SLURMD_NODENAME" >&2
if [ "$1" = %s ]; then
	exec %s
fi
exec %s --shard env/%d
`, afterArray, shellquote.Join(j.Next...), shellquote.Join(j.Task...), j.Tasks)
	return b.String()
}

// plainOption matches options of sbatch that need no quotes.
var plainOption = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoteOption quotes an option as sbatch reads it in a script: like a shell, but that an unquoted
// number sign begins a comment within a word, too.
func quoteOption(option string) string {
	if plainOption.MatchString(option) {
		return option
	}
	return "'" + strings.ReplaceAll(option, "'", `'\''`) + "'"
}

// Commands returns the commands that submit the array, and the job after the array with the
// number id.
func (j *Job) Commands(id string) (array, after []string) {
	tasks := fmt.Sprintf("--array=1-%d", j.Tasks)
	if j.Throttle > 0 {
		tasks += fmt.Sprintf("%%%d", j.Throttle)
	}
	log := func(name string) string {
		return "--output=" + strings.ReplaceAll(j.LogDir, "%", "%%") + string(filepath.Separator) + name
	}
	return []string{"sbatch", "--parsable", tasks, log("%A-%a.log"), j.scriptPath()},
		[]string{"sbatch", "--parsable", "--dependency=afterany:" + id, log("%j.log"), j.scriptPath(),
			afterArray}
}

// scriptPath returns the path of the script.
func (j *Job) scriptPath() string { return filepath.Join(j.LogDir, "job.sh") }

// Submit writes the script, and submits the array and the job after it. It returns their
// numbers. If the second cannot be submitted, the first is cancelled.
func (j *Job) Submit(ctx context.Context) (array, after string, err error) {
	if err := os.MkdirAll(j.LogDir, 0o777); err != nil {
		return "", "", err
	}
	if err := file.Write(j.scriptPath(), file.Bytes([]byte(j.Script()))); err != nil {
		return "", "", err
	}
	first, _ := j.Commands("")
	if array, err = submitBatch(ctx, first); err != nil {
		return "", "", err
	}
	_, second := j.Commands(array)
	if after, err = submitBatch(ctx, second); err != nil {
		if exec.Command("scancel", array).Run() != nil {
			err = fmt.Errorf("%w; end the job array that was submitted: scancel %s", err, array)
		}
		return "", "", err
	}
	return array, after, nil
}

// Path returns the absolute path of a file or folder. It is an error if a batch script cannot
// have it.
func Path(name string) (string, error) {
	name, err := filepath.Abs(name)
	if err == nil && strings.ContainsAny(name, "\\\n\r") {
		err = fmt.Errorf("%q has a backslash or a line break, which sbatch does not take", name)
	}
	return name, err
}

// ErrNoSlurm says that the command sbatch was not found.
var ErrNoSlurm = errors.New("not found: this needs the commands of Slurm")

// submitBatch submits a job and returns its number.
func submitBatch(ctx context.Context, command []string) (id string, err error) {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("sbatch: %w", ctx.Err())
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("sbatch: %w", ErrNoSlurm)
	case errors.As(err, &exit):
		return "", fmt.Errorf("sbatch: %w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	case err != nil:
		return "", fmt.Errorf("sbatch: %w", err)
	}
	id, _, _ = strings.Cut(strings.TrimSpace(string(out)), ";") // the name of a cluster
	if n, err := strconv.Atoi(id); err != nil || n < 1 {
		return "", fmt.Errorf("sbatch printed %q (expected the number of a job)", out)
	}
	return id, nil
}
