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
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// A ranking has a line for each algorithm: on which problems it keeps both regret and violation at
// √t, its mean ranks over the problems by regret and by violation, and on how many problems it has
// less of each than the baseline, or more. [rankOrder] says in which order the lines are.

// RankingTable returns the ranking of an analysis, beside a baseline. Its label names the baseline,
// and so differs from that of the ranking among the tables of a run.
func RankingTable(a *analysis.Analysis, baseline string) *table.Table {
	v := newAnalysisView(a)
	t := v.rankingTable(baseline)
	t.Label += "-against-" + LabelOf(v.Title(baseline))
	needs := plainNote(v.replicatesNeeded())
	needs.textSuffix = " With --all the differences on each problem follow."
	t.Notes = limitNotes(slices.Insert(v.rankingNotes(baseline), 0, needs), v.provenance, maxNotes+1)
	return t
}

// rankingTable returns the table that [RankingTable] describes. Without comparisons it has only the
// ranks.
func (v *analysisView) rankingTable(baseline string) *table.Table {
	title := titleText("Who keeps both regret and violation at √t, on how many of %s? T = %d",
		quantity{len(v.Problems), "problem"}, v.Experiment.Last())
	t := &table.Table{Label: "tab:" + v.Experiment.Name + "-ranking", Title: v.withExperiment(title)}
	c := v.Comparisons.Against(baseline)
	columns := []column[experiment.Entry]{
		leftColumn(table.Plain("algorithm"), nameText),
		leftColumn(table.Plain("both"), v.keptProblemsCell),
	}
	for _, m := range []algorithms.Metric{v.Focus.Regret, v.Focus.Violation} {
		kind := "violation"
		if v.Metric(m).Regret() {
			kind = "regret"
		}
		rankColumn := rightColumn(table.Plain(kind+" rank"), func(e experiment.Entry) table.Text {
			rank := v.meanRank(e.Spec, m)
			return table.Decimals(float64(rank.Value), float64(rank.Upper-rank.Value), rankDecimals)
		})
		columns = append(columns, rankColumn)
		if slices.Contains(c.Metrics, m) {
			columns = append(columns, rightColumn(table.Plain("less, more"),
				func(e experiment.Entry) table.Text { return lessAndMore(c, baseline, e.Spec, m) }))
		}
	}
	t.Columns, t.Rows = fillRows(columns, v.rankedAlgorithms())
	t.Notes = limitNotes(v.rankingNotes(baseline), table.Text{}, maxNotes)
	return t
}

// rankOrder says how [analysisView.rankedAlgorithms] orders algorithms.
const rankOrder = "by how often both are kept at √t, then by the sum of the ranks of regret and " +
	"violation"

// rankedAlgorithms returns the algorithms that were played in the order of the ranking.
func (v *analysisView) rankedAlgorithms() []experiment.Entry {
	rankSum := func(e experiment.Entry) float64 {
		sum := float64(v.meanRank(e.Spec, v.Focus.Regret).Value +
			v.meanRank(e.Spec, v.Focus.Violation).Value)
		if math.IsNaN(sum) {
			return math.Inf(1) // without ranks it comes last
		}
		return sum
	}
	all := v.playedAlgorithms()
	slices.SortStableFunc(all, func(e, f experiment.Entry) int {
		return cmp.Or(v.countKept(f.Spec)-v.countKept(e.Spec), cmp.Compare(rankSum(e), rankSum(f)))
	})
	return all
}

// countKept returns the number of problems on which an algorithm keeps both at √t.
func (v *analysisView) countKept(spec string) (n int) {
	for _, p := range v.problems {
		if pair := v.Pair(spec, p.Spec); pair != nil && pair.Keeps() {
			n++
		}
	}
	return n
}

// rankDecimals is the number of decimals of a mean rank and of the half-width of its interval.
const rankDecimals = 2

// maxSigns is the largest number of problems for which the ranking shows a sign each.
const maxSigns = 12

// keptProblemsCell says on how many problems an algorithm keeps both, with the sign of each.
func (v *analysisView) keptProblemsCell(e experiment.Entry) table.Text {
	text := fmt.Sprint(v.countKept(e.Spec))
	if len(v.problems) > maxSigns {
		return table.Plain(text)
	}
	text += ": "
	for _, p := range v.problems {
		sign := notPlayed
		if pair := v.Pair(e.Spec, p.Spec); pair != nil {
			sign = signOf(pair.SqrtVerdict)
		}
		text += sign
	}
	return table.Text{Plain: text, TeX: strings.ReplaceAll(tex.Escape(text), " ", "~")}
}

// meanRank returns the mean rank of an algorithm over the problems. It is NaN without comparisons.
func (v *analysisView) meanRank(spec string, m algorithms.Metric) analysis.Estimate {
	k := slices.IndexFunc(v.Ranks, func(r analysis.Rank) bool {
		return r.Problem == "" && r.Algorithm == spec && r.Metric == m
	})
	if k < 0 {
		none := analysis.Number(math.NaN())
		return analysis.Estimate{Value: none, Lower: none, Upper: none}
	}
	return v.Ranks[k].Rank
}

// lessAndMore says on how many problems an algorithm has less of a metric than the baseline, on how
// many more, and of how many: "3, 1 of 5". It is marked as [markDoubtful] if one of these is so.
func lessAndMore(c analysis.Comparisons, baseline, spec string, m algorithms.Metric) table.Text {
	withLess, withMore, measured, doubtful := 0, 0, 0, false
	for _, row := range c.Rows {
		if row.A == spec && row.Metric == m && row.State == analysis.Measured {
			measured++
			doubtful = doubtful || row.IsDoubtful()
			if row.Sign < 0 {
				withLess++
			} else if row.Sign > 0 {
				withMore++
			}
		}
	}
	switch {
	case spec == baseline:
		return table.Plain("baseline")
	case measured == 0:
		return table.Plain(nothing)
	}
	return markDoubtful(table.Plain(fmt.Sprintf("%d, %d of %d", withLess, withMore, measured)),
		doubtful)
}

// rankingNotes explain the ranking.
func (v *analysisView) rankingNotes(baseline string) []note {
	var numbered []string
	shown, others := v.shownProblems(v.problems)
	for k, p := range shown {
		numbered = append(numbered, fmt.Sprintf("%s (%d)", entryMention(p), k+1))
	}
	over := fmt.Sprintf(", ± the half-width of its %g %% interval over %s on these problems",
		100*v.Experiment.Confidence, v.replicates)
	tested := " (" + SignificanceRule(v.Analysis) + ")"
	if v.deterministic {
		over, tested = "; each is "+onePath, ""
	}
	metrics := v.Comparisons.Metrics
	compared := slices.Contains(metrics, v.Focus.Regret) ||
		slices.Contains(metrics, v.Focus.Violation)
	order := rankOrder
	if slices.ContainsFunc(v.Pairs,
		func(p analysis.Pair) bool { return p.SqrtVerdict == stats.TooLittle }) {
		order += "; – does not count as kept, and is no evidence against it"
	}
	notes := []note{
		noteIf(true, "Problems, in order: %s.%s", strings.Join(numbered, "; "), others),
		noteIf(true, "both: the worse one of %s and %s. %s; a dot: not played. rank: the mean over "+
			"the problems that the algorithm is ranked on, 1 for the least%s. Rows: %s.",
			v.Metric(v.Focus.Regret).Title, v.Metric(v.Focus.Violation).Title,
			stats.Legend("√t", 0.5), over, order),
		noteIf(compared, "less, more: on how many problems the mean is less than that of the "+
			"baseline %s on the same rounds, and more%s.%s", v.mention(baseline), tested,
			symmetrySentence("the counts", slices.DeleteFunc(v.Comparisons.Against(baseline).Rows,
				func(c analysis.Comparison) bool {
					return c.Metric != v.Focus.Regret && c.Metric != v.Focus.Violation
				}))),
	}
	notes = append(notes, v.tooLittleNote(summedUp))
	for _, text := range v.Focus.Notes {
		notes = append(notes, plainNote(text))
	}
	return append(notes, v.faultLimitNote())
}
