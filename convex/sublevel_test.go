package convex

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// On a line, scale·((x − at)² + c) ≤ 0 has no solution for c > 0, and leaves
// [at − √−c, at + √−c] for c ≤ 0, although rounding moves its least value.
func TestSublevelSetsOfAnyScale(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 75))
	for _, scale := range []float64{1e-3, 1, 1e3, 1e6, 1e9} {
		for range 40 {
			at := r.Float64()
			for _, c := range []float64{1e-3, 1e-9, 0, -1e-9, -0.01} {
				p := NewProgram(Cube(1, -2, 3))
				p.Constrain(Lower(&HalfSquaredDistance{2 * scale, []float64{at}, c * scale}, 1))
				for _, sign := range []float64{1, -1} {
					x, want := make([]float64, 1), at-sign*math.Sqrt(max(0, -c))
					sol, err := p.Minimize(x, &Form{Lin: []float64{sign}})
					if empty := errors.Is(err, ErrEmpty); empty != (c > 0) {
						t.Errorf("scale %v, c = %v at %v: %v, %v", scale, c, at, x, err)
					} else if !empty && (math.Abs(x[0]-want) > 1e-6 || sol.Residual > 1e-13*max(1, scale)) {
						t.Errorf("scale %v, c = %v: the minimum is at %v with the residual %v, want %v", scale, c,
							x[0], sol.Residual, want)
					}
				}
			}
		}
	}
}
