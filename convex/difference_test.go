package convex_test

import (
	"math"
	"math/rand/v2"
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
		t.Run(c.what, func(t *testing.T) {
			n := c.set.Dim()
			if c.g == nil {
				c.g = c.f
			}
			d := convex.NewDifference(c.set)
			least, most, exact := d.Bounds(convex.Lower(c.f, n), convex.Lower(c.g, n))
			if !exact || math.Abs(least-c.least) > 1e-14 || math.Abs(most-c.most) > 1e-14 {
				t.Errorf("%v … %v, exact %v, want %v … %v", least, most, exact, c.least, c.most)
			}
		})
	}
}

// What holds at random points holds of the bounds; and bounds that are called exact are
// attained, as a search over points finds.
func TestBoundsOfDifferencesHoldAtRandomPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	exacts := 0
	for k := range 600 {
		n := 1 + rng.IntN(3)
		set := []convex.Set{convex.Cube(n, -1, 2), ball(1.5, make([]float64, n)...), simplex(n, 1.5)}[k%3]
		d := draw{rng, "normal"}
		next := func() convex.Func {
			switch kind := k / 3 % 5; {
			case kind == 0:
				return &convex.Affine{A: d.vector(n), B: d.number()}
			case kind == 1:
				return &convex.HalfSquaredDistance{Weight: rng.Float64(), Center: d.vector(n), Offset: d.number()}
			case kind == 2:
				return &convex.Quadratic{Q: d.psd(n), A: d.vector(n), B: d.number()}
			case kind == 3:
				return distance(1+rng.Float64(), d.number(), d.vector(n)...)
			}
			f := convex.NewForm(n)
			(&convex.Quadratic{Q: d.psd(n), A: d.vector(n)}).AddTo(f, 1)
			distance(1, 0, d.vector(n)...).AddTo(f, rng.Float64())
			return f
		}
		f, g := convex.Lower(next(), n), convex.Lower(next(), n)
		least, most, exact := convex.NewDifference(set).Bounds(f, g)
		low, high := math.Inf(1), math.Inf(-1)
		x, dir := make([]float64, n), make([]float64, n)
		look := func() {
			v := f.Value(x) - g.Value(x)
			low, high = min(low, v), max(high, v)
		}
		for range 4000 {
			for i := range dir {
				dir[i] = d.NormFloat64()
			}
			set.Support(x, dir)
			look()
			for i := range x {
				x[i] += rng.NormFloat64()
			}
			set.Project(x, x)
			look()
		}
		slack := 1e-12 * (1 + math.Abs(least) + math.Abs(most))
		if low < least-slack || high > most+slack {
			t.Errorf("%d: %T, n=%d: got %v … %v at points, want them within %v … %v", k, set, n, low, high,
				least, most)
		}
		if off := 0.05*(high-low) + slack; exact && (low > least+off || high < most-off) {
			t.Errorf("%d: %T, n=%d: got exact bounds %v … %v, want them near %v … %v at points", k, set, n,
				least, most, low, high)
		}
		if exact {
			exacts++
		}
	}
	if exacts < 200 {
		t.Errorf("got %d of 600 exact, want at least 200", exacts)
	}
}
