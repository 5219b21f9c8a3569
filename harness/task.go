package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/host"
	"ocobench/harness/store"
	"ocobench/problems"
)

// A cell is a job of a host, which runs the code of algorithms and problems. A plan first
// has it do smaller tasks with some of its cells: start a learner, play an opening.

// task is what a host does with a cell.
type task string

const (
	taskStart       task = "start"        // start the learner if the problem meets its assumptions
	taskStartAnyway task = "start anyway" // start the learner
	taskSeed        task = "seed"         // does the problem draw random numbers?
	taskOpening     task = "opening"      // digest the opening
	taskRehearse    task = "rehearse"     // how long does it take?
	taskPlay        task = "play"         // compute the cell
)

var tasks = map[task]func(context.Context, *Cell) (*result, error){
	taskStart:       func(_ context.Context, c *Cell) (*result, error) { return c.start(false) },
	taskStartAnyway: func(_ context.Context, c *Cell) (*result, error) { return c.start(true) },
	taskSeed:        func(_ context.Context, c *Cell) (*result, error) { return c.seeded() },
	taskOpening: func(ctx context.Context, c *Cell) (*result, error) {
		return c.digestOpening(ctx)
	},
	taskRehearse: func(ctx context.Context, c *Cell) (*result, error) { return c.rehearse(ctx) },
	taskPlay:     func(ctx context.Context, c *Cell) (*result, error) { return c.play(ctx) },
}

// result is the result of a task.
type result struct {
	Columns []string `json:"columns,omitempty"` // of a cell
	Rows    numbers  `json:"rows,omitempty"`
	Stream  *started `json:"stream,omitempty"`
	Seeded  bool     `json:"seeded,omitempty"`
	Opening string   `json:"opening,omitempty"`
	Lack    string   `json:"lack,omitempty"`    // what the learner finds to lack in an opening
	Seconds float64  `json:"seconds,omitempty"` // of a round in a rehearsal
	Solve   float64  `json:"solve,omitempty"`   // seconds, of the solution at a checkpoint
	Bytes   int64    `json:"bytes,omitempty"`
}

// started is what a plan has to know of a stream.
type started struct {
	Adaptive      bool     `json:"adaptive,omitempty"`
	Deterministic bool     `json:"deterministic,omitempty"`
	Rounds        int      `json:"rounds,omitempty"`
	Columns       []string `json:"columns"`         // of its hindsight
	Unmet         []string `json:"unmet,omitempty"` // assumptions of the algorithm
	// Variables are the values of what expressions may name, at the horizon of the start.
	Variables map[string]float64 `json:"variables"`
	// Lack is what the learner has found to lack as it started.
	Lack string `json:"lack,omitempty"`
}

// run has the host of the cell do a task. An error may come with a result.
func (c *Cell) run(ctx context.Context, t task) (*result, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case c.broken != nil:
		return nil, c.broken
	}
	j := c.job(t)
	if c.host != nil {
		j.Limit = limit(c.host.Timeout, t)
	}
	if c.Contender != nil && c.Contender.Feedback == algorithms.Recorded {
		// Actions were read once, here, and playing them runs no code of others.
		return host.Run(ctx, nil, j)
	}
	return host.Run(ctx, c.host, j)
}

// job is a task without its time limit.
func (c *Cell) job(t task) host.Job[result] {
	var round atomic.Int64
	return host.Job[result]{
		Do: func(ctx context.Context) (*result, error) {
			return tasks[t](context.WithValue(ctx, roundKey{}, &round), c)
		},
		Place:   func() string { return place(&round, c.Horizon) },
		Request: func() any { return c.request(t) },
	}
}

// limit is the time limit of a task for this time limit of a cell; 0 is none. All starts
// and openings come before the first computation. Each may take a thirtieth of the time of
// a cell, or two minutes if that is more.
func limit(timeout time.Duration, t task) time.Duration {
	switch {
	case t == taskRehearse:
		return time.Second
	case t != taskPlay && timeout > 0:
		return min(timeout, max(2*time.Minute, timeout/30))
	}
	return timeout
}

// roundKey is the key of the context's counter of rounds.
type roundKey struct{}

// counterOf returns the counter that a game keeps for others to read.
func counterOf(ctx context.Context) *atomic.Int64 {
	if c, ok := ctx.Value(roundKey{}).(*atomic.Int64); ok {
		return c
	}
	return new(atomic.Int64)
}

// counted is the number of first rounds that a game counts one by one, and of
// rounds that it counts at once from then on: an atomic store takes 7 ns, and a
// fast round 100.
const counted = 64

// place says in which round a game is.
func place(round *atomic.Int64, horizon int) string {
	switch t := int(round.Load()); {
	case t == 0:
		return "before round 1"
	case t < counted || t == horizon:
		return fmt.Sprintf("round %d", t)
	default:
		return fmt.Sprintf("rounds %d to %d", t, min(t+counted-1, horizon))
	}
}

// Compute plays the cell. The error says which one it is.
func (c *Cell) Compute(ctx context.Context) (*store.Cell, error) {
	r, err := c.run(ctx, taskPlay)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return &store.Cell{Kind: c.Kind, Identity: c.Identity(), Provenance: Provenance(),
		Columns: r.Columns, Rows: r.Rows}, nil
}

// Begin starts the stream of a replicate and the learner, which is nil where nobody
// plays.
func (c *Cell) Begin(replicate int) (s problems.Stream, l algorithms.Learner, err error) {
	if s, err = c.Arena.Stream(c.Seed, replicate); err != nil {
		return s, nil, err
	}
	if err := affordSolvers(c.Kind, s); err != nil {
		Close(s)
		return nil, nil, err
	}
	if c.Contender == nil {
		return s, nil, nil
	}
	if l, err = c.Contender.Learner(s, c.Seed, replicate, c.Horizon); err != nil {
		Close(s)
	}
	return s, l, err
}

// play is what [Cell.Compute] has a host do.
func (c *Cell) play(ctx context.Context) (*result, error) {
	stream, learner, err := c.Begin(c.Replicate)
	if err != nil {
		return nil, err
	}
	o := c.observer(stream, learner, c.checkpoints())
	err = Play(ctx, learner, stream, c.Horizon, o)
	columns, rows := o.kept()
	return &result{Columns: columns, Rows: rows}, err
}

// keeper is an observer that keeps the rows of a cell.
type keeper interface {
	Observer
	kept() (columns []string, rows [][]float64)
}

func (rec *recorder) kept() ([]string, [][]float64) { return traceColumns(rec.metrics), rec.rows }

func (m *movingRecorder) kept() ([]string, [][]float64) { return movingColumns, m.rows }

func (h *hindsightRecorder) kept() ([]string, [][]float64) { return h.columns, h.rows }

// observer is the observer of a cell with rows at these checkpoints.
func (c *Cell) observer(s problems.Stream, l algorithms.Learner, at []int) keeper {
	switch c.Kind {
	case store.Hindsight:
		return newHindsightRecorder(s, at)
	case store.Moving:
		return &movingRecorder{Moving: NewMoving(s), checkpoints: checkpoints{at}}
	}
	return newRecorder(l, s.Set().Dim(), s.Constraints(), at, c.Asked...)
}

// start starts the stream, and its learner if the stream meets the assumptions
// or anyway. A result with an error means that only the learner did not start.
func (c *Cell) start(anyway bool) (*result, error) {
	stream, err := c.Arena.Stream(c.Seed, c.Replicate)
	if err != nil {
		return nil, err
	}
	defer Close(stream)
	// The cells of the experiment are a game and a hindsight.
	if err := affordSolvers(store.Hindsight, stream); err != nil {
		return nil, fmt.Errorf("problem %s: %w", c.Arena.Spec, err)
	}
	facts, setup := stream.Facts(), setupOf(stream)
	setup.Horizon = c.Horizon
	s := &started{facts.Adaptive, facts.Deterministic, facts.Rounds,
		hindsightColumns(setsOf(stream), stream.Set().Dim()), c.Contender.Unmet(facts),
		variables(setup), ""}
	// What an expression has no value for is said by the plan, which binds it at all horizons.
	if _, unbound := c.Contender.Bind(s.Variables); unbound == nil && (len(s.Unmet) == 0 || anyway) {
		var learner algorithms.Learner
		learner, err = c.Contender.Learner(stream, c.Seed, c.Replicate, c.Horizon)
		if err == nil {
			err = c.inspect(learner, stream)
		}
		Close(learner)
		s.Lack = lackOf(err)
	}
	return &result{Stream: s}, err
}

// lackOf is what the problem of a learner lacks by its error, or "".
func lackOf(err error) string {
	var lack *algorithms.LackError
	if errors.As(err, &lack) {
		return lack.What
	}
	return ""
}

// inspect shows the first round to a learner that assumes something of it. A learner or a stream
// that panics fails in its games.
func (c *Cell) inspect(l algorithms.Learner, s problems.Stream) (err error) {
	i, ok := l.(algorithms.Inspector)
	if !ok {
		return nil
	}
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	x := make([]float64, s.Set().Dim())
	i.Act(x)
	if err = i.Inspect(*s.Reveal(1, x)); err != nil {
		err = fmt.Errorf("algorithm %s: %w", c.Contender.Spec, err)
	}
	return err
}

// seeded reports whether the problem draws a random number at its start or in its
// first rounds. One of another program is given a seed, and says itself whether it
// draws.
func (c *Cell) seeded() (*result, error) {
	draws := &tally{Source: source(c.Seed, c.Arena.Name, c.Replicate, "stream")}
	s, err := c.Arena.start(rand.New(draws))
	if err != nil {
		return nil, err
	}
	defer Close(s)
	e, err := NewEnvironment(s, min(100, c.Horizon))
	if err != nil {
		return nil, err
	}
	x := make([]float64, s.Set().Dim())
	s.Set().Project(x, x)
	for e.Played() < e.horizon {
		if _, err := e.Step(x); err != nil {
			return nil, &host.CrashError{Reason: err.Error()}
		}
	}
	return &result{Seeded: draws.n > 0 && !s.Facts().Deterministic}, nil
}
