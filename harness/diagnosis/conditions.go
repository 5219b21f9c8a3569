package diagnosis

import (
	"fmt"
	"slices"
	"strings"
)

// Each condition of the paper is one function. The first true case of its switch has the verdict
// and the sentence. The functions judge what was measured before, and measure nothing.

// withVerdict returns the finding with a verdict and the reason for it.
func (f Finding) withVerdict(v Verdict, format string, args ...any) Finding {
	f.Verdict, f.Reason = v, fmt.Sprintf(format, args...)
	f.cause = f.Reason
	return f
}

// withDetail adds to the reason what theorems that need the condition do not repeat.
func (f Finding) withDetail(format string, args ...any) Finding {
	f.Reason += fmt.Sprintf(format, args...)
	return f
}

// ftrlCondition judges Condition 1, for the kinds "loss" and "constraint". The paper asks that D is
// bounded, and that losses and constraints are convex with one Lipschitz constant for all rounds.
// Measured are the departure from convexity between sampled points, and the growth of the largest
// slope over a decade.
func ftrlCondition(d *Diagnosis, kinds ...string) Finding {
	f := Finding{Name: "FTRL condition", number: 1}
	slopes := Fact{bounded: Holds} // of these kinds, one that fails, else one that is open
	for _, fact := range d.Facts {
		kind, lipschitz := strings.CutSuffix(fact.Name, "_lipschitz")
		switch {
		case fact.Name == "departure_from_convex" && fact.Broken:
			return f.withVerdict(Fails, "a function is not convex between two sampled points, by %s",
				threeDigits(&fact.Measured))
		case lipschitz && slices.Contains(kinds, kind) && (slopes.bounded == Holds ||
			slopes.bounded == Open && fact.bounded == Fails):
			slopes = fact
		}
	}
	kind := strings.TrimSuffix(slopes.Name, "_lipschitz")
	switch {
	case slopes.bounded == Fails:
		return f.withVerdict(Fails,
			"the slopes of the %s functions grow like t^%s over the last decade: "+
				"they have no Lipschitz constant for all rounds", kind, twoDecimals(slopes.Grows))
	case slopes.bounded == Holds:
		return f.withVerdict(Holds,
			"D is bounded, and losses and constraints are convex and uniformly Lipschitz")
	case d.Rounds < shortestHorizon || slopes.Grows == nil:
		return f.withVerdict(Open,
			"the horizon is too short to tell whether the slopes of the %s functions are bounded", kind)
	}
	return f.withVerdict(Open, "the largest slope of the %s functions grew like t^%s over the last "+
		"decade, and may level off", kind, twoDecimals(slopes.Grows))
}

// slaterPoint judges the first half of Condition 2. The paper asks for one z at which all averages
// are ≤ −η < 0 from some round t_ε on. Measured are the averages at the point with the largest
// margin at T/100, T/30, T/10, T/3 and T.
func slaterPoint(c *penaltyCondition) Finding {
	f, z := Finding{Name: "Slater point", number: 2}, &c.slater
	vanishes := z.vanishes && z.Other == nil
	shrinks := z.Exponent != nil && *z.Exponent < -vanishingExponent
	switch {
	case c.constraints == 0:
		return f.withVerdict(Holds, "there are no constraints")
	case z.noneInLimit:
		return f.withVerdict(Fails, "the largest margin in expectation is %s", threeDigits(z.Limit))
	case z.Eta == nil && !z.mayTurnPositive && c.rounds >= shortestHorizon:
		return f.withVerdict(Fails,
			"no point of D has all averages below 0, nor do they come closer to it")
	case z.Eta == nil:
		return f.withVerdict(Open, "no point of D has all averages below 0 yet")
	case vanishes && z.Limit == nil && c.rounds >= longHorizon:
		return f.withVerdict(Fails, "the margin of constraint %d at z shrinks like t^%s: "+
			"it vanishes in the limit", z.Constraint, twoDecimals(z.Exponent))
	case !vanishes && !z.unclear && !z.unsettled:
		f = f.withVerdict(Holds, "at one z all averages are ≤ −%s from round %d on", threeDigits(z.Eta),
			z.Burn+1)
		switch {
		case z.Other != nil:
			return f.withDetail("; that margin shrinks, but at another point one of %s stays",
				threeDigits(z.Other))
		case shrinks:
			return f.withDetail("; that margin shrinks, but every single round leaves %s",
				threeDigits(z.Round))
		}
		return f
	case c.rounds < shortestHorizon:
		return f.withVerdict(Open, "the horizon is too short to tell whether a margin stays")
	case shrinks:
		return f.withVerdict(Open,
			"the margin of constraint %d at z shrinks like t^%s, and may level off",
			z.Constraint, twoDecimals(z.Exponent))
	}
	return f.withVerdict(Open, "all averages are ≤ −%s only from round %d on", threeDigits(z.Eta),
		z.Burn+1)
}

// penaltyGrowth judges the second half of Condition 2. The paper asks for k_τ ≥ (β/η)τ for τ > t_ε,
// where k_τ is the number of averages that are active on the boundary of X̂^max_τ. Measured are an
// upper and a lower bound of k_τ, and how they grow. The verdict follows from the first that
// applies: there is nothing to count, the counts are too few, a bound decides, or none does. The
// Slater point must have been judged before.
func penaltyGrowth(c *penaltyCondition) Finding {
	f, z, k := Finding{Name: "penalty growth", number: 2}, &c.slater, &c.growth
	switch {
	case c.constraints == 0:
		return f.withVerdict(Holds, "there are no constraints: the penalty is zero")
	case z.Eta == nil && z.Verdict == Fails:
		return f.withVerdict(Fails, "it needs the Slater point")
	case z.Eta == nil:
		return f.withVerdict(Open, "it needs the Slater point")
	case k.Unmoved:
		return f.withVerdict(Open,
			"the averages have not moved yet, but those of other replicates have, "+
				"or the expectation is another one")
	case k.Vacuous && k.linear:
		return f.withVerdict(Holds, "X̂^max is all of D: the penalty is zero")
	case c.rounds < shortestHorizon || k.Count != nil && k.Exponent == nil:
		return f.withVerdict(Open, "the horizon is too short to tell how k_τ grows")
	case k.linear:
		return linearGrowth(f, k)
	case k.slower:
		return sublinearGrowth(f, k)
	case k.Vacuous:
		return f.withVerdict(Open,
			"no segment from z to a sampled point of the boundary of D leaves X̂^max, but others may")
	case c.rounds < longHorizon && *k.Exponent <= sublinearExponent:
		return f.withVerdict(Open, "k_τ grows like t^%s so far", twoDecimals(k.Exponent)).
			withDetail(", and the horizon is too short to tell whether it goes on")
	}
	return undecidedGrowth(f, k, z.Burn)
}

// linearGrowth returns the finding that the lower bound of k_τ grows linearly.
func linearGrowth(f Finding, k *Growth) Finding {
	f = f.withVerdict(Holds, "k_τ grows like t^%s; k_T ≥ %s; β = %s from round %d on",
		twoDecimals(k.Exponent), formatOptional("%d", k.Lower), threeDigits(k.Beta), k.From)
	if k.Tolerant {
		return f.withDetail(", counting averages within ε/√i, ε = %s: up to O(ε/√τ)",
			threeDigits(k.Epsilon))
	}
	return f
}

// sublinearGrowth returns the finding that the upper bound of k_τ grows more slowly than τ.
func sublinearGrowth(f Finding, k *Growth) Finding {
	f = f.withVerdict(Fails, "k_τ grows like t^%s", twoDecimals(k.Exponent)).
		withDetail("; k_T ≤ %s, counting averages within ε/√i, ε = %s", formatOptional("%d", k.Count),
			threeDigits(k.Epsilon))
	if *k.Exponent < vanishingExponent {
		return f.withDetail(": early averages bound X̂^max, and later ones leave it")
	}
	return f
}

// undecidedGrowth returns the finding that neither bound of k_τ decides, with what they are.
func undecidedGrowth(f Finding, k *Growth, burn int) Finding {
	upper, p := *k.Count, twoDecimals(k.Exponent)
	switch {
	case k.Early:
		f = f.withVerdict(Open, "k_T ≤ %d, growing like t^%s, without the first %s, which cut X̂^max "+
			"further", upper, p, roundsUpTo(burn))
	case k.Lower != nil && *k.Lower > 0:
		f = f.withVerdict(Open, "%d ≤ k_T ≤ %d, growing like t^%s", *k.Lower, upper, p)
	default:
		f = f.withVerdict(Open, "k_T ≤ %d, growing like t^%s", upper, p)
	}
	return f.withDetail("; the upper bound counts averages within ε/√i, ε = %s",
		threeDigits(k.Epsilon))
}

// sqrtConvergence judges Condition 3. The paper asks that the averages converge at the rate 1/√t or
// faster. Measured is the exponent of their oscillation over octaves, or of their distance to the
// expectation.
func sqrtConvergence(d *Diagnosis) Finding {
	f, c := Finding{Name: "1/√t-convergence", number: 3}, &d.Convergence
	switch {
	case d.Rounds < shortestHorizon:
		return f.withVerdict(Open, "the horizon is too short")
	case c.Zero:
		return f.withVerdict(Holds, "the averages are constant")
	case c.Value == nil:
		return f.withVerdict(Open,
			"the decay of the averages has no exponent, since they are constant over some octave")
	}
	f = f.withVerdict(c.Verdict, "averages converge like t^%s", exponentWithInterval(&c.Exponent))
	if d.Paths == 1 {
		f = f.withDetail(" (one path)")
	}
	switch c.Rate {
	case "faster":
		f = f.withDetail(", faster than 1/√t")
	case "slower":
		f = f.withDetail(", slower than 1/√t")
	case "1/sqrt(t)":
		f = f.withDetail(": 1/√t")
	}
	if c.Drift {
		f = f.withDetail("; a drift under noise")
	}
	return f
}

// nonemptyXhat judges whether X̂^max has a point; Lemma 6 asks for a Slater point of all prefixes.
// The best action over X̂^max in hindsight decides. It is a part of theorems, and not reported
// alone.
func nonemptyXhat(d *Diagnosis) Finding {
	switch {
	case !slices.Contains(d.Sets, Set{"xhat", true}):
		return Finding{Verdict: Holds}
	case d.Slater.Eta == nil:
		return Finding{}.withVerdict(Fails, "X̂^max is empty")
	}
	return Finding{}.withVerdict(Fails, "X̂^max is empty, and would not be without the first %s",
		roundsUpTo(d.Slater.Burn))
}

// threeDigits formats a number with three significant digits.
func threeDigits(v *float64) string { return formatOptional("%.3g", v) }

// twoDecimals formats a number with two decimals.
func twoDecimals(v *float64) string { return formatOptional("%.2f", v) }

// formatOptional formats a number, or returns "–" if v is nil.
func formatOptional[N int | float64](format string, v *N) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf(format, *v)
}

// exponentWithInterval formats an exponent with its interval if it has one; "?" without an
// exponent.
func exponentWithInterval(e *Exponent) string {
	switch {
	case e.Value == nil:
		return "?"
	case e.Lower == nil || e.Upper == nil:
		return twoDecimals(e.Value)
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f]", *e.Value, *e.Lower, *e.Upper)
}

// roundsUpTo returns what follows "the first" in a sentence: "round", or a number of rounds.
func roundsUpTo(last int) string {
	if last == 1 {
		return "round"
	}
	return fmt.Sprintf("%d rounds", last)
}
