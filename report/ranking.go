package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/stats"
)

// A ranking has a line for each algorithm: on which problems it keeps both regret and violation at
// √t, its mean rank over the problems by both, and on how many problems it has less of each than
// the baseline, or more. Those that keep both on the most problems come first, then those of the
// least mean of the two ranks.

// Ranking returns the ranking of an analysis, beside a baseline.
func Ranking(a *analysis.Analysis, baseline string) *table.Table {
	x := subjectOf(a)
	t := x.ranking(baseline)
	t.Notes = append(append(t.Notes, table.Plain("With --all the differences on each problem follow. "+
		x.needed("difference"))), x.provenance)
	return t
}

// ranking returns the table of [Ranking]. Without comparisons it has only the ranks.
func (x *subject) ranking(baseline string) *table.Table {
	t := &table.Table{Label: "tab:" + x.Experiment.Name + "-ranking", Title: table.Plain(fmt.Sprintf(
		"Who keeps both regret and violation at √t, on how many of %s? T = %d, experiment %s",
		input.Plural(len(x.Problems), "problem"), x.Experiment.Last(), x.Experiment.Name))}
	c := x.Comparisons.Against(baseline)
	columns := []column[experiment.Entry]{
		{table.Column{Name: table.Plain("algorithm")},
			func(e experiment.Entry) table.Text { return table.Plain(e.Title()) }},
		{table.Column{Name: table.Plain("both")}, x.keeping},
	}
	for _, m := range []algorithms.Metric{x.Focus.Regret, x.Focus.Violation} {
		kind := "violation"
		if x.Metric(m).Regret() {
			kind = "regret"
		}
		columns = append(columns, column[experiment.Entry]{
			table.Column{Name: table.Plain(kind + " rank"), Align: table.Right},
			func(e experiment.Entry) table.Text {
				text := plusMinus(x.meanRank(e.Spec, m).Rank)
				text.CSV = nil
				return text
			}})
		if slices.Contains(c.Metrics, m) {
			columns = append(columns, column[experiment.Entry]{
				table.Column{Name: table.Plain("less, more"), Align: table.Right},
				func(e experiment.Entry) table.Text { return lessAndMore(c, baseline, e.Spec, m) }})
		}
	}
	t.Columns, t.Rows = rows(columns, x.ranked())
	t.Notes = x.rankingNotes(baseline)
	return t
}

// ranked returns the algorithms that were played in the order of the ranking.
func (x *subject) ranked() []experiment.Entry {
	value := func(e experiment.Entry) float64 {
		sum := float64(x.meanRank(e.Spec, x.Focus.Regret).Rank.Value +
			x.meanRank(e.Spec, x.Focus.Violation).Rank.Value)
		if math.IsNaN(sum) {
			return math.Inf(1)
		}
		return sum
	}
	all := x.played()
	slices.SortStableFunc(all, func(e, f experiment.Entry) int {
		return cmp.Or(x.keeps(f.Spec)-x.keeps(e.Spec), cmp.Compare(value(e), value(f)))
	})
	return all
}

// played are the algorithms that were played on some problem.
func (x *subject) played() []experiment.Entry {
	return slices.DeleteFunc(slices.Clone(x.Algorithms), x.absent)
}

// absent reports whether an algorithm was played on no problem.
func (x *subject) absent(e experiment.Entry) bool {
	return !slices.ContainsFunc(x.Pairs, func(p analysis.Pair) bool { return p.Algorithm == e.Spec })
}

// absentNotes names the algorithms that were played on no problem, if no other note names them.
func (x *subject) absentNotes() []table.Text {
	if len(x.Unmet) <= maxNamed {
		return nil
	}
	var names []string
	for _, e := range x.Algorithms {
		if x.absent(e) {
			names = append(names, e.Title())
		}
	}
	if names == nil {
		return nil
	}
	return []table.Text{table.Plain("Played on no problem: " + input.Few(names, ", ") + ".")}
}

// keeps is the number of problems on which an algorithm keeps both.
func (x *subject) keeps(spec string) (n int) {
	for _, p := range x.problems {
		if pair := x.pairs[pairID{spec, p.Spec}]; pair != nil && pair.Keeps() {
			n++
		}
	}
	return n
}

// maxSigns is the largest number of problems of which the ranking has a sign each.
const maxSigns = 12

// keeping is on how many problems an algorithm keeps both, and the sign of each.
func (x *subject) keeping(e experiment.Entry) table.Text {
	text := fmt.Sprint(x.keeps(e.Spec))
	if len(x.problems) > maxSigns {
		return table.Plain(text)
	}
	text += ": "
	for _, p := range x.problems {
		sign := "·"
		if pair := x.pairs[pairID{e.Spec, p.Spec}]; pair != nil {
			sign = pair.SqrtVerdict.Sign()
		}
		text += sign
	}
	return table.Plain(text)
}

// meanRank is the mean rank of an algorithm over the problems: undefined where it has none.
func (x *subject) meanRank(spec string, m algorithms.Metric) analysis.Rank {
	k := slices.IndexFunc(x.Ranks, func(r analysis.Rank) bool {
		return r.Problem == "" && r.Algorithm == spec && r.Metric == m
	})
	if k < 0 {
		none := analysis.Number(math.NaN())
		return analysis.Rank{Rank: analysis.Estimate{Value: none, Lower: none, Upper: none}}
	}
	return x.Ranks[k]
}

// lessAndMore says on how many problems an algorithm has less than the baseline, and more.
func lessAndMore(c analysis.Comparisons, baseline, spec string, m algorithms.Metric) table.Text {
	less, more, of := 0, 0, 0
	for _, row := range c.Rows {
		if row.A == spec && row.Metric == m && row.State == analysis.Measured {
			of++
			if row.Sign < 0 {
				less++
			} else if row.Sign > 0 {
				more++
			}
		}
	}
	switch {
	case spec == baseline:
		return table.Plain("baseline")
	case of == 0:
		return table.Plain("–")
	}
	return table.Plain(fmt.Sprintf("%d, %d of %d", less, more, of))
}

// rankingNotes explain the ranking.
func (x *subject) rankingNotes(baseline string) (notes []table.Text) {
	say := func(format string, args ...any) {
		notes = append(notes, table.Plain(fmt.Sprintf(format, args...)))
	}
	var names []string
	shown, more := x.listed(x.problems)
	for k, p := range shown {
		names = append(names, fmt.Sprintf("%s (%d)", p.Title(), k+1))
	}
	say("Problems, in order: %s.%s", strings.Join(names, "; "), more)
	notes = append(notes, x.absentNotes()...)
	for _, text := range x.Focus.Notes {
		say("%s", text)
	}
	over := fmt.Sprintf(", ± the half-width of its %g %% interval over %s on these problems",
		100*x.Experiment.Confidence, x.replicates)
	if x.still {
		over = "; each is " + onePath
	}
	say("both: the worse one of %s and %s. %s · %s not played. rank: the mean over the problems that "+
		"the algorithm is ranked on, 1 for the least%s.", x.Metric(x.Focus.Regret).Title,
		x.Metric(x.Focus.Violation).Title, stats.Legend("√t", 0.5), notPlayed, over)
	tested := " (" + ShownBy(x.Analysis) + ")"
	if x.still {
		tested = ""
	}
	if of := x.Comparisons.Metrics; slices.Contains(of, x.Focus.Regret) ||
		slices.Contains(of, x.Focus.Violation) {
		say("less, more: on how many problems the mean is less than that of the baseline %s on the same "+
			"rounds, and more%s.", x.Title(baseline), tested)
	}
	return append(notes, x.excluded()...)
}

// endings returns the table of final means of many algorithms, in the order of the ranking, a
// column for each problem, which has a number.
func (x *subject) endings() *table.Table {
	t := &table.Table{Label: "tab:" + x.Experiment.Name + "-glance", Title: table.Plain(fmt.Sprintf(
		"Means at T = %d, experiment %s", x.Experiment.Last(), x.Experiment.Name))}
	ranked := x.ranked()
	problems, more := x.listed(x.problems)
	for _, of := range x.panels(func(p *analysis.Pair, m analysis.Metric) table.Text {
		text := shortMean(x, p, m)
		if v := p.Series[m.Name].SqrtVerdict; v != "" {
			text.Plain += " " + v.Sign()
		}
		return text
	}) {
		columns := []column[experiment.Entry]{{table.Column{Name: table.Plain("algorithm")},
			func(e experiment.Entry) table.Text { return table.Plain(e.Title()) }}}
		for k, problem := range problems {
			columns = append(columns, column[experiment.Entry]{
				table.Column{Name: table.Plain(fmt.Sprint(k + 1)), Align: table.Right},
				func(e experiment.Entry) table.Text {
					p := x.pairs[pairID{e.Spec, problem.Spec}]
					if p == nil {
						return table.Plain(notPlayed)
					}
					return starred(of.cell(p), p)
				}})
		}
		b := table.Block{Name: table.Plain(of.name)}
		t.Columns, b.Rows = rows(columns, ranked)
		t.Blocks = append(t.Blocks, b)
	}
	t.Notes = slices.Concat([]table.Text{table.Plain("Columns: the problems as numbered above. " +
		"Signs: the growth of the metric itself. The files of tables have " +
		"intervals (finals.txt), exponents, and how the claims stand (claims.txt, rates.txt)." + more)},
		x.brokenNotes(), x.marks, []table.Text{x.provenance})
	return t
}

// shortMean returns a final mean without its uncertainty.
func shortMean(x *subject, p *analysis.Pair, m analysis.Metric) table.Text {
	s := p.Series[m.Name]
	if s.State != analysis.Measured {
		text := finalMean(x, p, m)
		text.Plain = strings.Replace(text.Plain, "0 (rounding)", "0", 1)
		return table.Plain(text.Plain)
	}
	return table.Number(float64(s.Mean.Final().Value), math.NaN())
}
