package convex

import (
	"slices"
	"sync"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// Func is a convex function on ℝⁿ. Its methods do not change it; Value and
// Subgrad do not allocate.
type Func interface {
	Evaluator
	// AddTo adds scale times the function, in normal form, to dst. Only affine
	// functions may have a negative scale.
	AddTo(dst *Form, scale float64)
}

// Evaluator is a convex function that is known by its values and subgradients.
// [NewBasis] makes a [Func] of it.
type Evaluator interface {
	// Value returns f(x).
	Value(x []float64) float64
	// Subgrad writes one subgradient of f at x to dst.
	Subgrad(dst, x []float64)
}

// Form is the normal form of functions on ℝⁿ,
//
//	f(x) = Const + Lin·x + ½ xᵀ Quad x + Σ_k Terms[k].Scale · Terms[k].Basis(x).
//
// Affine and quadratic functions have no terms. A sum of functions that are drawn
// from K functions has at most K terms. A perturbed function g + b has one term and
// a constant. Every function has a normal form, and forms can be added. A Form is
// itself a [Func].
type Form struct {
	Const float64
	Lin   []float64 // length n
	Quad  []float64 // symmetric, n×n by rows; empty if it is 0
	Terms []Term    // at most one for each basis
}

// Term is a multiple of a basis function.
type Term struct {
	Basis *Basis
	Scale float64
}

// Basis is an immutable function that forms refer to by a pointer: two terms have
// the same basis if and only if the pointers are equal.
type Basis struct {
	f     Evaluator
	lower sync.Once // sets form
	form  *Form     // the normal form of f if it has no terms, or nil; see expansion
}

// NewBasis makes a basis of f, which must not change any more.
func NewBasis(f Evaluator) *Basis { return &Basis{f: f} }

// Value implements [Evaluator].
func (b *Basis) Value(x []float64) float64 { return b.f.Value(x) }

// Subgrad implements [Evaluator].
func (b *Basis) Subgrad(dst, x []float64) { b.f.Subgrad(dst, x) }

// AddTo implements [Func].
func (b *Basis) AddTo(dst *Form, scale float64) { dst.addTerm(b, scale) }

// Expand returns a copy of the basis as a form on ℝⁿ without terms, and whether its
// function is affine or quadratic, so that there is such a form.
func (b *Basis) Expand(n int) (*Form, bool) {
	form, ok := b.expansion(n)
	if ok {
		form = form.Clone()
	}
	return form, ok
}

// expansion returns what Expand does, without a copy: the caller must not change the form.
func (b *Basis) expansion(n int) (*Form, bool) {
	b.lower.Do(func() {
		if f, ok := b.f.(Func); ok {
			if form := Lower(f, n); len(form.Terms) == 0 {
				b.form = form
			}
		}
	})
	return b.form, b.form != nil
}

// polynomial returns the basis as a form on ℝⁿ without terms if it is a polynomial of at most this
// degree, 1 or 2, and otherwise nil. The caller must not change the form.
func (b *Basis) polynomial(n, maxDegree int) *Form {
	form, ok := b.expansion(n)
	if !ok || maxDegree < 2 && !form.isAffine() {
		return nil
	}
	return form
}

// expandTerms replaces the terms of bases that are polynomials of at most this degree, 1 or 2, by
// the polynomials.
func (f *Form) expandTerms(maxDegree int) {
	kept := f.Terms[:0]
	for _, t := range f.Terms {
		if form := t.Basis.polynomial(f.Dim(), maxDegree); form != nil {
			form.AddTo(f, t.Scale)
		} else {
			kept = append(kept, t)
		}
	}
	f.Terms = kept
}

// canExpand reports whether expandTerms changes f.
func (f *Form) canExpand(maxDegree int) bool {
	return slices.ContainsFunc(f.Terms,
		func(t Term) bool { return t.Basis.polynomial(f.Dim(), maxDegree) != nil })
}

// NewForm returns the zero form on ℝⁿ.
func NewForm(n int) *Form { return &Form{Lin: make([]float64, n)} }

// Lower returns the normal form of f on ℝⁿ.
func Lower(f Func, n int) *Form {
	form := NewForm(n)
	f.AddTo(form, 1)
	return form
}

// Dim returns the dimension n.
func (f *Form) Dim() int { return len(f.Lin) }

// Reset makes f the zero form, and keeps its storage.
func (f *Form) Reset() {
	f.Const = 0
	clear(f.Lin)
	clear(f.Quad)
	f.Quad = f.Quad[:0]
	f.Terms = f.Terms[:0]
}

// Clone returns a copy that shares only the bases.
func (f *Form) Clone() *Form {
	c := &Form{Const: f.Const, Lin: slices.Clone(f.Lin)}
	if f.hasQuad() {
		c.Quad = slices.Clone(f.Quad)
	}
	c.Terms = append(c.Terms, f.Terms...)
	return c
}

// Value implements [Func]; O(n), or O(n²) with a quadratic part, plus the cost of
// the bases.
func (f *Form) Value(x []float64) float64 {
	v := f.Const + vec.Dot(f.Lin, x)
	if f.hasQuad() {
		v += matrix.Value(f.Quad, x)
	}
	for _, t := range f.Terms {
		v += float64(t.Scale * t.Basis.Value(x))
	}
	return v
}

// Accumulate adds g to f. It returns the values at x of g and of the new f.
func (f *Form) Accumulate(g Func, x []float64) (value, sum float64) {
	a := affineOf(g)
	if a == nil || len(f.Quad)+len(f.Terms) > 0 {
		g.AddTo(f, 1)
		return g.Value(x), f.Value(x)
	}
	// The same for an affine g, but faster.
	f.Const += a.B
	if len(a.A) < vec.Long {
		vec.AddTo(f.Lin, f.Lin, a.A)
	} else {
		vec.AxpyLong(f.Lin, 1, a.A)
	}
	return vec.Dot(a.A, x) + a.B, f.Const + vec.Dot(f.Lin, x)
}

// Subgrad implements [Func]. Forms with terms allocate n numbers.
func (f *Form) Subgrad(dst, x []float64) {
	copy(dst, f.Lin)
	if f.hasQuad() {
		matrix.AddProduct(dst, f.Quad, x)
	}
	if len(f.Terms) > 0 {
		g := make([]float64, len(x))
		for _, t := range f.Terms {
			t.Basis.Subgrad(g, x)
			vec.Axpy(dst, t.Scale, g)
		}
	}
}

// AddTo implements [Func].
func (f *Form) AddTo(dst *Form, scale float64) {
	dst.Const += float64(scale * f.Const)
	vec.Axpy(dst.Lin, scale, f.Lin)
	if f.hasQuad() {
		matrix.Add(dst.quadStorage(), scale, f.Quad)
	}
	for _, t := range f.Terms {
		dst.addTerm(t.Basis, float64(scale*t.Scale))
	}
}

// addTerm adds scale times a basis: to its term, if there is one.
func (f *Form) addTerm(b *Basis, scale float64) {
	if scale == 0 {
		return
	}
	for k := range f.Terms {
		if f.Terms[k].Basis == b {
			f.Terms[k].Scale += scale
			return
		}
	}
	f.Terms = append(f.Terms, Term{b, scale})
}

// Equal reports whether f and g are the same form, number by number, with their terms in
// the same order.
func (f *Form) Equal(g *Form) bool {
	return f.Const == g.Const && slices.Equal(f.Lin, g.Lin) && slices.Equal(f.Terms, g.Terms) &&
		(len(f.Quad)+len(g.Quad) == 0 || slices.Equal(f.quadStorage(), g.quadStorage()))
}

// hasQuad reports whether the quadratic part is not zero.
func (f *Form) hasQuad() bool { return len(f.Quad) > 0 && !matrix.IsZero(f.Quad, len(f.Lin)) }

// quadStorage returns the storage of the quadratic part, which it creates if necessary.
func (f *Form) quadStorage() []float64 {
	if n := len(f.Lin); len(f.Quad) == 0 {
		f.Quad = slices.Grow(f.Quad, n*n)[:n*n]
		clear(f.Quad)
	}
	return f.Quad
}

// isAffine reports whether the form is affine.
func (f *Form) isAffine() bool { return !f.hasQuad() && len(f.Terms) == 0 }

// isConstant reports whether the form is constant.
func (f *Form) isConstant() bool {
	return f.isAffine() && !slices.ContainsFunc(f.Lin, func(v float64) bool { return v != 0 })
}

// quadratic returns the form without its terms.
func (f *Form) quadratic() quadprog.Quadratic {
	return quadprog.Quadratic{Const: f.Const, Lin: f.Lin, Q: f.Quad}
}
