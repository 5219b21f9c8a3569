package analysis

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
)

// The page, the figures and the first tables show one regret and one violation of every problem:
// the focus. Wanted are the first regret and the first violation of the key metrics of the
// experiment, or else regret against X̂^max and soft violation. Where the wanted regret does not
// exist, since its comparator set is empty, the regret against the set that exists for the most
// pairs takes its place, so that no algorithm is left out, and a note says so.

// Focus says which regret and which violation of each problem are shown first.
type Focus struct {
	// Regret and Violation are the ones shown on the most problems.
	Regret    algorithms.Metric `json:"regret"`
	Violation algorithms.Metric `json:"violation"`
	// Wanted is the regret that is shown where it exists.
	Wanted algorithms.Metric `json:"wanted"`
	// Views lists every problem, in the order of the analysis.
	Views []ProblemFocus `json:"views"`
	// Notes are sentences on the problems where the wanted regret does not exist.
	Notes []string `json:"notes"`
}

// ProblemFocus holds the regret and the violation that are shown of a problem.
type ProblemFocus struct {
	Problem   string            `json:"problem"` // SPEC
	Regret    algorithms.Metric `json:"regret"`
	Violation algorithms.Metric `json:"violation"`
}

// Metrics returns the regret and the violation.
func (f ProblemFocus) Metrics() []algorithms.Metric {
	return []algorithms.Metric{f.Regret, f.Violation}
}

// On returns the regret and the violation that are shown of a problem.
func (f Focus) On(problem string) ProblemFocus {
	k := slices.IndexFunc(f.Views, func(v ProblemFocus) bool { return v.Problem == problem })
	if k < 0 {
		return ProblemFocus{problem, f.Regret, f.Violation}
	}
	return f.Views[k]
}

// Regrets returns the regrets that are shown on any problem, first the one of most problems.
func (f Focus) Regrets() []algorithms.Metric {
	all := []algorithms.Metric{f.Regret}
	for _, v := range f.Views {
		if !slices.Contains(all, v.Regret) {
			all = append(all, v.Regret)
		}
	}
	return all
}

// Metrics returns the regrets and the violation that are shown on any problem.
func (f Focus) Metrics() []algorithms.Metric { return append(f.Regrets(), f.Violation) }

// Has reports whether the metric is shown on any problem.
func (f Focus) Has(m algorithms.Metric) bool { return slices.Contains(f.Metrics(), m) }

// wantedMetrics returns the regret and the violation that an experiment shows first where they
// exist, given the value of the key metrics in its file.
func wantedMetrics(metrics []string) (regret, violation algorithms.Metric) {
	regret, violation = algorithms.RegretXHat, algorithms.SoftViolation
	if !experiment.Overrides(metrics) {
		return regret, violation
	}
	// firstNamed returns the first of the named metrics that is in one of the lists.
	firstNamed := func(usual algorithms.Metric, lists ...[]algorithms.Metric) algorithms.Metric {
		known := slices.Concat(lists...)
		for _, name := range metrics {
			if m := algorithms.Metric(name); slices.Contains(known, m) {
				return m
			}
		}
		return usual
	}
	return firstNamed(regret, algorithms.Regrets, []algorithms.Metric{algorithms.RegretDeclared},
			algorithms.DynamicRegrets),
		firstNamed(violation, algorithms.Violations)
}

// findFocus chooses the regret and the violation that are shown of each problem. As long as the
// pairs are not measured, it chooses the wanted ones.
func (a *Analysis) findFocus() Focus {
	regret, violation := wantedMetrics(a.Experiment.Metrics)
	f := Focus{Regret: regret, Violation: violation, Wanted: regret, Views: []ProblemFocus{},
		Notes: []string{}}
	count := make(map[algorithms.Metric]int) // of problems, by the regret that they show
	for _, p := range a.Problems {
		v := ProblemFocus{p.Spec, a.shownRegret(p.Spec, regret), violation}
		f.Views, count[v.Regret] = append(f.Views, v), count[v.Regret]+1
	}
	for _, v := range f.Views {
		if count[v.Regret] > count[f.Regret] {
			f.Regret = v.Regret
		}
	}
	f.Notes = append(f.Notes, a.focusNotes(f)...)
	return f
}

// focusNotes returns sentences about the problems where the wanted regret does not exist, one for
// each regret that is shown there.
func (a *Analysis) focusNotes(f Focus) (notes []string) {
	for _, m := range f.Regrets() {
		if note := a.focusNote(f, m); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// NotesOn returns the notes of the focus as they are on one problem by itself.
func (a *Analysis) NotesOn(problem string) []string {
	v := a.Focus.On(problem)
	return a.focusNotes(Focus{Regret: v.Regret, Wanted: a.Focus.Wanted, Views: []ProblemFocus{v}})
}

// shownRegret returns the regret that is shown on a problem: the one that the most pairs have, and
// the wanted one if no other has more. Where no pair has any of them, it is the regret against a
// comparator that the problem declares, if there is one.
func (a *Analysis) shownRegret(problem string, wanted algorithms.Metric) algorithms.Metric {
	shown, pairs := wanted, len(a.pairsWith(problem, wanted))
	for _, m := range slices.Concat([]algorithms.Metric{algorithms.RegretXHat, algorithms.RegretXMax,
		algorithms.RegretXMin, algorithms.RegretXE}, algorithms.DynamicRegrets) {
		if n := len(a.pairsWith(problem, m)); n > pairs {
			shown, pairs = m, n
		}
	}
	if pairs == 0 && len(a.pairsWith(problem, algorithms.RegretDeclared)) > 0 {
		return algorithms.RegretDeclared
	}
	return shown
}

// focusNote returns a sentence about the problems on which the focus f shows the regret shown:
// where and why it takes the place of the wanted one or, if it is the wanted one itself, where no
// regret exists. It returns "" if the wanted one exists on all of them.
func (a *Analysis) focusNote(f Focus, shown algorithms.Metric) string {
	var problems []string // that the sentence is about
	wanted := f.Wanted
	empty := false // whether the set of the wanted regret is empty on one of them
	for _, v := range f.Views {
		if v.Regret != shown || shown == wanted && len(a.pairsWith(v.Problem, shown)) > 0 {
			continue // the problem shows another regret, or it has the wanted one
		}
		emptySet := slices.ContainsFunc(a.Pairs, func(p Pair) bool {
			s := p.Series[wanted]
			return p.Problem == v.Problem && s != nil && s.State == Empty
		})
		if emptySet || shown != wanted {
			problems, empty = append(problems, a.Title(v.Problem)), empty || emptySet
		}
	}
	if problems == nil {
		return ""
	}
	// The title of a regret against a set is "regret vs" and the set.
	set, againstSet := strings.CutPrefix(a.Metric(wanted).Title, "regret ")
	name := strings.TrimPrefix(set, "vs ")
	why := name + " is not known"
	switch {
	case !againstSet:
		why = "the " + name + " does not exist"
	case empty:
		why = name + " is empty"
	}
	where := a.onProblems(problems)
	if shown == wanted {
		return fmt.Sprintf("There is no regret%s, since %s, as all other sets are.", where, why)
	}
	conjunction := "where"
	if len(problems) == len(a.Problems) {
		conjunction = "since"
	}
	return fmt.Sprintf("Regret is %s%s, %s %s.", regretLabel(a.Metric(shown)), where, conjunction, why)
}

// regretLabel returns the comparator of a regret for a sentence, such as "vs Xmax".
func regretLabel(m Metric) string {
	if set, ok := strings.CutPrefix(m.Title, "regret "); ok {
		return set
	}
	return "the " + m.Title
}

// maxNamed limits the problems that a sentence names.
const maxNamed = 5

// onProblems returns the end of a sentence that says on which problems it holds, such as " on every
// problem", or "" if the experiment has only one problem.
func (a *Analysis) onProblems(names []string) string {
	switch n := len(names); {
	case n == len(a.Problems) && n == 1:
		return ""
	case n == len(a.Problems):
		return " on every problem"
	case n > maxNamed:
		return " on " + strings.Join(names[:maxNamed], "; ") + " and " + fmt.Sprint(n-maxNamed) + " more"
	}
	return " on " + strings.Join(names, "; ")
}

// showFocus adds the single replicates of the metrics that are shown and fitted, judged, or in the
// focus. Then it marks which regrets are shown: by default those of the focus. Where the experiment
// names its metrics, these stay shown, and the focus is added if one of them is a regret.
func (a *Analysis) showFocus(f Focus, r *run.Results) {
	a.Focus = f
	for i := range a.Pairs {
		p := &a.Pairs[i]
		for _, m := range a.Metrics {
			if m.Shown && m.Fitted || p.judgedBy(m.Name) || f.Has(m.Name) {
				p.addSingleReplicates(m.Name, r)
			}
		}
	}
	overridden := experiment.Overrides(a.Experiment.Metrics)
	showsRegret := !overridden || slices.ContainsFunc(a.Metrics,
		func(m Metric) bool { return m.Shown && m.Regret() })
	for i := range a.Metrics {
		m := &a.Metrics[i]
		switch {
		case showsRegret && slices.Contains(f.Regrets(), m.Name):
			m.Shown = true
		case !overridden && slices.Contains(algorithms.Regrets, m.Name):
			m.Shown = false
		}
	}
}

// addSingleReplicates adds the single replicates to the series of a metric, if it has values of
// several replicates.
func (p *Pair) addSingleReplicates(m algorithms.Metric, r *run.Results) {
	s := p.Series[m]
	if !s.Known() {
		return
	}
	if c, replicates, _ := r.CurveAndReplicates(p.Algorithm, p.Problem, m); len(c.Y) > 1 {
		s.Runs = runsOf(c, replicates)
	}
}
