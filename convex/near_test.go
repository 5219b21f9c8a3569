package convex

import (
	"math"
	"testing"
)

// A point that is off a simplex by more than rounding is projected onto it: (½, ½+δ)
// to (½−δ/2, ½+δ/2), however small δ is.
func TestSimplexProjectsNearPoints(t *testing.T) {
	for _, scale := range []float64{1e-3, 1, 1e6} {
		set, err := NewSimplex(2, scale)
		if err != nil {
			t.Fatal(err)
		}
		for delta := 0.1; delta > 1e-13; delta /= 3 {
			for _, s := range []float64{-1, 1} {
				x := []float64{scale / 2, scale / 2 * (1 + s*delta)}
				set.Project(x, x)
				want := scale / 2 * (1 - s*delta/2)
				if set.Residual(x) > 4e-16*scale || math.Abs(x[0]-want) > 1e-15*scale {
					t.Errorf("scale %v, δ = %v: %v is off the simplex by %v", scale, s*delta, x, set.Residual(x))
				}
			}
		}
	}
}
