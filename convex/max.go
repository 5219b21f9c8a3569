package convex

import (
	"slices"

	"ocobench/convex/internal/quadprog"
)

// The largest of several functions stays one function: a [Basis] of a [Max]. A [Program] splits
// a constraint into those of the pieces, which have the same solutions. A [Sum] is minimised with
// cutting planes. If all pieces are affine, they are all the cuts that exist: the model is then the
// sum itself, and one solution of it is the minimiser.

// Max is f(x) = max_j Pieces[j](x), with at least one piece; make a [Basis] of it to use it in a
// round. Its subgradient is that of the first piece that is largest at x.
type Max struct{ Pieces []*Form }

// NewMax returns the largest of functions on ℝⁿ. It copies them.
func NewMax(n int, pieces ...Func) *Max {
	m := &Max{make([]*Form, len(pieces))}
	for j, f := range pieces {
		m.Pieces[j] = Lower(f, n)
	}
	return m
}

// largestPiece returns the value at x, and the first piece that attains it. If the value of a piece
// is NaN, it returns that.
func (m *Max) largestPiece(x []float64) (value float64, piece *Form) {
	for j, p := range m.Pieces {
		if v := p.Value(x); j == 0 || v > value || v != v {
			value, piece = v, p
		}
	}
	return value, piece
}

// Value implements [Evaluator]; the cost of all pieces.
func (m *Max) Value(x []float64) float64 {
	v, _ := m.largestPiece(x)
	return v
}

// Subgrad implements [Evaluator]; the cost of all values and of one subgradient.
func (m *Max) Subgrad(dst, x []float64) {
	_, piece := m.largestPiece(x)
	piece.Subgrad(dst, x)
}

// addHessian implements [hessianAdder].
func (m *Max) addHessian(dst, x []float64, s float64) {
	_, piece := m.largestPiece(x)
	piece.addHessian(dst, x, s)
}

// Equal reports whether two have the same pieces in the same order.
func (m *Max) Equal(other *Max) bool {
	return slices.EqualFunc(m.Pieces, other.Pieces, (*Form).Equal)
}

// isAffine reports whether all pieces are affine.
func (m *Max) isAffine() bool {
	for _, p := range m.Pieces {
		if !p.isAffine() {
			return false
		}
	}
	return true
}

// asMax returns the Max that f consists of, or nil if f is something else.
func (f *Form) asMax() *Max {
	if len(f.Terms) != 1 || f.Terms[0].Scale != 1 || f.Const != 0 || f.hasQuad() ||
		slices.ContainsFunc(f.Lin, func(v float64) bool { return v != 0 }) {
		return nil
	}
	m, _ := f.Terms[0].Basis.f.(*Max)
	return m
}

// Kinked is implemented by functions that have a kink at or near their minimum, such as a [Max].
// Sums and programs that contain one begin with cutting planes, and not with SQP.
type Kinked interface{ Kinked() }

// Kinked implements [Kinked].
func (m *Max) Kinked() {}

// isKinked reports whether f is [Kinked], or made of a function that is.
func isKinked(f Evaluator) bool {
	switch f := contentOf(f).(type) {
	case *Form:
		return anyKinked(f.Terms)
	case *Composite:
		return slices.ContainsFunc(f.Parts, func(p Part) bool { return isKinked(p.Func) })
	case Kinked:
		return true
	}
	return false
}

// anyKinked reports whether a basis of the terms contains a [Kinked] function.
func anyKinked(terms []Term) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return isKinked(t.Basis) })
}

// maxSplit bounds the number of constraints that one constraint is split into.
const maxSplit = 64

// IsKinkedAfterSplit reports whether a [Kinked] function is left in the constraint f ≤ 0 of a
// [Program]: it splits an f that contains the largest of some functions into one constraint for
// each of these, as long as there are at most 64.
func (f *Form) IsKinkedAfterSplit() bool {
	if !anyKinked(f.Terms) {
		return false
	}
	split := f.split()
	return split == nil || slices.ContainsFunc(split, func(g *Form) bool { return anyKinked(g.Terms) })
}

// split returns forms that are all ≤ 0 exactly where f is: f with a piece in the place of each
// [Max]. It returns nil if there is no Max with a positive factor, or too many pieces.
func (f *Form) split() (all []*Form) {
	count, first := 1, -1
	for k, t := range f.Terms {
		if m, ok := t.Basis.f.(*Max); ok && t.Scale > 0 {
			if first < 0 {
				first = k
			}
			if count *= len(m.Pieces); count > maxSplit {
				return nil
			}
		}
	}
	if first < 0 {
		return nil
	}
	term := f.Terms[first]
	for _, piece := range term.Basis.f.(*Max).Pieces {
		g := &Form{Const: f.Const, Lin: append([]float64(nil), f.Lin...)}
		if f.hasQuad() {
			g.Quad = append(g.Quad, f.Quad...)
		}
		g.Terms = append(append(g.Terms, f.Terms[:first]...), f.Terms[first+1:]...)
		piece.AddTo(g, term.Scale)
		if more := g.split(); more != nil {
			all = append(all, more...)
		} else {
			all = append(all, g)
		}
	}
	return all
}

// affinePieces returns the pieces s·f_k + c if the basis is the largest of affine functions f_k;
// otherwise nil.
func affinePieces(b *Basis, s, c float64) (pieces []quadprog.Quadratic) {
	m, ok := b.f.(*Max)
	if !ok || !m.isAffine() {
		return nil
	}
	for _, p := range m.Pieces {
		g := NewForm(p.Dim())
		p.AddTo(g, s)
		g.Const += c
		pieces = append(pieces, g.quadratic())
	}
	return pieces
}
