// Package cluster computes an experiment as job arrays of Slurm.
//
// [Submit] fixes what is to be computed: it copies the program and the experiment into a
// folder, distributes the missing cells over the tasks of a job array so that each takes
// minutes, writes the keys of the cells of each task into a file, and submits the array and
// a job that collects, which begins when all tasks have ended, with success or not. The
// collecting job submits the cells that are then missing again. When none is missing, or
// after the last attempt, it makes tables, figures and the page.
//
// Nothing is lost, because the store alone says what is done. A task that is killed leaves
// the cells that it has finished. It makes no difference whether Slurm starts the task
// again or the collecting job distributes the rest. Tasks never overlap, since their files
// are written once; two submissions of one experiment share cells through the locks of the
// store.
//
// # On disk
//
// The folder of an experiment, OUT/NAME/slurm, has
//
//	program-0a1b2c3d4e5f/bench
//	                    the program, in a folder that is named by its digest
//	1/job.json          the first submission: a [Job]
//	1/experiment.yaml   the experiment, with the flags that change it
//	1/run.sh            what all its jobs run: the program with the arguments given
//	1/1.json            its first array: an [Array]
//	1/1-7.cells         the cells of task 7 of the first array, with their costs in seconds
//	1/1-7.json          what the task says of its end: a [Report]
//	1/1-7.log, 1/1.log  what task 7 and the collecting job print
//	1/2.json, …         the second array, with what the first one has left
package cluster

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
	"ocobench/internal/file"
	"ocobench/internal/input"
)

// A Job is a submission of an experiment: all that its arrays have in common.
type Job struct {
	Experiment string `json:"experiment"` // its name
	Plan       string `json:"plan"`       // [experiment.Plan.Digest]
	Program    string `json:"program"`    // the copy
	// Arguments are the flags of the program in tasks and in the collecting job.
	Arguments []string `json:"arguments"`
	// Directory is where the jobs run, and what relative paths in the experiment and in
	// commands are relative to.
	Directory string `json:"directory"`
	Slurm     Slurm  `json:"slurm"`
	Attempts  int    `json:"attempts"` // arrays at most
	// ArraySize is the number of tasks of the first array, and the largest of the others; 0
	// lets the costs decide.
	ArraySize int `json:"array_size,omitempty"`

	dir string
}

// An Array is a job array that was submitted, and the job that collects.
type Array struct {
	ID      string `json:"id"`
	Collect string `json:"collect"`
	Tasks   int    `json:"tasks"`
	Cells   int    `json:"cells"`
	// Seconds are about what the cells take on one processor.
	Seconds float64 `json:"seconds"`
}

// A Report is what a task says at its end. A task that was killed has none.
type Report struct {
	Host     string  `json:"host"`
	Computed int     `json:"computed"` // cells
	Found    int     `json:"found"`    // of other tasks
	Failed   int     `json:"failed"`
	Foreseen float64 `json:"foreseen"` // cost of the computed cells, in seconds of a processor
	Took     float64 `json:"took"`     // seconds of all workers
}

// A Task is the cells of a task, with their costs in seconds.
type Task map[store.Key]float64

// Keys are the keys of the cells.
func (t Task) Keys() map[store.Key]bool {
	keys := make(map[store.Key]bool, len(t))
	for k := range t {
		keys[k] = true
	}
	return keys
}

const (
	jobName        = "job.json"
	experimentName = "experiment.yaml"
	scriptName     = "run.sh"
	// Collecting is the verb of the collecting job, and Computing that of tasks.
	Collecting, Computing = "slurm-collect", "slurm-task"
)

// Dir returns the folder of the submissions of an experiment, below that of its files.
func Dir(files string) string { return filepath.Join(files, "slurm") }

// Latest opens the last submission in a folder of [Dir]. It returns nil if there is none.
func Latest(dir string) (*Job, error) {
	n, err := last(dir)
	if err != nil || n == 0 {
		return nil, err
	}
	return Open(filepath.Join(dir, strconv.Itoa(n)))
}

// last returns the number of the last submission in a folder that was submitted, 0 for none.
func last(dir string) (n int, err error) {
	names, err := filepath.Glob(filepath.Join(glob(dir), "*", jobName))
	for _, name := range names {
		if k, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			n = max(n, k)
		}
	}
	return n, err
}

// glob is a pattern that matches a path and nothing else.
func glob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// Open reads the submission in dir.
func Open(dir string) (*Job, error) {
	j := &Job{dir: dir}
	return j, readJSON(filepath.Join(dir, jobName), j)
}

// Dir returns the folder of the submission.
func (j *Job) Dir() string { return j.dir }

// Parse reads the experiment that was submitted.
func (j *Job) Parse() (*spec.Experiment, error) {
	return spec.Load(filepath.Join(j.dir, experimentName))
}

// Check is an error if a plan is not that of the submission.
func (j *Job) Check(p *experiment.Plan) error {
	if p.Digest() == j.Plan {
		return nil
	}
	return fmt.Errorf("experiment %s has other cells than when it was submitted: a file that it "+
		"reads, a program of --external, or something in %s has changed; nothing is computed; submit "+
		"it again", j.Experiment, filepath.Dir(j.dir))
}

// Create writes a new submission into a folder of [Dir]: all but its arrays.
func (j *Job) Create(dir string, x *spec.Experiment) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var err error
	if j.Program, err = copyProgram(dir); err != nil {
		return fmt.Errorf("the copy of the program: %w", err)
	}
	n, err := last(dir)
	for err == nil { // another one may be faster
		n++
		j.dir = filepath.Join(dir, strconv.Itoa(n))
		if err = os.Mkdir(j.dir, 0o777); err == nil {
			break
		} else if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err != nil {
		return err
	}
	if err := file.Write(filepath.Join(j.dir, experimentName),
		file.Bytes([]byte(x.YAML()))); err != nil {
		return err
	}
	if err := file.Write(filepath.Join(j.dir, scriptName),
		file.Bytes([]byte(j.Script()))); err != nil {
		return err
	}
	return writeJSON(filepath.Join(j.dir, jobName), j)
}

// Script is the batch script of all jobs.
func (j *Job) Script() string {
	return "#!/bin/sh\nexec " + shellquote.Join(j.Program) + ` "$@"` + "\n"
}

// copyProgram copies the running program into a folder that is named by the digest of its
// content. The original does not last: the go command removes it, or a build replaces it.
func copyProgram(dir string) (path string, err error) {
	path = "/proc/self/exe" // also if another program has its name by now
	if runtime.GOOS != "linux" {
		if path, err = os.Executable(); err != nil {
			return "", err
		}
	}
	program, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer program.Close()
	digest, err := digestOf(program)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "program-"+digest[:12], "bench")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	if there, err := file.Open(path); err == nil {
		old, err := digestOf(there)
		there.Close()
		if err == nil && old == digest {
			return path, os.Chmod(path, 0o755)
		}
	}
	if err := file.Write(path, func(w io.Writer) error {
		if _, err := program.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := io.Copy(w, program)
		return err
	}); err != nil {
		return "", err
	}
	return path, os.Chmod(path, 0o755)
}

// digestOf returns the digest of what is left of a file to read.
func digestOf(f *os.File) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

// Began is when the submission was written, by the clock of the file system.
func (j *Job) Began() (time.Time, error) {
	info, err := os.Stat(filepath.Join(j.dir, jobName))
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// Todo returns the cells of a plan that the store does not have: those that failed since
// the given time, and the others, which are to be computed.
func Todo(p *experiment.Plan, s *store.Store, since time.Time) (todo []*experiment.Cell,
	failed []run.Failure) {
	for _, c := range p.Cells {
		if s.Has(c.Key) {
			continue
		}
		if f, err := s.Failure(c.Key); err == nil && f.At.After(since) {
			failed = append(failed, run.Failure{Cell: c, Err: errors.New(f.Reason)})
		} else {
			todo = append(todo, c)
		}
	}
	return todo, failed
}

// Costs returns about how many seconds each of the cells takes on one processor, how many
// all of them take, and how many bytes the largest needs.
func Costs(ctx context.Context, h *process.Host, cells []*experiment.Cell) (each []float64,
	all float64, memory int64) {
	each, memory = run.Costs(ctx, h, cells, 20*time.Second)
	for i := range each {
		each[i] += 0.01 // to start it, and to have it on disk
		all += each[i]
	}
	return each, all, memory
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return file.Write(path, file.Bytes(append(data, '\n')))
}

func readJSON(path string, v any) error {
	f, err := file.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	if err := input.JSON(data, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// part is the name, without its ending, of the files of a task of an array.
func (j *Job) part(attempt, task int) string {
	return filepath.Join(j.dir, fmt.Sprintf("%d-%d", attempt, task))
}

// Task reads the cells of a task, counted from 1.
func (j *Job) Task(attempt, task int) (Task, error) {
	path := j.part(attempt, task) + ".cells"
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := make(Task)
	for lines := bufio.NewScanner(f); ; {
		if !lines.Scan() {
			return t, lines.Err()
		}
		key, cost, _ := strings.Cut(lines.Text(), " ")
		if t[store.Key(key)], err = strconv.ParseFloat(cost, 64); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
}

// writeTask writes the cells of a task.
func (j *Job) writeTask(attempt, task int, cells []*experiment.Cell, costs []float64) error {
	var text []byte
	for i, c := range cells {
		text = fmt.Appendf(text, "%s %.6g\n", c.Key, costs[i])
	}
	return file.Write(j.part(attempt, task)+".cells", file.Bytes(text))
}

// WriteReport writes what a task says at its end.
func (j *Job) WriteReport(attempt, task int, r Report) error {
	return writeJSON(j.part(attempt, task)+".json", r)
}

// reports reads what the tasks of an array say.
func (j *Job) reports(attempt int, a Array) (all []Report, err error) {
	for task := 1; task <= a.Tasks; task++ {
		var r Report
		switch err := readJSON(j.part(attempt, task)+".json", &r); {
		case err == nil:
			all = append(all, r)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
	}
	return all, nil
}

// Array reads an array of the submission, counted from 1. It returns nil if there is none.
func (j *Job) Array(attempt int) (*Array, error) {
	a := new(Array)
	err := readJSON(filepath.Join(j.dir, strconv.Itoa(attempt)+".json"), a)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return a, err
}

// Last returns the last array of the submission, and its number, 0 for none.
func (j *Job) Last() (a *Array, attempt int, err error) {
	for {
		next, err := j.Array(attempt + 1)
		if err != nil || next == nil {
			return a, attempt, err
		}
		a, attempt = next, attempt+1
	}
}

// Slowness is the time that the tasks of an array took over the time that was foreseen, or
// 1 as long as no task has ended.
func (j *Job) Slowness(attempt int) (float64, error) {
	a, err := j.Array(attempt)
	if err != nil || a == nil {
		return 1, err
	}
	all, err := j.reports(attempt, *a)
	var foreseen, took float64
	for _, r := range all {
		foreseen, took = foreseen+r.Foreseen, took+r.Took
	}
	if foreseen <= 0 || took <= 0 {
		return 1, err
	}
	return took / foreseen, err
}
