package convex_test

import (
	"slices"
	"testing"

	"ocobench/convex"
)

// f(x) = x₁² + 2x₁ + x₂ has the Hessian diag(2, 0). At (−1, 0) and (3, 4) its values are −1 and 19,
// their mean is 9, and the value in the middle, (1, 2), is 5. Along the first axis, at (−1, 0) and
// (3, 0), the mean 7 is above 3 by 4, which is ‖x−y‖²·σ/8 with σ = 2. The gradient at (½, 0) is
// (3, 1).
func TestProbeByHand(t *testing.T) {
	var probe convex.Probe
	f := &convex.Quadratic{Q: []float64{2, 0, 0, 0}, A: []float64{2, 1}}
	g := &convex.Affine{A: []float64{3, -4}, B: 1}
	for _, c := range []struct {
		name          string
		f             convex.Func
		x, y          []float64
		fx, fy, above float64
	}{
		{"quadratic", f, []float64{-1, 0}, []float64{3, 4}, -1, 19, 4},
		{"quadratic along an axis", f, []float64{-1, 0}, []float64{3, 0}, -1, 15, 4},
		{"concave", &convex.Quadratic{Q: []float64{-2}, A: []float64{0}}, []float64{-1}, []float64{1}, -1,
			-1, -1},
		{"affine", g, []float64{1, 1}, []float64{0, 2}, 0, -7, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if fx, fy, above := probe.Chord(c.f, c.x, c.y); fx != c.fx || fy != c.fy || above != c.above {
				t.Errorf("%v, %v and %v above the middle, want %v, %v and %v", fx, fy, above, c.fx, c.fy,
					c.above)
			}
		})
	}
	if got := probe.Slope(g, []float64{1, 1}); got != 5 {
		t.Errorf("the slope of the affine function is %v, want 5", got)
	}
	if got := probe.Slope(f, []float64{0.5, 0}); got*got < 10-1e-12 || got*got > 10+1e-12 {
		t.Errorf("the slope at (½, 0) is %v, want √10", got)
	}
}

// Along (1, −1) the corners (2, 0) and (0, 4) of [0, 2] × [0, 4] are farthest apart.
func TestExtremesByHand(t *testing.T) {
	set, err := convex.NewBox([]float64{0, 0}, []float64{2, 4})
	if err != nil {
		t.Fatal(err)
	}
	direction, x, y := []float64{1, -1}, make([]float64, 2), make([]float64, 2)
	convex.Extremes(set, direction, x, y)
	if !slices.Equal(x, []float64{2, 0}) || !slices.Equal(y, []float64{0, 4}) {
		t.Errorf("the ends are %v and %v, want [2 0] and [0 4]", x, y)
	}
	if !slices.Equal(direction, []float64{1, -1}) {
		t.Errorf("the direction is %v afterwards, want [1 -1]", direction)
	}
}
