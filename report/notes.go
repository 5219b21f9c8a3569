package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// annotate makes the notes that tables share. All have many assumptions that are not met in
// short, but for the text of the tables that name every pair.
func (x *subject) annotate() {
	made := []string{fmt.Sprintf("seed %d", x.Experiment.Seed)}
	for _, c := range x.Computed {
		program := fmt.Sprintf("ocobench %s, %s, %s", c.Version, c.Go, c.GOARCH)
		if len(x.Computed) > 1 {
			program += fmt.Sprintf(" (%d cells)", c.Cells)
		}
		made = append(made, program)
	}
	x.provenance = table.Plain(fmt.Sprintf("Experiment %s, %s.", x.Experiment.Name,
		strings.Join(made, "; ")) + tunedNote(x))
	if len(x.Unmet) <= maxNamed {
		x.pairNotes = unmetNotes(x)
		x.marks = x.pairNotes
	} else {
		starred := 0
		for _, u := range x.Unmet {
			if x.pairs[pairID{u.Algorithm, u.Problem}] != nil {
				starred++
			}
			x.pairNotes = append(x.pairNotes, aside(x.unmetMark(u)+u.String()+"."))
		}
		count := func(text, where string) {
			x.pairNotes = append(x.pairNotes, table.Text{TeX: text + "."})
			x.marks = append(x.marks, table.Text{Plain: text + where + ".", TeX: text + "."})
		}
		if starred > 0 {
			count("* played although the problem does not meet an assumption of the algorithm", "")
		}
		if n := len(x.Unmet) - starred; n > 0 {
			count(fmt.Sprintf("Not played: %d of %d pairs, whose problem does not meet an assumption of "+
				"the algorithm", n, len(x.Algorithms)*len(x.Problems)),
				"; bench run --explain and exponents.txt name them")
		}
	}
	x.pairNotes = slices.Concat(x.pairNotes, outcomes(x), numbers(x))
	x.marks = slices.Concat(x.marks, outcomes(x), numbers(x))
}

// unmetMark begins the note on a pair whose problem does not meet an assumption: what the star of a
// pair that was played nevertheless says, or that it was not.
func (x *subject) unmetMark(u experiment.Unmet) string {
	if x.pairs[pairID{u.Algorithm, u.Problem}] != nil {
		return "* "
	}
	return "Not played: "
}

// unmetNotes name the pairs whose problem does not meet an assumption, those of an algorithm that
// lack the same in one note.
func unmetNotes(x *subject) (notes []table.Text) {
	var begins []string
	lacking := make(map[string][]string) // problems
	for _, u := range x.Unmet {
		begin := fmt.Sprintf("%s%s assumes %s, which ", x.unmetMark(u), x.Title(u.Algorithm),
			strings.Join(u.Assumptions, " and "))
		if lacking[begin] == nil {
			begins = append(begins, begin)
		}
		lacking[begin] = append(lacking[begin], x.Title(u.Problem))
	}
	for _, begin := range begins {
		do := " does not have."
		if len(lacking[begin]) > 1 {
			do = " do not have."
		}
		notes = append(notes, table.Plain(begin+input.Few(lacking[begin], ", ")+do))
	}
	return notes
}

// numbers say what the expressions of algorithms are on the problems, at the last horizon.
func numbers(x *subject) (notes []table.Text) {
	for _, a := range x.Algorithms {
		var played []string // as
		on := make(map[string][]string)
		for _, p := range x.Problems {
			q := x.pairs[pairID{a.Spec, p.Spec}]
			if q == nil || q.Resolved == "" {
				continue
			}
			if on[q.Resolved] == nil {
				played = append(played, q.Resolved)
			}
			on[q.Resolved] = append(on[q.Resolved], p.Title())
		}
		var parts []string
		for _, as := range played {
			part := as + " on " + input.Few(on[as], ", ")
			if len(played) == 1 {
				part = as
			}
			parts = append(parts, part)
		}
		if parts != nil {
			notes = append(notes, table.Text{Plain: fmt.Sprintf("%s is %s at T = %d.", a.Title(),
				input.Few(parts, ", "), slices.Max(x.Experiment.Horizon))})
		}
	}
	return notes
}

// focusNotes say where a table shows another regret than the wanted one.
func focusNotes(g *grid) []table.Text {
	f := g.x.Focus
	if slices.ContainsFunc(g.keys[ByMetric], func(k key) bool {
		return k.metric.Regret() && slices.Contains(f.Regrets(), k.metric.Name)
	}) {
		return setNotes(f.Notes)
	}
	return nil
}

// setNotes returns notes with the comparator sets in TeX.
func setNotes(all []string) (notes []table.Text) {
	for _, s := range all {
		notes = append(notes, table.Text{Plain: s, TeX: inSets.Replace(tex.Prose(s))})
	}
	return notes
}

// inSets sets the comparator sets of a text in TeX.
var inSets = func() *strings.Replacer {
	var names []string
	for _, m := range game.Metrics {
		if name, ok := strings.CutPrefix(m.Title, "regret vs "); ok && setSymbols[m.Set] != "" {
			names = append(names, tex.Escape(name), setSymbols[m.Set])
		}
	}
	return strings.NewReplacer(names...)
}()

// tunedNote returns the note on tuned parameters, empty if no parameters were
// tuned.
func tunedNote(x *subject) string {
	var tuned, defaults, given []string
	for _, e := range x.Algorithms {
		switch {
		case e.Tuned != "":
			tuned = append(tuned, e.Spec)
		case e.Spec == e.Name:
			defaults = append(defaults, e.Spec)
		default:
			given = append(given, e.Spec)
		}
	}
	if tuned == nil {
		return ""
	}
	note := fmt.Sprintf(" Parameters tuned on seed %d: %s.", x.Experiment.TuningSeed,
		strings.Join(tuned, "; "))
	if defaults != nil {
		note += fmt.Sprintf(" Default: %s.", strings.Join(defaults, "; "))
	}
	if given != nil {
		note += fmt.Sprintf(" Given: %s.", strings.Join(given, "; "))
	}
	return note
}

// maxNamed is the largest number of pairs whose assumptions the printed tables name.
const maxNamed = 3

// outcomes returns the notes on pairs in which cells failed, and that are
// deterministic.
func outcomes(x *subject) (notes []table.Text) {
	deterministic := slices.ContainsFunc(x.Pairs,
		func(p analysis.Pair) bool { return p.Deterministic })
	var ways []string
	alike := make(map[string][]analysis.Pair)
	for _, p := range x.Pairs {
		if p.Failed == 0 {
			continue
		}
		way := run.FailureKind(p.Failure, p.Algorithm, p.Problem)
		if alike[way] == nil {
			ways = append(ways, way)
		}
		alike[way] = append(alike[way], p)
	}
	for _, way := range ways {
		notes = append(notes, failed(x, alike[way]))
	}
	notes = append(notes, equalNotes(x)...)
	if x.still {
		notes = append(notes, table.Plain("Deterministic: no random number is drawn."))
	} else if deterministic {
		notes = append(notes, table.Plain("Where no random number is drawn, one replicate is all there "+
			"is, and no interval."))
	}
	return notes
}

// failed is the note on pairs whose cells failed in one way.
func failed(x *subject, pairs []analysis.Pair) table.Text {
	first := pairs[0]
	var algorithms, problems []string
	add := func(all []string, name string) []string {
		if slices.Contains(all, name) {
			return all
		}
		return append(all, name)
	}
	for _, p := range pairs {
		algorithms, problems = add(algorithms, x.Title(p.Algorithm)), add(problems, x.Title(p.Problem))
	}
	cells, whole := "", "" // several pairs may have a comparator in common
	if len(pairs) == 1 {
		cells = input.Plural(first.Failed, "cell") + " of "
		whole = fmt.Sprintf(", %d of %d replicates are whole", first.Played, first.Replicates)
	}
	why, _, _ := strings.Cut(first.Failure, "\n")
	return table.Plain(fmt.Sprintf("Failed: %s%s on %s%s; the first: %s.",
		cells, input.Few(algorithms, ", "), input.Few(problems, ", "), whole,
		strings.TrimSuffix(why, ":")))
}

// equalNotes say which algorithms play the same games, and on which problems.
func equalNotes(x *subject) []table.Text {
	var sets []string
	on := make(map[string][]string) // problems, by the titles of the algorithms
	for _, e := range x.Equal {
		var names []string
		for _, spec := range e.Algorithms {
			names = append(names, x.Title(spec))
		}
		set := input.Few(names, ", ")
		if on[set] == nil {
			sets = append(sets, set)
		}
		on[set] = append(on[set], x.Title(e.Problem))
	}
	for k, set := range sets {
		where := input.Few(on[set], ", ")
		if len(on[set]) == len(x.Problems) {
			where = "every problem"
		}
		sets[k] = set + " on " + where
	}
	if n := len(sets) - maxNamed; n > 0 {
		sets = append(sets[:maxNamed], "and "+input.Plural(n, "more set"))
	}
	if sets == nil {
		return nil
	}
	return []table.Text{table.Plain("Equal games, bit for bit, which count once in ranks and " +
		"corrections: " + strings.Join(sets, "; ") + ".")}
}

// brokenNotes name the bounds of proofs that values exceed, if there are some.
func (x *subject) brokenNotes() []table.Text {
	var all []string
	for i := range x.Pairs {
		p := &x.Pairs[i]
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Bound != nil && j.Bound.State == analysis.Broken {
				all = append(all, fmt.Sprintf("%s of %s on %s", x.Metric(j.Metric).Title,
					x.Title(p.Algorithm), x.Title(p.Problem)))
			}
		}
	}
	if all == nil {
		return nil
	}
	return []table.Text{table.Plain(fmt.Sprintf("Broken bounds (%d): %s. Where: bench table %s "+
		"--value bound.", len(all), input.Few(all, "; "), x.Experiment.Name))}
}

// Replicates returns the number of replicates of an experiment in words.
func Replicates(a *analysis.Analysis) string {
	if a.Experiment.Replicates == 1 {
		return "1 replicate"
	}
	return fmt.Sprintf("%d replicates", a.Experiment.Replicates)
}

// Still reports whether chance has no part in any pair, so that each is one path.
func Still(a *analysis.Analysis) bool {
	random := func(p analysis.Pair) bool { return !p.Deterministic }
	return len(a.Pairs) > 0 && !slices.ContainsFunc(a.Pairs, random)
}

// Excluded says what games without a fault exclude: with probability q of a fault in a game, n
// games have none with probability (1−q)^n. It is empty where no pair has chance, or there is one
// game.
func Excluded(a *analysis.Analysis) string {
	n := a.Experiment.Replicates
	if n < 2 || Still(a) {
		return ""
	}
	q := 1 - math.Pow(1-a.Experiment.Confidence, 1/float64(n))
	return fmt.Sprintf("What %d replicates do not show may happen in up to %.0f %% of games (%g %%).",
		n, 100*q, 100*a.Experiment.Confidence)
}

// NoVerdict says why regret or violation of some pairs have no verdict on growth. It is an empty
// string where all have one.
func NoVerdict(a *analysis.Analysis) string {
	var reasons []string
	for _, p := range a.Pairs {
		v := a.Focus.On(p.Problem)
		for _, m := range []algorithms.Metric{v.Regret, v.Violation} {
			if s := p.Series[m]; s != nil && s.NoVerdict != "" && !slices.Contains(reasons, s.NoVerdict) {
				reasons = append(reasons, s.NoVerdict)
			}
		}
	}
	if reasons == nil {
		return ""
	}
	return "too little evidence: " + strings.Join(reasons, "; ") + "."
}

// onePath stands for the number of replicates where no pair has chance.
const onePath = "one path without chance"

// meanWords says what a mean at the last round is.
func (x *subject) meanWords() string {
	if x.still {
		return fmt.Sprintf("the value at T = %d of %s", x.Experiment.Last(), onePath)
	}
	return fmt.Sprintf("the mean at T = %d ± the half-width of its %g %% interval over %s",
		x.Experiment.Last(), 100*x.Experiment.Confidence, x.replicates)
}

// readings explain the words beside an exponent, or in place of it.
var readings = []struct{ word, meaning string }{
	{" bounded", "bounded: the interval admits no growth"},
	{" log t", "log t: the mean grows like a + b·log t"},
	{" a + b·t^", "a + b·t^q: the mean grows like that, and not like t^p"},
	{" transient", "transient: the local exponent drifts along the window, or goes up and down"},
	{"−t^", "−t^p: the mean is negative, and its size grows like t^p"},
	{"≤ 0 (", "≤ 0: the mean is not positive at that share of the points of the window, and has no " +
		"exponent"},
	{" passing", "passing: an exponent above 1 of what grows at most linearly, which cannot last"},
	{"(unresolved)", "unresolved: the replicates do not bound the exponent"},
	{"empty", "empty: the comparator set (of dynamic regret and path length: a round) is empty"},
}

// reading returns the note that explains the words in the cells of tables, if there
// are any.
func reading(tables ...*table.Table) (notes []table.Text) {
	var rows [][]table.Text
	for _, t := range tables {
		rows = append(rows, t.Rows...)
		for _, b := range t.Blocks {
			rows = append(rows, b.Rows...)
		}
	}
	var meanings []string
	for _, r := range readings {
		has := func(cell table.Text) bool {
			return strings.Contains(cell.Plain, r.word) ||
				cell.Below != nil && strings.Contains(cell.Below.Plain, r.word)
		}
		if slices.ContainsFunc(rows, func(row []table.Text) bool {
			return slices.ContainsFunc(row, has)
		}) {
			meanings = append(meanings, r.meaning)
		}
	}
	if meanings == nil {
		return nil
	}
	return []table.Text{note(strings.Join(meanings, "; ") + ".")}
}

// note returns a note in which TeX sets t^p and t^q as mathematics.
func note(s string) table.Text {
	return table.Text{Plain: s, TeX: powers.Replace(tex.Prose(s))}
}

var powers = strings.NewReplacer(tex.Escape("t^p"), "$t^p$", tex.Escape("t^q"), "$t^q$")

// aside returns a note that LaTeX leaves out.
func aside(s string) table.Text { return table.Text{Plain: s, Aside: true} }

// judgedFrom returns where the part of the window begins by which growth is judged.
func judgedFrom(f *analysis.Fit) float64 {
	if f.End == nil {
		return f.From
	}
	return f.End.From
}

// windows are the windows of the fits in a table, by design.
type windows map[stats.Design]analysis.Fit

// see records the window of a series, and returns the series.
func (w windows) see(s *analysis.Series) *analysis.Series {
	if s != nil && s.Fit != nil && s.Fit.Points > 0 {
		w[s.Fit.Design] = *s.Fit
	}
	return s
}

// notes returns the notes that explain the exponents of tables.
func (w windows) notes(x *subject, tables ...*table.Table) (notes []table.Text) {
	for _, d := range []stats.Design{stats.AlongT, stats.AcrossT} {
		f, ok := w[d]
		if !ok {
			continue
		}
		how := fmt.Sprintf("along t, horizon %d", x.Experiment.Last())
		if d == stats.AcrossT {
			how = fmt.Sprintf("across %d horizons, each with parameters of its own",
				len(x.Experiment.Horizon))
			if len(w) > 1 {
				how += ", for algorithms that need the horizon"
			}
		}
		over := fmt.Sprintf("with bounds of confidence %g %% over %s", 100*x.Experiment.Confidence,
			x.replicates)
		if x.still {
			over = "of " + onePath
		}
		notes = append(notes, note(fmt.Sprintf("Exponent p: the largest mean so far grows like t^p on "+
			"[%g, %g], %s; %s.", judgedFrom(&f), f.To, how, over)))
	}
	return append(append(notes, reading(tables...)...), x.provenance)
}

// boldNote explains bold numbers, which only LaTeX has.
func boldNote(x *subject) table.Text {
	if x.still {
		return table.Text{TeX: "Bold: less than every other algorithm, of " + onePath + "."}
	}
	text := fmt.Sprintf(
		`Bold: significantly less than every other algorithm on the same rounds (paired tests, $p \le %.3g$, %s, which needs %d replicates or more).`,
		1-x.Experiment.Confidence, corrected, stats.LeastPairs(x.Experiment.Confidence))
	if slices.ContainsFunc(x.leads, func(l analysis.Lead) bool { return len(l.Warnings) > 0 }) {
		text += ` With a question mark: the differences from some other are skewed, have few distinct values or are fewer than 10, and the lead is right only if their law is symmetric.`
	}
	return table.Text{TeX: text}
}

// boldNotes returns the note of boldNote, if a cell of a table is bold.
func boldNotes(g *grid) []table.Text {
	bold := func(row []table.Text) bool {
		return slices.ContainsFunc(row, func(cell table.Text) bool { return cell.Bold })
	}
	tested := func(l analysis.Lead) bool { return l.Tested }
	if n, needs := g.x.Experiment.Replicates, stats.LeastPairs(g.x.Experiment.Confidence); n < needs &&
		n > 1 && slices.ContainsFunc(g.x.leads, tested) && !slices.ContainsFunc(g.built.Rows, bold) {
		return []table.Text{{TeX: fmt.Sprintf(
			`No lead is significant with %d replicates where chance has a part: $p \ge %.3g$, and %d are needed.`,
			n, math.Pow(2, float64(1-n)), needs)}}
	}
	if !slices.ContainsFunc(g.built.Rows, bold) {
		return nil
	}
	return []table.Text{boldNote(g.x)}
}

// gridNotes explain the cells of a [Grid].
func gridNotes(g *grid) (notes []table.Text) {
	x := g.x
	if g.shows("final") {
		notes = append(notes, table.Plain(input.Capital(strings.TrimPrefix(x.meanWords(), "the "))+"."))
	}
	notes = append(notes, boldNotes(g)...)
	if g.shows("exponent") {
		notes = append(notes, note("Signs, against √t: "+stats.Legend("√t", 0.5)+"."))
	}
	if g.shows("verdict", "p", "claim", "bound") {
		notes = append(notes, table.Plain("–: the algorithm claims nothing about the metric."))
	}
	return slices.Concat(notes, g.windows.notes(x, g.built), focusNotes(g), x.marks)
}

// exponentNotes are [gridNotes] with all pairs that were not played.
func exponentNotes(g *grid) []table.Text {
	notes := gridNotes(g)
	return append(notes[:len(notes)-len(g.x.marks)], g.x.pairNotes...)
}

// meanNotes explain the cells of [means].
func meanNotes(g *grid) []table.Text {
	text := fmt.Sprintf("Mean and half-width of its %g %% interval over %s.",
		100*g.x.Experiment.Confidence, g.x.replicates)
	if g.x.still {
		text = "Values of " + onePath + "."
	}
	notes := []table.Text{table.Plain(text)}
	return slices.Concat(notes, boldNotes(g), []table.Text{g.x.provenance}, focusNotes(g),
		g.x.marks)
}

// rateNotes explain [rates]. The words are those of the exponents.
func rateNotes(g *grid) []table.Text {
	var foot tally
	for _, p := range g.x.Pairs {
		for _, j := range p.Judgements() {
			if j.Claim != nil {
				foot.count(p, *j)
			}
		}
	}
	exponents := &table.Table{}
	for _, row := range g.built.Rows {
		exponents.Rows = append(exponents.Rows, row[3:4])
	}
	return slices.Concat(g.windows.notes(g.x, exponents), foot.notes(g.x), g.x.pairNotes)
}

// finalNotes are the words on the sweep of a table of [finals], which LaTeX leaves out; those of
// the last explain the cells of all.
func finalNotes(g *grid) (notes []table.Text) {
	x := g.x
	sweeps := slices.DeleteFunc(slices.Clone(x.sweeps),
		func(s *sweep) bool { return s.ofProblem && s != g.sweep })
	for _, s := range sweeps {
		for _, m := range g.keys[ByMetric] {
			words := s.words(x, m.metric)
			words.Aside = true
			notes = append(notes, words)
		}
	}
	var tables []*table.Table
	for _, other := range g.group {
		tables = append(tables, other.built)
	}
	if g.built != tables[len(tables)-1] {
		return notes
	}
	if x.sweeps != nil && len(x.Comparisons.Rows) > 0 {
		words := "lower, higher: on the same rounds; " + ShownBy(x.Analysis) + "."
		if x.still {
			words = "lower, higher: on the same rounds."
		}
		notes = append(notes, aside(words))
	}
	cell := "Cell: " + x.meanWords()
	notes = append(notes, aside(cell+"; below it the growth exponent."),
		table.Text{TeX: strings.Replace(cell+".", "%", `\%`, 1)})
	if len(x.leads) > 0 {
		notes = append(notes, boldNote(x))
	}
	for _, n := range g.windows.notes(x, tables...) {
		n.Aside = n.Plain != x.provenance.Plain
		notes = append(notes, n)
	}
	return slices.Concat(notes, focusNotes(g), x.marks)
}

// movingGrowth explains the growth of claims that depend on how the rounds move.
const movingGrowth = "P_t, V_t: the path length of the best actions of the rounds, and the " +
	"variation of the constraints. The slope of such a claim is not judged; its bound is evaluated " +
	"with those of the rounds that were played."

// tally counts what the rows of a table say.
type tally struct {
	verdicts map[stats.Verdict]int
	random   int // verdicts with a p-value
	never    int // metrics that are never positive
	bounds   map[analysis.BoundState]int
	early    int // bounds held of which the theorem speaks of the first rounds only
	unstated []unstated
	standIns [][2]algorithms.Metric
	moves    bool // a claim depends on how the rounds move
}

// unstated is a reason why the theorems of some algorithms say nothing.
type unstated struct {
	reason     string
	algorithms []string
}

// count counts the judgement of a pair.
func (y *tally) count(p analysis.Pair, j analysis.Judgement) {
	if y.verdicts == nil {
		y.verdicts, y.bounds = make(map[stats.Verdict]int), make(map[analysis.BoundState]int)
	}
	y.moves = y.moves || j.Claim.Growth != ""
	if j.Verdict != "" {
		y.verdicts[j.Verdict]++
	}
	if j.P.Defined() {
		y.random++
	}
	if j.Verdict == stats.AtMost && j.Why != "" {
		y.never++
	}
	if b := j.Bound; b != nil {
		y.bounds[b.State]++
		if b.State == analysis.Held && b.Until > 0 {
			y.early++
		}
		if b.State == analysis.Unstated && !slices.ContainsFunc(y.unstated,
			func(u unstated) bool { return slices.Contains(u.algorithms, p.Algorithm) }) {
			k := slices.IndexFunc(y.unstated, func(u unstated) bool { return u.reason == b.Reason })
			if k < 0 {
				k, y.unstated = len(y.unstated), append(y.unstated, unstated{reason: b.Reason})
			}
			y.unstated[k].algorithms = append(y.unstated[k].algorithms, p.Algorithm)
		}
	}
	if pair := [2]algorithms.Metric{j.Claim.Metric, j.Metric}; pair[0] != pair[1] &&
		!slices.Contains(y.standIns, pair) {
		y.standIns = append(y.standIns, pair)
	}
}

// notes explain the verdicts, and say how many there are and how many chance makes.
func (y *tally) notes(x *subject) (notes []table.Text) {
	say := func(format string, args ...any) {
		notes = append(notes, note(fmt.Sprintf(format, args...)))
	}
	alpha := 1 - x.Experiment.Confidence
	say("verdict: of the exponent of the largest mean so far at the end of the window. ✓ at most: its "+
		"upper bound is below the claimed exponent plus %g, or the metric is never positive; ▲ above: its "+
		"lower bound is more than the claimed exponent plus %g; △ slowing: the same, and it is shown to "+
		"fall; ? undecided: neither; –: too little evidence. Each bound has confidence %g %%. A "+
		"logarithm of the claim adds its slope there. both: the worst verdict of the pair.",
		stats.Near, stats.Beyond, 100*x.Experiment.Confidence)
	if y.moves {
		say("%s", movingGrowth)
	}
	var counts []string
	judged := 0
	for _, v := range stats.Verdicts {
		judged += y.verdicts[v]
		counts = append(counts, fmt.Sprintf("%d %s", y.verdicts[v], v.Word("the claim")))
	}
	text := fmt.Sprintf("%d verdicts: %s; %d are of metrics that are never positive.", judged,
		strings.Join(counts, ", "), y.never)
	if y.random > 0 {
		text += fmt.Sprintf(" By chance: if all %d exponents with a p-value were equal to their claims "+
			"plus %g, about %.0f would be above or slowing.", y.random, stats.Beyond,
			float64(alpha*float64(y.random)))
	}
	say("%s", text)
	if n := y.bounds[analysis.Held] + y.bounds[analysis.Broken] + y.bounds[analysis.Unsettled]; n > 0 {
		say("bound: the explicit bound of the proof, at every checkpoint of every game at which it "+
			"says something; where it is in expectation, of the mean. %d of %d are held (%d to a round "+
			"before the last, of which the theorem still speaks), %d broken, %d unsettled (the interval "+
			"of a mean reaches across, or one replicate has none); the number is the largest value over "+
			"the bound (100 %% may be met, as in round 1).",
			y.bounds[analysis.Held], n, y.early, y.bounds[analysis.Broken], y.bounds[analysis.Unsettled])
	}
	var reasons []string
	for _, u := range y.unstated {
		reasons = append(reasons, input.Few(u.algorithms, ", ")+": "+u.reason)
	}
	if len(reasons) > 0 {
		say("unstated: the theorem says nothing about these %d; the first reason for each algorithm: %s.",
			y.bounds[analysis.Unstated], strings.Join(reasons, "; "))
	}
	for _, s := range y.standIns {
		say("Claims about %s are judged by %s where the former is not measured.", x.Metric(s[0]).Title,
			x.Metric(s[1]).Title)
	}
	return notes
}

// standingNotes explain [standings].
func standingNotes(g *grid) []table.Text {
	x := g.x
	moves := slices.ContainsFunc(x.Standings,
		func(s analysis.Standing) bool { return s.Claim.Growth != "" })
	notes := []table.Text{
		note(fmt.Sprintf("claim: the regret against a set or against the best actions of the rounds "+
			"(dynamic), or the violation, and its claimed growth. at most, above, slowing, undecided: on "+
			"how many problems that meet the assumptions the growth has this verdict; rates.txt has each. "+
			"by chance: how many would be above or slowing if the exponents were equal to the claim plus %g "+
			"everywhere. of bound: the largest value over the explicit bound of the proof, at all "+
			"checkpoints of all games at which it says something; –: it says nothing, or has no "+
			"constants.", stats.Beyond)),
	}
	if moves {
		notes = append(notes, note(movingGrowth))
	}
	return append(notes, x.provenance)
}
