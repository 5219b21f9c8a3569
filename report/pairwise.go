package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/stats"
)

// This file compares two algorithms. The problems on which the first keeps both regret and
// violation at √t and the second does not come first, since they answer what is asked; of the
// others there is a count, unless all are asked for. A row is a problem and a metric, with the
// verdict and the mean of both and the paired difference.

// PairwiseTable returns the table of two algorithms side by side, with a block for each outcome. It
// has all blocks if all is set, and otherwise the first one that has a problem.
func PairwiseTable(a *analysis.Analysis, first, second string, all bool) *table.Table {
	type row struct {
		problem string
		metric  algorithms.Metric
	}
	v := newAnalysisView(a)
	// sideColumn returns the column of one algorithm: the verdict above the mean.
	sideColumn := func(spec string) column[row] {
		return rightColumn(wrappedName(v.Entry(spec)), func(r row) table.Text {
			p := v.Pair(spec, r.problem)
			if p == nil {
				return table.Plain(notPlayed)
			}
			s := p.Series[r.metric]
			mean := withoutCSV(finalMean(v, p, v.Metric(r.metric)))
			mean.TeX = strings.Join(append([]string{mean.TeX}, mean.Small...), " ")
			if s.State != analysis.Measured && s.SqrtVerdict == "" {
				return mean // a word, such as failed
			}
			text := addAsterisk(shortExponent(s), p)
			if s.State == analysis.Measured {
				text.Below = &mean
			}
			return text
		})
	}
	columns := []column[row]{
		leftColumn(table.Plain("problem"), func(r row) table.Text {
			if !v.Metric(r.metric).Regret() { // the row of the regret, above, names the problem
				return table.Text{}
			}
			return wrappedName(v.Entry(r.problem))
		}),
		leftColumn(table.Text{}, func(r row) table.Text {
			if v.Metric(r.metric).Regret() {
				return table.Plain("regret")
			}
			return table.Plain("violation")
		}),
		sideColumn(first), sideColumn(second),
		rightColumn(table.Plain("difference"), func(r row) table.Text {
			c, ok := v.Comparisons.Between(first, second, r.problem, r.metric)
			if !ok {
				return table.Plain(nothing)
			}
			return differenceText(c)
		}),
	}
	t := &table.Table{Keys: 2, Label: "tab:" + a.Experiment.Name + "-" +
		LabelOf(v.Title(first)+"-against-"+v.Title(second))}
	byOutcome := make(map[analysis.Outcome][]string) // problems
	for _, p := range a.Problems {
		outcome := a.Outcome(first, second, p.Spec)
		byOutcome[outcome] = append(byOutcome[outcome], p.Spec)
	}
	// aboveFirst orders problems: those on which one of the two is above √t come first.
	aboveFirst := func(problem string) int {
		for _, spec := range []string{first, second} {
			if p := v.Pair(spec, problem); p != nil && p.SqrtVerdict == stats.Above {
				return 0
			}
		}
		return 1
	}
	var hidden []string
	for _, outcome := range []analysis.Outcome{analysis.FirstKeeps, analysis.SecondKeeps,
		analysis.Tie, analysis.BothKeep, analysis.NeitherKeeps, analysis.NotJudged} {
		problems, words := byOutcome[outcome], v.outcomeWords(first, second, outcome)
		if len(problems) == 0 {
			continue
		}
		if !all && t.Blocks != nil {
			var names []string
			for _, p := range problems {
				names = append(names, v.mention(p))
			}
			hidden = append(hidden, fmt.Sprintf("%s on %d: %s.", words, len(names),
				input.Few(names, ", ")))
			continue
		}
		slices.SortStableFunc(problems, func(p, q string) int { return aboveFirst(p) - aboveFirst(q) })
		b := table.Block{Name: titleText("%s on %d of %d problems:", words, len(problems),
			len(a.Problems))}
		var rows []row
		for _, p := range problems {
			for _, m := range a.Focus.On(p).Metrics() {
				rows = append(rows, row{p, m})
			}
		}
		t.Columns, b.Rows = fillRows(columns, rows)
		t.Blocks = append(t.Blocks, b)
	}
	t.Title = v.withExperiment(titleText("%s against %s on the same rounds at T = %d",
		v.mention(first), v.mention(second), a.Experiment.Last()))
	if byOutcome[analysis.FirstKeeps] == nil && byOutcome[analysis.Tie] == nil {
		t.Title = joinTexts(t.Title, table.Plain(". "), titleText(
			"On no problem does %s keep both at √t where %s is not shown to.", v.mention(first),
			v.mention(second)))
	}
	if t.Blocks == nil { // there are no problems; a table still has its headings
		t.Columns, _ = fillRows(columns, nil)
	}
	if hidden != nil {
		others := strings.Join(hidden, " ")
		t.Notes = append(t.Notes, note{text: "Behind --all: %s", args: []any{others},
			onlyIn: inText}.render(),
			note{text: "Not shown: %s", args: []any{others}, onlyIn: inLaTeX}.render())
	}
	if a.Problems != nil {
		var metrics []string
		for _, m := range a.Focus.Metrics() {
			metrics = append(metrics, v.Metric(m).Title)
		}
		t.Notes = append(t.Notes, alwaysShown("%s. Cell: the verdict on growth like √t with "+
			"the exponent at the end of the window, and %s. %s.",
			input.Capital(joinNames(metrics)), v.meanWords(), stats.Legend("√t", 0.5)))
	}
	between := Between(a, first, second).Rows
	tests := fmt.Sprintf("with %g %% intervals, each by itself, over pairs of %s; p: of no "+
		"difference, ", 100*v.Experiment.Confidence, v.replicates) + correctionWords
	if v.deterministic {
		tests = "each of " + onePath
	}
	t.Notes = append(t.Notes, alwaysShown("difference: %s minus %s, %s. %s%s", v.mention(first),
		v.mention(second), tests, v.replicatesNeeded(), symmetrySentence("p", between)))
	t.Notes = append(t.Notes, showNotes([]note{v.restrictTo([]member{{spec: first}, {spec: second}},
		v.problemMembers).tooLittleNote(summedUp)}, v.provenance)...)
	return t
}

// outcomeWords says what an outcome of two algorithms means, as the beginning of a sentence.
func (v *analysisView) outcomeWords(first, second string, outcome analysis.Outcome) string {
	first, second = v.mention(first), v.mention(second)
	switch outcome {
	case analysis.FirstKeeps:
		return fmt.Sprintf("%s keeps both at √t and %s is not shown to", first, second)
	case analysis.SecondKeeps:
		return fmt.Sprintf("%s keeps both at √t and %s is not shown to", second, first)
	case analysis.Tie:
		return "One keeps both at √t, and the other is not shown to, nor to have more,"
	case analysis.BothKeep:
		return "Each keeps both at √t"
	case analysis.NeitherKeeps:
		return "Neither keeps both at √t"
	}
	return "Not judged"
}

// pValue matches a p-value, which LaTeX sets as a formula.
var pValue = regexp.MustCompile(`(p [=<] [0-9.]+)`)

// differenceText returns the paired difference with its p-value below it, marked as [markDoubtful].
func differenceText(c analysis.Comparison) table.Text {
	switch {
	case c.State != analysis.Measured:
		return table.Plain(nothing)
	case c.Equal:
		return table.Plain("0 (equal games)")
	}
	text := markPartial(valueText(c.Difference.Estimate), c.Replicates, c.Of)
	text.CSV = nil
	if p := pValueCell(c.Difference.Adjusted).Plain; c.Difference.Adjusted.Defined() {
		below := markDoubtful(table.Plain(strings.Replace("p = "+p, "= <", "<", 1)), c.IsDoubtful())
		text.Below = &below
		text.Small = append(slices.Clip(text.Small), pValue.ReplaceAllString(text.Below.Plain, "$$$1$$"))
	}
	return text
}

// wrappedName returns a name as [nameText] does, but breaks a long SPEC into lines, in text, after
// its colon or a comma.
func wrappedName(e experiment.Entry) table.Text {
	const width = 24
	args := e.LabelOrSpec()
	var parts []string // those that no line break divides
	if name, rest, ok := strings.Cut(args, ":"); ok {
		parts, args = append(parts, name+":"), rest
	}
	parts = append(parts, strings.SplitAfter(args, ",")...)
	lines := []string{""}
	for _, part := range parts {
		last := len(lines) - 1
		if lines[last] != "" && len(lines[last])+len(part) > width {
			lines, last = append(lines, ""), last+1
		}
		lines[last] += part
	}
	var text table.Text
	for k, line := range slices.Backward(lines) {
		below := text
		if text = (table.Text{Plain: line, NotInLaTeX: k > 0}); k < len(lines)-1 {
			text.Below = &below
		}
	}
	text.TeX = Name(e)
	return text
}
