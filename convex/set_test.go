package convex_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/errtest"
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

// Equal coordinates stay equal by symmetry, coordinates far below the largest one become 0, and
// large numbers lose no accuracy.
func TestProjectionsOfExtremePointsByHand(t *testing.T) {
	unit := simplex(4, 1)
	for _, c := range []struct {
		set     convex.Set
		x, want []float64
	}{
		{unit, []float64{0, 0, 0, 0}, []float64{.25, .25, .25, .25}},
		{unit, []float64{5, 5, 5, -100}, []float64{1. / 3, 1. / 3, 1. / 3, 0}},
		{unit, []float64{1e20, 0, 0, 0}, []float64{1, 0, 0, 0}},
		{unit, []float64{1e20, 1e20, -1e300, 0}, []float64{.5, .5, 0, 0}},
		{unit, []float64{-math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64, 0}, []float64{0, 1, 0, 0}},
		{unit, []float64{-1e20, -1e20, -1e20, -1e20}, []float64{.25, .25, .25, .25}},
		{unit, []float64{.5, .5, 0, 0}, []float64{.5, .5, 0, 0}},
		{unit, []float64{1, 0, 0, 0}, []float64{1, 0, 0, 0}},
		{unit, []float64{1.5, .5, .5, .5}, []float64{1, 0, 0, 0}},
		{ball(1e-8, 0, 0), []float64{3e300, -4e300}, []float64{.6e-8, -.8e-8}},
		{ball(1e-20, 0, 0), []float64{3e300, -4e300}, []float64{.6e-20, -.8e-20}},
		{convex.Cube(2, -1, 1), []float64{1e300, -1e300}, []float64{1, -1}},
	} {
		got, size := make([]float64, len(c.x)), vec.Norm(c.want)
		if c.set.Project(got, c.x); !(vec.Dist(got, c.want) <= 1e-15*size) {
			t.Errorf("the projection of %v on %+v is %v, want %v", c.x, c.set, got, c.want)
		}
	}
}

// The error of a box counts coordinates from 1.
func TestBadSetsAreRefused(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(convex.NewBox(nil, nil)), "got 0 and 0"},
		{second(convex.NewBox([]float64{1}, []float64{0})), "coordinate 1 has lower 1 > upper 0"},
		{second(convex.NewBox([]float64{0, 3, 0}, []float64{1, 2, 1})), "coordinate 2 has lower 3 > upper 2"},
		{second(convex.NewBox([]float64{1}, []float64{2, 3})), "got 1 and 2"},
		{second(convex.NewBox([]float64{math.NaN()}, []float64{2})), "finite bounds"},
		{second(convex.NewBox([]float64{0}, []float64{math.Inf(1)})), "finite bounds"},
		{second(convex.NewBall(nil, 1)), "at least one coordinate"},
		{second(convex.NewBall([]float64{0}, 0)), "positive radius"},
		{second(convex.NewBall([]float64{0}, math.NaN())), "positive radius"},
		{second(convex.NewBall([]float64{math.Inf(1)}, 1)), "finite centre"},
		{second(convex.NewSimplex(0, 1)), "at least one coordinate"},
		{second(convex.NewSimplex(2, -1)), "positive scale"},
		{second(convex.NewSimplex(2, math.Inf(1))), "positive scale"},
	} {
		errtest.Contains(t, c.err, c.want)
	}
}

func second[T any](_ T, err error) error { return err }

// A projection onto a simplex is exactly 0 off its support, and its sum is that of the simplex up
// to rounding. The support and the threshold are found by trying every size of the support.
func TestSimplexProjectionsHaveTheSupportOfTheTwin(t *testing.T) {
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
