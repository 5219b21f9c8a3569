package page

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/regression"
	"ocobench/stats"
)

// planted returns an analysis of eight algorithms on one problem, with final violations and
// verdicts on √t as listed.
func planted() *analysis.Analysis {
	a := &analysis.Analysis{
		Experiment: analysis.Experiment{Name: "planted", Seed: 3, Replicates: 20,
			Horizon: []int{1000, 100_000}, Window: 3, Confidence: 0.95},
		Problems: []analysis.Problem{{Entry: experiment.Entry{Spec: "iid", Label: "iid"}}},
		Focus:    analysis.Focus{Regret: algorithms.RegretXHat, Violation: algorithms.SoftViolation},
	}
	for _, m := range game.Metrics {
		a.Metrics = append(a.Metrics, analysis.Metric{
			Name: m.Name, Title: m.Title, Set: m.Set, Fitted: m.Fitted, Shown: m.Shown,
		})
	}
	for k, c := range []struct {
		violation float64
		root      stats.Verdict
	}{{30, stats.AtMost}, {5, stats.Undecided}, {10, stats.AtMost}, {math.NaN(), stats.AtMost},
		{7, stats.Above}, {20, stats.AtMost}, {1, ""}, {3, stats.TooLittle}} {
		name := fmt.Sprintf("a%d", k)
		a.Algorithms = append(a.Algorithms, experiment.Entry{Spec: name, Label: strings.ToUpper(name)})
		v := analysis.Number(c.violation)
		s := &analysis.Series{
			State: analysis.Measured, Mean: analysis.Band{
				T: []float64{1, 1e5}, Value: []analysis.Number{0, v}, Lower: []analysis.Number{none, v},
				Upper: []analysis.Number{none, v},
			},
			Fit: &analysis.Fit{Design: stats.AlongT, From: 100, To: 1e5, Points: 9, Warnings: []string{}},
		}
		a.Pairs = append(a.Pairs, analysis.Pair{
			Problem: "iid", Algorithm: name, SqrtVerdict: c.root, Replicates: 20, Played: 20, Unmet: []string{},
			Series: map[algorithms.Metric]*analysis.Series{algorithms.SoftViolation: s},
		})
	}
	return a
}

// Algorithms are in the order of their violation, unknown last. Of a single problem the sentences
// do not repeat them.
func TestAnswersAreOrderedByViolation(t *testing.T) {
	a := planted()
	x := build(a)
	p, _ := dataOf(t, written(t, Item{Analysis: a}))
	nils(t, reflect.ValueOf(p.Experiments), "experiments")
	got := fmt.Sprint(x.answers)
	if want := "[{0 [2 5 0 3] [7 1] [4]}]"; got != want {
		t.Errorf("the answers are %s, want %s", got, want)
	}
	expect(t, slices.Concat(x.Words, x.Method), []string{
		"What 20 replicates do not show may happen in up to 14 % of games (95 %).",
		"The window is t = 10²…10⁵. Each bound has confidence 95 %.",
		"A verdict is about its own cell: of exponents that equal 0.52, 5 % are ▲ or △ by chance. No " +
			"window shows the limit t → ∞.",
	})
	a.Pairs[4].Series[algorithms.SoftViolation].Fit.Design = stats.AcrossT
	a.Pairs[0].Deterministic = true
	expect(t, build(a).Method[:1], []string{
		"The window is t = 10²…10⁵ or T = 10²…10⁵ for algorithms that need the horizon. Each bound has " +
			"confidence 95 %. Where a pair is deterministic, its bounds are the exponent itself.",
	})
	for i := range a.Pairs {
		a.Pairs[i].SqrtVerdict = ""
	}
	x = build(a)
	expect(t, slices.Concat(x.Words, x.Method),
		[]string{"A pair without random numbers is played once, and has no interval."})
}

// expect compares sentences.
func expect(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The page has the sentences that stand below the tables of a run: what is broken, failed or
// missing.
func TestWordsAreTheNotesOfTheTables(t *testing.T) {
	a := planted()
	claim := &algorithms.Claim{Metric: algorithms.SoftViolation, Exponent: 0.5}
	for i := range a.Pairs {
		p := &a.Pairs[i]
		p.SqrtVerdict = ""
		p.Violation = analysis.Judgement{Metric: algorithms.SoftViolation, Claim: claim, P: none}
	}
	a.Pairs[1].Violation.Bound = &analysis.Bound{State: analysis.Broken}
	a.Pairs[2].Failed, a.Pairs[2].Failure, a.Pairs[2].Replicates, a.Missing = 3, "it fell", 20, 5
	a.Pairs[2].Played = 17
	compareAll(a)
	expect(t, build(a).Words, []string{
		"Broken bounds (1): soft violation of A1 on iid. Where: bench table " + a.Experiment.Name +
			" --value bound.",
		"Failed: 3 cells of A2 on iid, with 17 of 20 replicates complete (first error: it fell).",
		"The store lacks 2 cells: the numbers are of fewer replicates than were asked for.",
		"Least soft violation at T, on 1 problem: A3 on 1 (on 0 significantly or without chance).",
	})
}

// compareAll gives a planted analysis the comparisons of every two algorithms by soft violation. No
// difference is shown, and none is tested.
func compareAll(a *analysis.Analysis) {
	for i := range a.Pairs {
		p := &a.Pairs[i]
		s := p.Series[algorithms.SoftViolation]
		s.Finals = []analysis.Number{s.Mean.Final().Value}
		for _, q := range a.Pairs[i+1:] {
			a.Comparisons.Rows = append(a.Comparisons.Rows, analysis.Comparison{
				Problem: p.Problem, A: p.Algorithm, B: q.Algorithm, Metric: algorithms.SoftViolation,
				Difference: analysis.Difference{P: none, Adjusted: none}})
		}
	}
}

// A lead counts once for its problem, and a shared one for nobody.
func TestWordsOfLeads(t *testing.T) {
	a := planted()
	one := slices.Clone(a.Pairs)
	for _, name := range []string{"two", "three", "four"} {
		a.Problems = append(a.Problems, analysis.Problem{
			Entry: experiment.Entry{Spec: name, Label: name},
		})
		for _, p := range one {
			p.Problem = name
			a.Pairs = append(a.Pairs, p)
		}
	}
	equal := *a.Pairs[8].Series[algorithms.SoftViolation] // A0 on two is as A6
	equal.Mean.Value = []analysis.Number{0, 1}
	a.Pairs[8].Series = map[algorithms.Metric]*analysis.Series{algorithms.SoftViolation: &equal}
	lead := func(problem, algorithm string, shown bool, warnings ...string) analysis.Lead {
		return analysis.Lead{Problem: problem, Metric: algorithms.SoftViolation, Algorithm: algorithm,
			Shown: shown, Tested: true, Warnings: warnings}
	}
	b := &builder{Analysis: a, leads: []analysis.Lead{lead("iid", "a6", true),
		lead("two", "a6", false), lead("three", "a6", false), lead("four", "a7", true, "few")}}
	expect(t, slices.Concat(b.leadWords(), b.leadLimits()), []string{
		"Least soft violation at T, on 4 problems: A6 on 2 (on 1 significantly or without chance); A7 on " +
			"1 (on 1 significantly or without chance) and shared by several on 1.",
		"Significant differences: p ≤ 0.05, corrected by joint sign flips for every two algorithms on " +
			"every problem; if no algorithms differed, at most 5 % of experiments would show a significant " +
			"difference by a metric.",
		"Of 2 significant leads by any metric where chance has a part, 1 are right only if differences " +
			"are symmetric: these are skewed, fewer than 10, or have few distinct values.",
	})
}

// A class with several problems has a sentence: it names who keeps both on all of them.
func TestWordsOfClasses(t *testing.T) {
	a := planted()
	a.Problems[0].Facts = []string{"i.i.d. constraints", "affine constraints", "Slater point"}
	second := a.Problems[0]
	second.Spec, second.Facts = "second",
		[]string{"i.i.d. constraints", "affine constraints", "fixed constraints"}
	a.Problems = append(a.Problems, second)
	for _, k := range []int{0, 1, 2, 4} {
		p := a.Pairs[k]
		p.Problem = "second"
		a.Pairs = append(a.Pairs, p)
	}
	expect(t, build(a).Words, []string{
		"Regret vs X̂max and soft violation both grow at most like √t for 6 of 11 pairs; one or both " +
			"are above or slowing for 2, and 3 are undecided.",
		"Both are kept by A0 on 2 of 2 problems; A2 on 2 of 2; A3 on 1 of 1; A5 on 1 of 1; A1 on 0 of " +
			"2 and 2 more.",
		"What 20 replicates do not show may happen in up to 14 % of games (95 %).",
		"Both grow at most like √t on every problem of the class “i.i.d. constraints” (2): A2 and A0.",
	})
	a.Problems[1].Facts = []string{"fixed constraints"}
	if words := strings.Join(build(a).Words, "\n"); strings.Contains(words, "class") {
		t.Errorf("a class of one problem: %s", words)
	}
}

// besideAnother returns the planted analysis beside another store, without verdicts on √t.
func besideAnother() Item {
	a := planted()
	for i := range a.Pairs {
		a.Pairs[i].SqrtVerdict = ""
	}
	d := func(p, adjusted analysis.Number, equal bool) analysis.Comparison {
		return analysis.Comparison{Difference: analysis.Difference{P: p, Adjusted: adjusted},
			Equal: equal, Problem: "iid", A: "a0", Metric: algorithms.SoftViolation}
	}
	joint := &regression.Joint{Sources: [2]string{"new", "old"},
		Differences: []analysis.Comparison{
			d(0.01, 0.02, false), d(0.03, 0.06, false), d(none, none, true), d(none, none, false),
		}, Warnings: []string{"other seeds"}}
	differ := func(k int, algorithm string, mean, reference analysis.Number) {
		d := &joint.Differences[k]
		d.A, d.MeanA, d.MeanB, d.Difference.Value = algorithm, mean, reference, mean-reference
	}
	differ(0, "a1", 12, 30)
	differ(3, "a2", 1234.56, -30) // without chance
	for k := range a.Algorithms {
		a.Algorithms[k].Source = "new"
	}
	a.Algorithms[7].Source, a.Algorithms[7].Spec, a.Pairs[7].Algorithm = "old", "a7 @ old", "a7 @ old"
	return Item{Analysis: a, Beside: joint}
}

func TestWordsBeside(t *testing.T) {
	item := besideAnother()
	x := buildView(item.Analysis, item.Beside)
	expect(t, x.Words, []string{
		"new beside old: 4 comparisons of final means, 1 of them equal to the last bit; 1 of the 2 " +
			"that are tested are significant (Holm's correction; were there no difference, one or more " +
			"would be in at most about 5 % of experiments).",
		"They differ in: soft violation of A2 on iid (1235 against −30.0) and soft violation of A1 on " +
			"iid (12.0 against 30.0).",
		"other seeds",
	})
	item.Beside.Differences = item.Beside.Differences[2:3]
	got := buildView(item.Analysis, item.Beside).Words[0]
	if want := "new beside old: 1 comparison of final means, 1 of them " +
		"equal to the last bit; none is tested."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if strings.Contains(x.File, "a7") || !strings.Contains(x.File, "a6") || x.Pairs[7].Play != "" ||
		x.Pairs[6].Play == "" {
		t.Errorf("the reference is asked for: %q, %s", x.Pairs[7].Play, x.File)
	}
}

func TestSettings(t *testing.T) {
	a := planted()
	if got, want := build(a).Settings, "8 algorithms on 1 problem (8 pairs played). 20 replicates, "+
		"T\u00a0=\u00a0100\u202f000 and 1 shorter horizon, seed 3."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	a.Pairs[0].Unmet = []string{"a Slater point"}
	a.Unmet = []experiment.Unmet{{Algorithm: "a0", Problem: "iid"}, {Algorithm: "a9", Problem: "iid"}}
	if got, want := build(a).Settings, "8 algorithms on 1 problem (8 pairs played, 1 of them "+
		"although an assumption is not met; 1 not, as an assumption is not met). 20 replicates, "+
		"T\u00a0=\u00a0100\u202f000 and 1 shorter horizon, seed 3."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The sentences and the first tables of a page have the form that its script gives to numbers.
func TestSentencesFormatNumbersLikeTheScript(t *testing.T) {
	for text, want := range map[string]string{
		"10":                                     "10",
		"31623":                                  "31\u202f623",
		"562 pairs":                              "562 pairs",
		"1234567.":                               "1\u202f234\u202f567.",
		"-1947 (c = 1)":                          "−1947 (c\u00a0=\u00a01)",
		"-176063 (-0.5)":                         "−176\u202f063 (−0.5)",
		"12345.6789":                             "12\u202f345.6789",
		"on [100, 10000], t^-1":                  "on [100, 10\u202f000], t^-1",
		"T = 10000: lower":                       "T\u00a0=\u00a010\u202f000: lower",
		"<td>-10000<br>-∞</td>":                  "<td>−10\u202f000<br>−∞</td>",
		"trace:file=a-12345.jsonl,day=20241103":  "trace:file=a-12345.jsonl,day=20241103",
		"20241103.csv of 2024-11-03, seed 12345": "20241103.csv of 2024-11-03, seed 12345",
		"-12345e+3 and 12345:67":                 "-12345e+3 and 12345:67",
	} {
		if got := typesetNumbers(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// Lists are lists for the script, also those of an experiment of which nothing is played yet: it
// cannot go through null.
func TestListsOfNothing(t *testing.T) {
	data, err := json.Marshal(build(&analysis.Analysis{
		Experiment: analysis.Experiment{Name: "empty", Replicates: 1, Horizon: []int{10}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"algorithms", "problems", "t", "pairs", "fronts", "ranks",
		"profiles"} {
		if string(got[name]) != "[]" {
			t.Errorf("%s is %s, want []", name, got[name])
		}
	}
}
