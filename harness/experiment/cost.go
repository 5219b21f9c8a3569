package experiment

import (
	"context"
	"math"
	"slices"
	"time"

	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/harness/store"
	"ocobench/problems"
)

// The cost of a cell is measured over its first rounds. The solutions of a hindsight at its
// checkpoints are measured apart from the rounds, since a longer game has fewer of them for each
// round. A solution of opaque rounds takes several passes, each of which evaluates all rounds so
// far at one action: its cost grows with the rounds, and is the number of passes times what a pass
// takes for each round.

// Cost holds the estimated cost of a cell, measured over its first rounds.
type Cost struct {
	Seconds float64 `json:"seconds,omitempty"` // for a round
	Solve   float64 `json:"solve,omitempty"`   // seconds for the solution at a checkpoint
	// Pass is the part of a solution at a checkpoint of opaque rounds that grows with the rounds so
	// far: seconds for each of them.
	Pass  float64 `json:"pass,omitempty"`
	Bytes int64   `json:"bytes,omitempty"` // of memory, at the horizon
}

// At returns the estimated seconds of the cell at a horizon.
func (c *Cost) At(horizon int) float64 {
	at, passed := game.Checkpoints(horizon), 0.0
	for _, t := range at { // a solution at checkpoint t passes over t rounds
		passed += float64(t)
	}
	return float64(c.Seconds*float64(horizon)) + float64(c.Solve*float64(len(at))) +
		float64(c.Pass*passed)
}

// The cost of a cell is measured over at most costSampleRounds rounds. Games, and hindsights with
// another program, begin with CostFirstRounds, and more follow while the next are expected to end
// within costSampleTime.
const (
	costSampleRounds = 512
	CostFirstRounds  = 16
	costSampleTime   = 400 * time.Millisecond
)

// SampleCost plays the first rounds of the cell and measures its cost. Where fewer than 512 rounds
// are played of a longer game, they say nothing of memory: Bytes is then 0.
func (c *Cell) SampleCost(ctx context.Context) (*Cost, error) {
	maxRounds := min(costSampleRounds, c.Horizon)
	rounds := maxRounds
	if c.Kind == store.Game || c.Kind == store.Hindsight && c.Problem.isExternal() {
		rounds = min(CostFirstRounds, maxRounds)
	}
	for {
		cost, err := c.sampleRounds(ctx, rounds)
		if err != nil || rounds == maxRounds {
			return cost, err
		}
		next := min(6*rounds, maxRounds) // 16, 96, 512
		solution := cost.Solve + float64(cost.Pass*float64(next))
		expected := float64(cost.Seconds*float64(next)) + float64(opaqueSolutions*solution)
		if expected > costSampleTime.Seconds() {
			cost.Bytes = 0
			return cost, nil
		}
		rounds = next
	}
}

// sampleRounds measures the cost of the cell over so many rounds.
func (c *Cell) sampleRounds(ctx context.Context, rounds int) (*Cost, error) {
	before := game.Heap()
	stream, learner, err := c.Begin(c.Replicate)
	if err != nil {
		return nil, err
	}
	at := game.Checkpoints(rounds)
	if c.Kind != store.Hindsight {
		seconds, bytes, err := game.MeasureCost(ctx, learner, stream, rounds, c.Horizon, before,
			c.newRecorder(stream, learner, at))
		return &Cost{Seconds: seconds / float64(rounds), Bytes: bytes}, err
	}
	h := &timedHindsight{at: at}
	if e, opaque := stream.(problems.Evaluator); opaque {
		h.at = at[max(0, len(at)-opaqueSolutions):]
		h.opaque = &countedPasses{Evaluator: e}
		h.Recorder = c.newRecorder(h.opaque, learner, h.at)
	} else {
		h.Recorder = c.newRecorder(stream, learner, at)
	}
	seconds, bytes, err := game.MeasureCost(ctx, learner, stream, rounds, c.Horizon, before, h)
	solutions := float64(len(h.at))
	cost := &Cost{Seconds: max(0, seconds-h.solving-h.probing) / float64(rounds),
		Solve: h.solving / solutions, Bytes: bytes}
	if o := h.opaque; o != nil {
		cost.Pass = h.perRound * o.passes / solutions
		cost.Solve = max(0, h.solving-float64(h.perRound*o.rounds)) / solutions
	}
	return cost, err
}

// opaqueSolutions is the number of the last checkpoints at which a hindsight of opaque rounds is
// solved to measure its cost.
const opaqueSolutions = 3

// timedHindsight times the solutions of a hindsight at its checkpoints.
type timedHindsight struct {
	game.Recorder
	at      []int          // the checkpoints
	opaque  *countedPasses // of opaque rounds; otherwise nil
	solving float64        // the seconds of the solutions
	// Of opaque rounds, whose passes are timed after the last solution: the seconds of a pass for each
	// of its rounds, and the seconds that this took.
	perRound, probing float64
}

// Round implements [game.Observer].
func (h *timedHindsight) Round(t int, x []float64, r *convex.Round) error {
	began := time.Now()
	if err := h.Recorder.Round(t, x, r); err != nil || !slices.Contains(h.at, t) {
		return err
	}
	h.solving += time.Since(began).Seconds()
	if h.opaque == nil || t < h.at[len(h.at)-1] {
		return nil
	}
	began = time.Now()
	one, err := h.opaque.timePass(1)
	if err != nil {
		return err
	}
	all, err := h.opaque.timePass(t)
	// The constant part of a pass cancels in the difference.
	h.perRound = max(0, all-one) / float64(max(1, t-1))
	h.probing = time.Since(began).Seconds()
	return err
}

// countedPasses is an opaque stream that counts the passes over its rounds.
type countedPasses struct {
	problems.Evaluator
	passes float64
	rounds float64 // in all these passes
}

// Evaluate implements [problems.Evaluator].
func (o *countedPasses) Evaluate(rounds, single []int, x []float64) ([]problems.Sums,
	[][]problems.Oracle, error) {
	if len(rounds) > 0 {
		o.passes++
		o.rounds += float64(rounds[len(rounds)-1])
	}
	return o.Evaluator.Evaluate(rounds, single, x)
}

// timePass returns the seconds of a pass over so many rounds: the least of several times, since
// other work can only lengthen one, and the first one also makes checks.
func (o *countedPasses) timePass(rounds int) (seconds float64, err error) {
	x := make([]float64, o.Set().Dim())
	o.Set().Project(x, x)
	seconds = math.Inf(1)
	const times = 4
	for range times {
		began := time.Now()
		if _, _, err := o.Evaluator.Evaluate([]int{rounds}, nil, x); err != nil {
			return 0, err
		}
		seconds = min(seconds, time.Since(began).Seconds())
	}
	return seconds, nil
}
