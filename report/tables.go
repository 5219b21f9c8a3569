package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// The tables of an experiment. Each is a grid that grid.go builds, with a title and notes;
// only that of the claims has rows of its own.

// First returns the tables of an experiment for a terminal: those of [Finals] or, for more
// algorithms than a figure shows and without a sweep, that of [Standings]. An experiment
// that shows comparator sets has none.
func First(a *analysis.Analysis) []*table.Table {
	x := subjectOf(a)
	if x.outlines != nil {
		return nil
	}
	return printed(x, []namedTable{{"finals", Finals(x, x.glance), nil}, named("claims", Standings(x))})
}

// printed returns the tables of [First] among those of an experiment.
func printed(x *subject, all []namedTable) []*table.Table {
	name := "finals"
	if x.sweeps == nil && len(x.Standings) > 0 && len(x.Algorithms) > maxLines {
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
func tablesOf(x *subject, metrics, glance []analysis.Metric) []namedTable {
	all := []namedTable{
		{"finals", Finals(x, glance), finalValues(x, metrics)},
		named("exponents", Exponents(x, metrics)),
		named("rates", Rates(x)),
		named("overview", Overview(x, metrics)),
		named("claims", Standings(x)),
	}
	means := namedTable{name: "means", values: meanValues(x, metrics)}
	for _, m := range metrics {
		means.tables = append(means.tables, Means(x, m))
	}
	all = append(all, means)
	return slices.DeleteFunc(all, func(t namedTable) bool { return t.tables[0] == nil })
}

// gridOf returns a grid of all problems, algorithms and metrics.
func gridOf(x *subject, metrics []analysis.Metric, values ...value) *grid {
	return &grid{x: x, windows: make(windows), keys: map[Dim][]key{
		ByProblem:   x.problemKeys,
		ByAlgorithm: x.algorithmKeys,
		ByMetric:    metricKeys(metrics, metricText),
		ByValue:     valueKeys(values...),
	}}
}

// titled sets the title and the label of a table of an experiment.
func titled(x *subject, t *table.Table, title, label string) *table.Table {
	t.Title = table.Plain(title + ", experiment " + x.Experiment.Name)
	t.Label = "tab:" + x.Experiment.Name + "-" + label
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
func Finals(x *subject, metrics []analysis.Metric) (tables []*table.Table) {
	w := make(windows)
	for _, s := range x.sweeps {
		g := gridOf(x, metrics, finalGrowth)
		g.blocks, g.rows, g.columns, g.absent, g.windows = ByMetric, []Dim{ByProblem}, ByAlgorithm, true, w
		if s.ofProblem {
			g.rows, g.columns = []Dim{ByAlgorithm}, ByProblem
		}
		g.keys[g.columns] = s.keys()
		t := g.table()
		t.Title = join(table.Plain(fmt.Sprintf("Regret and violation at T = %d by %s of ", x.Experiment.Last(), s.param)),
			entrantText(without(s.columns[0], s.param)), table.Plain(", experiment "+x.Experiment.Name))
		for _, m := range metrics {
			words := s.words(x, m)
			words.Aside = true
			t.Notes = append(t.Notes, words)
		}
		tables = append(tables, t)
	}
	g := gridOf(x, metrics, finalGrowth)
	g.blocks, g.rows, g.columns, g.windows = ByProblem, []Dim{ByAlgorithm}, ByMetric, w
	g.keys[ByProblem], g.keys[ByAlgorithm] = x.rest[0], x.rest[1]
	if t := g.table(); t.Blocks != nil {
		tables = append(tables, titled(x, t, fmt.Sprintf("Regret and violation at T = %d", x.Experiment.Last()), ""))
	}
	for k, t := range tables {
		t.Label = "tab:" + x.Experiment.Name + "-finals"
		if k > 0 {
			t.Label += fmt.Sprintf("-%d", k+1)
		}
	}
	last := tables[len(tables)-1]
	last.Notes = append(last.Notes, finalNotes(x, x.sweeps != nil, w, tables)...)
	return tables
}

// finalGrowth is the final mean with the growth exponent below it.
var finalGrowth = value{name: "final", align: table.Right, fields: estimateFields, fitted: true,
	text: func(x *subject, p *analysis.Pair, m analysis.Metric) table.Text {
		s, cell := p.Series[m.Name], finalMean(x, p, m)
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
func finalValues(x *subject, metrics []analysis.Metric) *table.Table {
	horizon := value{name: "t", fields: itself,
		text: func(x *subject, _ *analysis.Pair, _ analysis.Metric) table.Text {
			return table.Text{CSV: []string{fmt.Sprint(x.Experiment.Last())}}
		}}
	mean := valueNamed("final")
	mean.name = "mean"
	g := gridOf(x, fittedOf(metrics), horizon, mean, valueNamed("exponent"))
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue
	return g.table()
}

// Exponents returns the table of growth exponents of an experiment: a row for each
// algorithm on each problem, and a column for each metric.
func Exponents(x *subject, metrics []analysis.Metric) *table.Table {
	return exponents(x, metrics, "Growth exponents", "exponents", ByMetric, ByProblem, ByAlgorithm)
}

// Overview returns the table of growth exponents of an experiment with many
// problems and a few algorithms: a column for each algorithm, and a row for each
// problem and metric. It returns nil for other experiments.
func Overview(x *subject, metrics []analysis.Metric) *table.Table {
	if !x.comparison {
		return nil
	}
	return exponents(x, metrics, "Growth exponents of regret and violation", "overview", ByAlgorithm, ByProblem, ByMetric)
}

// exponents returns a table of the growth exponents of the metrics whose growth is
// fitted; it is nil if there are none.
func exponents(x *subject, metrics []analysis.Metric, title, label string, columns Dim, rows ...Dim) *table.Table {
	g := gridOf(x, fittedOf(metrics), valueNamed("exponent"))
	g.rows, g.columns = rows, columns
	t := g.table()
	if t.Rows == nil {
		return nil
	}
	t.Notes = g.notes(t)
	return titled(x, t, title, label)
}

// Means returns the table of the means of a metric at the powers of ten and at the
// last horizon, with the half-widths of their intervals.
func Means(x *subject, m analysis.Metric) *table.Table {
	g := gridOf(x, []analysis.Metric{m}, meansAt(x)...)
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm}, ByValue
	t := titled(x, g.table(), "Mean "+m.Title, string(m.Name))
	t.Notes = append(t.Notes,
		table.Plain(fmt.Sprintf("Mean and half-width of its %g %% interval over %s.", 100*x.Experiment.Confidence, x.replicates)))
	t.Notes = append(append(t.Notes, boldNotes(x, t)...), x.provenance)
	t.Notes = append(t.Notes, x.pairNotes...)
	return t
}

// meanValues returns the table of the means in which a row is a metric of a pair, which CSV has
// in place of those of [Means].
func meanValues(x *subject, metrics []analysis.Metric) *table.Table {
	g := gridOf(x, metrics, meansAt(x)...)
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue
	return g.table()
}

// meansAt returns the means at [checkpoints] as values.
func meansAt(x *subject) (all []value) {
	for _, t := range checkpoints(x) {
		all = append(all, value{
			name: fmt.Sprintf("t%g", t), heading: table.Text{Plain: fmt.Sprintf("t = %g", t), TeX: fmt.Sprintf("$t = %g$", t)},
			align: table.Right, fields: estimateFields, text: meanAt(t),
		})
	}
	return all
}

// checkpoints returns the powers of ten and the last horizon.
func checkpoints(x *subject) (at []float64) {
	last := x.Experiment.Last()
	for t := 100; t < last; t *= 10 {
		at = append(at, float64(t))
	}
	return append(at, float64(last))
}

// Rates returns the table that holds every algorithm on every problem against what
// is claimed of it: a row for the regret, one for the violation, and one for the dynamic
// regret of those that claim something of it, each with the measured and the claimed
// exponent, the verdict on the slope, and the bound of the proof. It returns nil if no algorithm has a claim.
func Rates(x *subject) *table.Table {
	var foot tally
	var metrics []analysis.Metric
	for _, kind := range kinds {
		for k := range x.Pairs {
			j := judgement(&x.Pairs[k], kind)
			if j.Metric != "" && !slices.ContainsFunc(metrics, func(m analysis.Metric) bool { return m.Name == j.Metric }) {
				metrics = append(metrics, x.Metric(j.Metric))
			}
		}
	}
	for _, p := range x.Pairs {
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
	g := gridOf(x, nil, measured, valueNamed("claim"),
		value{name: "slope", heading: table.Plain("slope"), fields: fieldsOf("slope", "p", "p_adjusted"),
			text: judged(func(p *analysis.Pair, j analysis.Judgement) table.Text { return slope(j, p.Series[j.Metric].Fit) })},
		stated,
		value{name: "both", heading: table.Plain("both"), fields: fieldsOf("both"), text: judged(both)})
	g.keys[ByMetric], g.keep = metricKeys(metrics, ofMetric), heldAgainst
	g.rows, g.columns = []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue
	t := titled(x, g.table(), "Measured growth beside what is claimed", "rates")
	t.Columns[2].Name = table.Plain("of")
	exponents := &table.Table{} // whose words the notes explain
	for _, row := range t.Rows {
		exponents.Rows = append(exponents.Rows, row[3:4])
	}
	t.Notes = append(g.windows.notes(x, exponents), foot.notes(x)...)
	t.Notes = append(t.Notes, x.pairNotes...)
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
func Standings(x *subject) *table.Table {
	if len(x.Standings) == 0 {
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
			return keysOf(x.algorithmKeys, []string{s.Algorithm})[0].name
		}},
		{table.Column{Name: table.Plain("claim"), CSV: []string{"metric", "claim", "claim_log"}}, func(s analysis.Standing) table.Text {
			return claimText(x.Metric(s.Metric), *s.Claim)
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
	t := titled(x, &table.Table{Keys: 2}, "", "claims")
	t.Title = table.Plain("Claims over the problems of experiment " + x.Experiment.Name)
	t.Columns, t.Rows = rows(columns, x.Standings)
	tested, moves := 0, false
	for i, s := range x.Standings {
		moves = moves || s.Claim.Growth != ""
		if s.P.Defined() {
			tested++
		}
		if i > 0 && x.Standings[i-1].Algorithm == s.Algorithm {
			t.Rows[i][0] = table.Text{CSV: t.Rows[i][0].CSV}
		}
	}
	t.Notes = standingNotes(x, tested, moves)
	return t
}

// values are what the cells of a [Grid] can show.
var values = []value{
	{"final", "the mean at the horizon ± the half-width of its interval", table.Plain("final mean"), table.Right, estimateFields, finalMean, false},
	{"exponent", "the growth exponent, its interval and the shape of the growth", table.Plain("exponent"), table.Right, growthFields,
		func(_ *subject, p *analysis.Pair, m analysis.Metric) table.Text {
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
