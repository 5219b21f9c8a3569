package game

import (
	"context"
	"runtime"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// MeasureCost plays the first rounds of a game. It returns the seconds that they took, and an
// estimate of how many bytes the whole game takes, up to its horizon. before is the number of bytes
// that were in use before the learner and the stream were started ([Heap]).
func MeasureCost(ctx context.Context, l algorithms.Learner, s problems.Stream, rounds, horizon int,
	before int64, o Observer) (seconds float64, bytes int64, err error) {
	g := &memoryGrowth{rounds: rounds}
	begin := time.Now()
	err = Play(ctx, l, s, rounds, o, g)
	seconds = (time.Since(begin) - g.measuring).Seconds()
	// Nothing of the game may be collected before its memory was measured.
	runtime.KeepAlive(s)
	runtime.KeepAlive(l)
	runtime.KeepAlive(o)
	return seconds, g.bytesAt(horizon, before), err
}

// memoryGrowth observes a game and measures the bytes in use after its first and after its last
// round.
type memoryGrowth struct {
	rounds      int           // the number of rounds that are played
	first, last int64         // the bytes in use after the first round and after the last one measured
	measuring   time.Duration // spent on measuring, which is not part of the game
}

// Round implements [Observer].
func (g *memoryGrowth) Round(t int, _ []float64, _ *convex.Round) error {
	if t > 1 && t < g.rounds {
		return nil
	}
	begin := time.Now()
	if g.last = Heap(); t == 1 {
		g.first = g.last
	}
	g.measuring += time.Since(begin)
	return nil
}

// bytesAt estimates how many bytes a game takes up to its horizon, if before bytes were in use
// before it began: those up to the first round, and from then on linear growth at the rate
// measured.
func (g *memoryGrowth) bytesAt(horizon int, before int64) int64 {
	if g.rounds < 2 {
		return max(0, g.last-before)
	}
	perRound := float64(max(0, g.last-g.first)) / float64(g.rounds-1)
	return Saturated(float64(max(0, g.first-before)) + float64(perRound*float64(horizon-1)))
}
