package experiment

import (
	"ocobench/harness/experiment/spec"
	"ocobench/problems"
)

// combineKey names the key of the use of a problem that replaces its constraints by their maximum.
const combineKey = "combine"

// combineSetting holds the value of combineKey. Its tags describe it as those of parameters do.
type combineSetting struct {
	Combine string `name:"combine" doc:"none: m constraints; max: one, the largest of them, max_j g_{t,j}(x) ≤ 0" enum:"none,max"`
}

var (
	// ownCombination is the default of the setting: the constraints as the problem reveals them.
	ownCombination = combineSetting{"none"}
	problemKind    = entryKind[problems.Problem]{
		name:     "problem",
		describe: func(p problems.Problem) (string, any) { return p.Name, p.Params },
		setting:  setting{key: combineKey, defaultValue: ownCombination},
	}
)

// ProblemParameters describes what may be set in the use of a problem: its parameters, and
// whether its constraints are combined.
func ProblemParameters(p problems.Problem) []spec.Param {
	return append(spec.Describe(p.Params), spec.Describe(ownCombination)...)
}

// ResolveProblems resolves the use of a problem, like [Catalog.ResolveAlgorithms]. Expressions in
// its parameters have their values from [Problem.Bind].
//
// The key combine=max replaces the constraints of the problem by their maximum
// ([problems.Problem.Combined]), for all algorithms and comparators. It may be swept.
func (c Catalog) ResolveProblems(u spec.Use) ([]Problem, error) {
	all, err := problemKind.resolveUse(u, c.Problems)
	if err != nil {
		return nil, err
	}
	var out []Problem
	for _, r := range all {
		p := Problem{Problem: r.entry, Params: r.params, Configuration: r.Configuration}
		if r.chosen != ownCombination {
			p.separate, p.Problem = p.Problem.New, p.Problem.Combined()
		}
		out = append(out, p)
	}
	return out, nil
}

// Resolved prints all parameters, see [spec.Resolved], with expressions as texts, and that
// constraints are combined where they are.
func (p Problem) Resolved() string {
	texts := p.texts()
	if p.separate != nil {
		texts[combineKey] = "max"
	}
	return spec.Resolved(p.Params, texts)
}
