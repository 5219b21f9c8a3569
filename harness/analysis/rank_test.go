package analysis

import (
	"math"
	"reflect"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
)

// analysisWithFinals returns an analysis of the hard violation, which is said to have these final
// values, by problem and algorithm.
func analysisWithFinals(finals map[string]map[string][]Number) *Analysis {
	a := &Analysis{Experiment: Experiment{Confidence: 0.95},
		Metrics: []Metric{{Name: algorithms.HardViolation, Fitted: true, Shown: true},
			{Name: algorithms.MaxViolation}}}
	for _, problem := range []string{"p", "q"} {
		a.Problems = append(a.Problems, Problem{
			Entry: experiment.Entry{Spec: problem}, Loss: none, Constraint: none,
		})
		for _, spec := range []string{"a", "b", "c"} {
			if problem == "p" {
				a.Algorithms = append(a.Algorithms, Algorithm{Spec: spec})
			}
			all, played := finals[problem][spec]
			if !played {
				continue
			}
			s := &Series{State: Measured, Finals: all}
			sum, n := 0.0, 0.0
			for _, v := range all {
				if v.Defined() {
					sum, n = sum+float64(v), n+1
				}
			}
			s.Mean = Band{T: []float64{1}, Value: []Number{Number(sum / n)}, Lower: []Number{none},
				Upper: []Number{none}}
			a.Pairs = append(a.Pairs, Pair{Problem: problem, Algorithm: spec, Deterministic: problem == "q",
				Series: map[algorithms.Metric]*Series{algorithms.HardViolation: s, algorithms.MaxViolation: s}})
		}
	}
	return a
}

// On p, three algorithms have the replicates 1, 2 and 4 in common, with the ranks
//
//	    1    2    4   mean   sd
//	a   1    1.5  1   7/6    √(1/12)
//	b   2    1.5  2   11/6   √(1/12)
//	c   3    3    3   3      0
//
// and Student's interval of three is the mean ± 4.302653·sd/√3. On q, where chance has no
// part, c is not played, and a is behind b. The means over both problems are (1+2)/2 = 1.5,
// 1.75 and 1.5 for a: it keeps the interval of p at half its width.
func TestRanksByHand(t *testing.T) {
	a := analysisWithFinals(map[string]map[string][]Number{
		"p": {"a": {1, 5, 0, 1}, "b": {2, 5, none, 7}, "c": {9, 6, 0, 8}},
		"q": {"a": {4}, "b": {3}},
	})
	if err := a.rankAlgorithms(); err != nil {
		t.Fatal(err)
	}
	half := 4.302652729911275 * math.Sqrt(1.0/12) / math.Sqrt(3)
	type ranked struct {
		problem, algorithm string
		value, half        float64
		of, problems       int
	}
	want := []ranked{
		{"p", "a", 7.0 / 6, half, 3, 0}, {"p", "b", 11.0 / 6, half, 3, 0}, {"p", "c", 3, 0, 3, 0},
		{"q", "a", 2, math.NaN(), 2, 0}, {"q", "b", 1, math.NaN(), 2, 0},
		{"", "a", (7.0/6 + 2) / 2, half / 2, 0, 2}, {"", "b", (11.0/6 + 1) / 2, half / 2, 0, 2},
		{"", "c", 3, 0, 0, 1},
	}
	if len(a.Ranks) != len(want) {
		t.Fatalf("there are %d ranks, want %d: %+v", len(a.Ranks), len(want), a.Ranks)
	}
	for i, w := range want {
		r := a.Ranks[i]
		if r.Problem != w.problem || r.Algorithm != w.algorithm || r.Metric != algorithms.HardViolation ||
			r.Of != w.of || r.Problems != w.problems || !isNear(r.Rank.Value, w.value, 1e-12) {
			t.Errorf("the rank is %+v, want %+v", r, w)
		}
		for _, end := range []Number{r.Rank.Value - r.Rank.Lower, r.Rank.Upper - r.Rank.Value} {
			if math.IsNaN(w.half) == end.Defined() || end.Defined() && !isNear(end, w.half, 1e-8) {
				t.Errorf("the interval of %s on %q reaches %v, want %v", r.Algorithm, r.Problem, end, w.half)
			}
		}
	}
	// Nothing else of the analysis is needed: one that comes back from its JSON has the same.
	again := &Analysis{Experiment: a.Experiment, Metrics: a.Metrics, Algorithms: a.Algorithms,
		Problems: a.Problems, Pairs: a.Pairs}
	if err := again.rankAlgorithms(); err != nil || !reflect.DeepEqual(again.Profiles, a.Profiles) {
		t.Errorf("again: got error %v, profiles %+v, want %+v", err, again.Profiles, a.Profiles)
	}
}

// The one value of a deterministic algorithm counts in every replicate of the others. Ranks need
// two algorithms and a replicate that both have.
func TestDeterministicValueRanksInEveryReplicate(t *testing.T) {
	a := analysisWithFinals(map[string]map[string][]Number{
		"q": {"a": {2}, "b": {1, 3, 3}}, "p": {"a": {1, none}, "b": {none, 1}},
	})
	for i := range a.Pairs {
		a.Pairs[i].Deterministic = a.Pairs[i].Problem == "q" && a.Pairs[i].Algorithm == "a"
	}
	if err := a.rankAlgorithms(); err != nil {
		t.Fatal(err)
	}
	if len(a.Ranks) != 4 || !isNear(a.Ranks[0].Rank.Value, 4.0/3, 1e-12) ||
		!isNear(a.Ranks[1].Rank.Value, 5.0/3, 1e-12) || a.Ranks[2].Problems != 1 {
		t.Errorf("got ranks %+v, want 4, of 4/3 and 5/3, the third of one problem", a.Ranks)
	}
	alone := analysisWithFinals(map[string]map[string][]Number{"p": {"a": {1, 2}}})
	if err := alone.rankAlgorithms(); err != nil || len(alone.Ranks) != 0 {
		t.Errorf("an algorithm by itself: got error %v, ranks %+v, want none", err, alone.Ranks)
	}
	a.Experiment.Confidence = 0
	if err := a.rankAlgorithms(); err == nil {
		t.Error("confidence 0: got no error, want one")
	}
}

// The means on p are 2, 8 and 0.5, of which a round can be 1: the ratios are 2, 8 and 1.
// On q, c is not played, and the others have the ratios 1.5 and 1.
func TestProfilesByHand(t *testing.T) {
	a := analysisWithFinals(map[string]map[string][]Number{
		"p": {"a": {1, 3}, "b": {8, 8}, "c": {0, 1}},
		"q": {"a": {6}, "b": {4}},
	})
	a.Problems[0].Constraint = 1
	check := func(want ...Profile) {
		t.Helper()
		if err := a.rankAlgorithms(); err != nil {
			t.Fatal(err)
		}
		for i := range want {
			want[i].Metric = algorithms.HardViolation
		}
		if !reflect.DeepEqual(a.Profiles, want) {
			t.Errorf("the profiles are %+v, want %+v", a.Profiles, want)
		}
	}
	check(
		Profile{Algorithm: "a", Problems: 2, Of: 2, Ratio: []Number{1.5, 2}, Share: []Number{0.5, 1}},
		Profile{Algorithm: "b", Problems: 2, Of: 2, Ratio: []Number{1, 8}, Share: []Number{0.5, 1}},
		Profile{Algorithm: "c", Problems: 1, Of: 2, Ratio: []Number{1}, Share: []Number{0.5}},
	)
	// Equal ratios are one step. Where no round is known and the least is 0, there is no
	// ratio, and the problem is left out.
	a.Problems[0].Constraint = 4
	check(
		Profile{Algorithm: "a", Problems: 2, Of: 2, Ratio: []Number{1, 1.5}, Share: []Number{0.5, 1}},
		Profile{Algorithm: "b", Problems: 2, Of: 2, Ratio: []Number{1, 2}, Share: []Number{0.5, 1}},
		Profile{Algorithm: "c", Problems: 1, Of: 2, Ratio: []Number{1}, Share: []Number{0.5}},
	)
	a.Problems[0].Constraint = 100
	a.Problems[1].Constraint = 100
	check(
		Profile{Algorithm: "a", Problems: 2, Of: 2, Ratio: []Number{1}, Share: []Number{1}},
		Profile{Algorithm: "b", Problems: 2, Of: 2, Ratio: []Number{1}, Share: []Number{1}},
		Profile{Algorithm: "c", Problems: 1, Of: 2, Ratio: []Number{1}, Share: []Number{0.5}},
	)
	a.Problems[0].Constraint, a.Problems[1].Constraint = none, none
	a.Pairs[2].Series[algorithms.HardViolation].Mean.Value[0] = 0
	check(
		Profile{Algorithm: "a", Problems: 1, Of: 1, Ratio: []Number{1.5}, Share: []Number{1}},
		Profile{Algorithm: "b", Problems: 1, Of: 1, Ratio: []Number{1}, Share: []Number{1}},
	)
	// A regret is measured in the losses of a round.
	a.Metrics[0].Set = "xhat"
	a.Problems[0].Loss, a.Problems[1].Loss = 8, 5
	check(
		Profile{Algorithm: "a", Problems: 2, Of: 2, Ratio: []Number{1, 1.2}, Share: []Number{0.5, 1}},
		Profile{Algorithm: "b", Problems: 2, Of: 2, Ratio: []Number{1}, Share: []Number{1}},
		Profile{Algorithm: "c", Problems: 1, Of: 2, Ratio: []Number{1}, Share: []Number{0.5}},
	)
}

// Three of five algorithms play the same games, and count once: the ranks are 1, 2 and 3 of 3. An
// algorithm that differs from them in another metric counts by itself.
func TestEqualGamesRankOnce(t *testing.T) {
	a := analysisWithFinals(map[string]map[string][]Number{"p": {"a": {2, 3}, "b": {2, 3}, "c": {2, 3}}})
	for spec, finals := range map[string][]Number{"d": {1, 1}, "e": {4, 5}} {
		other := analysisWithFinals(map[string]map[string][]Number{"p": {"a": finals}})
		other.Pairs[0].Algorithm = spec
		a.Pairs = append(a.Pairs, other.Pairs[0])
		a.Algorithms = append(a.Algorithms, Algorithm{Spec: spec})
	}
	ranked := func(want map[string]Number, of int) {
		t.Helper()
		if err := a.rankAlgorithms(); err != nil {
			t.Fatal(err)
		}
		for _, r := range a.Ranks {
			if r.Problem == "p" && (r.Rank.Value != want[r.Algorithm] || r.Of != of) {
				t.Errorf("%s has rank %v of %d, want %v of %d", r.Algorithm, r.Rank.Value, r.Of,
					want[r.Algorithm], of)
			}
		}
	}
	ranked(map[string]Number{"a": 2, "b": 2, "c": 2, "d": 1, "e": 3}, 3)
	c := a.Pair("c", "p")
	mean := c.Series[algorithms.MaxViolation].Mean
	mean.Value = []Number{7}
	c.Series = map[algorithms.Metric]*Series{
		algorithms.HardViolation: c.Series[algorithms.HardViolation],
		algorithms.MaxViolation:  {State: Measured, Finals: []Number{6, 8}, Mean: mean},
	}
	ranked(map[string]Number{"a": 2.5, "b": 2.5, "c": 2.5, "d": 1, "e": 4}, 4)
}
