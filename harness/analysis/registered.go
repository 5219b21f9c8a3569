package analysis

import (
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// registered fills in what the registry says of an algorithm.
func registered(a *Algorithm, c experiment.Catalog) {
	if known, ok := c.Registered(*a); ok {
		a.FullName, a.Doc, a.Feedback, a.Assumes = known.Title, known.Doc, known.Feedback,
			known.AssumptionNames()
	}
}

// registered fills in what the registry says of a problem, and what the first replicate
// with a game declares.
func (p *Problem) registered(c experiment.Catalog, g boundInputs) {
	known, _ := problems.Lookup(c.Problems, p.Name)
	p.FullName, p.Doc = known.Title, known.Doc
	setup, ok := g.setups[p.Spec].first()
	if !ok {
		return
	}
	f := setup.Facts
	p.Facts = FactsOf(f)
	if p.Loss = declared(f.LossRange); !p.Loss.Defined() {
		p.Loss = declared(f.LossLipschitz * f.Diameter)
	}
	p.Constraint = declared(float64(setup.Constraints) * f.ConstraintBound)
}

// declared returns a declared bound as a number, or none where it is 0.
func declared(bound float64) Number {
	if !(0 < bound && bound <= math.MaxFloat64) {
		return none
	}
	return Number(bound)
}

// first returns the setup of the first replicate with a game, at its first horizon.
func (s gameSetups) first() (first algorithms.Setup, ok bool) {
	for _, at := range s.games() {
		return s.all[at], true
	}
	return first, false
}

// FactsOf says in words what is true of the rounds of a problem.
func FactsOf(f convex.Facts) []string {
	facts := []string{}
	for _, fact := range []struct {
		holds bool
		words string
	}{
		{f.Fixed, "fixed constraints"},
		{f.Perturbed && !f.Fixed, "perturbed constraints"},
		{f.IID && !f.Fixed, "i.i.d. constraints"},
		{f.Affine, "affine constraints"},
		{f.KnownConstraints, "known constraints"},
		{f.Slater > 0, "Slater point"},
		{f.Feasible && f.Slater == 0, "feasible rounds"},
		{f.Curvature > 0, "strongly convex losses"},
		{f.KnownOptimum, "known optimum"},
		{f.Adaptive, "adaptive"},
		{f.Deterministic, "deterministic"},
	} {
		if fact.holds {
			facts = append(facts, fact.words)
		}
	}
	return facts
}

// rounds identify the rounds of a problem by replicate.
func rounds(r *run.Results, problem string) []string {
	keys := []string{}
	for _, c := range r.Cells {
		if c.Kind == store.Hindsight && c.Algorithm == "" && c.Problem == problem &&
			c.Horizon == r.Last() {
			keys = append(keys, string(c.Key[:16]))
		}
	}
	return keys
}
