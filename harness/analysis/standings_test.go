package analysis

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/stats"
)

// Three problems: one above and broken, one never positive, one at most the claim and held. On a
// fourth the assumptions are not met. Two of the three have random games, of which 0.1 are expected
// above at 95 %.
func TestStandingsCountProblemsThatMeetTheAssumptions(t *testing.T) {
	claim := &algorithms.Claim{Metric: algorithms.HardViolation, Exponent: 0.5}
	pair := func(problem string, verdict stats.Verdict, p float64, b *Bound) Pair {
		return Pair{Algorithm: "a", Problem: problem, Regret: Judgement{P: none},
			Violation: Judgement{Metric: algorithms.HardViolation, Claim: claim, Verdict: verdict, P: Number(p),
				Bound: b}}
	}
	unmet := pair("four", stats.Above, 1e-9,
		&Bound{State: Unstated, Ratio: Estimate{none, none, none}})
	unmet.Unmet = []string{"what its theorem is about"}
	a := &Analysis{Pairs: []Pair{
		pair("one", stats.Above, 0.001, &Bound{State: Broken, Ratio: Estimate{Value: 1.5}}),
		pair("two", stats.AtMost, math.NaN(),
			&Bound{State: Unstated, Ratio: Estimate{none, none, none}}),
		pair("three", stats.AtMost, 0.8, &Bound{State: Held, Ratio: Estimate{Value: 0.25}}),
		unmet,
		{Algorithm: "b", Problem: "one", Regret: Judgement{P: none}, Violation: Judgement{P: none}},
	}}
	a.Algorithms = []Algorithm{{Spec: "a"}, {Spec: "b"}}
	a.Experiment.Confidence = 0.95
	chance := Number(1 - a.Experiment.Confidence)
	got := a.claimStandings()
	want := Standing{
		Algorithm: "a", Metric: algorithms.HardViolation, Claim: claim,
		Problems: 3, AtMost: 2, Above: 1, Chance: chance + chance, Held: 1, Broken: 1, Ratio: 1.5,
	}
	if len(got) != 1 || got[0] != want {
		t.Errorf("the standings are %+v, want %+v alone", got, want)
	}
}
