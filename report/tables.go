package report

import (
	"fmt"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// The tables of an experiment. A [tableBuilder] makes each, with a title and notes. The rows of all
// but the table of the claims are members of dimensions.

// Tables returns the tables of an experiment for its page: those of [finalTables], or of
// [standingTables] if there are claims, no sweep, and more algorithms than a panel of a figure
// shows; and then those of [horizonTables]. An experiment that shows comparator sets has none.
func Tables(a *analysis.Analysis) (all []*table.Table) {
	v := newAnalysisView(a)
	if v.outlines != nil {
		return nil
	}
	for _, t := range tablesOf(v) {
		if v.isOnPage(t.name) {
			all = append(all, t.build()...)
		}
	}
	return all
}

// isOnPage reports whether the tables of the file with a base name are among [Tables].
func (v *analysisView) isOnPage(name string) bool {
	first := "finals"
	if v.sweeps == nil && len(v.Standings) > 0 && len(v.Algorithms) > maxLines {
		first = "claims"
	}
	return name == first || name == "horizons"
}

// A namedTable holds the tables of one file and its base name.
type namedTable struct {
	name       string
	builders   []*tableBuilder
	csvBuilder *tableBuilder  // of the one table that CSV has in place of these; may be nil
	built      []*table.Table // by build, which builds them once

	noValues bool // there is no CSV, since other files have the numbers
}

// build returns the tables, which it builds when it is first called.
func (t *namedTable) build() []*table.Table {
	if t.built == nil {
		for _, b := range t.builders {
			t.built = append(t.built, b.build())
		}
	}
	return t.built
}

// tablesOf returns the tables of the files of an experiment.
func tablesOf(v *analysisView) []*namedTable {
	all := []*namedTable{
		{name: "finals", builders: finalTables(v), csvBuilder: finalValues(v)},
		{name: "exponents", builders: exponentTables(v)},
		{name: "rates", builders: rateTables(v)},
		{name: "horizons", builders: horizonTables(v), csvBuilder: horizonValues(v)},
		{name: "overview", builders: overviewTables(v)},
		{name: "claims", builders: standingTables(v)},
		{name: "means", builders: meanTables(v), csvBuilder: meanValues(v)},
	}
	return slices.DeleteFunc(all, func(t *namedTable) bool { return t.builders == nil })
}

// newTableBuilder returns the builder of a table of all problems and algorithms, and of these
// metrics and values. Members of the dimensions rows name a row, the outer one first.
func newTableBuilder(v *analysisView, rows []Dimension, columns Dimension,
	metrics []analysis.Metric, values ...cellValue) *tableBuilder {
	return &tableBuilder{view: v, rows: rows, columns: columns, members: map[Dimension][]member{
		ByProblem:   v.problemMembers,
		ByAlgorithm: v.algorithmMembers,
		ByMetric:    metricMembers(metrics, metricText),
		ByValue:     valueMembers(values...),
	}}
}

// setTitle sets the title, with the experiment, and the TeX label.
func (b *tableBuilder) setTitle(title table.Text, label string) *tableBuilder {
	b.title = b.view.withExperiment(title)
	b.label = "tab:" + b.view.Experiment.Name + "-" + label
	return b
}

// finalTables returns the tables whose cells have the final mean of a metric of the summary with
// its interval, and below it the growth exponent, which LaTeX has in tables of its own.
//
// A parameter of a problem that is swept has a table, in which a block is a metric, with the
// algorithms as rows and the values of the parameter as columns. All other problems share a table,
// in which a block is a problem, with the algorithms as rows and the metrics as columns. The last
// of these tables explains the cells. Then [comparisonTables] follow.
func finalTables(v *analysisView) (builders []*tableBuilder) {
	metrics := v.summaryMetrics
	title := titleText("Regret and violation at T = %d", v.Experiment.Last())
	for _, s := range v.sweeps {
		if !s.ofProblem {
			continue
		}
		b := newTableBuilder(v, []Dimension{ByAlgorithm}, ByProblem, metrics, finalGrowth)
		if b.members[ByProblem] = s.columnMembers(); !b.anyPlayed() {
			continue
		}
		b.blocks, b.sweep = ByMetric, s
		b.setTitle(joinTexts(title, s.titleSuffix()), "")
		builders = append(builders, b)
	}
	b := newTableBuilder(v, []Dimension{ByAlgorithm}, ByMetric, metrics, finalGrowth)
	b.setTitle(title, "")
	b.blocks, b.members[ByProblem] = ByProblem, v.unsweptProblems
	if len(builders) == 0 || b.anyPlayed() {
		builders = append(builders, b)
	}
	for k, b := range builders {
		b.siblings, b.notes, b.label = builders, finalNotes, "tab:"+v.Experiment.Name+"-finals"
		if k > 0 {
			b.label += fmt.Sprintf("-%d", k+1)
		}
	}
	for k, b := range comparisonTables(v) {
		b.label = fmt.Sprintf("tab:%s-against-%d", v.Experiment.Name, k+1)
		builders = append(builders, b)
	}
	return builders
}

// comparisonTables returns a table for each sweep that shows where an algorithm ends with less of a
// metric of the summary than the baseline on the same rounds. A block is a metric; a column is a
// value of the parameter.
func comparisonTables(v *analysisView) (builders []*tableBuilder) {
	if len(v.Comparisons.Rows) == 0 {
		return nil
	}
	metrics := slices.DeleteFunc(slices.Clone(v.summaryMetrics), func(m analysis.Metric) bool {
		return !slices.Contains(v.Comparisons.Metrics, m.Name)
	})
	compared := cellValue{name: "against", heading: table.Plain("compared with the baseline"),
		fields: singleField, align: table.Right,
		text: func(v *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
			return table.Plain(againstBaseline(v, p, m))
		}}
	title := titleText("Regret and violation at T = %d compared with %s", v.Experiment.Last(),
		v.mention(v.Experiment.Baseline))
	for _, s := range v.sweeps {
		b := newTableBuilder(v, []Dimension{ByProblem}, ByAlgorithm, metrics, compared)
		b.setTitle(joinTexts(title, s.titleSuffix()), "")
		b.blocks, b.sweep, b.notes = ByMetric, s, comparisonNotes
		if s.ofProblem {
			b.rows, b.columns = []Dimension{ByAlgorithm}, ByProblem
			b.members[ByAlgorithm] = slices.DeleteFunc(slices.Clone(v.algorithmMembers),
				func(k member) bool { return k.spec == v.Experiment.Baseline })
		}
		b.members[b.columns] = s.columnMembers()
		if hasComparison(b.cellTable()) {
			builders = append(builders, b)
		}
	}
	return builders
}

// finalGrowth shows the final mean with the growth exponent below it.
var finalGrowth = cellValue{name: "final", align: table.Right, fields: estimateFields,
	text: meanAboveExponent}

// finalValues returns the table for CSV that replaces those of [finalTables]: a row is a metric of
// a pair, with its final mean and its exponent.
func finalValues(v *analysisView) *tableBuilder {
	horizon := cellValue{name: "t", fields: singleField,
		text: func(v *analysisView, _ *analysis.Pair, _ analysis.Metric) table.Text {
			return table.Text{CSV: []string{fmt.Sprint(v.Experiment.Last())}}
		}}
	mean := valueNamed("final")
	mean.name = "mean"
	return newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm, ByMetric}, ByValue,
		fittedOf(v.metrics), horizon, mean, valueNamed("exponent"))
}

// exponentTables returns the table of growth exponents of an experiment: a row for each
// algorithm on each problem, and a column for each metric whose growth is fitted.
func exponentTables(v *analysisView) []*tableBuilder {
	metrics := fittedOf(v.metrics)
	if len(metrics) == 0 || len(v.Pairs) == 0 {
		return nil
	}
	b := newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm}, ByMetric, metrics,
		valueNamed("exponent"))
	b.setTitle(table.Plain("Growth exponents"), "exponents")
	b.notes = exponentTableNotes
	return []*tableBuilder{b}
}

// overviewTables returns the table of [exponentTables] for an experiment with many problems and a
// few algorithms, with a column for each algorithm and a row for each problem and metric. For other
// experiments it returns nil.
func overviewTables(v *analysisView) []*tableBuilder {
	all := exponentTables(v)
	if !v.manyProblems || all == nil {
		return nil
	}
	b := all[0].setTitle(table.Plain("Growth exponents of regret and violation"), "overview")
	b.rows, b.columns, b.notes = []Dimension{ByProblem, ByMetric}, ByAlgorithm, pivotNotes
	return all
}

// meanTables returns a table for each metric of the means at the powers of ten and at the
// last horizon, with the half-widths of their intervals.
func meanTables(v *analysisView) (all []*tableBuilder) {
	for _, m := range v.metrics {
		b := newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm}, ByValue, []analysis.Metric{m},
			meansAt(v)...)
		b.setTitle(joinTexts(table.Plain("Mean "), metricText(m)), string(m.Name))
		b.notes = meanNotes
		all = append(all, b)
	}
	for _, b := range all {
		b.siblings = all
	}
	return all
}

// meanValues returns the table for CSV that replaces those of [meanTables]: a row is a metric of a
// pair.
func meanValues(v *analysisView) *tableBuilder {
	return newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm, ByMetric}, ByValue, v.metrics,
		meansAt(v)...)
}

// meansAt returns the means at [meanCheckpoints] as values of cells.
func meansAt(v *analysisView) (all []cellValue) {
	for _, t := range meanCheckpoints(v) {
		all = append(all, cellValue{
			name: fmt.Sprintf("t%g", t), heading: table.Text{
				Plain: fmt.Sprintf("t = %g", t), TeX: fmt.Sprintf("$t = %g$", t),
			},
			align: table.Right, fields: estimateFields, text: meanAt(t),
		})
	}
	return all
}

// meanCheckpoints returns the powers of ten from 100 on that are less than the last horizon, and
// that horizon.
func meanCheckpoints(v *analysisView) (at []float64) {
	last := v.Experiment.Last()
	for t := 100; t < last; t *= 10 {
		at = append(at, float64(t))
	}
	return append(at, float64(last))
}

// rateTables returns the table of measured and claimed growth of every algorithm on every problem:
// a row for the regret, one for the violation, and one for the dynamic regret if it is claimed. A
// row has the measured exponent with the sign of its verdict, the claimed exponent, and the bound
// of the proof. There is no table if no algorithm has a claim.
func rateTables(v *analysisView) []*tableBuilder {
	var metrics []analysis.Metric
	for _, kind := range claimKinds {
		for k := range v.Pairs {
			j := judgementOn(&v.Pairs[k], kind)
			if j.Metric != "" && !slices.ContainsFunc(metrics,
				func(m analysis.Metric) bool { return m.Name == j.Metric }) {
				metrics = append(metrics, v.Metric(j.Metric))
			}
		}
	}
	if !slices.ContainsFunc(v.Pairs, func(p analysis.Pair) bool { return hasClaim(&p) }) {
		return nil
	}
	bound := valueNamed("bound")
	bound.align, bound.fields = table.Left,
		fieldsOf("bound", "ratio", "ratio_lower", "ratio_upper", "bound_t", "bound_replicate")
	b := newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm, ByMetric}, ByValue, nil,
		measuredBesideClaim, valueNamed("claim"), bound,
		cellValue{name: "both", heading: table.Plain("both"), fields: fieldsOf("both"),
			text: claimCell(claimVerdictCell)})
	b.members[ByMetric] = metricMembers(metrics, claimMetricText)
	b.keepsRow, b.metricHeading = hasRateRow, "of"
	b.notes = rateNotes
	return []*tableBuilder{b.setTitle(table.Plain("Measured growth beside what is claimed"), "rates")}
}

// measuredBesideClaim shows the judged exponent with the sign of the verdict on the claim.
var measuredBesideClaim = cellValue{name: "exponent", heading: table.Plain("measured"),
	align: table.Right, fields: func(name string) []string {
		return append(judgedFields(name), "verdict", "p", "factor", "factor_unit")
	},
	text: exponentBesideClaim}

// hasRateRow reports whether [rateTables] has a row for a metric of a pair: the metrics that the
// pair is judged by, and if some of them have claims, only those.
func hasRateRow(p *analysis.Pair, m analysis.Metric) bool {
	return slices.ContainsFunc(p.Judgements(), func(j *analysis.Judgement) bool {
		return j.Metric == m.Name && (j.Claim != nil || !hasClaim(p))
	})
}

// hasClaim reports whether the algorithm of a pair claims a rate.
func hasClaim(p *analysis.Pair) bool {
	return slices.ContainsFunc(p.Judgements(),
		func(j *analysis.Judgement) bool { return j.Claim != nil })
}

// standingTables returns the table of the verdicts on every claim over the problems that meet its
// assumptions: a row for each claim, with the number of problems by verdict, the number that is
// expected to be above by chance, and the largest value relative to the bound. There is none if no
// algorithm has a claim.
func standingTables(v *analysisView) []*tableBuilder {
	if len(v.Standings) == 0 {
		return nil
	}
	return []*tableBuilder{{
		view: v, makeTable: standingRows, notes: standingNotes,
		title: table.Plain("Claims over the problems of experiment " + v.Experiment.Name),
		label: "tab:" + v.Experiment.Name + "-claims",
	}}
}

// standingRows makes the table of [standingTables].
func standingRows(b *tableBuilder) *table.Table {
	v := b.view
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
				return membersNamed(v.algorithmMembers, []string{s.Algorithm})[0].name
			}},
		{table.Column{Name: table.Plain("claim"), CSV: []string{"metric", "claim", "claim_log"}},
			func(s analysis.Standing) table.Text {
				return claimText(v.Metric(s.Metric), *s.Claim, v.claimBase(s))
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
	t.Columns, t.Rows = fillRows(columns, v.Standings)
	for i, s := range v.Standings {
		if i > 0 && v.Standings[i-1].Algorithm == s.Algorithm { // only CSV repeats the name
			t.Rows[i][0] = table.Text{CSV: t.Rows[i][0].CSV}
		}
	}
	return t
}

// claimBase returns what the rate of a claim is a power of: T where the claim is judged across
// horizons, and else t.
func (v *analysisView) claimBase(s analysis.Standing) string {
	for _, p := range v.Pairs {
		if p.Algorithm == s.Algorithm && p.Series[s.Metric].Known() {
			return growthBase(p.Series[s.Metric].Fit)
		}
	}
	return "t"
}

// cellValues lists what the cells of a [PivotTable] can show.
var cellValues = []cellValue{
	{"final", "the mean at the horizon ± the half-width of its interval", table.Plain("final mean"),
		table.Right, estimateFields, finalMean},
	{"exponent", "the exponent at the end of the window, its bounds and the verdict on growth like √t",
		table.Plain("exponent"), table.Right, judgedFields,
		func(_ *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
			s := p.Series[m.Name]
			return judgedExponent(s, s.SqrtVerdict)
		}},
	{"window", "the exponent over the whole window, its interval and the shape of the growth",
		table.Plain("over the window"), table.Right, windowFields,
		func(_ *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
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

// fieldsOf returns a function that returns these CSV columns, whatever the name of the value.
func fieldsOf(names ...string) func(string) []string {
	return func(string) []string { return names }
}

// valueNamed returns the value of [cellValues] with a name.
func valueNamed(name string) cellValue {
	return cellValues[slices.IndexFunc(cellValues, func(v cellValue) bool { return v.name == name })]
}

// CellValues returns the names of what the cells of a [PivotTable] can show, with descriptions.
func CellValues() (names, docs []string) {
	for _, v := range cellValues {
		names, docs = append(names, v.name), append(docs, v.doc)
	}
	return names, docs
}
