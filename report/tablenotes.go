package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// meanWords says what a mean at the last round is.
func (v *analysisView) meanWords() string {
	return v.meanWordsAt(fmt.Sprintf("T = %d", v.Experiment.Last()))
}

// meanWordsAt says what a mean at some round is.
func (v *analysisView) meanWordsAt(round string) string {
	if v.deterministic {
		return fmt.Sprintf("the value at %s of %s", round, onePath)
	}
	return fmt.Sprintf("the mean at %s ± the half-width of its %g %% t-interval over %s", round,
		100*v.Experiment.Confidence, v.replicates)
}

// legendNote explains the signs of verdicts on √t that the tables have.
func (v *analysisView) legendNote(tables ...*table.Table) note {
	text := "Signs, of growth and not of size: " + stats.Legend("√t", 0.5)
	if cellsContain(tables, "≤ 0 ✓") {
		text += " · ≤ 0 never positive"
	}
	if cellsContain(tables, "0.00 [0.00, 0.00] ✓") {
		text += " · 0.00 [0.00, 0.00] no growth of the largest value so far; the mean may be negative"
	}
	if anyCell(tables, func(cell table.Text) bool { return cell.Plain == notPlayed }) {
		text += "; a dot: not played"
	}
	if v.hasZeroEnd() {
		text += "; " + zeroEndWords
	}
	return noteIf(true, "%s.", text)
}

// zeroEndWords explains a sign such as ▲ beside a mean of 0.
const zeroEndWords = "a mean of 0 has the sign of its largest value so far"

// hasZeroEnd reports whether the regret or the violation of some pair needs [zeroEndWords].
func (v *analysisView) hasZeroEnd() bool {
	return slices.ContainsFunc(v.Pairs, func(p analysis.Pair) bool {
		return slices.ContainsFunc(v.Focus.On(p.Problem).Metrics(),
			func(m algorithms.Metric) bool { return endsAtZero(p.Series[m]) })
	})
}

// endsAtZero reports whether a series has the final mean 0, although its growth, that of the
// largest value so far, is not shown to be at most √t.
func endsAtZero(s *analysis.Series) bool {
	return s != nil && s.State == analysis.Measured && s.Mean.Value[len(s.Mean.Value)-1] == 0 &&
		slices.Contains([]stats.Verdict{stats.Above, stats.Slowing, stats.Undecided}, s.SqrtVerdict)
}

// cellsContain reports whether a cell of the tables, or the line below it, contains a text.
func cellsContain(tables []*table.Table, text string) bool {
	return anyCell(tables, func(cell table.Text) bool {
		return strings.Contains(cell.Plain, text) ||
			cell.Below != nil && strings.Contains(cell.Below.Plain, text)
	})
}

// anyCell reports whether matches returns true for some cell of the tables.
func anyCell(tables []*table.Table, matches func(table.Text) bool) bool {
	return slices.ContainsFunc(tables, func(t *table.Table) bool {
		return slices.ContainsFunc(allRows(t), func(row []table.Text) bool {
			return slices.ContainsFunc(row, matches)
		})
	})
}

// hasComparison reports whether some cell of a table compares with the baseline: less, more or
// undecided.
func hasComparison(t *table.Table) bool {
	tables := []*table.Table{t}
	return cellsContain(tables, less) || cellsContain(tables, more) ||
		cellsContain(tables, stats.Undecided.Sign())
}

// allRows returns the rows of a table and of its blocks.
func allRows(t *table.Table) [][]table.Text {
	all := slices.Clone(t.Rows)
	for _, b := range t.Blocks {
		all = append(all, b.Rows...)
	}
	return all
}

// readings explains the words beside an exponent over the whole window, or in its place.
var readings = []struct{ word, meaning string }{
	{" bounded", "bounded: the interval admits no growth"},
	{" log t", "log t: the mean grows like a + b·log t"},
	{" a + b·t^", "a + b·t^q: the mean grows like that, and not like t^p"},
	{" transient", "transient: the local exponent changes along the window"},
	{"−t^", "−t^p: the mean is negative, and its size grows like t^p"},
	{"≤ 0 (", "≤ 0: the mean is not positive at that share of the points of the window"},
	{" passing", "passing: above 1, although the metric grows at most linearly"},
	{"(unresolved)", "unresolved: the replicates do not bound the exponent over the whole window, " +
		"often since the sign of their mean is open at its beginning; a verdict is on the largest value " +
		"so far at its end, which may have bounds"},
}

// readingNote explains the words of [readings] in a table.
func readingNote(t *table.Table) note {
	var meanings []string
	for _, r := range readings {
		if cellsContain([]*table.Table{t}, r.word) {
			meanings = append(meanings, r.meaning)
		}
	}
	return noteIf(meanings != nil, "%s.", strings.Join(meanings, "; "))
}

// emptyNote explains cells of a metric whose comparator does not exist.
func emptyNote(tables ...*table.Table) note {
	return noteIf(cellsContain(tables, emptySet), emptySet+": no action is feasible, so that the "+
		"metric does not exist (dynamic regret and path length: in some round).")
}

// growthWindows returns the windows of rounds in which the growth of the metrics is judged, such as
// [1000, 10000], for fits of one design.
func (v *analysisView) growthWindows(metrics []analysis.Metric, d stats.Design) (all names) {
	for _, p := range v.Pairs {
		for _, m := range metrics {
			s := p.Series[m.Name]
			if _, ok := s.Judged(); ok && !s.NeverPositive() && s.Fit.Design == d {
				text := fmt.Sprintf("[%g, %g]", s.Fit.End.From, s.Fit.To)
				if d == stats.AcrossT {
					text += fmt.Sprintf(" (%d of %s)", v.horizonsFrom(float64(s.Fit.End.From)),
						input.Plural(len(v.Experiment.Horizon), "horizon"))
				}
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
	}
	return all
}

// horizonsFrom returns the number of horizons that are first or larger.
func (v *analysisView) horizonsFrom(first float64) (n int) {
	for _, t := range v.Experiment.Horizon {
		if float64(t) >= first {
			n++
		}
	}
	return n
}

// exponentNote says which growth an exponent of some metrics is, and in which window.
func (v *analysisView) exponentNote(metrics []analysis.Metric) note {
	var windows []string
	along, across := v.growthWindows(metrics, stats.AlongT), v.growthWindows(metrics, stats.AcrossT)
	if along != nil {
		windows = append(windows, "t^p on "+input.Few(along, ", "))
	}
	if across != nil {
		windows = append(windows, fmt.Sprintf("T^p on %s where the algorithm needs the horizon",
			input.Few(across, ", ")))
	}
	bounds := fmt.Sprintf("with bounds of confidence %g %% over %s", 100*v.Experiment.Confidence,
		v.replicates)
	if v.deterministic {
		bounds = "of " + onePath
	}
	return noteIf(windows != nil, "Exponent p: the largest value so far of the mean grows like %s, "+
		"%s.", strings.Join(windows, ", and like "), bounds)
}

// boldWords says which final means are bold.
const boldWords = "the least violation of the algorithms whose regret is at most √t, and the " +
	"least regret of those whose violation is"

// boldNote explains bold numbers, which only LaTeX has, or says why a table with tested means has
// none.
func (v *analysisView) boldNote(tables ...*table.Table) note {
	bold := anyCell(tables, func(cell table.Text) bool { return cell.Bold })
	var doubtful []analysis.Comparison
	for _, l := range v.leads {
		doubtful = append(doubtful, l.Doubtful...)
	}
	doubt := SymmetryDoubt(doubtful)
	tested := slices.ContainsFunc(v.leads, func(l analysis.Lead) bool { return l.Tested })
	replicates, needed := v.Experiment.Replicates, stats.LeastPairs(v.Experiment.Confidence)
	out := note{onlyIn: inLaTeX}
	switch {
	case bold && v.deterministic:
		out.when, out.text = true, "Bold: "+boldWords+"."
	case bold:
		out.when, out.text = true, "Bold: "+boldWords+", significantly on the same rounds (paired "+
			"tests, p ≤ %.3g, "+correctionWords+")."
		out.args = []any{1 - v.Experiment.Confidence}
		if doubt != "" {
			out.text += " Leads over differences that may not be symmetric are not bold: %s."
			out.args = append(out.args, doubt)
		}
	case doubt != "":
		out.when, out.text = true, "No lead is bold: p is right only if the differences are symmetric, "+
			"and %s."
		out.args = []any{doubt}
	case tested && 1 < replicates && replicates < needed:
		out.when, out.text = true, "No lead is significant: it needs %s or more."
		out.args = []any{quantity{needed, "replicate"}}
	}
	return out
}

// pivotNotes explains the cells of a [PivotTable].
func (b *tableBuilder) pivotNotes(t *table.Table) []table.Text {
	return showNotes(b.cellNotes(t, summedUp), b.view.provenance)
}

// exponentNotes returns the notes of the exponents of all pairs. LaTeX gets those of
// [tableBuilder.pivotNotes]; text, a file of its own, gets every note, and every pair.
func (b *tableBuilder) exponentNotes(t *table.Table) (notes []table.Text) {
	for _, n := range limitNotes(b.cellNotes(t, eachPair), b.view.provenance, math.MaxInt) {
		if n.Plain != "" {
			notes = append(notes, table.Text{Plain: n.Plain, NotInLaTeX: true})
		}
	}
	for _, n := range b.pivotNotes(t) {
		if !n.NotInLaTeX {
			notes = append(notes, table.Text{TeX: cmp.Or(n.TeX, tex.Prose(n.Plain))})
		}
	}
	return notes
}

// cellNotes explains the cells of a table and its pairs.
func (b *tableBuilder) cellNotes(t *table.Table, detail pairDetail) []note {
	v := b.view.restrictTo(b.members[ByAlgorithm], b.members[ByProblem])
	words := v.meanWords()
	if b.members[ByHorizon] != nil {
		words = v.meanWordsAt("each T")
	}
	notes := []note{noteIf(b.showsValue("final"), "Final mean: %s.",
		strings.TrimPrefix(words, "the "))}
	if b.showsValue("exponent") {
		var metrics []analysis.Metric
		for _, k := range b.members[ByMetric] {
			metrics = append(metrics, k.metric)
		}
		notes = append(notes, v.exponentNote(metrics), v.legendNote(t))
	}
	return slices.Concat(notes, []note{
		noteIf(b.showsValue("window"), "Over the window: the exponent of the mean ~ t^p over the whole "+
			"window. No verdict is about it."),
		readingNote(t),
		noteIf(b.showsValue("verdict", "p", "claim", "bound"),
			"–: the algorithm claims nothing about the metric."),
		emptyNote(t), v.boldNote(t),
	}, v.pairNotes(detail))
}

// meanNotes explains the cells of a table of [meanTables]. Below the last table it has the notes on
// pairs, too.
func meanNotes(v *analysisView, t *table.Table, isLast bool) []table.Text {
	notes := []note{
		noteIf(v.deterministic, "Values of %s.", onePath),
		noteIf(!v.deterministic, "Mean ± half-width of its %g %% t-interval over %s.",
			100*v.Experiment.Confidence, v.replicates),
		v.boldNote(t), emptyNote(t),
	}
	if isLast {
		notes = append(notes, v.pairNotes(summedUp)...)
	}
	return showNotes(notes, v.provenance)
}

// finalNotes explains the cells of the tables of [finalTables]. LaTeX gets nothing about exponents,
// which it has in tables of their own.
func finalNotes(v *analysisView, tables []*table.Table) []table.Text {
	notes := []note{
		{when: true, onlyIn: inLaTeX, text: "Cell: %s.", args: []any{v.meanWords()}},
		{when: true, onlyIn: inText, text: "Cell: %s; below it the growth exponent.",
			args: []any{v.meanWords()}},
	}
	for _, n := range []note{v.exponentNote(fittedOf(v.summaryMetrics)), v.legendNote(tables...)} {
		n.onlyIn = inText
		notes = append(notes, n)
	}
	return showNotes(slices.Concat(notes, []note{v.boldNote(tables...), emptyNote(tables...)},
		v.pairNotes(summedUp)), v.provenance)
}

// comparisonNotes explains the tables of [comparisonTables].
func comparisonNotes(v *analysisView) []table.Text {
	return showNotes([]note{
		noteIf(v.deterministic,
			"less, more: the value is less or more than that of %s on the same rounds.",
			v.mention(v.Experiment.Baseline)),
		noteIf(!v.deterministic, "less, more: the mean is significantly less or more than that of %s on "+
			"the same rounds (%s); ?: no significant difference.", v.mention(v.Experiment.Baseline),
			SignificanceRule(v.Analysis)),
	}, v.provenance)
}

// movingNote explains the growth of claims that depend on how the rounds move.
func movingNote(when bool) note {
	return noteIf(when, "P_t, V_t: path length of the best actions, variation of the constraints. "+
		"Such a claim is judged by its bound alone.")
}

// rateNotes explains the table of [rateTables], which has these metrics.
func rateNotes(v *analysisView, metrics []analysis.Metric) []table.Text {
	bounded := func(j *analysis.Judgement) bool {
		return j.Bound != nil && j.Bound.State != analysis.Unstated
	}
	notes := []note{v.exponentNote(metrics),
		noteIf(true, "Signs: %s.", claimLegend()),
		noteIf(slices.ContainsFunc(v.Pairs, func(p analysis.Pair) bool {
			return slices.ContainsFunc(p.Judgements(), bounded)
		}), "bound: the largest value, in per cent of the bound of the proof, over all games and all "+
			"checkpoints where the bound applies.")}
	return showNotes(slices.Concat(notes, v.claimNotes(), v.pairNotes(summedUp)), v.provenance)
}

// claimNotes explains what the algorithms of the pairs claim, and how that is judged.
func (v *analysisView) claimNotes() (notes []note) {
	moves := false
	var reasons, standIns grouping // by algorithm, and by the metric of the claim
	for _, p := range v.Pairs {
		for _, j := range p.Judgements() {
			if j.Claim == nil {
				continue
			}
			moves = moves || j.Claim.Growth != ""
			if j.Bound != nil && j.Bound.State == analysis.Unstated {
				reasons.add(v.mention(p.Algorithm), j.Bound.Reason)
			}
			if j.Claim.Metric != j.Metric {
				standIns.add(v.Metric(j.Claim.Metric).Title, v.Metric(j.Metric).Title)
			}
		}
	}
	notes = append(notes, movingNote(moves))
	for _, claimed := range standIns.keys {
		notes = append(notes, noteIf(true, "Claims about %s are judged by %s where the former is not "+
			"measured.", claimed, names(standIns.names[claimed])))
	}
	var unstated clauses
	for _, name := range reasons.keys {
		unstated = append(unstated, name+": "+reasons.names[name][0])
	}
	return append(notes, noteIf(unstated != nil, "unstated: the theorem says nothing. First reason "+
		"of each algorithm: %s.", unstated))
}

// standingNotes explains the table of [standingTables].
func standingNotes(v *analysisView) []table.Text {
	moves := slices.ContainsFunc(v.Standings,
		func(s analysis.Standing) bool { return s.Claim.Growth != "" })
	counts := noteIf(true, "at most, above, slowing, undecided: the number of problems on which the "+
		"growth of the metric has this verdict against the claim.")
	counts.textSuffix = " rates.txt has each."
	return showNotes([]note{counts,
		noteIf(true, "by chance: how many would be above or slowing if every exponent were equal to "+
			"its claim plus %g.", stats.Beyond),
		noteIf(true, "of bound: the largest value, in per cent of the bound of the proof, over all "+
			"games and checkpoints; –: the proof states no bound."),
		movingNote(moves),
	}, v.provenance)
}
