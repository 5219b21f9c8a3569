package convex

import (
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/sqp"
	"ocobench/convex/vec"
)

// combination is a linear combination of bases as one function. It may have as many
// terms as there are rounds, if every loss is a new function. It implements [sqp.Terms].
type combination struct {
	terms []Term
	work  []float64 // of length n

	// The Hessian last computed, of the sum of the terms in summed. With keep, only new terms, and
	// what scales have grown by, are added to it, each at the point where this happens: it is then an
	// approximation.
	keep    bool
	hessian []float64
	summed  []Term
	on      []int // the coordinates of the Hessian; empty: all

	// What Evaluate last computed: the sum of the terms in evaluated, at the point at.
	at        []float64
	evaluated []Term
	value     float64
	grad      []float64
}

var _ sqp.Terms = (*combination)(nil)

// newCombination returns the sum of terms on ℝⁿ.
func newCombination(terms []Term, n int) *combination {
	return &combination{terms: terms, work: make([]float64, n), grad: make([]float64, n)}
}

// IsWorthKeeping reports whether there is a Hessian that costs much to compute again.
func (c *combination) IsWorthKeeping() bool {
	return len(c.summed) > 0 && slices.ContainsFunc(c.terms, func(t Term) bool {
		_, cheap := t.Basis.f.(*Separable)
		return !cheap
	})
}

// keepFor drops the Hessian that is kept, so that it is not worth keeping, unless its terms are the
// first of these.
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

// Evaluate implements [sqp.Terms]: it returns the value and writes the subgradient. If x is the
// point where it was called last, it evaluates only the terms that are new.
func (c *combination) Evaluate(dst, x []float64) float64 {
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

// AddHessian implements [sqp.Function]. A Hessian is kept only if it is in the same coordinates.
func (c *combination) AddHessian(dst, x []float64, s float64, on []int) {
	if size := len(dst); !c.keep || len(c.hessian) != size || !slices.Equal(c.on, on) {
		c.summed, c.on = c.summed[:0], append(c.on[:0], on...)
		c.hessian = slices.Grow(c.hessian[:0], size)[:size]
		clear(c.hessian)
	}
	c.sumHessian(x, on)
	matrix.Add(dst, s, c.hessian)
}

// sumHessian adds to the Hessian, in the coordinates on, the terms that are not in it yet.
func (c *combination) sumHessian(x []float64, on []int) {
	for k, t := range c.terms {
		if k == len(c.summed) {
			c.summed = append(c.summed, Term{t.Basis, 0})
		}
		if last := &c.summed[k]; last.Scale != t.Scale {
			addHessianOn(t.Basis, c.hessian, x, t.Scale-last.Scale, on)
			last.Scale = t.Scale
		}
	}
}

// Norm1 implements [sqp.Function].
func (c *combination) Norm1() float64 { return norm1FactorOfTerms(c.terms) }

// KeepHessian sets whether the Hessian last computed is kept, and only what scales and terms have
// grown by is added.
func (c *combination) KeepHessian(keep bool) { c.keep = keep }

// KeepsHessian reports whether the Hessian last computed is kept.
func (c *combination) KeepsHessian() bool { return c.keep }
