package page

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/problems"
)

// experimentFile returns the experiment that asks for the results again, as the text of a file and
// as read from it. It lists the algorithms and problems that were played, each with its parameters,
// so that a sweep becomes a list. Labels are left out if one is too long for a file, as the labels
// of a sweep may be. If no file can ask for the same, such as for a name that no file may have, the
// text is empty and x nil.
func (b *builder) experimentFile() (text string, x *spec.Experiment) {
	a := b.Experiment
	e := spec.Defaults()
	e.Name, e.Description, e.Horizon, e.Replicates, e.Seed = a.Name, a.Description, a.Horizon,
		a.Replicates, a.Seed
	e.Window, e.Confidence, e.Metrics = a.Window, a.Confidence, slices.Concat(a.Metrics, a.States)
	if own := a.RecordedBaseline; own != analysis.UsualBaseline(b.Algorithms) {
		e.Baseline = own
	}
	var grids []string
	fromThisStore := make(map[string]bool)
	for _, r := range b.Algorithms {
		if r.Source != b.sourceStore() {
			continue
		}
		u, err := spec.ParseSpec(r.Spec)
		if err != nil {
			return "", nil
		}
		u.Label = r.Label
		e.Algorithms, fromThisStore[r.Spec] = append(e.Algorithms, u), true
		if r.Tuned != "" && !slices.Contains(grids, r.Tuned) {
			grids = append(grids, r.Tuned)
			grid, err := spec.ParseUse(r.Tuned)
			if err != nil {
				return "", nil
			}
			e.Tuned = append(e.Tuned, grid)
		}
	}
	if e.Tuned != nil {
		e.Tuning = a.Tuning
	}
	requested := make(map[string]bool) // problems
	for _, p := range b.Pairs {
		if fromThisStore[p.Algorithm] {
			requested[p.Problem] = true
			if len(p.Unmet) > 0 {
				e.Assumptions = "ignore"
			}
		}
	}
	for _, u := range b.Unmet { // perhaps nothing was played on the problem
		requested[u.Problem] = requested[u.Problem] || fromThisStore[u.Algorithm]
	}
	for _, p := range b.Problems {
		if !requested[p.Spec] {
			continue
		}
		u, err := spec.ParseSpec(p.Spec)
		if err != nil {
			return "", nil
		}
		u.Label = p.Label
		e.Problems = append(e.Problems, u)
	}
	for range 2 { // with labels, and then without
		text = e.YAML()
		if x, err := spec.Parse(a.Name+".yaml", []byte(text)); err == nil {
			return text, x
		}
		for _, uses := range [][]spec.Use{e.Algorithms, e.Problems} {
			for k := range uses {
				uses[k].Label = ""
			}
		}
	}
	return "", nil
}

// runCommand returns the command that runs an experiment again: by its name if it comes with the
// program, and otherwise by its file. Seed, replicates and horizon may differ from those that come
// with the program; the command then has them as flags.
func runCommand(x *spec.Experiment, unmet bool) string {
	if x == nil {
		return ""
	}
	known, err := experiments.Read(x.Name)
	if err != nil || !sameExceptSize(x, known, unmet) {
		return "bench run " + x.Name + ".yaml"
	}
	text := "bench run " + x.Name
	if !slices.Equal(x.Horizon, known.Horizon) {
		text += " --horizon " + strings.ReplaceAll(strings.Trim(fmt.Sprint(x.Horizon), "[]"), " ", ",")
	}
	if x.Replicates != known.Replicates {
		text += fmt.Sprintf(" --replicates %d", x.Replicates)
	}
	if x.Seed != known.Seed {
		text += fmt.Sprintf(" --seed %d", x.Seed)
	}
	return text
}

// sameExceptSize reports whether two experiments are the same except for horizon, replicates and
// seed. If some assumptions are not met, whether they are checked counts, too.
func sameExceptSize(x, y *spec.Experiment, unmet bool) bool {
	if x.Window != y.Window || x.Confidence != y.Confidence ||
		unmet && x.Assumptions != y.Assumptions || x.Tuning != y.Tuning ||
		!slices.Equal(x.Metrics, y.Metrics) || x.Baseline != y.Baseline {
		return false
	}
	entriesX, errX := resolvedEntries(x)
	entriesY, errY := resolvedEntries(y)
	return errX == nil && errY == nil && slices.Equal(entriesX, entriesY)
}

// resolvedEntries returns the algorithms and problems of an experiment with all parameters, as the
// program without external programs resolves them, and the grids of tuned algorithms.
func resolvedEntries(x *spec.Experiment) (all [][4]string, err error) {
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	as, ps, err := catalog.Resolve(x)
	for _, a := range as {
		all = append(all, [4]string{"algorithm", a.Name, a.Resolved(), a.Use.Label})
	}
	for _, p := range ps {
		all = append(all, [4]string{"problem", p.Name, p.Resolved(), p.Use.Label})
	}
	for _, u := range x.Tuned {
		all = append(all, [4]string{"grid", u.String()})
	}
	return all, err
}
