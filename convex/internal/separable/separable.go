// Package separable solves programs over a box in which one function Φ, a sum over single
// coordinates, joins the coordinates,
//
//	min Σ_i (c_i x_i + ½h_i x_i²) + max over 0 ≤ λ ≤ cap of λ(Φ(x) + b),   h ≥ 0,
//
// which is the constraint Φ(x) + b ≤ 0 where cap is +Inf, the hinge cap·max(0, Φ(x) + b)
// where it is not, and the function alone where it is 0.
//
// For a given λ the coordinates are apart: x_i(λ) is the root of the increasing function
//
//	c_i + h_i x + λ·∂Φ/∂x_i,
//
// cut to the box, which is found by Newton's method with bisection as a safeguard. The sum Φ(x(λ))
// falls with λ. So λ is 0 or cap, or the root of Φ(x(λ)) + b, which is found in the same way. A
// value of λ costs O(n). A coordinate whose c, h, rate and bounds are those of the one before has
// the same root. No matrix is stored.
//
// In many dimensions this replaces sequential programs, which cost O(n²) a bound that becomes
// active. The certificate is the same: the tangent at x of the Lagrangian at λ bounds the least
// value.
package separable

import (
	"math"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// Curve is a twice differentiable convex function φ of one variable.
type Curve interface {
	Value(u float64) float64     // φ(u)
	Slope(u float64) float64     // φ'(u)
	Curvature(u float64) float64 // φ"(u)
}

// Function is Φ(x) = Weight · Σ_k φ(Rate_k x_{First+k} + Offset).
type Function struct {
	Curve  Curve
	Weight float64
	First  int
	Rate   []float64
	Offset float64
}

// value returns Φ(x).
func (f *Function) value(x []float64) float64 {
	sum := 0.0
	for k, r := range f.Rate {
		sum += f.Curve.Value(float64(r*x[f.First+k]) + f.Offset)
	}
	return float64(f.Weight * sum)
}

// gradient writes the gradient of Φ at x to dst.
func (f *Function) gradient(dst, x []float64) {
	clear(dst)
	for k, r := range f.Rate {
		dst[f.First+k] = f.Weight * r * f.Curve.Slope(float64(r*x[f.First+k])+f.Offset)
	}
}

// Solver is a program and its last solution. The zero value is ready for use in one dimension n.
type Solver struct {
	box  quadprog.Domain
	obj  quadprog.Quadratic
	prox quadprog.Prox
	f    Function // Φ; without a curve: none
	b    float64
	cap  float64
	c, h []float64 // of the package's formula, with the regulariser

	lambda float64
	x      []float64 // x(λ)
	value  float64   // Φ(x) + b
	size   float64   // the sum of the sizes of its terms
	rate   float64   // minus the derivative of value in λ
	steps  int       // the number of values of λ

	kept       []float64 // x(λ) for keptLambda: the feasible one of least λ so far
	keptLambda float64

	grad, row, work []float64 // scratch
}

// SetObjective sets the objective obj plus the regulariser over a box, without Φ. It reports
// whether it is separable.
func (m *Solver) SetObjective(box quadprog.Domain, obj quadprog.Quadratic,
	prox quadprog.Prox) bool {
	n := len(obj.Lin)
	if len(m.c) != n {
		for _, v := range []*[]float64{&m.c, &m.h, &m.x, &m.kept, &m.grad, &m.row, &m.work} {
			*v = make([]float64, n)
		}
	}
	m.box, m.obj, m.prox, m.f, m.b, m.cap, m.steps = box, obj, prox, Function{}, 0, 0, 0
	copy(m.c, obj.Lin)
	clear(m.h)
	clear(m.x)
	if !matrix.IsZero(obj.Q, n) {
		if !matrix.IsDiagonal(obj.Q, n) {
			return false
		}
		for i := range n {
			if m.h[i] = obj.Q[i*n+i]; m.h[i] < 0 {
				return false
			}
		}
	}
	if sigma := 2 * prox.Weight; sigma > 0 {
		vec.Axpy(m.c, -sigma, prox.Center)
		for i := range m.h {
			m.h[i] += sigma
		}
	}
	return true
}

// AddHinge adds max over 0 ≤ λ ≤ cap of λ(Φ(x) + b).
func (m *Solver) AddHinge(f Function, b, cap float64) { m.f, m.b, m.cap = f, b, cap }

// Minimize writes the minimiser to dst and certifies it. ok is false if λ was not found, as when
// the constraint leaves no point.
func (m *Solver) Minimize(dst []float64) (cert quadprog.Certificate, ok bool) {
	if !m.findLambda() {
		return quadprog.Certificate{}, false
	}
	m.box.Project(dst, m.x)
	return m.certify(dst), true
}

// Steps returns how many values of λ the last solution took.
func (m *Solver) Steps() int { return m.steps }

// Lambda returns λ of the last solution.
func (m *Solver) Lambda() float64 { return m.lambda }

// findLambda finds λ and x(λ), by Newton's method with bisection as a safeguard, and reports
// whether it did.
func (m *Solver) findLambda() bool {
	const maxSteps, rounding = 200, 4e-16
	m.setLambda(0)
	if m.f.Curve == nil || m.value <= 0 || m.cap == 0 {
		return !math.IsNaN(m.value)
	}
	if !math.IsInf(m.cap, 1) {
		if m.setLambda(m.cap); m.value >= 0 {
			return true
		}
		m.keep()
		m.setLambda(0)
	}
	lo, hi := 0.0, m.cap // the value is above 0 at lo, and at most 0 at hi
	unit := m.unit()
	largest := 1e20 * unit // beyond, the constraint leaves no point
	next := unit
	if m.rate > 0 {
		next = m.value / m.rate
	}
	if !(next < hi) {
		next = hi / 2
	}
	for m.steps < maxSteps {
		m.setLambda(next)
		switch v := m.value; {
		case math.IsNaN(v) || next > largest:
			return false
		case v > 0:
			lo = next
		case v >= -float64(rounding*m.size):
			return true
		default:
			hi = next
			m.keep()
		}
		// Newton's step, to a value below 0 by half of the rounding that is allowed.
		next = m.lambda + (m.value+float64(rounding/2*m.size))/m.rate
		switch {
		case next > lo && next < hi: // and not NaN
			continue
		case math.IsInf(hi, 1):
			next = 8 * lo
		case lo == 0:
			next = hi / 8
		default:
			next = math.Sqrt(lo) * math.Sqrt(hi)
		}
		if !(next > lo && next < hi) {
			m.recall() // no number is between lo and hi
			return true
		}
	}
	return false
}

// keep keeps λ and x(λ), which is feasible, for recall. Computing x(λ) again could give other bits,
// since roots are found from those of the last λ.
func (m *Solver) keep() {
	m.keptLambda = m.lambda
	copy(m.kept, m.x)
}

// recall returns to what keep kept.
func (m *Solver) recall() {
	m.lambda = m.keptLambda
	copy(m.x, m.kept)
}

// unit returns a value of λ at which the two parts of the objective have slopes of the same size.
func (m *Solver) unit() float64 {
	slopes := vec.Norm(m.c)
	m.f.gradient(m.grad, m.x)
	steepest := vec.Norm(m.grad)
	if !(slopes > 0) || !(steepest > 0) || math.IsInf(steepest, 1) {
		return 1
	}
	return slopes / steepest
}

// setLambda sets λ, and computes x(λ), the value there, and its rate.
func (m *Solver) setLambda(lambda float64) {
	m.steps++
	m.lambda, m.value, m.size, m.rate = lambda, m.b, math.Abs(m.b), 0
	first, end := 0, 0
	if m.f.Curve != nil {
		first, end = m.f.First, m.f.First+len(m.f.Rate)
	}
	for i := range m.x {
		if i < first || i >= end {
			m.x[i] = m.vertex(i)
		}
	}
	if m.f.Curve == nil {
		return
	}
	sum, size, value, rate := 0.0, 0.0, 0.0, 0.0
	for k, r := range m.f.Rate {
		i := first + k
		if k == 0 || !m.repeats(i, k) {
			m.x[i] = m.root(i, r)
			u := float64(r*m.x[i]) + m.f.Offset
			value, rate = m.f.Curve.Value(u), 0
			if m.x[i] > m.box.Lower[i] && m.x[i] < m.box.Upper[i] {
				slope := m.f.Weight * r * m.f.Curve.Slope(u)
				rate = float64(slope*slope) / (m.h[i] + m.curvature(r, u))
			}
		} else {
			m.x[i] = m.x[i-1]
		}
		sum += value
		size += math.Abs(value)
		m.rate += rate
	}
	m.value = float64(m.f.Weight*sum) + m.b
	m.size += float64(m.f.Weight * size)
}

// repeats reports whether coordinate i, number k of Φ, has the numbers of the one before.
func (m *Solver) repeats(i, k int) bool {
	return m.c[i] == m.c[i-1] && m.h[i] == m.h[i-1] && m.f.Rate[k] == m.f.Rate[k-1] &&
		m.box.Lower[i] == m.box.Lower[i-1] && m.box.Upper[i] == m.box.Upper[i-1]
}

// vertex returns the minimiser of c_i x + ½h_i x² over coordinate i of the box, or the lower end if
// all points are minimisers.
func (m *Solver) vertex(i int) float64 {
	lo, hi := m.box.Lower[i], m.box.Upper[i]
	switch {
	case m.h[i] > 0:
		return min(max(lo, -m.c[i]/m.h[i]), hi)
	case m.c[i] < 0:
		return hi
	}
	return lo
}

// curvature returns λ·∂²Φ/∂x_i² for a coordinate of rate r, where the argument of φ is u.
func (m *Solver) curvature(r, u float64) float64 {
	return float64(m.lambda * m.f.Weight * r * r * m.f.Curve.Curvature(u))
}

// slope returns the derivative of the Lagrangian at x in coordinate i, of rate r, and the sum of
// the sizes of its terms. Where it is 0 everywhere, since λ, c_i and h_i are 0, it takes λ = 1:
// this gives the limit of the minimisers for λ → 0.
func (m *Solver) slope(i int, r, x float64) (slope, size float64) {
	lambda := m.lambda
	if lambda == 0 && m.c[i] == 0 && m.h[i] == 0 {
		lambda = 1
	}
	quadratic := float64(m.h[i] * x)
	slope, size = m.c[i]+quadratic, math.Abs(m.c[i])+math.Abs(quadratic)
	if lambda > 0 {
		joint := float64(lambda * m.f.Weight * r * m.f.Curve.Slope(float64(r*x)+m.f.Offset))
		slope += joint
		size += math.Abs(joint)
	}
	return slope, size
}

// root returns x_i(λ) of coordinate i, of rate r. The search begins at that of the last λ.
func (m *Solver) root(i int, r float64) float64 {
	const maxSteps = 200
	lo, hi := m.box.Lower[i], m.box.Upper[i]
	if s, _ := m.slope(i, r, lo); s >= 0 {
		return lo
	}
	if s, _ := m.slope(i, r, hi); s <= 0 {
		return hi
	}
	x := m.x[i] // of the last λ
	if !(x > lo && x < hi) {
		x = lo + float64((hi-lo)/2)
	}
	for range maxSteps {
		s, size := m.slope(i, r, x)
		switch {
		case math.Abs(s) <= float64(2e-16*size) && !math.IsInf(size, 1):
			return x
		case s > 0:
			hi = x
		default:
			lo = x
		}
		next := x - s/(m.h[i]+m.curvature(r, float64(r*x)+m.f.Offset))
		if !(next > lo && next < hi) {
			next = lo + float64((hi-lo)/2)
		}
		if next == lo || next == hi {
			return next
		}
		x = next
	}
	return x
}

// certify bounds the gap at x.
func (m *Solver) certify(x []float64) quadprog.Certificate {
	value, slack := m.obj.Value(x)+m.prox.Value(x), 0.0
	m.obj.Gradient(m.grad, x)
	m.prox.AddGradient(m.grad, x)
	if m.f.Curve != nil {
		joint := m.f.value(x) + m.b
		slack = -float64(m.lambda * joint)
		if !math.IsInf(m.cap, 1) {
			hinge := float64(m.cap * max(0, joint))
			value += hinge
			slack += hinge
		}
		m.f.gradient(m.row, x)
		vec.Axpy(m.grad, m.lambda, m.row)
	}
	return quadprog.Certificate{
		Value: value,
		Gap: max(0, slack) +
			quadprog.TangentGap(m.box.Set, x, m.grad, 2*m.prox.Weight, m.row, m.work),
		Exact:      m.lambda == 0,
		Iterations: m.steps,
	}
}
