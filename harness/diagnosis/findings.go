package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ocobench/convex"
)

// findings says which conditions of the paper hold and which theorems apply. plus are
// the constraints that need a Slater point and penalty growth for Corollary 1, and
// relaxed is the measurement for these constraints only.
func findings(d *Diagnosis, facts convex.Facts, plus []int, relaxed *condition) []Finding {
	ftrl := ftrlCondition(d, "loss", "constraint")
	slater := slaterPoint(d, &d.Slater)
	growth := penaltyGrowth(d, &d.Growth, &d.Slater)
	rate := convergence(d)
	one, limit := theorem1(d, slater, growth), corollary2(d, facts, ftrl, slater, rate)
	return []Finding{
		ftrl, slater, growth, rate,
		one, theorem2(d, ftrl, slater, growth), corollary1(d, plus, relaxed, ftrl), limit,
		penaltyWeight(d, one, limit),
	}
}

// conclude says whether a theorem applies, and otherwise names the conditions that
// decide, with the numbers that decided on them.
func conclude(name string, conditions ...Finding) Finding {
	for _, want := range []struct{ condition, theorem Verdict }{{Fails, Inapplicable}, {Open, Open}} {
		var why []string
		for _, c := range conditions {
			if c.Verdict != want.condition {
				continue
			}
			verb := "fails"
			if want.condition == Open {
				verb = "is open"
			}
			if c.number > 0 {
				c.brief = fmt.Sprintf("%s (Condition %d) %s: %s", c.Name, c.number, verb, c.brief)
			}
			why = append(why, c.brief)
		}
		if why != nil {
			return Finding{Name: name, Verdict: want.theorem, Reason: strings.Join(why, "; ")}
		}
	}
	return Finding{Name: name, Verdict: Applies}
}

// ftrlCondition is Condition 1 for functions of some kinds. Theorem 1 asks it of the
// losses, whose Lipschitz constant bounds L.
func ftrlCondition(d *Diagnosis, kinds ...string) Finding {
	f := Finding{Name: "FTRL condition", number: 1, Verdict: Holds, Reason: "D is bounded, and losses and constraints are convex and uniformly Lipschitz"}
	for _, fact := range d.Facts {
		kind := strings.TrimSuffix(fact.Name, "_lipschitz")
		switch {
		case fact.Name == "departure_from_convex" && fact.Broken:
			f.Verdict, f.Reason = Fails, "a function is not convex between two sampled points, by "+short(fact.Measured)
		case f.Verdict == Fails || !slices.Contains(kinds, kind):
		case fact.bounded == Fails:
			f.Verdict, f.Reason = Fails, fmt.Sprintf("the slopes of the %s functions grow like t^%.2f over the last decade: they have no Lipschitz constant for all rounds", kind, *fact.Grows)
		case fact.bounded != Open || f.Verdict == Open:
		case fact.Grows == nil || d.Rounds < shortest:
			f.Verdict, f.Reason = Open, fmt.Sprintf("the horizon is too short to tell whether the slopes of the %s functions are bounded", kind)
		default:
			f.Verdict, f.Reason = Open, fmt.Sprintf("the largest slope of the %s functions grew like t^%.2f over the last decade, and may level off", kind, *fact.Grows)
		}
	}
	f.brief = f.Reason
	return f
}

func slaterPoint(d *Diagnosis, s *Slater) Finding {
	f := Finding{Name: "Slater point", number: 2, Verdict: s.Verdict}
	known := s.Limit != nil && s.Verdict == Fails
	shrinks := s.Exponent != nil && *s.Exponent < -vanishing
	switch {
	case s.Margin == nil:
		f.Reason = "there are no constraints"
	case known:
		f.Reason = fmt.Sprintf("the largest margin in expectation is %s", short(*s.Limit))
	case s.Eta == nil && s.Verdict == Fails:
		f.Reason = "no point of D has all averages below 0, nor do they come closer to it"
	case s.Eta == nil:
		f.Reason = "no point of D has all averages below 0 yet"
	case s.Verdict == Holds:
		f.Reason = fmt.Sprintf("at one z all averages are ≤ −%s from round %d on", short(*s.Eta), s.Burn+1)
		switch {
		case s.Other != nil:
			f.Reason += fmt.Sprintf("; that margin shrinks, but at another point one of %s stays", short(*s.Other))
		case shrinks:
			f.Reason += fmt.Sprintf("; that margin shrinks, but every single round leaves %s", short(*s.Round))
		}
	case s.Verdict == Fails:
		f.Reason = fmt.Sprintf("the margin of constraint %d at z shrinks like t^%.2f: it vanishes in the limit", s.Constraint, *s.Exponent)
	case d.Rounds < shortest:
		f.Reason = "the horizon is too short to tell whether a margin stays"
	case shrinks:
		f.Reason = fmt.Sprintf("the margin of constraint %d at z shrinks like t^%.2f, and may level off", s.Constraint, *s.Exponent)
	default:
		f.Reason = fmt.Sprintf("all averages are ≤ −%s only from round %d on", short(*s.Eta), s.Burn+1)
	}
	f.brief = f.Reason
	return f
}

func penaltyGrowth(d *Diagnosis, g *Growth, s *Slater) Finding {
	f := Finding{Name: "penalty growth", number: 2, Verdict: g.Verdict}
	switch {
	case s.Margin == nil:
		f.Reason = "there are no constraints: the penalty is zero"
	case s.Eta == nil:
		f.Reason = "it needs the Slater point"
	case g.Vacuous && g.Verdict == Holds:
		f.Reason = "X̂^max is all of D: the penalty is zero"
	case g.Count != nil && g.Exponent == nil || d.Rounds < shortest:
		f.Reason = "the horizon is too short to tell how k_τ grows"
	case g.Verdict == Holds:
		f.brief = "k_τ grows linearly"
		f.Reason = fmt.Sprintf("k_τ grows like t^%.2f; k_T ≥ %d; β = %s from round %d on", *g.Exponent, *g.Lower, short(*g.Beta), g.From)
		if g.Tolerant {
			f.Reason += fmt.Sprintf(", counting averages within ε/√i, ε = %s: up to O(ε/√τ)", short(*g.Epsilon))
		}
	case g.Verdict == Fails:
		f.brief = fmt.Sprintf("k_τ grows like t^%.2f", *g.Exponent)
		f.Reason = fmt.Sprintf("%s; k_T ≤ %d, counting averages within ε/√i, ε = %s", f.brief, *g.Count, short(*g.Epsilon))
		if *g.Exponent < vanishing {
			f.Reason += ": early averages bound X̂^max, and later ones leave it"
		}
	case g.Still:
		f.Reason = "the averages have not moved yet, but those of other replicates have, or the expectation is another one"
	case g.Count == nil:
		f.Reason = "no segment from z to a sampled point of the boundary of D leaves X̂^max, but others may"
	case d.Rounds < long && *g.Exponent <= sublinear:
		f.brief = fmt.Sprintf("k_τ grows like t^%.2f so far", *g.Exponent)
		f.Reason = f.brief + ", and the horizon is too short to tell whether it goes on"
	default:
		f.brief = fmt.Sprintf("k_T ≤ %d, growing like t^%.2f", *g.Count, *g.Exponent)
		switch {
		case g.Early:
			f.brief += fmt.Sprintf(", without the first %s, which cut X̂^max further", rounds(s.Burn))
		case g.Lower != nil && *g.Lower > 0:
			f.brief = fmt.Sprintf("%d ≤ %s", *g.Lower, f.brief)
		}
		f.Reason = fmt.Sprintf("%s; the upper bound counts averages within ε/√i, ε = %s", f.brief, short(*g.Epsilon))
	}
	if f.brief == "" {
		f.brief = f.Reason
	}
	return f
}

func rounds(n int) string {
	if n == 1 {
		return "round"
	}
	return fmt.Sprintf("%d rounds", n)
}

func convergence(d *Diagnosis) Finding {
	c := &d.Convergence
	f := Finding{Name: "1/√t-convergence", number: 3, Verdict: c.Verdict}
	switch {
	case d.Rounds < shortest:
		f.Reason = "the horizon is too short"
	case c.Zero:
		f.Reason = "the averages are constant"
	case c.Value == nil:
		f.Reason = "the decay of the averages has no exponent, since they are constant over some octave"
	default:
		f.Reason = "averages converge like t^" + interval(&c.Exponent)
		f.brief = f.Reason
		if d.Paths == 1 {
			f.Reason += " (one path)"
		}
		switch c.Rate {
		case "faster":
			f.Reason += ", faster than 1/√t"
		case "slower":
			f.Reason += ", slower than 1/√t"
		case "1/sqrt(t)":
			f.Reason += ": 1/√t"
		}
		if c.Drift {
			f.Reason += "; a drift under noise"
		}
	}
	if f.brief == "" {
		f.brief = f.Reason
	}
	return f
}

// benchmark is what Theorems 1 and 2 are about: X̂^max has a point, since Lemma 6 asks for
// a Slater point of all prefixes.
func benchmark(d *Diagnosis) Finding {
	f := Finding{Name: "X̂^max", Verdict: Holds}
	if slices.Contains(d.Sets, Set{"xhat", true}) {
		f.Verdict, f.brief = Fails, "X̂^max is empty"
		if d.Slater.Eta != nil {
			f.brief += fmt.Sprintf("; only without its first %s it is not", rounds(d.Slater.Burn))
		}
	}
	return f
}

func theorem1(d *Diagnosis, slater, growth Finding) Finding {
	f := conclude("theorem 1", benchmark(d), ftrlCondition(d, "loss"), slater, growth)
	g := &d.Growth
	switch s := d.Gamma.Sufficient; {
	case f.Verdict != Applies:
	case s == nil:
		f.Reason = "X̂^max is D, and has every action"
	case d.Gamma.Used > *s:
		f.Reason = fmt.Sprintf("γ = %s > %s = (E+L+1)/β: x_{τ+1} is in X̂^max_τ from round %d on", short(d.Gamma.Used), short(*s), g.From)
		if g.Tolerant {
			f.Reason += fmt.Sprintf(", up to O(ε/√τ), ε = %s", short(*g.Epsilon))
		}
	default:
		f.Verdict = Open
		f.Reason = fmt.Sprintf("γ = %s is not above the sufficient %s = (E+L+1)/β", short(d.Gamma.Used), short(*s))
	}
	return f
}

func theorem2(d *Diagnosis, ftrl, slater, growth Finding) Finding {
	f := conclude("theorem 2", benchmark(d), ftrl, slater, growth)
	if f.Verdict != Applies {
		return f
	}
	f.Reason = "regret against X̂^max and penalty violation are O(√t)"
	if s := d.Gamma.Sufficient; s != nil {
		f.Reason = fmt.Sprintf("for γ > %s, if not for a smaller one, %s", short(*s), f.Reason)
	}
	f.Reason += "; the soft violation Σ_t g_t(x_t) is not bounded by it"
	return f
}

func corollary1(d *Diagnosis, plus []int, relaxed *condition, ftrl Finding) Finding {
	const name = "corollary 1"
	var open, grow []int
	for _, j := range plus {
		if d.Penalties[j].Verdict == Open {
			open = append(open, j)
		} else {
			grow = append(grow, j)
		}
	}
	left := d.Constraints - len(plus)
	slater, growth := slaterPoint(d, &relaxed.slater), penaltyGrowth(d, &relaxed.growth, &relaxed.slater)
	conditions := []Finding{ftrl, slater, growth}
	if left == 0 {
		conditions = append(conditions, benchmark(d))
	}
	f := conclude(name, conditions...)
	switch {
	case d.Constraints == 0:
		if f.Verdict == Applies {
			f.Reason = "there are no constraints to leave out"
		}
	case len(plus) == 0:
		if f = conclude(name, ftrl); f.Verdict == Applies {
			f.Reason = "Σ_i max_x max(0, a_{i,j}(x)) is O(√t) for every j: no other condition is needed"
		}
	case ftrl.Verdict == Fails:
		f = conclude(name, ftrl)
	case f.Verdict == Applies && left == 0:
		f.Reason = "with all constraints, as Theorem 2: none has to be left out"
	case f.Verdict == Applies:
		f.Reason = fmt.Sprintf("%d of %d constraints can be left out, their penalty being O(√t); the others have a Slater point and penalty growth", left, d.Constraints)
	default:
		if len(open) > 0 { // Some of these may be left out, too.
			f.Verdict = Open
			f.Reason += fmt.Sprintf("; whether constraint %d can be left out is open", open[0]+1)
		} else {
			e := &d.Penalties[slices.MaxFunc(grow, func(a, b int) int { return compare(d.Penalties[a], d.Penalties[b]) })]
			who := fmt.Sprintf("only %d of %d constraints", left, d.Constraints)
			if left == 0 {
				who = "no constraint"
			}
			f.Reason += fmt.Sprintf("; %s can be left out: Σ_i max_x max(0, a_{i,j}(x)) grows like t^%s", who, interval(e))
		}
	}
	return f
}

// compare orders exponents by their values.
func compare(a, b Exponent) int {
	switch {
	case a.Value == nil && b.Value == nil:
		return 0
	case a.Value == nil:
		return -1
	case b.Value == nil || *a.Value > *b.Value:
		return 1
	}
	return -1
}

func corollary2(d *Diagnosis, facts convex.Facts, ftrl, slater, rate Finding) Finding {
	f := conclude("corollary 2", ftrl, rate, slater)
	if f.Verdict != Applies {
		return f
	}
	f.Reason = "with a_T in the place of the constraints and δ = O(1/√i): O(√t) against X^max, of the penalty violation too (the paper gives no proof)"
	switch {
	case facts.Fixed:
		f.Reason += "; constraints are fixed"
	case facts.IID:
		f.Reason += "; for i.i.d. rounds √(t log log t), almost surely"
	case facts.Perturbed:
		f.Reason += "; constraints are perturbed, the benchmark is that of the average b"
	}
	return f
}

// penaltyWeight compares γ with the sufficient and the necessary thresholds.
func penaltyWeight(d *Diagnosis, theorem, limit Finding) Finding {
	g := &d.Gamma
	f := Finding{Name: "γ is enough", Verdict: Open, Reason: "γ = " + short(g.Used)}
	switch {
	case d.Constraints == 0:
		return Finding{Name: f.Name, Verdict: Holds, Reason: "there are no constraints"}
	case g.Sufficient != nil:
		f.Reason += "; Theorem 1 asks for more than " + short(*g.Sufficient)
	case g.Limit != nil:
		f.Reason += "; with a_T in every round it would ask for more than " + short(*g.Limit)
	}
	if g.Effective == nil {
		f.Verdict = Fails
		f.Reason += "; no γ is enough for the averaged problem"
		return f
	}
	f.Reason += "; the averaged problem needs " + short(*g.Effective)
	switch {
	case g.Used < *g.Effective:
		f.Verdict = Fails
	case theorem.Verdict == Applies, limit.Verdict == Applies && g.Used > *g.Limit:
		f.Verdict = Holds
	}
	return f
}

func interval(e *Exponent) string {
	if e.Value == nil {
		return "?"
	}
	s := fmt.Sprintf("%.2f", *e.Value)
	if e.Lower != nil && e.Upper != nil {
		s += fmt.Sprintf(" [%.2f, %.2f]", *e.Lower, *e.Upper)
	}
	return s
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
