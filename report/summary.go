package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// The summary is what a run prints. The answer comes first: which algorithms keep both regret and
// violation at √t, and on which problems. Then come the values. A few algorithms have a table of
// blocks: one for the answer, one for each metric, and of a sweep one for each comparison with the
// baseline. Many algorithms have a line each in a ranking (ranking.go), and another in a table of
// means. On a single problem every algorithm has one line. Claims and all intervals are in the
// files of tables.

// summaryTables returns the tables of an experiment for a terminal. An experiment that shows
// comparator sets has none.
func (v *analysisView) summaryTables() []*table.Table {
	switch {
	case v.outlines != nil || len(v.Pairs) == 0:
		return nil
	case len(v.problems) == 1:
		return []*table.Table{v.singleProblemTable()}
	case len(v.Algorithms) > maxLines:
		return []*table.Table{v.rankingTable(v.Experiment.Baseline), v.finalMeansTable()}
	}
	return []*table.Table{v.blockTable()}
}

// A metricBlock makes the cells that the summary shows of one metric, or of all, by pair.
type metricBlock struct {
	name string
	cell func(*analysis.Pair) table.Text
}

// cellOf returns the cell of a pair, which is nil if it was not played. CSV has the plain text.
func (b metricBlock) cellOf(p *analysis.Pair) table.Text {
	if p == nil {
		return table.Plain(notPlayed)
	}
	return withoutCSV(addAsterisk(b.cell(p), p))
}

// metricBlocks returns a block for each metric of the summary: the regret of the focus, which may
// differ between problems, the violation of the focus, and those that the experiment asks for. The
// function cell makes the cells.
func (v *analysisView) metricBlocks(
	cell func(*analysis.Pair, analysis.Metric) table.Text) (all []metricBlock) {
	regrets := v.Focus.Regrets()
	name := v.Metric(regrets[0]).Title
	if len(regrets) > 1 {
		name = "regret"
	}
	all = append(all,
		metricBlock{name, func(p *analysis.Pair) table.Text {
			return cell(p, v.Metric(v.Focus.On(p.Problem).Regret))
		}},
		metricBlock{v.Metric(v.Focus.Violation).Title, func(p *analysis.Pair) table.Text {
			return cell(p, v.Metric(v.Focus.On(p.Problem).Violation))
		}})
	for _, name := range v.Experiment.Metrics {
		if m := v.Metric(algorithms.Metric(name)); !v.Focus.Has(m.Name) {
			all = append(all, metricBlock{m.Title,
				func(p *analysis.Pair) table.Text { return cell(p, m) }})
		}
	}
	return all
}

// summaryNotes explains a table of means with exponents. The word where says where an exponent is:
// "below" its mean, or "beside" it.
func (v *analysisView) summaryNotes(t *table.Table, where string) []table.Text {
	shown := v.metricsNamed(v.Focus.Metrics())
	windows := append(v.growthWindows(shown, stats.AlongT), v.growthWindows(shown, stats.AcrossT)...)
	window, growth := "", ""
	if len(windows) == 1 {
		window = " on " + windows[0]
	}
	if slices.ContainsFunc(stats.Verdicts, func(v stats.Verdict) bool {
		return v != stats.TooLittle && cellsContain([]*table.Table{t}, v.Sign())
	}) {
		growth = fmt.Sprintf("; %s it the growth exponent of its largest value so far%s, and the "+
			"verdict on it", where, window)
	}
	_, others := v.shownProblems(v.problems)
	if len(v.problems) == 1 {
		growth += ". Rows: " + rankOrder
	}
	return showNotes(slices.Concat([]note{
		noteIf(true, "Cell: %s%s.", v.meanWords(), growth),
		v.legendNote(t)}, v.pairNotes(summedUp),
		[]note{v.faultLimitNote(), plainNote(strings.TrimSpace(others))}),
		v.provenance)
}

// maxShownProblems is the largest number of problems in the tables that a run prints.
const maxShownProblems = 12

// shownProblems returns the problems that the summary shows, and a sentence on the others, after a
// blank.
func (v *analysisView) shownProblems(problems []experiment.Entry) (shown []experiment.Entry,
	others string) {
	if len(problems) <= maxShownProblems {
		return problems, ""
	}
	return problems[:maxShownProblems], fmt.Sprintf(" The files of tables have %d more problems.",
		len(problems)-maxShownProblems)
}

// singleProblemTable returns the table of a single problem: a line for each algorithm, in the order
// of the ranking.
func (v *analysisView) singleProblemTable() *table.Table {
	t := &table.Table{Label: "tab:" + v.Experiment.Name + "-summary", Title: titleText(
		"Who keeps both regret and violation at √t on %s? T = %d", entryMention(v.problems[0]),
		v.Experiment.Last())}
	pair := func(e experiment.Entry) *analysis.Pair {
		return v.Pair(e.Spec, v.problems[0].Spec)
	}
	columns := []column[experiment.Entry]{
		leftColumn(table.Plain("algorithm"),
			func(e experiment.Entry) table.Text { return addAsterisk(nameText(e), pair(e)) }),
		leftColumn(table.Plain("both"),
			func(e experiment.Entry) table.Text { return v.bothVerdict(pair(e)) })}
	means := v.metricBlocks(func(p *analysis.Pair, m analysis.Metric) table.Text {
		return withoutCSV(finalMean(v, p, m))
	})
	growths := v.metricBlocks(growthSign)
	ranked := v.rankedAlgorithms()
	for k, mean := range means {
		columns = append(columns, rightColumn(titleText("%s", mean.name),
			func(e experiment.Entry) table.Text { return mean.cell(pair(e)) }))
		growth := func(e experiment.Entry) table.Text { return growths[k].cell(pair(e)) }
		if slices.ContainsFunc(ranked,
			func(e experiment.Entry) bool { return growth(e).Plain != "" }) {
			columns = append(columns, rightColumn(table.Text{}, growth))
		}
	}
	t.Columns, t.Rows = fillRows(columns, ranked)
	t.Notes = v.summaryNotes(t, "beside")
	return t
}

// blockTable returns the table of a few algorithms on several problems. The rows are the problems,
// and the columns the algorithms; where all problems are one sweep, the columns are the values of
// the parameter, and the rows the algorithms.
func (v *analysisView) blockTable() *table.Table {
	s := v.onlyProblemSweep()
	rowEntries, _ := v.shownProblems(v.problems)
	columnEntries, heading := v.playedAlgorithms(), "problem"
	title := titleText("Who keeps both regret and violation at √t? T = %d", v.Experiment.Last())
	if s != nil {
		rowEntries, heading = columnEntries, "algorithm"
		columnEntries, _ = v.shownProblems(s.columns)
		title = joinTexts(title, table.Plain(","), s.titleSuffix())
	}
	t := &table.Table{Title: title, Label: "tab:" + v.Experiment.Name + "-summary"}
	blocks := append([]metricBlock{{"regret, violation", v.bothSigns}},
		v.metricBlocks(func(p *analysis.Pair, m analysis.Metric) table.Text {
			text := finalMean(v, p, m)
			if growth := growthSign(p, m); growth.Plain != "" {
				text.Below, text.Sign = &growth, growth.Sign
				if growth.TeX != "" {
					text.Small = append(slices.Clip(text.Small), tex.LaTeX(growth.TeX))
				}
			}
			return text
		})...)
	comparisonBlock := len(blocks) // the index of the block of comparisons, if there is one
	if s != nil && len(v.Comparisons.Rows) > 0 {
		name := "regret, violation: compared with " + v.mention(v.Experiment.Baseline) +
			" on the same rounds"
		if !v.deterministic {
			name += fmt.Sprintf(" (p ≤ %.3g)", 1-v.Experiment.Confidence)
		}
		blocks = append(blocks, metricBlock{name, v.comparisonCell})
	}
	for k, block := range blocks {
		columns := []column[experiment.Entry]{leftColumn(table.Plain(heading), nameText)}
		for i, c := range columnEntries {
			name := wrappedName(c)
			if s != nil {
				name = s.columnMembers()[i].name
			}
			columns = append(columns, rightColumn(name, func(row experiment.Entry) table.Text {
				if s != nil {
					return block.cellOf(v.Pair(row.Spec, c.Spec))
				}
				return block.cellOf(v.Pair(c.Spec, row.Spec))
			}))
		}
		b, shown := table.Block{Name: titleText("%s", block.name)}, rowEntries
		if k == comparisonBlock { // the baseline is not compared with itself
			shown = slices.DeleteFunc(slices.Clone(rowEntries),
				func(e experiment.Entry) bool { return e.Spec == v.Experiment.Baseline })
		}
		t.Columns, b.Rows = fillRows(columns, shown)
		if k < comparisonBlock || hasComparison(&table.Table{Rows: b.Rows}) {
			t.Blocks = append(t.Blocks, b)
		}
	}
	t.Notes = v.summaryNotes(t, "below")
	return t
}

// comparisonCell says whether a pair has less regret, and less violation, than the baseline on the
// same rounds: "less, more".
func (v *analysisView) comparisonCell(p *analysis.Pair) table.Text {
	return table.Plain(againstBaseline(v, p, v.Metric(v.Focus.Regret)) + ", " +
		againstBaseline(v, p, v.Metric(v.Focus.Violation)))
}

// finalMeansTable returns the final means of many algorithms, in the order of the ranking: a block
// for each metric, and a column for each problem, which has the number that the ranking gives it.
func (v *analysisView) finalMeansTable() *table.Table {
	t := &table.Table{Label: "tab:" + v.Experiment.Name + "-summary-means",
		Title: v.withExperiment(titleText("Means at T = %d", v.Experiment.Last()))}
	ranked := v.rankedAlgorithms()
	problems, others := v.shownProblems(v.problems)
	for _, block := range v.metricBlocks(func(p *analysis.Pair, m analysis.Metric) table.Text {
		s := p.Series[m.Name]
		text := table.Plain(finalMean(v, p, m).Plain)
		if s.State == analysis.Measured {
			text = table.Number(float64(s.Mean.Final().Value), math.NaN())
		}
		if s.SqrtVerdict != "" {
			text = addSign(text, s.SqrtVerdict.Sign())
		}
		return text
	}) {
		columns := []column[experiment.Entry]{leftColumn(table.Plain("algorithm"), nameText)}
		for k, problem := range problems {
			name := table.Text{Plain: fmt.Sprint(k + 1), TeX: Name(problem)}
			columns = append(columns, rightColumn(name, func(e experiment.Entry) table.Text {
				return block.cellOf(v.Pair(e.Spec, problem.Spec))
			}))
		}
		b := table.Block{Name: titleText("%s", block.name)}
		t.Columns, b.Rows = fillRows(columns, ranked)
		t.Blocks = append(t.Blocks, b)
	}
	signs := "Signs: as above, of the metric itself"
	if v.hasZeroEnd() {
		signs += "; " + zeroEndWords
	}
	columns := noteIf(true, "%s.", signs)
	columns.textSuffix = " Columns: the problems as numbered above. Intervals: finals.txt; claims: " +
		"claims.txt." + others
	t.Notes = showNotes(append([]note{columns}, v.pairNotes(summedUp)...), v.provenance)
	return t
}

// withoutCSV returns a cell without fields for CSV, for a column whose CSV is its plain text.
func withoutCSV(text table.Text) table.Text {
	text.CSV = nil
	return text
}
