package analysis

import (
	"math"

	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/problems"
)

// describeProblem fills in what the registry says of the problem, and what the first replicate with
// a game declares.
func (p *Problem) describeProblem(c experiment.Catalog, inputs boundInputs) {
	if known, ok := problems.Lookup(c.Problems, p.Name); ok {
		p.FullName, p.Doc = known.Title, known.Doc
	}
	setup, ok := inputs.setups[p.Spec].firstSetup()
	if !ok {
		return
	}
	f := setup.Facts
	p.Facts = DescribeFacts(f)
	if p.Loss = declaredBound(f.LossRange); !p.Loss.Defined() { // G·Δ bounds the range of a loss, too
		p.Loss = declaredBound(f.LossLipschitz * f.Diameter)
	}
	p.Constraint = declaredBound(float64(setup.Constraints) * f.ConstraintBound)
}

// declaredBound returns a declared bound as a number, or none unless it is positive and finite: 0
// means undeclared.
func declaredBound(bound float64) Number {
	if !(0 < bound && bound <= math.MaxFloat64) {
		return none
	}
	return Number(bound)
}

// DescribeFacts returns in words what a problem declares of its rounds, such as "affine
// constraints". A fact that follows from another one is left out.
func DescribeFacts(f convex.Facts) []string {
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
		{f.Opaque, "opaque"},
	} {
		if fact.holds {
			facts = append(facts, fact.words)
		}
	}
	return facts
}

// roundDigests returns [Problem.Rounds].
func roundDigests(r *run.Results, problem string) []string {
	keys := []string{}
	for _, c := range r.Cells {
		if c.Kind == store.Hindsight && c.Algorithm == "" && c.Problem == problem &&
			c.Horizon == r.Last() {
			keys = append(keys, string(c.Key[:16]))
		}
	}
	return keys
}
