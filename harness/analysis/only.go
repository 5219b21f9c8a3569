package analysis

import (
	"slices"

	"ocobench/harness/experiment"
)

// Only returns the part of an analysis that is about some algorithms and problems, by their SPECs:
// their entries and pairs, what was not played, which games are equal, and the notes of the focus.
// Comparisons, ranks and standings stay those of all.
func (a *Analysis) Only(algorithms, problems []string) *Analysis {
	part := *a
	lacks := func(specs []string, spec string) bool { return !slices.Contains(specs, spec) }
	part.Algorithms = slices.DeleteFunc(slices.Clone(a.Algorithms),
		func(e experiment.Entry) bool { return lacks(algorithms, e.Spec) })
	part.Problems = slices.DeleteFunc(slices.Clone(a.Problems),
		func(p Problem) bool { return lacks(problems, p.Spec) })
	part.Pairs = slices.DeleteFunc(slices.Clone(a.Pairs), func(p Pair) bool {
		return lacks(algorithms, p.Algorithm) || lacks(problems, p.Problem)
	})
	part.Unmet = slices.DeleteFunc(slices.Clone(a.Unmet), func(u experiment.Unmet) bool {
		return lacks(algorithms, u.Algorithm) || lacks(problems, u.Problem)
	})
	part.Equal = nil
	for _, e := range a.Equal {
		e.Algorithms = slices.DeleteFunc(slices.Clone(e.Algorithms),
			func(spec string) bool { return lacks(algorithms, spec) })
		if len(e.Algorithms) > 1 && !lacks(problems, e.Problem) {
			part.Equal = append(part.Equal, e)
		}
	}
	part.Focus.Views = slices.DeleteFunc(slices.Clone(a.Focus.Views),
		func(v ProblemFocus) bool { return lacks(problems, v.Problem) })
	part.Focus.Notes = part.focusNotes(part.Focus)
	return &part
}
