package convex

import (
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/quadprog"
)

// The models of SQP where most numbers are 0. The hinges of one basis are rows that are multiples
// of one gradient. Where that has few numbers that are not 0, as the flow through one node of a
// network has, a row costs as many operations as there are such numbers, and a copy. The Hessian
// of a sum over single coordinates is diagonal, and is then evaluated, summed and multiplied as
// such, in O(n) in place of O(n²). All results have the bits of the operations on whole vectors
// and matrices, which add zeros besides.

// fewShare is the share of the coordinates, as 1/fewShare, up to which a gradient has few numbers.
var fewShare = 4 // tests change it

// findFew lists where the gradient of u_k is not 0, if that is in few coordinates, and nothing
// otherwise.
func (a *innerFunc) findFew() []int32 {
	if a.listed {
		return a.few
	}
	a.listed, a.few = true, a.few[:0]
	for i, v := range a.grad {
		if v == 0 {
			continue
		}
		if fewShare*(len(a.few)+1) > len(a.grad) {
			a.few = a.few[:0]
			break
		}
		a.few = append(a.few, int32(i))
	}
	return a.few
}

// fewOf is where the row of h is not 0, if that is in few coordinates and addFewRow can add it.
func (q *sqp) fewOf(h compositeHinge) []int32 {
	if h.j >= 0 || h.w != 1 || q.isLifted {
		return nil
	}
	return q.inner[h.i].findFew()
}

// addFewRow adds the row of h, a hinge of one inner function with weight 1 whose gradient has few
// numbers.
func (q *sqp) addFewRow(h compositeHinge, few []int32) {
	grad := q.inner[h.i].grad
	inner := q.argument(h)
	q.rows.AddSparse(few, grad, h.p, inner-quadprog.DotSparse(few, grad, h.p, q.x))
}

// diagonalFrom is the number of dimensions from which on diagonal Hessians are kept as such.
var diagonalFrom = 32 // tests change it

// findDiagonal finds out whether the Hessian of every model of the minimisation is diagonal.
func (q *sqp) findDiagonal() {
	n := q.set.Dim()
	q.diagonal = n >= diagonalFrom && q.features == nil &&
		(len(q.obj.Quad) == 0 || matrix.IsDiagonal(q.obj.Quad, n)) &&
		!slices.ContainsFunc(q.inner, func(a innerFunc) bool { return !hasDiagonalHessian(a.f) })
	if q.diagonal && !q.terms.diagonal { // the Hessian of former terms may not be diagonal
		q.terms.hessian, q.terms.summed = nil, q.terms.summed[:0]
	}
	q.terms.diagonal = q.diagonal
}

// hasDiagonalHessian reports whether f is of a type whose Hessian is diagonal, and knows it.
func hasDiagonalHessian(f Evaluator) bool {
	switch f := f.(type) {
	case *Basis:
		return hasDiagonalHessian(f.f)
	case *Shifted:
		return hasDiagonalHessian(f.Base)
	case *Affine, frozenAffine, *Linear, *Separable, *SquaredDistance:
		return true
	case *combination:
		return !slices.ContainsFunc(f.terms, func(t Term) bool { return !hasDiagonalHessian(t.Basis.f) })
	}
	return false
}

// smoothValue is the affine and quadratic part of the objective at x.
func (q *sqp) smoothValue(x []float64) float64 {
	f := Form{Const: q.obj.Const, Lin: q.obj.Lin, Quad: q.obj.Quad}
	if !q.diagonal || len(f.Quad) == 0 {
		return f.Value(x)
	}
	v, n := 0.0, len(x)
	for i, xi := range x {
		v += float64(xi * float64(f.Quad[i*n+i]*xi))
	}
	f.Quad = nil
	return f.Value(x) + float64(v/2)
}

// smoothSubgrad writes its gradient at x to dst.
func (q *sqp) smoothSubgrad(dst, x []float64) {
	f := Form{Const: q.obj.Const, Lin: q.obj.Lin, Quad: q.obj.Quad}
	if !q.diagonal || len(f.Quad) == 0 {
		f.Subgrad(dst, x)
		return
	}
	n := len(x)
	for i, xi := range x {
		dst[i] = f.Lin[i] + float64(f.Quad[i*n+i]*xi)
	}
}

// clearQuad returns the Hessian of the model as zeros, in k coordinates.
func (q *sqp) clearQuad(k int) []float64 {
	if q.diagonal && q.wasDiagonal && len(q.quad) == k*k {
		for i := 0; i < len(q.quad); i += k + 1 {
			q.quad[i] = 0
		}
		return q.quad
	}
	q.wasDiagonal = q.diagonal
	q.quad = slices.Grow(q.quad[:0], k*k)[:k*k]
	clear(q.quad)
	return q.quad
}

// addDiagonalHessian is addHessian where all terms have diagonal Hessians, as all former terms had.
func (c *combination) addDiagonalHessian(dst, x []float64, s float64) {
	n := len(x)
	c.summed = c.summed[:0]
	for i := 0; i < len(dst); i += n + 1 {
		c.hessian[i] = 0
	}
	c.sumHessian(x, nil)
	for i := 0; i < len(dst); i += n + 1 {
		dst[i] += float64(s * c.hessian[i])
	}
}
