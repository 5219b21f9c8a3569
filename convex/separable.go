package convex

import (
	"math"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/separable"
)

// largeSeparable is the number of dimensions from which on separable programs are solved by
// their multiplier (package separable), and nearest points without a matrix. It is above the
// default sizes of the problems. Where the multiplier is not found, sequential programs decide.
var largeSeparable = 128 // tests change it

// separable returns the separable function that a basis is; ok is false if it is something else.
func (b *Basis) separable() (f separable.Function, ok bool) {
	g, ok := b.f.(*Separable)
	if !ok {
		return f, false
	}
	return separable.Function{Curve: g.Curve, Weight: g.Weight, First: g.First, Rate: g.Rate,
		Offset: g.Offset}, true
}

// isBox reports whether a set is a box.
func isBox(set Set) bool {
	_, ok := set.(*Box)
	return ok
}

// minimizeSeparable does the work of minimize for an objective and one constraint that are
// separable. It reports whether they are, and whether the minimiser was found.
func (p *Program) minimizeSeparable(dst []float64, obj *Form, prox Prox) (Cert, bool) {
	if p.n < largeSeparable || !isBox(p.set) || len(obj.Terms) > 0 || len(p.others) > 0 ||
		p.hasPairs() || len(p.bounds) > 1 ||
		p.rows.Len() > p.rows.First() {
		return Cert{}, false
	}
	m := &p.separable
	if !m.Begin(p.set.domain(), obj.quadratic(), quadprog.Prox(prox)) {
		return Cert{}, false
	}
	if len(p.bounds) > 0 {
		q := &p.bounds[0]
		f, ok := q.basis.separable()
		if !ok {
			return Cert{}, false
		}
		m.Join(f, q.offset, math.Inf(1))
	}
	cert, ok := m.Minimize(dst)
	return Cert(cert), ok && cert.Relative() <= gapTolerance
}

// minimizeSeparable does the work of minimize for a smooth part and one hinge that are separable.
// It reports whether they are, and whether the minimiser was found.
func (s *Sum) minimizeSeparable(dst []float64, prox Prox) (Cert, bool) {
	if s.n < largeSeparable || !isBox(s.set) || len(s.smooth.Terms) > 0 || len(s.byBasis) != 1 ||
		len(s.byPair)+len(s.others) > 0 ||
		!s.features.isEmpty() || s.rows.Len() > s.rows.First() {
		return Cert{}, false
	}
	scale, c, ok := s.byBasis[0].Single()
	f, found := s.byBasis[0].basis.separable()
	m := &s.separable
	if !ok || !found || !m.Begin(s.set.domain(), s.smooth.quadratic(), quadprog.Prox(prox)) {
		return Cert{}, false
	}
	m.Join(f, c/scale, float64(s.gamma*scale))
	cert, ok := m.Minimize(dst)
	return Cert(cert), ok && cert.Relative() <= gapTolerance
}
