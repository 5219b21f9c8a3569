package rounds

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
)

// The size of the terms of a function is at least what they add up to, at random points.
func TestSizeIsAtLeastTheValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	random := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 3 * rng.NormFloat64()
		}
		return v
	}
	for range 200 {
		form := &convex.Form{Const: rng.NormFloat64(), Lin: random(2), Quad: []float64{2, 0.5, 0.5, 1}}
		ridge := &convex.Ridge{Curve: convex.Softplus{}, Weight: 2, A: random(2), B: rng.NormFloat64()}
		line, x := &convex.Affine{A: random(2), B: rng.NormFloat64()}, random(2)
		for _, f := range []convex.Evaluator{
			&convex.Quadratic{Q: []float64{1, 0.2, 0.2, 3}, A: random(2), B: rng.NormFloat64()},
			&convex.Linear{A: random(1), First: 1}, line, ridge, form,
			&convex.Separable{Curve: convex.Exp{}, Weight: 1, Rate: random(2), Offset: 0.5},
			&convex.LeastSquares{H: random(4), Y: random(2)},
			&convex.Distance{Weight: 2, Center: random(2), Offset: rng.NormFloat64()},
			&convex.SquaredDistance{Weight: 2, Center: random(2), Offset: rng.NormFloat64()},
			&convex.ElasticNet{L1: 1, L2: 2, Offset: rng.NormFloat64()},
			&convex.Shifted{Base: line, Shift: rng.NormFloat64()},
			&convex.Max{Pieces: []*convex.Form{form, {Const: 1, Lin: random(2)}}},
			&convex.Composite{Const: rng.NormFloat64(), Lin: random(2), Diag: []float64{1, 2},
				Quad: []float64{1, 0, 0, 1}, Parts: []convex.Part{{Scale: rng.NormFloat64(), Func: line}}},
			&convex.Composite{Lin: random(2)},
		} {
			if size, v := new(roundReader).sizeOf(f, x), math.Abs(f.Value(x)); !(size >= v*(1-1e-12)) {
				t.Errorf("%T: the size is %v, less than the value %v", f, size, v)
			}
		}
	}
}

// The terms of the square (2x + y)²/2 at (3, −6) are 6, −6 and, beside them, the target 1: up to
// their signs, they add up to 13²/2.
func TestSizeOfLeastSquares(t *testing.T) {
	f := &convex.LeastSquares{H: []float64{2, 1}, Y: []float64{1}}
	if got := new(roundReader).sizeOf(f, []float64{3, -6}); got != 84.5 {
		t.Errorf("the size is %v, want 84.5", got)
	}
}
