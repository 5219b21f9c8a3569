package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/long"
	"ocobench/internal/race"
	"ocobench/problems"
	"ocobench/stats"
)

// shows is an analysis of an experiment without problems and algorithms.
func shows(seed uint64, replicates int) *Analysis {
	a := &Analysis{
		Schema: Schema,
		Experiment: Experiment{Name: "e", Seed: seed, Replicates: replicates, Horizon: []int{100, 1000},
			Window: 2, Confidence: 0.95},
		Computed: []run.Computed{{Provenance: store.Provenance{Version: "1.0.0"}, Cells: 7}},
		Metrics: []Metric{
			{Name: "loss"}, {Name: algorithms.RegretXHat, Set: "xhat", Fitted: true, Shown: true},
			{Name: algorithms.SoftViolation, Fitted: true, Shown: true},
			{Name: algorithms.HardViolation, Fitted: true},
		},
		Unmet: []experiment.Unmet{}, Standings: []Standing{}, Cells: "c",
	}
	return a
}

// rounds adds a problem, whose rounds are identified by these.
func (a *Analysis) rounds(spec string, params string, rounds ...string) *Analysis {
	e := experiment.Entry{Spec: spec, Name: spec, Params: json.RawMessage(params),
		Deterministic: len(rounds) == 1}
	a.Problems = append(a.Problems, Problem{
		Entry: e, Best: []Best{}, Rounds: rounds, Loss: none, Constraint: none,
	})
	return a
}

// played adds an algorithm, and a pair on every problem with these final regrets. The loss
// is the same, and the violation is 0.
func (a *Analysis) played(e experiment.Entry, regret ...Number) *Analysis {
	if e.Params == nil {
		e.Params = json.RawMessage(`{}`)
	}
	if e.Name == "" {
		e.Name = e.Spec
	}
	a.Algorithms = append(a.Algorithms, e)
	for _, p := range a.Problems {
		zero := make([]Number, len(regret))
		a.Pairs = append(a.Pairs, Pair{
			Problem: p.Spec, Algorithm: e.Spec, Unmet: []string{}, Replicates: len(regret),
			Played: len(regret),
			Regret: Judgement{P: none}, Violation: Judgement{P: none},
			Series: map[algorithms.Metric]*Series{
				"loss": endingIn(regret), algorithms.RegretXHat: endingIn(regret),
				algorithms.SoftViolation: endingIn(zero), algorithms.HardViolation: endingIn(zero),
			},
		})
	}
	return a
}

// endingIn is a series with these final values; none is of a replicate that lacks it.
func endingIn(finals []Number) *Series {
	s := &Series{State: Measured, Of: len(finals), Finals: finals}
	sum := Number(0)
	for _, v := range finals {
		if v.Defined() {
			s.Replicates++
			sum += v
		}
	}
	if s.Replicates == 0 {
		s.State = Missing
		return s
	}
	s.Mean = Band{[]float64{1, 1000}, []Number{0, sum / Number(s.Replicates)}, []Number{none, none},
		[]Number{none, none}}
	return s
}

func named(spec string) experiment.Entry { return experiment.Entry{Spec: spec} }

func besides(t *testing.T, mine, reference *Analysis) *Analysis {
	t.Helper()
	a, err := SideBySide(t.Context(), mine, reference, [2]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func differenceIn(t *testing.T, a *Analysis, algorithm string, m algorithms.Metric) BesideMetric {
	t.Helper()
	k := slices.IndexFunc(a.Beside.Differences,
		func(d BesideMetric) bool { return d.Algorithm == algorithm && d.Metric == m })
	if k < 0 {
		t.Fatalf("there is no difference of %s by %s: %+v", algorithm, m, a.Beside.Differences)
	}
	return a.Beside.Differences[k]
}

const regret = algorithms.RegretXHat

// Student's distribution with two degrees of freedom is known in closed form:
//
//	P(|T| > t) = 1 − t/√(t² + 2),   and its quantile of 97.5 % is 4.302653.
//
// The pairs (3, 2), (5, 3), (7, 4) have the differences 1, 2, 3, with the mean 2 and the
// standard error 1/√3. The samples (0, 2) and (5, 7) have the difference −5 of the means,
// the standard error √(2/2 + 2/2) and by Welch and Satterthwaite (1 + 1)²/(1 + 1) = 2
// degrees of freedom. Holm doubles the smaller p-value, and the larger is no less.
func TestDifferencesByHand(t *testing.T) {
	p := func(x float64) float64 { return 1 - x/math.Sqrt(x*x+2) }
	const quantile = 4.302653
	mine := shows(1, 3).rounds("p", "{}", "k1", "k2", "k3").played(named("a"), 3, 5, 7)
	a := besides(t, mine, shows(1, 3).rounds("p", "{}", "k1", "k2", "k3").played(named("a"), 2, 3, 4))
	d := differenceIn(t, a, "a", regret)
	half := quantile / math.Sqrt(3)
	if !d.Paired || d.Equal || d.Replicates != 3 || d.ReferenceReplicates != 3 || d.Mean != 5 ||
		d.Reference != 3 ||
		!near(d.Difference.Value, 2, 1e-12) || !near(d.Difference.Lower, 2-half, 1e-5) ||
		!near(d.Difference.Upper, 2+half, 1e-5) || !near(d.Difference.P, p(2*math.Sqrt(3)), 1e-9) {
		t.Errorf("the paired difference is %+v", d)
	}
	paired := d.Difference.P

	mine = shows(1, 2).rounds("p", "{}", "k1", "k2").played(named("a"), 0, 2)
	d = differenceIn(t, besides(t, mine,
		shows(2, 2).rounds("p", "{}", "l1", "l2").played(named("a"), 5, 7)), "a", regret)
	if half = quantile * math.Sqrt(2); d.Paired || d.Mean != 1 || d.Reference != 6 ||
		!near(d.Difference.Value, -5, 1e-12) || !near(d.Difference.Lower, -5-half, 1e-5) ||
		!near(d.Difference.P, p(5/math.Sqrt(2)), 1e-9) {
		t.Errorf("the difference of two samples is %+v", d)
	}
	// The violations of both are 0. That they are equal is the second hypothesis.
	if v := differenceIn(t, a, "a", algorithms.SoftViolation); !v.Equal || v.Difference.Value != 0 ||
		v.Difference.P != 1 || v.Difference.Adjusted != 1 {
		t.Errorf("the violations differ by %+v", v)
	}
	if d := differenceIn(t, a, "a", regret); !near(d.Difference.Adjusted, 2*float64(paired), 1e-12) {
		t.Errorf("corrected for two hypotheses %v is %v", paired, d.Difference.Adjusted)
	}
}

// A pair that was played the same is no hypothesis, one whose violations are equal by
// chance is; the corrected p-values are those of Holm for the hypotheses alone.
func TestSameGames(t *testing.T) {
	keys := []string{"k1", "k2", "k3", "k4"}
	mine := shows(1, 4).rounds("p", "{}", keys...).played(named("a"), 3, 5, 7, 1).played(named("b"), 1,
		2, 3, 4).played(named("c"), 9, 8, 7, 6)
	reference := shows(1, 2).rounds("p", "{}", keys[:2]...).played(named("a"), 3, 5).played(named("b"),
		2, 2).played(named("c"), 1, 2)
	a := besides(t, mine, reference)
	d := differenceIn(t, a, "a", regret)
	if !d.Equal || !d.Paired || d.Replicates != 2 || d.Mean != 4 || d.Difference.Value != 0 ||
		d.Difference.P.Defined() || d.Difference.Lower.Defined() || d.Difference.Adjusted.Defined() {
		t.Errorf("the same games differ by %+v", d)
	}
	var ps []float64
	for _, d := range a.Beside.Differences {
		ps = append(ps, float64(d.Difference.P))
	}
	for i, adjusted := range stats.Holm(ps) {
		if got := a.Beside.Differences[i].Difference.Adjusted; !equal([]Number{got},
			[]Number{Number(adjusted)}) {
			t.Errorf("p = %v is corrected to %v, want %v", ps[i], got, adjusted)
		}
	}
	if defined := slices.DeleteFunc(ps, math.IsNaN); len(defined) != 4 {
		t.Errorf("%d hypotheses are tested, want the regret and the violation of b and c", len(defined))
	}
	// Where the rounds depend on who plays, the same bits say that they were the same.
	if d := differenceIn(t, besides(t, shows(1, 2).rounds("p", "{}").played(named("a"), 3, 5),
		shows(1, 2).rounds("p", "{}").played(named("a"), 3, 5)), "a", regret); !d.Equal || !d.Paired ||
		d.Difference.P.Defined() {
		t.Errorf("the same games without rounds of their own differ by %+v", d)
	}
}

// A replicate that one of the two lacks is in no pair, and in its own sample only.
func TestLackingReplicates(t *testing.T) {
	mine := shows(1, 3).rounds("p", "{}", "k1", "k2", "k3").played(named("a"), 3, none, 7)
	d := differenceIn(t, besides(t, mine,
		shows(1, 3).rounds("p", "{}", "k1", "k2", "k3").played(named("a"), 2, 3, 4)), "a", regret)
	if !d.Paired || d.Replicates != 2 || d.Mean != 5 || d.Reference != 3 {
		t.Errorf("paired, the difference is %+v", d)
	}
	d = differenceIn(t, besides(t, mine,
		shows(2, 3).rounds("p", "{}", "l1", "l2", "l3").played(named("a"), 2, 3, 7)), "a", regret)
	if d.Paired || d.Replicates != 2 || d.ReferenceReplicates != 3 || d.Mean != 5 || d.Reference != 4 {
		t.Errorf("of two samples, the difference is %+v", d)
	}
	if a := besides(t, mine, shows(1, 3).rounds("p", "{}", "k1", "k2", "k3").played(named("a"), none,
		none, none)); slices.ContainsFunc(a.Beside.Differences,
		func(d BesideMetric) bool { return d.Metric == regret }) {
		t.Errorf("nothing differs from something by %+v", a.Beside.Differences)
	}
}

// Without chance there is one replicate, whose difference stands. It needs no seed.
func TestBesideWithoutChance(t *testing.T) {
	d := differenceIn(t, besides(t, shows(1, 3).rounds("p", "{}", "k").played(named("a"), 3),
		shows(2, 3).rounds("p", "{}", "k").played(named("a"), 1)), "a", regret)
	if !d.Paired || d.Equal || d.Difference.Value != 2 || d.Difference.P.Defined() ||
		d.Difference.Adjusted.Defined() || d.Difference.Lower.Defined() || d.Replicates != 1 {
		t.Errorf("the difference is %+v", d)
	}
	// An algorithm that draws plays the one hindsight in all replicates.
	d = differenceIn(t, besides(t, shows(1, 3).rounds("p", "{}", "k").played(named("a"), 3, 5, 7),
		shows(1, 3).rounds("p", "{}", "k").played(named("a"), 2, 3, 4)), "a", regret)
	if !d.Paired || d.Replicates != 3 {
		t.Errorf("the difference of one that draws is %+v", d)
	}
}

// The interval has the planted difference in about 95 % of the experiments, and one
// without a difference a p-value of at most 5 % in about 5 % of them. What the replicates
// have in common makes intervals of pairs shorter than those of two samples. Pairs that
// have nothing in common keep the level.
func TestPlantedDifferences(t *testing.T) { long.Run(t, testPlantedDifferences) }

func testPlantedDifferences(t *testing.T, whole bool) {
	race.Alone(t)
	rng := rand.New(rand.NewPCG(14, 0))
	const n, truth = 12, 0.5
	// Of 300 at 95 %, fewer than 270 have a probability below 0.1 %, and so have fewer than 87
	// of 100.
	experiments, least := 100, 87.0
	if whole {
		experiments, least = 300, 270
	}
	var keys, other []string
	for i := range n {
		keys, other = append(keys, fmt.Sprint("k", i)), append(other, fmt.Sprint("l", i))
	}
	// paired, of two samples, and paired with other rounds by mistake
	var covered, alarms, length [3]float64
	for range experiments {
		var x, same, y, z []Number
		for range n {
			shared := Number(rng.NormFloat64())
			noise := func() Number { return Number(0.3 * rng.NormFloat64()) }
			x, same, y = append(x, shared+truth+noise()), append(same, shared+noise()),
				append(y, shared+noise())
			z = append(z, Number(rng.NormFloat64())+noise())
		}
		mine := shows(1, n).rounds("p", "{}", keys...).played(named("more"), x...).played(named("same"),
			same...)
		for k, reference := range []*Analysis{
			shows(1, n).rounds("p", "{}", keys...).played(named("more"), y...).played(named("same"), y...),
			shows(2, n).rounds("p", "{}", other...).played(named("more"), z...).played(named("same"), z...),
			shows(1, n).rounds("p", "{}", keys...).played(named("more"), z...).played(named("same"), z...),
		} {
			a := besides(t, mine, reference)
			d := differenceIn(t, a, "more", regret)
			if d.Paired != (k != 1) {
				t.Fatalf("paired is %v", d.Paired)
			}
			if d.Difference.Lower <= truth && truth <= d.Difference.Upper {
				covered[k]++
			}
			length[k] += float64(d.Difference.Upper - d.Difference.Lower)
			if differenceIn(t, a, "same", regret).Difference.P <= 0.05 {
				alarms[k]++
			}
		}
	}
	if slices.Min(covered[:]) < least || slices.Max(alarms[:]) > float64(experiments)-least {
		t.Errorf("of %d intervals %v have the difference, and %v alarms are false", experiments, covered,
			alarms)
	}
	if length[0] > 0.5*length[1] {
		t.Errorf("intervals of pairs are %.2f long and those of two samples %.2f",
			length[0]/float64(experiments), length[1]/float64(experiments))
	}
}

// One algorithm of both has its name twice, one with the label of another a second name
// too; the problem is there once, unless its parameters differ.
func TestBesideNames(t *testing.T) {
	one := json.RawMessage(`{"step":1}`)
	mine := shows(1, 2).rounds("p", "{}", "k1", "k2").rounds("q", `{"n":1}`, "m1", "m2").
		played(experiment.Entry{Spec: "a", FullName: "A", Params: one}, 1,
			2).played(experiment.Entry{Spec: "b", Label: "best"}, 3,
		4).played(experiment.Entry{Spec: "n", Params: one}, 1, 1)
	reference := shows(1, 2).rounds("q", `{"n":2}`, "m1", "m2").rounds("p", "{}", "k1",
		"k2").rounds("r", "{}", "r1", "r2").
		played(experiment.Entry{Spec: "c", Label: "best"}, 5,
			6).played(experiment.Entry{Spec: "a:step=1", Name: "a", FullName: "A", Params: one}, 7, 9).
		played(named("d"), 7, 8).played(experiment.Entry{Spec: "n", Params: json.RawMessage(`{"step":2}`)},
		2, 3)
	reference.Unmet = []experiment.Unmet{{Algorithm: "a:step=1", Problem: "q"}}
	reference.Standings = []Standing{{Algorithm: "c", Claim: &algorithms.Claim{}, Ratio: none}}
	reference.Computed[0].Version = "0.9.0"
	before, _ := json.Marshal([]*Analysis{mine, reference})
	a, err := SideBySide(t.Context(), mine, reference, [2]string{"new", "v_1"})
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal([]*Analysis{mine, reference}); !bytes.Equal(before, after) {
		t.Error("what is shown beside each other is changed by it")
	}
	var got []string
	for _, e := range a.Algorithms {
		got = append(got, strings.Join([]string{e.Spec, e.Label, e.FullName, e.Source}, "|"))
	}
	want := []string{"a||A|new", "b|best||new", "n|||new", "c @ v_1|best @ v_1||v_1", "a @ v_1||A|v_1",
		"d|||v_1", "n @ v_1|||v_1"}
	if !slices.Equal(got, want) {
		t.Errorf("the algorithms are\n%q, want\n%q", got, want)
	}
	got = nil
	for _, p := range a.Problems {
		got = append(got, p.Spec+" "+string(p.Params))
	}
	if want := []string{"p {}", `q {"n":1}`, `q @ v_1 {"n":2}`, "r {}"}; !slices.Equal(got, want) {
		t.Errorf("the problems are %q, want %q", got, want)
	}
	if len(a.Pairs) != len(mine.Pairs)+len(reference.Pairs) {
		t.Errorf("there are %d pairs", len(a.Pairs))
	}
	for _, pair := range []struct {
		algorithm, problem string
		regret             Number
	}{{"a", "p", 1.5}, {"a @ v_1", "p", 8}, {"a @ v_1", "q @ v_1", 8}, {"d", "r", 7.5}} {
		if p := a.Pair(pair.algorithm, pair.problem); p == nil ||
			p.Series[regret].Mean.Last().Value != pair.regret {
			t.Errorf("%s on %s is %+v", pair.algorithm, pair.problem, p)
		}
	}
	if a.Pair("d", "q") != nil || len(a.Unmet) != 1 || a.Unmet[0].Algorithm != "a @ v_1" ||
		a.Unmet[0].Problem != "q @ v_1" || a.Standings[0].Algorithm != "c @ v_1" {
		t.Errorf("what is unmet is %+v, and the standings are %+v", a.Unmet, a.Standings)
	}
	if f := a.Fronts[0]; f.Problem != "p" || !slices.Equal(f.Algorithms, []string{"n"}) {
		t.Errorf("the front is %+v, want n alone", f)
	}
	ranked := make(map[string]Number) // on p, by the regrets 1 2, 3 4, 1 1, 5 6, 7 9, 7 8 and 2 3
	for _, r := range a.Ranks {
		if r.Problem == "p" && r.Metric == regret {
			ranked[r.Algorithm] = r.Rank.Value
		}
	}
	if want := map[string]Number{"a": 1.75, "b": 4, "n": 1.25, "n @ v_1": 3, "c @ v_1": 5, "d": 6.25,
		"a @ v_1": 6.75}; !maps.Equal(ranked, want) {
		t.Errorf("the ranks on p are %v, want %v", ranked, want)
	}
	if !slices.ContainsFunc(a.Profiles, func(f Profile) bool {
		// without q, with q @ v_1 and r
		return f.Algorithm == "d" && f.Metric == regret && f.Problems == 3 && f.Of == 4
	}) {
		t.Errorf("the profiles are %+v", a.Profiles)
	}
	if len(a.Leads()) != 0 || len(a.Computed) != 2 {
		t.Errorf("there are leads %+v and programs %+v", a.Leads(), a.Computed)
	}
	var compared []string
	for _, d := range a.Beside.Differences {
		if d.Metric == regret {
			compared = append(compared, d.Algorithm+" on "+d.Problem)
		}
	}
	if !slices.Equal(compared, []string{"a on p", "n on p"}) {
		t.Errorf("what is compared is %q", compared)
	}
	for _, w := range []string{"the results of new are by ocobench 1.0.0, those of v_1 by ocobench " +
		"0.9.0", "algorithm n has other parameters", "problem q has other parameters"} {
		if !slices.ContainsFunc(a.Beside.Warnings,
			func(has string) bool { return strings.Contains(has, w) }) {
			t.Errorf("no warning says %q: %q", w, a.Beside.Warnings)
		}
	}
	if len(a.Beside.Warnings) != 3 {
		t.Errorf("the warnings are %q", a.Beside.Warnings)
	}
}

// Of the results of two programs, one of which has an algorithm that plays elsewhere: the
// regret of x is s·(x+1) a round with s of the replicate, so that the difference of −0.9
// and −0.5 is −0.4·s·T in every replicate, and the mean of these is known.
func TestBesideOfResults(t *testing.T) {
	at := func(name string, x float64, version int) algorithms.Algorithm {
		return algorithms.Algorithm{Name: name, Version: version, Anytime: true,
			New: func(any, algorithms.Setup) (algorithms.Learner, error) {
				return &position{at: func(float64) float64 { return x }}, nil
			}}
	}
	of := func(moved float64, more string) *Analysis {
		c := experiment.Catalog{Algorithms: []algorithms.Algorithm{
			at("kept", -0.7, 1), at("moved", moved, 1),
		}, Problems: []problems.Problem{steepProblem}}
		_, s, _ := ran(t, c, "name: e\nhorizon: 40\nreplicates: 6\nproblems: [{use: "+
			"steep}]\nalgorithms: all\n"+more)
		_, a := loaded(t, c, s)
		return a
	}
	mine := of(-0.9, "")
	reference := of(-0.5, "")
	a := besides(t, mine, reference)
	loss := mine.Pair("kept", "steep").Series["loss"].Mean.Last().Value // −0.7·s·T
	want := 0.4 / 0.7 * loss
	d := differenceIn(t, a, "moved", regret)
	if !d.Paired || d.Equal || d.Replicates != 6 || !near(d.Difference.Value, float64(want), 1e-9) ||
		!(d.Difference.Lower < want && want < d.Difference.Upper) || !(d.Difference.Adjusted < 0.05) {
		t.Errorf("the difference is %+v, want %v", d, want)
	}
	if d.Mean != mine.Pair("moved", "steep").Series[regret].Mean.Last().Value ||
		d.Reference != a.Pair("moved @ B", "steep").Series[regret].Mean.Last().Value {
		t.Errorf("the means are %v and %v, not those of the series", d.Mean, d.Reference)
	}
	if d := differenceIn(t, a, "kept", regret); !d.Equal || !d.Paired || d.Difference.Value != 0 ||
		d.Difference.P.Defined() {
		t.Errorf("what is kept differs by %+v", d)
	}
	if len(a.Beside.Warnings) != 0 {
		t.Errorf("the warnings are %q", a.Beside.Warnings)
	}
	other := of(-0.9, "seed: 2\n")
	a = besides(t, mine, other)
	if d := differenceIn(t, a, "kept", regret); d.Paired || d.Equal || !d.Difference.P.Defined() ||
		len(a.Beside.Warnings) != 1 {
		t.Errorf("with another seed the difference is %+v, and the warnings are %q", d, a.Beside.Warnings)
	}
}

// Everything in which two experiments differ is said, and what cannot be compared refused.
func TestBesideWarnings(t *testing.T) {
	alike := func() *Analysis {
		return shows(1, 3).rounds("p", "{}", "k1", "k2", "k3").played(named("a"), 1, 2, 4)
	}
	if a := besides(t, alike(), alike()); len(a.Beside.Warnings) != 0 || a.Computed[0].Cells != 14 ||
		a.Cells != "c" {
		t.Errorf("two that are alike are shown with %q, cells %+v, %s", a.Beside.Warnings, a.Computed,
			a.Cells)
	}
	for want, change := range map[string]func(*Analysis){
		"the seed of A is 1 and that of B 2": func(a *Analysis) { a.Experiment.Seed = 2 },
		"A has 3 replicates and B 5":         func(a *Analysis) { a.Experiment.Replicates = 5 },
		"the horizons of A are [100 1000]": func(a *Analysis) {
			a.Experiment.Horizon = []int{1000}
		},
		"over 2 decades and those of B over 3":       func(a *Analysis) { a.Experiment.Window = 3 },
		"confidence 0.95 and those of B 0.9;":        func(a *Analysis) { a.Experiment.Confidence = 0.9 },
		"experiment e of A is beside f of B":         func(a *Analysis) { a.Experiment.Name = "f" },
		"by ocobench 1.0.0, those of B by ocobench ": func(a *Analysis) { a.Computed[0].Version = "2" },
		"cells that B lacks: 4":                      func(a *Analysis) { a.Missing = 4 },
		"so that the tests are of two samples: p": func(a *Analysis) {
			a.Problems[0].Rounds, a.Pairs[0].Series[regret] = []string{"l1", "l2", "l3"},
				endingIn([]Number{1, 2, 3})
		},
		"no algorithm on the same problem": func(a *Analysis) {
			a.Algorithms[0].Name, a.Algorithms[0].Spec, a.Pairs[0].Algorithm = "b", "b", "b"
		},
	} {
		reference := alike()
		change(reference)
		if w := besides(t, alike(), reference).Beside.Warnings; len(w) != 1 ||
			!strings.Contains(w[0], want) {
			t.Errorf("the warnings are %q, want one with %q", w, want)
		}
	}
	longer := alike()
	longer.Experiment.Horizon = []int{100, 2000}
	for want, of := range map[string]struct {
		reference *Analysis
		names     [2]string
	}{
		"experiment e of A has the last horizon 1000 and e of B has 2000": {longer, [2]string{"A", "B"}},
		`two names are needed .* not "A" and "A"`:                         {alike(), [2]string{"A", "A"}},
		`two names are needed .* not "A" and ""`:                          {alike(), [2]string{"A", ""}},
		"is shown beside another already": {
			besides(t, alike(), alike()), [2]string{"C", "D"},
		},
	} {
		_, err := SideBySide(t.Context(), alike(), of.reference, of.names)
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// The bytes do not depend on the number of processors, come back from JSON, and
// docs/analysis.md names every member.
func TestBesideJSON(t *testing.T) {
	values := func(shift float64) (all []Number) {
		rng := rand.New(rand.NewPCG(3, 0))
		for range 20 {
			all = append(all, Number(rng.NormFloat64()+shift*rng.Float64()))
		}
		return all
	}
	var keys []string
	for i := range 20 {
		keys = append(keys, fmt.Sprint("k", i))
	}
	mine, reference := shows(1, 20).rounds("p", "{}", keys...), shows(1, 20).rounds("p", "{}", keys...)
	for i := range 8 {
		mine.played(named(fmt.Sprint("a", i)), values(float64(i))...)
		reference.played(named(fmt.Sprint("a", i)), values(0.3)...)
	}
	var first []byte
	for _, n := range []int{1, 8} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		data, err := json.Marshal(besides(t, mine, reference))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Error("the number of processors changes the analysis")
		}
	}
	var back Analysis
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	if again, err := json.Marshal(&back); err != nil || !bytes.Equal(again, first) {
		t.Errorf("error %v; it comes back as\n%s\nwant\n%s", err, again, first)
	}
	back.Beside.Differences = back.Beside.Differences[:1]
	part, err := json.Marshal(back.Beside)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(`"beside":"source":`+
		string(part), -1) {
		if !strings.Contains(string(doc), "`"+m[1]+"`") {
			t.Errorf("docs/analysis.md does not name %s", m[1])
		}
	}
}

// Where the parameters of a SPEC of mine have another SPEC in the reference, which has
// that of mine for others, the two of the reference have two names, and the same
// parameters are compared.
func TestBesideSPECs(t *testing.T) {
	step := func(spec, params string) experiment.Entry {
		return experiment.Entry{Spec: spec, Name: "a", Params: json.RawMessage(params)}
	}
	mine := shows(1, 2).rounds("p", "{}", "k1", "k2").played(step("a", `{"step":2}`), 1, 2)
	reference := shows(1, 2).rounds("p", "{}", "k1", "k2").played(step("a", `{"step":1}`), 3,
		4).played(step("a:step=2", `{"step":2}`), 1, 2)
	a, err := SideBySide(t.Context(), mine, reference, [2]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range a.Algorithms {
		got = append(got, e.Spec+" "+string(e.Params))
	}
	if want := []string{`a {"step":2}`, `a @ B {"step":1}`,
		`a:step=2 @ B {"step":2}`}; !slices.Equal(got, want) {
		t.Errorf("the algorithms are %q, want %q", got, want)
	}
	for _, d := range a.Beside.Differences {
		if d.Algorithm != "a" || !d.Equal {
			t.Errorf("a difference is %+v, want that of the same parameters", d)
		}
	}
	if len(a.Beside.Differences) == 0 ||
		slices.ContainsFunc(a.Beside.Warnings,
			func(w string) bool { return strings.Contains(w, "other parameters") }) {
		t.Errorf("there are %d differences and the warnings %q", len(a.Beside.Differences),
			a.Beside.Warnings)
	}
}

// An analysis is held beside the experiment of its name or, where none has it, beside the first
// that shares the most problems with the same parameters, but not beside a tuning.
func TestCounterpart(t *testing.T) {
	problem := func(name, params string) experiment.Entry {
		return experiment.Entry{Name: name, Params: json.RawMessage(params)}
	}
	a := new(Analysis)
	a.Experiment.Name = "mine"
	for _, p := range []experiment.Entry{problem("iid", `{"dim":1}`), problem("iid", `{"dim":2}`),
		problem("fixed", "{}")} {
		a.Problems = append(a.Problems, Problem{Entry: p})
	}
	named := func(name string, problems ...experiment.Entry) Stored {
		return Stored{Name: name, Problems: problems}
	}
	other := named("other", problem("iid", `{"dim":3}`), problem("perturbed", "{}"))
	one := named("one", problem("iid", `{"dim":2}`), problem("perturbed", "{}"))
	two := named("two", problem("fixed", "{}"), problem("iid", `{"dim":1}`))
	again := named("again", two.Problems...)
	all := named("mine-tuning", problem("iid", `{"dim":1}`), problem("iid", `{"dim":2}`),
		problem("fixed", "{}"))
	for want, stored := range map[string][]Stored{
		"none": {other}, "one": {other, one}, "two": {one, two, again}, "again": {again, one, two},
		"mine": {two, named("mine"), one},
	} {
		got := "none"
		if best := a.Counterpart(append([]Stored{all}, stored...)); best != nil {
			got = best.Name
		}
		if got != want {
			t.Errorf("beside %s, want %s", got, want)
		}
	}
}

// A pair whose assumptions the problem lacks is not in the analysis if it is not played, and is in
// it with what is lacking if assumptions are ignored.
func TestPairsThatLackAssumptions(t *testing.T) {
	low := algorithms.Algorithm{Name: "low", Version: 1, Anytime: true,
		New: func(any, algorithms.Setup) (algorithms.Learner, error) {
			return &position{at: func(float64) float64 { return -0.9 }}, nil
		}}
	affine := low
	affine.Name, affine.Assumes = "affine", []algorithms.Assumption{algorithms.FixedConstraints}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{low, affine},
		Problems: []problems.Problem{steepProblem}}
	for _, ignore := range []bool{false, true} {
		text := "name: lacks\nproblems: [{use: steep}]\nhorizon: 20\nreplicates: 2\nalgorithms: all\n"
		if ignore {
			text += "assumptions: ignore\n"
		}
		_, st, failures := ran(t, c, text)
		if len(failures) > 0 {
			t.Fatal(failures)
		}
		r, err := run.LoadExperiment(st, "lacks")
		if err != nil {
			t.Fatal(err)
		}
		a, err := Of(t.Context(), c, r)
		if err != nil {
			t.Fatal(err)
		}
		if a.Pair("low", "steep") == nil || len(a.Unmet) != 1 {
			t.Fatalf("ignore: %v: the pairs are %+v, and unmet %v", ignore, a.Pairs, a.Unmet)
		}
		if p := a.Pair("affine", "steep"); (p != nil) != ignore || p != nil && len(p.Unmet) != 1 {
			t.Errorf("ignore: %v: the pair that lacks something is %+v", ignore, p)
		}
	}
}
