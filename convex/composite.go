package convex

import (
	"reflect"
	"slices"
	"sync"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// This file has functions that are made of others, and [Describe], which says what a function is
// made of. Package wire writes what a stream reveals with it, and reads the same types again: a
// function that is read has the values, the subgradients and the normal form of the one that was
// written, bit for bit. That is why the order of additions is part of the documentation of
// [Composite].

// Linear is f(x) = Σ_k A_k·x_{First+k}.
type Linear struct {
	First int // the first coordinate, from 0
	A     []float64
}

// coordinates returns the part of x that f depends on.
func (f *Linear) coordinates(x []float64) []float64 { return x[f.First : f.First+len(f.A)] }

// Value implements [Func].
func (f *Linear) Value(x []float64) float64 { return vec.Dot(f.A, f.coordinates(x)) }

// Subgrad implements [Func].
func (f *Linear) Subgrad(dst, _ []float64) {
	clear(dst)
	copy(f.coordinates(dst), f.A)
}

// AddTo implements [Func].
func (f *Linear) AddTo(dst *Form, scale float64) { vec.Axpy(f.coordinates(dst.Lin), scale, f.A) }

// addHessian implements [hessianAdder].
func (f *Linear) addHessian([]float64, []float64, float64) {}

// Single is the function Of, which appears in one round only. When it is first added to a form, it
// makes a [Basis] of a copy of Of. A function that comes back in other rounds should be a Basis.
type Single struct {
	Of    Evaluator
	once  sync.Once
	basis *Basis
}

// Value implements [Func].
func (f *Single) Value(x []float64) float64 { return f.Of.Value(x) }

// Subgrad implements [Func].
func (f *Single) Subgrad(dst, x []float64) { f.Of.Subgrad(dst, x) }

// AddTo implements [Func]. It refers to Of itself if [Describe] does not know it.
func (f *Single) AddTo(dst *Form, scale float64) {
	f.once.Do(func() {
		of := f.Of
		if c := clone(of); c != nil {
			of = c
		}
		f.basis = NewBasis(of)
	})
	f.basis.AddTo(dst, scale)
}

// Composite is
//
//	f(x) = Σ_k Parts[k].Scale·Parts[k].Func(x) + (Lin·x + Const) + ½Σ_i Diag_i x_i² + ½xᵀ Quad x,
//
// added up in this order. Its normal form is added in the order Const, Lin, Diag, Quad, Parts.
type Composite struct {
	Const           float64
	Lin, Diag, Quad []float64 // nil where they are zero
	Parts           []Part
}

// gradientBuffers holds buffers, as *[]float64, for the gradients of parts while they are added up.
var gradientBuffers = sync.Pool{New: func() any { return new([]float64) }}

// Part is a multiple of a function. The scale is at least 0, unless the function is affine.
type Part struct {
	Scale float64
	Func  Func
}

// Value implements [Func]; the cost of all parts.
func (f *Composite) Value(x []float64) float64 {
	v, affine := 0.0, f.Const
	for _, p := range f.Parts {
		v += float64(p.Scale * p.Func.Value(x))
	}
	if f.Lin != nil {
		affine += vec.Dot(f.Lin, x)
	}
	v += affine
	for i, d := range f.Diag {
		if d != 0 {
			v += float64(float64(d/2) * float64(x[i]*x[i]))
		}
	}
	if f.Quad != nil {
		v += matrix.Value(f.Quad, x)
	}
	return v
}

// Subgrad implements [Func]; the cost of all parts.
func (f *Composite) Subgrad(dst, x []float64) {
	clear(dst)
	work := gradientBuffers.Get().(*[]float64)
	defer gradientBuffers.Put(work)
	for k, p := range f.Parts {
		if k == 0 && p.Scale == 1 {
			p.Func.Subgrad(dst, x)
			continue
		}
		*work = slices.Grow((*work)[:0], len(x))[:len(x)]
		p.Func.Subgrad(*work, x)
		vec.Axpy(dst, p.Scale, *work)
	}
	if f.Lin != nil {
		vec.Axpy(dst, 1, f.Lin)
	}
	for i, d := range f.Diag {
		dst[i] += float64(d * x[i])
	}
	if f.Quad != nil {
		matrix.AddProduct(dst, f.Quad, x)
	}
}

// AddTo implements [Func].
func (f *Composite) AddTo(dst *Form, scale float64) {
	n := dst.Dim()
	dst.Const += float64(scale * f.Const)
	if f.Lin != nil {
		vec.Axpy(dst.Lin, scale, f.Lin)
	}
	if f.Diag != nil {
		q := dst.quadStorage()
		for i, d := range f.Diag {
			q[i*n+i] += float64(scale * d)
		}
	}
	if f.Quad != nil {
		vec.Axpy(dst.quadStorage(), scale, f.Quad)
	}
	for _, p := range f.Parts {
		p.Func.AddTo(dst, float64(scale*p.Scale))
	}
}

// addHessian implements [hessianAdder].
func (f *Composite) addHessian(dst, x []float64, s float64) {
	n := len(x)
	for i, d := range f.Diag {
		dst[i*n+i] += float64(s * d)
	}
	if f.Quad != nil {
		vec.Axpy(dst, s, f.Quad)
	}
	for _, p := range f.Parts {
		addHessian(p.Func, dst, x, float64(s*p.Scale))
	}
}

// Describer is implemented by functions of other packages that are made of functions of this one.
type Describer interface {
	// Describe returns a function of this package with the same values, subgradients and normal
	// form, bit for bit. It may refer to the function.
	Describe() Evaluator
}

// Describe returns f as a function of an exported type of this package, from which it can be
// written down: it looks into a [Basis], a frozen function and a [Describer]. The content of a
// basis or a frozen function is copied, since it must not change. The bases that a function refers
// to stay bases. It returns nil for a function that is known by its values only.
func Describe(f Evaluator) Evaluator {
	switch f := f.(type) {
	case *Basis:
		return clone(f.f)
	case frozen:
		return clone(f.f)
	case *Single:
		return Describe(f.Of)
	case *Affine, *Quadratic, *HalfSquaredDistance, *LeastSquares, *Linear, *Composite, *Form,
		*Shifted, *Ridge, *Separable, *Distance, *ElasticNet, *Max:
		return f
	case Describer:
		return f.Describe()
	}
	return nil
}

// clone returns a copy of what [Describe] returns.
func clone(f Evaluator) Evaluator {
	switch f := Describe(f).(type) {
	case *Affine:
		return &Affine{slices.Clone(f.A), f.B}
	case *Quadratic:
		return &Quadratic{slices.Clone(f.Q), slices.Clone(f.A), f.B}
	case *HalfSquaredDistance:
		return &HalfSquaredDistance{f.Weight, slices.Clone(f.Center), f.Offset}
	case *LeastSquares:
		return &LeastSquares{slices.Clone(f.H), slices.Clone(f.Y)}
	case *Linear:
		return &Linear{f.First, slices.Clone(f.A)}
	case *Form:
		return f.Clone()
	case *Shifted:
		return &Shifted{cloneFunc(f.Base), f.Shift}
	case *Composite:
		c := &Composite{Const: f.Const, Lin: slices.Clone(f.Lin), Diag: slices.Clone(f.Diag),
			Quad: slices.Clone(f.Quad)}
		for _, p := range f.Parts {
			c.Parts = append(c.Parts, Part{p.Scale, cloneFunc(p.Func)})
		}
		return c
	case *Ridge:
		return &Ridge{f.Curve, f.Weight, slices.Clone(f.A), f.B}
	case *Separable:
		return &Separable{f.Curve, f.Weight, f.First, slices.Clone(f.Rate), f.Offset}
	case *Distance:
		return &Distance{f.Weight, slices.Clone(f.Center), f.Offset}
	case *ElasticNet:
		c := *f
		return &c
	case *Max:
		m := &Max{make([]*Form, len(f.Pieces))}
		for j, p := range f.Pieces {
			m.Pieces[j] = p.Clone()
		}
		return m
	}
	return nil
}

// Equal reports whether two functions are made of the same numbers in the same way. A function that
// [Describe] does not know is equal to itself only.
func Equal(f, g Evaluator) bool {
	switch f := f.(type) {
	case *Basis:
		g, ok := g.(*Basis)
		return ok && (f == g || Equal(f.f, g.f))
	case *Single:
		g, ok := g.(*Single)
		return ok && Equal(f.Of, g.Of)
	case *Shifted:
		g, ok := g.(*Shifted)
		return ok && f.Shift == g.Shift && Equal(f.Base, g.Base)
	case *Composite:
		g, ok := g.(*Composite)
		return ok && f.equal(g)
	case *Max:
		g, ok := g.(*Max)
		return ok && slices.EqualFunc(f.Pieces, g.Pieces, func(p, q *Form) bool { return Equal(p, q) })
	case *Form:
		g, ok := g.(*Form)
		return ok && f.Const == g.Const && slices.Equal(f.Lin, g.Lin) && slices.Equal(f.Quad, g.Quad) &&
			slices.EqualFunc(f.Terms, g.Terms, func(s, t Term) bool {
				return s.Scale == t.Scale && Equal(s.Basis, t.Basis)
			})
	}
	if Describe(f) == nil {
		return reflect.TypeOf(f).Comparable() && f == g
	}
	return reflect.DeepEqual(f, g)
}

// equal reports whether the two have the same numbers and the same parts in the same order.
func (f *Composite) equal(g *Composite) bool {
	return f.Const == g.Const && slices.Equal(f.Lin, g.Lin) &&
		slices.Equal(f.Diag, g.Diag) && slices.Equal(f.Quad, g.Quad) &&
		slices.EqualFunc(f.Parts, g.Parts, func(p, q Part) bool {
			return p.Scale == q.Scale && Equal(p.Func, q.Func)
		})
}

// cloneFunc returns a copy of a function that [Describe] knows, and any other function as it is. A
// basis stays the same one, since forms refer to it.
func cloneFunc(f Func) Func {
	if _, ok := f.(*Basis); ok {
		return f
	}
	switch c := clone(f).(type) {
	case nil:
		return f
	case Func:
		return c
	default:
		return &Single{Of: c}
	}
}
