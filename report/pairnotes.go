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
)

// pairNotes returns the notes on pairs: broken bounds, failed cells, unmet assumptions, and what
// limits the numbers. If all is set, each pair and each kind of failure has a note of its own;
// otherwise they are summed up.
func (v *analysisView) pairNotes(all bool) []note {
	notes := slices.Concat([]note{v.brokenNote()}, v.failureNotes(all), []note{v.steepNote(),
		v.windowNote()}, v.unmetNotes(all))
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

// A grouping collects names by keys, and keeps both in the order in which they first come.
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
	return g.few(key)
}

// few lists the first names of a group, and says how many more there are.
func (g *grouping) few(key string) string { return input.Few(g.names[key], ", ") }

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

// windowNote names the problems whose replicates are windows of one file of rounds.
func (v *analysisView) windowNote() note {
	var names []string
	for _, p := range v.Problems {
		if p.HasWindows() && slices.ContainsFunc(v.Pairs, func(pair analysis.Pair) bool {
			return pair.Problem == p.Spec && !pair.Deterministic
		}) {
			names = append(names, v.mention(p.Spec))
		}
	}
	if names == nil {
		return note{}
	}
	return noteIf(true, "Replicates on %s are windows of one file of rounds: intervals are too "+
		"narrow unless it is much longer than a window.", joinNames(names))
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
			nowhere = append(nowhere, entryMention(e))
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

// parametersNote says which algorithms were tuned, which have the parameters that the experiment
// sets, and which have the defaults. It names the values of tuned algorithms, and those that a
// label leaves out. It is not shown if all have the defaults, or if all are set and named.
func (v *analysisView) parametersNote() note {
	var kinds grouping
	valued := make(map[string][]string) // the names with values, by kind
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

// resolvedNote says what the parameters of algorithms that are expressions come to on the problems,
// at the last horizon.
func (v *analysisView) resolvedNote() note {
	var all clauses
	for _, a := range v.Algorithms {
		var on grouping // problems, by what the algorithm is there
		for _, p := range v.Problems {
			if q := v.pairs[pairID{a.Spec, p.Spec}]; q != nil && q.Resolved != "" {
				on.add(q.Resolved, entryMention(p.Entry))
			}
		}
		for _, value := range on.keys {
			text := entryMention(a) + " is " + value
			if len(on.keys) > 1 {
				text += " on " + on.few(value)
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

// NoVerdict says why the regret or the violation of some pairs has no verdict on growth. It is
// empty if all have one.
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

// onePath replaces "20 replicates" in sentences if all pairs are deterministic.
const onePath = "one deterministic path"
