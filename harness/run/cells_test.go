package run

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/harnesstest"
)

// A learner is told the horizon if and only if it is not anytime.
func TestHorizonIsToldUnlessAnytime(t *testing.T) {
	for _, anytime := range []bool{true, false} {
		told := -1
		a := harnesstest.Algorithm("asks", func(s algorithms.Setup) *harnesstest.Learner {
			told = s.Horizon
			return harnesstest.Still(s)
		})
		a.Anytime = anytime
		c := experiment.Algorithm{Algorithm: a}
		if _, err := c.Learner(harnesstest.LineRounds(1, harnesstest.Calm)(), 1, 1, 77); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 0, false: 77}[anytime]; told != want {
			t.Errorf("anytime %v: told the horizon %d, want %d", anytime, told, want)
		}
	}
}
