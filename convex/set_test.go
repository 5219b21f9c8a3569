package convex_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func box(lower, upper []float64) convex.Set        { return must(convex.NewBox(lower, upper)) }
func ball(r float64, center ...float64) convex.Set { return must(convex.NewBall(center, r)) }
func simplex(n int, s float64) convex.Set          { return must(convex.NewSimplex(n, s)) }
func affine(b float64, a ...float64) *convex.Form {
	return convex.Lower(&convex.Affine{A: a, B: b}, len(a))
}

func TestSetsKeepTheLaws(t *testing.T) {
	for name, set := range map[string]convex.Set{
		"box=unit":         convex.Cube(1, -1, 1),
		"box=cube":         convex.Cube(3, 0, 1),
		"box=uneven":       box([]float64{-1, 2, 0}, []float64{5, 3, 1e-6}),
		"box=flat":         box([]float64{-1, 2, 0}, []float64{5, 2, 0}),
		"box=point":        box([]float64{1, 2}, []float64{1, 2}),
		"box=origin":       box([]float64{0, 0}, []float64{0, 0}),
		"box=huge":         convex.Cube(4, -1e8, 1e8),
		"box=tiny":         convex.Cube(2, -1e-8, 1e-8),
		"box=far":          box([]float64{1e8}, []float64{1e8 + 1}),
		"ball=unit":        ball(1, 0, 0),
		"ball=one":         ball(2, 1),
		"ball=shifted":     ball(0.5, 3, -2, 1),
		"ball=huge":        ball(1e8, 1, 1, 1, 1, 1),
		"ball=tiny":        ball(1e-8, 0, 0, 0),
		"ball=far":         ball(1e-3, 1e6, 0),
		"simplex=1":        simplex(1, 3),
		"simplex=2":        simplex(2, 1),
		"simplex=6":        simplex(6, 1),
		"simplex=huge":     simplex(4, 1e8),
		"simplex=tiny":     simplex(4, 1e-8),
		"simplex=hundreds": simplex(40, 2),
	} {
		t.Run(name, func(t *testing.T) { checkSet(t, set) })
	}
}

// TestSimplexProjectionTies: equal coordinates stay equal by symmetry, coordinates
// far below the largest one become 0, and large numbers lose no accuracy.
func TestSimplexProjectionTies(t *testing.T) {
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{0, 0, 0, 0}, []float64{.25, .25, .25, .25}},
		{[]float64{5, 5, 5, -100}, []float64{1. / 3, 1. / 3, 1. / 3, 0}},
		{[]float64{1e20, 0, 0, 0}, []float64{1, 0, 0, 0}},
		{[]float64{1e20, 1e20, -1e300, 0}, []float64{.5, .5, 0, 0}},
		{[]float64{-math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64, 0}, []float64{0, 1, 0, 0}},
		{[]float64{-1e20, -1e20, -1e20, -1e20}, []float64{.25, .25, .25, .25}},
		{[]float64{.5, .5, 0, 0}, []float64{.5, .5, 0, 0}},
		{[]float64{1, 0, 0, 0}, []float64{1, 0, 0, 0}},
		{[]float64{1.5, .5, .5, .5}, []float64{1, 0, 0, 0}},
	} {
		got := make([]float64, 4)
		simplex(4, 1).Project(got, c.x)
		if vec.Dist(got, c.want) > 1e-15 {
			t.Errorf("Π(%v) = %v, want %v", c.x, got, c.want)
		}
	}
}

func TestBadSetsAreRefused(t *testing.T) {
	for _, err := range []error{
		second(convex.NewBox(nil, nil)),
		second(convex.NewBox([]float64{1}, []float64{0})),
		second(convex.NewBox([]float64{1}, []float64{2, 3})),
		second(convex.NewBox([]float64{math.NaN()}, []float64{2})),
		second(convex.NewBox([]float64{0}, []float64{math.Inf(1)})),
		second(convex.NewBall(nil, 1)),
		second(convex.NewBall([]float64{0}, 0)),
		second(convex.NewBall([]float64{0}, math.NaN())),
		second(convex.NewBall([]float64{math.Inf(1)}, 1)),
		second(convex.NewSimplex(0, 1)),
		second(convex.NewSimplex(2, -1)),
		second(convex.NewSimplex(2, math.Inf(1))),
	} {
		if err == nil {
			t.Error("a bad set was made")
		}
	}
}

func second[T any](_ T, err error) error { return err }

// FuzzProject checks the laws of a projection at any point: it is a member, nearer
// than other members, and its own projection.
func FuzzProject(f *testing.F) {
	f.Add(0., 0., 0., 1.)
	f.Add(1e20, 0., -3., .5)
	f.Add(1e300, -1e300, 1e300, 1e-8)
	f.Add(.1, .2, .7, 1.)
	f.Fuzz(func(t *testing.T, a, b, c, s float64) {
		x := []float64{a, b, c}
		for _, v := range x {
			if !(math.Abs(v) < 1e300) { // a norm may exceed every number
				t.Skip("not a point")
			}
		}
		if !(s > 1e-100 && s < 1e100) {
			t.Skip("not a size")
		}
		for _, set := range []convex.Set{convex.Cube(3, -s, s), ball(s, 0, s, 0), simplex(3, s)} {
			p, q := make([]float64, 3), make([]float64, 3)
			set.Project(p, x)
			if r := set.Residual(p); !(r <= 1e-14*s) {
				t.Errorf("%T: Π(%v) = %v has residual %g", set, x, p, r)
			}
			set.Project(q, p)
			if d := vec.Dist(p, q); !(d <= 1e-14*s) {
				t.Errorf("%T: ΠΠ(%v) is %g from Π", set, x, d)
			}
			// No member is beyond the hyperplane at p.
			for i := range 3 {
				for _, sign := range []float64{-1, 1} {
					dir := make([]float64, 3)
					dir[i] = sign
					set.Support(q, dir)
					u, v := slices.Clone(x), slices.Clone(q)
					vec.Axpy(u, -1, p)
					vec.Axpy(v, -1, p)
					if got := vec.Dot(u, v); got > 1e-13*(vec.Norm(x)+s)*s {
						t.Errorf("%T: Π(%v) = %v is not the nearest point: ⟨x−Π, y−Π⟩ = %g for y = %v", set, x, p,
							got, q)
					}
				}
			}
		}
	})
}

// A projection onto a simplex is exactly 0 off its support, and its sum is that of the simplex up
// to rounding. The support and the threshold are found by trying every size of the support.
func TestSimplexProjectionBySupports(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 3))
	for range 500 {
		s := &convex.Simplex{N: 2 + rng.IntN(6), Scale: math.Exp(4 * rng.NormFloat64())}
		x, got := make([]float64, s.N), make([]float64, s.N)
		for i := range x {
			x[i] = s.Scale * rng.NormFloat64()
		}
		s.Project(got, x)
		sorted := slices.Sorted(slices.Values(x))
		slices.Reverse(sorted)
		sum, theta := 0.0, 0.0
		for k, v := range sorted {
			sum += v
			if next := (sum - s.Scale) / float64(k+1); v > next {
				theta = next
			}
		}
		total := 0.0
		for i, v := range got {
			total += v
			if want := max(0, x[i]-theta); math.Abs(v-want) > 1e-12*s.Scale || want == 0 && v != 0 {
				t.Fatalf("coordinate %d of the projection of %v is %v, want %v", i, x, v, want)
			}
		}
		if math.Abs(total-s.Scale) > 1e-15*s.Scale {
			t.Errorf("the sum is %v, want %v", total, s.Scale)
		}
	}
}

// The error of a box counts coordinates from 1.
func TestBoxSaysWhichCoordinate(t *testing.T) {
	for want, bounds := range map[string][2][]float64{
		"coordinate 2 has lower 3 > upper 2": {{0, 3, 0}, {1, 2, 1}},
		"coordinate 1 has lower 1 > upper 0": {{1}, {0}},
	} {
		if _, err := convex.NewBox(bounds[0], bounds[1]); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
