package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/convex/vec"

	"gonum.org/v1/gonum/stat/distuv"
)

var tableRepetitions = flag.Int("table", 0,
	"print the coverage table of the package comment from this many repetitions")

// A rival is a way to make an interval from an estimate and its bootstrap.
type rival struct {
	name     string
	interval func(c contrast, delta, stdErr []float64) (down, up float64)
}

// hull is what Growth does; TestMeasuredHullIsTheIntervalOfFit holds the two together.
const hull = 0

var rivals = []rival{
	{"hull", func(c contrast, delta, stdErr []float64) (down, up float64) {
		p := pivot{stdErr: c.stdErr(), degrees: float64(c.size() - 1), rounding: negligible}
		p.studentise(slices.Clone(delta), stdErr)
		return p.reach(0.95)
	}},
	{"student", func(c contrast, delta, stdErr []float64) (down, up float64) {
		half := studentQuantile(float64(c.size()-1), 0.975) * c.stdErr()
		return half, half
	}},
	{"bootstrap-t", func(c contrast, delta, stdErr []float64) (down, up float64) {
		p := pivot{rounding: negligible}
		p.studentise(slices.Clone(delta), stdErr)
		rank := tailRank(len(delta), 0.95) - p.undefined
		if rank < 1 {
			return math.Inf(1), math.Inf(1)
		}
		return c.stdErr() * p.ratios[len(p.ratios)-rank], -c.stdErr() * p.ratios[rank-1]
	}},
	{"percentile", func(c contrast, delta, stdErr []float64) (down, up float64) {
		return tails(delta, 0.025, 0.975)
	}},
	{"BCa", func(c contrast, delta, stdErr []float64) (down, up float64) {
		var squares, cubes float64
		for _, z := range c.ratios {
			u := vec.Dot(c.weights, z)
			squares += u * u
			cubes += u * u * u
		}
		below := 0
		for _, d := range delta {
			if d < 0 {
				below++
			}
		}
		bias := distuv.UnitNormal.Quantile(float64(below) / float64(len(delta)))
		acceleration := cubes / 6 / math.Pow(squares, 1.5)
		level := func(p float64) float64 {
			z := bias + distuv.UnitNormal.Quantile(p)
			return distuv.UnitNormal.CDF(bias + z/(1-acceleration*z))
		}
		return tails(delta, level(0.025), level(0.975))
	}},
}

// tails returns the distances to two quantiles of delta, where a sample without
// a value lies beyond either.
func tails(delta []float64, low, high float64) (down, up float64) {
	at := func(p, undefined float64) float64 {
		d := slices.Clone(delta)
		for b := range d {
			if math.IsNaN(d[b]) {
				d[b] = undefined
			}
		}
		slices.Sort(d)
		rank := int(p*float64(len(d)+1) + 1e-9)
		if rank < 1 || rank > len(d) {
			return undefined
		}
		return d[rank-1]
	}
	return -at(low, math.Inf(-1)), at(high, math.Inf(1))
}

// A tally counts on which side intervals miss the truth.
type tally struct {
	n, above, below int // the interval lies above, or below, the truth
	widths          []float64
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
	a.widths = append(a.widths, upper-lower)
}

func (a tally) width() float64 {
	slices.Sort(a.widths)
	return a.widths[len(a.widths)/2]
}

// measure tallies the rivals on the same curves of a model.
func measure(m planted, replicates, repetitions, resamples int) []tally {
	t := checkpoints(100, 10000)
	truth := m.slope(t)
	rng := rand.New(rand.NewPCG(20, uint64(replicates)))
	tallies := make([]tally, len(rivals))
	for range repetitions {
		c, exponent := contrastOf(m.draw(rng, t, replicates))
		if math.IsNaN(exponent) {
			continue // the mean is not positive: no interval
		}
		delta, stdErr := resample(bundle{c}, resamples, rand.NewPCG(rng.Uint64(), rng.Uint64()))
		for i, r := range rivals {
			down, up := r.interval(c, delta[0], stdErr[0])
			tallies[i].add(exponent-down, exponent+up, truth)
		}
	}
	return tallies
}

func contrastOf(c Curve) (contrast, float64) {
	means := columnMeans(c.Y)
	if slices.Min(means) <= 0 {
		return contrast{}, math.NaN()
	}
	slope := newLine(c.T).slope
	return contrast{slope, ratios(c.Y, means)}, vec.Dot(slope, logs(means))
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
				got := measure(m, replicates, n, 399)[hull]
				if slack := 4 * math.Sqrt(want*(1-want)/float64(n)); math.Abs(got.coverage()-want) > slack {
					t.Errorf("covers in %.3f of %d, want %.2f ± %.3f", got.coverage(), got.n, want, slack)
				}
			})
		}
	}
}

// What is measured here as the hull is what Growth returns.
func TestMeasuredHullIsTheIntervalOfFit(t *testing.T) {
	ts := checkpoints(100, 10000)
	for _, m := range models {
		curve := m.draw(rand.New(rand.NewPCG(3, 3)), ts, 12)
		curve.Y = canonical(curve.Y)
		fit, err := Growth{}.Fit(curve)
		if err != nil {
			t.Fatal(err)
		}
		c, exponent := contrastOf(curve)
		delta, stdErr := resample(bundle{c}, DefaultResamples, seeded(ts, curve.Y))
		down, up := rivals[hull].interval(c, delta[0], stdErr[0])
		if !near(fit.Exponent, exponent, 1e-12) || !near(fit.Lower, exponent-down, 1e-12) ||
			!near(fit.Upper, exponent+up, 1e-12) {
			t.Errorf("%s: %v [%v, %v], measured as %v [%v, %v]",
				m.name, fit.Exponent, fit.Lower, fit.Upper, exponent, exponent-down, exponent+up)
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
				var b strings.Builder
				fmt.Fprintf(&b, "%-36s %2d", m.name, replicates)
				for i, a := range measure(m, replicates, *tableRepetitions, 999) {
					fmt.Fprintf(&b, " | %s %.1f (%.1f above, %.1f below) width %.3f", rivals[i].name,
						100*a.coverage(),
						100*float64(a.above)/float64(a.n), 100*float64(a.below)/float64(a.n), a.width())
				}
				fmt.Println(b.String())
			})
		}
	}
}

func near(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }

// Of 0, 0, 3 a resample is 0, 3, 3: its mean is 2, 1 above that of the sample, and Σ(x − 2)² = 6,
// so that its standard error is √(6/(3·2)) = 1.
func TestLevelByHand(t *testing.T) {
	l, mean := newLevel([]float64{0, 0, 3})
	var change, stdErr [1]float64
	l.mover()([]int{0, 1, 2}, change[:], stdErr[:])
	if mean != 1 || !near(change[0], 1, 1e-15) || !near(stdErr[0], 1, 1e-15) {
		t.Errorf("mean %v, change %v, standard error %v; want 1, 1, 1", mean, change, stdErr)
	}
}
