package claims

import (
	"fmt"

	"ocobench/convex"
	"ocobench/harness/game"
)

// Claim 21: in practice one lets γ grow with time, and freezes it once violations are observed to
// cease; it is then large enough. The rule is penalised-ftrl:gamma=adaptive. A game in which its
// violation is linear at the end, where a larger γ has a violation that stops, refutes the claim.
// Losses that are 0 at first, so that nothing is violated, lead to such games. Beside it, a γ that
// is never frozen stays below twice the threshold.
var gammaGrown = checks{
	"both-ends": frozenOnBothEnds,
	"regime-switch": func(l *Lab) (Finding, error) {
		return frozenGamma(l, "regime-switch", 7, 1, 4000)
	},
	"example": func(l *Lab) (Finding, error) {
		return frozenGamma(l, "decaying-frequency", 25, 10, 2000)
	},
	"never-frozen": neverFrozen,
}

// frozenOnBothEnds plays on g = max(x, −x−½) on [−1, 1], with the losses 0 in the first 100 rounds
// and −2x later. Both ends of X̂^max = [−½, 0] are inside of D; Condition 2 holds there, and γ = 15
// suffices.
func frozenOnBothEnds(l *Lab) (Finding, error) {
	g := convex.NewMax(1, affine(0, 1), affine(-0.5, -1))
	fooled, text, values, err := isFooled(15, 4000,
		func(algorithm string, horizon int, observers ...game.Observer) error {
			s := newFixedLine(-1, 1, g, func(t int, _ float64) float64 {
				if t > 100 {
					return -2
				}
				return 0
			})
			return l.PlayOn(algorithm, s, 1, horizon, observers...)
		})
	if fooled {
		text = `the rule ends with too small a $\gamma$: ` + text
	}
	return Finding{Outcome: refutesIf(fooled), Text: text, Values: values}, err
}

// frozenGamma counts the games on a problem in which the rule freezes too small a γ. enough is a γ
// that suffices.
func frozenGamma(l *Lab, problem string, enough float64, games, horizon int) (Finding, error) {
	fooled := 0
	f := Finding{Outcome: Survives}
	err := l.eachTrial(games, []string{problem}, func(p *trial) error {
		isWrong, text, values, err := isFooled(enough, horizon, p.play)
		if isWrong {
			if fooled++; fooled == 1 {
				f.Outcome, f.Values = Refutes, values
				f.Text = fmt.Sprintf(`: in game %d `, p.replicate) + text
			}
		}
		return err
	})
	f.Text = fmt.Sprintf(`on \texttt{%s} the rule ends with too small a $\gamma$ in %d of %d games`,
		problem, fooled, l.Repeat(games)) + f.Text
	return f, err
}

// isFooled plays with the rule that grows and freezes γ, and with a γ that is enough. It reports
// whether the violation with the former is linear at the end, and that with the latter is not.
// From a quarter of the horizon to its end, linear growth adds 3 times the violation so far.
func isFooled(enough float64, horizon int,
	play func(algorithm string, horizon int, observers ...game.Observer) error) (fooled bool,
	text string, values []Value, err error) {
	// adaptive and enough, each at a quarter of the horizon and at its end
	var violations [2][2]float64
	for k, gamma := range []string{"adaptive", fmt.Sprint(enough)} {
		var a penaltyObserver
		err := play("penalised-ftrl:gamma="+gamma, horizon, &a,
			atTwoRounds(horizon/4, horizon, func(at int) { violations[k][at] = a.penalty }))
		if err != nil {
			return false, "", nil, err
		}
	}
	adaptive, fixed := violations[0], violations[1]
	growth := func(v [2]float64) float64 { return (v[1] - v[0]) / max(1e-9, v[0]) }
	text = fmt.Sprintf(`the violation is %.4g at $t=%d$ and %.4g at $t=%d$, where $\gamma=%v$ has %.4g and %.4g`,
		adaptive[0], horizon/4, adaptive[1], horizon, enough, fixed[0], fixed[1])
	return growth(adaptive) > 2.5 && growth(fixed) < 1, text,
		[]Value{{"violation-adaptive", adaptive[1]}, {"violation-large-gamma", fixed[1]}}, nil
}

// neverFrozen doubles γ whenever the next action violates the constraint, and minimises again. γ
// ends at most at twice the threshold if any γ above that suffices.
func neverFrozen(l *Lab) (Finding, error) {
	const horizon = 4000
	s, err := l.Stream("regime-switch", 1)
	if err != nil {
		return Finding{}, err
	}
	gamma := 1.
	var a penaltyObserver
	f := newFollower(s, sqrt, func(_ int, r convex.Round, sum *convex.Sum) {
		sum.SetGamma(gamma)
		sum.Add(1, r.Loss)
		sum.AddHinge(1, convex.Lower(r.Constraints[0], 1)) // fixed: the average is the constraint
	})
	f.again = func(sum *convex.Sum, x []float64) bool {
		if sum.Hinges(x) <= 1e-6 {
			return false
		}
		gamma *= 2
		sum.SetGamma(gamma)
		return true
	}
	err = l.PlayLearner(f, s, horizon, &a)
	const threshold = 1 + 4 + 1 // z = −1, η = β = 1, E = 1, L = 2·2
	return Finding{
		Outcome: refutesIf(gamma > 2*threshold || a.penalty > 1e-3),
		Text:    fmt.Sprintf(`$\gamma$ ends at %.4g, with twice the threshold %d, and the violation of %d rounds is %.4g`, gamma, 2*threshold, horizon, a.penalty),
		Values:  []Value{{"gamma", gamma}},
	}, err
}
