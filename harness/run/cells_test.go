package run

import (
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/harnesstest"
)

// The trace of an anytime learner at T is the beginning of the one at 2T, and
// so is hindsight.
func TestAnytimeTraceIsPrefix(t *testing.T) {
	var names []string
	for _, a := range algorithms.All {
		if a.AnytimeWith(a.Params) {
			names = append(names, a.Name)
		}
	}
	if len(names) < 3 {
		t.Fatalf("the anytime algorithms are %q", names)
	}
	for _, problem := range []string{"decaying-frequency:c=0.5", "iid:dim=3,constraints=2"} {
		a := problemOf(t, problem)
		check := func(what string, c *experiment.Algorithm, kind string) {
			const T = 120
			cell := experiment.Cell{Kind: kind, Algorithm: c, Problem: &a, Seed: 1, Replicate: 1}
			played := func(horizon int) [][]float64 {
				cell.Horizon = horizon
				_, rows, err := cell.Play(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				return rows
			}
			short, long := played(T), played(2*T)
			byT := make(map[float64][]float64)
			for _, row := range long {
				byT[row[0]] = row
			}
			for i, row := range short {
				other, ok := byT[row[0]]
				if !ok && i == len(short)-1 {
					continue // the horizon itself
				}
				if !slices.Equal(row, other) {
					t.Errorf("%s on %s: at t=%v the game of %d rounds has %v, that of %d %v", what, problem,
						row[0], T, row, 2*T, other)
				}
			}
		}
		for _, name := range names {
			c := algorithmOf(t, name)
			check(name, &c, "game")
		}
		check("hindsight", nil, "hindsight")
	}
}

// A learner is told the horizon if and only if it is not anytime.
func TestHorizonIsTold(t *testing.T) {
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
