package claims

import (
	"fmt"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game"
)

// Claim 22 (Theorem 2): with γ large, Penalised FTRL has regret O(√t) against every y in X̂^max_t.
// A regret that is linear refutes it, as with a regulariser of order τ, which Condition 1 admits.
// With R_τ = √τ‖x‖² the regret must keep to the bound of FTRL on every class of the paper.
var regretRate = checks{
	"linear": regretLinearly,
	"bound": func(l *Lab) (Finding, error) {
		return regretBound(l, []string{
			"fixed:dim=3,constraints=2", "fixed:dim=3,margin=10", "perturbed:dim=3",
			"perturbed:dim=1,noise=adversarial", "family:dim=3", "iid:dim=3,constraints=2",
			"periodic:dim=3", "shrinking", "decaying-frequency", "decaying-frequency:c=0.75", "mannor",
			"soft-gap", "regime-switch:slope=20",
		})
	},
}

// regretLinearly plays with R_τ = τx², which Condition 1 admits to the letter. Both ends of X̂^max
// are inside of D, so that all averages are active on its whole boundary.
func regretLinearly(l *Lab) (Finding, error) {
	return regretLinear(l, func(t int) float64 { return float64(t) })
}

// regretLinear plays FTRL with R_τ = weight(τ)·x² and the losses −x on |x| ≤ 0.9. While t grows by
// 4, a regret that grows by more than 3.5 is linear and refutes the claim.
func regretLinear(l *Lab, weight func(t int) float64) (Finding, error) {
	const horizon, gamma, end = 1000, 100, 0.9
	s := newFixedLine(-1, 1, &convex.Distance{Weight: 1, Center: []float64{0}, Offset: -end},
		func(int, float64) float64 { return -1 })
	var a penaltyObserver
	f := newFollower(s, weight, func(t int, r convex.Round, sum *convex.Sum) {
		sum.SetGamma(gamma)
		sum.Add(1, r.Loss)
		for j := range a.Sums {
			sum.AddHinge(1/float64(t), a.Sums[j])
		}
	})
	var regret [2]float64
	err := l.PlayLearner(f, s, horizon, &a,
		compareEvery(s, horizon/4, func(t int, played *sums, best []game.Best) {
			if k := slices.Index([]int{horizon / 4, horizon}, t); k >= 0 {
				regret[k] = played.loss - best[overXHatMax].Value
			}
		}))
	return Finding{
		Outcome: refutesIf(regret[1] > 3.5*regret[0] && regret[0] > 0),
		Text:    fmt.Sprintf(`with $R_{%d}=%gx^2$, $f_i=-x$ and $|x|\le %v$ on $[-1,1]$ the regret is %.4g at $t=%d$ and %.4g at $t=%d$`, horizon, weight(horizon), end, regret[0], horizon/4, regret[1], horizon),
		Values:  []Value{{"regret-per-round", regret[1] / horizon}},
	}, err
}

// regretBound compares the regret with the bound in every tenth round, with γ = 0 and γ = 25 in
// turn. If no regret is positive, the check says nothing and is undecided.
func regretBound(l *Lab, problems []string) (Finding, error) {
	const horizon = 400
	var worst Worst
	positive := 0
	err := l.eachTrial(20, problems, func(p *trial) error {
		gamma := float64(25 * (p.replicate % 2))
		facts := p.Facts()
		rho := p.domainRadius()
		lipschitz := facts.LossLipschitz + float64(
			gamma*float64(float64(p.Constraints())*facts.ConstraintLipschitz))
		return p.play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), horizon,
			compareEvery(p, 10, func(t int, played *sums, best []game.Best) {
				b := best[overXHatMax]
				if b.Empty {
					return
				}
				regret := played.loss - b.Value
				if regret > 1e-6*float64(t) {
					positive++
				}
				worst.Add((regret-b.Gap)/leaderBound(t, rho, lipschitz),
					`$t=%d$ of \texttt{%s} with $\gamma=%v$`, t, p.problem, gamma)
			}))
	})
	f := worst.Finding(`with $R_\tau=\sqrt{\tau}\|x\|^2$ and the bound $\rho^2\sqrt{t}+\frac{1}{4}L^2(1+2\sqrt{t})$ for $\|x\|\le\rho$ and $L=L_f+\gamma mL_g$, the regret on every class of the paper is`, rounding)
	if positive == 0 {
		f.Outcome = Undecided
	}
	return f, err
}
