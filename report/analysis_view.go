package report

import (
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
	"ocobench/report/table"
)

// An analysisView holds an analysis with the lookups that its tables and figures use many times,
// each computed once.
type analysisView struct {
	*analysis.Analysis
	problems         []experiment.Entry
	problemMembers   []member
	algorithmMembers []member
	styleOrder       []experiment.Entry // the place of an algorithm is the style of its curves
	pairs            map[pairID]*analysis.Pair
	metrics          []analysis.Metric // of all tables but summary and finals
	summaryMetrics   []analysis.Metric // of the tables summary and finals
	leads            []analysis.Lead   // those of [analysis.Analysis.LeadsOfKeepers]
	sweeps           []*sweep
	unsweptProblems  []member       // the problems that no sweep has
	manyProblems     bool           // too many for one panel, with few algorithms: one panel each
	outlines         *figure.Figure // of the comparator sets, in an experiment that shows them
	deterministic    bool           // no pair draws random numbers
	replicates       string         // what means are over: "20 replicates", or [onePath]
	provenance       table.Text     // the last note of every table
	omitted          []error        // the views that could not be built
}

// A pairID names a pair by the SPECs of its algorithm and its problem.
type pairID struct{ algorithm, problem string }

// newAnalysisView returns the view of an analysis.
func newAnalysisView(a *analysis.Analysis) *analysisView {
	v := &analysisView{Analysis: a, leads: a.LeadsOfKeepers(), styleOrder: a.Algorithms,
		pairs: make(map[pairID]*analysis.Pair), replicates: Replicates(a)}
	for k := range a.Pairs {
		p := &a.Pairs[k]
		v.pairs[pairID{p.Algorithm, p.Problem}] = p
	}
	for _, p := range a.Problems {
		v.problems = append(v.problems, p.Entry)
	}
	v.problemMembers, v.algorithmMembers = entryMembers(v.problems), entryMembers(a.Algorithms)
	v.manyProblems = len(a.Problems) > maxLines && len(a.Algorithms) > 1 &&
		len(a.Algorithms) <= maxLines
	if v.deterministic = Deterministic(a); v.deterministic {
		v.replicates = onePath
	}
	v.chooseMetrics()
	v.setSweeps()
	v.outlines, v.provenance = comparatorOutlines(v), v.sourceNote().render()
	return v
}

// restrictTo returns the view with its analysis restricted to these algorithms and problems. Its
// other fields stay those of the whole analysis: it serves notes.
func (v *analysisView) restrictTo(algorithms, problems []member) *analysisView {
	specs := func(members []member) (specs []string) {
		for _, e := range members {
			specs = append(specs, e.spec)
		}
		return specs
	}
	part := *v
	part.Analysis = v.Analysis.Only(specs(algorithms), specs(problems))
	return &part
}

// Deterministic reports whether no pair draws a random number, so that each is one path.
func Deterministic(a *analysis.Analysis) bool {
	random := func(p analysis.Pair) bool { return !p.Deterministic }
	return len(a.Pairs) > 0 && !slices.ContainsFunc(a.Pairs, random)
}

// entryMembers returns problems or algorithms as members of a dimension.
func entryMembers(all []experiment.Entry) (members []member) {
	for _, e := range all {
		members = append(members, member{name: entryText(e), spec: e.Spec})
	}
	return members
}

// membersNamed returns the members with these SPECs, in the order of the SPECs.
func membersNamed(members []member, specs []string) (some []member) {
	for _, spec := range specs {
		k := slices.IndexFunc(members, func(m member) bool { return m.spec == spec })
		some = append(some, members[k])
	}
	return some
}

// chooseMetrics sets the metrics of the tables and of the summary. The summary has the regrets of
// the focus, the metrics of rounds, the soft violation, the violation that the first algorithm is
// judged by, and what the experiment asks for. Metrics that the experiment names in place of the
// usual ones come last, in its order. Before them are other metrics only for problems on which the
// named ones do not exist, such as their regrets.
func (v *analysisView) chooseMetrics() {
	replaceUsual := experiment.Overrides(v.Experiment.Metrics)
	for _, m := range v.Metrics {
		if !m.Shown || replaceUsual && slices.Contains(v.Experiment.Metrics, string(m.Name)) {
			continue
		}
		v.metrics = append(v.metrics, m)
		judged := func(p analysis.Pair) bool {
			return p.Algorithm == v.Algorithms[0].Spec && p.Violation.Metric == m.Name
		}
		if m.Fitted && (m.Regret() || m.OfRounds || m.Name == algorithms.SoftViolation ||
			slices.ContainsFunc(v.Pairs, judged)) {
			v.summaryMetrics = append(v.summaryMetrics, m)
		}
	}
	if replaceUsual {
		for _, name := range v.Experiment.Metrics {
			m := v.Metric(algorithms.Metric(name))
			v.metrics, v.summaryMetrics = append(v.metrics, m), append(v.summaryMetrics, m)
		}
	}
}

// summaryMetricsOn returns the metrics of the summary that a figure of one problem shows. Of the
// regrets these are the one of the focus on the problem, and those that exist there and are named
// by the experiment.
func (v *analysisView) summaryMetricsOn(problem string) []analysis.Metric {
	focus := v.Focus.On(problem)
	return slices.DeleteFunc(slices.Clone(v.summaryMetrics), func(m analysis.Metric) bool {
		if !m.Regret() || m.Name == focus.Regret {
			return false
		}
		exists := slices.ContainsFunc(v.Pairs, func(p analysis.Pair) bool {
			return p.Problem == problem && p.Series[m.Name].Known()
		})
		named := slices.Contains(v.Experiment.Metrics, string(m.Name))
		return !exists || !named
	})
}

// metricsNamed returns the metrics with these names.
func (v *analysisView) metricsNamed(names []algorithms.Metric) (metrics []analysis.Metric) {
	for _, m := range names {
		metrics = append(metrics, v.Metric(m))
	}
	return metrics
}

// fittedOf returns the metrics whose growth is fitted.
func fittedOf(all []analysis.Metric) []analysis.Metric {
	return slices.DeleteFunc(slices.Clone(all), func(m analysis.Metric) bool { return !m.Fitted })
}

// A claimKind is what a claim is about, whichever metric measures it.
type claimKind string

// claimKinds lists what claims may be about, in the order of tables and figures.
var claimKinds = []claimKind{"regret", "dynamic regret", "violation"}

// judgementOn returns the judgement of a pair on a kind of claim. It is zero if the pair has no
// judgement on dynamic regret.
func judgementOn(p *analysis.Pair, kind claimKind) analysis.Judgement {
	switch {
	case kind == "regret":
		return p.Regret
	case kind == "violation":
		return p.Violation
	case p.Dynamic != nil:
		return *p.Dynamic
	}
	return analysis.Judgement{}
}

// Pair returns what [analysis.Analysis.Pair] does of the whole analysis, without a search: tables
// look at every pair, and there may be thousands.
func (v *analysisView) Pair(algorithm, problem string) *analysis.Pair {
	return v.pairs[pairID{algorithm, problem}]
}

// algorithmsOn returns the algorithms that were played on a problem with results that keep accepts.
func (v *analysisView) algorithmsOn(problem string,
	keep func(*analysis.Pair) bool) (all []experiment.Entry) {
	for _, e := range v.Algorithms {
		if p := v.Pair(e.Spec, problem); p != nil && keep(p) {
			all = append(all, e)
		}
	}
	return all
}

// playedAlgorithms returns the algorithms that were played on some problem.
func (v *analysisView) playedAlgorithms() []experiment.Entry {
	return slices.DeleteFunc(slices.Clone(v.Algorithms), v.isNeverPlayed)
}

// isNeverPlayed reports whether an algorithm was played on no problem.
func (v *analysisView) isNeverPlayed(e experiment.Entry) bool {
	return !slices.ContainsFunc(v.Pairs, func(p analysis.Pair) bool { return p.Algorithm == e.Spec })
}
