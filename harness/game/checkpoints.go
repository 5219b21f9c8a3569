package game

import (
	"math"

	"ocobench/convex/vec"
)

// perDecade is the number of checkpoints in a decade of rounds.
const perDecade = 16

// Checkpoints are the rounds at which traces are kept: 16 a decade, evenly
// spaced in log t, and the last one.
func Checkpoints(horizon int) []int {
	var at []int
	for k := 0; ; k++ {
		round := math.Round(vec.Pow(10, float64(k)/perDecade))
		if round >= float64(horizon) { // the largest horizons are no integer beyond it
			return append(at, horizon)
		}
		t := int(round)
		if len(at) == 0 || t > at[len(at)-1] {
			at = append(at, t)
		}
	}
}

// checkpoints calls record at the checkpoints of a game.
type checkpoints struct {
	at []int // those to come
}

func (c *checkpoints) isDue(t int) bool {
	if len(c.at) == 0 || c.at[0] != t {
		return false
	}
	c.at = c.at[1:]
	return true
}
