package analysis

import (
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
)

// Comparisons are with one algorithm, the baseline: the user's own, since that is what the
// others are there for. Where there is none it is the first of the experiment.

// Own reports whether an algorithm is the user's own: of another program, of a file of actions,
// or of a module with a longer registry than [algorithms.All].
func Own(e experiment.Entry) bool {
	_, known := algorithms.Lookup(algorithms.All, e.Name)
	return !known
}

// BaselineOf returns the SPEC of the algorithm that the others of an experiment are compared with:
// the one that the experiment names, or else the [UsualBaseline].
func BaselineOf(r experiment.Record) string {
	named := func(e experiment.Entry) bool { return e.Spec == r.Baseline }
	if slices.ContainsFunc(r.Algorithms, named) {
		return r.Baseline
	}
	return UsualBaseline(r.Algorithms)
}

// UsualBaseline returns the SPEC of the default baseline: the first algorithm that is [Own], or
// else the first one; "" without any.
func UsualBaseline(all []experiment.Entry) string {
	if len(all) == 0 {
		return ""
	}
	return all[max(0, slices.IndexFunc(all, Own))].Spec
}
