package diagnosis

import (
	"testing"

	"ocobench/convex"
)

// Each condition and theorem says what decided, with its number. The rows are those that the other
// tests of this package do not reach, or reach without looking at the sentence.
func TestReasonsByHand(t *testing.T) {
	p := func(v float64) *float64 { return &v }
	k := func(v int) *int { return &v }
	slater := func(s Slater) Finding {
		return slaterPoint(&penaltyCondition{rounds: 5000, constraints: 2, slater: s})
	}
	growth := func(burn int, g Growth) Finding {
		return penaltyGrowth(&penaltyCondition{rounds: 5000, constraints: 2,
			slater: Slater{Eta: p(0.5), Burn: burn}, growth: g})
	}
	rate := func(c Convergence) Finding {
		return sqrtConvergence(&Diagnosis{Rounds: 5000, Paths: 2, Convergence: c})
	}
	slopes := func(rounds int, f Fact) Finding {
		f.Name = "constraint_lipschitz"
		return ftrlCondition(&Diagnosis{Rounds: rounds,
			Facts: []Fact{{Name: "loss_lipschitz", bounded: Holds}, f}}, "loss", "constraint")
	}
	emptyXhat := func(s Slater) Finding {
		return nonemptyXhat(&Diagnosis{Sets: []Set{{"xmax", false}, {"xhat", true}}, Slater: s})
	}
	// All conditions hold, but for the penalties of three of four constraints.
	met := &penaltyCondition{rounds: 5000, constraints: 4, slater: Slater{Eta: p(0.5)},
		growth: Growth{Vacuous: true, linear: true}}
	theory := func(penalties ...Exponent) *evidence {
		return &evidence{all: met, rest: met, kept: []int{1, 2, 3}, facts: convex.Facts{Perturbed: true},
			Diagnosis: &Diagnosis{Rounds: 5000, Constraints: 4, Convergence: Convergence{
				Exponent: Exponent{Zero: true}}, Penalties: append([]Exponent{{Verdict: Holds}}, penalties...)}}
	}
	of := func(facts convex.Facts) *evidence {
		e := theory(Exponent{})
		e.facts = facts
		return e
	}
	failing := func(penalties ...Exponent) *evidence {
		e := theory(penalties...)
		e.rest = &penaltyCondition{rounds: 5000, constraints: 3, slater: Slater{noneInLimit: true,
			Limit: p(0)}, growth: Growth{}}
		e.rest.setVerdicts()
		return e
	}
	fast := Exponent{Verdict: Fails, Value: p(0.8), Lower: p(0.75), Upper: p(0.9)}
	slow := Exponent{Verdict: Fails, Value: p(0.7)}
	gamma := func(g Gamma) Finding {
		e := theory(fast, fast, fast)
		e.Gamma = g
		return gammaIsEnough(e, Finding{}, Finding{Verdict: Applies})
	}

	for _, c := range []struct {
		name    string
		got     Finding
		verdict Verdict
		reason  string
	}{
		{"slopes that may level off", slopes(5000, Fact{bounded: Open, Grows: p(0.25)}), Open,
			"the largest slope of the constraint functions grew like t^0.25 over the last decade, and may level off"},
		{"slopes over few rounds", slopes(50, Fact{bounded: Open, Grows: p(0.25)}), Open,
			"the horizon is too short to tell whether the slopes of the constraint functions are bounded"},
		{"no margin in expectation", slater(Slater{noneInLimit: true, Limit: p(-0.00012345)}), Fails,
			"the largest margin in expectation is -0.000123"},
		{"no margin, nor a rising one", slater(Slater{}), Fails,
			"no point of D has all averages below 0, nor do they come closer to it"},
		{"no margin, but a rising one", slater(Slater{hopeful: true}), Open,
			"no point of D has all averages below 0 yet"},
		{"a margin that vanishes", slater(Slater{Eta: p(0.5), vanishes: true, Exponent: p(-0.5),
			Constraint: 2}), Fails,
			"the margin of constraint 2 at z shrinks like t^-0.50: it vanishes in the limit"},
		{"a margin that stays elsewhere", slater(Slater{Eta: p(0.5), Burn: 7, vanishes: true,
			Exponent: p(-0.5), Other: p(0.25)}), Holds, "at one z all averages are ≤ −0.5 from round 8 on; " +
			"that margin shrinks, but at another point one of 0.25 stays"},
		{"a margin of every round", slater(Slater{Eta: p(0.5), Exponent: p(-0.5), Round: p(0.01)}), Holds,
			"at one z all averages are ≤ −0.5 from round 1 on; that margin shrinks, but every single round leaves 0.01"},
		{"a late margin", slater(Slater{Eta: p(0.5), Burn: 999, late: true}), Open,
			"all averages are ≤ −0.5 only from round 1000 on"},
		{"averages that will move", growth(0, Growth{Still: true}), Open, "the averages have not moved " +
			"yet, but those of other replicates have, or the expectation is another one"},
		{"penalty growth within ε", growth(0, Growth{linear: true, Exponent: p(0.99), Lower: k(41),
			Beta: p(0.25), From: 50, Tolerant: true, Epsilon: p(0.1)}), Holds, "k_τ grows like t^0.99; " +
			"k_T ≥ 41; β = 0.25 from round 50 on, counting averages within ε/√i, ε = 0.1: up to O(ε/√τ)"},
		{"early averages that bound", growth(0, Growth{slower: true, Exponent: p(0.05), Count: k(3),
			Epsilon: p(0.1)}), Fails, "k_τ grows like t^0.05; k_T ≤ 3, counting averages within ε/√i, " +
			"ε = 0.1: early averages bound X̂^max, and later ones leave it"},
		{"no segment that leaves", growth(0, Growth{Vacuous: true}), Open,
			"no segment from z to a sampled point of the boundary of D leaves X̂^max, but others may"},
		{"one early round", growth(1, Growth{Early: true, Exponent: p(0.9), Count: k(9), Epsilon: p(0.1)}),
			Open, "k_T ≤ 9, growing like t^0.90, without the first round, which cut X̂^max further; " +
				"the upper bound counts averages within ε/√i, ε = 0.1"},
		{"both bounds", growth(0, Growth{Exponent: p(0.9), Count: k(9), Lower: k(4), Epsilon: p(0.1)}),
			Open, "4 ≤ k_T ≤ 9, growing like t^0.90; the upper bound counts averages within ε/√i, ε = 0.1"},
		{"a fast rate", rate(Convergence{Exponent: Exponent{Verdict: Holds, Value: p(-1), Lower: p(-1.1),
			Upper: p(-0.9)}, Rate: "faster"}), Holds,
			"averages converge like t^-1.00 [-1.10, -0.90], faster than 1/√t"},
		{"a drift", rate(Convergence{Exponent: Exponent{Verdict: Open, Value: p(-0.5), Lower: p(-0.6)},
			Rate: "open", Drift: true}), Open, "averages converge like t^-0.50; a drift under noise"},
		{"no rate", rate(Convergence{}), Open,
			"the decay of the averages has no exponent, since they are constant over some octave"},
		{"no action in X̂^max", emptyXhat(Slater{}), Fails, "X̂^max is empty"},
		{"three rounds that empty X̂^max", emptyXhat(Slater{Eta: p(1), Burn: 3}), Fails,
			"X̂^max is empty, and would not be without the first 3 rounds"},
		{"one constraint left out", judgeCorollary1(theory(fast, fast, fast)), Applies,
			"1 of 4 constraints can " +
				"be left out, their penalty being O(√t); the others have a Slater point and penalty growth"},
		{"only one left out", judgeCorollary1(failing(slow, fast, slow)), Inapplicable,
			"Slater point (Condition 2) fails: the largest margin in expectation is 0; " +
				"penalty growth (Condition 2) fails: it needs the Slater point; only 1 of 4 constraints can be " +
				"left out: Σ_i max_x max(0, a_{i,j}(x)) grows like t^0.80 [0.75, 0.90]"},
		{"one that may be left out", judgeCorollary1(failing(slow, Exponent{Verdict: Open}, fast)), Open,
			"Slater point (Condition 2) fails: the largest margin in expectation is 0; penalty growth " +
				"(Condition 2) fails: it needs the Slater point; whether constraint 3 can be left out is open"},
		{"a perturbed problem", judgeCorollary2(theory(fast, fast, fast)), Applies,
			"with a_T in the place of the constraints and δ = O(1/√i): O(√t) against X^max, of the penalty " +
				"violation too (the paper gives no proof); constraints are perturbed, the benchmark is that of " +
				"the average b, and the soft violation is O(√t), too"},
		{"i.i.d. rounds that converge", judgeCorollary2(of(convex.Facts{IID: true})), Applies,
			"with a_T in the place of the constraints and δ = O(1/√i): O(√t) against X^max, of the penalty " +
				"violation too (the paper gives no proof); for i.i.d. rounds √(t log log t), almost surely, and " +
				"in mean O(√t), of the soft violation too"},
		{"any rounds", judgeTheorem2(of(convex.Facts{})), Applies,
			"regret against X̂^max and penalty violation " +
				"are O(√t); the soft violation Σ_t g_t(x_t) is not bounded by it"},
		{"i.i.d. rounds", judgeTheorem2(of(convex.Facts{IID: true})), Applies,
			"regret against X̂^max and " +
				"penalty violation are O(√t); the soft violation is, too, in mean, for rounds are i.i.d."},
		{"fixed constraints", judgeTheorem2(of(convex.Facts{Fixed: true, IID: true})), Applies,
			"regret against " +
				"X̂^max and penalty violation are O(√t); the soft violation is at most the latter, for constraints " +
				"are fixed"},
		{"γ above both", gamma(Gamma{Used: 25, Limit: p(20), Effective: p(10)}), Holds, "γ = 25; with a_T in " +
			"every round it would ask for more than 20; the averaged problem needs 10"},
		{"γ between both", gamma(Gamma{Used: 25, Sufficient: p(30), Limit: p(25), Effective: p(25)}), Open,
			"γ = 25; Theorem 1 asks for more than 30; the averaged problem needs 25"},
		{"γ below both", gamma(Gamma{Used: 25, Limit: p(20), Effective: p(26)}), Fails, "γ = 25; with a_T in " +
			"every round it would ask for more than 20; the averaged problem needs 26"},
		{"no γ", gamma(Gamma{Used: 25}), Fails, "γ = 25; no γ is enough for the averaged problem"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got.Verdict != c.verdict || c.got.Reason != c.reason {
				t.Errorf("%s: %s\nwant %s: %s", c.got.Verdict, c.got.Reason, c.verdict, c.reason)
			}
		})
	}
}
