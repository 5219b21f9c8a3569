package report

import (
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
	"ocobench/report/table"
)

// A subject is an analysis with what its tables and figures say again and again, each found out
// once: the keys of its problems and algorithms, its pairs by their names, its metrics, its
// sweeps, and the notes below every table. What report shows of an analysis begins with
// [subjectOf] and goes one way: subject, tables and figures, files.
type subject struct {
	*analysis.Analysis
	problems      []experiment.Entry
	problemKeys   []key
	algorithmKeys []key
	pairs         map[pairID]*analysis.Pair
	metrics       []analysis.Metric // those that every experiment shows
	glance        []analysis.Metric // those of the printed tables
	leads         []analysis.Lead
	sweeps        []*sweep
	rest          []key          // the problems that no sweep has
	comparison    bool           // many problems and a few algorithms: a small panel for each problem
	outlines      *figure.Figure // of the comparator sets; nil but for an experiment that shows them
	still         bool           // no pair has chance, so that each is one path
	replicates    string         // their number in words
	provenance    table.Text     // ends the notes of every table
	pairNotes     []table.Text   // on pairs: assumptions that are not met, failures, no chance
	marks         []table.Text   // the same in short, for the printed tables
	omitted       []error        // the views that could not be built
}

// A pairID names a pair by its SPECs.
type pairID struct{ algorithm, problem string }

// subjectOf returns the subject of an analysis.
func subjectOf(a *analysis.Analysis) *subject {
	x := &subject{Analysis: a, pairs: make(map[pairID]*analysis.Pair), leads: a.Leads(),
		replicates: Replicates(a)}
	for _, p := range a.Problems {
		x.problems = append(x.problems, p.Entry)
	}
	for k, p := range a.Pairs {
		x.pairs[pairID{p.Algorithm, p.Problem}] = &a.Pairs[k]
	}
	x.problemKeys, x.algorithmKeys = entryKeys(x.problems), entryKeys(a.Algorithms)
	x.comparison = len(a.Problems) > maxLines && len(a.Algorithms) > 1 && len(a.Algorithms) <= maxLines
	if x.still = Still(a); x.still {
		x.replicates = onePath
	}
	x.choose()
	x.sweep()
	x.outlines = outlines(x)
	x.annotate()
	return x
}

// entrantKeys returns problems or algorithms as elements.
func entryKeys(all []experiment.Entry) (keys []key) {
	for _, e := range all {
		keys = append(keys, key{name: entryText(e), spec: e.Spec})
	}
	return keys
}

// choose finds the metrics. Those of the printed tables are the regrets of the views, the soft
// violation, the violation that the first algorithm is judged by, and what the experiment asks
// for. Where it chooses all, they are those of all tables, in its order, after the regrets that
// stand in.
func (x *subject) choose() {
	chosen := experiment.Overrides(x.Experiment.Metrics)
	for _, m := range x.Metrics {
		if !m.Shown || chosen && slices.Contains(x.Experiment.Metrics, string(m.Name)) {
			continue
		}
		x.metrics = append(x.metrics, m)
		judged := func(p analysis.Pair) bool {
			return p.Algorithm == x.Algorithms[0].Spec && p.Violation.Metric == m.Name
		}
		if m.Fitted && (m.Regret() || m.OfRounds || m.Name == algorithms.SoftViolation ||
			slices.ContainsFunc(x.Pairs, judged)) {
			x.glance = append(x.glance, m)
		}
	}
	if chosen {
		for _, name := range x.Experiment.Metrics {
			m := x.Metric(algorithms.Metric(name))
			x.metrics, x.glance = append(x.metrics, m), append(x.glance, m)
		}
	}
}

// glanceOn returns the metrics at a glance on a problem: the regret of its view, without those
// that stand in elsewhere, and without one that was asked for and does not exist there.
func (x *subject) glanceOn(problem string) []analysis.Metric {
	view := x.Focus.On(problem)
	return slices.DeleteFunc(slices.Clone(x.glance), func(m analysis.Metric) bool {
		if !m.Regret() || m.Name == view.Regret {
			return false
		}
		exists := slices.ContainsFunc(x.Pairs, func(p analysis.Pair) bool {
			return p.Problem == problem && p.Series[m.Name].Known()
		})
		return !exists || !slices.Contains(x.Experiment.Metrics, string(m.Name))
	})
}

// metricsNamed returns metrics by their names.
func (x *subject) metricsNamed(names []algorithms.Metric) (metrics []analysis.Metric) {
	for _, m := range names {
		metrics = append(metrics, x.Metric(m))
	}
	return metrics
}

// fittedOf returns the metrics whose growth is fitted.
func fittedOf(all []analysis.Metric) []analysis.Metric {
	return slices.DeleteFunc(slices.Clone(all), func(m analysis.Metric) bool { return !m.Fitted })
}

// A sweep is one parameter of a problem or of an algorithm that takes several values.
type sweep struct {
	param     string
	columns   []experiment.Entry // by the values of the parameter
	rows      []experiment.Entry // the others: the algorithms of a problem, or the problems
	ofProblem bool
}

// sweep finds the sweeps of an experiment: those of problems or, if it has none, those of
// algorithms.
func (x *subject) sweep() {
	var specs []string
	x.rest = x.problemKeys
	if x.sweeps, specs = swept(x.problems); x.sweeps != nil {
		for _, s := range x.sweeps {
			s.rows, s.ofProblem = x.Algorithms, true
		}
		x.rest = keysOf(x.problemKeys, specs)
		return
	}
	x.sweeps, _ = swept(x.Algorithms)
	for _, s := range x.sweeps {
		s.rows = x.problems
	}
}

// swept returns the entries that have a name in common and differ in one parameter,
// and the SPECs of all others. Those that have labels of their own are no sweep.
func swept(entrants []experiment.Entry) (sweeps []*sweep, rest []string) {
	alike := make(map[string][]experiment.Entry)
	for _, e := range entrants {
		alike[e.Name] = append(alike[e.Name], e)
	}
	for _, e := range entrants {
		all := alike[e.Name]
		delete(alike, e.Name)
		if varying := experiment.Varying(all); len(varying) == 1 && !slices.ContainsFunc(all,
			func(e experiment.Entry) bool { return e.Label != "" && stem(e, varying[0]) == e.Label }) {
			sweeps = append(sweeps, &sweep{param: varying[0], columns: all})
			continue
		}
		for _, e := range all {
			rest = append(rest, e.Spec)
		}
	}
	return sweeps, rest
}

// keysOf returns the keys of some SPECs, in their order.
func keysOf(keys []key, specs []string) (some []key) {
	for _, spec := range specs {
		k := slices.IndexFunc(keys, func(k key) bool { return k.spec == spec })
		some = append(some, keys[k])
	}
	return some
}

// kinds are the metrics of regret, of dynamic regret and of violation, which claims are about.
var kinds = [][]algorithms.Metric{algorithms.Regrets, algorithms.DynamicRegrets,
	algorithms.Violations}

// judgement returns the judgement of a pair on regret, dynamic regret or violation.
func judgement(p *analysis.Pair, kind []algorithms.Metric) analysis.Judgement {
	switch {
	case slices.Contains(kind, algorithms.RegretXMin):
		return p.Regret
	case !slices.Contains(kind, algorithms.RegretDynamic):
		return p.Violation
	case p.Dynamic != nil:
		return *p.Dynamic
	}
	return analysis.Judgement{}
}
