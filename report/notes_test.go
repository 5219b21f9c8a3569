package report

import (
	"encoding/json"
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/stats"
	"slices"
	"strings"
	"testing"
)

// A note names lists, counts and sets in text, and sets sets and powers as formulas in LaTeX.
func TestNoteRendersItsArguments(t *testing.T) {
	for _, c := range []struct {
		name        string
		note        note
		text, latex string
	}{
		{"one name", note{text: "Not played: %s.", args: []any{names{"ogd"}}}, "Not played: ogd.",
			"Not played: ogd."},
		{"many names", note{text: "%s", args: []any{names{"a", "b", "c", "d", "e", "f", "g"}}},
			"a, b, c, d, e and 2 more", "a, b, c, d, e and 2 more"},
		{"clauses", note{text: "%s.", args: []any{clauses{"a on x", "b on y"}}}, "a on x and b on y.",
			"a on x and b on y."},
		{"one pair", note{text: "%s", args: []any{quantity{1, "pair"}}}, "1 pair", "1 pair"},
		{"two pairs", note{text: "%s", args: []any{quantity{2, "pair"}}}, "2 pairs", "2 pairs"},
		{"a set", note{text: "Regret is vs X̂max at 5 %%."}, "Regret is vs X̂max at 5 %.",
			`Regret is vs $\hat{X}^{\max}_t$ at 5 \%.`},
		{"a power", note{text: "a + b·t^q, −t^p"}, "a + b·t^q, −t^p", "a + b·$t^q$, −$t^p$"},
		{"a root", note{text: "✓ at most √t"}, "✓ at most √t", `✓ at most $\sqrt{t}$`},
		{"a mention", note{text: "%s at T = 5, not t^0.5", args: []any{entryMention(experiment.Entry{
			Spec: "a:step=0.5", Name: "a", FullName: "A, B"})}}, "a:step=0.5 at T = 5, not t^0.5",
			`\emph{A, B, step 0.5} at $T = 5$, not $t^{0.5}$`},
		{"a command", note{text: "Not played: %d of t.", args: []any{3}, textSuffix: " See exponents.txt."},
			"Not played: 3 of t. See exponents.txt.", "Not played: 3 of $t$."},
		{"text alone", note{text: "a", onlyIn: inText}, "a", ""},
		{"LaTeX alone", note{text: "a_b", onlyIn: inLaTeX}, "", `a\_b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.note.render(); got.Plain != c.text || got.TeX != c.latex ||
				got.NotInLaTeX != (c.note.onlyIn == inText) {
				t.Errorf("it is %+v, want %q and %q in LaTeX", got, c.text, c.latex)
			}
		})
	}
}

// A note says of each algorithm whether its parameters are tuned, set or default, if they differ
// in that, and the values that its label does not name; the largest group may be the others.
func TestParametersOfEachRowAreSaid(t *testing.T) {
	e := func(spec, label, tuned string) experiment.Entry {
		name, _, _ := strings.Cut(spec, ":")
		return experiment.Entry{Spec: spec, Name: name, Label: label, Tuned: tuned,
			Params: json.RawMessage(`{"step": 0.1}`)}
	}
	few := []experiment.Entry{e("ogd", "", ""), e("mine:step=0.1", "Ours", "{use: mine, step: [0.1, 1, 5], n: 2}"),
		e("sun:step=2", "", "")}
	many := slices.Clone(few)
	for _, name := range []string{"a", "b", "c", "d", "f"} {
		many = append(many, e(name, "", ""))
	}
	var set []experiment.Entry
	for _, step := range []string{"1", "2", "3", "4", "5", "6"} {
		set = append(set, e("sun:step="+step, "", ""))
	}
	games := spec.Tuning{TuningSeed: 7, TuningHorizon: 900, TuningReplicates: 8}
	for _, c := range []struct {
		name       string
		algorithms []experiment.Entry
		want       string
	}{
		{"few", few,
			"Parameters tuned at T = 900 on 8 replicates of seed 7: Ours (step 0.1 of 0.1, 1 and 5); set: sun:step=2; default: ogd."},
		{"many", many, "Parameters tuned at T = 900 on 8 replicates of seed 7: Ours (step 0.1 of 0.1, 1 and 5); set: sun:step=2; " +
			"default: the other 6."},
		{"set only", few[2:], ""}, {"default only", few[:1], ""},
		{"labelled", []experiment.Entry{e("mine:n=2,step=0.1", "Ours", ""), e("sun:step=2", "", "")},
			"Parameters set: Ours (n = 2, step = 0.1) and sun:step=2."},
		{"swept", []experiment.Entry{e("mine:n=2,step=0.1", "Ours, step = 0.1", ""), e("ogd", "G", "")},
			"Parameters set: Ours, step = 0.1 (n = 2); default: G."},
		{"tuned and set", []experiment.Entry{
			e("mine:n=2,step=0.1", "Ours", "{use: mine, step: [0.1, 1, 5], n: 2}")},
			"Parameters tuned at T = 900 on 8 replicates of seed 7: Ours (step 0.1 of 0.1, 1 and 5; n = 2)."},
		{"many set", append(slices.Clone(set), e("mine:step=0.1", "Ours", "")),
			"Parameters set: Ours (step = 0.1) and the other 6."},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := &analysisView{Analysis: &analysis.Analysis{Algorithms: c.algorithms,
				Experiment: analysis.Experiment{Tuning: games}}}
			n, got := v.parametersNote(), ""
			if n.when {
				got = n.render().Plain
			}
			if got != c.want {
				t.Errorf("the note is %q, want %q", got, c.want)
			}
		})
	}
}

// A record of version 0.1 has the seed of the tuning only.
func TestTuningOfOlderRecordNamesItsSeed(t *testing.T) {
	if got := tunedOn(spec.Tuning{TuningSeed: 7}); got != " on seed 7" {
		t.Errorf("tuned%s, want on seed 7", got)
	}
}

// Pairs that were not played are counted below tables if they are many, and named if they are few.
// exponents.txt names each.
func TestUnplayedPairsAreNamedOrCounted(t *testing.T) {
	v := &analysisView{Analysis: &analysis.Analysis{}}
	v.Algorithms = []experiment.Entry{{Spec: "a"}, {Spec: "b"}}
	render := func(detail pairDetail) (texts []string) {
		for _, n := range v.unmetNotes(detail) {
			if n.when {
				texts = append(texts, n.render().Plain)
			}
		}
		return texts
	}
	for k, problem := range []string{"p", "q", "r", "s"} {
		v.Problems = append(v.Problems, analysis.Problem{Entry: experiment.Entry{Spec: problem}})
		v.Unmet = append(v.Unmet, experiment.Unmet{Algorithm: "a", Problem: problem,
			Assumptions: []string{"fixed constraints"}})
		if k == 1 {
			if got := render(summedUp); !slices.Equal(got,
				[]string{"Not played: a assumes fixed constraints, which p and q do not declare (by fixed)."}) {
				t.Errorf("two pairs: got %q, want both named", got)
			}
		}
	}
	v.Pairs = []analysis.Pair{{Algorithm: "b", Problem: "p"}}
	if got := render(summedUp); !slices.Equal(got, []string{"Not played, since an assumption is not met: 4 of " +
		"8 pairs, and on no problem a. bench run --explain and exponents.txt name them."}) {
		t.Errorf("four pairs: got %q, want a count", got)
	}
	const each = "Not played: a assumes fixed constraints, " +
		"which p, q, r and s do not declare (by fixed)."
	if got := render(eachPair); !slices.Equal(got, []string{each}) {
		t.Errorf("each of four pairs: got %q, want %q", got, each)
	}
}

// What an expression is stands once where it is the same on all problems, else with each.
func TestExpressionsAreResolvedOnce(t *testing.T) {
	v := &analysisView{Analysis: &analysis.Analysis{}}
	v.Experiment.Horizon = []int{100, 900}
	v.Algorithms = []experiment.Entry{{Spec: "ogd:step=1/T"}, {Spec: "ogd:step=1/n"}, {Spec: "ogd"}}
	for _, problem := range []string{"iid", "fixed"} {
		v.Problems = append(v.Problems, analysis.Problem{Entry: experiment.Entry{Spec: problem}})
		for _, a := range v.Algorithms {
			resolved := map[string]string{"ogd:step=1/T": "ogd:step=0.0011",
				"ogd:step=1/n": "ogd:step=1/" + problem}[a.Spec]
			v.Pairs = append(v.Pairs,
				analysis.Pair{Algorithm: a.Spec, Problem: problem, Resolved: resolved})
		}
	}
	const want = "At T = 900 ogd:step=1/T is ogd:step=0.0011; ogd:step=1/n is " +
		"ogd:step=1/iid on iid and " +
		"ogd:step=1/n is ogd:step=1/fixed on fixed."
	if got := newAnalysisView(v.Analysis).resolvedNote().render().Plain; got != want {
		t.Errorf("the note is %q, want %q", got, want)
	}
}

// Metrics without evidence for a verdict are named below the table by reason, whether the window or
// the curve lacks it; those of other metrics than regret and violation only where all are wanted.
func TestNotesSayWhyEvidenceIsTooLittle(t *testing.T) {
	const late, short = "its mean has become positive late", "the window is short"
	series := func(verdict stats.Verdict, reason string) *analysis.Series {
		return &analysis.Series{SqrtVerdict: verdict, SqrtReason: reason}
	}
	pair := func(algorithm string, regret, soft, hard *analysis.Series) analysis.Pair {
		return analysis.Pair{Algorithm: algorithm, Problem: "p",
			Series: map[algorithms.Metric]*analysis.Series{"regret_xhat": regret, "violation_soft": soft,
				"violation_hard": hard}}
	}
	kept, grows := series(stats.AtMost, stats.ReasonNeverPositive), series(stats.Above, "")
	a := &analysis.Analysis{
		Experiment: analysis.Experiment{Name: "e", Horizon: []int{10}},
		Focus:      analysis.Focus{Regret: "regret_xhat", Violation: "violation_soft"},
		Algorithms: []experiment.Entry{{Spec: "a", Name: "a"}, {Spec: "b", Name: "b"}},
		Problems:   []analysis.Problem{{Entry: experiment.Entry{Spec: "p", Name: "p"}}},
		Pairs: []analysis.Pair{
			pair("a", kept, series(stats.TooLittle, late), series(stats.TooLittle, late)),
			pair("b", series(stats.TooLittle, short), series(stats.TooLittle, late), grows)},
	}
	for _, name := range []algorithms.Metric{"regret_xhat", "violation_soft", "violation_hard"} {
		a.Metrics = append(a.Metrics, analysis.Metric{Name: name, Title: string(name)})
	}
	v := newAnalysisView(a)
	for detail, want := range map[pairDetail]string{
		summedUp: "– too little evidence: its mean has become positive late (violation_soft of a on p " +
			"and violation_soft of b on p); the window is short (regret_xhat of b on p).",
		eachPair: "– too little evidence: its mean has become positive late (violation_soft of a on p, " +
			"violation_hard of a on p and violation_soft of b on p); the window is short (regret_xhat " +
			"of b on p).",
	} {
		if got := v.tooLittleNote(detail).render().Plain; got != want {
			t.Errorf("%s: the note is\n%s\nwant\n%s", detail, got, want)
		}
	}
	a.Pairs = []analysis.Pair{pair("a", kept, grows, grows)}
	if newAnalysisView(a).tooLittleNote(eachPair).when {
		t.Error("a pair whose metrics all have a verdict: got a note, want none")
	}
}

// The means of many algorithms say why a mean of 0 has the sign of growth, where one has it.
func TestMeansSayWhyZeroGrows(t *testing.T) {
	a := analysed(t, parsedExperiment(t, smallExperiment))
	notes := func() string {
		var all strings.Builder
		for _, n := range newAnalysisView(a).finalMeansTable().Notes {
			all.WriteString(n.Plain)
		}
		return all.String()
	}
	for i := range a.Pairs {
		a.Pairs[i].Series[algorithms.SoftViolation].SqrtVerdict = stats.AtMost
		a.Pairs[i].Series[algorithms.RegretXHat].SqrtVerdict = stats.AtMost
	}
	if text := notes(); strings.Contains(text, zeroEndWords) {
		t.Errorf("no mean of 0 grows: got notes %s, want none on that", text)
	}
	s := a.Pairs[0].Series[algorithms.SoftViolation]
	s.State, s.SqrtVerdict = analysis.Measured, stats.Above
	s.Mean.Value[len(s.Mean.Value)-1] = 0
	if text := notes(); !strings.Contains(text, zeroEndWords) {
		t.Errorf("a mean of 0 has ▲: got notes %s, want %s", text, zeroEndWords)
	}
}
