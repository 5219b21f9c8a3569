package page

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
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
	p, _ := dataOf(t, pageText(t, Item{Analysis: a}))
	nils(t, reflect.ValueOf(p.Experiments), "experiments")
	got := fmt.Sprint(x.answers)
	if want := "[{0 [2 5 0 3] [7 1] [4]}]"; got != want {
		t.Errorf("the answers are %s, want %s", got, want)
	}
	expectNumbers(t, slices.Concat(x.Sentences, x.Method), "20 14 95", "10 10 95", "0.52 5")
	a.Pairs[4].Series[algorithms.SoftViolation].Fit.Design = stats.AcrossT
	a.Pairs[0].Deterministic = true
	expectNumbers(t, build(a).Method[:1], "10 10 10 10 95")
	for i := range a.Pairs {
		a.Pairs[i].SqrtVerdict = ""
	}
	x = build(a)
	expectNumbers(t, slices.Concat(x.Sentences, x.Method), "") // what has no random numbers
}

// expectNumbers compares the names of algorithms and the numbers in sentences.
func expectNumbers(t *testing.T, sentences []string, want ...string) {
	t.Helper()
	var got []string
	for _, s := range sentences {
		got = append(got, strings.Join(quoted.FindAllString(s, -1), " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the sentences have %q, want %q:\n%s", got, want, strings.Join(sentences, "\n"))
	}
}

// quoted matches the names of algorithms and the numbers in a sentence.
var quoted = regexp.MustCompile(`A\d|\d+(\.\d+)?`)

// A lead counts once for its problem, and a shared one for nobody.
func TestLeadsCountOncePerProblem(t *testing.T) {
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
	lead := func(problem, algorithm string, shown bool,
		doubtful ...analysis.Comparison) analysis.Lead {
		return analysis.Lead{Problem: problem, Metric: algorithms.SoftViolation, Algorithm: algorithm,
			Shown: shown, Tested: true, Doubtful: doubtful}
	}
	skewed := analysis.Comparison{Sign: -1, Warnings: []string{"skewed"}, Replicates: 20}
	b := &builder{Analysis: a, leads: []analysis.Lead{lead("iid", "a6", true),
		lead("two", "a6", false), lead("three", "a6", false), lead("four", "a7", true, skewed)}}
	expectNumbers(t, slices.Concat(b.leadSentences(), b.leadLimitSentences()), "4 A6 2 1 A7 1 1 1",
		"0.05 5", "2 1")
}

// A class with several problems has a sentence: it names who keeps both on all of them.
func TestClassesNameWhoKeepsBoth(t *testing.T) {
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
	expectNumbers(t, build(a).Sentences, "6 11 2 3", "A0 2 2 A2 2 2 A3 1 1 A5 1 1 A1 0 2 2",
		"20 14 95", "2 A2 A0")
	a.Problems[1].Facts = []string{"fixed constraints"}
	if words := strings.Join(build(a).Sentences, "\n"); strings.Contains(words, "class") {
		t.Errorf("one problem: got sentences %s, want none on a class", words)
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
	differ(3, "a2", 1234.56, -30) // in deterministic games
	for k := range a.Algorithms {
		a.Algorithms[k].Source = "new"
	}
	a.Algorithms[7].Source, a.Algorithms[7].Spec, a.Pairs[7].Algorithm = "old", "a7 @ old", "a7 @ old"
	return Item{Analysis: a, Beside: joint}
}

// Differences that are tested, equal and significant are counted, and those named that differ.
func TestWordsBesideCountDifferences(t *testing.T) {
	item := besideAnother()
	x := buildExperiment(item.Analysis, item.Beside)
	expectNumbers(t, x.Sentences, "4 1 1 2 5", "A2 1235 30.0 A1 12.0 30.0", "")
	item.Beside.Differences = item.Beside.Differences[2:3]
	expectNumbers(t, buildExperiment(item.Analysis, item.Beside).Sentences[:1], "1 1")
	if strings.Contains(x.File, "a7") || !strings.Contains(x.File, "a6") || x.Pairs[7].Play != "" ||
		x.Pairs[6].Play == "" {
		t.Errorf("got %q, %s, want commands of this program's algorithms, not of the reference",
			x.Pairs[7].Play, x.File)
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
		t.Run(text, func(t *testing.T) {
			if got := typesetNumbers(text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		})
	}
}
