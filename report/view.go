// Package report turns an analysis into what people read: the summary that a run prints, tables,
// figures with captions, macros of TeX, and their files. It estimates nothing.
//
//	analysis → view → summary, tables, figures, macros → files
//
//	view.go                    the analysis with its lookups
//	summary.go, ranking.go     the tables that a run prints
//	tables.go, grid.go         the tables of files and of bench table
//	sweep.go                   parameters that take several values
//	horizons.go                sweeps across T
//	compare.go, against.go     comparisons with a baseline, and of two algorithms
//	figures.go, plot.go        figures and captions: those of a run, and those of bench figure
//	numbers.go                 every number and sign as text
//	names.go                   names of algorithms, problems and metrics, in text and in TeX
//	notes.go                   the sentences below tables
//	macros.go                  numbers as macros of TeX
//	output.go, manifest.go     the files of a run, and their list
//
// The other files render one verb each, such as diagnosis.go for bench diagnose. Packages table,
// figure and tex know no analysis; page writes the HTML page, and export the files for programs.
package report

import (
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
	"ocobench/report/table"
)

// A view is an analysis with the lookups that its tables and figures use many times, each computed
// once.
type view struct {
	*analysis.Analysis
	problems       []experiment.Entry
	problemKeys    []element
	algorithmKeys  []element
	styled         []experiment.Entry // the algorithms whose places are the styles of their curves
	pairs          map[pairID]*analysis.Pair
	metrics        []analysis.Metric // of all tables
	summaryMetrics []analysis.Metric // of the summary and of finals
	leads          []analysis.Lead
	sweeps         []*sweep
	rest           []element      // the problems that no sweep has
	manyProblems   bool           // and a few algorithms: figures have a panel for each problem
	outlines       *figure.Figure // of the comparator sets; nil but for an experiment that shows them
	deterministic  bool           // all pairs are
	replicates     string         // their number in words
	provenance     table.Text     // the last note of every table
	omitted        []error        // the views that could not be built
}

// A pairID names a pair by its SPECs.
type pairID struct{ algorithm, problem string }

// newView returns the view of an analysis.
func newView(a *analysis.Analysis) *view {
	x := &view{Analysis: a, pairs: make(map[pairID]*analysis.Pair), leads: a.LeadsOfKeepers(),
		styled: a.Algorithms, replicates: Replicates(a)}
	for _, p := range a.Problems {
		x.problems = append(x.problems, p.Entry)
	}
	for k, p := range a.Pairs {
		x.pairs[pairID{p.Algorithm, p.Problem}] = &a.Pairs[k]
	}
	x.problemKeys, x.algorithmKeys = entryKeys(x.problems), entryKeys(a.Algorithms)
	x.manyProblems = len(a.Problems) > maxLines && len(a.Algorithms) > 1 &&
		len(a.Algorithms) <= maxLines
	if x.deterministic = Deterministic(a); x.deterministic {
		x.replicates = onePath
	}
	x.chooseMetrics()
	x.findSweeps()
	x.outlines, x.provenance = comparatorOutlines(x), x.sourceNote().render()
	return x
}

// only returns the view without the algorithms and problems that a table does not show.
func (x *view) only(algorithms, problems []element) *view {
	specs := func(some []element) (all []string) {
		for _, e := range some {
			all = append(all, e.spec)
		}
		return all
	}
	part := *x
	part.Analysis = x.Analysis.Only(specs(algorithms), specs(problems))
	return &part
}

// Deterministic reports whether no pair draws a random number, so that each is one path.
func Deterministic(a *analysis.Analysis) bool {
	random := func(p analysis.Pair) bool { return !p.Deterministic }
	return len(a.Pairs) > 0 && !slices.ContainsFunc(a.Pairs, random)
}

// entryKeys returns problems or algorithms as elements of a dimension.
func entryKeys(all []experiment.Entry) (keys []element) {
	for _, e := range all {
		keys = append(keys, element{name: entryText(e), spec: e.Spec})
	}
	return keys
}

// keysOf returns the keys of some SPECs, in their order.
func keysOf(keys []element, specs []string) (some []element) {
	for _, spec := range specs {
		k := slices.IndexFunc(keys, func(k element) bool { return k.spec == spec })
		some = append(some, keys[k])
	}
	return some
}

// chooseMetrics finds the metrics. Those of the summary are the regrets that the analysis focuses
// on, the soft violation, the violation that the first algorithm is judged by, and what the
// experiment asks for. An experiment that names all its metrics has these in all tables, in its
// order, after the regrets that stand in for others.
func (x *view) chooseMetrics() {
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
			x.summaryMetrics = append(x.summaryMetrics, m)
		}
	}
	if chosen {
		for _, name := range x.Experiment.Metrics {
			m := x.Metric(algorithms.Metric(name))
			x.metrics, x.summaryMetrics = append(x.metrics, m), append(x.summaryMetrics, m)
		}
	}
}

// summaryMetricsOn returns the metrics of the summary that a figure of one problem shows: without
// regrets that stand in on other problems, and without one that does not exist there.
func (x *view) summaryMetricsOn(problem string) []analysis.Metric {
	focus := x.Focus.On(problem)
	return slices.DeleteFunc(slices.Clone(x.summaryMetrics), func(m analysis.Metric) bool {
		if !m.Regret() || m.Name == focus.Regret {
			return false
		}
		exists := slices.ContainsFunc(x.Pairs, func(p analysis.Pair) bool {
			return p.Problem == problem && p.Series[m.Name].Known()
		})
		return !exists || !slices.Contains(x.Experiment.Metrics, string(m.Name))
	})
}

// metricsNamed returns metrics by their names.
func (x *view) metricsNamed(names []algorithms.Metric) (metrics []analysis.Metric) {
	for _, m := range names {
		metrics = append(metrics, x.Metric(m))
	}
	return metrics
}

// fittedOf returns the metrics whose growth is fitted.
func fittedOf(all []analysis.Metric) []analysis.Metric {
	return slices.DeleteFunc(slices.Clone(all), func(m analysis.Metric) bool { return !m.Fitted })
}

// claimKinds lists the metrics of regret, of dynamic regret and of violation that claims may be
// about.
var claimKinds = [][]algorithms.Metric{algorithms.Regrets, algorithms.DynamicRegrets,
	algorithms.Violations}

// judgementOn returns the judgement of a pair on regret, dynamic regret or violation.
func judgementOn(p *analysis.Pair, kind []algorithms.Metric) analysis.Judgement {
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

// playedAlgorithms returns the algorithms that were played on some problem.
func (x *view) playedAlgorithms() []experiment.Entry {
	return slices.DeleteFunc(slices.Clone(x.Algorithms), x.isNeverPlayed)
}

// isNeverPlayed reports whether an algorithm was played on no problem.
func (x *view) isNeverPlayed(e experiment.Entry) bool {
	return !slices.ContainsFunc(x.Pairs, func(p analysis.Pair) bool { return p.Algorithm == e.Spec })
}
