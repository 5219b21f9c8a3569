package algorithms

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// feasible holds the actions that satisfy constraints, and projects on them, for embedding in a
// learner. It makes the learner [Certified].
type feasible struct {
	program *convex.Program
	form    *convex.Form // scratch: one constraint
	cert    convex.Cert
}

// newFeasible returns the actions of the set, without constraints yet.
func newFeasible(set convex.Set) feasible {
	return feasible{program: convex.NewProgram(set), form: convex.NewForm(set.Dim()),
		cert: convex.Cert{Exact: true}}
}

// Cert implements [Certified] by the certificate of the last projection, which minimises ½‖x−y‖²,
// or of a minimisation by the learner.
func (f *feasible) Cert() convex.Cert { return f.cert }

// constrain adds constraints. It returns an error if one of them is not finite.
func (f *feasible) constrain(constraints []convex.Func) error {
	for j, g := range constraints {
		f.form.Reset()
		g.AddTo(f.form, 1)
		if !isFiniteForm(f.form) {
			return fmt.Errorf("constraint %d is not finite", j+1)
		}
		f.program.Constrain(f.form)
	}
	return nil
}

// project writes to dst, which may be y, the feasible action nearest to y. It returns
// [convex.ErrEmpty] if no action is feasible.
func (f *feasible) project(dst, y []float64) error {
	if !(vec.Dot(y, y) <= math.MaxFloat64) { // y is a step along a gradient from an action
		return fmt.Errorf("the gradient of the loss is not finite")
	}
	s, err := f.program.Project(dst, y)
	if err == nil {
		f.cert = s.Cert
	}
	return err
}
