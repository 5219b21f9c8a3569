package attack

import (
	"ocobench/convex"
	"ocobench/harness/experiment"
)

// assumptions lists the conditions that instances must meet.
type assumptions struct {
	variation variation // how constraints may change from round to round
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
func assumptionsOf(a experiment.Algorithm) (assumed assumptions) {
	meets := func(f convex.Facts) bool { return len(a.Unmet(f)) == 0 }
	// One fact after the other is removed from a problem that has all of them: if the algorithm then
	// refuses the problem, it assumes the fact.
	all := convex.Facts{Affine: true, Fixed: true, Perturbed: true, IID: true, Slater: 1, Curvature: 1,
		Feasible: true, KnownConstraints: true}
	isAssumed := func(remove func(*convex.Facts)) bool {
		f := all
		remove(&f)
		return !meets(f)
	}
	assumed.oblivious = isAssumed(func(f *convex.Facts) { f.Adaptive = true })
	assumed.affine = isAssumed(func(f *convex.Facts) { f.Affine = false })
	assumed.slater = isAssumed(func(f *convex.Facts) { f.Slater = 0 })
	if assumed.slater {
		assumed.margin = defaultMargin
	}
	if isAssumed(func(f *convex.Facts) { f.Curvature = 0 }) { // strong convexity
		assumed.curvature = 1
	}
	// Fixed constraints are perturbed and i.i.d., too. An algorithm may ask for any of these facts, so
	// that each is tested with the others that the algorithm could accept in its place.
	switch {
	case isAssumed(func(f *convex.Facts) { f.Fixed, f.Perturbed, f.IID = false, true, true }):
		assumed.variation = fixed
	case isAssumed(func(f *convex.Facts) { f.Fixed, f.Perturbed = false, false }):
		assumed.variation = parallel
	}
	assumed.iid = assumed.variation != fixed &&
		isAssumed(func(f *convex.Facts) { f.Fixed, f.IID = false, false })
	return assumed
}

// instanceAssumptions returns what the algorithm assumes, with the Slater margin of the question.
func (search *Search) instanceAssumptions() assumptions {
	assumed := assumptionsOf(search.algorithm)
	assumed.margin = max(assumed.margin, search.Margin)
	assumed.slater = assumed.margin > 0
	return assumed
}
