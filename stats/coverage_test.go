package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

var tableRepetitions = flag.Int("table", 0,
	"print the coverage table of the package comment from this many repetitions")

// A tally counts on which side intervals miss the truth.
type tally struct {
	n, above, below int // the interval lies above, or below, the truth
}

func (a tally) coverage() float64 { return 1 - float64(a.above+a.below)/float64(a.n) }

func (a *tally) add(lower, upper, truth float64) {
	a.n++
	if lower > truth {
		a.above++
	}
	if upper < truth {
		a.below++
	}
}

// measure tallies the intervals of curves of a model. Where the mean is not positive there is none.
func measure(t testing.TB, m planted, replicates, repetitions, resamples int) (a tally) {
	ts := checkpoints(100, 10000)
	truth := m.slope(ts)
	rng := rand.New(rand.NewPCG(20, uint64(replicates)))
	for range repetitions {
		if f := mustFit(t, Growth{Resamples: resamples}, m.draw(rng, ts, replicates)); f.Shape != NonPositive {
			a.add(f.Lower, f.Upper, truth)
		}
	}
	return a
}

// go test ./stats -run CoverageTable -table 2000 -v -timeout 1h
func TestCoverageTable(t *testing.T) {
	if *tableRepetitions == 0 {
		t.Skip("-table N prints the table of the package comment")
	}
	for _, m := range models {
		for _, replicates := range []int{3, 5, 10, 20, 30, 50} {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				a := measure(t, m, replicates, *tableRepetitions, 999)
				fmt.Printf("%-36s %2d %.1f (%.1f above, %.1f below)\n", m.name, replicates, 100*a.coverage(),
					100*float64(a.above)/float64(a.n), 100*float64(a.below)/float64(a.n))
			})
		}
	}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
