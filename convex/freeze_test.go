package convex_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ocobench/convex"
)

// A frozen function has the bits of the function, in the kernel's sums too, and
// nothing of it can be set.
func TestFrozenFunctionsHaveTheSameBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 3
	vector := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 2*rng.Float64() - 1
		}
		return v
	}
	basis := convex.NewBasis(&convex.Distance{Weight: 1, Center: vector()})
	for _, f := range []convex.Func{
		&convex.Affine{A: vector(), B: 0.1},
		&convex.Quadratic{Q: []float64{2, 0, 0, 0, 1, 0, 0, 0, 3}, A: vector(), B: 0.3},
		&convex.HalfSquaredDistance{Weight: 0.7, Center: vector(), Offset: 1},
		&convex.Shifted{Base: basis, Shift: 0.2},
		basis,
	} {
		g := convex.Freeze(f)
		if again := convex.Freeze(g); again != g {
			t.Errorf("%T: frozen twice: got another function, want the same", f)
		}
		x, a, b, scratch := vector(), make([]float64, n), make([]float64, n), make([]float64, n)
		f.Subgrad(a, x)
		g.Subgrad(b, x)
		if f.Value(x) != g.Value(x) || !slices.Equal(a, b) {
			t.Errorf("%T: at %v: got %v, %v frozen, want %v, %v", f, x, g.Value(x), b, f.Value(x), a)
		}
		if !reflect.DeepEqual(convex.Lower(f, n), convex.Lower(g, n)) {
			t.Errorf("%T: got form %+v frozen, want %+v", f, convex.Lower(g, n), convex.Lower(f, n))
		}
		convex.AddSubgrad(a, 0.3, f, x, scratch)
		convex.AddSubgrad(b, 0.3, g, x, scratch)
		if !slices.Equal(a, b) {
			t.Errorf("%T: got sum with a subgradient %v frozen, want %v", f, b, a)
		}
		total, twin := convex.NewForm(n), convex.NewForm(n)
		v, sum := total.Accumulate(f, x)
		if w, s := twin.Accumulate(g, x); v != w || sum != s || !reflect.DeepEqual(total, twin) {
			t.Errorf("%T: got accumulated %v, %v frozen, want %v, %v", f, w, s, v, sum)
		}
		if f != convex.Func(basis) && reflect.ValueOf(g).Kind() == reflect.Pointer {
			t.Errorf("%T: got a pointer, want a value that nobody can overwrite", f)
		}
	}
}
