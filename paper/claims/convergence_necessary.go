package claims

import (
	"fmt"
	"math"
)

// Claim 39: whether 1/√t-convergence of the averages (Condition 3) is necessary for regret and
// violation O(√t) is an open question. A stream that violates Condition 3, and on which both stay
// O(√t), settles it, so that the claim is refuted: family plays one. Beside it, drift shows that
// both grow like t^(3/4) where the averages converge too slowly to a limit that binds.
var convergenceNecessary = checks{
	"family": func(l *Lab) (Finding, error) { return slowFamily(l, 0.25) },
	"drift":  slowDrift,
}

// slowFamily plays a family whose averages converge like t^(−rate) and whose constraints are
// negative on all of D, so that penalties are 0 and the regret is that of FTRL. That Condition 3
// is violated is measured: √t·max|ḡ_t − ḡ|, bounded if it held, more than doubles over two
// decades.
func slowFamily(l *Lab, rate float64) (Finding, error) {
	const horizon = 10000
	problem := fmt.Sprintf("family:dim=1,rate=%v,slack=2,margin=1.5,spread=0.2", rate)
	games, slowGames, violation, leastGrowth := l.Repeat(10), 0, 0., math.Inf(1)
	var worst Worst
	err := l.eachTrial(10, []string{problem}, func(p *trial) error {
		// The largest √t·|ḡ_t − ḡ| of the decades that end at t = 100 and at the horizon.
		var early, late float64
		o, err := p.playLine("penalised-ftrl", horizon, func(o *line, t int) {
			switch distance := sqrt(t) * o.averageDistance(t, o.limitSlope, o.limitShift); {
			case t > 10 && t <= 100:
				early = max(early, distance)
			case t > horizon/10:
				late = max(late, distance)
			}
			// The penalties are 0, so that only the losses count for the bound.
			worst.Add(o.regret(o.domain)/leaderBound(t, o.domainRadius(), o.facts.LossLipschitz),
				"$t=%d$ of replicate %d", t, p.replicate)
		})
		if err != nil {
			return err
		}
		leastGrowth = min(leastGrowth, late/early)
		if late > 2*early {
			slowGames++
		}
		violation = max(violation, o.penalty+o.softViolation())
		return nil
	})
	return Finding{
		Outcome: refutesOr(slowGames == games && violation == 0 && worst.Ratio <= 1, Undecided),
		Text: fmt.Sprintf(`over two decades $\sqrt{t}\max_D|\bar{g}_t-\bar{g}|$ more than doubles in %d of %d games, where the violation is %v and the regret at most %.3g times the bound of FTRL`,
			slowGames, games, violation, worst.Ratio),
		Values: []Value{{"least-growth", leastGrowth}},
	}.withWorst(&worst), err
}

// slowDrift measures the growth exponent over the last decade of the violation where averages rise
// like t^(−1/4) to the limit, and of the regret where they fall. Below 0.7, of the t^(3/4)
// expected, the check is undecided.
func slowDrift(l *Lab) (Finding, error) {
	const horizon = 100000
	rising, err := l.lineAt("penalised-ftrl", "drifting-average:amplitude=-0.25,rate=0.25", 1,
		horizon/10, horizon)
	if err != nil {
		return Finding{}, err
	}
	falling, err := l.lineAt("penalised-ftrl", "drifting-average:amplitude=0.25,rate=0.25", 1,
		horizon/10, horizon)
	if err != nil {
		return Finding{}, err
	}
	regretOf := func(o line) float64 { return o.regret(span{o.domain.lower, 0}) }
	violation := math.Log10(rising[1].penalty / rising[0].penalty)
	regret := math.Log10(regretOf(falling[1]) / regretOf(falling[0]))
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`over the last decade to $t=10^5$ the penalty violation of the averages that rise grows like $t^{%.2f}$, and the regret of those that fall like $t^{%.2f}$`, violation, regret),
		Values:  []Value{{"violation-exponent", violation}, {"regret-exponent", regret}},
	}
	if violation < 0.7 || regret < 0.7 {
		f.Outcome = Undecided
	}
	return f, nil
}
