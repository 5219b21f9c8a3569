package sqp

import (
	"ocobench/convex/internal/quadprog"
)

// This file is for models where most numbers are 0, with two devices: rows with few coordinates,
// and coordinates that are held at their bounds.
//
// The hinges of one basis are rows that are multiples
// of one gradient. Where that has few numbers that are not 0, as the flow through one node of a
// network has, a row costs as many operations as there are such numbers, and a copy. It has the
// bits of the operations on whole vectors, which add zeros besides.

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
