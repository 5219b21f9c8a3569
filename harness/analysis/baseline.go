package analysis

import (
	"slices"

	"ocobench/algorithms"
	"ocobench/harness"
)

// Comparisons are with one algorithm, the baseline: the user's own, since that is what the
// others are there for. Where there is none it is the first of the experiment.

// Own reports whether an algorithm is the user's own: of another program, of a file of actions,
// or of a module with a longer registry than [algorithms.All].
func Own(e harness.Entrant) bool {
	_, known := algorithms.Lookup(algorithms.All, e.Name)
	return !known
}

// BaselineOf returns the SPEC of the algorithm that the others of an experiment are compared
// with, where nobody names it: the first that is [Own], or the first one. There has to be one.
func BaselineOf(all []harness.Entrant) string {
	return all[max(0, slices.IndexFunc(all, Own))].Spec
}

// Baseline returns the SPEC of the algorithm that sentences and tables compare the others with:
// that of [Analysis.Comparison], or [BaselineOf] where there is none. It is "" without algorithms.
func (a *Analysis) Baseline() string {
	switch {
	case a.Comparison != nil:
		return a.Comparison.Baseline
	case len(a.Algorithms) == 0:
		return ""
	}
	return BaselineOf(a.Algorithms)
}
