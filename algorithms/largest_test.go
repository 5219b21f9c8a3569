package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// The largest of constraints is NaN if one of them is, wherever it stands: a learner
// that looks at the largest only must not overlook it.
func TestLargestOfNaNIsNaN(t *testing.T) {
	d, err := algorithms.NewDescent(algorithms.Setup{Set: convex.Cube(1, -1, 1)},
		algorithms.FirstAction{})
	if err != nil {
		t.Fatal(err)
	}
	constant := func(b float64) convex.Func { return &convex.Affine{A: []float64{0}, B: b} }
	nan := math.NaN()
	for _, values := range [][]float64{
		{nan}, {nan, 1, 2}, {1, nan, 2}, {1, 2, nan}, {-1, nan}, {-1, nan, -2},
	} {
		var gs []convex.Func
		for _, v := range values {
			gs = append(gs, constant(v))
		}
		if _, v := d.Largest(gs); !math.IsNaN(v) {
			t.Errorf("Largest(%v) = %v, want NaN", values, v)
		}
	}
	first, second := constant(3), constant(3)
	if g, v := d.Largest([]convex.Func{constant(-1), first, second, constant(2)}); g != first ||
		v != 3 {
		t.Errorf("the largest is %v, with the value %v, want the first of two that are 3", g, v)
	}
}
