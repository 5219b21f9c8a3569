package rounds

import (
	"testing"

	"ocobench/convex"
)

// The terms of the square (2x + y)²/2 at (3, −6) are 6, −6 and, beside them, the target 1: up to
// their signs, they add up to 13²/2.
func TestSizeOfLeastSquares(t *testing.T) {
	f := &convex.LeastSquares{H: []float64{2, 1}, Y: []float64{1}}
	if got := new(roundReader).sizeOf(f, []float64{3, -6}); got != 84.5 {
		t.Errorf("the size is %v, want 84.5", got)
	}
}
