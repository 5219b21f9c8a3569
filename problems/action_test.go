package problems

import (
	"math"
	"testing"

	"ocobench/convex"
)

// An action may be outside of the domain by the rounding of a projection.
func TestActionsMayBeOutsideByRounding(t *testing.T) {
	box := convex.Cube(2, -1, 1) // 1 + Δ is 3.83
	for _, x := range [][]float64{{1, -1}, {0, 0}, {1 + 3.8e-9, 0}} {
		if err := CheckAction(box, x); err != nil {
			t.Errorf("%v: got error %v, want none", x, err)
		}
	}
	for _, x := range [][]float64{{1 + 3.9e-9, 0}, {math.NaN(), 0}, {0, math.Inf(1)}, {0}, {0, 0, 0}} {
		if CheckAction(box, x) == nil {
			t.Errorf("%v: got no error, want one", x)
		}
	}
}
