package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/vec"
)

// TestCurvesHaveTheirDerivatives compares slopes and curvatures with difference quotients.
func TestCurvesHaveTheirDerivatives(t *testing.T) {
	for _, c := range []Curve{Exp{}, NegLog{}} {
		for _, u := range []float64{0.01, 0.5, 1, 3, 20} {
			const h = 1e-4
			for _, d := range []struct {
				what      string
				got, want float64
			}{
				{"slope", c.Slope(u), (c.Value(u*(1+h)) - c.Value(u*(1-h))) / (2 * h * u)},
				{"curvature", c.Curvature(u), (c.Slope(u*(1+h)) - c.Slope(u*(1-h))) / (2 * h * u)},
			} {
				if math.Abs(d.got-d.want) > 1e-5*math.Abs(d.want) {
					t.Errorf("%T: the %s at %v is %v, by differences %v", c, d.what, u, d.got, d.want)
				}
			}
		}
	}
	if v := (NegLog{}).Value(0); !math.IsInf(v, 1) {
		t.Errorf("−log 0: got %v, want +Inf", v)
	}
}

// hidden is an evaluator that does not know its Hessian.
type hidden struct{ Evaluator }

// TestHessiansAreDerivativesOfSubgradients compares Hessians with differences of subgradients.
func TestHessiansAreDerivativesOfSubgradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for round := range 200 {
		const n = 4
		a, x := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], x[i] = rng.Float64()-0.3, 0.2+rng.Float64()
		}
		if round%2 == 0 {
			a[2] = 0
		}
		form := NewForm(n)
		funcs := []Evaluator{
			&Ridge{Exp{}, 2, a, 0.5}, &Ridge{NegLog{}, 2, a, 2},
			&Separable{Exp{}, 3, 1, a[:2], 0.5}, &Separable{NegLog{}, 3, 0, a, 2},
			&Quadratic{Q: []float64{1, 2, 0, 0, 2, 5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, A: a},
		}
		ridge := &Single{Of: &Ridge{Exp{}, 1, a, 0}}
		funcs = append(funcs, ridge, &Linear{1, a[:2]}, &Composite{Lin: a, Diag: []float64{1, 0, 2, 0},
			Quad: funcs[4].(*Quadratic).Q, Parts: []Part{{2, ridge}, {1, &Linear{0, a}}}})
		for k, f := range funcs {
			NewBasis(f).AddTo(form, float64(k+1))
		}
		for _, f := range append(funcs, newCombination(form.Terms, form.Dim())) {
			got, want := make([]float64, n*n), make([]float64, n*n)
			addAnyHessian(f, got, x, 1.5, nil)
			addHessian(hidden{f}, want, x, 1.5)
			if d := vec.Dist(got, want); !(d <= 1e-4*(1+vec.Norm(want))) {
				t.Fatalf("%T: %v, by differences %v", f, got, want)
			}
		}
		// The same in some coordinates, or in none or all; of a combination that keeps its Hessian also
		// in others after those, and what it keeps is not computed again elsewhere.
		kept, elsewhere := newCombination(form.Terms, n), slices.Repeat([]float64{0.9}, n)
		kept.keep = true
		whole := append(funcs, kept, NewBasis(funcs[4]), &Shifted{Base: ridge, Shift: 1}, Freeze(ridge),
			&Form{Lin: a, Quad: funcs[4].(*Quadratic).Q, Terms: form.Terms})
		for _, on := range [][]int{{0, 2}, {1, 3}, nil, {}, nil, {0, 1, 2, 3}, nil, {1, 2, 3}, {3}} {
			in := on
			if on == nil {
				in = []int{0, 1, 2, 3}
			}
			for _, f := range whole {
				full, got := make([]float64, n*n), make([]float64, len(in)*len(in))
				addHessian(hidden{f}, full, x, 1.5)
				addAnyHessian(f, got, x, 1.5, on)
				if f == kept {
					addAnyHessian(f, got, elsewhere, 1.5, on)
					vec.Scale(got, 0.5)
				}
				for r, i := range in {
					for c, j := range in {
						if d := got[r*len(in)+c] - full[i*n+j]; !(math.Abs(d) <= 1e-4*(1+vec.Norm(full))) {
							t.Fatalf("%T in the coordinates %v: got %v, want %v by differences", f, on, got, full)
						}
					}
				}
			}
		}
		v, g, h := 0.0, make([]float64, n), make([]float64, n)
		for k, f := range funcs {
			v += float64(k+1) * f.Value(x)
			f.Subgrad(h, x)
			vec.Axpy(g, float64(k+1), h)
		}
		m := newCombination(form.Terms, form.Dim())
		m.Subgrad(h, x)
		if d := math.Abs(m.Value(x) - v); d > 1e-12*(1+math.Abs(v)) ||
			vec.Dist(g, h) > 1e-12*(1+vec.Norm(g)) {
			t.Fatalf("got the combination %v with gradient %v, want the sums %v and %v of its terms",
				m.Value(x), h, v, g)
		}
	}
}

// addAnyHessian adds s times the Hessian of f at x, in the coordinates on, to dst. A combination
// does that itself.
func addAnyHessian(f Evaluator, dst, x []float64, s float64, on []int) {
	if c, ok := f.(*combination); ok {
		c.AddHessian(dst, x, s, on)
	} else {
		addHessianOn(f, dst, x, s, on)
	}
}

// The Hessian of φ(⟨a, x⟩) is φ″·aaᵀ in many dimensions too, where rows are added otherwise.
func TestLongRidgesHaveTheirHessian(t *testing.T) {
	const n = vec.Long + 3
	a, x, got := make([]float64, n), make([]float64, n), make([]float64, n*n)
	for i := range a {
		a[i], x[i] = float64(i%5)-1, 1/float64(i+1)
	}
	addHessian(&Ridge{Exp{}, 2, a, 1}, got, x, 3)
	curvature := 3 * 2 * math.Exp(vec.Dot(a, x)+1)
	for k, v := range got {
		if want := curvature * a[k/n] * a[k%n]; math.Abs(v-want) > 1e-12*math.Abs(want) {
			t.Fatalf("element %d, %d is %v, want %v", k/n, k%n, v, want)
		}
	}
}
