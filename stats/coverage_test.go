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

// The coverage of the interval, model by model, is what the package comment
// says it is: within four binomial standard errors of a nominal 95 %, and of
// the coverage measured there for the two models with heavy tails.
func TestIntervalsCoverTheSlope(t *testing.T) { repetitions(t, 60, 150, 300, testCoverage) }

func testCoverage(t *testing.T, n int) {
	curves := map[int]int{10: n}
	if n > 60 {
		curves[30] = n / 2
	}
	known := map[string]map[int]float64{
		"t^p, p normal(½, 0.1²)": {10: 0.90, 30: 0.93},
		"√t, one in five t/10":   {10: 0.89, 30: 0.98},
	}
	for _, m := range models {
		for replicates, n := range curves {
			t.Run(fmt.Sprintf("%s/replicates=%d", m.name, replicates), func(t *testing.T) {
				t.Parallel()
				want := 0.95
				if m.heavy {
					want = known[m.name][replicates]
				}
				got := measure(t, m, replicates, n, 399)
				if slack := 4 * math.Sqrt(want*(1-want)/float64(n)); math.Abs(got.coverage()-want) > slack {
					t.Errorf("covers in %.3f of %d, want %.2f ± %.3f", got.coverage(), got.n, want, slack)
				}
			})
		}
	}
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

// Of 0, 0, 3 a resample is 0, 3, 3: its mean is 2, 1 above that of the sample, and Σ(x − 2)² = 6,
// so that its standard error is √(6/(3·2)) = 1.
func TestLevelByHand(t *testing.T) {
	l, mean := newMeanStatistic([]float64{0, 0, 3})
	var change, stdErr [1]float64
	l.mover()([]int{0, 1, 2}, change[:], stdErr[:])
	if mean != 1 || !near(change[0], 1, 1e-15) || !near(stdErr[0], 1, 1e-15) {
		t.Errorf("mean %v, change %v, standard error %v; want 1, 1, 1", mean, change, stdErr)
	}
}
