package attack

import (
	"ocobench/convex"
	"ocobench/harness/experiment"
)

// assumptions lists the conditions that instances must meet.
type assumptions struct {
	shape     variation // how constraints may change from round to round
	iid       bool      // constraints are i.i.d.
	affine    bool      // constraints are affine
	oblivious bool      // rounds do not depend on the actions
	slater    bool      // there is a Slater point
	margin    float64   // the least Slater margin
	curvature float64   // of the losses; 0: they need not be strongly convex
}

// defaultMargin is the least Slater margin of the schedules for an algorithm that assumes one.
const defaultMargin = 0.05

// assumptionsOf returns the conditions without which the algorithm would refuse a problem.
func assumptionsOf(a experiment.Algorithm) (as assumptions) {
	meets := func(f convex.Facts) bool { return len(a.Unmet(f)) == 0 }
	// One fact after the other is taken away from a problem that has all: if the algorithm then
	// refuses it, the fact is assumed.
	all := convex.Facts{Affine: true, Fixed: true, Perturbed: true, IID: true, Slater: 1, Curvature: 1,
		Feasible: true, KnownConstraints: true}
	without := func(change func(*convex.Facts)) bool { // reports whether a fact is assumed
		f := all
		change(&f)
		return !meets(f)
	}
	as.oblivious = without(func(f *convex.Facts) { f.Adaptive = true })
	as.affine = without(func(f *convex.Facts) { f.Affine = false })
	as.slater = without(func(f *convex.Facts) { f.Slater = 0 })
	if as.slater {
		as.margin = defaultMargin
	}
	if without(func(f *convex.Facts) { f.Curvature = 0 }) { // strong convexity
		as.curvature = 1
	}
	switch {
	case without(func(f *convex.Facts) { f.Fixed, f.Perturbed, f.IID = false, true, true }):
		as.shape = fixed
	case without(func(f *convex.Facts) { f.Fixed, f.Perturbed = false, false }):
		as.shape = parallel
	}
	as.iid = as.shape != fixed && without(func(f *convex.Facts) { f.Fixed, f.IID = false, false })
	return as
}

// instanceAssumptions returns what the algorithm assumes, with the Slater margin of the question.
func (search *Search) instanceAssumptions() assumptions {
	as := assumptionsOf(search.algorithm)
	as.margin = max(as.margin, search.Margin)
	as.slater = as.margin > 0
	return as
}
