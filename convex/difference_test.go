package convex_test

import (
	"math"
	"testing"

	"ocobench/convex"
)

// Differences whose extreme values are worked out by hand.
func TestDifferenceByHand(t *testing.T) {
	square := convex.Cube(2, 0, 2)
	disk := ball(2, 1, 0)
	triangle := simplex(3, 2)
	line := convex.Cube(1, -1, 3)
	for _, c := range []struct {
		what        string
		set         convex.Set
		f, g        convex.Func
		least, most float64
	}{
		{"a function and itself", square, distance(1, 0, 1, 1), nil, 0, 0},
		// x₁ − 2x₂ + 1 on [0, 2]².
		{"affine", square, &convex.Affine{A: []float64{3, -1}, B: 1}, &convex.Affine{A: []float64{2, 1}},
			-3, 3},
		// x₁ on the disk of radius 2 around (1, 0).
		{"affine on a disk", disk, &convex.Affine{A: []float64{1, 0}}, &convex.Affine{A: []float64{0, 0}},
			-1, 3},
		{"affine on a simplex", triangle, &convex.Affine{A: []float64{1, -1, 0}, B: 1},
			&convex.Affine{A: []float64{0, 0, 0}}, -1, 3},
		// x² − 2x on [−1, 3]: −1 at 1, and 3 at both ends.
		{"parabola", line, &convex.Quadratic{Q: []float64{2}, A: []float64{-2}},
			&convex.Affine{A: []float64{0}}, -1, 3},
		// −x² + 2x: the same, upside down.
		{"concave parabola", line, &convex.Affine{A: []float64{0}},
			&convex.Quadratic{Q: []float64{2}, A: []float64{-2}}, -3, 1},
		// x₁² − x₂² + x₂ on [0, 2]²: 0 … 4 plus −2 … 1/4.
		{"saddle", square, &convex.Quadratic{Q: []float64{2, 0, 0, 0}, A: []float64{0, 1}},
			&convex.Quadratic{Q: []float64{0, 0, 0, 2}, A: []float64{0, 0}}, -2, 4.25},
		// x₁² + x₂² on the disk: the origin is in it, and (3, 0) is farthest.
		{"squared norm on a disk", disk, &convex.HalfSquaredDistance{Weight: 2, Center: []float64{0, 0}},
			&convex.Affine{A: []float64{0, 0}}, 0, 9},
		// 9 − ‖x‖² upside down.
		{"minus the squared norm on a disk", disk, &convex.Affine{A: []float64{0, 0}, B: 9},
			&convex.HalfSquaredDistance{Weight: 2, Center: []float64{0, 0}}, 0, 9},
		// x₁² + x₂ on the simplex of scale 2: 4 at (2, 0, 0), 0 at (0, 0, 2).
		{"quadratic on a simplex", triangle,
			&convex.Quadratic{Q: []float64{2, 0, 0, 0, 0, 0, 0, 0, 0}, A: []float64{0, 1, 0}},
			&convex.Affine{A: []float64{0, 0, 0}}, 0, 4},
		// A basis that is quadratic is treated as such.
		{"quadratic basis", line, convex.NewBasis(&convex.Quadratic{Q: []float64{2}, A: []float64{-2}}),
			&convex.Affine{A: []float64{0}}, -1, 3},
	} {
		n := c.set.Dim()
		if c.g == nil {
			c.g = c.f
		}
		d := convex.NewDifference(c.set)
		least, most, exact := d.Bounds(convex.Lower(c.f, n), convex.Lower(c.g, n))
		if !exact || math.Abs(least-c.least) > 1e-14 || math.Abs(most-c.most) > 1e-14 {
			t.Errorf("%s: %v … %v, exact %v, want %v … %v", c.what, least, most, exact, c.least, c.most)
		}
	}
}

// The basis max(0, x + y)² has the tangent 0 at the origin. Its largest value is 2 on the
// unit disk and 4 on [−1, 1]², and so it is at √2·e_1 and at 2·e_1.
func TestDifferenceOfBases(t *testing.T) {
	basis := convex.NewBasis(squaredHinges{[]*convex.Form{affine(0, 1, 1)}})
	for _, c := range []struct {
		set   convex.Set
		scale float64
		least float64
		most  float64
	}{
		{ball(1, 0, 0), 1, 0, 2},
		{ball(1, 0, 0), -3, -6, 0},
		{convex.Cube(2, -1, 1), 1, 0, 4},
		{convex.Cube(2, -1, 1), -1, -4, 0},
		{simplex(2, 1), 5, 5, 5},
	} {
		f, g := convex.NewForm(2), convex.NewForm(2)
		basis.AddTo(f, 10+c.scale)
		basis.AddTo(g, 10)
		least, most, exact := convex.NewDifference(c.set).Bounds(f, g)
		if exact || math.Abs(least-c.least) > 1e-12 || math.Abs(most-c.most) > 1e-12 {
			t.Errorf("%T, %v times: %v … %v, exact %v, want %v … %v", c.set, c.scale, least, most, exact,
				c.least, c.most)
		}
	}
}

// Bounds takes no memory.
func TestDifferenceAllocates(t *testing.T) {
	d := convex.NewDifference(convex.Cube(2, -1, 1))
	basis := distance(1, 0, 2, 2)
	f, g := convex.NewForm(2), convex.Lower(
		&convex.HalfSquaredDistance{Weight: 1, Center: []float64{1, 0}}, 2)
	basis.AddTo(f, 2)
	basis.AddTo(g, 1)
	d.Bounds(f, g)
	if a := testing.AllocsPerRun(100, func() { d.Bounds(f, g) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}
