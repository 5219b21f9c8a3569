package report

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/report/table"
	"ocobench/report/tex"
	"ocobench/stats"
)

// The sentences below tables are data. Each table has one list of notes, the most important first.
// [showNotes] takes the first ones whose condition holds, and [note.render] is the only place
// where a sentence becomes text and LaTeX.

// maxNotes is the largest number of notes below a table, with the one on the experiment.
const maxNotes = 5

// A note is a sentence that a table shows when its condition holds.
type note struct {
	when bool
	text string // a format of [fmt.Sprintf]
	args []any  // numbers, texts, mentions, and lists: names, clauses, quantity
	only medium // empty for all
	// textSuffix follows the sentence in text only, such as a command that shows more.
	textSuffix string
}

// A medium restricts a note to one kind of output.
type medium string

const (
	inText  medium = "text" // terminal, Markdown and HTML
	inLaTeX medium = "LaTeX"
)

// Arguments of notes besides numbers and texts.
type (
	names    []string // a, b and 3 more
	clauses  []string // a; b and 3 more
	quantity struct { // 1 pair, 2 pairs
		n    int
		noun string
	}
)

// noteIf returns a note for all media that is shown if the condition holds.
func noteIf(when bool, text string, args ...any) note {
	return note{when: when, text: text, args: args}
}

// titleText returns a text with the arguments and the formulas of a note, such as a title. Names
// are not in italics, since the class of an article sets titles in its own font.
func titleText(text string, args ...any) table.Text {
	filled := note{text: text, args: args}.fill()
	return table.Text{Plain: withoutMentions(filled), TeX: withFormulas(filled, "%s")}
}

// alwaysShown returns a note that is shown whatever the analysis has.
func alwaysShown(text string, args ...any) table.Text {
	return noteIf(true, text, args...).render()
}

// mention returns an algorithm or a problem as an argument of a note, which has its SPEC in text
// and its name in LaTeX.
func mention(e experiment.Entry) string {
	return "\x02" + e.Title() + "\x1f" + nameInSentence(e) + "\x03"
}

// mentioned matches a [mention].
var mentioned = regexp.MustCompile("\x02([^\x02\x1f]*)\x1f([^\x03]*)\x03")

// mention returns the algorithm or the problem of a SPEC as an argument of a note.
func (v *analysisView) mention(spec string) string { return mention(v.Entry(spec)) }

// render returns the sentence. LaTeX sets comparator sets, √t, t, T and their powers as formulas,
// and names in italics, since some have commas.
func (n note) render() table.Text {
	text := n.fill()
	plain, latex := withoutMentions(text)+n.textSuffix, withFormulas(text, `\emph{%s}`)
	switch n.only {
	case inText:
		return table.Text{Plain: plain, Aside: true}
	case inLaTeX:
		return table.Text{TeX: latex}
	}
	return table.Text{Plain: plain, TeX: latex}
}

// withoutMentions returns a text with the SPECs of its mentions.
func withoutMentions(text string) string { return mentioned.ReplaceAllString(text, "$1") }

// fill returns the text of the note with its arguments.
func (n note) fill() string {
	var args []any
	for _, a := range n.args {
		switch arg := a.(type) {
		case names:
			a = input.Few(arg, ", ")
		case clauses:
			a = input.Few(arg, "; ")
		case quantity:
			a = input.Plural(arg.n, arg.noun)
		}
		args = append(args, a)
	}
	return fmt.Sprintf(n.text, args...)
}

// withFormulas returns a text in TeX, with sets, √t, t, T and their powers as formulas. format,
// such as \emph{%s}, wraps each mention. A mention that begins the sentence begins with a capital
// letter.
func withFormulas(text, format string) string {
	var mentions []string
	first := mentioned.FindStringIndex(text)
	text = mentioned.ReplaceAllStringFunc(text, func(m string) string {
		mentions = append(mentions, mentioned.FindStringSubmatch(m)[2])
		return string(rune(firstMention + len(mentions) - 1))
	})
	latex := formulas.ReplaceAllStringFunc(tex.Prose(text), func(name string) string {
		base, power, ok := strings.Cut(name, tex.Escape("^"))
		switch {
		case ok:
			if len(power) > 1 {
				power = "{" + power + "}"
			}
			return "$" + base + "^" + power + "$"
		case name == "√t":
			return `$\sqrt{t}$`
		case name == exponentP:
			return "Exponent $p$"
		case base[0] == 't' || base[0] == 'T':
			return "$" + base + "$"
		case name[0] == '\'': // of a word such as can't
			return name
		}
		return setSymbols[setNames[name]]
	})
	if first != nil && first[0] == 0 && mentions[0] != "" {
		mentions[0] = strings.ToUpper(mentions[0][:1]) + mentions[0][1:]
	}
	for k, title := range mentions {
		latex = strings.ReplaceAll(latex, string(rune(firstMention+k)), fmt.Sprintf(format, title))
	}
	return latex
}

// firstMention is the code point for private use that stands for the first mention of a sentence.
const firstMention = 0xf0000

// setNames are the names of the comparator sets that have symbols, by the escaped name in titles.
var setNames = func() map[string]string {
	sets := make(map[string]string)
	for _, m := range game.Metrics {
		if name, ok := strings.CutPrefix(m.Title, "regret vs "); ok && setSymbols[m.Set] != "" {
			sets[tex.Escape(name)] = m.Set
		}
	}
	return sets
}()

// exponentP begins the sentence on exponents.
const exponentP = "Exponent p"

// formulas matches the names of sets, t and T, their values, and their powers.
var formulas = func() *regexp.Regexp {
	all := []string{"[tT](" + regexp.QuoteMeta(tex.Escape("^")) + "([pq]|-?[0-9.]*[0-9])| = [0-9]+)?"}
	for name := range setNames {
		all = append(all, regexp.QuoteMeta(name))
	}
	slices.Sort(all)
	return regexp.MustCompile(`√t|'t|` + exponentP + `|\b(` + strings.Join(all, "|") + `)\b`)
}()

// showNotes returns the first notes whose condition holds, at most [maxNotes] with the last one,
// which is always shown and says where those are that are left out.
func showNotes(all []note, last table.Text) []table.Text {
	return limitNotes(all, last, maxNotes)
}

// limitNotes does what [showNotes] does, with the limit most for text. Without a last note, none is
// added. Text and LaTeX are counted apart: a note that no longer fits into one of them stays in the
// other. A note with Aside set is not in LaTeX.
func limitNotes(all []note, last table.Text, most int) (shown []table.Text) {
	text, latex, omitted := 0, 0, false
	if last.Plain != "" {
		text, latex = 1, 1
	}
	for _, n := range all {
		if !n.when {
			continue
		}
		out := n.render()
		switch {
		case out.Plain == "":
		case text < most:
			text++
		default:
			out.Plain = ""
			omitted = true
		}
		switch {
		case out.Aside:
		case latex < maxNotes:
			latex++
		case out.Plain == "":
			continue
		default:
			out.TeX, out.Aside = "", true
		}
		if out.Plain+out.TeX != "" {
			shown = append(shown, out)
		}
	}
	switch {
	case last.Plain == "":
		return shown
	case omitted:
		last.Plain += " More notes: exponents.txt."
	}
	return append(shown, last)
}

// sourceNote returns the note on the experiment and the programs that computed it.
func (v *analysisView) sourceNote() note {
	made := []string{fmt.Sprintf("seed %d", v.Experiment.Seed)}
	for _, c := range v.Computed {
		program := fmt.Sprintf("ocobench %s, %s, %s", c.Version, c.Go, c.GOARCH)
		if len(v.Computed) > 1 {
			program += fmt.Sprintf(" (%d cells)", c.Cells)
		}
		made = append(made, program)
	}
	return note{text: "Experiment %s, %s.", args: []any{v.Experiment.Name, strings.Join(made, "; ")}}
}

// pairNotes returns the notes on pairs: broken bounds, failed cells, assumptions that are not met,
// and what limits the numbers. Where all is set, each pair and each kind of failure has a note of
// its own; else they are summed up.
func (v *analysisView) pairNotes(all bool) []note {
	notes := slices.Concat([]note{v.brokenNote()}, v.failureNotes(all), []note{v.steepNote()},
		v.unmetNotes(all))
	for _, text := range v.Focus.Notes {
		notes = append(notes, plainNote(text))
	}
	mixed := !v.deterministic && slices.ContainsFunc(v.Pairs,
		func(p analysis.Pair) bool { return p.Deterministic })
	notes = append(notes, v.parametersNote(), plainNote(NoVerdict(v.Analysis)), v.equalNote(all),
		v.resolvedNote(),
		noteIf(mixed, "A pair without random numbers is played once, and has no interval."))
	if all {
		notes = append(append(notes, v.faultLimitNote()), v.claimNotes()...)
	}
	return notes
}

// Sentences returns the notes on an analysis as plain sentences, for the page: what is broken,
// failed, not played or missing, and then what limits the numbers.
func Sentences(a *analysis.Analysis) (sentences []string) {
	v := newAnalysisView(a)
	missing := v.Missing
	for _, p := range v.Pairs {
		missing -= p.Failed
	}
	notes := slices.Concat(v.pairNotes(false), []note{noteIf(missing > 0, "The store lacks %s: the "+
		"numbers are of fewer replicates than were asked for.", quantity{missing, "cell"}),
		v.faultLimitNote()})
	for _, n := range notes {
		if n.when && n.only != inLaTeX {
			sentences = append(sentences, n.render().Plain)
		}
	}
	return sentences
}

// faultLimitNote returns the note [FaultLimit] where some algorithm keeps both at √t in random
// games.
func (v *analysisView) faultLimitNote() note {
	out := plainNote(FaultLimit(v.Analysis))
	out.when = out.when && slices.ContainsFunc(v.Pairs,
		func(p analysis.Pair) bool { return p.Keeps() && !p.Deterministic })
	return out
}

// plainNote returns a note without arguments. An empty text is not shown.
func plainNote(text string) note { return noteIf(text != "", "%s", text) }

// brokenNote names the bounds of proofs that values exceed.
func (v *analysisView) brokenNote() note {
	var all clauses
	for i := range v.Pairs {
		p := &v.Pairs[i]
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Bound != nil && j.Bound.State == analysis.Broken {
				all = append(all, fmt.Sprintf("%s of %s on %s", v.Metric(j.Metric).Title,
					v.mention(p.Algorithm), v.mention(p.Problem)))
			}
		}
	}
	out := noteIf(all != nil, "Broken bounds (%d): %s.", len(all), all)
	out.textSuffix = fmt.Sprintf(" Where: bench table %s --value bound.", v.Experiment.Name)
	return out
}

// A grouping collects names by a key. Keys and names are in the order in which they come first.
type grouping struct {
	keys  []string
	names map[string][]string
}

// add adds a name to the group of a key, once.
func (g *grouping) add(key, name string) {
	if g.names == nil {
		g.names = make(map[string][]string)
	}
	if g.names[key] == nil {
		g.keys = append(g.keys, key)
	}
	if !slices.Contains(g.names[key], name) {
		g.names[key] = append(g.names[key], name)
	}
}

// fewOrAll lists all names of a group, or the first ones.
func (g *grouping) fewOrAll(key string, all bool) string {
	if all {
		return joinNames(g.names[key])
	}
	return input.Few(g.names[key], ", ")
}

// failureNotes say which cells failed and why: a note for each kind of failure or, unless all is
// set, one note for all.
func (v *analysisView) failureNotes(all bool) (notes []note) {
	var algorithms, problems grouping // by the kind of failure
	alike := make(map[string][]analysis.Pair)
	for _, p := range v.Pairs {
		if p.Failed > 0 {
			kind := run.FailureKind(p.Failure, p.Algorithm, p.Problem)
			algorithms.add(kind, v.mention(p.Algorithm))
			problems.add(kind, v.mention(p.Problem))
			alike[kind] = append(alike[kind], p)
		}
	}
	var each clauses
	for _, kind := range algorithms.keys {
		first, who, complete := alike[kind][0], "", ""
		if len(alike[kind]) == 1 { // several pairs may have a comparator in common
			who = input.Plural(first.Failed, "cell") + " of "
			complete = fmt.Sprintf(", with %d of %d replicates complete", first.Played, first.Replicates)
		}
		why, _, _ := strings.Cut(first.Failure, "\n")
		one := fmt.Sprintf("%s%s on %s%s (first error: %s)", who, algorithms.fewOrAll(kind, all),
			problems.fewOrAll(kind, all), complete, strings.TrimSuffix(why, ":"))
		each, notes = append(each, one), append(notes, noteIf(all, "Failed: %s.", one))
	}
	return append(notes, noteIf(each != nil && !all, "Failed: %s.", each))
}

// steepNote names the regrets and violations of the focus that keep √t only at the end of a steep
// start.
func (v *analysisView) steepNote() note {
	var all clauses
	for i := range v.Pairs {
		p := &v.Pairs[i]
		focus := v.Focus.On(p.Problem)
		for _, m := range []algorithms.Metric{focus.Regret, focus.Violation} {
			if t, ok := p.Series[m].SteepUntil(); ok {
				all = append(all, fmt.Sprintf("until t = %.0f for %s of %s on %s", t, v.Metric(m).Title,
					v.mention(p.Algorithm), v.mention(p.Problem)))
			}
		}
	}
	return noteIf(all != nil, "✓ only after a steep start: the bound c·√t that holds in the window "+
		"is above linear growth (B a round; of regret GΔ) %s.", all)
}

// maxUnmet is the largest number of pairs whose assumptions a note names.
const maxUnmet = 3

// unmetNotes say which pairs were not played, or were played all the same, since the problem does
// not meet an assumption of the algorithm. Unless all is set, more than [maxUnmet] are counted.
func (v *analysisView) unmetNotes(all bool) (notes []note) {
	all = all || len(v.Unmet) <= maxUnmet
	starred := 0
	type sentence struct{ begin, end string } // the problems and "does not" are between
	parts := make(map[string]sentence)
	var lacking grouping // problems, by the sentence without them
	for _, u := range v.Unmet {
		begin := "Not played: "
		if v.pairs[pairID{u.Algorithm, u.Problem}] != nil {
			begin = "* "
			starred++
		}
		s := sentence{fmt.Sprintf("%s%s assumes %s, which", begin, v.mention(u.Algorithm),
			strings.Join(u.Assumptions, " and ")), u.Lack()}
		key := s.begin + s.end
		parts[key] = s
		lacking.add(key, v.mention(u.Problem))
	}
	for _, key := range lacking.keys {
		does := "does"
		if len(lacking.names[key]) > 1 {
			does = "do"
		}
		notes = append(notes, noteIf(all, "%s %s %s not %s.", parts[key].begin,
			lacking.fewOrAll(key, all), does, parts[key].end))
	}
	where := ""
	var nowhere names
	for _, e := range v.Algorithms {
		if v.isNeverPlayed(e) {
			nowhere = append(nowhere, mention(e))
			where = ", and on no problem " + input.Few(nowhere, ", ")
		}
	}
	missing := len(v.Unmet) - starred
	counted := noteIf(!all && missing > 0,
		"Not played, since an assumption is not met: %d of %d pairs%s.", missing,
		len(v.Algorithms)*len(v.Problems), where)
	counted.textSuffix = " bench run --explain and exponents.txt name them."
	return append(notes, counted,
		noteIf(!all && starred > 0, "* played although the problem does not meet an assumption of the "+
			"algorithm."))
}

// equalNote says which algorithms play the same games, and on which problems: all of them if all is
// set, and else two groups.
func (v *analysisView) equalNote(all bool) note {
	var on grouping // problems, by the titles of the algorithms
	for _, e := range v.Equal {
		var titles []string
		for _, spec := range e.Algorithms {
			titles = append(titles, v.mention(spec))
		}
		on.add(joinNames(titles), v.mention(e.Problem))
	}
	var sets []string
	for _, set := range on.keys {
		where := on.fewOrAll(set, all)
		if len(on.names[set]) == len(v.Problems) {
			where = "every problem"
		}
		sets = append(sets, set+" on "+where)
	}
	if n := len(sets) - 2; n > 0 && !all {
		sets = append(sets[:2], "and "+input.Plural(n, "more group"))
	}
	return noteIf(sets != nil,
		"Equal games, bit for bit, which count once in ranks and corrections: %s.",
		strings.Join(sets, "; "))
}

// parametersNote says whether the parameters of an algorithm were tuned, are set by the experiment,
// or have their defaults, unless all have the defaults, or all are set and named. It has the values
// of tuned algorithms and those that a label does not name.
func (v *analysisView) parametersNote() note {
	var kinds grouping
	valued := make(map[string][]string) // the names with values, by kind
	for _, e := range v.Algorithms {
		name, values, kind := mention(e), paramValues(e), "set"
		switch {
		case e.Tuned != "":
			kind = "tuned"
		case e.Spec == e.Name:
			kind = "default"
		}
		if kinds.add(kind, name+values); values != "" {
			valued[kind] = append(valued[kind], name+values)
		}
	}
	order := []string{"tuned", "set", "default"}
	if len(kinds.names["set"]) > len(kinds.names["default"]) {
		order = []string{"tuned", "default", "set"}
	}
	var parts []string
	for k, kind := range order {
		of, text := kinds.names[kind], kind
		if kind == "tuned" {
			text += fmt.Sprintf(" on seed %d", v.Experiment.TuningSeed)
		}
		if others := len(of) - len(valued[kind]); k == 2 && others > input.MaxNames {
			of = append(valued[kind], fmt.Sprintf("the other %d", others))
		}
		if of != nil {
			parts = append(parts, text+": "+joinNames(of))
		}
	}
	return noteIf(len(parts) > 1 || len(valued) > 0 || kinds.names["tuned"] != nil, "Parameters %s.",
		strings.Join(parts, "; "))
}

// paramValues returns the values of a tuned algorithm beside the grids that they are from, and
// those that a label does not name, such as " (step 0.5 of 0.05, 0.5, 5; penalty = 5)".
func paramValues(e experiment.Entry) string {
	var values []string
	between := ", "
	chosen := chosenParams(e)
	for _, c := range chosen {
		values, between = append(values, c.name+" "+c.value+" of "+input.Few(c.grid, ", ")), "; "
	}
	for _, p := range unnamedParams(e) {
		if !slices.ContainsFunc(chosen, func(c chosenParam) bool { return c.name == p.name }) {
			values = append(values, p.name+" = "+p.value)
		}
	}
	if values == nil {
		return ""
	}
	return " (" + strings.Join(values, between) + ")"
}

// A chosenParam is a parameter of a tuned algorithm, its value and the grid that it is from.
type chosenParam struct {
	param
	grid []string
}

// chosenParams returns the parameters of a tuned algorithm that were chosen from several values.
func chosenParams(e experiment.Entry) (all []chosenParam) {
	grid, err := spec.ParseUse(e.Tuned)
	if err != nil {
		return nil
	}
	for _, a := range grid.Args {
		var values []string
		for _, item := range a.Value.Items {
			values = append(values, cmp.Or(item.Text, "[…]")) // of a list of numbers
		}
		if len(values) > 1 {
			all = append(all, chosenParam{param{a.Key, e.Param(a.Key)}, values})
		}
	}
	return all
}

// resolvedNote says what the expressions of algorithms are on the problems, at the last horizon.
func (v *analysisView) resolvedNote() note {
	var all clauses
	for _, a := range v.Algorithms {
		var on grouping // problems, by what the algorithm is there
		for _, p := range v.Problems {
			if q := v.pairs[pairID{a.Spec, p.Spec}]; q != nil && q.Resolved != "" {
				on.add(q.Resolved, mention(p.Entry))
			}
		}
		for _, value := range on.keys {
			text := mention(a) + " is " + value
			if len(on.keys) > 1 {
				text += " on " + on.fewOrAll(value, false)
			}
			all = append(all, text)
		}
	}
	return noteIf(all != nil, "At T = %d %s.", slices.Max(v.Experiment.Horizon), all)
}

// Replicates returns the number of replicates of an experiment in words.
func Replicates(a *analysis.Analysis) string {
	return input.Plural(a.Experiment.Replicates, "replicate")
}

// FaultLimit says how often faults may still happen that no game has shown: with probability q of
// a fault in a game, n games have none with probability (1−q)^n. It is empty where all pairs are
// deterministic, or there is one game.
func FaultLimit(a *analysis.Analysis) string {
	n := a.Experiment.Replicates
	if n < 2 || Deterministic(a) {
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
			if s := p.Series[m]; s != nil && s.NoVerdictReason != "" &&
				!slices.Contains(reasons, s.NoVerdictReason) {
				reasons = append(reasons, s.NoVerdictReason)
			}
		}
	}
	if reasons == nil {
		return ""
	}
	return "Too little evidence: " + strings.Join(reasons, "; ") + "."
}

// onePath stands in sentences for "20 replicates" where all pairs are deterministic.
const onePath = "one deterministic path"

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

// legendNote explains the signs of verdicts on √t in some tables.
func legendNote(tables ...*table.Table) note {
	text := "Signs, of growth and not of size: " + stats.Legend("√t", 0.5)
	if cellsContain(tables, "≤ 0 ✓") {
		text += " · ≤ 0 never positive"
	}
	if anyCell(tables, func(cell table.Text) bool { return cell.Plain == notPlayed }) {
		text += "; a dot: not played"
	}
	return noteIf(true, "%s.", text)
}

// cellsContain reports whether a cell of some tables has a text.
func cellsContain(tables []*table.Table, text string) bool {
	return anyCell(tables, func(cell table.Text) bool {
		return strings.Contains(cell.Plain, text) ||
			cell.Below != nil && strings.Contains(cell.Below.Plain, text)
	})
}

// anyCell reports whether some cell of the tables matches.
func anyCell(tables []*table.Table, matches func(table.Text) bool) bool {
	return slices.ContainsFunc(tables, func(t *table.Table) bool {
		return slices.ContainsFunc(allRows(t), func(row []table.Text) bool {
			return slices.ContainsFunc(row, matches)
		})
	})
}

// hasComparison reports whether a table of comparisons with a baseline has one: less, more or
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

// readings explain the words beside an exponent over the whole window, or in place of one.
var readings = []struct{ word, meaning string }{
	{" bounded", "bounded: the interval admits no growth"},
	{" log t", "log t: the mean grows like a + b·log t"},
	{" a + b·t^", "a + b·t^q: the mean grows like that, and not like t^p"},
	{" transient", "transient: the local exponent changes along the window"},
	{"−t^", "−t^p: the mean is negative, and its size grows like t^p"},
	{"≤ 0 (", "≤ 0: the mean is not positive at that share of the points of the window"},
	{" passing", "passing: above 1, although the metric grows at most linearly"},
	{"(unresolved)", "unresolved: the replicates do not bound the exponent"},
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

// emptyNote explains cells without a comparator.
func emptyNote(tables ...*table.Table) note {
	return noteIf(cellsContain(tables, emptySet),
		emptySet+": no action is feasible, so that the metric "+
			"does not exist (dynamic regret and path length: in some round).")
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
	return noteIf(windows != nil, "Exponent p: the largest value so far of the mean grows like "+
		"%s, %s.",
		strings.Join(windows, ", and like "), bounds)
}

// boldWords says which final means are bold.
const boldWords = "the least violation of the algorithms whose regret is at most √t, and the " +
	"least regret of those whose violation is"

// boldNote explains bold numbers, which only LaTeX has, or says why a table with tested means has
// none.
func (v *analysisView) boldNote(tables ...*table.Table) note {
	bold := anyCell(tables, func(cell table.Text) bool { return cell.Bold })
	doubt := slices.ContainsFunc(v.leads, func(l analysis.Lead) bool { return len(l.Warnings) > 0 })
	tested := slices.ContainsFunc(v.leads, func(l analysis.Lead) bool { return l.Tested })
	n, needs := v.Experiment.Replicates, stats.LeastPairs(v.Experiment.Confidence)
	out := note{when: bold, only: inLaTeX}
	switch {
	case bold && v.deterministic:
		out.text = "Bold: " + boldWords + "."
	case bold:
		out.text = "Bold: " + boldWords + ", significantly on the same rounds (paired tests, " +
			"p ≤ %.3g, " + corrected + ")."
		out.args = []any{1 - v.Experiment.Confidence}
		if doubt {
			out.text += " With a question mark: only if the differences are symmetric, which is doubtful."
		}
	case 1 < n && n < needs && tested:
		out.when = true
		out.text = "No lead is significant: it needs %s or more."
		out.args = []any{quantity{needs, "replicate"}}
	}
	return out
}

// pivotNotes explain the cells of a [PivotTable].
func pivotNotes(b *tableBuilder) []table.Text {
	return showNotes(b.cellNotes(false), b.view.provenance)
}

// exponentTableNotes returns the notes of the exponents of all pairs. LaTeX gets those of
// [pivotNotes]; text, a file of its own, gets every note, and every pair.
func exponentTableNotes(b *tableBuilder) (notes []table.Text) {
	for _, n := range limitNotes(b.cellNotes(true), b.view.provenance, math.MaxInt) {
		if n.Plain != "" {
			notes = append(notes, table.Text{Plain: n.Plain, Aside: true})
		}
	}
	for _, n := range pivotNotes(b) {
		if !n.Aside {
			notes = append(notes, table.Text{TeX: cmp.Or(n.TeX, tex.Prose(n.Plain))})
		}
	}
	return notes
}

// cellNotes explain the cells of a table, and its pairs: all of them if all is set.
func (b *tableBuilder) cellNotes(all bool) []note {
	v := b.view.only(b.members[ByAlgorithm], b.members[ByProblem])
	words := v.meanWords()
	if b.members[ByHorizon] != nil {
		words = v.meanWordsAt("each T")
	}
	notes := []note{noteIf(b.showsValue("final"), "Final mean: %s.",
		strings.TrimPrefix(words, "the "))}
	if b.showsValue("exponent") {
		notes = append(notes, v.exponentNote(b.metrics()), legendNote(b.built))
	}
	return slices.Concat(notes, []note{
		noteIf(b.showsValue("window"), "Over the window: the exponent of the mean ~ t^p over the whole "+
			"window. No verdict is about it."),
		readingNote(b.built),
		noteIf(b.showsValue("verdict", "p", "claim", "bound"),
			"–: the algorithm claims nothing about the metric."),
		emptyNote(b.built), v.boldNote(b.built),
	}, v.pairNotes(all))
}

// metrics returns the metrics of the table.
func (b *tableBuilder) metrics() (all []analysis.Metric) {
	for _, k := range b.members[ByMetric] {
		all = append(all, k.metric)
	}
	return all
}

// meanNotes explain the cells of a table of [meanTables], and the last one the pairs.
func meanNotes(b *tableBuilder) []table.Text {
	v := b.view
	notes := []note{
		noteIf(v.deterministic, "Values of %s.", onePath),
		noteIf(!v.deterministic, "Mean ± half-width of its %g %% t-interval over %s.",
			100*v.Experiment.Confidence, v.replicates),
		v.boldNote(b.built), emptyNote(b.built),
	}
	if b == b.siblings[len(b.siblings)-1] {
		notes = append(notes, v.pairNotes(false)...)
	}
	return showNotes(notes, v.provenance)
}

// finalNotes explain the cells of all tables of [finalTables], below the last one. LaTeX has the
// exponents in tables of their own.
func finalNotes(b *tableBuilder) []table.Text {
	v := b.view
	var tables []*table.Table
	for _, other := range b.siblings {
		tables = append(tables, other.built)
	}
	if b.built != tables[len(tables)-1] {
		return nil
	}
	notes := []note{
		{when: true, only: inLaTeX, text: "Cell: %s.", args: []any{v.meanWords()}},
		{when: true, only: inText, text: "Cell: %s; below it the growth exponent.",
			args: []any{v.meanWords()}},
	}
	for _, n := range []note{v.exponentNote(fittedOf(b.metrics())), legendNote(tables...)} {
		n.only = inText
		notes = append(notes, n)
	}
	return showNotes(slices.Concat(notes, []note{v.boldNote(tables...), emptyNote(tables...)},
		v.pairNotes(false)), v.provenance)
}

// comparisonNotes explain the tables of [comparisonTables].
func comparisonNotes(b *tableBuilder) []table.Text {
	v := b.view
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

// rateNotes explain [rateTables].
func rateNotes(b *tableBuilder) []table.Text {
	v := b.view
	bounded := func(j *analysis.Judgement) bool {
		return j.Bound != nil && j.Bound.State != analysis.Unstated
	}
	notes := []note{v.exponentNote(b.metrics()),
		noteIf(true, "Signs: %s.", claimLegend()),
		noteIf(slices.ContainsFunc(v.Pairs, func(p analysis.Pair) bool {
			return slices.ContainsFunc(p.Judgements(), bounded)
		}), "bound: the largest value, in per cent of the bound of the proof, over all games and all "+
			"checkpoints where the bound applies.")}
	return showNotes(slices.Concat(notes, v.claimNotes(), v.pairNotes(false)), v.provenance)
}

// claimNotes explain what is claimed of the pairs and how it is judged.
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
	return append(notes, noteIf(unstated != nil,
		"unstated: the theorem says nothing. First reason of "+
			"each algorithm: %s.", unstated))
}

// standingNotes explain [standingTables].
func standingNotes(b *tableBuilder) []table.Text {
	v := b.view
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
