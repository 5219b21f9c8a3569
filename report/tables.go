package report

import (
	"fmt"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// The tables of an experiment. Each is a grid that grid.go builds, with a title and notes;
// only that of the claims has rows of its own.

// Tables returns the tables of an experiment for its page: those of [finalTables] or, for more
// algorithms than a figure shows and without a sweep, that of [standingTables], and then those of
// [horizonTables]. An experiment that shows comparator sets has none.
func Tables(a *analysis.Analysis) (all []*table.Table) {
	x := newView(a)
	if x.outlines != nil {
		return nil
	}
	for _, t := range tablesOf(x) {
		if x.isOnPage(t.name) {
			all = append(all, t.build()...)
		}
	}
	return all
}

// isOnPage reports whether the tables of a file are those of [Tables].
func (x *view) isOnPage(name string) bool {
	first := "finals"
	if x.sweeps == nil && len(x.Standings) > 0 && len(x.Algorithms) > maxLines {
		first = "claims"
	}
	return name == first || name == "horizons"
}

// A namedTable holds the tables of one file and its base name.
type namedTable struct {
	name   string
	grids  []*grid
	values *grid // for CSV, where that has another
	built  []*table.Table

	noValues bool // there is no CSV, since others have its numbers
}

// build returns the tables.
func (t *namedTable) build() []*table.Table {
	if t.built == nil {
		for _, g := range t.grids {
			t.built = append(t.built, g.build())
		}
	}
	return t.built
}

// tablesOf returns the tables of the files of an experiment.
func tablesOf(x *view) []*namedTable {
	metrics := x.metrics
	all := []*namedTable{
		{name: "finals", grids: finalTables(x, x.summaryMetrics), values: finalValues(x, metrics)},
		{name: "exponents", grids: exponentTables(x, metrics)},
		{name: "rates", grids: rateTables(x)},
		{name: "horizons", grids: horizonTables(x), values: horizonValues(x)},
		{name: "overview", grids: overviewTables(x, metrics)},
		{name: "claims", grids: standingTables(x)},
		{name: "means", grids: meanTables(x, metrics), values: meanValues(x, metrics)},
	}
	return slices.DeleteFunc(all, func(t *namedTable) bool { return t.grids == nil })
}

// gridOf returns a grid of all problems and algorithms, and of these metrics and values. A row is
// named by the dimensions rows, the outer one first.
func gridOf(x *view, rows []Dim, columns Dim, metrics []analysis.Metric,
	values ...cellValue) *grid {
	return &grid{x: x, rows: rows, columns: columns, keys: map[Dim][]element{
		ByProblem:   x.problemKeys,
		ByAlgorithm: x.algorithmKeys,
		ByMetric:    metricKeys(metrics, metricText),
		ByValue:     valueKeys(values...),
	}}
}

// setTitle sets the title and the TeX label.
func (g *grid) setTitle(title table.Text, label string) *grid {
	g.title = joinTexts(title, table.Plain(", experiment "+g.x.Experiment.Name))
	g.label = "tab:" + g.x.Experiment.Name + "-" + label
	return g
}

// finalTables returns the tables whose cells have the final mean of a metric with its interval,
// and below it the growth exponent.
//
// If the experiment sweeps a parameter of a problem, there is a table of the sweep. A
// block is a metric, with the algorithms as rows and the values of the parameter as
// columns. In the table of what is not swept a block is a problem, with the algorithms as rows, a
// swept one among its rivals, and the metrics as columns. The last of these tables explains the
// cells. For each sweep a table compares the algorithms with the baseline.
//
// LaTeX has the exponents in tables of their own.
func finalTables(x *view, metrics []analysis.Metric) (grids []*grid) {
	title := sentence("Regret and violation at T = %d", x.Experiment.Last())
	for _, s := range x.sweeps {
		if !s.ofProblem {
			continue
		}
		g := gridOf(x, []Dim{ByAlgorithm}, ByProblem, metrics, finalGrowth)
		if g.keys[ByProblem] = s.columnElements(); !g.anyPlayed() {
			continue
		}
		g.blocks, g.sweep = ByMetric, s
		g.setTitle(joinTexts(title, s.titleSuffix()), "")
		grids = append(grids, g)
	}
	g := gridOf(x, []Dim{ByAlgorithm}, ByMetric, metrics, finalGrowth).setTitle(title, "")
	g.blocks, g.keys[ByProblem] = ByProblem, x.rest
	if len(grids) == 0 || g.anyPlayed() {
		grids = append(grids, g)
	}
	for k, g := range grids {
		g.group, g.explain, g.label = grids, finalNotes, "tab:"+x.Experiment.Name+"-finals"
		if k > 0 {
			g.label += fmt.Sprintf("-%d", k+1)
		}
	}
	for k, g := range comparisonTables(x, metrics) {
		g.label = fmt.Sprintf("tab:%s-against-%d", x.Experiment.Name, k+1)
		grids = append(grids, g)
	}
	return grids
}

// comparisonTables returns a table for each sweep that shows where an algorithm ends with less than
// the baseline on the same rounds. A block is a metric; a column is a value of the parameter.
func comparisonTables(x *view, metrics []analysis.Metric) (grids []*grid) {
	if len(x.Comparisons.Rows) == 0 {
		return nil
	}
	metrics = slices.DeleteFunc(slices.Clone(metrics), func(m analysis.Metric) bool {
		return !slices.Contains(x.Comparisons.Metrics, m.Name)
	})
	compared := cellValue{name: "against", heading: table.Plain("compared with the baseline"),
		fields: singleField, align: table.Right,
		text: func(x *view, p *analysis.Pair, m analysis.Metric) table.Text {
			return table.Plain(againstBaseline(x, p, m))
		}}
	title := sentence("Regret and violation at T = %d compared with %s", x.Experiment.Last(),
		x.mention(x.Experiment.Baseline))
	for _, s := range x.sweeps {
		g := gridOf(x, []Dim{ByProblem}, ByAlgorithm, metrics, compared)
		g.setTitle(joinTexts(title, s.titleSuffix()), "")
		g.blocks, g.sweep, g.explain = ByMetric, s, comparisonNotes
		if s.ofProblem {
			g.rows, g.columns = []Dim{ByAlgorithm}, ByProblem
			g.keys[ByAlgorithm] = slices.DeleteFunc(slices.Clone(x.algorithmKeys),
				func(k element) bool { return k.spec == x.Experiment.Baseline })
		}
		g.keys[g.columns] = s.columnElements()
		if anyCompared(g.untitledTable()) {
			grids = append(grids, g)
		}
	}
	return grids
}

// finalGrowth shows the final mean with the growth exponent below it.
var finalGrowth = cellValue{name: "final", align: table.Right, fields: estimateFields,
	text: meanAboveExponent}

// finalValues returns the table of the final means and the exponents in which a row is
// a metric of a pair, which CSV has in place of those of [finalTables].
func finalValues(x *view, metrics []analysis.Metric) *grid {
	horizon := cellValue{name: "t", fields: singleField,
		text: func(x *view, _ *analysis.Pair, _ analysis.Metric) table.Text {
			return table.Text{CSV: []string{fmt.Sprint(x.Experiment.Last())}}
		}}
	mean := valueNamed("final")
	mean.name = "mean"
	return gridOf(x, []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue, fittedOf(metrics), horizon,
		mean, valueNamed("exponent"))
}

// exponentTables returns the table of growth exponents of an experiment: a row for each
// algorithm on each problem, and a column for each metric whose growth is fitted.
func exponentTables(x *view, metrics []analysis.Metric) []*grid {
	metrics = fittedOf(metrics)
	if len(metrics) == 0 || len(x.Pairs) == 0 {
		return nil
	}
	g := gridOf(x, []Dim{ByProblem, ByAlgorithm}, ByMetric, metrics, valueNamed("exponent"))
	g.setTitle(table.Plain("Growth exponents"), "exponents")
	g.explain = exponentTableNotes
	return []*grid{g}
}

// overviewTables returns the table of [exponentTables] of an experiment with many problems and a
// few algorithms: a column for each algorithm, and a row for each problem and metric. There is none
// for other experiments.
func overviewTables(x *view, metrics []analysis.Metric) []*grid {
	all := exponentTables(x, metrics)
	if !x.manyProblems || all == nil {
		return nil
	}
	g := all[0].setTitle(table.Plain("Growth exponents of regret and violation"), "overview")
	g.rows, g.columns, g.explain = []Dim{ByProblem, ByMetric}, ByAlgorithm, gridNotes
	return all
}

// meanTables returns a table for each metric of the means at the powers of ten and at the
// last horizon, with the half-widths of their intervals.
func meanTables(x *view, metrics []analysis.Metric) (all []*grid) {
	for _, m := range metrics {
		g := gridOf(x, []Dim{ByProblem, ByAlgorithm}, ByValue, []analysis.Metric{m}, meansAt(x)...)
		g.setTitle(joinTexts(table.Plain("Mean "), metricText(m)), string(m.Name))
		g.explain = meanNotes
		all = append(all, g)
	}
	for _, g := range all {
		g.group = all
	}
	return all
}

// meanValues returns the table of the means in which a row is a metric of a pair, which CSV has
// in place of those of [meanTables].
func meanValues(x *view, metrics []analysis.Metric) *grid {
	return gridOf(x, []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue, metrics, meansAt(x)...)
}

// meansAt returns the means at [meanCheckpoints] as values.
func meansAt(x *view) (all []cellValue) {
	for _, t := range meanCheckpoints(x) {
		all = append(all, cellValue{
			name: fmt.Sprintf("t%g", t), heading: table.Text{
				Plain: fmt.Sprintf("t = %g", t), TeX: fmt.Sprintf("$t = %g$", t),
			},
			align: table.Right, fields: estimateFields, text: meanAt(t),
		})
	}
	return all
}

// meanCheckpoints returns the powers of ten and the last horizon.
func meanCheckpoints(x *view) (at []float64) {
	last := x.Experiment.Last()
	for t := 100; t < last; t *= 10 {
		at = append(at, float64(t))
	}
	return append(at, float64(last))
}

// rateTables returns the table that holds every algorithm on every problem against what
// is claimed of it: a row for the regret, one for the violation, and one for the dynamic
// regret of those that claim something of it, each with the measured exponent and the sign of its
// verdict, the claimed exponent, and the bound of the proof. There is none if no algorithm
// has a claim.
func rateTables(x *view) []*grid {
	var metrics []analysis.Metric
	for _, kind := range claimKinds {
		for k := range x.Pairs {
			j := judgementOn(&x.Pairs[k], kind)
			if j.Metric != "" && !slices.ContainsFunc(metrics,
				func(m analysis.Metric) bool { return m.Name == j.Metric }) {
				metrics = append(metrics, x.Metric(j.Metric))
			}
		}
	}
	if !slices.ContainsFunc(x.Pairs, func(p analysis.Pair) bool { return hasClaim(&p) }) {
		return nil
	}
	stated := valueNamed("bound")
	stated.align, stated.fields = table.Left,
		fieldsOf("bound", "ratio", "ratio_lower", "ratio_upper", "bound_t", "bound_replicate")
	g := gridOf(x, []Dim{ByProblem, ByAlgorithm, ByMetric}, ByValue, nil, measuredBesideClaim,
		valueNamed("claim"), stated,
		cellValue{name: "both", heading: table.Plain("both"), fields: fieldsOf("both"),
			text: claimCell(claimVerdictCell)})
	g.keys[ByMetric], g.keep, g.of = metricKeys(metrics, claimMetricText), heldAgainst, "of"
	g.explain = rateNotes
	return []*grid{g.setTitle(table.Plain("Measured growth beside what is claimed"), "rates")}
}

// measuredBesideClaim shows the judged exponent with the sign of the verdict on the claim.
var measuredBesideClaim = cellValue{name: "exponent", heading: table.Plain("measured"),
	align: table.Right, fields: func(name string) []string {
		return append(judgedFields(name), "verdict", "p", "factor", "factor_unit")
	},
	text: exponentBesideClaim}

// heldAgainst reports whether [rateTables] has a row for a metric of a pair: one that the pair is
// judged by and, if it has a claim, one with a claim.
func heldAgainst(p *analysis.Pair, m analysis.Metric) bool {
	return slices.ContainsFunc(p.Judgements(), func(j *analysis.Judgement) bool {
		return j.Metric == m.Name && (j.Claim != nil || !hasClaim(p))
	})
}

// hasClaim reports whether the algorithm of a pair claims a rate.
func hasClaim(p *analysis.Pair) bool {
	return slices.ContainsFunc(p.Judgements(),
		func(j *analysis.Judgement) bool { return j.Claim != nil })
}

// standingTables returns the table of how every claim stands over the problems that meet its
// assumptions: a row for each claim, with the number of problems by verdict, how many are expected
// to be above by chance, and the largest value over the bound.
// There is none if no algorithm has a claim.
func standingTables(x *view) []*grid {
	if len(x.Standings) == 0 {
		return nil
	}
	g := (&grid{x: x}).setTitle(table.Text{}, "claims")
	g.title = table.Plain("Claims over the problems of experiment " + x.Experiment.Name)
	g.fill, g.explain = standingRows, standingNotes
	return []*grid{g}
}

// standingRows fills [standingTables].
func standingRows(g *grid) *table.Table {
	x := g.x
	count := func(name string, of func(analysis.Standing) int) column[analysis.Standing] {
		return column[analysis.Standing]{table.Column{
			Name: table.Plain(name), Align: table.Right, CSV: []string{name},
		}, func(s analysis.Standing) table.Text {
			return table.Text{Plain: fmt.Sprint(of(s)), CSV: []string{fmt.Sprint(of(s))}}
		}}
	}
	columns := []column[analysis.Standing]{
		{table.Column{Name: table.Plain("algorithm"), CSV: []string{"algorithm"}},
			func(s analysis.Standing) table.Text {
				return keysOf(x.algorithmKeys, []string{s.Algorithm})[0].name
			}},
		{table.Column{Name: table.Plain("claim"), CSV: []string{"metric", "claim", "claim_log"}},
			func(s analysis.Standing) table.Text {
				return claimText(x.Metric(s.Metric), *s.Claim, x.claimBase(s))
			}},
		count("at most", func(s analysis.Standing) int { return s.AtMost }),
		count("above", func(s analysis.Standing) int { return s.Above }),
		count("slowing", func(s analysis.Standing) int { return s.Slowing }),
		count("undecided", func(s analysis.Standing) int { return s.Undecided }),
		{table.Column{Name: table.Plain("by chance"), Align: table.Right,
			CSV: []string{"above_by_chance"}},
			func(s analysis.Standing) table.Text {
				text := table.Plain(fourDigits(float64(s.Chance)))
				text.CSV = []string{table.Value(float64(s.Chance))}
				return text
			}},
		{table.Column{Name: table.Plain("of bound"), Align: table.Right,
			CSV: []string{"held", "broken", "unsettled", "ratio"}}, standingBound},
	}
	t := &table.Table{Keys: 2}
	t.Columns, t.Rows = fillRows(columns, x.Standings)
	for i, s := range x.Standings {
		if i > 0 && x.Standings[i-1].Algorithm == s.Algorithm {
			t.Rows[i][0] = table.Text{CSV: t.Rows[i][0].CSV}
		}
	}
	return t
}

// claimBase returns T where a claim is judged across horizons, and else t.
func (x *view) claimBase(s analysis.Standing) string {
	for _, p := range x.Pairs {
		if p.Algorithm == s.Algorithm && p.Series[s.Metric].Known() {
			return growthBase(p.Series[s.Metric].Fit)
		}
	}
	return "t"
}

// cellValues lists what the cells of a [Grid] can show.
var cellValues = []cellValue{
	{"final", "the mean at the horizon ± the half-width of its interval", table.Plain("final mean"),
		table.Right, estimateFields, finalMean},
	{"exponent", "the exponent at the end of the window, its bounds and the verdict on growth like √t",
		table.Plain("exponent"), table.Right, judgedFields,
		func(_ *view, p *analysis.Pair, m analysis.Metric) table.Text {
			s := p.Series[m.Name]
			return judgedExponent(s, s.SqrtVerdict)
		}},
	{"window", "the exponent over the whole window, its interval and the shape of the growth",
		table.Plain("over the window"), table.Right, windowFields,
		func(_ *view, p *analysis.Pair, m analysis.Metric) table.Text {
			return windowGrowth(p.Series[m.Name])
		}},
	{"claim", "the claimed growth", table.Plain("claim"), table.Right,
		func(name string) []string { return []string{name, name + "_log"} },
		claimCell(func(p *analysis.Pair, j analysis.Judgement) table.Text {
			return claimedRate(*j.Claim, growthBase(p.Series[j.Metric].Fit))
		})},
	{"verdict", "the verdict on the claimed growth", table.Plain("verdict"), table.Left, singleField,
		claimCell(func(_ *analysis.Pair, j analysis.Judgement) table.Text {
			text := verdictText(j)
			text.CSV = text.CSV[:1]
			return text
		})},
	{"p", "the p-value of the claimed growth", table.Plain("p"), table.Right, singleField,
		claimCell(func(_ *analysis.Pair, j analysis.Judgement) table.Text { return pValueCell(j.P) })},
	{"bound", "what the values say of the bound of the proof", table.Plain("bound"), table.Right,
		func(name string) []string {
			return []string{name, name + "_ratio", name + "_lower", name + "_upper", name + "_t",
				name + "_replicate"}
		}, claimCell(func(_ *analysis.Pair, j analysis.Judgement) table.Text { return boundCell(j) })},
}

// singleField returns the CSV column of a value that has only one.
func singleField(name string) []string { return []string{name} }

// fieldsOf returns CSV columns whatever the column is about.
func fieldsOf(names ...string) func(string) []string {
	return func(string) []string { return names }
}

// valueNamed returns the value of [cellValues] with a name.
func valueNamed(name string) cellValue {
	return cellValues[slices.IndexFunc(cellValues, func(v cellValue) bool { return v.name == name })]
}

// Values returns what the cells of a [Grid] can show, and in words what that is.
func Values() (names, docs []string) {
	for _, v := range cellValues {
		names, docs = append(names, v.name), append(docs, v.doc)
	}
	return names, docs
}
