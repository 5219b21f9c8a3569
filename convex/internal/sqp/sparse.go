package sqp

import (
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/internal/quadprog"
)

// This file is for models where most numbers are 0, with three devices: rows with few coordinates,
// diagonal Hessians, and coordinates that are held at their bounds.
//
// The hinges of one basis are rows that are multiples
// of one gradient. Where that has few numbers that are not 0, as the flow through one node of a
// network has, a row costs as many operations as there are such numbers, and a copy. The Hessian
// of a sum over single coordinates is diagonal, and is then evaluated, summed and multiplied as
// such, in O(n) in place of O(n²). All results have the bits of the operations on whole vectors
// and matrices, which add zeros besides.

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
		if Sizes.FewShare*(len(a.few)+1) > len(a.grad) {
			a.few = a.few[:0]
			break
		}
		a.few = append(a.few, int32(i))
	}
	return a.few
}

// fewOf returns where the row of h is not 0, if that is in few coordinates and addFewRow can add
// it.
func (q *Solver) fewOf(h compositeHinge) []int32 {
	if h.j >= 0 || h.w != 1 || q.isLifted {
		return nil
	}
	return q.inner[h.i].findFew()
}

// addFewRow adds the row of h, a hinge of one inner function with weight 1 whose gradient has few
// numbers.
func (q *Solver) addFewRow(h compositeHinge, few []int32) {
	grad := q.inner[h.i].grad
	inner := q.hingeArgument(h)
	q.model.AddSparse(few, grad, h.p, inner-quadprog.DotSparse(few, grad, h.p, q.x))
}

// findDiagonal finds out whether the Hessian of every model of the minimisation is diagonal.
func (q *Solver) findDiagonal() {
	n := q.domain.Dim()
	q.diagonal = n >= Sizes.Diagonal && q.features == nil &&
		(len(q.obj.Q) == 0 || matrix.IsDiagonal(q.obj.Q, n)) &&
		!slices.ContainsFunc(q.inner, func(a innerFunc) bool { return !a.f.HasDiagonalHessian() })
	if q.terms != nil {
		q.terms.SetDiagonal(q.diagonal)
	}
}

// smoothValue returns the affine and quadratic part of the objective at x.
func (q *Solver) smoothValue(x []float64) float64 {
	if !q.diagonal || len(q.obj.Q) == 0 {
		return q.obj.Value(x)
	}
	v, n := 0.0, len(x)
	for i, xi := range x {
		v += float64(xi * float64(q.obj.Q[i*n+i]*xi))
	}
	affine := quadprog.Quadratic{Const: q.obj.Const, Lin: q.obj.Lin}
	return affine.Value(x) + float64(v/2)
}

// smoothSubgrad writes the gradient of smoothValue at x to dst.
func (q *Solver) smoothSubgrad(dst, x []float64) {
	if !q.diagonal || len(q.obj.Q) == 0 {
		q.obj.Gradient(dst, x)
		return
	}
	n := len(x)
	for i, xi := range x {
		dst[i] = q.obj.Lin[i] + float64(q.obj.Q[i*n+i]*xi)
	}
}

// clearQuad returns the Hessian of the model as zeros, in k coordinates.
func (q *Solver) clearQuad(k int) []float64 {
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

// hold, free and freeLeaving: in many dimensions models have coordinates that are held at their
// bounds. The Hessian of a model is then one in the free coordinates: of a sum of t ridges it costs
// O(t·k²), with k of them. The gradient of the Lagrangian in the coordinates that are held is known
// after the step, from the certificate, and frees those that would leave their bounds for the steps
// to come.

// hold chooses the coordinates that the first step from q.x holds.
func (q *Solver) hold() {
	if !q.isLifted && q.features == nil {
		q.plainModel.ChooseFree(q.x)
	}
}

// free returns the coordinates that the model does not hold, or nil if it holds none, or if its
// solution is to choose them, as after lifted models alone.
func (q *Solver) free() []int {
	if q.isLifted || q.features != nil {
		return nil
	}
	return q.model.Free()
}

// freeLeaving frees the coordinates that would leave their bounds at q.x, by the gradient of the
// Lagrangian from which the gap was computed last.
func (q *Solver) freeLeaving() {
	if q.free() == nil {
		return
	}
	copy(q.line, q.g)
	q.model.FreeLeaving(q.line)
}
