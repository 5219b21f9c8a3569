package claims

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
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

// withFixed reveals the rounds of a stream with one more constraint, first in the list and the
// same in every round.
type withFixed struct {
	problems.Stream
	g convex.Func
}

// Constraints implements [problems.Stream].
func (s withFixed) Constraints() int { return s.Stream.Constraints() + 1 }

// Reveal implements [problems.Stream].
func (s withFixed) Reveal(t int, x []float64) *convex.Round {
	r := s.Stream.Reveal(t, x)
	return &convex.Round{Loss: r.Loss, Constraints: append([]convex.Func{s.g}, r.Constraints...)}
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
		s := withFixed{p, &convex.Affine{A: []float64{1}, B: -5}}
		algorithm := fmt.Sprintf("penalised-ftrl:gamma=%v", gamma)
		var a penaltyObserver
		losses, c := 0., 0. // Σ f_i(x_i), and C_t, the sum of the largest penalties outside of P_+
		return l.PlayOn(algorithm, s, 1, horizon, &a,
			roundObserver(func(t int, x []float64, r *convex.Round) {
				rounds++
				losses += r.Loss.Value(x)
				c += max(0, a.Value(1, far)) + max(0, a.Value(2, far))
				if x[0] > 0 {
					outside++
				}
				if t%100 == 0 {
					regret := losses + float64(2*5*t) // against x = 5, the best action of P_+
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

// turning reveals, on the unit disc, a constraint whose averages are u_t·x − (1 − t^(−1/3)),
// u_t = (cos(ω·log t), sin(ω·log t)), and losses that sum to −t·u_t·x.
type turning struct {
	problems.Instance
	omega float64
}

// sumAt returns t·u_t, and the constant of the sum of the constraints.
func (s turning) sumAt(t int) (u [2]float64, shift float64) {
	if t == 0 {
		return u, 0
	}
	n := float64(t)
	angle := float64(s.omega * vec.Log(n))
	return [2]float64{float64(n * vec.Cos(angle)), float64(n * vec.Sin(angle))},
		float64(vec.Pow(n, 2./3)) - n
}

// Reveal implements [problems.Stream].
func (s turning) Reveal(t int, _ []float64) *convex.Round {
	u, b := s.sumAt(t)
	v, c := s.sumAt(t - 1)
	x, y := u[0]-v[0], u[1]-v[1]
	return &convex.Round{
		Loss:        &convex.Affine{A: []float64{-x, -y}},
		Constraints: []convex.Func{&convex.Affine{A: []float64{x, y}, B: b - c}},
	}
}

// turningCap plays Penalised FTRL on [turning], which turns by omega per unit of log t. The losses
// pull the action to u_t, where the constraint is violated; no fixed point is violated for long.
func turningCap(l *Lab, omega float64) (Finding, error) {
	const horizon = 1024
	disc, err := convex.NewBall([]float64{0, 0}, 1)
	if err != nil {
		return Finding{}, err
	}
	s := &turning{problems.Instance{Domain: disc, M: 1}, omega}
	var a penaltyObserver
	var points [64][]float64 // fixed points, on the circle
	var sums [64]float64     // Σ h_i at each of them
	for k := range points {
		angle := 2 * math.Pi * float64(k) / 64
		points[k] = []float64{vec.Cos(angle), vec.Sin(angle)}
	}
	var violation, fixed [2]float64
	observe := roundObserver(func(t int, _ []float64, _ *convex.Round) {
		for k, x := range points {
			sums[k] += a.Hinges(x)
		}
		if t == horizon/16 || t == horizon {
			// t/horizon is 0 or 1
			violation[t/horizon], fixed[t/horizon] = a.penalty, slices.Max(sums[:])
		}
	})
	err = l.PlayOn("penalised-ftrl:gamma=2", s, 1, horizon, &a, observe)
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
