package convex

import (
	"math"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// multiplier solves programs over a box in which one [Separable] function Φ joins the
// coordinates,
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
// cut to the box, by Newton's method with bisection as a safeguard. The sum Φ(x(λ)) falls with
// λ. So λ is 0 or cap, or the root of Φ(x(λ)) + b, which is found in the same way. A value of λ
// costs O(n), and coordinates that have all numbers in common with the one before share its
// root. No matrix is stored.
//
// This replaces SQP, which costs O(n²) a bound that becomes active, from largeSeparable
// dimensions on. Below that, results keep the bits of SQP. Where the root is not found, or the
// constraint leaves no point, SQP decides. The certificate is that of SQP: the tangent at x of the
// Lagrangian at λ bounds the least value.
type multiplier struct {
	box  *Box
	f    *Separable // Φ; nil: none
	b    float64
	cap  float64
	c, h []float64

	lambda float64
	x      []float64 // x(λ)
	value  float64   // Φ(x) + b
	size   float64   // Σ of the sizes of its terms
	rate   float64   // minus the derivative of value in λ
	steps  int       // values of λ

	kept, grad, row, work []float64
	keptLambda            float64
}

// largeSeparable is the number of dimensions from which on separable programs are solved by
// their multiplier, and nearest points without a matrix. It is above the default sizes of the
// problems.
var largeSeparable = 128 // tests change it

// separable returns the Separable that a basis is, and nil if it is something else.
func (b *Basis) separable() *Separable {
	f, _ := b.f.(*Separable)
	return f
}

// begin sets the objective, and reports whether that is separable.
func (m *multiplier) begin(set Set, obj *Form, prox Prox) bool {
	box, ok := set.(*Box)
	n := set.Dim()
	if !ok || len(obj.Terms) > 0 {
		return false
	}
	if m.box == nil {
		for _, v := range []*[]float64{&m.c, &m.h, &m.x, &m.kept, &m.grad, &m.row, &m.work} {
			*v = make([]float64, n)
		}
	}
	m.box, m.f, m.b, m.cap, m.steps = box, nil, 0, 0, 0
	copy(m.c, obj.Lin)
	clear(m.h)
	clear(m.x)
	if obj.hasQuad() {
		for i := range n {
			row := obj.Quad[i*n : (i+1)*n]
			for j, v := range row {
				if v != 0 && i != j || v < 0 {
					return false
				}
			}
			m.h[i] = row[i]
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

// solve writes the minimiser to dst, and reports whether it was found and certified.
func (m *multiplier) solve(dst []float64, obj *Form, prox Prox) (Cert, bool) {
	if !m.find() {
		return Cert{}, false
	}
	m.box.Project(dst, m.x)
	cert := m.certify(dst, obj, prox)
	return cert, cert.Relative() <= gapTolerance
}

// find finds λ, and x(λ).
func (m *multiplier) find() bool {
	const most, rounding = 200, 4e-16
	m.at(0)
	if m.f == nil || m.value <= 0 || m.cap == 0 {
		return !math.IsNaN(m.value)
	}
	if !math.IsInf(m.cap, 1) {
		if m.at(m.cap); m.value >= 0 {
			return true
		}
		m.keep()
		m.at(0)
	}
	lo, hi := 0.0, m.cap // the value is above 0 at lo, and at most 0 at hi
	largest := 1e20 * m.unit()
	next := m.unit()
	if m.rate > 0 {
		next = m.value / m.rate
	}
	if !(next < hi) {
		next = hi / 2
	}
	for m.steps < most {
		m.at(next)
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
		next = m.lambda + (m.value+float64(rounding/2*m.size))/m.rate // a point below 0
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
			m.recall() // the two are neighbours
			return true
		}
	}
	return false
}

// keep keeps x(λ), the feasible one of least λ so far, and recall returns to it. To compute it
// again could give other bits, since roots are found from those of the last λ.
func (m *multiplier) keep() {
	m.keptLambda = m.lambda
	copy(m.kept, m.x)
}

func (m *multiplier) recall() {
	m.lambda = m.keptLambda
	copy(m.x, m.kept)
}

// unit is a value of λ at which the two parts of the objective have slopes of the same size.
func (m *multiplier) unit() float64 {
	slopes := vec.Norm(m.c)
	m.f.Subgrad(m.grad, m.x)
	steepest := vec.Norm(m.grad)
	if !(slopes > 0) || !(steepest > 0) || math.IsInf(steepest, 1) {
		return 1
	}
	return slopes / steepest
}

// at computes x(λ), the value there, and its rate.
func (m *multiplier) at(lambda float64) {
	m.steps++
	m.lambda, m.value, m.size, m.rate = lambda, m.b, abs(m.b), 0
	first, end := 0, 0
	if m.f != nil {
		first, end = m.f.First, m.f.First+len(m.f.Rate)
	}
	for i := range m.x {
		if i < first || i >= end {
			m.x[i] = m.vertex(i)
		}
	}
	if m.f == nil {
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
		size += abs(value)
		m.rate += rate
	}
	m.value = float64(m.f.Weight*sum) + m.b
	m.size += float64(m.f.Weight * size)
}

// repeats reports whether coordinate i, number k of Φ, has the numbers of the one before.
func (m *multiplier) repeats(i, k int) bool {
	return m.c[i] == m.c[i-1] && m.h[i] == m.h[i-1] && m.f.Rate[k] == m.f.Rate[k-1] &&
		m.box.Lower[i] == m.box.Lower[i-1] && m.box.Upper[i] == m.box.Upper[i-1]
}

// vertex minimises c_i x + ½h_i x² over the box. It is the lower end where all are minimisers.
func (m *multiplier) vertex(i int) float64 {
	lo, hi := m.box.Lower[i], m.box.Upper[i]
	switch {
	case m.h[i] > 0:
		return min(max(lo, -m.c[i]/m.h[i]), hi)
	case m.c[i] < 0:
		return hi
	}
	return lo
}

// curvature is λ·∂²Φ/∂x² where the argument is u.
func (m *multiplier) curvature(r, u float64) float64 {
	return float64(m.lambda * m.f.Weight * r * r * m.f.Curve.Curvature(u))
}

// slope is the derivative of the Lagrangian in coordinate i at x, and the sum of the sizes of its
// terms. With λ = 0 and no other slope it is that of Φ: the limit of minimisers for small λ.
func (m *multiplier) slope(i int, r, x float64) (slope, size float64) {
	lambda := m.lambda
	if lambda == 0 && m.c[i] == 0 && m.h[i] == 0 {
		lambda = 1
	}
	own := float64(m.h[i] * x)
	slope, size = m.c[i]+own, abs(m.c[i])+abs(own)
	if lambda > 0 {
		joint := float64(lambda * m.f.Weight * r * m.f.Curve.Slope(float64(r*x)+m.f.Offset))
		slope += joint
		size += abs(joint)
	}
	return slope, size
}

// root returns x_i(λ).
func (m *multiplier) root(i int, r float64) float64 {
	const most = 200
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
	for range most {
		s, size := m.slope(i, r, x)
		switch {
		case abs(s) <= float64(2e-16*size) && !math.IsInf(size, 1):
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
func (m *multiplier) certify(x []float64, obj *Form, prox Prox) Cert {
	value, slack := obj.Value(x)+prox.value(x), 0.0
	obj.Subgrad(m.grad, x)
	prox.addGrad(m.grad, x)
	if m.f != nil {
		joint := m.f.Value(x) + m.b
		slack = -float64(m.lambda * joint)
		if !math.IsInf(m.cap, 1) {
			hinge := float64(m.cap * max(0, joint))
			value += hinge
			slack += hinge
		}
		m.f.Subgrad(m.row, x)
		vec.Axpy(m.grad, m.lambda, m.row)
	}
	return Cert{
		Value:      value,
		Gap:        max(0, slack) + quadprog.TangentGap(m.box, x, m.grad, 2*prox.Weight, m.row, m.work),
		Exact:      m.lambda == 0,
		Iterations: m.steps,
	}
}

// minimizeSeparable is minimize for an objective and one constraint that are separable. It
// reports whether they are, and whether the minimiser was found.
func (p *Program) minimizeSeparable(dst []float64, obj *Form, prox Prox) (Cert, bool) {
	if p.n < largeSeparable || len(p.others) > 0 || p.hasPairs() || len(p.bounds) > 1 ||
		p.rows.Len() > p.rows.First() {
		return Cert{}, false
	}
	m := &p.multiplier
	if !m.begin(p.set, obj, prox) {
		return Cert{}, false
	}
	if len(p.bounds) > 0 {
		q := &p.bounds[0]
		if m.f = q.basis.separable(); m.f == nil {
			return Cert{}, false
		}
		m.b, m.cap = q.offset, math.Inf(1)
	}
	return m.solve(dst, obj, prox)
}

// minimizeSeparable is minimize for a smooth part and one hinge that are separable. It reports
// whether they are, and whether the minimiser was found.
func (s *Sum) minimizeSeparable(dst []float64, prox Prox) (Cert, bool) {
	if s.n < largeSeparable || len(s.byBasis) != 1 || len(s.byPair)+len(s.others) > 0 ||
		!s.features.isEmpty() || s.rows.Len() > s.rows.First() {
		return Cert{}, false
	}
	scale, c, ok := s.byBasis[0].Single()
	m := &s.multiplier
	if !ok || !m.begin(s.set, s.smooth, prox) {
		return Cert{}, false
	}
	if m.f = s.byBasis[0].basis.separable(); m.f == nil {
		return Cert{}, false
	}
	m.b, m.cap = c/scale, float64(s.gamma*scale)
	return m.solve(dst, s.smooth, prox)
}
