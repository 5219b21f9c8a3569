package analysis

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/problems"
	"ocobench/stats"
)

func TestAnyOf(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		ps   []float64
		want float64
	}{
		{[]float64{0.01, 0.5, 0.02}, 0.03},
		{[]float64{0.01, nan, 0.02}, 0.02},
		{[]float64{nan, 0.04}, 0.04},
		{[]float64{0.9, 0.8}, 1},
		{[]float64{nan}, nan},
		{nil, nan},
	} {
		if got := anyOf(test.ps); math.Abs(got-test.want) > 1e-15 ||
			math.IsNaN(got) != math.IsNaN(test.want) {
			t.Errorf("%v give %v, want %v", test.ps, got, test.want)
		}
	}
}

// Three problems: one above and broken, one trivial, one within and held. On a fourth
// nothing is claimed.
func TestStandings(t *testing.T) {
	claim := &algorithms.Claim{Metric: algorithms.HardViolation, Exponent: 0.5}
	pair := func(problem string, slope stats.Verdict, p float64, b *Bound) Pair {
		return Pair{Algorithm: "a", Problem: problem, Regret: Judgement{P: none},
			Violation: Judgement{Metric: algorithms.HardViolation, Claim: claim, Slope: slope, P: Number(p),
				Bound: b}}
	}
	unmet := pair("four", stats.Above, 1e-9,
		&Bound{State: Unstated, Ratio: Estimate{none, none, none}})
	unmet.Unmet = []string{"what its theorem is about"}
	a := &Analysis{Pairs: []Pair{
		pair("one", stats.Above, 0.001, &Bound{State: Broken, Ratio: Estimate{Value: 1.5}}),
		pair("two", stats.Trivial, math.NaN(),
			&Bound{State: Unstated, Ratio: Estimate{none, none, none}}),
		pair("three", stats.AtMost, 0.8, &Bound{State: Held, Ratio: Estimate{Value: 0.25}}),
		unmet,
		{Algorithm: "b", Problem: "one", Regret: Judgement{P: none}, Violation: Judgement{P: none}},
	}}
	a.Algorithms = []Algorithm{{Spec: "a"}, {Spec: "b"}}
	got := a.standings()
	want := Standing{
		Algorithm: "a", Metric: algorithms.HardViolation, Claim: claim,
		Problems: 3, Within: 1, Above: 1, Trivial: 1, P: 0.002, Adjusted: 0.002, Held: 1, Broken: 1,
		Ratio: 1.5,
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("the standings are %+v, want %+v alone", got, want)
	}
}

// The regret of low is below that of high on the one problem there is.
func TestOverall(t *testing.T) {
	r := planted(t, "horizon: 100\nreplicates: 8\nalgorithms: [{use: high}, {use: low}]")
	c, err := Compare(t.Context(), r, "high",
		[]algorithms.Metric{algorithms.RegretXMin, algorithms.SoftViolation})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Versus[0].Final.P
	if len(c.Overall) != 2 || c.Overall[0] != (Overall{"low", algorithms.RegretXMin, 1, 1, 0, p}) {
		t.Errorf("overall %+v, with p = %v", c.Overall, p)
	}
	if o := c.Overall[1]; o.Less != 0 || o.More != 0 {
		t.Errorf("violations that are both 0 differ: %+v", o)
	}
}

// wavering has a regret of about √t, which wavers with a phase that the slope of the loss gives.
type wavering struct {
	height, phase float64
	t             int
}

func (w *wavering) Act(dst []float64) {
	t := float64(w.t + 1)
	dst[0] = w.height*(1.3+math.Sin(w.phase+math.Log(t)))/math.Sqrt(t) - 1
}

func (w *wavering) Observe(_ []float64, r convex.Round) error {
	w.t, w.phase = w.t+1, 20*r.Loss.(*convex.Affine).A[0]
	return nil
}

// Two algorithms that play the same games and claim the same are one hypothesis among those of
// all algorithms, and are said to be equal.
func TestEqualClaimsCountOnce(t *testing.T) {
	c := experiment.Catalog{Problems: []problems.Problem{steepProblem}}
	for name, height := range map[string]float64{"low": 0.2, "high": 0.5, "again": 0.2} {
		c.Algorithms = append(c.Algorithms, algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
			New: func(any, algorithms.Setup) (algorithms.Learner, error) {
				return &wavering{height: height}, nil
			}, Claims: []algorithms.Claim{{Metric: algorithms.RegretXMin, Exponent: 0.4}}})
	}
	_, st, _ := ran(t, c, "name: e\nhorizon: 1000\nreplicates: 8\nproblems: [{use: steep}]\n"+
		"algorithms: [{use: low}, {use: high}, {use: again}]")
	_, a := loaded(t, c, st)
	var ps []float64
	of := make(map[string][]Standing)
	for _, s := range a.Standings {
		of[s.Algorithm] = append(of[s.Algorithm], s)
		if s.Algorithm != "again" {
			ps = append(ps, float64(s.P))
		}
	}
	raised := false
	for i, adjusted := range stats.Holm(ps) {
		s := slices.Concat(of["low"], of["high"])[i]
		if s.Adjusted != Number(adjusted) {
			t.Errorf("%s of %s: p = %v, corrected %v, want %v", s.Metric, s.Algorithm, s.P, s.Adjusted,
				adjusted)
		}
		raised = raised || s.Adjusted > s.P
	}
	for i, s := range of["again"] {
		if low := of["low"][i]; s.P != low.P || s.Adjusted != low.Adjusted {
			t.Errorf("%s: corrected %v, want %v, as of equal games", s.Metric, s.Adjusted, low.Adjusted)
		}
	}
	if !raised || len(of["again"]) != 1 {
		t.Errorf("nothing is corrected in %+v", a.Standings)
	}
	want := []Equal{{"steep", []string{"low", "again"}}}
	if !reflect.DeepEqual(a.Equal, want) {
		t.Errorf("equal are %v, want %v", a.Equal, want)
	}
}
