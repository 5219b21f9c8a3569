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
	ftrl := ftrlCondition(d)
	slater := slaterPoint(d, &d.Slater)
	growth := penaltyGrowth(d, &d.Growth, &d.Slater)
	rate := convergence(d)
	theorem2 := conclude("theorem 2", ftrl, slater, growth)
	if theorem2.Verdict == Applies {
		theorem2.Reason = "if γ is large enough, regret against X̂^max and the penalty violation are O(√t); the soft violation Σ_t g_t(x_t) is not bounded by it"
	}
	theorem1 := theorem1(d, theorem2)
	out := []Finding{ftrl, slater, growth, rate, theorem1, theorem2}
	limit := corollary2(d, facts, ftrl, slater, rate)
	return append(out, corollary1(d, plus, relaxed, ftrl), limit, penaltyWeight(d, theorem1, limit))
}

// conclude says whether a theorem applies, and otherwise names the first condition
// that does not hold.
func conclude(name string, conditions ...Finding) Finding {
	for _, want := range []Verdict{Fails, Undetermined} {
		for _, c := range conditions {
			if c.Verdict != want {
				continue
			}
			if want == Fails {
				return Finding{name, Inapplicable, c.Name + " fails"}
			}
			return Finding{name, Undetermined, c.Name + " is undetermined"}
		}
	}
	return Finding{name, Applies, ""}
}

func ftrlCondition(d *Diagnosis) Finding {
	f := Finding{"FTRL condition", Holds, "D is bounded, and losses and constraints are convex and uniformly Lipschitz"}
	for _, fact := range d.Facts {
		switch {
		case fact.Name == "departure_from_convex" && fact.Broken:
			return Finding{f.Name, Fails, "a function is not convex between two sampled points, by " + short(fact.Measured)}
		case strings.HasSuffix(fact.Name, "_lipschitz"):
			kind := strings.TrimSuffix(fact.Name, "_lipschitz")
			trusted := fact.Declared != nil && !fact.Broken
			if !trusted && fact.Grows != nil && *fact.Grows > agree {
				return Finding{f.Name, Fails, fmt.Sprintf("the slopes of the %s functions still grow, like t^%.2f over the last decade: there is no Lipschitz constant for all rounds", kind, *fact.Grows)}
			}
		}
	}
	return f
}

func slaterPoint(d *Diagnosis, s *Slater) Finding {
	f := Finding{"Slater point", s.Verdict, ""}
	switch {
	case s.Margin == nil:
		f.Reason = "there are no constraints"
	case s.Eta == nil:
		f.Reason = "no point of D has all averages below 0 over the last two decades"
	case s.Verdict == Holds:
		f.Reason = fmt.Sprintf("at one z all averages are ≤ −%s from round %d on", short(*s.Eta), s.Burn+1)
		if s.Exponent != nil && *s.Exponent < -vanishing {
			f.Reason += fmt.Sprintf("; that margin shrinks, but every single round leaves %s", short(*s.Round))
		}
	case s.Verdict == Fails:
		f.Reason = fmt.Sprintf("the margin of constraint %d at z shrinks like t^%.2f: it vanishes in the limit", s.Constraint, *s.Exponent)
	default:
		f.Reason = fmt.Sprintf("all averages are ≤ −%s only from round %d on", short(*s.Eta), s.Burn+1)
		switch {
		case s.Exponent != nil && *s.Exponent < -vanishing:
			f.Reason = fmt.Sprintf("the margin of constraint %d at z shrinks like t^%.2f, and may level off", s.Constraint, *s.Exponent)
		case s.Exponent == nil || d.Rounds < shortest:
			f.Reason = "the horizon is too short to tell whether the margin stays"
		}
	}
	return f
}

func penaltyGrowth(d *Diagnosis, g *Growth, s *Slater) Finding {
	f := Finding{"penalty growth", g.Verdict, ""}
	switch {
	case s.Eta == nil:
		f.Reason = "it needs the Slater point"
	case g.Vacuous:
		f.Reason = "X̂^max is all of D at the sampled points: the penalty is zero"
	case g.Exponent == nil || d.Rounds < shortest:
		f.Reason = "the horizon is too short to tell how k_τ grows"
	default:
		f.Reason = fmt.Sprintf("k_τ grows like t^%.2f; k_T = %d at tolerance ε/√i, ε = %s", *g.Exponent, *g.Count, short(*g.Epsilon))
		switch g.Verdict {
		case Holds:
			f.Reason += "; β = " + short(*g.Beta)
		case Fails:
			if *g.Exponent < vanishing {
				f.Reason += ": early averages bound X̂^max, and later ones leave it"
			}
		}
	}
	return f
}

func convergence(d *Diagnosis) Finding {
	c := &d.Convergence
	f := Finding{"1/√t-convergence", c.Verdict, ""}
	switch {
	case d.Rounds < shortest:
		f.Reason = "the horizon is too short"
		return f
	case c.Zero:
		f.Reason = "the averages are constant"
		return f
	case c.Value == nil:
		f.Reason = "the decay of the averages has no exponent, since they are constant over some octave"
		return f
	}
	f.Reason = "averages converge like t^" + interval(&c.Exponent)
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
	return f
}

func theorem1(d *Diagnosis, two Finding) Finding {
	f := two
	f.Name = "theorem 1"
	if f.Verdict != Applies || d.Gamma.Sufficient == nil {
		return f
	}
	switch s := *d.Gamma.Sufficient; {
	case d.Gamma.Used > s:
		f.Reason = fmt.Sprintf("γ = %s > %s = (E+L+1)/β: x_{τ+1} is in X̂^max_τ from t_ε on", short(d.Gamma.Used), short(s))
	default:
		f.Verdict = Undetermined
		f.Reason = fmt.Sprintf("γ = %s is not above the sufficient %s = (E+L+1)/β", short(d.Gamma.Used), short(s))
	}
	return f
}

func corollary1(d *Diagnosis, plus []int, relaxed *condition, ftrl Finding) Finding {
	f := Finding{"corollary 1", Applies, ""}
	left := d.Constraints - len(plus)
	slater, growth := slaterPoint(d, &relaxed.slater), penaltyGrowth(d, &relaxed.growth, &relaxed.slater)
	switch {
	case ftrl.Verdict != Holds:
		return conclude(f.Name, ftrl)
	case d.Constraints == 0:
		f.Reason = "there are no constraints"
	case len(plus) == 0:
		f.Reason = "Σ_i max(0, a_{i,j}(x)) is O(√t) on D for every j: no other condition is needed"
	case left == 0:
		e := &d.Penalties[slices.MaxFunc(plus, func(a, b int) int { return compare(d.Penalties[a], d.Penalties[b]) })]
		f = conclude(f.Name, slater, growth)
		if f.Verdict == Applies {
			f.Reason = "as Theorem 2, with all constraints"
		} else if e.Value != nil {
			f.Reason = "no constraint can be left out: Σ_i max(0, a_{i,j}(x)) grows like t^" + interval(e) + "; " + f.Reason
		}
	default:
		f = conclude(f.Name, slater, growth)
		why := f.Reason
		if f.Verdict == Applies {
			why = "Theorem 2 applies"
		}
		f.Reason = fmt.Sprintf("%d of %d constraints can be left out, their penalty being O(√t); to the others: %s", left, d.Constraints, why)
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
	f := Finding{"γ is enough", Undetermined, "γ = " + short(g.Used)}
	switch {
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
