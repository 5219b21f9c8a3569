package convex

import (
	"slices"

	"ocobench/convex/internal/matrix"
	"ocobench/convex/vec"
)

// The models of SQP in many dimensions have coordinates that are held at their bounds, too . The Hessian of a model is then one in the free coordinates: of a sum of t
// ridges it costs O(t·k²), with k of them. The gradient of the Lagrangian in the coordinates that
// are held is known after the step, from the certificate, and frees those that would leave their
// bounds for the steps to come.

// hold chooses the coordinates that the first step from q.x holds.
func (q *sqp) hold() {
	if !q.isLifted && q.features == nil {
		q.plainRows.ChooseFree(q.x)
	}
}

// free returns the coordinates that the model does not hold, or nil if it holds none, or if its
// solution is to choose them, as after lifted models alone.
func (q *sqp) free() []int {
	if q.isLifted || q.features != nil {
		return nil
	}
	return q.rows.Free()
}

// freeLeaving frees the coordinates that would leave their bounds at q.x, by the gradient of the
// Lagrangian from which the gap was computed last.
func (q *sqp) freeLeaving() {
	if q.free() == nil {
		return
	}
	copy(q.line, q.g)
	q.rows.FreeLeaving(q.line)
}

// addHessianOn adds s times the Hessian of f at x in the coordinates on to dst. If on is nil, it
// is addHessian.
func addHessianOn(f Evaluator, dst, x []float64, s float64, on []int) {
	if on == nil {
		addHessian(f, dst, x, s)
		return
	}
	switch f := f.(type) {
	case *Basis:
		addHessianOn(f.f, dst, x, s, on)
	case *Single:
		addHessianOn(f.Of, dst, x, s, on)
	case *Shifted:
		addHessianOn(f.Base, dst, x, s, on)
	case frozen:
		addHessianOn(f.f, dst, x, s, on)
	case *combination:
		f.addHessianOn(dst, x, s, on)
	case *Form:
		matrix.AddOn(dst, s, f.Quad, on, len(x))
		for _, t := range f.Terms {
			addHessianOn(t.Basis, dst, x, float64(s*t.Scale), on)
		}
	case *Quadratic:
		matrix.AddOn(dst, s, f.Q, on, len(x))
	case *Ridge:
		f.addHessianOn(dst, x, s, on)
	default:
		full := make([]float64, len(x)*len(x))
		addHessian(f, full, x, s)
		matrix.AddOn(dst, 1, full, on, len(x))
	}
}

func (f *Ridge) addHessianOn(dst, x []float64, s float64, on []int) {
	curvature := s * f.Weight * f.Curve.Curvature(vec.Dot(f.A, x)+f.B)
	k := len(on)
	for r, i := range on {
		if f.A[i] == 0 {
			continue
		}
		a, to := float64(curvature*f.A[i]), dst[r*k:(r+1)*k]
		for c, j := range on {
			to[c] += float64(a * f.A[j])
		}
	}
}

// addHessianOn is addHessian in the coordinates on. The Hessian that is kept is one in the same
// coordinates.
func (c *combination) addHessianOn(dst, x []float64, s float64, on []int) {
	if !c.keep || !slices.Equal(c.on, on) || len(c.hessian) != len(dst) {
		c.on = append(c.on[:0], on...)
		c.hessian = slices.Grow(c.hessian[:0], len(dst))[:len(dst)]
		clear(c.hessian)
		c.summed = c.summed[:0]
	}
	c.sumHessian(x, on)
	vec.Axpy(dst, s, c.hessian)
}
