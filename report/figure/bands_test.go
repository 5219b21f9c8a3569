package figure

import (
	"math"
	"testing"
)

// A band extends a logarithmic axis by a decade beyond the curve, on both sides, and
// a linear axis as far as it reaches. With the air of 5 % of the range r of logarithms
// on each side, the axis is from 10^(lo−0.05r) to 10^(hi+0.05r).
func TestBandsExtendAxes(t *testing.T) {
	x, y := []float64{1, 10, 100}, []float64{10, 20, 100}
	panel := func(scale Scale, lower, upper []float64) *Panel {
		return &Panel{X: Axis{Scale: Log}, Y: Axis{Scale: scale},
			Series: []Series{{X: x, Y: y, Lower: lower, Upper: upper}}}
	}
	for _, c := range []struct {
		what         string
		lower, upper []float64
		lo, hi       float64
	}{
		{"a narrow band", []float64{5, 10, 50}, []float64{20, 40, 200}, 5, 200},
		{"a wide band", []float64{1e-6, 1e-3, 1}, []float64{1e3, 1e6, 1e9}, 1, 1000},
		{"a low band", []float64{1e-6, 1e-3, 1}, []float64{20, 40, 200}, 1, 200},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, r := panel(Log, c.lower, c.upper).rulers()
			lo, hi := math.Log10(c.lo), math.Log10(c.hi)
			air := 0.05 * (hi - lo)
			if math.Abs(math.Log10(r.min)-(lo-air)) > 1e-12 || math.Abs(math.Log10(r.max)-(hi+air)) > 1e-12 {
				t.Errorf("the axis is from %v to %v, want from %v to %v", r.min, r.max,
					math.Pow(10, lo-air), math.Pow(10, hi+air))
			}
		})
	}
	if _, r := panel(Linear, []float64{-1000, 0, 0},
		[]float64{20, 40, 3000}).rulers(); r.min != -1200 || r.max != 3200 {
		t.Errorf("a linear axis is from %v to %v, want from −1200 to 3200", r.min, r.max)
	}
}
