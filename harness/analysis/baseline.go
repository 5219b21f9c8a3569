package analysis

import (
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
)

// Tables compare all algorithms with one of them, the baseline. By default it is the first
// algorithm that the user defined, since the others are there to be compared with it, or else the
// first of the experiment.

// IsUserDefined reports whether an algorithm is not one of [algorithms.All]: it is from another
// program, a file of actions, or a module that adds to the registry.
func IsUserDefined(e experiment.Entry) bool {
	_, known := algorithms.Lookup(algorithms.All, e.Name)
	return !known
}

// BaselineOf returns the SPEC of the algorithm that the others of an experiment are compared with:
// the one that the experiment names, if it is among its algorithms, or else the [UsualBaseline].
func BaselineOf(r experiment.Record) string {
	named := func(e experiment.Entry) bool { return e.Spec == r.Baseline }
	if slices.ContainsFunc(r.Algorithms, named) {
		return r.Baseline
	}
	return UsualBaseline(r.Algorithms)
}

// UsualBaseline returns the SPEC of the default baseline: the first algorithm for which
// [IsUserDefined] holds, or else the first one, or "" if there is none.
func UsualBaseline(all []experiment.Entry) string {
	if len(all) == 0 {
		return ""
	}
	return all[max(0, slices.IndexFunc(all, IsUserDefined))].Spec
}
