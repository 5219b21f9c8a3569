package diagnosis

import (
	"strings"
	"testing"

	"ocobench/convex"
)

// Each condition and theorem has the verdict of its evidence, and names the number that decided.
func TestReasonsNameTheNumberThatDecided(t *testing.T) {
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
		return &evidence{all: met, ofRemaining: met, remaining: []int{1, 2, 3}, facts: convex.Facts{Perturbed: true},
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
		e.ofRemaining = &penaltyCondition{rounds: 5000, constraints: 3, slater: Slater{noneInLimit: true,
			Limit: p(0)}, growth: Growth{}}
		e.ofRemaining.setVerdicts()
		return e
	}
	fast := Exponent{Verdict: Fails, Value: p(0.8), Lower: p(0.75), Upper: p(0.9)}
	slow := Exponent{Verdict: Fails, Value: p(0.7)}
	gamma := func(g Gamma) Finding {
		e := theory(fast, fast, fast)
		e.Gamma = g
		return e.judgeGamma(Finding{}, Finding{Verdict: Applies})
	}

	for _, c := range []struct {
		name    string
		got     Finding
		verdict Verdict
		names   string // what the reason names, separated by bars
	}{
		{"slopes that may level off", slopes(5000, Fact{bounded: Open, Grows: p(0.25)}),
			Open, "t^0.25"},
		{"slopes over few rounds", slopes(50, Fact{bounded: Open, Grows: p(0.25)}), Open, ""},
		{"no margin in expectation", slater(Slater{noneInLimit: true, Limit: p(-0.00012345)}),
			Fails, "-0.000123"},
		{"no margin, nor a rising one", slater(Slater{}), Fails, ""},
		{"no margin, but a rising one", slater(Slater{mayTurnPositive: true}), Open, ""},
		{"a margin that vanishes", slater(Slater{Eta: p(0.5), vanishes: true, Exponent: p(-0.5),
			Constraint: 2}), Fails, "constraint 2|t^-0.50"},
		{"a margin that stays elsewhere", slater(Slater{Eta: p(0.5), Burn: 7, vanishes: true,
			Exponent: p(-0.5), Other: p(0.25)}), Holds, "0.5|round 8|0.25"},
		{"a margin of every round", slater(Slater{Eta: p(0.5), Exponent: p(-0.5), Round: p(0.01)}),
			Holds, "round 1|0.01"},
		{"a late margin", slater(Slater{Eta: p(0.5), Burn: 999, unsettled: true}), Open, "0.5|round 1000"},
		{"averages that will move", growth(0, Growth{Unmoved: true}), Open, ""},
		{"penalty growth within ε", growth(0, Growth{linear: true, Exponent: p(0.99), Lower: k(41),
			Beta: p(0.25), From: 50, Tolerant: true, Epsilon: p(0.1)}),
			Holds, "t^0.99|≥ 41|0.25|round 50|O(ε/√τ)"},
		{"early averages that bound", growth(0, Growth{slower: true, Exponent: p(0.05), Count: k(3),
			Epsilon: p(0.1)}), Fails, "t^0.05|≤ 3"},
		{"no segment that leaves", growth(0, Growth{Vacuous: true}), Open, ""},
		{"one early round", growth(1, Growth{Early: true, Exponent: p(0.9), Count: k(9), Epsilon: p(0.1)}),
			Open, "≤ 9|t^0.90|first round"},
		{"both bounds", growth(0, Growth{Exponent: p(0.9), Count: k(9), Lower: k(4), Epsilon: p(0.1)}),
			Open, "4 ≤ k_T ≤ 9|t^0.90"},
		{"a fast rate", rate(Convergence{Exponent: Exponent{Verdict: Holds, Value: p(-1), Lower: p(-1.1),
			Upper: p(-0.9)}, Rate: "faster"}), Holds, "t^-1.00|[-1.10, -0.90]"},
		{"a drift", rate(Convergence{Exponent: Exponent{Verdict: Open, Value: p(-0.5), Lower: p(-0.6)},
			Rate: "open", Drift: true}), Open, "t^-0.50|drift"},
		{"no rate", rate(Convergence{}), Open, ""},
		{"no action in X̂^max", emptyXhat(Slater{}), Fails, ""},
		{"three rounds that empty X̂^max", emptyXhat(Slater{Eta: p(1), Burn: 3}),
			Fails, "first 3 rounds"},
		{"one constraint left out", theory(fast, fast, fast).judgeCorollary1(), Applies, "1 of 4"},
		{"only one left out", failing(slow, fast, slow).judgeCorollary1(),
			Inapplicable, "1 of 4|t^0.80|[0.75, 0.90]"},
		{"one that may be left out", failing(slow, Exponent{Verdict: Open}, fast).judgeCorollary1(),
			Open, "constraint 3"},
		{"a perturbed problem", theory(fast, fast, fast).judgeCorollary2(), Applies, "perturbed"},
		{"i.i.d. rounds that converge", of(convex.Facts{IID: true}).judgeCorollary2(),
			Applies, "i.i.d."},
		{"any rounds", of(convex.Facts{}).judgeTheorem2(), Applies, "not bounded"},
		{"i.i.d. rounds", of(convex.Facts{IID: true}).judgeTheorem2(), Applies, "i.i.d."},
		{"fixed constraints", of(convex.Facts{Fixed: true, IID: true}).judgeTheorem2(),
			Applies, "fixed"},
		{"γ above both", gamma(Gamma{Used: 25, Limit: p(20), Effective: p(10)}), Holds, "25|20|10"},
		{"γ between both", gamma(Gamma{Used: 25, Sufficient: p(30), Limit: p(25), Effective: p(25)}),
			Open, "25|30"},
		{"γ below both", gamma(Gamma{Used: 25, Limit: p(20), Effective: p(26)}), Fails, "25|20|26"},
		{"no γ", gamma(Gamma{Used: 25}), Fails, "no γ"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got.Verdict != c.verdict || c.got.Reason == "" {
				t.Errorf("%s: %s, want %s and a reason", c.got.Verdict, c.got.Reason, c.verdict)
			}
			for name := range strings.SplitSeq(c.names, "|") {
				if !strings.Contains(c.got.Reason, name) {
					t.Errorf("the reason is %q, want that it names %q", c.got.Reason, name)
				}
			}
		})
	}
}
