package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func mustCompare(t testing.TB, g Growth, a, b Curve) Comparison {
	t.Helper()
	c, err := g.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A duel draws pairs of curves, a and b, with known means.
type duel struct {
	name         string
	meanA, meanB func(t float64) float64
	// noise writes the factors of both, of mean one.
	noise func(rng *rand.Rand, t, a, b []float64)
}

func (d duel) draw(rng *rand.Rand, t []float64, replicates int) (a, b Curve) {
	a, b = Curve{T: t}, Curve{T: t}
	for range replicates {
		ya, yb := make([]float64, len(t)), make([]float64, len(t))
		d.noise(rng, t, ya, yb)
		for k := range t {
			ya[k] *= d.meanA(t[k])
			yb[k] *= d.meanB(t[k])
		}
		a.Y, b.Y = append(a.Y, ya), append(b.Y, yb)
	}
	return a, b
}

// sharedNoise gives a and b noise that is mostly common, as common random numbers make it;
// ownNoise has nothing in common.
func sharedNoise(rng *rand.Rand, t, a, b []float64) {
	common := make([]float64, len(t))
	geometric(rng, t, common, 0.2)
	geometric(rng, t, a, 0.1)
	geometric(rng, t, b, 0.1)
	for k := range t {
		a[k] *= common[k]
		b[k] *= common[k]
	}
}

// ownNoise gives a and b noise that is independent.
func ownNoise(rng *rand.Rand, t, a, b []float64) {
	geometric(rng, t, a, 0.2)
	lognormal(rng, t, b)
}

var duels = []duel{
	{"alike, shared noise", math.Sqrt, math.Sqrt, sharedNoise},
	{"alike, own noise", math.Sqrt, math.Sqrt, ownNoise},
	{"t^0.55 and t^0.5, shared noise", powerOf(0.55), math.Sqrt, sharedNoise},
	{"t^0.6 and t^0.5, shared noise", powerOf(0.6), math.Sqrt, sharedNoise},
	{"t^0.6 and t^0.5, own noise", powerOf(0.6), math.Sqrt, ownNoise},
}

// powerOf returns the function t^p.
func powerOf(p float64) func(t float64) float64 {
	return func(t float64) float64 { return math.Pow(t, p) }
}

// equivalence returns the p-value of the hypothesis that the size of the difference is margin or
// more: the larger of the two one-sided p-values (the TOST procedure). If it is at most α, the
// interval of confidence 1−2α lies within ±margin.
func equivalence(d Difference, margin float64) float64 {
	return math.Max(d.test.above(-margin), d.test.below(margin))
}

// A measurement is what repetitions of a duel say of Compare.
type measurement struct {
	final, exponent       tally
	rejected, improvement float64 // share of p-values ≤ 0.05 of the exponents; coverage of P(A < B)
	equivalent            float64 // share of equivalence within ±0.05 at level 0.05
}

func (d duel) measure(t testing.TB, replicates, repetitions, resamples int) (m measurement) {
	ts := checkpoints(100, 10000)
	last := ts[len(ts)-1]
	final := d.meanA(last) - d.meanB(last)
	exponent := (planted{mean: d.meanA}).slope(ts) - (planted{mean: d.meanB}).slope(ts)
	rng := rand.New(rand.NewPCG(31, uint64(replicates)))
	better, many := 0.0, 20000
	a, b := d.draw(rng, ts, many)
	for r := range many {
		if a.Y[r][len(ts)-1] < b.Y[r][len(ts)-1] {
			better += 1 / float64(many)
		}
	}
	n := float64(repetitions)
	for range repetitions {
		a, b := d.draw(rng, ts, replicates)
		c := mustCompare(t, Growth{Resamples: resamples}, a, b)
		m.final.add(c.Final.Lower, c.Final.Upper, final)
		m.exponent.add(c.Exponent.Lower, c.Exponent.Upper, exponent)
		if c.Improvement.Lower <= better && better <= c.Improvement.Upper {
			m.improvement += 1 / n
		}
		p := c.Exponent.P()
		if p <= 0.05 {
			m.rejected += 1 / n
		}
		if (p <= 0.05) != (c.Exponent.Lower > 0 || c.Exponent.Upper < 0) {
			t.Errorf("%s: got p-value %v, interval [%v, %v], want p ≤ 0.05 exactly if 0 is outside", d.name,
				p, c.Exponent.Lower, c.Exponent.Upper)
		}
		if equivalence(c.Exponent, 0.05) <= 0.05 {
			m.equivalent += 1 / n
		}
	}
	return m
}

// Planted truths: the intervals cover, alike curves are told apart in 5 % and
// curves at the margin called equivalent in 5 %, and a difference of 0.1 is
// found as often as testdata/calibration.md says.
func TestComparisonsAreCalibrated(t *testing.T) {
	repetitions(t, 15, 40, 100, testCompareCalibration)
}

func testCompareCalibration(t *testing.T, n int) {
	count := func(share float64) int { return int(math.Round(share * float64(n))) }
	for _, d := range duels {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			m := d.measure(t, 20, n, 399)
			for what, covers := range map[string]float64{
				"final": m.final.coverage(), "exponent": m.exponent.coverage(), "improvement": m.improvement,
			} {
				if tooMany(n-count(covers), n, 0.06) {
					t.Errorf("%s: got coverage %.3f, want 0.94 or more", what, covers)
				}
			}
			difference := (planted{mean: d.meanA}).slope([]float64{1, 10}) - 0.5
			switch {
			case near(difference, 0, 1e-9) && tooMany(count(m.rejected), n, 0.06):
				t.Errorf("no difference: got found in %.3f, want at most 0.06", m.rejected)
			case near(difference, 0.05, 1e-9) && tooMany(count(m.equivalent), n, 0.06):
				t.Errorf("at the margin: got equivalent in %.3f, want at most 0.06", m.equivalent)
			case near(difference, 0.1, 1e-9) && tooMany(count(m.equivalent), n, 0.001):
				t.Errorf("at twice the margin: got equivalent in %.3f, want at most 0.001", m.equivalent)
			case near(difference, 0.1, 1e-9) && tooMany(n-count(m.rejected), n, 0.1):
				t.Errorf("a difference of 0.1: got found in %.3f, want at least 0.9", m.rejected)
			}
		})
	}
}

// Worked by hand: differences 1, 2, 3, 6 have mean 3 and variance 14/3, and all of one sign the
// p-value 2/16, so that no interval of 95 % is bounded; two of four pairs are better, one is a
// tie.
func TestCompareFinalByHand(t *testing.T) {
	a := Curve{T: []float64{1, 2}, Y: [][]float64{{0, 2}, {0, 3}, {0, 4}, {0, 7}}}
	b := Curve{T: []float64{1, 2}, Y: [][]float64{{0, 1}, {0, 1}, {0, 1}, {0, 1}}}
	c := mustCompare(t, Growth{}, a, b)
	if f := c.Final; !near(f.Value, 3, 1e-12) || !near(f.StdErr, math.Sqrt(14.0/3/4), 1e-12) ||
		!math.IsInf(f.Lower, -1) || !math.IsInf(f.Upper, 1) {
		t.Errorf("final %+v, want 3 without bounds", f.Estimate)
	}
	if p := c.Final.P(); p != 0.125 {
		t.Errorf("the p-value is %v, want 2/16", p)
	}
	// The test of a rerun is Student's with 4 replicates: t(3, 0.975) = 3.18245.
	half := 3.182446305 * math.Sqrt(14.0/3/4)
	r := mustTest(t, RegressionTest{}, []Rerun{{Reference: b, Current: a, Paired: true}}).Changes[0]
	if !near(r.Lower, 3-half, 1e-8) || !near(r.Upper, 3+half, 1e-8) {
		t.Errorf("rerun %+v, want 3 ± %v", r.Estimate, half)
	}
	if !near(r.P, 0.0690, 5e-4) { // t = 2.7775 with 3 degrees
		t.Errorf("the p-value of the rerun is %v, want 0.069", r.P)
	}
	// 1 - 0.025^(1/4)
	if c.Improvement.Value != 0 || c.Improvement.Lower != 0 ||
		!near(c.Improvement.Upper, 0.60236, 1e-5) {
		t.Errorf("the improvement is %+v, want 0 in [0, 0.602]", c.Improvement)
	}
	if !math.IsNaN(c.Exponent.Value) || !math.IsNaN(c.Exponent.P()) ||
		!math.IsNaN(equivalence(c.Exponent, 1)) || len(c.Warnings) != 1 {
		t.Errorf("two checkpoints, from zero: %+v, want no exponent", c)
	}
	b.Y[0][1], b.Y[1][1], b.Y[2][1] = 5, 9, 4
	if c = mustCompare(t, Growth{}, a, b); c.Improvement.Value != 0.625 {
		t.Errorf("improvement %+v, want 5/8", c.Improvement)
	}
}

// The contrast of pairs is the difference of two fits; A less B is not B less
// A; and the order of the pairs does not matter, to the last bit.
func TestCompareIsTheDifferenceOfFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	a, b := duels[3].draw(rng, checkpoints(1, 10000), 15)
	g := Growth{Resamples: 399}
	c := mustCompare(t, g, a, b)
	fa, fb := mustFit(t, g, a), mustFit(t, g, b)
	if !near(c.Exponent.Value, fa.Exponent-fb.Exponent, 1e-12) {
		t.Errorf("got %v, want the difference of the exponents %v and %v", c.Exponent.Value, fa.Exponent,
			fb.Exponent)
	}
	if c.Exponent.StdErr > 0.6*math.Hypot(fa.StdErr, fb.StdErr) {
		t.Errorf("got standard error %v of pairs that share noise, want at most 0.6 of the hypotenuse "+
			"of %v and %v by themselves", c.Exponent.StdErr, fa.StdErr, fb.StdErr)
	}
	back := mustCompare(t, g, b, a)
	if !near(back.Exponent.Value, -c.Exponent.Value, 1e-12) ||
		!near(back.Final.Value, -c.Final.Value, 1e-9) ||
		!near(back.Improvement.Value, 1-c.Improvement.Value, 1e-12) {
		t.Errorf("got %+v back, want the opposite of %+v", back, c)
	}
	rng.Shuffle(15, func(i, j int) {
		a.Y[i], a.Y[j] = a.Y[j], a.Y[i]
		b.Y[i], b.Y[j] = b.Y[j], b.Y[i]
	})
	if again := mustCompare(t, g, a, b); fmt.Sprint(again) != fmt.Sprint(c) {
		t.Errorf("other order of pairs: got\n%+v\nwant\n%+v", again, c)
	}
	same := mustCompare(t, g, a, a)
	if same.Exponent.Value != 0 || same.Exponent.Lower != 0 || same.Exponent.Upper != 0 ||
		same.Exponent.P() != 1 || equivalence(same.Exponent, 0.01) != 0 ||
		same.Final.P() != 1 || same.Improvement.Value != 0.5 {
		t.Errorf("a curve against itself: %+v, want no difference", same)
	}
	for what, bad := range map[string]Curve{
		"no curve": {}, "other checkpoints": {T: slices.Concat([]float64{0.5}, b.T[1:]), Y: b.Y},
		"fewer replicates": {T: b.T, Y: b.Y[1:]},
	} {
		t.Run(what, func(t *testing.T) {
			if _, err := g.Compare(a, bad); err == nil {
				t.Error("got no error, want one")
			}
			if _, err := g.Compare(bad, a); err == nil {
				t.Error("got no error, want one")
			}
		})
	}
	if _, err := (Growth{Confidence: 2}).Compare(a, b); err == nil {
		t.Error("confidence 2 is taken, want an error")
	}
	one := mustCompare(t, g, Curve{a.T, a.Y[:1]}, Curve{b.T, b.Y[:1]})
	if math.IsNaN(one.Exponent.Value) || !math.IsNaN(one.Exponent.Lower) ||
		!math.IsNaN(one.Exponent.P()) {
		t.Errorf("one pair: %+v, want no interval", one)
	}
	if none := mustCompare(t, Growth{Window: Window{From: 1e5, To: 2e5}}, a,
		b); !math.IsNaN(none.Final.Value) || !math.IsNaN(none.Final.P()) || len(none.Warnings) != 1 {
		t.Errorf("no points: %+v, want no value", none)
	}
}

// Holm's procedure step by step, as it is in textbooks: reject the smallest
// p-value if it is at most α/n, then the next if at most α/(n-1), until one is
// not.
func TestHolmRejectsStepByStep(t *testing.T) {
	nan := math.NaN()
	got := Holm([]float64{0.04, nan, 0.01, 0.03, 0.005})
	if want := []float64{0.06, nan, 0.03, 0.06, 0.02}; fmt.Sprintf("%.12g",
		got) != fmt.Sprintf("%.12g", want) {
		t.Errorf("%v, want %v", got, want)
	}
	if len(Holm(nil)) != 0 {
		t.Error("an empty family has p-values, want none")
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		p := make([]float64, 1+rng.IntN(8))
		for i := range p {
			p[i] = math.Pow(rng.Float64(), 3)
		}
		alpha := rng.Float64()
		sorted := slices.Sorted(slices.Values(p))
		rejected := 0
		for rejected < len(p) && sorted[rejected] <= alpha/float64(len(p)-rejected) {
			rejected++
		}
		count := 0
		for i, v := range Holm(p) {
			if v < p[i] || v > 1 {
				t.Fatalf("%v: got adjusted %v, want at least as much, at most 1", p[i], v)
			}
			if v <= alpha {
				count++
			}
		}
		if count != rejected {
			t.Fatalf("%v at %v: %d rejected, want %d", p, alpha, count, rejected)
		}
	}
}
