package claims

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Claim 25 (Corollary 1): if Condition 2 holds for the constraints P_+ alone, and the penalties of
// the others sum to O(√t) at fixed points, regret and violation stay O(√t) against X̂^max_t of
// P_+.
//
//   - pinned: with all constraints in P_+, the linear violation of claim 23 refutes it.
//   - turning: penalties that are O(√t) at every fixed point, and faster along the actions, refute
//     it.
//   - split: as amended, with the supremum of the penalties over D, both must keep to their
//     bounds.
var relaxation = checks{
	"pinned": func(l *Lab) (Finding, error) {
		f, err := linearPenalty(l, "pinned", 13)
		f.Text = "where all constraints are in $P_+$ and $t_\\epsilon=1$, " + f.Text
		return f, err
	},
	"turning": func(l *Lab) (Finding, error) { return turningCap(l, 1) },
	"split":   func(l *Lab) (Finding, error) { return relaxed(l, 25) },
}

// relaxed plays Penalised FTRL on x ≤ 5, which is P_+, beside the two constraints of the Example
// with c = ½. Every hundredth round it compares violation and regret with their bounds, that of
// FTRL plus γC_t and C_t + 15(1 + log t), as |x − 5| ≤ 15 on D.
func relaxed(l *Lab, gamma float64) (Finding, error) {
	const horizon = 4000
	var regrets, violations Worst
	far := []float64{10} // the end of D, where the penalty of x ≤ 0 is largest
	outside, rounds := 0, 0
	err := l.eachTrial(20, exampleSpecs(2, 0.5), func(p *trial) error {
		s := withConstraint{p, affine(-5, 1), 0}
		algorithm := fmt.Sprintf("penalised-ftrl:gamma=%v", gamma)
		var a penaltyObserver
		var played sums
		c := 0. // C_t, the sum of the largest penalties outside of P_+
		return l.PlayOn(algorithm, s, 1, horizon, &a, &played,
			roundObserver(func(t int, x []float64, _ *convex.Round) {
				rounds++
				c += max(0, a.Value(1, far)) + max(0, a.Value(2, far))
				if x[0] > 0 {
					outside++
				}
				if t%100 == 0 {
					regret := played.loss + float64(2*5*t) // against x = 5, the best action of P_+
					regrets.Add(regret/(leaderBound(t, 10, 2+float64(3*gamma))+float64(gamma*c)),
						`$t=%d$ of replicate %d`, t, p.replicate)
					// The proof has the bound from some τ_0 on, from which γβτ ≥ (E+L)τ + γC_τ + 1. Here this
					// is 25·5·τ ≥ 20τ + 25·C_τ + 1, and τ_0 = 0, as C_τ ≤ 4τ.
					violations.Add(a.penalty/(c+float64(15*(1+vec.Log(float64(t))))), `$t=%d$ of replicate %d`, t,
						p.replicate)
				}
			}))
	})
	f := violations.Finding(`with the bound $C_t+15(1+\log t)$, the penalty violation is`, rounding)
	f = f.combine(regrets.Finding(`with the bound of FTRL plus $\gamma C_t$, the regret is`, rounding)).
		withWorst(&violations, &regrets)
	f.Text += fmt.Sprintf(`; $x_{\tau+1}>0$ is outside of $\hat{X}^{\max}_\tau$ of all constraints in %d rounds of %d`, outside, rounds)
	return f, err
}

// newTurning returns a stream that reveals, on the unit disc, a constraint whose averages are
// u_t·x − (1 − t^(−1/3)), u_t = (cos(ω·log t), sin(ω·log t)), and losses that sum to −t·u_t·x.
func newTurning(disc *convex.Ball, omega float64) *scripted {
	// sumAt returns t·u_t, and the constant of the sum of the constraints.
	sumAt := func(t int) (x, y, shift float64) {
		if t == 0 {
			return 0, 0, 0
		}
		n := float64(t)
		angle := float64(omega * vec.Log(n))
		return float64(n * vec.Cos(angle)), float64(n * vec.Sin(angle)), float64(vec.Pow(n, 2./3)) - n
	}
	return newScripted(disc, 1, func(t int, _ []float64) *convex.Round {
		x, y, shift := sumAt(t)
		xBefore, yBefore, shiftBefore := sumAt(t - 1)
		x, y = x-xBefore, y-yBefore
		return &convex.Round{Loss: affine(0, -x, -y),
			Constraints: []convex.Func{affine(shift-shiftBefore, x, y)}}
	})
}

// turningCap plays Penalised FTRL on [newTurning], which turns by omega per unit of log t. The
// losses pull the action to u_t, where the constraint is violated; no fixed point is violated for
// long.
func turningCap(l *Lab, omega float64) (Finding, error) {
	const horizon = 1024
	disc, err := convex.NewBall([]float64{0, 0}, 1)
	if err != nil {
		return Finding{}, err
	}
	var a penaltyObserver
	var points [64][]float64 // fixed points, on the circle
	var sums [64]float64     // Σ h_i at each of them
	for k := range points {
		angle := 2 * math.Pi * float64(k) / 64
		points[k] = []float64{vec.Cos(angle), vec.Sin(angle)}
	}
	var violation, fixed [2]float64
	err = l.PlayOn("penalised-ftrl:gamma=2", newTurning(disc, omega), 1, horizon, &a,
		roundObserver(func(int, []float64, *convex.Round) {
			for k, x := range points {
				sums[k] += a.Hinges(x)
			}
		}),
		atTwoRounds(horizon/16, horizon, func(k int) {
			violation[k], fixed[k] = a.penalty, slices.Max(sums[:])
		}))
	return Finding{
		Outcome: refutesIf(outrunsFixed(violation, fixed)),
		Text: fmt.Sprintf(`with the constraint on the disc outside of $P_+$, $V_t/\sqrt{t}$ is %.4g at $t=%d$ and %.4g at $t=%d$, and the largest $\sum h_i(x)/\sqrt{t}$ of 64 fixed points $x$ is %.4g and %.4g`,
			violation[0]/sqrt(horizon/16), horizon/16, violation[1]/sqrt(horizon), horizon,
			fixed[0]/sqrt(horizon/16), fixed[1]/sqrt(horizon)),
	}, err
}

// outrunsFixed reports whether the violation grows faster than √t from a sixteenth of the rounds
// to all, and the penalty of fixed points does not. √t grows by 4: by 1.5 times that is faster, by
// less than 1.2 times that is not.
func outrunsFixed(violation, fixed [2]float64) bool {
	return violation[1] > 1.5*4*violation[0] && fixed[1] < 1.2*4*fixed[0]
}
