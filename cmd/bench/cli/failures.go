package cli

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/internal/input"
)

// A learner that has a bug fails in the same way in every replicate, and a problem of another
// program that has a bug fails under every learner. The first cell of each kind of failure is
// printed in full as soon as it has failed, so that nobody waits for the others, which are counted
// in one line at the end.

// failurePrinter prints which cells failed, and why.
type failurePrinter struct {
	env   *env
	print func(format string, args ...any)
	shown map[string]*experiment.Cell // by kind of failure, the cell that is printed in full
}

// show prints a failure in full if it is the first of its kind.
func (p *failurePrinter) show(f run.Failure) {
	kind := failureKind(f)
	if p.shown[kind] != nil {
		return
	}
	if p.shown == nil {
		p.shown = make(map[string]*experiment.Cell)
	}
	p.shown[kind] = f.Cell
	p.print("%s", p.env.errorText(fmt.Errorf("failed: %w", f.Err)))
}

// countOthers prints how many cells failed in the same way as those that show has printed. It shows
// the first of each other kind.
func (p *failurePrinter) countOthers(all []run.Failure) {
	var order []string
	byKind := make(map[string][]run.Failure)
	for _, f := range all {
		kind := failureKind(f)
		if byKind[kind] == nil {
			order = append(order, kind)
		}
		byKind[kind] = append(byKind[kind], f)
	}
	for _, kind := range order {
		group := byKind[kind]
		p.show(group[0])
		var names []string
		for _, f := range group {
			name := experiment.Comparator(f.Cell.Kind) // "" for games, which have an algorithm
			if algorithm := f.Cell.Algorithm; algorithm != nil {
				name = algorithm.Spec
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if more := len(group) - 1; more > 0 {
			p.print("bench: failed: %s in the same way as %s, of %s\n",
				plural(more, "more cell"), input.Message(p.shown[kind].String()),
				input.Message(input.Few(names, ", ")))
		}
	}
}

// failureKind returns a text that failures of one kind have in common: the name of the algorithm or
// comparator, and the reason without parameters, problem and numbers. If the problem is of another
// program and the algorithm is not, the name is left out, because the bug is likely the problem's,
// which then fails under every learner.
func failureKind(f run.Failure) string {
	who, specs := experiment.Comparator(f.Cell.Kind), []string{f.Cell.Problem.Spec}
	isBuiltIn := true
	if algorithm := f.Cell.Algorithm; algorithm != nil {
		who += " " + algorithm.Name
		specs = append(specs, algorithm.Spec)
		isBuiltIn = algorithm.Flag == ""
	}
	if isBuiltIn && f.Cell.Problem.Flag != "" {
		who = ""
	}
	reason := strings.TrimPrefix(f.Err.Error(), f.Cell.String())
	return who + "\n" + run.FailureKind(reason, specs...)
}
