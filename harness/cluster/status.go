package cluster

import (
	"context"
	"errors"
	"fmt"

	"ocobench/harness/experiment"
	"ocobench/harness/store"
)

// A Status says how far an experiment is. Done, Failed, Running, Waiting and Missing add up
// to Cells.
type Status struct {
	Experiment string `json:"experiment"`
	Cells      int    `json:"cells"`
	Done       int    `json:"done"`    // in the store, damaged or not
	Failed     int    `json:"failed"`  // tried, and not in a task that runs or waits
	Running    int    `json:"running"` // left to tasks that run
	Waiting    int    `json:"waiting"` // left to tasks that wait
	Missing    int    `json:"missing"` // the others
	// Tasks are those of the array that have not ended.
	Tasks struct {
		Running int `json:"running"`
		Waiting int `json:"waiting"`
	} `json:"tasks"`
	// Collecting says that the collecting job runs or waits.
	Collecting bool `json:"collecting"`
	// ComputeSeconds estimates the time left to the tasks if one processor did all.
	// SecondsLeft estimates it for the tasks that run now, and is 0 if there are none.
	ComputeSeconds float64 `json:"compute_seconds,omitempty"`
	SecondsLeft    float64 `json:"seconds_left,omitempty"`
	// Failures are why cells failed, in the order of the experiment.
	Failures []string `json:"failures,omitempty"`
}

// Look finds the status of a recorded experiment, from the store and, for a submission, from
// Slurm. The submission j may be nil. Where the commands of Slurm are missing the error is
// [ErrNoSlurm], and the status is what the store says.
func Look(ctx context.Context, s *store.Store, r experiment.Record, j *Job) (Status, error) {
	st := Status{Experiment: r.Name}
	var queue Queue
	var asked error
	var a *Array
	attempt := 0
	if j != nil {
		var err error
		if a, attempt, err = j.Last(); err != nil {
			return st, err
		}
	}
	if a != nil {
		queue, asked = a.Queue(ctx)
		if asked != nil && !errors.Is(asked, ErrNoSlurm) {
			return st, asked
		}
	}
	st.Tasks.Running, st.Tasks.Waiting, st.Collecting = len(queue.Running), len(queue.Waiting),
		queue.Collecting
	running, err := cellsOf(j, attempt, queue.Running)
	if err != nil {
		return st, err
	}
	waiting, err := cellsOf(j, attempt, queue.Waiting)
	if err != nil {
		return st, err
	}
	seen := make(map[store.Key]bool)
	for _, c := range r.Cells {
		if seen[c.Key] {
			continue
		}
		seen[c.Key] = true
		st.Cells++
		if s.Has(c.Key) {
			st.Done++
			continue
		}
		_, runs := running[c.Key]
		_, waits := waiting[c.Key]
		failure, err := s.Failure(c.Key)
		switch {
		case runs:
			st.Running++
			st.ComputeSeconds += running[c.Key]
		case waits:
			st.Waiting++
			st.ComputeSeconds += waiting[c.Key]
		case err == nil:
			st.Failed++
			st.Failures = append(st.Failures, failure.Reason)
		default:
			st.Missing++
		}
	}
	if st.ComputeSeconds > 0 {
		slowness, err := j.Slowness(attempt)
		if err != nil {
			return st, err
		}
		st.ComputeSeconds *= slowness
		if n := len(queue.Running) * j.Slurm.CPUs; n > 0 {
			st.SecondsLeft = st.ComputeSeconds / float64(n)
		}
	}
	return st, asked
}

// Idle returns an error as long as Slurm has jobs of the last submission in a folder of
// [Dir]. The error names the experiment.
func Idle(ctx context.Context, dir, name string) error {
	job, err := Latest(dir)
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
		return fmt.Errorf("%s is being computed already, by the jobs %s and %s: see bench status %s; "+
			"to submit it anew, end them: scancel %s %s",
			name, a.ID, a.Collect, name, a.ID, a.Collect)
	}
	return nil
}

// cellsOf are the cells of tasks of an array.
func cellsOf(j *Job, attempt int, tasks []int) (Task, error) {
	all := make(Task)
	for _, k := range tasks {
		t, err := j.Task(attempt, k)
		if err != nil {
			return nil, err
		}
		for key, cost := range t {
			all[key] = cost
		}
	}
	return all, nil
}
