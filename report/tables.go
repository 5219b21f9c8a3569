package report

import (
	"fmt"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/report/table"
)

// The tables of an experiment, a file each. A [tableBuilder] makes the cells of all but the table
// of the claims.

// A tableFile makes the tables of one file, without any where an experiment lacks what they show.
type tableFile struct {
	name   string // the base name of the file
	tables func(*analysisView) []*table.Table
	values func(*analysisView) *table.Table // the one table that CSV has in their place; nil for none
}

// tableFiles lists the files of tables of an experiment.
var tableFiles = []tableFile{
	{"finals", finalTables, finalValues},
	{"exponents", exponentTables, nil},
	{"rates", rateTables, nil},
	{"horizons", horizonTables, horizonValues},
	{"overview", overviewTables, nil},
	{"claims", standingTables, nil},
	{"means", meanTables, meanValues},
}

// Tables returns the tables of an experiment for its page: those of [finalTables], or of
// [standingTables] if there are claims, no sweep, and more algorithms than a panel of a figure
// shows; and then those of [horizonTables]. An experiment that shows comparator sets has none.
func Tables(a *analysis.Analysis) (all []*table.Table) {
	v := newAnalysisView(a)
	if v.outlines != nil {
		return nil
	}
	for _, f := range tableFiles {
		if v.isOnPage(f.name) {
			all = append(all, f.tables(v)...)
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

// setTitle sets the title of a table, with the experiment, and its TeX label.
func (v *analysisView) setTitle(t *table.Table, title table.Text, label string) {
	t.Title, t.Label = v.withExperiment(title), "tab:"+v.Experiment.Name+"-"+label
}

// finalTables returns the tables whose cells have the final mean of a metric of the summary with
// its interval, and below it the growth exponent, which LaTeX has in tables of its own.
//
// A parameter of a problem that is swept has a table, in which a block is a metric, with the
// algorithms as rows and the values of the parameter as columns. All other problems share a table,
// in which a block is a problem, with the algorithms as rows and the metrics as columns. The last
// of these tables explains the cells. Then [comparisonTables] follow.
func finalTables(v *analysisView) (tables []*table.Table) {
	metrics := v.summaryMetrics
	add := func(t *table.Table, title table.Text) {
		label := "finals"
		if len(tables) > 0 {
			label += fmt.Sprintf("-%d", len(tables)+1)
		}
		v.setTitle(t, title, label)
		tables = append(tables, t)
	}
	title := titleText("Regret and violation at T = %d", v.Experiment.Last())
	for _, s := range v.sweeps {
		if !s.ofProblem {
			continue
		}
		b := newTableBuilder(v, []Dimension{ByAlgorithm}, ByProblem, metrics, finalGrowth)
		b.blocks, b.members[ByProblem] = ByMetric, s.columnMembers()
		if t := b.build(); t.Blocks != nil {
			add(t, joinTexts(title, s.titleSuffix()))
		}
	}
	b := newTableBuilder(v, []Dimension{ByAlgorithm}, ByMetric, metrics, finalGrowth)
	b.blocks, b.members[ByProblem] = ByProblem, v.unsweptProblems
	if t := b.build(); t.Blocks != nil || len(tables) == 0 {
		add(t, title)
	}
	tables[len(tables)-1].Notes = finalNotes(v, tables)
	return append(tables, comparisonTables(v)...)
}

// comparisonTables returns a table for each sweep that shows where an algorithm ends with less of a
// metric of the summary than the baseline on the same rounds. A block is a metric; a column is a
// value of the parameter.
func comparisonTables(v *analysisView) (tables []*table.Table) {
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
		b.blocks = ByMetric
		if s.ofProblem {
			b.rows, b.columns = []Dimension{ByAlgorithm}, ByProblem
			b.members[ByAlgorithm] = slices.DeleteFunc(slices.Clone(v.algorithmMembers),
				func(k member) bool { return k.spec == v.Experiment.Baseline })
		}
		b.members[b.columns] = s.columnMembers()
		t := b.build()
		if !hasComparison(t) {
			continue
		}
		v.setTitle(t, joinTexts(title, s.titleSuffix()), fmt.Sprintf("against-%d", len(tables)+1))
		t.Notes = comparisonNotes(v)
		tables = append(tables, t)
	}
	return tables
}

// finalGrowth shows the final mean with the growth exponent below it.
var finalGrowth = cellValue{name: "final", align: table.Right, fields: estimateFields,
	text: meanAboveExponent}

// finalValues returns the table for CSV that replaces those of [finalTables]: a row is a metric of
// a pair, with its final mean and its exponent.
func finalValues(v *analysisView) *table.Table {
	horizon := cellValue{name: "t", fields: singleField,
		text: func(v *analysisView, _ *analysis.Pair, _ analysis.Metric) table.Text {
			return table.Text{CSV: []string{fmt.Sprint(v.Experiment.Last())}}
		}}
	mean := valueNamed("final")
	mean.name = "mean"
	return newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm, ByMetric}, ByValue,
		fittedOf(v.metrics), horizon, mean, valueNamed("exponent")).build()
}

// exponentTables returns the table of growth exponents of an experiment: a row for each
// algorithm on each problem, and a column for each metric whose growth is fitted.
func exponentTables(v *analysisView) []*table.Table {
	b := exponentBuilder(v)
	if b == nil {
		return nil
	}
	t := b.build()
	v.setTitle(t, table.Plain("Growth exponents"), "exponents")
	t.Notes = b.exponentNotes(t)
	return []*table.Table{t}
}

// exponentBuilder returns the builder of [exponentTables], or nil without exponents.
func exponentBuilder(v *analysisView) *tableBuilder {
	metrics := fittedOf(v.metrics)
	if len(metrics) == 0 || len(v.Pairs) == 0 {
		return nil
	}
	return newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm}, ByMetric, metrics,
		valueNamed("exponent"))
}

// overviewTables returns the table of [exponentTables] for an experiment with many problems and a
// few algorithms, with a column for each algorithm and a row for each problem and metric. For other
// experiments it returns nil.
func overviewTables(v *analysisView) []*table.Table {
	b := exponentBuilder(v)
	if !v.manyProblems || b == nil {
		return nil
	}
	b.rows, b.columns = []Dimension{ByProblem, ByMetric}, ByAlgorithm
	t := b.build()
	v.setTitle(t, table.Plain("Growth exponents of regret and violation"), "overview")
	t.Notes = b.pivotNotes(t)
	return []*table.Table{t}
}

// meanTables returns a table for each metric of the means at the powers of ten and at the
// last horizon, with the half-widths of their intervals.
func meanTables(v *analysisView) (all []*table.Table) {
	for k, m := range v.metrics {
		b := newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm}, ByValue, []analysis.Metric{m},
			meansAt(v)...)
		t := b.build()
		v.setTitle(t, joinTexts(table.Plain("Mean "), metricText(m)), string(m.Name))
		t.Notes = meanNotes(v, t, k == len(v.metrics)-1)
		all = append(all, t)
	}
	return all
}

// meanValues returns the table for CSV that replaces those of [meanTables]: a row is a metric of a
// pair.
func meanValues(v *analysisView) *table.Table {
	return newTableBuilder(v, []Dimension{ByProblem, ByAlgorithm, ByMetric}, ByValue, v.metrics,
		meansAt(v)...).build()
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
func rateTables(v *analysisView) []*table.Table {
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
	t := b.build()
	v.setTitle(t, table.Plain("Measured growth beside what is claimed"), "rates")
	t.Notes = rateNotes(v, metrics)
	return []*table.Table{t}
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
func standingTables(v *analysisView) []*table.Table {
	if len(v.Standings) == 0 {
		return nil
	}
	count := func(name string, of func(analysis.Standing) int) column[analysis.Standing] {
		return rightColumn(table.Plain(name), func(s analysis.Standing) table.Text {
			return table.Text{Plain: fmt.Sprint(of(s)), CSV: []string{fmt.Sprint(of(s))}}
		}, name)
	}
	columns := []column[analysis.Standing]{
		leftColumn(table.Plain("algorithm"), func(s analysis.Standing) table.Text {
			return membersNamed(v.algorithmMembers, []string{s.Algorithm})[0].name
		}, "algorithm"),
		leftColumn(table.Plain("claim"), func(s analysis.Standing) table.Text {
			return claimText(v.Metric(s.Metric), *s.Claim, v.claimBase(s))
		}, "metric", "claim", "claim_log"),
		count("at most", func(s analysis.Standing) int { return s.AtMost }),
		count("above", func(s analysis.Standing) int { return s.Above }),
		count("slowing", func(s analysis.Standing) int { return s.Slowing }),
		count("undecided", func(s analysis.Standing) int { return s.Undecided }),
		rightColumn(table.Plain("by chance"), func(s analysis.Standing) table.Text {
			return table.Text{Plain: fourDigits(float64(s.Chance)),
				CSV: []string{table.Value(float64(s.Chance))}}
		}, "above_by_chance"),
		rightColumn(table.Plain("of bound"), standingBound, "held", "broken", "unsettled", "ratio"),
	}
	t := &table.Table{Keys: 2, Notes: standingNotes(v), Label: "tab:" + v.Experiment.Name + "-claims",
		Title: table.Plain("Claims over the problems of experiment " + v.Experiment.Name)}
	t.Columns, t.Rows = fillRows(columns, v.Standings)
	for i, s := range v.Standings {
		if i > 0 && v.Standings[i-1].Algorithm == s.Algorithm { // only CSV repeats the name
			t.Rows[i][0] = table.Text{CSV: t.Rows[i][0].CSV}
		}
	}
	return []*table.Table{t}
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
