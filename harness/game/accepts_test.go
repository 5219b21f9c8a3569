package game

import (
	"testing"

	"ocobench/convex"
	"ocobench/harness/game/averages"
)

// A solution is accepted up to a gap of 10⁻⁶ of its value or of 1, whichever is
// larger, and up to a residual of 10⁻⁶ of the rounds and of the constraints' size:
// here 1000 rounds with constraints of at most 3, so that 4·10⁻³ is the limit.
func TestHindsightAcceptsSmallGaps(t *testing.T) {
	h := &Hindsight{averages: &averages.Running{T: 1000}, constraintSize: 3}
	for _, c := range []struct {
		value, gap, residual float64
		want                 bool
	}{
		{0.5, 0, 0, true},
		{0.5, 0.99e-6, 0, true},
		{0.5, 1.01e-6, 0, false},
		{-2000, 1.99e-3, 0, true},
		{-2000, 2.01e-3, 0, false},
		{2000, 2.01e-3, 0, false},
		{0.5, 0, 3.99e-3, true},
		{0.5, 0, 4.01e-3, false},
		{0.5, 1e-4, 1e-4, false},
	} {
		if got := h.isExact(convex.Solution{
			Cert: convex.Cert{Value: c.value, Gap: c.gap}, Residual: c.residual,
		}); got != c.want {
			t.Errorf("value %v, gap %v, residual %v: got accepted %v, want %v", c.value, c.gap, c.residual,
				got, c.want)
		}
	}
}
