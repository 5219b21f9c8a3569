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
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/stats"
)

// A pairDetail says how notes speak of pairs that have something in common, such as a failure.
type pairDetail string

const (
	summedUp pairDetail = "summed up" // in one note, which names the first ones or counts them
	eachPair pairDetail = "each pair" // all are named, in as many notes as that takes
)

// pairNotes returns the notes on pairs: broken bounds, failed cells, unmet assumptions, and what
// limits the numbers.
func (v *analysisView) pairNotes(detail pairDetail) []note {
	notes := slices.Concat([]note{v.brokenNote()}, v.failureNotes(detail), []note{v.steepNote(),
		v.tooLittleNote(detail), v.windowNote()}, v.unmetNotes(detail))
	for _, text := range v.Focus.Notes {
		notes = append(notes, plainNote(text))
	}
	mixed := !v.deterministic && slices.ContainsFunc(v.Pairs,
		func(p analysis.Pair) bool { return p.Deterministic })
	notes = append(notes, v.parametersNote(), v.equalNote(detail), v.resolvedNote(),
		noteIf(mixed, "A pair without random numbers is played once, and has no interval."))
	if detail == eachPair {
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
		missing -= p.Failed // a note of its own says which cells failed
	}
	notes := slices.Concat(v.pairNotes(summedUp), []note{noteIf(missing > 0, "The store lacks %s: "+
		"the numbers are of fewer replicates than were asked for.", quantity{missing, "cell"}),
		v.faultLimitNote()})
	for _, n := range notes {
		if n.when && n.onlyIn != inLaTeX {
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

// mentionSeries names a metric of a pair, with mentions of the algorithm and the problem.
func (v *analysisView) mentionSeries(p *analysis.Pair, m algorithms.Metric) string {
	return fmt.Sprintf("%s of %s on %s", v.Metric(m).Title, v.mention(p.Algorithm),
		v.mention(p.Problem))
}

// brokenNote names the bounds of proofs that values exceed.
func (v *analysisView) brokenNote() note {
	var all clauses
	for i := range v.Pairs {
		p := &v.Pairs[i]
		for _, j := range p.Judgements() {
			if j.Claim != nil && j.Bound != nil && j.Bound.State == analysis.Broken {
				all = append(all, v.mentionSeries(p, j.Metric))
			}
		}
	}
	out := noteIf(all != nil, "Broken bounds (%d): %s.", len(all), all)
	out.textSuffix = fmt.Sprintf(" Where: bench table %s --value bound.", v.Experiment.Name)
	return out
}

// A grouping collects names by keys. Both stay in the order in which they are first added.
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

// listNames lists the names of a group: all of them for eachPair, and else as
// [grouping.firstNames].
func (g *grouping) listNames(key string, detail pairDetail) string {
	if detail == eachPair {
		return joinNames(g.names[key])
	}
	return g.firstNames(key)
}

// firstNames lists the first names of a group, and says how many more there are.
func (g *grouping) firstNames(key string) string { return input.Few(g.names[key], ", ") }

// failureNotes say which cells failed and why: one note or, for eachPair, one for each kind of
// failure.
func (v *analysisView) failureNotes(detail pairDetail) (notes []note) {
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
	var kinds clauses
	for _, kind := range algorithms.keys {
		first, who, complete := alike[kind][0], "", ""
		if len(alike[kind]) == 1 { // several pairs may have a comparator in common
			who = input.Plural(first.Failed, "cell") + " of "
			complete = fmt.Sprintf(", with %d of %d replicates complete", first.Played, first.Replicates)
		}
		why, _, _ := strings.Cut(first.Failure, "\n")
		kinds = append(kinds, fmt.Sprintf("%s%s on %s%s (first error: %s)", who,
			algorithms.listNames(kind, detail), problems.listNames(kind, detail), complete,
			strings.TrimSuffix(why, ":")))
	}
	if detail == summedUp {
		return []note{noteIf(kinds != nil, "Failed: %s.", kinds)}
	}
	for _, kind := range kinds {
		notes = append(notes, noteIf(true, "Failed: %s.", kind))
	}
	return notes
}

// steepNote names the regrets and violations of the focus that keep √t only at the end of a steep
// start.
func (v *analysisView) steepNote() note {
	var all clauses
	for i := range v.Pairs {
		p := &v.Pairs[i]
		for _, m := range v.Focus.On(p.Problem).Metrics() {
			if t, ok := p.Series[m].SteepUntil(); ok {
				all = append(all, fmt.Sprintf("until t = %.0f for %s", t, v.mentionSeries(p, m)))
			}
		}
	}
	return noteIf(all != nil, "✓ beside a value that may be large, after a steep start: the measured "+
		"bound c·√t is above linear growth at the largest rate (B a round, GΔ of regret; where they are "+
		"not declared, the largest step of the mean) %s.", all)
}

// tooLittleNote says why the growth of some metrics has the verdict [stats.TooLittle], by reason.
// The metrics are the regret and the violation of the focus and, for eachPair, all that are fitted.
func (v *analysisView) tooLittleNote(detail pairDetail) note {
	var where grouping // metrics of pairs, by the reason
	for i := range v.Pairs {
		p := &v.Pairs[i]
		focus := v.Focus.On(p.Problem).Metrics()
		for _, m := range v.Metrics {
			s := p.Series[m.Name]
			isShown := detail == eachPair || slices.Contains(focus, m.Name)
			if isShown && s != nil && s.SqrtVerdict == stats.TooLittle {
				where.add(s.SqrtReason, v.mentionSeries(p, m.Name))
			}
		}
	}
	var all []string
	for _, reason := range where.keys {
		all = append(all, fmt.Sprintf("%s (%s)", reason, where.listNames(reason, detail)))
	}
	return noteIf(all != nil, "%s too little evidence: %s.", stats.TooLittle.Sign(),
		strings.Join(all, "; "))
}

// windowNote names the problems whose replicates are windows of one file of rounds.
func (v *analysisView) windowNote() note {
	var problems names
	for _, p := range v.Problems {
		if p.HasWindows() && slices.ContainsFunc(v.Pairs, func(pair analysis.Pair) bool {
			return pair.Problem == p.Spec && !pair.Deterministic
		}) {
			problems = append(problems, v.mention(p.Spec))
		}
	}
	return noteIf(problems != nil, "Replicates on %s are windows of one file of rounds: intervals "+
		"are too narrow unless it is much longer than a window.", problems)
}

// maxUnmet is the largest number of pairs whose assumptions a note names.
const maxUnmet = 3

// unmetNotes say which pairs were not played, or were played all the same, since the problem does
// not meet an assumption of the algorithm. More than [maxUnmet] are only counted, unless detail is
// eachPair.
func (v *analysisView) unmetNotes(detail pairDetail) (notes []note) {
	if len(v.Unmet) <= maxUnmet {
		detail = eachPair
	}
	playedUnmet := 0
	type sentence struct{ begin, end string } // the problems and "does not" are between
	parts := make(map[string]sentence)
	var lacking grouping // problems, by the sentence without them
	for _, u := range v.Unmet {
		begin := "Not played: "
		if v.Pair(u.Algorithm, u.Problem) != nil {
			begin = "* " // the mark of [addAsterisk]
			playedUnmet++
		}
		s := sentence{fmt.Sprintf("%s%s assumes %s, which", begin, v.mention(u.Algorithm),
			strings.Join(u.Assumptions, " and ")), u.Lack()}
		key := s.begin + s.end
		parts[key] = s
		lacking.add(key, v.mention(u.Problem))
	}
	if detail == eachPair {
		for _, key := range lacking.keys {
			does := "does"
			if len(lacking.names[key]) > 1 {
				does = "do"
			}
			notes = append(notes, noteIf(true, "%s %s %s not %s.", parts[key].begin,
				joinNames(lacking.names[key]), does, parts[key].end))
		}
		return notes
	}
	nowhere := ""
	var neverPlayed names
	for _, e := range v.Algorithms {
		if v.isNeverPlayed(e) {
			neverPlayed = append(neverPlayed, entryMention(e))
			nowhere = ", and on no problem " + input.Few(neverPlayed, ", ")
		}
	}
	missing := len(v.Unmet) - playedUnmet
	counted := noteIf(missing > 0, "Not played, since an assumption is not met: %d of %d pairs%s.",
		missing, len(v.Algorithms)*len(v.Problems), nowhere)
	counted.textSuffix = " bench run --explain and exponents.txt name them."
	return append(notes, counted, noteIf(playedUnmet > 0,
		"* played although the problem does not meet an assumption of the algorithm."))
}

// equalNote says which algorithms play the same games, and on which problems. Unless detail is
// eachPair, it names two groups of algorithms and counts the others.
func (v *analysisView) equalNote(detail pairDetail) note {
	var problems grouping // by the algorithms that are equal
	for _, e := range v.Equal {
		var equal []string
		for _, spec := range e.Algorithms {
			equal = append(equal, v.mention(spec))
		}
		problems.add(joinNames(equal), v.mention(e.Problem))
	}
	var groups []string
	for _, equal := range problems.keys {
		where := problems.listNames(equal, detail)
		if len(problems.names[equal]) == len(v.Problems) {
			where = "every problem"
		}
		groups = append(groups, equal+" on "+where)
	}
	const named = 2
	if others := len(groups) - named; others > 0 && detail == summedUp {
		groups = append(groups[:named], "and "+input.Plural(others, "more group"))
	}
	return noteIf(groups != nil,
		"Equal games, bit for bit, which count once in ranks and corrections: %s.",
		strings.Join(groups, "; "))
}

// parametersNote says which algorithms were tuned, which have the parameters that the experiment
// sets, and which have the defaults. It names the values of tuned algorithms, and those that a
// label leaves out. It is not shown if all have the defaults, or if all are set and named.
func (v *analysisView) parametersNote() note {
	var kinds grouping                  // algorithms, with their values if these are named, by kind
	valued := make(map[string][]string) // those of kinds whose values are named
	for _, e := range v.Algorithms {
		name, values, kind := entryMention(e), paramValues(e), "set"
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
	order := []string{"tuned", "set", "default"} // of the last two, the smaller kind first
	if len(kinds.names["set"]) > len(kinds.names["default"]) {
		order = []string{"tuned", "default", "set"}
	}
	var parts []string
	for _, kind := range order {
		named, text := kinds.names[kind], kind
		if kind == "tuned" {
			text += tunedOn(v.Experiment.Tuning)
		}
		others := len(named) - len(valued[kind])
		if kind == order[2] && others > input.MaxNames { // the last kind need not name all
			named = append(valued[kind], fmt.Sprintf("the other %d", others))
		}
		if named != nil {
			parts = append(parts, text+": "+joinNames(named))
		}
	}
	return noteIf(len(parts) > 1 || len(valued) > 0 || kinds.names["tuned"] != nil, "Parameters %s.",
		strings.Join(parts, "; "))
}

// tunedOn says on which games parameters were tuned, such as " at T = 900 on 8 replicates of seed
// 7".
func tunedOn(t spec.Tuning) string {
	text := " on "
	if t.TuningHorizon > 0 {
		text = fmt.Sprintf(" at T = %d on ", t.TuningHorizon)
	}
	if t.TuningReplicates > 0 {
		text += input.Plural(t.TuningReplicates, "replicate") + " of "
	}
	return text + fmt.Sprintf("seed %d", t.TuningSeed)
}

// paramValues returns the values of a tuned algorithm beside the grids that they are from, and
// those that a label does not name, such as " (step 0.5 of 0.05, 0.5, 5; penalty = 5)".
func paramValues(e experiment.Entry) string {
	var values []string
	separator := ", "
	chosen := chosenParams(e)
	for _, c := range chosen {
		values = append(values, c.name+" "+c.value+" of "+input.Few(c.grid, ", "))
		separator = "; " // grids have commas
	}
	for _, p := range unnamedParams(e) {
		if !slices.ContainsFunc(chosen, func(c chosenParam) bool { return c.name == p.name }) {
			values = append(values, p.name+" = "+p.value)
		}
	}
	if values == nil {
		return ""
	}
	return " (" + strings.Join(values, separator) + ")"
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
			values = append(values, cmp.Or(item.Text, "[…]")) // a list of numbers has no text
		}
		if len(values) > 1 {
			all = append(all, chosenParam{param{a.Key, e.Param(a.Key)}, values})
		}
	}
	return all
}

// resolvedNote gives the SPECs of algorithms whose parameters are expressions, with the values of
// these on the problems at the last horizon.
func (v *analysisView) resolvedNote() note {
	var all clauses
	for _, a := range v.Algorithms {
		var problems grouping // by the resolved SPEC
		for _, p := range v.Problems {
			if pair := v.Pair(a.Spec, p.Spec); pair != nil && pair.Resolved != "" {
				problems.add(pair.Resolved, entryMention(p.Entry))
			}
		}
		for _, resolved := range problems.keys {
			text := entryMention(a) + " is " + resolved
			if len(problems.keys) > 1 {
				text += " on " + problems.firstNames(resolved)
			}
			all = append(all, text)
		}
	}
	return noteIf(all != nil, "At T = %d %s.", slices.Max(v.Experiment.Horizon), all)
}

// Replicates returns the number of replicates in words, such as "20 replicates".
func Replicates(a *analysis.Analysis) string {
	return input.Plural(a.Experiment.Replicates, "replicate")
}

// FaultLimit says how often faults may still happen that no game has shown: with a fault in a game
// with probability q, n games have none with probability (1−q)^n. It is empty if all pairs are
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

// onePath replaces "20 replicates" in sentences if all pairs are deterministic.
const onePath = "one deterministic path"
