package convex

import (
	"math"
	"slices"

	"ocobench/convex/internal/matrix"
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

// both is Value and Slope, with one exponential function where u ≥ 0.
func (c Softplus) both(u float64) (value, slope float64) {
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
		return c.both(u)
	case Exp:
		e := c.Value(u)
		return e, e
	}
	return c.Value(u), c.Slope(u)
}

// Curvature implements [Curve].
func (Softplus) Curvature(u float64) float64 {
	e := vec.Exp(-abs(u))
	return e / float64((1+e)*(1+e))
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
	u := vec.Dot(f.A, x) + f.B
	var value, slope float64
	if c, ok := f.Curve.(Softplus); ok {
		value, slope = c.both(u)
	} else {
		value, slope = f.Curve.Value(u), f.Curve.Slope(u)
	}
	slope *= f.Weight
	dst = dst[:len(f.A)]
	for i, a := range f.A {
		dst[i] += float64(scale * float64(slope*a))
	}
	return float64(f.Weight * value)
}

func (f *Ridge) addHessian(dst, x []float64, s float64) {
	curvature := s * f.Weight * f.Curve.Curvature(vec.Dot(f.A, x)+f.B)
	n := len(x)
	if n >= vec.Long {
		addOuter(dst, curvature, f.A)
		return
	}
	for i, a := range f.A {
		if a != 0 { // many are sparse
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

// part returns the coordinates of x on which f depends.
func (f *Separable) part(x []float64) []float64 { return x[f.First : f.First+len(f.Rate)] }

// Value implements [Evaluator]; O(n).
func (f *Separable) Value(x []float64) float64 {
	sum := 0.0
	for k, xi := range f.part(x) {
		sum += f.Curve.Value(float64(f.Rate[k]*xi) + f.Offset)
	}
	return float64(f.Weight * sum)
}

// Subgrad implements [Evaluator]; O(n).
func (f *Separable) Subgrad(dst, x []float64) {
	clear(dst)
	out := f.part(dst)
	for k, xi := range f.part(x) {
		out[k] = f.Weight * f.Rate[k] * f.Curve.Slope(float64(f.Rate[k]*xi)+f.Offset)
	}
}

// evaluate returns f(x), and adds scale times the gradient to dst.
func (f *Separable) evaluate(dst []float64, scale float64, x []float64) float64 {
	sum := 0.0
	out := f.part(dst)
	for k, xi := range f.part(x) {
		u := float64(f.Rate[k]*xi) + f.Offset
		value, slope := evaluateCurve(f.Curve, u)
		sum += value
		out[k] += float64(scale * float64(f.Weight*f.Rate[k]*slope))
	}
	return float64(f.Weight * sum)
}

func (f *Separable) addHessian(dst, x []float64, s float64) {
	n := len(x)
	for k, xi := range f.part(x) {
		i, r := f.First+k, f.Rate[k]
		dst[i*n+i] += float64(s * f.Weight * r * r * f.Curve.Curvature(float64(r*xi)+f.Offset))
	}
}

// combination is a linear combination of bases as one function. It may have as many
// terms as there are rounds, if every loss is a new function.
type combination struct {
	terms []Term
	work  []float64 // of length n

	// The Hessian last computed, of the sum of summed. With keep, further scales and
	// terms are added to it, each at the point of its own time.
	keep    bool
	hessian []float64
	summed  []Term
	on      []int // the coordinates of the Hessian; empty: all

	diagonal bool // the Hessians of all terms are

	// What evaluate last computed.
	at        []float64
	evaluated []Term
	value     float64
	grad      []float64
}

func newCombination(terms []Term, n int) *combination {
	return &combination{terms: terms, work: make([]float64, n), grad: make([]float64, n)}
}

// isWorthKeeping reports whether there is a Hessian that costs much to compute again.
func (c *combination) isWorthKeeping() bool {
	return len(c.summed) > 0 && slices.ContainsFunc(c.terms, func(t Term) bool {
		_, cheap := t.Basis.f.(*Separable)
		return !cheap
	})
}

// keepFor drops the Hessian that is kept unless its terms are the first of these.
func (c *combination) keepFor(terms []Term) {
	for k, t := range c.summed {
		if k >= len(terms) || terms[k].Basis != t.Basis {
			c.summed = c.summed[:0]
			return
		}
	}
}

// Value implements [Evaluator].
func (c *combination) Value(x []float64) float64 {
	v := 0.0
	for _, t := range c.terms {
		v += float64(t.Scale * t.Basis.Value(x))
	}
	return v
}

// Subgrad implements [Evaluator].
func (c *combination) Subgrad(dst, x []float64) {
	clear(dst)
	for _, t := range c.terms {
		t.Basis.Subgrad(c.work, x)
		vec.Axpy(dst, t.Scale, c.work)
	}
}

// evaluate is Value and Subgrad. At the point where it was called last it adds only
// the terms that are new.
func (c *combination) evaluate(dst, x []float64) float64 {
	known := len(c.evaluated)
	if known > len(c.terms) || !slices.Equal(c.at, x) || !slices.Equal(c.evaluated, c.terms[:known]) {
		c.at = append(c.at[:0], x...)
		c.evaluated, c.value = c.evaluated[:0], 0
		clear(c.grad)
		known = 0
	}
	for _, t := range c.terms[known:] {
		v := 0.0
		if f, ok := t.Basis.f.(*Ridge); ok { // faster than a type switch
			v = f.evaluate(c.grad, t.Scale, x)
		} else if f, ok := t.Basis.f.(*Separable); ok {
			v = f.evaluate(c.grad, t.Scale, x)
		} else {
			v = t.Basis.Value(x)
			t.Basis.Subgrad(c.work, x)
			vec.Axpy(c.grad, t.Scale, c.work)
		}
		c.value += float64(t.Scale * v)
	}
	c.evaluated = append(c.evaluated, c.terms[known:]...)
	copy(dst, c.grad)
	return c.value
}

func (c *combination) addHessian(dst, x []float64, s float64) {
	if len(c.hessian) != len(dst) {
		c.hessian, c.on, c.summed = make([]float64, len(dst)), nil, c.summed[:0]
	}
	if c.diagonal && !c.keep {
		c.addDiagonalHessian(dst, x, s)
		return
	}
	if !c.keep {
		clear(c.hessian)
		c.summed = c.summed[:0]
	}
	c.sumHessian(x, nil)
	matrix.Add(dst, s, c.hessian)
}

// sumHessian adds what is new of the terms to the Hessian that is kept, in the coordinates on.
func (c *combination) sumHessian(x []float64, on []int) {
	for k, t := range c.terms {
		if k == len(c.summed) {
			c.summed = append(c.summed, Term{t.Basis, 0})
		}
		if last := &c.summed[k]; last.Scale != t.Scale {
			if on == nil {
				t.Basis.addHessian(c.hessian, x, t.Scale-last.Scale)
			} else {
				addHessianOn(t.Basis, c.hessian, x, t.Scale-last.Scale, on)
			}
			last.Scale = t.Scale
		}
	}
}
