package convex

import (
	"math"

	"ocobench/convex/internal/separable"
)

// largeSeparable is the number of dimensions from which on separable programs are solved by a
// search for their one multiplier (package separable), and projections without an n×n matrix. It is
// above the default sizes of the problems. Where the search fails, the program is solved by
// sequential quadratic programs.
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

// minimizeSeparable does the work of minimize for a separable objective and at most one constraint,
// which is separable. ok is false if they are not, or if the minimiser was not found.
func (p *Program) minimizeSeparable(dst []float64, obj *Form, prox Prox) (cert Cert, ok bool) {
	if p.n < largeSeparable || !isBox(p.set) || len(obj.Terms) > 0 || len(p.others) > 0 ||
		p.hasPairs() || len(p.bounds) > 1 || p.rows.HasOwnRows() {
		return Cert{}, false
	}
	m := &p.separable
	if !m.SetObjective(p.set.domain(), obj.quadratic(), prox) {
		return Cert{}, false
	}
	if len(p.bounds) > 0 {
		q := &p.bounds[0]
		f, ok := q.basis.separable()
		if !ok {
			return Cert{}, false
		}
		m.AddHinge(f, q.offset, math.Inf(1))
	}
	c, ok := m.Minimize(dst)
	return c, ok && c.Relative() <= gapTolerance
}

// minimizeSeparable does the work of minimize for a smooth part and one hinge that are separable.
// ok is false if they are not, or if the minimiser was not found.
func (s *Sum) minimizeSeparable(dst []float64, prox Prox) (cert Cert, ok bool) {
	if s.n < largeSeparable || !isBox(s.set) || len(s.smooth.Terms) > 0 || len(s.byBasis) != 1 ||
		len(s.byPair)+len(s.others) > 0 ||
		!s.features.isEmpty() || s.rows.HasOwnRows() {
		return Cert{}, false
	}
	scale, offset, single := s.byBasis[0].Single()
	f, separable := s.byBasis[0].basis.separable()
	m := &s.separable
	if !single || !separable ||
		!m.SetObjective(s.set.domain(), s.smooth.quadratic(), prox) {
		return Cert{}, false
	}
	m.AddHinge(f, offset/scale, float64(s.gamma*scale))
	c, ok := m.Minimize(dst)
	return c, ok && c.Relative() <= gapTolerance
}
