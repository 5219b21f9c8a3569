package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// The tables of an experiment. Each is a grid that grid.go builds, with a title and notes;
// only that of the claims has rows of its own.

// First returns the tables of an experiment for a terminal: those of [Finals] or, for more
// algorithms than a figure shows and without a sweep, that of [Standings]. An experiment
// that shows comparator sets has none.
func First(a *analysis.Analysis) []*table.Table {
	if outlines(a) != nil {
		return nil
	}
	return printed(a, []namedTable{{"finals", Finals(a, glance(a)), nil}, named("claims", Standings(a))})
}

// printed returns the tables of [First] among those of an experiment.
func printed(a *analysis.Analysis, all []namedTable) []*table.Table {
	name := "finals"
	if sweeps, _, _ := sweepsOf(a); sweeps == nil && len(a.Standings) > 0 && len(a.Algorithms) > maxLines {
		name = "claims"
	}
	return all[slices.IndexFunc(all, func(t namedTable) bool { return t.name == name })].tables
}

// A namedTable is what a file of tables has, under its name.
type namedTable struct {
	name   string
	tables []*table.Table
	values *table.Table // for CSV
}

// named returns a table under a name.
func named(name string, t *table.Table) namedTable { return namedTable{name, []*table.Table{t}, t} }

// tablesOf returns the tables of metrics, and of those at a glance in [Finals].
func tablesOf(a *analysis.Analysis, metrics, glance []analysis.Metric) []namedTable {
	all := []namedTable{
		{"finals", Finals(a, glance), finalValues(a, metrics)},
		named("exponents", Exponents(a, metrics)),
		named("rates", Rates(a)),
		named("overview", Overview(a, metrics)),
		named("claims", Standings(a)),
	}
	means := namedTable{name: "means", values: meanValues(a, metrics)}
	for _, m := range metrics {
		means.tables = append(means.tables, Means(a, m))
	}
	all = append(all, means)
	return slices.DeleteFunc(all, func(t namedTable) bool { return t.tables[0] == nil })
}

// chosen returns the metrics of tables, and of those those of [Finals]: the named ones or, for
// none, those that every experiment shows.
func chosen(a *analysis.Analysis, names []algorithms.Metric) (metrics, finals []analysis.Metric) {
	if names == nil {
		metrics, _ = shown(a)
		return metrics, glance(a)
	}
	metrics = metricsNamed(a, names)
	return metrics, metrics
}

// metricsNamed returns metrics by their names.
func metricsNamed(a *analysis.Analysis, names []algorithms.Metric) (metrics []analysis.Metric) {
	for _, m := range names {
		metrics = append(metrics, a.Metric(m))
	}
	return metrics
}

// glance returns the metrics of [Finals] if none are chosen: the regret that every
// experiment shows, the soft violation, the violation that the first algorithm is
// judged by, and what the experiment asks for.
func glance(a *analysis.Analysis) (metrics []analysis.Metric) {
	_, fitted := shown(a)
	for _, m := range fitted {
		judged := func(p analysis.Pair) bool {
			return p.Algorithm == a.Algorithms[0].Spec && p.Violation.Metric == m.Name
		}
		if m.Regret() || m.OfRounds || m.Name == algorithms.SoftViolation || slices.ContainsFunc(a.Pairs, judged) {
			metrics = append(metrics, m)
		}
	}
	return metrics
}

// shown returns the metrics that every experiment shows, and those of them whose
// growth is fitted.
func shown(a *analysis.Analysis) (all, fitted []analysis.Metric) {
	for _, m := range a.Metrics {
		if m.Shown {
			all = append(all, m)
		}
	}
	return all, fittedOf(all)
}

// fittedOf returns the metrics whose growth is fitted.
func fittedOf(all []analysis.Metric) []analysis.Metric {
	return slices.DeleteFunc(slices.Clone(all), func(m analysis.Metric) bool { return !m.Fitted })
}

// gridOf returns a grid of all problems, algorithms and metrics.
func gridOf(a *analysis.Analysis, metrics []analysis.Metric, values ...value) *grid {
	return &grid{a: a, windows: make(windows), keys: map[Dim][]key{
		ByProblem:   algorithmKeys(problemEntrants(a)),
		ByAlgorithm: algorithmKeys(a.Algorithms),
		ByMetric:    metricKeys(metrics, metricText),
		ByValue:     valueKeys(values...),
	}}
}

// titled sets the title and the label of a table of an experiment.
func titled(a *analysis.Analysis, t *table.Table, title, label string) *table.Table {
	t.Title = table.Plain(title + ", experiment " + a.Experiment.Name)
	t.Label = "tab:" + a.Experiment.Name + "-" + label
	return t
}

// Finals returns the tables that a run prints. Their cells have the final mean of a
// metric with its interval, and below it the growth exponent.
//
// If the experiment sweeps a parameter of a problem, there is a table of the sweep. A
// block is a metric, with the algorithms as rows and the values of the parameter as
// columns, and a note for each metric says in words what the sweep shows. If it sweeps a
// parameter of an algorithm and none of a problem, the problems are the rows. In the
// table of what is not swept a block is a problem, with the algorithms as rows and the
// metrics as columns.
//
// LaTeX has the exponents in tables of their own, and the words in none. The last table
// explains the cells.
func Finals(a *analysis.Analysis, metrics []analysis.Metric) (tables []*table.Table) {
	w := make(windows)
	sweeps, problems, algorithms := sweepsOf(a)
	for _, s := range sweeps {
		g := gridOf(a, metrics, finalGrowth)
		g.blocks, g.rows, g.columns, g.absent, g.windows = ByMetric, []Dim{ByProblem}, ByAlgorithm, true, w
		if s.ofProblem {
			g.rows, g.columns = []Dim{ByAlgorithm}, ByProblem
		}
		g.keys[g.columns] = s.keys()
		t := g.table()
		t.Title = join(table.Plain(fmt.Sprintf("Regret and violation at T = %d by %s of ", a.Experiment.Last(), s.param)),
			entrantText(without(s.columns[0], s.param)), table.Plain(", experiment "+a.Experiment.Name))
		for _, m := range metrics {
			words := s.words(a, m)
			words.Aside = true
			t.Notes = append(t.Notes, words)
		}
		tables = append(tables, t)
	}
	g := gridOf(a, metrics, finalGrowth)
	g.blocks, g.rows, g.columns, g.windows = ByProblem, []Dim{ByAlgorithm}, ByMetric, w
	g.keys[ByProblem], g.keys[ByAlgorithm] = algorithmKeys(problems), algorithmKeys(algorithms)
	if t := g.table(); t.Blocks != nil {
		tables = append(tables, titled(a, t, fmt.Sprintf("Regret and violation at T = %d", a.Experiment.Last()), ""))
	}
	for k, t := range tables {
		t.Label = "tab:" + a.Experiment.Name + "-finals"
		if k > 0 {
			t.Label += fmt.Sprintf("-%d", k+1)
		}
	}
	last := tables[len(tables)-1]
	last.Notes = append(last.Notes, finalNotes(a, sweeps != nil, w, tables)...)
	return tables
}

// finalGrowth is the final mean with the growth exponent below it.
var finalGrowth = value{name: "final", align: table.Right, fields: estimateFields, fitted: true,
	text: func(a *analysis.Analysis, p *analysis.Pair, m analysis.Metric) table.Text {
		s, cell := p.Series[m.Name], finalMean(a, p, m)
		if s.State != analysis.Measured || !m.Fitted {
			return cell
		}
		exponent := growth(s)
		if strings.IndexAny(exponent.Plain, "-0123456789") == 0 {
			exponent.Plain = "t^" + exponent.Plain
		}
		cell.Below = &exponent
		return cell
	}}

// finalValues returns the table of the final means and the exponents in which a row is
// a metric of a pair, which CSV has in place of those of [Finals].
func finalValues(a *analysis.Analysis, metrics []analysis.Metric) *table.Table {
	horizon := value{name: "t", fields: itself,
		text: func(a *analysis.Analysis, _ *analysis.Pair, _ analysis.Metric) table.Text {
			return table.Text{CSV: []string{fmt.Sprint(a.Experiment.Last())}}
		}}
	mean := valueNamed("final")
	mean.name = "mean"
	g := gridOf(a, fittedOf(metrics), horizon, mean, valueNamed("exponent"))
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue
	return g.table()
}

// Exponents returns the table of growth exponents of an experiment: a row for each
// algorithm on each problem, and a column for each metric.
func Exponents(a *analysis.Analysis, metrics []analysis.Metric) *table.Table {
	return exponents(a, metrics, "Growth exponents", "exponents", ByMetric, ByProblem, ByAlgorithm)
}

// Overview returns the table of growth exponents of an experiment with many
// problems and a few algorithms: a column for each algorithm, and a row for each
// problem and metric. It returns nil for other experiments.
func Overview(a *analysis.Analysis, metrics []analysis.Metric) *table.Table {
	if !isComparison(a) {
		return nil
	}
	return exponents(a, metrics, "Growth exponents of regret and violation", "overview", ByAlgorithm, ByProblem, ByMetric)
}

// exponents returns a table of the growth exponents of the metrics whose growth is
// fitted; it is nil if there are none.
func exponents(a *analysis.Analysis, metrics []analysis.Metric, title, label string, columns Dim, rows ...Dim) *table.Table {
	g := gridOf(a, fittedOf(metrics), valueNamed("exponent"))
	g.rows, g.columns = rows, columns
	t := g.table()
	if t.Rows == nil {
		return nil
	}
	t.Notes = g.notes(t)
	return titled(a, t, title, label)
}

// Means returns the table of the means of a metric at the powers of ten and at the
// last horizon, with the half-widths of their intervals.
func Means(a *analysis.Analysis, m analysis.Metric) *table.Table {
	g := gridOf(a, []analysis.Metric{m}, meansAt(a)...)
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm}, ByValue
	t := titled(a, g.table(), "Mean "+m.Title, string(m.Name))
	t.Notes = append(t.Notes,
		table.Plain(fmt.Sprintf("Mean and half-width of its %g %% interval over %s.", 100*a.Experiment.Confidence, Replicates(a))))
	t.Notes = append(append(t.Notes, boldNotes(a, t)...), provenance(a))
	t.Notes = append(t.Notes, pairNotes(a)...)
	return t
}

// meanValues returns the table of the means in which a row is a metric of a pair, which CSV has
// in place of those of [Means].
func meanValues(a *analysis.Analysis, metrics []analysis.Metric) *table.Table {
	g := gridOf(a, metrics, meansAt(a)...)
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue
	return g.table()
}

// meansAt returns the means at [checkpoints] as values.
func meansAt(a *analysis.Analysis) (all []value) {
	for _, t := range checkpoints(a) {
		all = append(all, value{
			name: fmt.Sprintf("t%g", t), heading: table.Text{Plain: fmt.Sprintf("t = %g", t), TeX: fmt.Sprintf("$t = %g$", t)},
			align: table.Right, fields: estimateFields, text: meanAt(t),
		})
	}
	return all
}

// checkpoints returns the powers of ten and the last horizon.
func checkpoints(a *analysis.Analysis) (at []float64) {
	last := a.Experiment.Last()
	for t := 100; t < last; t *= 10 {
		at = append(at, float64(t))
	}
	return append(at, float64(last))
}

// Rates returns the table that holds every algorithm on every problem against what
// is claimed of it: a row for the regret, one for the violation, and one for the dynamic
// regret of those that claim something of it, each with the measured and the claimed
// exponent, the verdict on the slope, and the bound of the proof. It returns nil if no algorithm has a claim.
func Rates(a *analysis.Analysis) *table.Table {
	var foot tally
	var metrics []analysis.Metric
	for _, kind := range kinds {
		for k := range a.Pairs {
			j := judgement(&a.Pairs[k], kind)
			if j.Metric != "" && !slices.ContainsFunc(metrics, func(m analysis.Metric) bool { return m.Name == j.Metric }) {
				metrics = append(metrics, a.Metric(j.Metric))
			}
		}
	}
	for _, p := range a.Pairs {
		for _, j := range p.Judgements() {
			if j.Claim != nil {
				foot.count(p, *j)
			}
		}
	}
	if foot.claims == 0 {
		return nil
	}
	measured, stated := valueNamed("exponent"), valueNamed("bound")
	measured.heading = table.Plain("measured")
	stated.align, stated.fields = table.Left, fieldsOf("bound", "ratio", "ratio_lower", "ratio_upper", "bound_t", "bound_replicate")
	g := gridOf(a, nil, measured, valueNamed("claim"),
		value{name: "slope", heading: table.Plain("slope"), fields: fieldsOf("slope", "p", "p_adjusted"),
			text: judged(func(p *analysis.Pair, j analysis.Judgement) table.Text { return slope(j, p.Series[j.Metric].Fit) })},
		stated,
		value{name: "both", heading: table.Plain("both"), fields: fieldsOf("both"), text: judged(both)})
	g.keys[ByMetric], g.keep = metricKeys(metrics, ofMetric), heldAgainst
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue
	t := titled(a, g.table(), "Measured growth beside what is claimed", "rates")
	t.Columns[2].Name = table.Plain("of")
	exponents := &table.Table{} // whose words the notes explain
	for _, row := range t.Rows {
		exponents.Rows = append(exponents.Rows, row[3:4])
	}
	t.Notes = append(g.windows.notes(a, exponents), foot.notes(a)...)
	t.Notes = append(t.Notes, pairNotes(a)...)
	return t
}

// heldAgainst reports whether [Rates] has a row for a metric of a pair: one that the pair is
// judged by and, if it has a claim, one with a claim.
func heldAgainst(p *analysis.Pair, m analysis.Metric) bool {
	claimed := func(j *analysis.Judgement) bool { return j.Claim != nil }
	return slices.ContainsFunc(p.Judgements(), func(j *analysis.Judgement) bool {
		return j.Metric == m.Name && (claimed(j) || !slices.ContainsFunc(p.Judgements(), claimed))
	})
}

// both is the verdict on a pair, beside the first of its claims.
func both(p *analysis.Pair, j analysis.Judgement) table.Text {
	text := table.Text{CSV: []string{string(p.Verdict)}}
	for _, other := range p.Judgements() {
		if other.Claim != nil {
			if other.Metric == j.Metric {
				text.Plain = string(p.Verdict)
			}
			break
		}
	}
	return text
}

// Standings returns the table of how every claim stands over the problems that meet its
// assumptions: a row for each claim, with the number of slopes by verdict, the p-value
// of the hypothesis that the claimed exponent is kept on every problem, and the largest
// value over the bound.
// It returns nil if no algorithm has a claim.
func Standings(a *analysis.Analysis) *table.Table {
	if len(a.Standings) == 0 {
		return nil
	}
	count := func(name string, of func(analysis.Standing) int) column[analysis.Standing] {
		return column[analysis.Standing]{table.Column{Name: table.Plain(name), Align: table.Right, CSV: []string{name}}, func(s analysis.Standing) table.Text {
			text := table.Text{Plain: fmt.Sprint(of(s)), CSV: []string{fmt.Sprint(of(s))}}
			if of(s) == 0 {
				text.Plain = "·"
			}
			return text
		}}
	}
	columns := []column[analysis.Standing]{
		{table.Column{Name: table.Plain("algorithm"), CSV: []string{"algorithm"}}, func(s analysis.Standing) table.Text {
			k := slices.IndexFunc(a.Algorithms, func(e analysis.Algorithm) bool { return e.Spec == s.Algorithm })
			return entrantText(a.Algorithms[k])
		}},
		{table.Column{Name: table.Plain("claim"), CSV: []string{"metric", "claim", "claim_log"}}, func(s analysis.Standing) table.Text {
			return claimText(a.Metric(s.Metric), *s.Claim)
		}},
		count("within", func(s analysis.Standing) int { return s.Within }),
		count("above", func(s analysis.Standing) int { return s.Above }),
		count("open", func(s analysis.Standing) int { return s.Open }),
		count("trivial", func(s analysis.Standing) int { return s.Trivial }),
		{table.Column{Name: table.Plain("p"), Align: table.Right, CSV: []string{"p", "p_adjusted"}}, func(s analysis.Standing) table.Text {
			text := probability(s.Adjusted)
			text.CSV = []string{table.Value(float64(s.P)), table.Value(float64(s.Adjusted))}
			return text
		}},
		{table.Column{Name: table.Plain("of bound"), Align: table.Right, CSV: []string{"held", "broken", "unsettled", "ratio"}}, standingBound},
	}
	t := titled(a, &table.Table{Keys: 2}, "", "claims")
	t.Title = table.Plain("Claims over the problems of experiment " + a.Experiment.Name)
	t.Columns, t.Rows = rows(columns, a.Standings)
	tested, moves := 0, false
	for i, s := range a.Standings {
		moves = moves || s.Claim.Growth != ""
		if s.P.Defined() {
			tested++
		}
		if i > 0 && a.Standings[i-1].Algorithm == s.Algorithm {
			t.Rows[i][0] = table.Text{CSV: t.Rows[i][0].CSV}
		}
	}
	t.Notes = standingNotes(a, tested, moves)
	return t
}

// values are what the cells of a [Grid] can show.
var values = []value{
	{"final", "the mean at the horizon ± the half-width of its interval", table.Plain("final mean"), table.Right, estimateFields, finalMean, false},
	{"exponent", "the growth exponent, its interval and the shape of the growth", table.Plain("exponent"), table.Right, growthFields,
		func(_ *analysis.Analysis, p *analysis.Pair, m analysis.Metric) table.Text {
			return growth(p.Series[m.Name])
		}, true},
	{"claim", "the claimed growth", table.Plain("claim"), table.Right, func(name string) []string { return []string{name, name + "_log"} },
		judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text { return rate(*j.Claim) }), false},
	{"verdict", "the verdict on the slope: within, above, open or trivial", table.Plain("slope"), table.Right, itself,
		judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text {
			return table.Text{Plain: string(j.Slope), CSV: []string{string(j.Slope)}}
		}), false},
	{"p", "the p-value of the claimed growth after Holm's correction", table.Plain("p"), table.Right, itself,
		judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text { return probability(j.Adjusted) }), false},
	{"bound", "what the values say of the bound of the proof", table.Plain("bound"), table.Right, func(name string) []string {
		return []string{name, name + "_ratio", name + "_lower", name + "_upper", name + "_t", name + "_replicate"}
	}, judged(func(_ *analysis.Pair, j analysis.Judgement) table.Text { return bound(j) }), false},
}

// itself is the only CSV column of a value.
func itself(name string) []string { return []string{name} }

// fieldsOf returns CSV columns whatever the column is about.
func fieldsOf(names ...string) func(string) []string {
	return func(string) []string { return names }
}

// valueNamed returns the value of [values] with a name.
func valueNamed(name string) value {
	return values[slices.IndexFunc(values, func(v value) bool { return v.name == name })]
}

// Values returns what the cells of a [Grid] can show, and in words what that is.
func Values() (names, docs []string) {
	for _, v := range values {
		names, docs = append(names, v.name), append(docs, v.doc)
	}
	return names, docs
}
