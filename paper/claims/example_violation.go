package claims

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
)

// Claim 37: in the Example with γ = 25 the soft violation stays near 0 for c = 1 and c = 0.5, and
// grows faster than √t for c in between.
//
//   - slack: for c < 1 the average of the constraint tends to −0.01 < 0 on all of D = [−10, 10].
//     Once all averages are negative, the constraint is slack: the actions stay at 10, where the
//     losses pull, rounds without x ≤ 0 reduce the sum of the constraint, and both violations stop
//     growing. A game with c = 0.55 that ends with soft violation 0, and whose penalty violation
//     is constant over its second half, refutes the claim.
//   - growth: before that, for t ≤ 10⁴, the claim must hold in the mean. Violations that grow
//     faster than √t do so by more than √10 in a decade.
var exampleViolation = checks{
	"slack":  exampleSlack,
	"growth": exampleGrowth,
}

// exampleSlack plays the Example with c = 0.55 until long after the constraint is slack, at about
// t = 27800 in expectation. A larger c would need far longer games.
func exampleSlack(l *Lab) (Finding, error) {
	const c, horizon, slackFrom = 0.55, 100000, 50000
	const domainEnd = 10 // the upper end of D, to which the losses pull
	games, unviolated, peak, mostPenalty, lastBelowEnd := l.Repeat(5), 0, 0., 0., 0
	err := l.eachTrial(5, exampleSpecs(1, c), func(p *trial) error {
		penaltyAtSlack := 0.
		game, err := p.playLine("penalised-ftrl", horizon, func(o *line, t int) {
			if peak = max(peak, o.softViolation()); t == slackFrom {
				penaltyAtSlack = o.penalty
			}
			if o.x < domainEnd {
				lastBelowEnd = max(lastBelowEnd, t)
			}
		})
		if err != nil {
			return err
		}
		if game.softViolation() == 0 && game.penalty == penaltyAtSlack {
			unviolated++
		}
		mostPenalty = max(mostPenalty, game.penalty)
		return nil
	})
	return Finding{
		Outcome: refutesIf(unviolated == games),
		Text: fmt.Sprintf(`with $c=%v$, $x_t=10$ from $t=%d$ on; the soft violation rises to %.3g and is 0 at $t=%d$ in %d of %d games, where the penalty violation, at most %.3g, does not change from $t=%d$ on`,
			c, lastBelowEnd+1, peak, horizon, unviolated, games, mostPenalty, slackFrom),
		Values: []Value{{"peak", peak}, {"games", float64(games)}, {"slack", float64(unviolated)}},
	}, err
}

// exampleGrowth compares mean soft violations at t = 10³ and 10⁴ in the experiment frequency. For
// c = 0.75 and 0.9 the interval of the mean must grow by more than √10. For c = 0.5 and 1 the
// mean must grow by less, and be "near 0": below a fifth of that for c = 0.75.
func exampleGrowth(l *Lab) (Finding, error) {
	a, err := l.Experiment("frequency")
	if err != nil {
		return Finding{}, err
	}
	f := Finding{Outcome: Survives}
	meanAt := func(c, t float64) analysis.Estimate {
		return experimentMean(a, "penalised-ftrl", fmt.Sprintf("decaying-frequency:c=%v", c),
			algorithms.SoftViolation, t)
	}
	nearZero := float64(meanAt(0.75, 10000).Value) / 5
	for _, c := range []float64{0.5, 0.75, 0.9, 1} {
		early, late := meanAt(c, 1000), meanAt(c, 10000)
		grows := float64(late.Lower) > math.Sqrt(10)*float64(early.Upper)
		small := float64(late.Value) < math.Sqrt(10)*float64(early.Value) &&
			float64(late.Value) < nearZero
		between := c > 0.5 && c < 1
		if between && !grows || !between && !small {
			f.Outcome = Refutes
		}
		f.addSentence(", ", `%.3g and %.4g with $c=%v$`, float64(early.Value), float64(late.Value), c)
		f.Values = append(f.Values, Value{fmt.Sprintf("soft-%d", int(math.Round(100*c))),
			float64(late.Value)})
	}
	f.Text = "the mean soft violation at $t=10^3$ and $10^4$ is " + f.Text
	return f, nil
}
