package report

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/stats"
)

// comparisonsJSON is the form of bench compare --json.
type comparisonsJSON struct {
	Experiment string         `json:"experiment"`
	Seed       uint64         `json:"seed"`
	Horizon    int            `json:"horizon"`
	Confidence float64        `json:"confidence"`
	Computed   []run.Computed `json:"computed"`
	Outcomes   []outcomeJSON  `json:"outcomes,omitempty"` // of two algorithms
	analysis.Comparisons
}

// outcomeJSON is the outcome of two algorithms on a problem: which one wins, a tie, or undecided.
type outcomeJSON struct {
	Problem string           `json:"problem"`
	Outcome analysis.Outcome `json:"outcome"`
}

// ComparisonsJSON returns comparisons in the form of bench compare --json.
func ComparisonsJSON(a *analysis.Analysis, c analysis.Comparisons) any {
	return newComparisonsJSON(a, c)
}

// newComparisonsJSON returns comparisons with the settings of the experiment, without outcomes.
func newComparisonsJSON(a *analysis.Analysis, c analysis.Comparisons) comparisonsJSON {
	e := a.Experiment
	return comparisonsJSON{Experiment: e.Name, Seed: e.Seed, Horizon: e.Last(),
		Confidence: e.Confidence, Computed: a.Computed, Comparisons: c}
}

// PairwiseJSON returns the comparisons of two algorithms that [Between] chooses, with their outcome
// on every problem, in the form of bench compare --json.
func PairwiseJSON(a *analysis.Analysis, first, second string) any {
	out := newComparisonsJSON(a, Between(a, first, second))
	for _, p := range a.Problems {
		out.Outcomes = append(out.Outcomes, outcomeJSON{p.Spec, a.Outcome(first, second, p.Spec)})
	}
	return out
}

// Between returns the comparisons of two algorithms, by the regret and the violation of the focus
// on each problem.
func Between(a *analysis.Analysis, first, second string) analysis.Comparisons {
	c := a.Comparisons
	c.Metrics, c.Rows = a.Focus.Metrics(), []analysis.Comparison{}
	for _, p := range a.Problems {
		for _, m := range a.Focus.On(p.Spec).Metrics() {
			if row, ok := a.Comparisons.Between(first, second, p.Spec, m); ok {
				c.Rows = append(c.Rows, row)
			}
		}
	}
	return c
}

// correctionWords says how the p-values of comparisons are corrected for multiple tests.
const correctionWords = "corrected by joint sign flips over all problems, comparisons with the " +
	"recorded baseline together and all others together"

// SignificanceRule says which differences between algorithms are significant, and how often one is
// so by mistake.
func SignificanceRule(a *analysis.Analysis) string {
	alpha := 1 - a.Experiment.Confidence
	return fmt.Sprintf("p ≤ %.3g, %s; if no algorithms differed, at most %.3g %% of "+
		"experiments would show a significant difference by a metric, of either kind", alpha,
		correctionWords, 100*alpha)
}

// replicatesNeeded says how many replicates a significant difference needs.
func (v *analysisView) replicatesNeeded() string {
	if v.deterministic {
		return "All games are deterministic, and no difference is tested."
	}
	needs := stats.LeastPairs(v.Experiment.Confidence)
	text := fmt.Sprintf("A significant difference (p ≤ %.3g) needs %d replicates or more, for any "+
		"number of rows", 1-v.Experiment.Confidence, needs)
	if n := v.Experiment.Replicates; n < needs {
		leastP := math.Pow(2, float64(1-n)) // two of the 2ⁿ sign flips are the most extreme
		return fmt.Sprintf("%s: with %d, no p-value is below %.3g.", text, n, leastP)
	}
	if needs < stats.LeastForSkew {
		text += fmt.Sprintf("; only %d show whether the differences are skewed", stats.LeastForSkew)
	}
	return text + "."
}

// markDoubtful adds a question mark to a text if it rests on p-values that may be wrong, which
// [symmetrySentence] explains.
func markDoubtful(text table.Text, doubtful bool) table.Text {
	if !doubtful {
		return text
	}
	text.Plain += " ?"
	if text.TeX != "" {
		text.TeX += " ?"
	}
	return text
}

// symmetrySentence explains the question marks of [markDoubtful] after something, such as p, with a
// space before it: the pairs of some comparisons are too few to see a skew, or are skewed. It is
// empty if none is doubtful.
func symmetrySentence(after string, rows []analysis.Comparison) string {
	doubt := SymmetryDoubt(rows)
	if doubt == "" {
		return ""
	}
	return fmt.Sprintf(" A question mark after %s: p is right only if the differences are symmetric, "+
		"and %s.", after, doubt)
}

// SymmetryDoubt says why nobody knows that the differences of some comparisons are symmetric: some
// have fewer pairs than show a skew, some are skewed or have few distinct values. It is empty if no
// comparison is doubtful.
func SymmetryDoubt(rows []analysis.Comparison) string {
	few, skewed := false, false
	for _, row := range rows {
		if row.IsDoubtful() {
			few = few || row.Replicates < stats.LeastForSkew
			skewed = skewed || row.Replicates >= stats.LeastForSkew
		}
	}
	var why []string
	if few {
		why = append(why, fmt.Sprintf("fewer than %d do not show whether they are", stats.LeastForSkew))
	}
	if skewed {
		why = append(why, "some are skewed or have few distinct values")
	}
	return strings.Join(why, ", and ")
}

// BaselineTable returns the table of comparisons with a baseline, the second algorithm of each of
// them. It has a block for each problem: for each algorithm and metric the difference of the final
// means, its p-value, and the probability of a smaller final value.
func BaselineTable(a *analysis.Analysis, baseline string, c analysis.Comparisons) *table.Table {
	v := newAnalysisView(a)
	columns := comparisonColumns(v)
	t := &table.Table{Keys: 2}
	t.Title = v.withExperiment(titleText("Against %s on the same rounds", v.mention(baseline)))
	t.Label = "tab:" + a.Experiment.Name + "-against-" + LabelOf(v.Title(baseline))
	byProblem := make(map[string][]analysis.Comparison)
	for _, row := range c.Rows {
		byProblem[row.Problem] = append(byProblem[row.Problem], row)
	}
	for _, problem := range v.problemMembers {
		b := table.Block{Name: problem.name}
		if t.Columns, b.Rows = fillRows(columns, byProblem[problem.spec]); b.Rows != nil {
			t.Blocks = append(t.Blocks, b)
		}
	}
	over := fmt.Sprintf("%g %% intervals, each by itself, over pairs of %s",
		100*a.Experiment.Confidence, v.replicates)
	if v.deterministic {
		over = "each of " + onePath
	}
	t.Notes = append(t.Notes, alwaysShown("baseline: its mean at T = %d; difference: the "+
		"mean of the algorithm minus that of the baseline, negative if the algorithm is better; %s.",
		a.Experiment.Last(), over))
	if !v.deterministic {
		t.Notes = append(t.Notes, table.Plain("p: of no difference, "+correctionWords+"; P(less): the "+
			"probability that a replicate of the algorithm ends below its partner of the baseline."))
	}
	t.Notes = append(t.Notes, table.Plain(v.replicatesNeeded()+symmetrySentence("p", c.Rows)))
	t.Notes = append(t.Notes, showNotes(v.pairNotes(summedUp), v.provenance)...)
	return t
}

// ComparisonValues returns the table of comparisons for CSV, a row for each comparison.
func ComparisonValues(a *analysis.Analysis, c analysis.Comparisons) *table.Table {
	v := newAnalysisView(a)
	spec := func(name string, of func(analysis.Comparison) string) column[analysis.Comparison] {
		return leftColumn(table.Plain(name),
			func(c analysis.Comparison) table.Text { return table.Plain(of(c)) })
	}
	columns := append([]column[analysis.Comparison]{
		spec("problem", func(c analysis.Comparison) string { return c.Problem }),
		spec("algorithm", func(c analysis.Comparison) string { return c.A }),
		spec("compared_with", func(c analysis.Comparison) string { return c.B }),
		spec("metric", func(c analysis.Comparison) string { return string(c.Metric) }),
	}, comparisonColumns(v)[2:]...) // the first two, algorithm and metric, are above as CSV has them
	t := &table.Table{Keys: 4}
	t.Columns, t.Rows = fillRows(columns, c.Rows)
	return t
}

// comparisonColumns returns the columns of a comparison: the algorithm, the metric, the mean of the
// baseline, the difference with its p-value, and the probability of a smaller final value.
func comparisonColumns(v *analysisView) []column[analysis.Comparison] {
	// number returns a column of numbers: text makes the cell of a comparison that was measured.
	number := func(heading string, csv []string,
		text func(analysis.Comparison) table.Text) column[analysis.Comparison] {
		return rightColumn(table.Plain(heading), func(c analysis.Comparison) table.Text {
			switch c.State {
			case analysis.Measured:
				return text(c)
			case analysis.Empty, analysis.Failed:
				if heading == "baseline" { // the first number of the row has the word for all
					return table.Plain(stateWord(c.State))
				}
				return table.Text{}
			}
			return table.Plain(nothing)
		}, csv...)
	}
	return []column[analysis.Comparison]{
		leftColumn(table.Plain("algorithm"), func(c analysis.Comparison) table.Text {
			return addAsterisk(nameText(v.Entry(c.A)), v.Pair(c.A, c.Problem))
		}),
		leftColumn(table.Plain("metric"),
			func(c analysis.Comparison) table.Text { return metricText(v.Metric(c.Metric)) }),
		number("baseline", []string{"baseline"}, func(c analysis.Comparison) table.Text {
			text := table.Number(float64(c.MeanB), math.NaN())
			text.CSV = []string{table.Value(float64(c.MeanB))}
			return text
		}),
		number("difference", append(estimateFields("difference"), "pairs"),
			func(c analysis.Comparison) table.Text {
				text := valueText(c.Difference.Estimate)
				text.CSV = append(text.CSV, fmt.Sprint(c.Replicates))
				return markPartial(text, c.Replicates, c.Of)
			}),
		number("p", []string{"difference_p"},
			func(c analysis.Comparison) table.Text {
				return markDoubtful(pValueCell(c.Difference.Adjusted), c.IsDoubtful())
			}),
		number("P(less)", estimateFields("probability_less"),
			func(c analysis.Comparison) table.Text {
				text := exponentText(c.ProbabilityLess)
				isOneReplicate := !c.Difference.Lower.Defined() && !c.Difference.Upper.Defined()
				if isOneReplicate { // its share, 0 or 1, is no estimate of a probability
					text = table.Text{Plain: nothing, CSV: text.CSV}
				}
				return text
			}),
	}
}

// ComparisonWarnings joins the first warnings of comparisons with one baseline, at most
// [maxWarnings], each with the problem, the algorithm and the metric.
func ComparisonWarnings(c analysis.Comparisons) error {
	var all []error
	for _, row := range c.Rows {
		for _, warning := range row.Warnings {
			all = append(all, fmt.Errorf("%s, %s, %s: %s", row.Problem, row.A, row.Metric, warning))
		}
	}
	if n := len(all); n > maxWarnings {
		all = append(all[:maxWarnings], fmt.Errorf("%s of this kind; with --json the "+
			"comparisons have them all", input.Plural(n-maxWarnings, "more warning")))
	}
	return errors.Join(all...)
}

// maxWarnings is the largest number of warnings on comparisons that are printed.
const maxWarnings = 3
