package analysis

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/store"
	"ocobench/problems"
)

// turning reveals the losses x, −x, x, … on [−1, 1] with the constraint x ≤ 2, so that the
// best action of round t is ∓1 with the loss −1, and P_t = 2(t − 1). From round end on the
// constraint is 1 ≤ 0.
type turning struct{ end int }

func (turning) Set() convex.Set { return convex.Cube(1, -1, 1) }

func (turning) Constraints() int { return 1 }

func (turning) Facts() convex.Facts {
	return convex.Facts{Diameter: 2, LossLipschitz: 1, LossRange: 2, ConstraintBound: 3,
		Deterministic: true}
}

func (s turning) Reveal(t int, _ []float64) *convex.Round {
	g := &convex.Affine{A: []float64{1}, B: -2}
	if t >= s.end {
		g = &convex.Affine{A: []float64{0}, B: 1}
	}
	return &convex.Round{Loss: &convex.Affine{A: []float64{float64(2*(t%2) - 1)}},
		Constraints: []convex.Func{g}}
}

// playTurning plays a learner at 0, whose dynamic regret on turning is t = 1 + P_t/2, under
// several claims. Its regret against X^min is at most 1.
func playTurning(t *testing.T, text string,
	claims map[string][]algorithms.Claim) (experiment.Catalog,
	*experiment.Plan, *store.Store) {
	t.Helper()
	problem := func(name string, end int) problems.Problem {
		return problems.Problem{Name: name, Version: 1,
			New: func(any, *rand.Rand) (problems.Stream, error) { return turning{end}, nil }}
	}
	c := experiment.Catalog{Problems: []problems.Problem{
		problem("turning", math.MaxInt), problem("ending", 50),
	}}
	var names []string
	for name := range claims {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c.Algorithms = append(c.Algorithms,
			algorithms.Algorithm{Name: name, Version: 1, Anytime: true, Claims: claims[name],
				New: func(any, algorithms.Setup) (algorithms.Learner, error) {
					return &position{at: func(float64) float64 { return 0 }}, nil
				}})
	}
	p, s, failures := runExperiment(t, c,
		"name: e\nreplicates: 1\nhorizon: 100\nalgorithms: all\n"+text)
	if len(failures) > 0 {
		t.Fatal(failures)
	}
	return c, p, s
}

// movingBound returns the bound factor·(1 + P_t/2).
func movingBound(factor float64) func(algorithms.Setup) (func(int, algorithms.Motion) float64,
	error) {
	return func(algorithms.Setup) (func(int, algorithms.Motion) float64, error) {
		return func(_ int, m algorithms.Motion) float64 { return factor * (1 + m.Path/2) }, nil
	}
}

// Claims about dynamic regret are a third judgement, whose bound moves with the rounds. A
// claim whose growth is no power of t has no slope, and no part in the correction; one of
// a power has both.
func TestDynamicRegretIsAThirdJudgement(t *testing.T) {
	grows := algorithms.Claim{Metric: algorithms.RegretDynamic, Growth: "1 + P_t",
		Formula: "c(1 + P_t/2)"}
	claim := func(of algorithms.Claim, bound func(algorithms.Setup) (
		func(int, algorithms.Motion) float64, error)) algorithms.Claim {
		of.Moving = bound
		return of
	}
	static := algorithms.Claim{Metric: algorithms.RegretXMin, Formula: "c(1 + P_t/2)", Exponent: 0.5}
	violation := algorithms.Claim{Metric: algorithms.SoftViolation, Formula: "c(1 + P_t/2)",
		Growth: "1 + P_t"}
	power := algorithms.Claim{Metric: algorithms.RegretDynamic, Exponent: 0.5, NoBound: "of a test"}
	refused := func(algorithms.Setup) (func(int, algorithms.Motion) float64, error) {
		return nil, errors.New("T < 8R²")
	}
	nothing := func(algorithms.Setup) (func(int, algorithms.Motion) float64, error) {
		return func(t int, _ algorithms.Motion) float64 { return math.Inf(t % 2) }, nil
	}
	c, p, st := playTurning(t, "problems: [{use: turning}]", map[string][]algorithms.Claim{
		"held": {claim(grows, movingBound(2))}, "exact": {claim(grows, movingBound(1))},
		"broken":  {claim(grows, movingBound(0.8))},
		"refused": {claim(grows, refused)},
		"all":     {claim(static, movingBound(4)), claim(grows, movingBound(2)), claim(violation, movingBound(1))},
		"power":   {power}, "none": nil, "nothing": {claim(grows, nothing)},
	})
	_, a := loadAndAnalyse(t, c, st)
	for name, want := range map[string]struct {
		state  BoundState
		ratio  float64
		reason string
	}{
		"held": {Held, 0.5, ""}, "exact": {Held, 1, ""}, "broken": {Broken, 1.25, ""},
		"all":     {Held, 0.5, ""},
		"refused": {Unstated, math.NaN(), "T < 8R²"},
	} {
		t.Run(name, func(t *testing.T) {
			pair := a.Pair(name, "turning")
			j := pair.Dynamic
			if j == nil || j.Metric != algorithms.RegretDynamic || j.Verdict != "" || j.P.Defined() ||
				j.Bound.State != want.state || j.Bound.Reason != want.reason {
				t.Fatalf("the judgement is %+v, want %+v", j, want)
			}
			if r := j.Bound.Ratio.Value; r.Defined() == math.IsNaN(want.ratio) ||
				r.Defined() && !isNear(r, want.ratio, 1e-12) {
				t.Errorf("the ratio is %v, want %v", r, want.ratio)
			}
			if pair.ClaimVerdict != "" && name != "all" {
				t.Errorf("got verdict %s, want none without an exponent", pair.ClaimVerdict)
			}
		})
	}
	if b := a.Pair("all", "turning"); b.Regret.Bound.State != Held ||
		!isNear(b.Regret.Bound.Ratio.Value, 0.25, 1e-12) || b.Violation.Bound.State != Held ||
		b.Violation.Bound.Ratio.Value != 0 || len(b.Judgements()) != 3 {
		t.Errorf("got bounds %+v and %+v of the others, want both held, with the ratios 0.25 and 0",
			b.Regret.Bound, b.Violation.Bound)
	}
	if j := a.Pair("power", "turning").Dynamic; j.Verdict == "" || j.Bound != nil {
		t.Errorf("a claim of a power: got %+v, want a verdict and no bound", j)
	}
	if a.Pair("none", "turning").Dynamic != nil {
		t.Error("nothing claimed of the dynamic regret: got a judgement, want none")
	}
	k := slices.IndexFunc(a.Standings, func(s Standing) bool { return s.Algorithm == "broken" })
	if s := a.Standings[k]; s.Metric != algorithms.RegretDynamic || s.Broken != 1 || s.Problems != 0 ||
		!isNear(s.Ratio, 1.25, 1e-12) {
		t.Errorf("got standing %+v, want the dynamic regret broken once, ratio 1.25", s)
	}
	// It comes back from JSON.
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var back Analysis
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.Validate(); err != nil {
		t.Error(err)
	}
	if j := back.Pair("held", "turning").Dynamic; j == nil || j.Bound.State != Held ||
		j.Claim.Growth != "1 + P_t" {
		t.Errorf("from JSON: got %+v, want it held, of growth 1 + P_t", j)
	}
	// Without the moving comparator the bounds say nothing.
	for _, cell := range p.Cells {
		if cell.Kind == store.Moving {
			if err := st.Remove([]store.Key{cell.Key}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, a = loadAndAnalyse(t, c, st)
	for _, j := range a.Pair("all", "turning").Judgements() {
		if j.Bound.State != Unstated || !strings.Contains(j.Bound.Reason, "best actions are missing") {
			t.Errorf("%s: without a moving comparator: got bound %+v, want it unstated", j.Metric, j.Bound)
		}
	}
}

// From an empty round on a bound says nothing about dynamic regret, which has no value.
func TestEmptyRoundsEndDynamicRegret(t *testing.T) {
	c, _, st := playTurning(t, "problems: [{use: ending}]", map[string][]algorithms.Claim{
		"still": {{Metric: algorithms.RegretDynamic, Growth: "1 + P_t", Formula: "c(1 + P_t/2)",
			Moving: movingBound(2)}},
	})
	_, a := loadAndAnalyse(t, c, st)
	p := a.Pairs[0]
	if s := p.Series[algorithms.RegretDynamic]; s.State != Empty {
		t.Errorf("got dynamic regret %s, want it empty", s.State)
	}
	if b := p.Dynamic.Bound; b.State != Held || b.Ratio.Value != 0.5 ||
		b.Mean.T[len(b.Mean.T)-1] >= 50 {
		t.Errorf("got bound %+v, want it held, ratio 0.5, drawn before round 50", b)
	}
}

// Metrics on request are in an analysis that asks for them, and dynamic regret also where a claim
// is about it. Path length and variation are the same for all algorithms: no algorithm leads or is
// ranked by them.
func TestMetricsOnRequestAreInAnalysesThatAskForThem(t *testing.T) {
	names := func(a *Analysis, keep func(Metric) bool) (names []string) {
		for _, m := range a.Metrics {
			if slices.Contains([]algorithms.Metric{
				algorithms.RegretDynamic, "path_length", "constraint_variation",
			}, m.Name) && keep(m) {
				names = append(names, string(m.Name))
			}
		}
		return names
	}
	any, shown := func(Metric) bool { return true }, func(m Metric) bool { return m.Shown }
	claim := algorithms.Claim{Metric: algorithms.RegretDynamic, Growth: "1 + P_t", Formula: "c",
		Moving: movingBound(2)}
	for _, x := range []struct {
		text       string
		claims     []algorithms.Claim
		all, shown []string
	}{
		{"", nil, nil, nil},
		{"", []algorithms.Claim{claim}, []string{"regret_dynamic"}, nil},
		{"\nmetrics: [path_length]", nil, []string{"path_length"}, []string{"path_length"}},
		{"\nmetrics: [path_length, regret_dynamic]", []algorithms.Claim{claim},
			[]string{"regret_dynamic", "path_length"}, []string{"regret_dynamic", "path_length"}},
	} {
		c, _, st := playTurning(t, "problems: [{use: turning}]"+x.text,
			map[string][]algorithms.Claim{"one": x.claims, "two": nil})
		_, a := loadAndAnalyse(t, c, st)
		if got := names(a, any); !slices.Equal(got, x.all) {
			t.Errorf("%q: the metrics are %v, want %v", x.text, got, x.all)
		}
		if got := names(a, shown); !slices.Equal(got, x.shown) {
			t.Errorf("%q: shown are %v, want %v", x.text, got, x.shown)
		}
		for _, m := range a.Metrics {
			leads := slices.ContainsFunc(a.Leads(), func(l Lead) bool { return l.Metric == m.Name })
			ranks := slices.ContainsFunc(a.Ranks, func(r Rank) bool { return r.Metric == m.Name })
			if m.OfRounds && (leads || ranks) ||
				m.Name == algorithms.RegretDynamic && (leads != m.Shown || ranks != m.Shown) {
				t.Errorf("%q: %s: got leads %v, ranks %v, want them only of what is shown, and not of rounds",
					x.text, m.Name, leads, ranks)
			}
		}
		if s := a.Pairs[0].Series["path_length"]; s != nil && s.Mean.Last().Value != 198 {
			t.Errorf("got path length %v, want 198", s.Mean.Last().Value)
		}
	}
}
