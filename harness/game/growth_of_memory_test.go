package game

import (
	"math"
	"testing"
)

// 11 rounds took 3000 − 1000 bytes after the first: 200 a round.
func TestMemoryGrowsByTheRound(t *testing.T) {
	for _, c := range []struct {
		g       memoryGrowth
		horizon int
		want    int64
	}{
		{memoryGrowth{rounds: 11, first: 1000, last: 3000}, 101, 600 + 20000},
		{memoryGrowth{rounds: 11, first: 1000, last: 900}, 101, 600}, // garbage was collected
		{memoryGrowth{rounds: 11, first: 300, last: 2300}, 1, 0},
		{memoryGrowth{rounds: 1, first: 1000, last: 1000}, 101, 600},
		{memoryGrowth{rounds: 11, first: 1000, last: 3000}, 1e17, math.MaxInt64}, // 2e19
		{memoryGrowth{rounds: 11, first: 1000, last: 3000}, 1e18, math.MaxInt64},
		{memoryGrowth{rounds: 11, first: 1000, last: 3000}, math.MaxInt64, math.MaxInt64},
	} {
		if got := c.g.bytesAt(c.horizon, 400); got != c.want {
			t.Errorf("%+v: %d bytes at %d, want %d", c.g, got, c.horizon, c.want)
		}
	}
}
