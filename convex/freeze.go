package convex

import "ocobench/convex/vec"

// Freeze returns f as a function that cannot be changed: it has the values, the
// subgradients and the normal form of f, bit for bit, and no exported fields. What
// a stream reveals in more than one round is frozen, so that no learner can change
// the rounds to come. The result refers to f, which must not change any more. A
// [Basis], which is immutable, is returned as it is.
func Freeze(f Func) Func {
	switch f.(type) {
	case *Basis, frozen:
		return f
	}
	return frozen{f}
}

// frozen is a function that cannot be changed.
type frozen struct{ f Func }

// Value implements [Func].
func (f frozen) Value(x []float64) float64 { return f.f.Value(x) }

// Subgrad implements [Func].
func (f frozen) Subgrad(dst, x []float64) { f.f.Subgrad(dst, x) }

// AddTo implements [Func].
func (f frozen) AddTo(dst *Form, scale float64) { f.f.AddTo(dst, scale) }

// contentOf returns what a function is up to a constant: it looks into a [Basis], a [Single], a
// [Shifted] and a frozen function.
func contentOf(f Evaluator) Evaluator {
	for {
		switch g := f.(type) {
		case *Basis:
			f = g.f
		case *Single:
			f = g.Of
		case *Shifted:
			f = g.Base
		case frozen:
			f = g.f
		default:
			return f
		}
	}
}

// affineOf returns the affine function that f is, frozen or not, or nil.
func affineOf(f Func) *Affine {
	if g, ok := f.(frozen); ok {
		f = g.f
	}
	a, _ := f.(*Affine)
	return a
}

// AddSubgrad adds scale·∂f(x) to dst, ∂f(x) being the subgradient that f.Subgrad
// writes. It costs O(n) and, unless f is affine, a call of f.Subgrad. Scratch has
// length n and is overwritten.
func AddSubgrad(dst []float64, scale float64, f Func, x, scratch []float64) {
	if f := affineOf(f); f != nil {
		vec.Axpy(dst, scale, f.A)
		return
	}
	f.Subgrad(scratch, x)
	vec.Axpy(dst, scale, scratch)
}
