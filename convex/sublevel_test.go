package convex

import (
	"errors"
	"math"
	"testing"
)

// On a line, ½·2x² + c ≤ 0 has no solution for c > 0, beyond rounding, and
// [−√−c, √−c] for c ≤ 0.
func TestSublevelSets(t *testing.T) {
	for _, c := range []float64{0.5, 1e-3, 1e-6, 1e-9, 1e-12, 0, -1e-12, -1e-6, -0.25} {
		p := NewProgram(Cube(1, -1, 2))
		p.Constrain(&Form{Const: c, Lin: []float64{0}, Quad: []float64{2}})
		x := make([]float64, 1)
		sol, err := p.Minimize(x, &Form{Lin: []float64{1}})
		if empty := errors.Is(err, ErrEmpty); empty != (c > 0) {
			t.Errorf("c = %v: %v, %v", c, x, err)
		} else if want := -math.Sqrt(max(0, -c)); !empty &&
			(math.Abs(x[0]-want) > 1e-7 || sol.Residual > 1e-14) {
			t.Errorf("c = %v: the minimum is at %v with the residual %v, want %v", c, x[0], sol.Residual,
				want)
		}
	}
}
