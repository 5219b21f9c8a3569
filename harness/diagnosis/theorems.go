package diagnosis

import (
	"fmt"
	"strings"

	"ocobench/convex"
)

// Each theorem of the paper is one function. It needs some conditions, and its verdict follows from
// theirs; the reason repeats their causes.

// evidence holds what the theorems are judged on.
type evidence struct {
	*Diagnosis
	facts convex.Facts
	all   *penaltyCondition // Condition 2 of all constraints
	// remaining lists the constraints whose penalty is not known to be O(√t), so that Corollary 1
	// cannot leave them out. ofRemaining holds Condition 2 for these alone or, where it holds for all
	// constraints, for all.
	remaining   []int
	ofRemaining *penaltyCondition
}

// judgeAll judges all conditions and theorems, in the order of the paper.
func (e *evidence) judgeAll() []Finding {
	theorem1, corollary2 := e.judgeTheorem1(), e.judgeCorollary2()
	return []Finding{
		e.judgeFTRL(), slaterPoint(e.all), penaltyGrowth(e.all), sqrtConvergence(e.Diagnosis),
		theorem1, e.judgeTheorem2(), e.judgeCorollary1(), corollary2,
		e.judgeGamma(theorem1, corollary2),
	}
}

// judgeFTRL judges Condition 1 for losses and constraints.
func (e *evidence) judgeFTRL() Finding { return ftrlCondition(e.Diagnosis, "loss", "constraint") }

// judgeTheorem judges a theorem that needs some conditions. It does not apply if one of them
// fails, is open if one of them is, and applies otherwise. The reason names the conditions that
// decide.
func judgeTheorem(name string, needs ...Finding) Finding {
	f := Finding{Name: name, Verdict: Applies}
	for _, outcome := range []struct {
		condition, theorem Verdict
		verb               string
	}{{Fails, Inapplicable, "fails"}, {Open, Open, "is open"}} {
		var causes []string
		for _, need := range needs {
			switch {
			case need.Verdict != outcome.condition:
			case need.number == 0:
				causes = append(causes, need.cause)
			default:
				causes = append(causes,
					fmt.Sprintf("%s (Condition %d) %s: %s", need.Name, need.number, outcome.verb, need.cause))
			}
		}
		if causes != nil {
			return f.withVerdict(outcome.theorem, "%s", strings.Join(causes, "; "))
		}
	}
	return f
}

// judgeTheorem1 judges Theorem 1: x_{τ+1} is in X̂^max_τ if γ > (E+L+1)/β. Of Condition 1 it
// needs only the part on losses.
func (e *evidence) judgeTheorem1() Finding {
	f := judgeTheorem("theorem 1", nonemptyXhat(e.Diagnosis), ftrlCondition(e.Diagnosis, "loss"),
		slaterPoint(e.all), penaltyGrowth(e.all))
	used, enough := threeDigits(&e.Gamma.Used), threeDigits(e.Gamma.Sufficient)
	switch {
	case f.Verdict != Applies:
		return f
	case e.Gamma.Sufficient == nil:
		return f.withVerdict(Applies, "X̂^max is D: it contains every action")
	case e.Gamma.Used <= *e.Gamma.Sufficient:
		return f.withVerdict(Open, "γ = %s is not above the sufficient %s = (E+L+1)/β", used, enough)
	}
	f = f.withVerdict(Applies, "γ = %s > %s = (E+L+1)/β: x_{τ+1} is in X̂^max_τ from round %d on",
		used,
		enough, e.Growth.From)
	if e.Growth.Tolerant {
		return f.withDetail(", up to O(ε/√τ), ε = %s", threeDigits(e.Growth.Epsilon))
	}
	return f
}

// judgeTheorem2 judges Theorem 2: regret against X̂^max and penalty violation are O(√t). Of the
// soft violation it says nothing, but that is at most the penalty violation where constraints are
// fixed, and O(√t) in mean where they are i.i.d. (claim 24).
func (e *evidence) judgeTheorem2() Finding {
	f := judgeTheorem("theorem 2", nonemptyXhat(e.Diagnosis), e.judgeFTRL(), slaterPoint(e.all),
		penaltyGrowth(e.all))
	if f.Verdict != Applies {
		return f
	}
	bounds := "regret against X̂^max and penalty violation are O(√t); "
	switch {
	case e.facts.Fixed:
		bounds += "the soft violation is at most the latter, for constraints are fixed"
	case e.facts.IID:
		bounds += "the soft violation is, too, in mean, for rounds are i.i.d."
	default:
		bounds += "the soft violation Σ_t g_t(x_t) is not bounded by it"
	}
	if e.Gamma.Sufficient == nil {
		return f.withVerdict(Applies, "%s", bounds)
	}
	return f.withVerdict(Applies, "for γ > %s, and possibly for smaller γ, %s",
		threeDigits(e.Gamma.Sufficient),
		bounds)
}

// judgeCorollary1 judges Corollary 1: Theorem 2 without the constraints whose penalty is O(√t).
// Where the verdict on a penalty is open, the corollary is open and not inapplicable, since its
// constraint may be one of these.
func (e *evidence) judgeCorollary1() Finding {
	omitted, ftrl := e.Constraints-len(e.remaining), e.judgeFTRL()
	needs := []Finding{ftrl}
	if len(e.remaining) > 0 && ftrl.Verdict != Fails {
		needs = append(needs, slaterPoint(e.ofRemaining), penaltyGrowth(e.ofRemaining))
		if omitted == 0 {
			needs = append(needs, nonemptyXhat(e.Diagnosis))
		}
	}
	f := judgeTheorem("corollary 1", needs...)
	if f.Verdict == Applies {
		switch {
		case e.Constraints == 0:
			return f.withVerdict(Applies, "there are no constraints to leave out")
		case len(e.remaining) == 0:
			return f.withVerdict(Applies,
				"Σ_i max_x max(0, a_{i,j}(x)) is O(√t) for every j: no other condition is needed")
		case omitted == 0:
			return f.withVerdict(Applies, "with all constraints, as Theorem 2: none has to be left out")
		}
		return f.withVerdict(Applies, "%d of %d constraints can be left out, their penalty being O(√t); "+
			"the others have a Slater point and penalty growth", omitted, e.Constraints)
	}
	if len(needs) == 1 {
		return f
	}
	fastest := &Exponent{}
	for _, j := range e.remaining {
		switch p := &e.Penalties[j]; {
		case p.Verdict == Open:
			f.Verdict = Open
			return f.withDetail("; whether constraint %d can be left out is open", j+1)
		case p.Value != nil && (fastest.Value == nil || *p.Value > *fastest.Value):
			fastest = p
		}
	}
	some := "no constraint"
	if omitted > 0 {
		some = fmt.Sprintf("only %d of %d constraints", omitted, e.Constraints)
	}
	return f.withDetail("; %s can be left out: Σ_i max_x max(0, a_{i,j}(x)) grows like t^%s", some,
		exponentWithInterval(fastest))
}

// judgeCorollary2 judges Corollary 2: with a_T in the place of the constraints and δ = O(1/√i),
// regret against X^max is O(√t).
func (e *evidence) judgeCorollary2() Finding {
	f := judgeTheorem("corollary 2", e.judgeFTRL(), sqrtConvergence(e.Diagnosis), slaterPoint(e.all))
	if f.Verdict != Applies {
		return f
	}
	f = f.withVerdict(Applies,
		"with a_T in the place of the constraints and δ = O(1/√i): O(√t) against "+
			"X^max, of the penalty violation too (the paper gives no proof)")
	switch {
	case e.facts.Fixed:
		return f.withDetail("; constraints are fixed")
	case e.facts.IID:
		return f.withDetail("; for i.i.d. rounds √(t log log t), almost surely, and in mean O(√t), " +
			"of the soft violation too")
	case e.facts.Perturbed:
		return f.withDetail("; constraints are perturbed, the benchmark is that of the average b, " +
			"and the soft violation is O(√t), too")
	}
	return f
}

// judgeGamma compares the penalty weight in use with the weight that is sufficient by Theorem 1,
// or by Corollary 2, and with the weight that the averaged problem needs.
func (e *evidence) judgeGamma(theorem1, corollary2 Finding) Finding {
	f, g := Finding{Name: "γ is enough"}, &e.Gamma
	verdict := Open
	switch {
	case e.Constraints == 0:
		return f.withVerdict(Holds, "there are no constraints")
	case g.Effective == nil || *g.Effective > g.Used:
		verdict = Fails
	case theorem1.Verdict == Applies,
		corollary2.Verdict == Applies && g.Limit != nil && g.Used > *g.Limit:
		verdict = Holds
	}
	f = f.withVerdict(verdict, "γ = %s", threeDigits(&g.Used))
	switch {
	case g.Sufficient != nil:
		f = f.withDetail("; Theorem 1 asks for more than %s", threeDigits(g.Sufficient))
	case g.Limit != nil:
		f = f.withDetail("; with a_T in every round it would ask for more than %s", threeDigits(g.Limit))
	}
	if g.Effective == nil {
		return f.withDetail("; no γ is enough for the averaged problem")
	}
	return f.withDetail("; the averaged problem needs %s", threeDigits(g.Effective))
}
