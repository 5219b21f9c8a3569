package analysis

import (
	"cmp"
	"slices"

	"ocobench/algorithms"
)

// Front holds the Pareto front of a problem by the means at the last round: the algorithms that no
// other one dominates, with at most the same regret and violation, and less of one of them.
type Front struct {
	Problem   string            `json:"problem"` // SPEC
	Regret    algorithms.Metric `json:"regret"`
	Violation algorithms.Metric `json:"violation"`
	// Algorithms holds SPECs, from the least violation to the least regret.
	Algorithms []string `json:"algorithms"`
}

// paretoFronts returns the Pareto fronts of all problems, by the regret and the violation of their
// focus.
func (a *Analysis) paretoFronts() []Front {
	type point struct {
		spec              string
		regret, violation Number
	}
	fronts := []Front{}
	for _, problem := range a.Problems {
		v := a.Focus.On(problem.Spec)
		f := Front{problem.Spec, v.Regret, v.Violation, []string{}}
		var points []point
		for _, p := range a.Pairs {
			regret, violation := p.Series[f.Regret], p.Series[f.Violation]
			if p.Problem == problem.Spec && regret.Known() && violation.Known() {
				points = append(points, point{p.Algorithm, regret.Mean.Last().Value,
					violation.Mean.Last().Value})
			}
		}
		slices.SortStableFunc(points, func(p, q point) int {
			return cmp.Or(cmp.Compare(p.violation, q.violation), cmp.Compare(p.regret, q.regret))
		})
		for _, p := range points {
			dominated := slices.ContainsFunc(points, func(q point) bool {
				return q.regret <= p.regret && q.violation <= p.violation &&
					(q.regret < p.regret || q.violation < p.violation)
			})
			if !dominated {
				f.Algorithms = append(f.Algorithms, p.spec)
			}
		}
		fronts = append(fronts, f)
	}
	return fronts
}
