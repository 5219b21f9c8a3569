package report

import (
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/stats"
)

// Two algorithms beside each other. The problems on which the first keeps both regret and
// violation at √t and the second does not come first, since they answer what is asked; the rest
// is behind a count. A row is a problem and a metric, with the verdict and the mean of both and
// the paired difference.

// AgainstJSON returns two algorithms beside each other as JSON has it.
func AgainstJSON(a *analysis.Analysis, x *analysis.Against) any {
	return struct {
		Experiment string  `json:"experiment"`
		Seed       uint64  `json:"seed"`
		Horizon    int     `json:"horizon"`
		Confidence float64 `json:"confidence"`
		*analysis.Against
	}{a.Experiment.Name, a.Experiment.Seed, a.Experiment.Last(), a.Experiment.Confidence, x}
}

// Against returns the table of two algorithms beside each other, a block for each outcome: with
// all its problems if all is set, and otherwise the first block that has a problem.
func Against(a *analysis.Analysis, v *analysis.Against, all bool) *table.Table {
	x := subjectOf(a)
	t := &table.Table{Keys: 2, Label: "tab:" + a.Experiment.Name + "-against"}
	columns := againstColumns(x, v)
	var hidden []string
	for _, outcome := range []analysis.Outcome{analysis.FirstKeeps, analysis.SecondKeeps,
		analysis.Tie, analysis.BothKeep, analysis.NeitherKeeps, analysis.NotJudged} {
		on := slices.DeleteFunc(slices.Clone(v.Problems),
			func(p analysis.AgainstOn) bool { return p.Outcome != outcome })
		said := againstWords(x, v, outcome)
		if len(on) > 0 && !all && t.Blocks != nil {
			var names []string
			for _, p := range on {
				names = append(names, x.Title(p.Problem))
			}
			hidden = append(hidden, fmt.Sprintf("%s on %d: %s.", said, len(on), input.Few(names, ", ")))
		}
		if len(on) == 0 || !all && t.Blocks != nil {
			continue
		}
		slices.SortStableFunc(on, func(p, q analysis.AgainstOn) int { return doubt(p) - doubt(q) })
		b := table.Block{Name: table.Plain(fmt.Sprintf("%s on %d of %d problems:", said, len(on),
			len(v.Problems)))}
		var rowsOf []againstRow
		for k := range on {
			rowsOf = append(rowsOf, againstRow{&on[k], &on[k].Regret, false},
				againstRow{&on[k], &on[k].Violation, true})
		}
		t.Columns, b.Rows = rows(columns, rowsOf)
		t.Blocks = append(t.Blocks, b)
	}
	t.Title = table.Plain(fmt.Sprintf("%s against %s on the same rounds at T = %d, experiment %s",
		x.Title(v.First), x.Title(v.Second), a.Experiment.Last(), a.Experiment.Name))
	if !slices.ContainsFunc(v.Problems,
		func(p analysis.AgainstOn) bool { return p.Outcome == analysis.FirstKeeps }) {
		t.Title.Plain += ". There is no problem on which " + againstWords(x, v, analysis.FirstKeeps) + "."
	}
	if t.Blocks == nil {
		t.Columns, _ = rows(columns, nil)
	}
	if hidden != nil {
		t.Notes = append(t.Notes, table.Plain("Behind --all: "+strings.Join(hidden, " ")))
	}
	t.Notes = append(t.Notes, againstNotes(x, v)...)
	return t
}

// doubt orders problems with one outcome: those first on which the other algorithm is shown to
// be above.
func doubt(p analysis.AgainstOn) int {
	if slices.Contains(p.Root[:], stats.Above) {
		return 0
	}
	return 1
}

// againstWords says an outcome of two algorithms.
func againstWords(x *subject, v *analysis.Against, outcome analysis.Outcome) string {
	first, second := x.Title(v.First), x.Title(v.Second)
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

// An againstRow is a metric of a problem.
type againstRow struct {
	on     *analysis.AgainstOn
	by     *analysis.AgainstBy
	second bool // of the rows of the problem
}

// againstColumns are the columns of [Against].
func againstColumns(x *subject, v *analysis.Against) []column[againstRow] {
	side := func(k int, spec string) column[againstRow] {
		return column[againstRow]{table.Column{Name: brokenSpec(x.Title(spec)), Align: table.Right},
			func(r againstRow) table.Text {
				p := x.pairs[pairID{spec, r.on.Problem}]
				if p == nil {
					return table.Plain("not played")
				}
				s := p.Series[r.by.Metric]
				text, mean := starred(table.Plain(shortExponent(s)), p), finalMean(x, p, x.Metric(r.by.Metric))
				mean.CSV = nil
				if s.State == analysis.Measured {
					text.Below = &mean
				} else if s.SqrtVerdict == "" {
					return mean
				}
				return text
			}}
	}
	return []column[againstRow]{
		{table.Column{Name: table.Plain("problem")}, func(r againstRow) table.Text {
			if r.second {
				return table.Text{}
			}
			return brokenSpec(x.Title(r.on.Problem))
		}},
		{table.Column{}, func(r againstRow) table.Text {
			if x.Metric(r.by.Metric).Regret() {
				return table.Plain("regret")
			}
			return table.Plain("violation")
		}},
		side(0, v.First), side(1, v.Second),
		{table.Column{Name: table.Plain("difference"), Align: table.Right},
			func(r againstRow) table.Text {
				return againstDifference(r.on, r.by, 1-x.Experiment.Confidence)
			}},
	}
}

// againstDifference is the paired difference, with its p-value below it. A question mark stands
// where a significant one is right only if the differences are symmetric.
func againstDifference(on *analysis.AgainstOn, by *analysis.AgainstBy,
	alpha float64) table.Text {
	d := by.Difference
	switch {
	case by.State != analysis.Measured:
		return table.Plain("–")
	case on.Equal:
		return table.Plain("0 (equal games)")
	}
	text := partial(valueText(d.Estimate), by.Replicates, by.Of)
	text.CSV = nil
	if p := probability(d.Adjusted).Plain; d.Adjusted.Defined() {
		text.Below = &table.Text{Plain: strings.Replace("p = "+p, "= <", "<", 1)}
		if len(by.Warnings) > 0 && float64(d.Adjusted) <= alpha {
			text.Below.Plain += " ?"
		}
	}
	return text
}

// againstNotes explain the table.
func againstNotes(x *subject, v *analysis.Against) (notes []table.Text) {
	var metrics []string
	for _, on := range v.Problems {
		for _, by := range []analysis.AgainstBy{on.Regret, on.Violation} {
			if title := x.Metric(by.Metric).Title; !slices.Contains(metrics, title) {
				metrics = append(metrics, title)
			}
		}
	}
	if metrics != nil {
		notes = append(notes, table.Plain(fmt.Sprintf("%s. Cell: the verdict on growth like √t with "+
			"the exponent at the end of the window, and %s. %s.",
			input.Capital(listed(metrics)), x.meanWords(), stats.Legend("√t", 0.5))))
	}
	tests := "over pairs of " + x.replicates + "; p: of no difference, adjusted by joint sign flips " +
		"for all problems and both metrics; with a question mark it is right only if the differences " +
		"are symmetric, which is doubtful"
	if x.still {
		tests = "each of " + onePath
	}
	notes = append(notes, table.Plain(fmt.Sprintf("difference: %s minus %s, %s. %s",
		x.Title(v.First), x.Title(v.Second), tests, needed("difference", v.Needs, x))))
	return append(notes, x.provenance)
}

// brokenSpec breaks a long SPEC into lines, after its colon or a comma.
func brokenSpec(spec string) table.Text {
	const width = 24
	lines := []string{""}
	name, args, ok := strings.Cut(spec, ":")
	parts := strings.SplitAfter(args, ",")
	if ok {
		parts = append([]string{name + ":"}, parts...)
	} else {
		parts = strings.SplitAfter(spec, ",")
	}
	for _, part := range parts {
		last := len(lines) - 1
		if lines[last] != "" && len(lines[last])+len(part) > width {
			lines, last = append(lines, ""), last+1
		}
		lines[last] += part
	}
	text := table.Plain(lines[len(lines)-1])
	for _, line := range slices.Backward(lines[:len(lines)-1]) {
		below := text
		text = table.Text{Plain: line, Below: &below}
	}
	return text
}
