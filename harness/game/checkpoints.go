package game

import (
	"math"

	"ocobench/convex/vec"
)

// checkpointsPerDecade is the number of checkpoints in a decade of rounds.
const checkpointsPerDecade = 16

// Checkpoints returns the rounds at which traces are kept: 16 a decade, evenly spaced in log t,
// and the last one.
func Checkpoints(horizon int) []int {
	var at []int
	for k := 0; ; k++ {
		round := math.Round(vec.Pow(10, float64(k)/checkpointsPerDecade))
		// Compared as floats: beyond the largest horizons a round would overflow an integer.
		if round >= float64(horizon) {
			return append(at, horizon)
		}
		t := int(round)
		if len(at) == 0 || t > at[len(at)-1] {
			at = append(at, t)
		}
	}
}

// checkpoints tracks which rounds of a game are its checkpoints.
type checkpoints struct {
	at []int // the checkpoints to come
}

// isDue reports whether round t is the next checkpoint, and moves on to the one after if it is.
func (c *checkpoints) isDue(t int) bool {
	if len(c.at) == 0 || c.at[0] != t {
		return false
	}
	c.at = c.at[1:]
	return true
}
