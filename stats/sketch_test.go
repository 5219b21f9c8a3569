package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// No sample that a sketch calls near is as far as the hypothesis when it is looked at, and p-values
// have the bits of those where all are looked at: for rows with noise, of one shape, of two, with
// ties, that are 0 or negative at first, and that fall; and for hypotheses at the very distance of
// a sample.
func TestSketch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 55))
	var ts []float64
	shapes := map[string]func(r, k int) float64{
		"noise": func(_, k int) float64 {
			return math.Pow(ts[k], 0.7) * (1 + 3*rng.Float64()/float64(len(ts)))
		},
		"levels":   func(r, k int) float64 { return math.Pow(ts[k], 0.6) * float64(1+r*r) },
		"slopes":   func(r, k int) float64 { return math.Pow(ts[k], 0.3+0.1*float64(r)) },
		"two":      func(r, k int) float64 { return math.Pow(ts[k], 0.5+0.3*float64(r%2)) },
		"equal":    func(_, k int) float64 { return math.Pow(ts[k], 0.8) },
		"late":     func(r, k int) float64 { return max(0, ts[k]-150*float64(1+r)) },
		"negative": func(r, k int) float64 { return ts[k] - 500*float64(r) },
		"waves":    func(r, k int) float64 { return ts[k] * (1.5 + math.Sin(float64(k+r*r))) },
		"falls": func(r, k int) float64 {
			return math.Pow(ts[k], 0.5+0.1*float64(r%5)) * (1 - 0.1*float64(r%5*max(0, k+4-len(ts))))
		},
		"a carrier": func(r, k int) float64 { return ts[k] * (0.001 + float64(r/4)) },
	}
	near, seen := 0, 0
	for name, value := range shapes {
		for _, replicates := range []int{5, 8, 13, 20, -5, -20} {
			if ts = checkpoints(100, 10000); replicates < 0 {
				ts, replicates = []float64{100, 200, 500, 1000, 2000, 5000, 10000}, -replicates
			}
			c := Curve{T: ts}
			for r := range replicates {
				y := make([]float64, len(ts))
				for k := range y {
					y[k] = value(r, k)
				}
				c.Y = append(c.Y, y)
			}
			rows := canonical(c.Y)
			v, _ := newEnvelope(ts, rows, 0)
			v = v.ending()
			values, stdErrs := make([]float64, 1), make([]float64, 1)
			v.at(columnMeans(rows), nil, values, stdErrs, new(maxima))
			src := func() *rand.PCG { return seeded(ts, rows) }
			delta, stdErr := resample(v.visible(), 999, src())
			all := pivot{value: values[0], stdErr: stdErrs[0], degrees: float64(replicates - 1),
				rounding: negligible}
			all.studentise(delta[0], stdErr[0])
			distances := []float64{0.01, 1, 2, 4, 8, 16, 100, 1000}
			for _, ratio := range all.ratios[:min(len(all.ratios), 100)] {
				if ratio > 0 {
					distances = append(distances, ratio)
				}
			}
			for _, d := range distances {
				claim := Claim{Exponent: values[0] - float64(d*stdErrs[0]) - Beyond}
				p, err := Growth{Resamples: 999}.P(c, claim)
				if want := all.above(claim.Exponent + Beyond); err != nil || p != want && rows[0][0] > 0 {
					t.Errorf("%s, %d replicates: p at %v is %v, want %v", name, replicates, d, p, want)
				}
				v.near, v.upwards = d, true
				sketch, drawn, random := v.visible().sketch(), make([]int, replicates), src()
				for b := 0; sketch != nil && b < len(all.ratios); b++ {
					draw(random, drawn)
					if seen++; sketch(drawn) {
						if near++; all.ratios[b] >= d {
							t.Fatalf("%s: sample %v is %v away, not below %v", name, drawn, all.ratios[b], d)
						}
					}
				}
			}
		}
	}
	if near < seen/2 {
		t.Errorf("%d of %d samples were near", near, seen)
	}
}
