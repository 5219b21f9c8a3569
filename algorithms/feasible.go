package algorithms

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// feasible is the set of actions that satisfy constraints, for embedding in a learner
// that projects on it. The projection makes the learner [Certified].
type feasible struct {
	program *convex.Program
	form    *convex.Form
	cert    convex.Cert
}

// newFeasible returns the whole set.
func newFeasible(set convex.Set) feasible {
	return feasible{program: convex.NewProgram(set), form: convex.NewForm(set.Dim()),
		cert: convex.Cert{Exact: true}}
}

// Cert implements [Certified]: it is that of the last projection, the minimisation of ½‖x−y‖².
func (f *feasible) Cert() convex.Cert { return f.cert }

// constrain adds constraints. The error is for one that is not finite.
func (f *feasible) constrain(constraints []convex.Func) error {
	for j, g := range constraints {
		f.form.Reset()
		g.AddTo(f.form, 1)
		if !finite(f.form) {
			return fmt.Errorf("constraint %d is not finite", j+1)
		}
		f.program.Constrain(f.form)
	}
	return nil
}

// project writes the nearest point of the set to y, to dst, which may be y. The error is
// [convex.ErrEmpty] where there is none.
func (f *feasible) project(dst, y []float64) error {
	if !(vec.Dot(y, y) <= math.MaxFloat64) {
		return fmt.Errorf("the gradient of the loss is not finite")
	}
	s, err := f.program.Project(dst, y)
	if err == nil {
		f.cert = s.Cert
	}
	return err
}
