package regression

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/stats"
)

const regret = algorithms.RegretXHat

// synthetic returns a snapshot of an experiment without problems and algorithms.
func synthetic(seed uint64, replicates int) *Snapshot {
	e := analysis.Experiment{Name: "e", Seed: seed, Replicates: replicates, Horizon: []int{100, 1000},
		Window: 2, Confidence: 0.95}
	return &Snapshot{Experiment: e,
		Analysis: &analysis.Analysis{
			Schema: analysis.Schema, Experiment: e,
			Computed: []run.Computed{{Provenance: store.Provenance{Version: "1.0.0"}, Cells: 7}},
			Metrics: []analysis.Metric{
				{Name: "loss"}, {Name: regret, Set: "xhat", Fitted: true, Shown: true},
				{Name: algorithms.SoftViolation, Fitted: true, Shown: true},
				{Name: algorithms.HardViolation, Fitted: true},
			},
			Cells: "c",
		}}
}

// problem adds a problem, whose rounds are identified by these; of a single one they are without
// chance.
func (s *Snapshot) problem(spec string, params string, rounds ...string) *Snapshot {
	e := experiment.Entry{Spec: spec, Name: spec, Params: json.RawMessage(params),
		Deterministic: len(rounds) == 1}
	s.Problems = append(s.Problems, e)
	s.Analysis.Problems = append(s.Analysis.Problems, analysis.Problem{Entry: e,
		Best: []analysis.Best{}, Rounds: rounds, Loss: undefined, Constraint: undefined})
	return s
}

// played adds an algorithm that ends with these regrets on every problem; none is of a replicate
// that lacks it. The violations are 0.
func (s *Snapshot) played(e experiment.Entry, regrets ...analysis.Number) *Snapshot {
	if e.Params == nil {
		e.Params = json.RawMessage(`{}`)
	}
	if e.Name == "" {
		e.Name = e.Spec
	}
	s.Algorithms = append(s.Algorithms, e)
	s.Analysis.Algorithms = append(s.Analysis.Algorithms, e)
	zero := make([]analysis.Number, len(regrets))
	for _, p := range s.Problems {
		series := make(map[algorithms.Metric]*analysis.Series)
		for m, finals := range map[algorithms.Metric][]analysis.Number{"loss": regrets, regret: regrets,
			algorithms.SoftViolation: zero, algorithms.HardViolation: zero} {
			of, c := &analysis.Series{State: analysis.Missing, Of: len(finals), Finals: finals},
				stats.Curve{T: []float64{100, 1000}}
			var replicates []int
			sum := analysis.Number(0)
			for r, v := range finals {
				if v.Defined() {
					replicates, sum = append(replicates, r+1), sum+v
					c.Y = append(c.Y, []float64{float64(v) / 2, float64(v)})
				}
			}
			if of.Replicates = len(replicates); len(replicates) > 0 {
				of.State, of.Mean = analysis.Measured, analysis.Band{T: c.T,
					Value: []analysis.Number{0, sum / analysis.Number(len(replicates))},
					Lower: []analysis.Number{undefined, undefined}, Upper: []analysis.Number{undefined, undefined}}
			}
			series[m] = of
			s.addCurve(Key{e.Spec, p.Spec, m, stats.AlongT}, c, replicates)
		}
		s.Analysis.Pairs = append(s.Analysis.Pairs, analysis.Pair{
			Problem: p.Spec, Algorithm: e.Spec, Unmet: []string{}, Replicates: len(regrets),
			Played: len(regrets), Regret: analysis.Judgement{P: undefined},
			Violation: analysis.Judgement{P: undefined}, Series: series,
		})
	}
	return s
}

func named(spec string) experiment.Entry { return experiment.Entry{Spec: spec} }

func sideBySide(t *testing.T, mine, reference *Snapshot) *Joint {
	t.Helper()
	j, err := SideBySide(t.Context(), mine, reference, [2]string{"A", "B"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func (j *Joint) of(t *testing.T, algorithm string, m algorithms.Metric) analysis.Comparison {
	t.Helper()
	k := slices.IndexFunc(j.Differences,
		func(d analysis.Comparison) bool { return d.A == algorithm && d.Metric == m })
	if k < 0 {
		t.Fatalf("got no difference of %s by %s in %+v, want one", algorithm, m, j.Differences)
	}
	return j.Differences[k]
}

// Student's distribution with two degrees of freedom is known in closed form:
//
//	P(|T| > t) = 1 − t/√(t² + 2),   and its quantile of 97.5 % is 4.302653.
//
// The pairs (3, 2), (5, 3), (7, 4) have the differences 1, 2, 3, with the mean 2 and the
// standard error 1/√3. The samples (0, 2) and (5, 7) have the difference −5 of the means,
// the standard error √(2/2 + 2/2) and by Welch and Satterthwaite (1 + 1)²/(1 + 1) = 2
// degrees of freedom. Holm doubles the smaller of two p-values. The larger one is 1, of the
// differences 1, −1 and 0.
func TestDifferencesByHand(t *testing.T) {
	p := func(x float64) float64 { return 1 - x/math.Sqrt(x*x+2) }
	const quantile = 4.302653
	keys := []string{"k1", "k2", "k3"}
	j := sideBySide(t,
		synthetic(1, 3).problem("p", "{}", keys...).played(named("a"), 3, 5, 7).
			played(named("b"), 3, 1, 2),
		synthetic(1, 3).problem("p", "{}", keys...).played(named("a"), 2, 3, 4).
			played(named("b"), 2, 2, 2))
	d := j.of(t, "a", regret)
	half := quantile / math.Sqrt(3)
	if !d.Paired || d.Equal || d.Replicates != 3 || d.ReplicatesB != 0 || d.Of != 3 || d.MeanA != 5 ||
		d.MeanB != 3 || d.B != "a @ B" || d.Sign != 0 ||
		!near(d.Difference.Value, 2, 1e-12) || !near(d.Difference.Lower, 2-half, 1e-5) ||
		!near(d.Difference.Upper, 2+half, 1e-5) || !near(d.Difference.P, p(2*math.Sqrt(3)), 1e-9) ||
		!near(d.Difference.Adjusted, 2*p(2*math.Sqrt(3)), 1e-9) {
		t.Errorf("got %+v, want the paired difference 2 ± %v", d, half)
	}
	if d := j.of(t, "b", regret); d.Difference.Value != 0 || d.Difference.Adjusted != 1 {
		t.Errorf("equal means: got %+v, want 0 with p = 1", d)
	}
	d = sideBySide(t,
		synthetic(1, 2).problem("p", "{}", "k1", "k2").played(named("a"), 0, 2),
		synthetic(2, 2).problem("p", "{}", "l1", "l2").played(named("a"), 5, 7)).of(t, "a", regret)
	if half = quantile * math.Sqrt(2); d.Paired || d.MeanA != 1 || d.MeanB != 6 ||
		d.Replicates != 2 || d.ReplicatesB != 2 ||
		!near(d.Difference.Value, -5, 1e-12) || !near(d.Difference.Lower, -5-half, 1e-5) ||
		!near(d.Difference.P, p(5/math.Sqrt(2)), 1e-9) {
		t.Errorf("got %+v, want the difference −5 ± %v of two samples", d, half)
	}
}

// Curves with the same bits are no hypotheses; the corrected p-values are those of Holm for the
// others.
func TestEqualCurvesAreNotTested(t *testing.T) {
	keys := []string{"k1", "k2", "k3", "k4"}
	j := sideBySide(t,
		synthetic(1, 4).problem("p", "{}", keys...).played(named("a"), 3, 5, 7, 1).
			played(named("b"), 1, 2, 3, 4).played(named("c"), 9, 8, 7, 6),
		synthetic(1, 4).problem("p", "{}", keys...).played(named("a"), 3, 5, 7, 1).
			played(named("b"), 2, 2, 2, 2).played(named("c"), 1, 2, 1, 2))
	d := j.of(t, "a", regret)
	if !d.Equal || !d.Paired || d.Replicates != 4 || d.MeanA != 4 || d.Difference.Value != 0 ||
		d.Difference.P.Defined() || d.Difference.Lower.Defined() || d.Difference.Adjusted.Defined() {
		t.Errorf("the same curves: got %+v, want them equal, untested", d)
	}
	var ps []float64
	for _, d := range j.Differences {
		ps = append(ps, float64(d.Difference.P))
	}
	for i, adjusted := range stats.Holm(ps) {
		got := float64(j.Differences[i].Difference.Adjusted)
		if got != adjusted && !(math.IsNaN(got) && math.IsNaN(adjusted)) {
			t.Errorf("p = %v is corrected to %v, want %v", ps[i], got, adjusted)
		}
	}
	if defined := slices.DeleteFunc(ps, math.IsNaN); len(defined) != 2 {
		t.Errorf("%d hypotheses are tested, want the regrets of b and c", len(defined))
	}
	if d := j.of(t, "c", regret); d.Sign != 1 {
		t.Errorf("c: got sign %d, want 1", d.Sign)
	}
}

// A replicate that one of the two lacks is in no pair, and in its own sample only.
func TestLackingReplicatesAreInNoPair(t *testing.T) {
	mine := synthetic(1, 3).problem("p", "{}", "k1", "k2", "k3").played(named("a"), 3, undefined, 7)
	d := sideBySide(t, mine, synthetic(1, 3).problem("p", "{}", "k1", "k2", "k3").
		played(named("a"), 2, 3, 4)).of(t, "a", regret)
	if !d.Paired || d.Replicates != 2 || d.MeanA != 5 || d.MeanB != 3 {
		t.Errorf("paired: got %+v, want 2 replicates, means 5 and 3", d)
	}
	d = sideBySide(t, mine, synthetic(2, 3).problem("p", "{}", "l1", "l2", "l3").
		played(named("a"), 2, 3, 7)).of(t, "a", regret)
	if d.Paired || d.Replicates != 2 || d.ReplicatesB != 3 || d.MeanA != 5 || d.MeanB != 4 {
		t.Errorf("two samples: got %+v, want 2 and 3 replicates, means 5 and 4", d)
	}
	for _, lacking := range [][]analysis.Number{{undefined, undefined, undefined}, {undefined, 1,
		undefined}} {
		j := sideBySide(t, mine, synthetic(1, 3).problem("p", "{}", "k1", "k2", "k3").
			played(named("a"), lacking...))
		if slices.ContainsFunc(j.Differences,
			func(d analysis.Comparison) bool { return d.Metric == regret }) {
			t.Errorf("no replicates: got %+v, want no difference", j.Differences)
		}
	}
}

// Without chance there is one replicate, whose difference stands. It needs no seed.
func TestDifferenceWithoutChanceStands(t *testing.T) {
	d := sideBySide(t, synthetic(1, 3).problem("p", "{}", "k").played(named("a"), 3),
		synthetic(2, 3).problem("p", "{}", "k").played(named("a"), 1)).of(t, "a", regret)
	if !d.Paired || d.Equal || d.Difference.Value != 2 || d.Difference.P.Defined() || d.Sign != 1 ||
		d.Difference.Adjusted.Defined() || d.Difference.Lower.Defined() || d.Replicates != 1 ||
		d.Of != 1 {
		t.Errorf("got %+v, want the difference 2 of one replicate, untested", d)
	}
	random := experiment.Entry{Spec: "a", Draws: true}
	d = sideBySide(t, synthetic(1, 3).problem("p", "{}", "k").played(random, 3, 5, 7),
		synthetic(1, 3).problem("p", "{}", "k").played(random, 2, 3, 4)).of(t, "a", regret)
	if !d.Paired || d.Replicates != 3 || !d.Difference.P.Defined() {
		t.Errorf("one that draws: got %+v, want a tested difference of 3 pairs", d)
	}
}

// One algorithm of both has its name twice, one with the label of another a second name
// too; the problem is there once, unless its parameters differ.
func TestJointNamesTellStoresApart(t *testing.T) {
	one := json.RawMessage(`{"step":1}`)
	mine := synthetic(1, 2).problem("p", "{}", "k1", "k2").problem("q", `{"n":1}`, "m1", "m2").
		played(experiment.Entry{Spec: "a", FullName: "A", Params: one}, 1,
			2).played(experiment.Entry{Spec: "b", Label: "best"}, 3,
		4).played(experiment.Entry{Spec: "n", Params: one}, 1, 1)
	reference := synthetic(1, 2).problem("q", `{"n":2}`, "m1", "m2").problem("p", "{}", "k1",
		"k2").problem("r", "{}", "r1", "r2").
		played(experiment.Entry{Spec: "c", Label: "best"}, 5,
			6).played(experiment.Entry{Spec: "a:step=1", Name: "a", FullName: "A", Params: one}, 7, 9).
		played(named("d"), 7, 8).
		played(experiment.Entry{Spec: "n", Params: json.RawMessage(`{"step":2}`)}, 2, 3)
	was := reference.Analysis
	was.Unmet = []experiment.Unmet{{Algorithm: "a:step=1", Problem: "q"}}
	was.Standings = []analysis.Standing{{Algorithm: "c", Claim: &algorithms.Claim{}, Ratio: undefined}}
	was.Computed[0].Version = "0.9.0"
	before, _ := json.Marshal([]*Snapshot{mine, reference})
	j, err := SideBySide(t.Context(), mine, reference, [2]string{"new", "v_1"})
	if err != nil {
		t.Fatal(err)
	}
	if after, _ := json.Marshal([]*Snapshot{mine, reference}); !bytes.Equal(before, after) {
		t.Error("got changed snapshots, want them as they were")
	}
	a := j.Analysis
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
	if len(a.Pairs) != len(mine.Analysis.Pairs)+len(was.Pairs) {
		t.Errorf("got %d pairs, want %d", len(a.Pairs), len(mine.Analysis.Pairs)+len(was.Pairs))
	}
	for _, pair := range []struct {
		algorithm, problem string
		regret             analysis.Number
	}{{"a", "p", 1.5}, {"a @ v_1", "p", 8}, {"a @ v_1", "q @ v_1", 8}, {"d", "r", 7.5}} {
		if p := a.Pair(pair.algorithm, pair.problem); p == nil ||
			p.Series[regret].Mean.Last().Value != pair.regret {
			t.Errorf("%s on %s: got %+v, want a regret of %v", pair.algorithm, pair.problem, p, pair.regret)
		}
	}
	if a.Pair("d", "q") != nil || len(a.Unmet) != 1 || a.Unmet[0].Algorithm != "a @ v_1" ||
		a.Unmet[0].Problem != "q @ v_1" || a.Standings[0].Algorithm != "c @ v_1" {
		t.Errorf("got unmet %+v, standings %+v, want one pair of v_1, and c of v_1 first", a.Unmet,
			a.Standings)
	}
	ranked := make(map[string]analysis.Number) // by 1 2, 3 4, 1 1, 5 6, 7 9, 7 8 and 2 3
	for _, r := range a.Ranks {
		if r.Problem == "p" && r.Metric == regret {
			ranked[r.Algorithm] = r.Rank.Value
		}
	}
	if want := map[string]analysis.Number{"a": 1.75, "b": 4, "n": 1.25, "n @ v_1": 3, "c @ v_1": 5,
		"d": 6.25, "a @ v_1": 6.75}; !maps.Equal(ranked, want) {
		t.Errorf("the ranks on p are %v, want %v", ranked, want)
	}
	if len(a.Computed) != 2 {
		t.Errorf("there are the programs %+v, want two", a.Computed)
	}
	var compared []string
	for _, d := range j.Differences {
		if d.Metric == regret {
			compared = append(compared, d.A+" and "+d.B+" on "+d.Problem)
		}
	}
	if !slices.Equal(compared, []string{"a and a @ v_1 on p", "n and n @ v_1 on p"}) {
		t.Errorf("got comparisons %q, want a and n on p", compared)
	}
	for _, want := range []string{"algorithm n has other parameters", "problem q has other parameters"} {
		if !slices.ContainsFunc(j.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
			t.Errorf("the warnings are %q, want one with %q", j.Warnings, want)
		}
	}
}

// The results of two programs, one of which has an algorithm that plays elsewhere: only its curves
// differ. With another seed all tests are of two samples.
func TestOnlyCurvesOfOtherPlayDiffer(t *testing.T) {
	source := "name: e\nhorizon: 40\nreplicates: 6\nproblems: [{use: iid}]\nalgorithms: "
	mine := takeAnalysed(t, source+"[{use: ogd}, {use: guo}]", 1)
	j := sideBySide(t, mine, takeAnalysed(t, source+"[{use: ogd, step: 0.01}, {use: guo}]", 1))
	k := slices.IndexFunc(j.Differences, func(d analysis.Comparison) bool { return d.A != "guo" })
	if k >= 0 || len(j.Differences) != 4 || !j.Differences[0].Equal {
		t.Errorf("got differences %+v, want four of guo, the first equal", j.Differences)
	}
	for metric, s := range mine.Analysis.Pair("guo", "iid").Series {
		for _, d := range j.Differences {
			if d.Metric == metric && !near(d.MeanA, float64(s.Mean.Last().Value), 1e-5) {
				t.Errorf("%s: the mean is %v, want %v", metric, d.MeanA, s.Mean.Last().Value)
			}
		}
	}
	j = sideBySide(t, mine, takeAnalysed(t, source+"[{use: ogd}, {use: guo}]", 2))
	if d := j.of(t, "ogd", regret); d.Paired || d.Equal || !d.Difference.P.Defined() ||
		len(j.Warnings) != 1 {
		t.Errorf("another seed: got %+v, warnings %q, want a tested difference of two samples and one "+
			"warning", d, j.Warnings)
	}
}

// Everything in which two experiments differ is said, and what cannot be compared refused.
func TestJointWarnsOfWhatDiffers(t *testing.T) {
	alike := func() *Snapshot {
		return synthetic(1, 3).problem("p", "{}", "k1", "k2", "k3").played(named("a"), 1, 2, 4)
	}
	j := sideBySide(t, alike(), alike())
	if a := j.Analysis; len(j.Warnings) != 0 || a.Computed[0].Cells != 14 || a.Cells != "c" {
		t.Errorf("two that are alike: got warnings %q, cells %+v, %s, want none, 14 and c", j.Warnings,
			a.Computed, a.Cells)
	}
	for want, change := range map[string]func(*Snapshot){
		"the seed of A is 1 and that of B 2": func(s *Snapshot) { s.Seed = 2 },
		"A has 3 replicates and B 5":         func(s *Snapshot) { s.Replicates = 5 },
		"the horizons of A are [100 1000]": func(s *Snapshot) {
			s.Horizon = []int{1000}
		},
		"over 2 decades and those of B over 3": func(s *Snapshot) { s.Window = 3 },
		"confidence 0.95 and those of B 0.9;":  func(s *Snapshot) { s.Confidence = 0.9 },
		"experiment e of A is beside f of B":   func(s *Snapshot) { s.Name = "f" },
		"by ocobench 1.0.0, those of B by ocobench ": func(s *Snapshot) {
			s.Analysis.Computed[0].Version = "2"
		},
		"cells that B lacks: 4": func(s *Snapshot) { s.Analysis.Missing = 4 },
		"the seeds are equal, but the rounds differ: p": func(s *Snapshot) {
			s.Analysis.Problems[0].Rounds = []string{"l1", "l2", "l3"}
		},
		"no curve of the same algorithm on the same problem": func(s *Snapshot) {
			*s = *synthetic(1, 3).problem("p", "{}", "k1", "k2", "k3").played(named("b"), 1, 2, 4)
		},
	} {
		t.Run(want, func(t *testing.T) {
			reference := alike()
			change(reference)
			if w := sideBySide(t, alike(), reference).Warnings; len(w) != 1 ||
				!strings.Contains(w[0], want) {
				t.Errorf("the warnings are %q, want one with %q", w, want)
			}
		})
	}
	without := alike()
	without.Analysis = nil
	longer := alike()
	longer.Horizon = []int{100, 2000}
	for want, of := range map[string]struct {
		reference *Snapshot
		names     [2]string
	}{
		"the last horizon is 1000 in experiment e of A and 2000 in e of B": {longer, [2]string{"A", "B"}},
		`two names are needed .* not "A" and "A"`: {alike(), [2]string{"A",
			"A"}},
		`two names are needed .* not "A" and ""`: {alike(), [2]string{"A", ""}},
		"without games and analysis; write it with bench export --archive": {
			without, [2]string{"C", "D"},
		},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := SideBySide(t.Context(), alike(), of.reference, of.names)
			if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
				t.Errorf("the error is %v, want %q", err, want)
			}
		})
	}
}

// docs/analysis.md names every member of what is shown beside each other.
func TestJointIsDocumented(t *testing.T) {
	mine := synthetic(1, 3).problem("p", "{}", "k1", "k2", "k3").played(named("a"), 1, 2, 4)
	data, err := json.Marshal(sideBySide(t, mine, mine))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(`"beside":"source":`+
		string(data), -1) {
		if !strings.Contains(string(doc), "`"+m[1]+"`") {
			t.Errorf("got no %s in docs/analysis.md, want it named", m[1])
		}
	}
}

// Where the parameters of a SPEC of mine have another SPEC in the reference, which has
// that of mine for others, the two of the reference have two names, and the same
// parameters are compared.
func TestJointPairsEqualParameters(t *testing.T) {
	step := func(spec, params string) experiment.Entry {
		return experiment.Entry{Spec: spec, Name: "a", Params: json.RawMessage(params)}
	}
	mine := synthetic(1, 2).problem("p", "{}", "k1", "k2").played(step("a", `{"step":2}`), 1, 2)
	reference := synthetic(1, 2).problem("p", "{}", "k1", "k2").played(step("a", `{"step":1}`), 3,
		4).played(step("a:step=2", `{"step":2}`), 1, 2)
	j := sideBySide(t, mine, reference)
	var got []string
	for _, e := range j.Analysis.Algorithms {
		got = append(got, e.Spec+" "+string(e.Params))
	}
	if want := []string{`a {"step":2}`, `a @ B {"step":1}`,
		`a:step=2 @ B {"step":2}`}; !slices.Equal(got, want) {
		t.Errorf("the algorithms are %q, want %q", got, want)
	}
	for _, d := range j.Differences {
		if d.A != "a" || !d.Equal {
			t.Errorf("a difference is %+v, want that of the same parameters", d)
		}
	}
	if len(j.Differences) == 0 ||
		slices.ContainsFunc(j.Warnings,
			func(w string) bool { return strings.Contains(w, "other parameters") }) {
		t.Errorf("got %d differences, warnings %q, want some, and none of other parameters",
			len(j.Differences), j.Warnings)
	}
}

// A snapshot is compared with the experiment of its name or, where none has it, beside the first
// that shares the most problems with the same parameters, but not beside a tuning.
func TestCounterpartSharesTheMostProblems(t *testing.T) {
	problem := func(name, params string) experiment.Entry {
		return experiment.Entry{Name: name, Params: json.RawMessage(params)}
	}
	s := &Snapshot{Experiment: analysis.Experiment{Name: "mine"}}
	s.Problems = []experiment.Entry{problem("iid", `{"dim":1}`), problem("iid", `{"dim":2}`),
		problem("fixed", "{}")}
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
		t.Run(want, func(t *testing.T) {
			got := "none"
			if best := s.Counterpart(append([]Stored{all}, stored...)); best != nil {
				got = best.Name
			}
			if got != want {
				t.Errorf("beside %s, want %s", got, want)
			}
		})
	}
}
