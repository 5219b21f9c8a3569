package averages

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
)

// affine returns the function a·x + b.
func affine(b float64, a ...float64) *convex.Affine { return &convex.Affine{A: a, B: b} }

// isNear reports whether a and b differ by at most tol.
func isNear(a, b, tol float64) bool { return math.Abs(a-b) <= tol }

// The deepest point is as deep as the deepest of a grid, and by hand: x − 1 and
// 0.2 − x/2 on [0, 1] meet at 0.8, at −0.2.
func TestDeepestAgreesWithGrid(t *testing.T) {
	z, margin, err := Deepest(convex.Cube(1, 0, 1),
		[]*convex.Form{convex.Lower(affine(-1, 1), 1), convex.Lower(affine(0.2, -0.5), 1)})
	if err != nil || !isNear(z[0], 0.8, 1e-8) || !isNear(margin, 0.2, 1e-8) {
		t.Errorf("got %v, margin %v, error %v, want 0.8, 0.2", z, margin, err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 100 {
		var set convex.Set = convex.Cube(2, -1, 1)
		if trial%2 == 1 {
			set, _ = convex.NewBall([]float64{0, 0}, 1)
		}
		var fs []*convex.Form
		for range 1 + rng.IntN(6) {
			f := convex.Lower(affine(rng.Float64()-0.5, 2*rng.Float64()-1, 2*rng.Float64()-1), 2)
			if trial%3 == 0 {
				(&convex.HalfSquaredDistance{Weight: rng.Float64(),
					Center: []float64{rng.Float64(), rng.Float64()}}).AddTo(f, 1)
			}
			fs = append(fs, f)
		}
		_, margin, err := Deepest(set, fs)
		if err != nil {
			t.Fatal(err)
		}
		best := math.Inf(1)
		const steps = 200
		for i := range steps + 1 {
			for j := range steps + 1 {
				x := []float64{2*float64(i)/steps - 1, 2*float64(j)/steps - 1}
				if set.Residual(x) > 0 {
					continue
				}
				worst := math.Inf(-1)
				for _, f := range fs {
					worst = max(worst, f.Value(x))
				}
				best = min(best, worst)
			}
		}
		if margin < -best-1e-9 || margin > -best+0.05 {
			t.Errorf("trial %d, %d functions: got margin %v, want just above %v as on the grid", trial,
				len(fs), margin, -best)
		}
	}
}

// unbounded is +∞ at every point, with subgradients of 0.
type unbounded struct{}

func (unbounded) Value([]float64) float64 { return math.Inf(1) }
func (unbounded) Subgrad(g, _ []float64)  { clear(g) }

// A minimisation that fails is an error, of one function, and of the first or last of two.
func TestDeepestReturnsFailedMinimisation(t *testing.T) {
	set, fine, none := convex.Cube(1, 0, 1), convex.Lower(affine(-0.5, 1), 1), convex.NewForm(1)
	convex.NewBasis(unbounded{}).AddTo(none, 1)
	for _, fs := range [][]*convex.Form{{none}, {none, fine}, {fine, none}} {
		if z, margin, err := Deepest(set, fs); err == nil {
			t.Errorf("got the deepest point %v, %v deep, want an error", z, margin)
		}
		if gamma, err := Threshold(set, fine, fs); err == nil {
			t.Errorf("got threshold %v, want an error", gamma)
		}
		if gamma, err := Threshold(set, none, []*convex.Form{fine}); err == nil {
			t.Errorf("such a loss: got threshold %v, want an error", gamma)
		}
	}
}

// Multipliers by hand: min −x_1 − 3x_2 with x_1 ≤ ½ and x_2 ≤ ¼ has 1 and 3;
// min (x−1)² with x ≤ ½ has 1; where nothing binds there is none to pay.
func TestThresholdByHand(t *testing.T) {
	form := func(n int, f convex.Func) *convex.Form { return convex.Lower(f, n) }
	for _, c := range []struct {
		set  convex.Set
		loss *convex.Form
		fs   []*convex.Form
		want float64
	}{
		{convex.Cube(2, -1, 1), form(2, affine(0, -1, -3)),
			[]*convex.Form{form(2, affine(-0.5, 1, 0)), form(2, affine(-0.25, 0, 1))}, 3},
		{convex.Cube(1, -2, 2), form(1, &convex.HalfSquaredDistance{Weight: 2, Center: []float64{1}}),
			[]*convex.Form{form(1, affine(-0.5, 1))}, 1},
		{convex.Cube(1, -1, 1), form(1, affine(0, -1)), []*convex.Form{form(1, affine(-2, 1))}, 0},
		{convex.Cube(1, -10, 10), form(1, affine(0, -2)), []*convex.Form{form(1, affine(-0.009, 0.1))},
			20},
	} {
		got, err := Threshold(c.set, c.loss, c.fs)
		if err != nil || got == nil || !isNear(*got, c.want, 1e-5) {
			t.Errorf("%v: got %v, %v", c.want, got, err)
		}
	}
	if got, err := Threshold(convex.Cube(1, 0, 1), form(1, affine(0, -1)),
		[]*convex.Form{form(1, affine(1, 1))}); got != nil || err != nil {
		t.Errorf("a constraint that nothing satisfies: got threshold %v, error %v, want none", got, err)
	}
}

// −ax over [0, 1] with the hinge γ·max(0, x − ½) is least at ½ from γ = a on.
func TestThresholdIsSharp(t *testing.T) {
	for _, a := range []float64{0.3, 1, 3, 777} {
		loss := &convex.Form{Lin: []float64{-a}}
		got, err := Threshold(convex.Cube(1, 0, 1), loss,
			[]*convex.Form{{Lin: []float64{1}, Const: -0.5}})
		if err != nil || got == nil || *got < a*(1-1e-12) || *got > a*(1+2e-7) {
			t.Errorf("a = %v: got threshold %v, error %v, want a", a, *got, err)
		}
	}
	if got, err := Threshold(convex.Cube(1, 0, 1), &convex.Form{Lin: []float64{1}},
		[]*convex.Form{{Lin: []float64{1}, Const: -0.5}}); err != nil || got == nil ||
		math.Abs(*got) > 0 {
		t.Errorf("a loss that grows: got %v, error %v, want 0", got, err)
	}
}
