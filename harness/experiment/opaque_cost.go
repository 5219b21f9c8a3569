package experiment

import (
	"context"
	"math"
	"time"

	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
)

// sampleOpaque measures the cost of the hindsight of an opaque stream, whose functions are known by
// values and subgradients alone. A solution at a checkpoint takes several passes, each of which
// evaluates all rounds so far at one action. It measures the number of passes, the seconds of a
// pass for each round (the slope), and what is computed between passes. For a stream that is not
// opaque it measures nothing, and opaque is false.
//
// It plays one or two games. A short one of CostFirstRounds gives a first cost. If a longer one of
// up to costSampleRounds fits into costSampleTime, its numbers take their place:
//
//   - all numbers, if there is time for solutions at its last checkpoints, too: late solutions take
//     more passes than early ones;
//   - otherwise all but Solve and the number of passes, which remain those of the short game.
func (c *Cell) sampleOpaque(ctx context.Context) (cost *Cost, opaque bool, err error) {
	at := []int{1, 4, CostFirstRounds} // a few checkpoints, spaced like those of a game
	if c.Horizon < CostFirstRounds {
		at = []int{c.Horizon}
	}
	timed, opaque, err := c.timeOpaque(ctx, at[len(at)-1], at)
	if !opaque || err != nil {
		return nil, opaque, err
	}
	cost = timed.cost(len(at))
	longer := min(c.Horizon, costSampleRounds)
	rounds := float64(longer)
	isShort := func(seconds float64) bool { return seconds <= costSampleTime.Seconds() }
	// The slope is timed with passProbes passes over all rounds, and shorter ones.
	playing := float64((timed.roundSeconds + float64(2*passProbes*timed.slope)) * rounds)
	if longer <= CostFirstRounds || !isShort(playing) {
		return cost, true, nil
	}
	solving := cost.Solve + float64(cost.Pass*rounds) // seconds for a solution at the end
	solutions := len(at)
	for solutions > 0 && !isShort(playing+float64(float64(solutions)*solving)) {
		solutions--
	}
	if solutions < len(at) && c.Horizon > longer { // too few to extrapolate from
		solutions = 0
	}
	if solutions == 0 {
		passes := timed.passes / float64(len(at))
		if timed, _, err = c.timeOpaque(ctx, longer, nil); err != nil {
			return nil, true, err
		}
		cost.Seconds, cost.Pass, cost.Bytes = timed.roundSeconds, timed.slope*passes, timed.bytes
		return cost, true, nil
	}
	last := game.Checkpoints(longer)
	if timed, _, err = c.timeOpaque(ctx, longer, last[len(last)-solutions:]); err != nil {
		return nil, true, err
	}
	return timed.cost(solutions), true, nil
}

// cost returns the cost that was measured over the rounds and the hindsight at so many checkpoints.
// A solution takes the time of its passes, and Solve for all else.
func (o *timedOpaque) cost(checkpoints int) *Cost {
	count := float64(checkpoints)
	return &Cost{Seconds: o.roundSeconds, Pass: o.slope * o.passes / count,
		Solve: max(0, o.solveSeconds-float64(o.slope*o.passedRounds)) / count, Bytes: o.bytes}
}

// timeOpaque plays so many rounds, with the hindsight at some checkpoints, if there are any, and
// measures passes over one round and over all of them at the end.
func (c *Cell) timeOpaque(ctx context.Context, rounds int, at []int) (t *timedOpaque, opaque bool,
	err error) {
	before := game.Heap()
	stream, learner, err := c.Begin(c.Replicate)
	if err != nil {
		return nil, false, err
	}
	e, opaque := stream.(problems.Evaluator)
	if !opaque {
		return nil, false, game.Close(stream)
	}
	t = &timedOpaque{Evaluator: e, last: rounds}
	if at != nil {
		t.hindsight = c.newRecorder(t, learner, at)
	}
	seconds, bytes, err := game.MeasureCost(ctx, learner, stream, rounds, c.Horizon, before, t)
	t.roundSeconds, t.bytes = max(0, seconds-t.solveSeconds-t.probeSeconds)/float64(rounds), bytes
	return t, true, err
}

// timedOpaque observes the rounds of an opaque stream, and is what its hindsight evaluates.
type timedOpaque struct {
	problems.Evaluator
	hindsight game.Observer // or nil
	last      int           // the last round

	passes       float64 // the number of passes that the hindsight made
	passedRounds float64 // the number of rounds in all these passes
	solveSeconds float64 // of the hindsight
	probeSeconds float64 // of the passes that were timed at the end
	slope        float64 // the seconds of a pass for each of its rounds
	roundSeconds float64 // of a round, without the hindsight
	bytes        int64   // that the cell is expected to need at its horizon
}

// Round implements [game.Observer].
func (o *timedOpaque) Round(t int, x []float64, r *convex.Round) error {
	if o.hindsight != nil {
		began := time.Now()
		if err := o.hindsight.Round(t, x, r); err != nil {
			return err
		}
		o.solveSeconds += time.Since(began).Seconds()
	}
	if t < o.last {
		return nil
	}
	began := time.Now()
	point := make([]float64, o.Set().Dim())
	o.Set().Project(point, point)
	one, err := o.timePass(1, point)
	if err != nil {
		return err
	}
	all, err := o.timePass(t, point)
	if err != nil {
		return err
	}
	// The constant part of a pass cancels in the difference.
	o.slope = max(0, all-one) / float64(max(1, t-1))
	o.probeSeconds = time.Since(began).Seconds()
	return nil
}

// passProbes is the number of times that a pass is timed. The first pass is slower, since it also
// makes checks.
const passProbes = 4

// timePass returns the seconds of a pass over so many rounds at x: the least of several times,
// since other work can only lengthen one.
func (o *timedOpaque) timePass(rounds int, x []float64) (seconds float64, err error) {
	seconds = math.Inf(1)
	for range passProbes {
		began := time.Now()
		if _, _, err := o.Evaluator.Evaluate([]int{rounds}, nil, x); err != nil {
			return 0, err
		}
		seconds = min(seconds, time.Since(began).Seconds())
	}
	return seconds, nil
}

// Evaluate implements [problems.Evaluator].
func (o *timedOpaque) Evaluate(rounds, single []int, x []float64) ([]problems.Sums,
	[][]problems.Oracle, error) {
	if len(rounds) > 0 {
		o.passes++
		o.passedRounds += float64(rounds[len(rounds)-1])
	}
	return o.Evaluator.Evaluate(rounds, single, x)
}
