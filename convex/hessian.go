package convex

import (
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/sqp"
	"ocobench/convex/vec"
)

// This file has what sequential programs ask of a function: its Hessian, and the multiple of ‖x‖₁
// in it.

// function is a convex function as [sqp.Function].
type function struct{ Evaluator }

var _ sqp.Function = function{}

// AddHessian implements [sqp.Function].
func (f function) AddHessian(dst, x []float64, s float64, on []int) {
	addHessianOn(f.Evaluator, dst, x, s, on)
}

// Norm1 implements [sqp.Function].
func (f function) Norm1() float64 { return norm1Factor(f.Evaluator) }

// hessianAdder is an evaluator that knows its second derivatives.
type hessianAdder interface {
	// addHessian adds s times the Hessian at x, n×n by rows, to dst.
	addHessian(dst, x []float64, s float64)
}

// addHessian implements [hessianAdder].
func (f *Affine) addHessian([]float64, []float64, float64) {}

// addHessian implements [hessianAdder].
func (f *Quadratic) addHessian(dst, _ []float64, s float64) { vec.Axpy(dst, s, f.Q) }

// addHessian implements [hessianAdder].
func (f *HalfSquaredDistance) addHessian(dst, x []float64, s float64) {
	for i := range x {
		dst[i*len(x)+i] += float64(s * f.Weight)
	}
}

// addHessian implements [hessianAdder].
func (f *Form) addHessian(dst, x []float64, s float64) {
	if f.hasQuad() {
		vec.Axpy(dst, s, f.Quad)
	}
	for _, t := range f.Terms {
		addHessian(t.Basis, dst, x, float64(s*t.Scale))
	}
}

// addHessian implements [hessianAdder]. The Hessian of a norm is (I − uuᵀ)/‖x−c‖, u being the unit
// vector of x−c.
func (f *Distance) addHessian(dst, x []float64, s float64) {
	n, d := len(x), vec.Dist(x, f.Center)
	if d == 0 {
		return
	}
	s = float64(s * (f.Weight / d))
	for i := range n {
		u := (x[i] - f.Center[i]) / d
		dst[i*n+i] += s
		for j := range n {
			dst[i*n+j] -= float64(s * float64(u*((x[j]-f.Center[j])/d)))
		}
	}
}

// addHessian adds s times the Hessian of f at x to dst. If f does not know its
// Hessian, it is approximated by differences of subgradients.
func addHessian(f Evaluator, dst, x []float64, s float64) {
	f = contentOf(f)
	if f, ok := f.(hessianAdder); ok {
		f.addHessian(dst, x, s)
		return
	}
	n := len(x)
	h := 1e-6 * max(vec.Norm(x), 1e-3) // the step of the differences
	y, g, g0 := slices.Clone(x), make([]float64, n), make([]float64, n)
	f.Subgrad(g0, x)
	for i := range n {
		step := h
		if x[i] > 0 { // towards the origin, where sets tend to be
			step = -h
		}
		y[i] = x[i] + step
		f.Subgrad(g, y)
		for j := range n {
			v := float64(s*(g[j]-g0[j])) / (2 * (y[i] - x[i]))
			dst[i*n+j] += v
			dst[j*n+i] += v
		}
		y[i] = x[i]
	}
}

// addHessianOn adds s times the Hessian of f at x in the coordinates on to dst. If on is nil, it
// is addHessian.
func addHessianOn(f Evaluator, dst, x []float64, s float64, on []int) {
	if on == nil {
		addHessian(f, dst, x, s)
		return
	}
	switch f := contentOf(f).(type) {
	case *Form:
		matrix.AddOn(dst, s, f.Quad, on, len(x))
		for _, t := range f.Terms {
			addHessianOn(t.Basis, dst, x, float64(s*t.Scale), on)
		}
	case *Quadratic:
		matrix.AddOn(dst, s, f.Q, on, len(x))
	case *Ridge:
		f.addHessianOn(dst, x, s, on)
	default:
		full := make([]float64, len(x)*len(x))
		addHessian(f, full, x, s)
		matrix.AddOn(dst, 1, full, on, len(x))
	}
}

// addHessianOn adds s times the Hessian φ″·aaᵀ at x, in the coordinates on, to dst.
func (f *Ridge) addHessianOn(dst, x []float64, s float64, on []int) {
	curvature := s * f.Weight * f.Curve.Curvature(vec.Dot(f.A, x)+f.B)
	k := len(on)
	for r, i := range on {
		if f.A[i] == 0 {
			continue
		}
		a, to := float64(curvature*f.A[i]), dst[r*k:(r+1)*k]
		for c, j := range on {
			to[c] += float64(a * f.A[j])
		}
	}
}

// norm1Factor returns the coefficient of ‖x‖₁ in f.
func norm1Factor(f Evaluator) float64 {
	switch f := contentOf(f).(type) {
	case *ElasticNet:
		return f.L1
	case *Form:
		return norm1FactorOfTerms(f.Terms)
	case *Composite:
		sum := 0.0
		for _, p := range f.Parts {
			sum += float64(p.Scale * norm1Factor(p.Func))
		}
		return sum
	}
	return 0
}

// norm1FactorOfTerms returns the coefficient of ‖x‖₁ in a sum of terms.
func norm1FactorOfTerms(terms []Term) (sum float64) {
	for _, t := range terms {
		sum += float64(t.Scale * norm1Factor(t.Basis))
	}
	return sum
}
