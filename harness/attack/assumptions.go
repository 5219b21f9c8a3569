package attack

import (
	"ocobench/convex"
	"ocobench/harness/experiment"
)

// assumptions lists the conditions that instances must meet.
type assumptions struct {
	variation variation // how constraints may change from round to round
	iid       bool      // constraints are i.i.d. and not fixed
	affine    bool      // constraints are affine
	oblivious bool      // rounds do not depend on the actions
	slater    bool      // there is a Slater point
	margin    float64   // the least Slater margin
	curvature float64   // of the losses; 0: they need not be strongly convex
}

// defaultMargin is the least Slater margin of the schedules for an algorithm that assumes one.
const defaultMargin = 0.05

// assumptionsOf returns the conditions without which the algorithm would refuse a problem. It
// removes facts from a problem that has all of them: if the algorithm then refuses the problem, it
// assumes the fact.
func assumptionsOf(a experiment.Algorithm) (assumed assumptions) {
	all := convex.Facts{Affine: true, Fixed: true, Perturbed: true, IID: true, Slater: 1, Curvature: 1,
		Feasible: true, KnownConstraints: true}
	refuses := func(change func(*convex.Facts)) bool {
		f := all
		change(&f)
		return len(a.Unmet(f)) > 0
	}
	assumed.oblivious = refuses(func(f *convex.Facts) { f.Adaptive = true })
	assumed.affine = refuses(func(f *convex.Facts) { f.Affine = false })
	assumed.slater = refuses(func(f *convex.Facts) { f.Slater = 0 })
	if assumed.slater {
		assumed.margin = defaultMargin
	}
	if refuses(func(f *convex.Facts) { f.Curvature = 0 }) { // strong convexity
		assumed.curvature = 1
	}
	// Fixed constraints are also perturbed, by nothing, and i.i.d., so that algorithms which assume
	// one of these accept the fact Fixed in its place. Fixed is therefore removed in every case:
	//
	//	facts that remain      the algorithm that refuses them assumes
	//	Perturbed and IID      fixed constraints
	//	IID                    perturbed constraints
	//	Perturbed              i.i.d. constraints
	switch {
	case refuses(func(f *convex.Facts) { f.Fixed = false }):
		assumed.variation = fixed // which is i.i.d. too
		return assumed
	case refuses(func(f *convex.Facts) { f.Fixed, f.Perturbed = false, false }):
		assumed.variation = perturbed
	}
	assumed.iid = refuses(func(f *convex.Facts) { f.Fixed, f.IID = false, false })
	return assumed
}

// instanceAssumptions returns what the algorithm assumes, with the Slater margin of the question.
func (search *Search) instanceAssumptions() assumptions {
	assumed := assumptionsOf(search.algorithm)
	assumed.margin = max(assumed.margin, search.Margin)
	assumed.slater = assumed.margin > 0
	return assumed
}
