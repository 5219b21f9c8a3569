package sqp

import (
	"ocobench/convex/internal/quadprog"
)

// This file is for models where most numbers are 0, with two devices: rows with few coordinates,
// and coordinates that are held at their bounds. Both are for the plain model alone, since that of
// lifted has further variables.
//
// The row of a hinge of one inner function is a multiple of the gradient of that function. Where
// this has few numbers that are not 0, as the flow through one node of a network has, the row costs
// as many operations as there are such numbers, and a copy. It has the bits of the operations on
// whole vectors, which add zeros besides.
//
// In many dimensions package quadprog holds coordinates at their bounds, and the Hessian of a model
// is one in the k free coordinates: of a sum of t ridges it costs O(t·k²). A minimisation
//
//  1. chooses the coordinates that are free in its first step (chooseFree),
//  2. computes the Hessian of each model in the free coordinates (freeCoordinates), and
//  3. frees after each step the coordinates that would leave their bounds (freeLeaving). The
//     gradient that shows this is that of the certificate, which is in all coordinates.

// fewCoordinates returns the coordinates where the gradient of u_k is not 0, if they are few, and
// none otherwise.
func (a *innerFunc) fewCoordinates() []int32 {
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

// addSparseRow adds the row of h, linearised at x, if it has few numbers that are not 0, and
// reports whether it does. The weight has to be 1.
func (q *Solver) addSparseRow(h compositeHinge, x []float64) bool {
	isOfOne := h.j < 0 // the gradients of two functions are not added up here
	if !isOfOne || h.w != 1 || q.isLifted {
		return false
	}
	few, grad := q.inner[h.i].fewCoordinates(), q.inner[h.i].grad
	if len(few) == 0 {
		return false
	}
	argument := q.hingeArgument(h)
	q.model.AddSparse(few, grad, h.p, argument-quadprog.DotSparse(few, grad, h.p, x))
	return true
}

// mayHold reports whether the model may hold coordinates, which those with further variables do
// not.
func (q *Solver) mayHold() bool { return !q.isLifted && q.features == nil }

// chooseFree chooses the coordinates that are free in the first step from q.x.
func (q *Solver) chooseFree() {
	if q.mayHold() {
		q.plainModel.ChooseFree(q.x)
	}
}

// freeCoordinates returns the coordinates that the model does not hold. It returns nil if it holds
// none, or if the next solution is to guess which it holds.
func (q *Solver) freeCoordinates() []int {
	if !q.mayHold() {
		return nil
	}
	return q.model.Free()
}

// freeLeaving frees the coordinates that would leave their bounds at q.x, by the gradient q.g of
// the Lagrangian from which the gap was computed last.
func (q *Solver) freeLeaving() {
	if q.freeCoordinates() == nil {
		return
	}
	copy(q.line, q.g) // which FreeLeaving overwrites
	q.model.FreeLeaving(q.line)
}
