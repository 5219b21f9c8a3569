package experiment

import (
	"context"
	"math"
	"time"

	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
)

// sampleOpaque measures the cost of the hindsight of an opaque stream: how many passes over the
// rounds a checkpoint takes, what is computed between them, and how long a pass over more rounds
// takes. For a stream that is not opaque it measures nothing, and opaque is false.
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
	// A second, longer measurement gives the memory and a better slope. It probes two passes over up
	// to all its rounds, passProbes times, and has some of the last checkpoints of a game, where a
	// solution takes more passes than at the first ones. It leaves out what would take long.
	longer := min(c.Horizon, costSampleRounds)
	rounds := float64(longer)
	short := func(seconds float64) bool { return seconds <= costSampleTime.Seconds() }
	play := float64((timed.play + float64(2*passProbes*timed.slope)) * rounds)
	if longer <= CostFirstRounds || !short(play) {
		return cost, true, nil
	}
	n := len(at)
	for n > 0 && !short(play+float64(float64(n)*(cost.Solve+float64(cost.Pass*rounds)))) {
		n--
	}
	if n < len(at) && c.Horizon > longer { // too few to extrapolate from
		n = 0
	}
	var last []int
	if n > 0 {
		last = game.Checkpoints(longer)
		last = last[len(last)-n:]
	}
	passes := timed.passes / float64(len(at))
	if timed, _, err = c.timeOpaque(ctx, longer, last); err != nil {
		return nil, true, err
	}
	if last == nil {
		cost.Seconds, cost.Pass, cost.Bytes = timed.play, float64(timed.slope*passes), timed.bytes
		return cost, true, nil
	}
	return timed.cost(len(last)), true, nil
}

// cost returns the cost of a game and of its hindsight at so many checkpoints.
func (o *timedOpaque) cost(checkpoints int) *Cost {
	count := float64(checkpoints)
	return &Cost{Seconds: o.play, Pass: float64(o.slope * o.passes / count),
		Solve: max(0, o.solve-float64(o.slope*o.passed)) / count, Bytes: o.bytes}
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
	t.play, t.bytes = max(0, seconds-t.solve-t.probing)/float64(rounds), bytes
	return t, true, err
}

// timedOpaque observes the rounds of an opaque stream, and is what its hindsight evaluates.
type timedOpaque struct {
	problems.Evaluator
	hindsight game.Observer // or nil
	last      int           // the last round

	passes  float64 // the number of passes that the hindsight made
	passed  float64 // the number of rounds in all these passes
	solve   float64 // the seconds of the hindsight
	probing float64 // the seconds of the passes that were timed at the end
	slope   float64 // the seconds of a pass for each round
	play    float64 // the seconds of a round
	bytes   int64
}

// Round implements [game.Observer].
func (o *timedOpaque) Round(t int, x []float64, r *convex.Round) error {
	if o.hindsight != nil {
		began := time.Now()
		if err := o.hindsight.Round(t, x, r); err != nil {
			return err
		}
		o.solve += time.Since(began).Seconds()
	}
	if t < o.last {
		return nil
	}
	began := time.Now()
	// Passes over one round and over all differ by a constant cost, which the difference cancels. The
	// least of several times is the one that nothing else disturbed.
	least, middle := [2]float64{math.Inf(1), math.Inf(1)}, make([]float64, o.Set().Dim())
	o.Set().Project(middle, middle)
	for range passProbes {
		for i, rounds := range []int{1, t} {
			begin := time.Now()
			if _, _, err := o.Evaluator.Evaluate([]int{rounds}, nil, middle); err != nil {
				return err
			}
			least[i] = min(least[i], time.Since(begin).Seconds())
		}
	}
	o.slope = max(0, least[1]-least[0]) / float64(max(1, t-1))
	o.probing = time.Since(began).Seconds()
	return nil
}

// passProbes is the number of times that a pass is timed. The first pass is slower, since it also
// makes checks.
const passProbes = 4

// Evaluate implements [problems.Evaluator].
func (o *timedOpaque) Evaluate(rounds, single []int, x []float64) ([]problems.Sums,
	[][]problems.Oracle, error) {
	if len(rounds) > 0 {
		o.passes++
		o.passed += float64(rounds[len(rounds)-1])
	}
	return o.Evaluator.Evaluate(rounds, single, x)
}
