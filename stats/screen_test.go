package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Intervals and p-values have the same bits as where every sample is looked at, with noise that
// samples hardly move and with rare replicates that make the mean.
func TestScreen(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 44))
	g := Growth{Confidence: 0.9, Resamples: 999}
	near := 0
	for _, m := range models {
		for _, replicates := range []int{5, 12, 30} {
			c := m.draw(rng, checkpoints(1, 10000), replicates)
			contrast, exponent := contrastOf(c)
			if math.IsNaN(exponent) {
				continue
			}
			degrees := float64(replicates - 1)
			src := func() *rand.PCG { return rand.NewPCG(4, 4) }
			got := screenedSample([]float64{exponent}, bundle{contrast}, nearest(degrees, g.Confidence),
				g.Resamples, src)[0]
			equalPivots(t, m.name, got,
				oneSample([]float64{exponent}, bundle{contrast}, negligible, g.Resamples, src())[0])
			near += atMost(got.ratios, 0) - atMost(got.ratios, -1e-300)

			rows := canonical(c.Y)
			end := g.end(c.T, rows, len(c.T)/2)
			v, _ := newEnvelope(c.T, rows, len(c.T)/2)
			delta, stdErr := resample(v.visible(), g.Resamples, seeded(c.T, rows))
			all := end
			all.slopes = slopesOf(end.exponent.value, delta[0])
			if got, want := end.upper(0.1), all.upper(0.1); got != want {
				t.Errorf("%s: the upper bound is %v, want %v", m.name, got, want)
			}
			for i, e := range []Estimate{end.Exponent, end.Drift, end.Next} {
				p := pivot{value: e.Value, stdErr: e.StdErr, degrees: degrees, rounding: negligible}
				if p.stdErr > negligible {
					p.studentise(delta[i], stdErr[i])
				}
				if i == 0 {
					equalPivots(t, m.name+" at the end", end.exponent, p)
				} else if want := p.estimate(g.Confidence); !alike(sides(e), sides(want)) {
					t.Errorf("%s: number %d of the end is %v, want %v", m.name, i, e, want)
				}
			}
		}
	}
	if near < 10000 {
		t.Errorf("%d samples were near", near)
	}
}

// sides are those of an interval.
func sides(e Estimate) []float64 { return []float64{e.Lower, e.Upper} }

// equalPivots compares intervals, and p-values of hypotheses near and far.
func equalPivots(t *testing.T, name string, got, want pivot) {
	for _, confidence := range []float64{0.5, 0.9, 0.98} {
		if g, w := got.estimate(confidence), want.estimate(confidence); !alike(sides(g), sides(w)) {
			t.Errorf("%s: at confidence %v the interval is %v, want %v", name, confidence, g, w)
		}
	}
	for _, distance := range []float64{-4, -2, -1, -0.1, 0, 0.3, 1.5, 2, 3, 5} {
		x := got.value + distance*got.stdErr
		if g, w := got.above(x), want.above(x); g != w && !math.IsNaN(w) {
			t.Errorf("%s: the p-value of at most %v is %v, want %v", name, x, g, w)
		}
		if g, w := got.below(x), want.below(x); g != w && !math.IsNaN(w) {
			t.Errorf("%s: the p-value of at least %v is %v, want %v", name, x, g, w)
		}
	}
}
