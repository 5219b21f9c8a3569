package cli

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/internal/input"
)

// Cells of an algorithm that fail mostly fail in one way: a learner with a bug does so in every
// replicate. The first of such cells is shown with all that is known, and the others are a line
// with a count.

// sayFailures says which cells failed, and why.
func (e *env) sayFailures(all []run.Failure) {
	var order []string
	alike := make(map[string][]run.Failure)
	for _, f := range all {
		way := failureKind(f)
		if alike[way] == nil {
			order = append(order, way)
		}
		alike[way] = append(alike[way], f)
	}
	for _, way := range order {
		group := alike[way]
		e.fail(fmt.Errorf("failed: %w", group[0].Err))
		var names []string
		for _, f := range group {
			name := experiment.Comparator(f.Cell.Kind)
			if c := f.Cell.Algorithm; c != nil {
				name = c.Spec
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if more := len(group) - 1; more > 0 {
			fmt.Fprintf(e.stderr, "bench: failed: %s in the same way, of %s\n",
				plural(more, "more cell"), input.Message(input.Few(names, ", ")))
		}
	}
}

// failureKind returns what failures of one kind have in common: the name of the algorithm or
// comparator, and the reason without parameters, problem and numbers.
func failureKind(f run.Failure) string {
	who, names := experiment.Comparator(f.Cell.Kind), []string{f.Cell.Problem.Spec}
	if c := f.Cell.Algorithm; c != nil {
		who, names = who+" "+c.Name, append(names, c.Spec)
	}
	reason := strings.TrimPrefix(f.Err.Error(), f.Cell.String())
	return who + "\n" + run.FailureKind(reason, names...)
}
