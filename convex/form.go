package convex

import (
	"fmt"
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
	lower sync.Once
	form  *Form // of f, or nil; see expansion
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

// expand replaces the terms of affine bases by affine functions. If quadratic is
// true, it replaces those of quadratic bases too.
func (f *Form) expand(quadratic bool) {
	kept := f.Terms[:0]
	for _, t := range f.Terms {
		if form, ok := t.Basis.expansion(f.Dim()); ok && (quadratic || form.isAffine()) {
			form.AddTo(f, t.Scale)
		} else {
			kept = append(kept, t)
		}
	}
	f.Terms = kept
}

// expands reports whether expand changes f.
func (f *Form) expands(quadratic bool) bool {
	return slices.ContainsFunc(f.Terms, func(t Term) bool {
		form, ok := t.Basis.expansion(f.Dim())
		return ok && (quadratic || form.isAffine())
	})
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
		matrix.Add(dst.quad(), scale, f.Quad)
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
		(len(f.Quad)+len(g.Quad) == 0 || slices.Equal(f.quad(), g.quad()))
}

// hasQuad reports whether the quadratic part is not zero.
func (f *Form) hasQuad() bool { return len(f.Quad) > 0 && !matrix.IsZero(f.Quad, len(f.Lin)) }

// quad returns the storage of the quadratic part, which it creates if necessary.
func (f *Form) quad() []float64 {
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

// Affine is f(x) = A·x + B.
type Affine struct {
	A []float64
	B float64
}

// Value implements [Func].
func (f *Affine) Value(x []float64) float64 { return vec.Dot(f.A, x) + f.B }

// Subgrad implements [Func].
func (f *Affine) Subgrad(dst, _ []float64) {
	copy(dst, f.A)
}

// AddTo implements [Func].
func (f *Affine) AddTo(dst *Form, scale float64) {
	dst.Const += float64(scale * f.B)
	if len(f.A) < vec.Long {
		vec.Axpy(dst.Lin, scale, f.A)
	} else {
		vec.AxpyLong(dst.Lin, scale, f.A)
	}
}

// Quadratic is f(x) = ½ xᵀQx + A·x + B with Q symmetric and positive
// semidefinite, n×n by rows.
type Quadratic struct {
	Q, A []float64
	B    float64
}

// NewQuadratic returns ½ xᵀQx + a·x + b. It is an error if the lengths do not match,
// if a number is not finite, or if Q is not symmetric and positive semidefinite,
// up to 1e-9 times its largest entry.
func NewQuadratic(q, a []float64, b float64) (*Quadratic, error) {
	n := len(a)
	if len(q) != n*n {
		return nil, fmt.Errorf("a quadratic function in %d dimensions needs a %d×%d matrix: got %d "+
			"entries", n, n, n, len(q))
	}
	for _, v := range append(append(slices.Clone(q), a...), b) {
		if !finite(v) {
			return nil, fmt.Errorf("a quadratic function needs finite numbers: got %v", v)
		}
	}
	scale := 0.0
	for _, v := range q {
		scale = max(scale, abs(v))
	}
	for i := range n {
		for j := range i {
			if abs(q[i*n+j]-q[j*n+i]) > float64(1e-9*scale) {
				return nil, fmt.Errorf("the matrix of a quadratic function must be symmetric: entry (%d,%d) "+
					"is %v but (%d,%d) is %v", i+1, j+1, q[i*n+j], j+1, i+1, q[j*n+i])
			}
		}
	}
	// Q is positive semidefinite, up to ε, if Q + ε·I has a Cholesky
	// factorisation.
	work := slices.Clone(q)
	for i := range n {
		work[i*n+i] += float64(1e-9*scale) + 1e-300
	}
	if !matrix.Cholesky(work, n) {
		return nil, fmt.Errorf("the matrix of a quadratic function must be positive semidefinite, or " +
			"the function is not convex")
	}
	return &Quadratic{slices.Clone(q), slices.Clone(a), b}, nil
}

// Value implements [Func]; O(n²).
func (f *Quadratic) Value(x []float64) float64 {
	return matrix.Value(f.Q, x) + vec.Dot(f.A, x) + f.B
}

// Subgrad implements [Func]; O(n²).
func (f *Quadratic) Subgrad(dst, x []float64) {
	copy(dst, f.A)
	matrix.AddProduct(dst, f.Q, x)
}

// AddTo implements [Func]; O(n²).
func (f *Quadratic) AddTo(dst *Form, scale float64) {
	checkLen("quadratic function", len(f.A), dst.Dim())
	dst.Const += float64(scale * f.B)
	vec.Axpy(dst.Lin, scale, f.A)
	matrix.Add(dst.quad(), scale, f.Q)
}

// HalfSquaredDistance is f(x) = ½ Weight ‖x − Center‖² + Offset.
type HalfSquaredDistance struct {
	Weight float64
	Center []float64
	Offset float64
}

// Value implements [Func]; O(n).
func (f *HalfSquaredDistance) Value(x []float64) float64 {
	d := vec.Dist(x, f.Center)
	return float64(float64(f.Weight*float64(d*d))/2) + f.Offset
}

// Subgrad implements [Func]; O(n).
func (f *HalfSquaredDistance) Subgrad(dst, x []float64) {
	for i, c := range f.Center {
		dst[i] = f.Weight * (x[i] - c)
	}
}

// AddTo implements [Func]; O(n).
func (f *HalfSquaredDistance) AddTo(dst *Form, scale float64) {
	n := dst.Dim()
	checkLen("squared distance", len(f.Center), n)
	w := float64(scale * f.Weight)
	dst.Const += float64(float64(w*vec.Dot(f.Center, f.Center))/2) + float64(scale*f.Offset)
	vec.Axpy(dst.Lin, -w, f.Center)
	q := dst.quad()
	for i := range n {
		q[i*n+i] += w
	}
}

// Shifted is f(x) = Base(x) + Shift, for instance a perturbed constraint.
type Shifted struct {
	Base  Func
	Shift float64
}

// Value implements [Func].
func (f *Shifted) Value(x []float64) float64 { return f.Base.Value(x) + f.Shift }

// Subgrad implements [Func].
func (f *Shifted) Subgrad(dst, x []float64) { f.Base.Subgrad(dst, x) }

// AddTo implements [Func].
func (f *Shifted) AddTo(dst *Form, scale float64) {
	f.Base.AddTo(dst, scale)
	dst.Const += float64(scale * f.Shift)
}

// Distance is f(x) = Weight ‖x − Center‖ + Offset with the Euclidean norm; make a
// [Basis] of it to use it in a round. Its subgradient at the centre is 0.
type Distance struct {
	Weight float64
	Center []float64
	Offset float64
}

// Value implements [Evaluator].
func (f *Distance) Value(x []float64) float64 {
	return float64(f.Weight*vec.Dist(x, f.Center)) + f.Offset
}

// Subgrad implements [Evaluator].
func (f *Distance) Subgrad(dst, x []float64) {
	d := vec.Dist(x, f.Center)
	if d == 0 {
		clear(dst)
		return
	}
	s := f.Weight / d
	for i, c := range f.Center {
		dst[i] = s * (x[i] - c)
	}
}

// quadratic returns the form without its terms.
func (f *Form) quadratic() quadprog.Quadratic {
	return quadprog.Quadratic{Const: f.Const, Lin: f.Lin, Q: f.Quad}
}
