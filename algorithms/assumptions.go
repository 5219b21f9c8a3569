package algorithms

import (
	"slices"
	"strings"

	"ocobench/convex"
)

// Assumption is a condition on the problem that the theorem of an algorithm
// needs.
type Assumption struct {
	Name string
	// Holds reports whether a problem that declares these facts meets the
	// condition. It is nil for a condition that the facts do not decide: the
	// algorithm is then played on every problem.
	Holds func(f convex.Facts) bool
	// Facts are the names of the facts of which one declares the condition, as in [convex.Facts].
	Facts []string
}

// The assumptions of the registry.
var (
	FixedConstraints = Assumption{"fixed constraints",
		func(f convex.Facts) bool { return f.Fixed }, []string{"fixed"}}
	AffineConstraints = Assumption{"affine constraints",
		func(f convex.Facts) bool { return f.Affine }, []string{"affine"}}
	Perturbed = Assumption{"constraints that are one function plus perturbations",
		func(f convex.Facts) bool { return f.Perturbed || f.Fixed }, []string{"perturbed", "fixed"}}
	IIDConstraints = Assumption{"i.i.d. constraints",
		func(f convex.Facts) bool { return f.IID || f.Fixed }, []string{"iid", "fixed"}}
	SlaterPoint = Assumption{"a point strictly feasible in every round",
		func(f convex.Facts) bool { return f.Slater > 0 }, []string{"slater"}}
	RoundFeasible = Assumption{"constraints that some action satisfies in every round, not the " +
		"same one in all", func(f convex.Facts) bool { return f.Feasible || f.Slater > 0 },
		[]string{"feasible", "slater"}}
	StrongConvexity = Assumption{"strongly convex losses",
		func(f convex.Facts) bool { return f.Curvature > 0 }, []string{"curvature"}}
	Oblivious = Assumption{"rounds that do not depend on the actions",
		func(f convex.Facts) bool { return !f.Adaptive }, nil}
	// WholeFunctions is for learners that add functions, or minimise with those of all rounds.
	WholeFunctions = Assumption{"whole functions, not values and subgradients alone",
		func(f convex.Facts) bool { return !f.Opaque }, nil}
	CommonPoint = Undecided("a point feasible in every round")
)

// Assumptions lists the assumptions that facts decide.
var Assumptions = []Assumption{FixedConstraints, AffineConstraints, Perturbed, IIDConstraints,
	SlaterPoint, RoundFeasible, StrongConvexity, Oblivious, WholeFunctions}

// Undecided returns an assumption, in words, that the facts of a problem do not decide.
func Undecided(words string) Assumption { return Assumption{Name: words} }

// AssumptionNames returns the names of what the algorithm assumes.
func (a Algorithm) AssumptionNames() []string {
	names := []string{}
	for _, as := range a.Assumes {
		names = append(names, as.Name)
	}
	return names
}

// Unmet returns the names of the assumptions that a problem with these facts
// does not meet.
func (a Algorithm) Unmet(f convex.Facts) (names []string) {
	for _, as := range a.Assumes {
		if as.Holds != nil && !as.Holds(f) {
			names = append(names, as.Name)
		}
	}
	return names
}

// declaredConstants maps the words for a constant in the errors of [Declared] to the facts that
// declare it.
var declaredConstants = map[string][]string{
	"Lipschitz constant":                    {"loss_lipschitz", "constraint_lipschitz"},
	"Lipschitz constant of its losses":      {"loss_lipschitz"},
	"Lipschitz constant of its constraints": {"constraint_lipschitz"},
	"bound of its constraints":              {"constraint_bound"},
	"range of its losses":                   {"loss_range"},
	"curvature of its losses":               {"curvature"},
	"Slater margin":                         {"slater"},
}

// ConstantsOf returns the names of the facts that declare the constant that a learner lacks, where
// what is [LackError.What]. It returns nil if the learner lacks something else.
func ConstantsOf(what string) []string {
	what, isConstant := strings.CutPrefix(what, "a declared ")
	if !isConstant {
		return nil
	}
	words, _, _ := strings.Cut(what, ", or the parameter ")
	return declaredConstants[words]
}

// FactsOf returns, for each of the assumptions, the names of the facts that declare it. It returns
// nil if no fact declares one of them.
func FactsOf(assumptions []string) (facts []string) {
	for _, name := range assumptions {
		if constants := ConstantsOf(name); constants != nil {
			facts = append(facts, constants...)
			continue
		}
		k := slices.IndexFunc(Assumptions, func(as Assumption) bool { return as.Name == name })
		if k < 0 || Assumptions[k].Facts == nil {
			return nil
		}
		facts = append(facts, strings.Join(Assumptions[k].Facts, " or "))
	}
	return facts
}
