package run

import (
	"context"
	"fmt"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
)

// A cell is a job of a host, which runs the code of algorithms and problems. A plan first
// has it do smaller tasks with some of its cells: start a learner, play an opening.

// task names what a host does with a cell.
type task string

const (
	taskStart       task = "start"        // start the learner if the problem meets its assumptions
	taskStartAnyway task = "start anyway" // start the learner whatever it assumes
	taskSeed        task = "seed"         // find out whether the problem draws random numbers
	taskOpening     task = "opening"      // digest the opening
	taskCost        task = "cost"         // measure how long the first rounds take
	taskPlay        task = "play"         // compute the cell
)

// doTask does a task with a cell in this goroutine. An error may come with a result.
func doTask(ctx context.Context, t task, c *experiment.Cell) (r taskResult, err error) {
	switch t {
	case taskStart, taskStartAnyway:
		r.Started, err = c.Start(t == taskStartAnyway)
	case taskSeed:
		r.Seeded, err = c.Seeded()
	case taskOpening:
		r.Opening, r.Lack = c.DigestOpening(ctx)
	case taskCost:
		r.Cost, err = c.SampleCost(ctx)
	case taskPlay:
		r.Columns, r.Rows, err = c.Play(ctx)
	default:
		err = fmt.Errorf("there is no task %q", t)
	}
	return r, err
}

// taskResult holds the result of a task; which members it has depends on the task.
type taskResult struct {
	Columns []string            `json:"columns,omitempty"` // of a cell
	Rows    exactRows           `json:"rows,omitempty"`
	Started *experiment.Started `json:"started,omitempty"`
	Seeded  bool                `json:"seeded,omitempty"`
	Opening string              `json:"opening,omitempty"`
	Lack    string              `json:"lack,omitempty"` // what the learner finds to lack in an opening
	Cost    *experiment.Cost    `json:"cost,omitempty"`
}

// runTask has a host do a task with a cell. An error may come with a result.
func runTask(ctx context.Context, h *process.Host, c *experiment.Cell, t task) (*taskResult,
	error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case c.Broken != nil:
		return nil, c.Broken
	}
	j := jobOf(c, t)
	if h != nil {
		j.Limit = taskLimit(h.Timeout, t)
	}
	if c.Algorithm != nil && c.Algorithm.Feedback == algorithms.Recorded {
		// Actions were read once, here, and playing them runs no code of others.
		return process.Run(ctx, nil, j)
	}
	return process.Run(ctx, h, j)
}

// jobOf returns a task without its time limit.
func jobOf(c *experiment.Cell, t task) process.Job[taskResult] {
	var counter game.Counter
	return process.Job[taskResult]{
		Do: func(ctx context.Context) (*taskResult, error) {
			r, err := doTask(game.WithCounter(ctx, &counter), t, c)
			return &r, err
		},
		Place:   func() string { return counter.Place(c.Horizon) },
		Request: func() any { return requestOf(c, t) },
	}
}

// costTimeLimit is how long the measurement of a cost may take.
const costTimeLimit = time.Second

// taskLimit returns the time limit of a task, given the time limit of a cell; 0 is none. Starts and
// openings come one after the other before the first computation, so that each may take only a
// thirtieth of the time of a cell, or two minutes if that is more.
func taskLimit(timeout time.Duration, t task) time.Duration {
	switch {
	case t == taskCost:
		return costTimeLimit
	case t != taskPlay:
		return min(timeout, max(2*time.Minute, timeout/30))
	}
	return timeout
}

// starter has a host start learners and play openings; see [experiment.Starter].
type starter struct{ host *process.Host }

// Start implements [experiment.Starter].
func (s starter) Start(ctx context.Context, c *experiment.Cell, anyway bool) (*experiment.Started,
	error) {
	t := taskStart
	if anyway {
		t = taskStartAnyway
	}
	r, err := runTask(ctx, s.host, c, t)
	if r == nil {
		return nil, err
	}
	return r.Started, err
}

// Opening implements [experiment.Starter].
func (s starter) Opening(ctx context.Context, c *experiment.Cell) (digest, lack string, err error) {
	r, err := runTask(ctx, s.host, c, taskOpening)
	if err != nil {
		return "", "", err
	}
	return r.Opening, r.Lack, nil
}

// NewPlan resolves an experiment, whose learners start in this process and without a time limit.
func NewPlan(c experiment.Catalog, e *spec.Experiment) (*experiment.Plan, error) {
	return NewPlanOn(context.Background(), nil, c, e)
}

// NewPlanOn resolves an experiment, whose learners the host starts, or this process if the host
// is nil. See [experiment.Catalog.Plan] for the errors.
func NewPlanOn(ctx context.Context, h *process.Host, c experiment.Catalog,
	e *spec.Experiment) (*experiment.Plan, error) {
	return c.Plan(ctx, starter{h}, e)
}

// Replan plans a recorded experiment again, see [experiment.Record.Replan].
func Replan(ctx context.Context, h *process.Host, c experiment.Catalog,
	r experiment.Record) (p *experiment.Plan, keys []store.Key,
	gone int, err error) {
	return r.Replan(ctx, starter{h}, c)
}

// Compute has a host play a cell. The error says which one it is.
func Compute(ctx context.Context, h *process.Host, c *experiment.Cell) (*store.Cell, error) {
	r, err := runTask(ctx, h, c, taskPlay)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return &store.Cell{Kind: c.Kind, Identity: c.Identity(), Provenance: store.CurrentProvenance(),
		Columns: r.Columns, Rows: r.Rows}, nil
}
