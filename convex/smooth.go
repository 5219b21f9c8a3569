package convex

import (
	"math"

	"ocobench/convex/vec"
)

// Curve is a twice differentiable convex function φ of one variable.
type Curve interface {
	Value(u float64) float64     // φ(u)
	Slope(u float64) float64     // φ'(u)
	Curvature(u float64) float64 // φ"(u)
}

// Exp is φ(u) = eᵘ.
type Exp struct{}

// Value implements [Curve].
func (Exp) Value(u float64) float64 { return vec.Exp(u) }

// Slope implements [Curve].
func (Exp) Slope(u float64) float64 { return vec.Exp(u) }

// Curvature implements [Curve].
func (Exp) Curvature(u float64) float64 { return vec.Exp(u) }

// NegLog is φ(u) = −log u, and +Inf where u ≤ 0.
type NegLog struct{}

// Value implements [Curve].
func (NegLog) Value(u float64) float64 {
	if !(u > 0) {
		return math.Inf(1)
	}
	return -vec.Log(u)
}

// Slope implements [Curve].
func (NegLog) Slope(u float64) float64 {
	if !(u > 0) {
		return math.Inf(-1)
	}
	return -1 / u
}

// Curvature implements [Curve].
func (NegLog) Curvature(u float64) float64 {
	if !(u > 0) {
		return math.Inf(1)
	}
	return 1 / float64(u*u)
}

// Softplus is φ(u) = log(1 + eᵘ), the logistic loss of the margin −u.
type Softplus struct{}

// Value implements [Curve].
func (Softplus) Value(u float64) float64 { return max(u, 0) + vec.Log(1+vec.Exp(-abs(u))) }

// Slope implements [Curve].
func (Softplus) Slope(u float64) float64 { return 1 / (1 + vec.Exp(-u)) }

// Curvature implements [Curve].
func (Softplus) Curvature(u float64) float64 {
	e := vec.Exp(-abs(u))
	return e / float64((1+e)*(1+e))
}

// valueAndSlope returns Value(u) and Slope(u). Where u ≥ 0 it evaluates one exponential, not two.
func (c Softplus) valueAndSlope(u float64) (value, slope float64) {
	if u < 0 {
		return c.Value(u), c.Slope(u)
	}
	e := 1 + vec.Exp(-u)
	return u + vec.Log(e), 1 / e
}

// evaluateCurve returns φ(u) and φ'(u).
func evaluateCurve(c Curve, u float64) (value, slope float64) {
	switch c := c.(type) {
	case Softplus:
		return c.valueAndSlope(u)
	case Exp:
		e := c.Value(u)
		return e, e
	}
	return c.Value(u), c.Slope(u)
}

// Ridge is f(x) = Weight·φ(A·x + B), Weight ≥ 0; make a [Basis] of it to use it
// in a round.
type Ridge struct {
	Curve  Curve
	Weight float64
	A      []float64
	B      float64
}

// Value implements [Evaluator]; O(n).
func (f *Ridge) Value(x []float64) float64 {
	return float64(f.Weight * f.Curve.Value(vec.Dot(f.A, x)+f.B))
}

// Subgrad implements [Evaluator]; O(n).
func (f *Ridge) Subgrad(dst, x []float64) {
	slope := f.Weight * f.Curve.Slope(vec.Dot(f.A, x)+f.B)
	for i, a := range f.A {
		dst[i] = slope * a
	}
}

// evaluate returns f(x), and adds scale times the gradient to dst.
func (f *Ridge) evaluate(dst []float64, scale float64, x []float64) float64 {
	value, slope := evaluateCurve(f.Curve, vec.Dot(f.A, x)+f.B)
	slope *= f.Weight
	dst = dst[:len(f.A)]
	for i, a := range f.A {
		dst[i] += float64(scale * float64(slope*a))
	}
	return float64(f.Weight * value)
}

// addHessian implements [hessianAdder].
func (f *Ridge) addHessian(dst, x []float64, s float64) {
	curvature := s * f.Weight * f.Curve.Curvature(vec.Dot(f.A, x)+f.B)
	n := len(x)
	if n >= vec.Long {
		addOuter(dst, curvature, f.A)
		return
	}
	for i, a := range f.A {
		if a != 0 { // many vectors are sparse
			vec.Axpy(dst[i*n:(i+1)*n], float64(curvature*a), f.A)
		}
	}
}

// addOuter adds s·aaᵀ to dst, for a long vector.
func addOuter(dst []float64, s float64, a []float64) {
	n := len(a)
	for i, v := range a {
		if v != 0 {
			vec.AxpyLong(dst[i*n:(i+1)*n], float64(s*v), a)
		}
	}
}

// Separable is the sum over single coordinates
//
//	f(x) = Weight · Σ_k φ(Rate_k x_{First+k} + Offset),   Weight ≥ 0;
//
// make a [Basis] of it to use it in a round.
type Separable struct {
	Curve  Curve
	Weight float64
	First  int // the first coordinate, from 0
	Rate   []float64
	Offset float64
}

// coordinates returns the part of x on which f depends.
func (f *Separable) coordinates(x []float64) []float64 { return x[f.First : f.First+len(f.Rate)] }

// Value implements [Evaluator]; O(n).
func (f *Separable) Value(x []float64) float64 {
	sum := 0.0
	for k, xi := range f.coordinates(x) {
		sum += f.Curve.Value(float64(f.Rate[k]*xi) + f.Offset)
	}
	return float64(f.Weight * sum)
}

// Subgrad implements [Evaluator]; O(n).
func (f *Separable) Subgrad(dst, x []float64) {
	clear(dst)
	out := f.coordinates(dst)
	for k, xi := range f.coordinates(x) {
		out[k] = f.Weight * f.Rate[k] * f.Curve.Slope(float64(f.Rate[k]*xi)+f.Offset)
	}
}

// evaluate returns f(x), and adds scale times the gradient to dst.
func (f *Separable) evaluate(dst []float64, scale float64, x []float64) float64 {
	sum := 0.0
	out := f.coordinates(dst)
	for k, xi := range f.coordinates(x) {
		u := float64(f.Rate[k]*xi) + f.Offset
		value, slope := evaluateCurve(f.Curve, u)
		sum += value
		out[k] += float64(scale * float64(f.Weight*f.Rate[k]*slope))
	}
	return float64(f.Weight * sum)
}

// addHessian implements [hessianAdder].
func (f *Separable) addHessian(dst, x []float64, s float64) {
	n := len(x)
	for k, xi := range f.coordinates(x) {
		i, r := f.First+k, f.Rate[k]
		dst[i*n+i] += float64(s * f.Weight * r * r * f.Curve.Curvature(float64(r*xi)+f.Offset))
	}
}
