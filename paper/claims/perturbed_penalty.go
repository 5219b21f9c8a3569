package claims

import (
	"errors"
	"fmt"

	"ocobench/convex"
	"ocobench/harness/game"
)

// Claim 26 (Corollary 2): with penalties h_i plus perturbations δ_i, the regret is at most O(√t) −
// Σ(δ_i(x_i) − δ_i(y)), and the violation at most O(√t) + Σδ_i(x_i). An excess over the sums of δ
// that grows by more than 2.6 while t grows by 4 (√t grows by 2, t^(3/4) by 2.83) refutes it:
//
//   - late: of the violation, where perturbed averages come to their limit from below.
//   - factor: of the regret, for which the paper lacks the factor γ of δ.
//   - average: as amended, both must keep to explicit bounds for perturbed constraints.
var perturbedPenalty = checks{
	"late": func(l *Lab) (Finding, error) {
		return lateHinges(l, "drifting-average:amplitude=-0.25,rate=0.25")
	},
	"factor":  missingGamma,
	"average": averageEnd,
}

// lateHinges plays max(0, x) + δ_i = max(0, x + m_i), as averages m_i ≤ 0 that are −i^(−1/4)/4
// have it, with the constraint −x ≤ 1 besides, so that both ends of X̂^max are inside of D. As
// δ_i ≤ 0, the excess is the violation.
func lateHinges(l *Lab, problem string) (Finding, error) {
	const horizon = 16000
	s, err := l.Stream(problem, 1)
	if err != nil {
		return Finding{}, err
	}
	var a penaltyObserver
	var excess [2]float64
	err = l.PlayOn("penalised-ftrl:gamma=5", withConstraint{s, affine(-1, -1), s.Constraints()}, 1,
		horizon, &a, atTwoRounds(horizon/4, horizon, func(k int) { excess[k] = a.penalty }))
	return excessFinding(`with $\delta_i=\max(0,x-\frac{1}{4}i^{-1/4})-\max(0,x)\le0$, $\sum h_i(x_i)$`, excess, horizon, 2.6), err
}

// excessFinding returns the finding on an excess measured at a quarter of the horizon and at its
// end. An excess that should be O(√t) refutes the claim if it grows by more than factor; √t grows
// by 2.
func excessFinding(what string, excess [2]float64, horizon int, factor float64) Finding {
	return Finding{
		Outcome: refutesIf(excess[0] > 0 && excess[1] > factor*excess[0]),
		Text: fmt.Sprintf(`%s is %.4g at $t=%d$ and %.4g at $t=%d$`, what, excess[0], horizon/4,
			excess[1], horizon),
		Values: []Value{{"excess", excess[1]}},
	}
}

// missingGamma plays FTRL on losses 1.5·i^(−1/4)·x and γδ_i with δ_i = −i^(−1/4)x on [−1, 2], with
// the constraints 0 ≤ x ≤ 1. The second outweighs the first, so that the actions violate no penalty
// but follow δ, and the regret against 0 exceeds −Σδ_i(x_i).
func missingGamma(l *Lab) (Finding, error) {
	const horizon, gamma = 16000, 25
	s := newScripted(convex.Cube(1, -1, 2), 2, func(t int, _ []float64) *convex.Round {
		return &convex.Round{Loss: affine(0, 1.5/root4(t)),
			Constraints: []convex.Func{affine(-1, 1), affine(0, -1)}}
	})
	f := newFollower(s, sqrt, func(t int, r convex.Round, sum *convex.Sum) {
		sum.Add(1, r.Loss)
		sum.Add(1, affine(0, -gamma/root4(t))) // γδ_t
		sum.SetGamma(gamma)
		for _, g := range r.Constraints {
			hinge := convex.NewForm(1)
			g.AddTo(hinge, 1)
			sum.AddHinge(1, hinge)
		}
	})
	regret, delta := 0., 0.
	var excess [2]float64
	err := l.PlayLearner(f, s, horizon, roundObserver(func(t int, x []float64, r *convex.Round) {
		regret += r.Loss.Value(x) // against y = 0
		delta -= x[0] / root4(t)
	}), atTwoRounds(horizon/4, horizon, func(k int) { excess[k] = regret + delta }))
	return excessFinding(`with $\delta_i=-i^{-1/4}x$ and $\gamma=25$, the regret against $y=0$ plus $\sum\delta_i(x_i)-\delta_i(y)$`, excess, horizon, 2.6), err
}

// averageEnd plays perturbed constraints g + b_i. With b̲ the average of b at the horizon
// the penalty is H + δ_i, H = Σ_j max(0, g_j + b̲_j), and |δ_i^{(j)}| is at most Δ_i^{(j)}, the
// distance from b̲ of the average of b so far.
func averageEnd(l *Lab) (Finding, error) {
	const horizon, margin = 400, 0.25
	var regrets, violations Worst
	err := l.eachTrial(20, []string{
		"perturbed:dim=3,noise=drift", "perturbed:dim=3,constraints=2,noise=periodic",
		"perturbed:dim=1,amplitude=0.1",
	}, func(p *trial) error {
		// b̲, and the best action y under the fixed constraints g + b̲ ≤ 0, those of X^max.
		var end penaltyObserver
		var y game.Best
		n, m := p.Set().Dim(), p.Constraints()
		origin := make([]float64, n)
		ahead := compareEvery(p, horizon, func(_ int, _ *sums, best []game.Best) { y = best[overXMax] })
		for t := 1; t <= horizon; t++ {
			r := p.Reveal(t, nil)
			if err := errors.Join(end.Round(t, origin, r), ahead.Round(t, nil, r)); err != nil {
				return err
			}
		}
		if y.Empty {
			return errNoAction
		}
		eta := margin // z = 0 has g ≤ −margin
		for j := range m {
			eta = min(eta, -end.Value(j, origin))
		}
		facts := p.Facts()
		rho := facts.Diameter / 2
		gamma := 2 * float64(facts.LossLipschitz*rho) / eta // E = 0
		var a penaltyObserver
		var played sums
		drift, deltas := 0., 0. // ΣΔ, Σδ_i(x_i) − δ_i(y)
		delta := func(x []float64) float64 { return a.Hinges(x) - end.Hinges(x) }
		err := p.play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), horizon, &a, &played,
			roundObserver(func(t int, x []float64, _ *convex.Round) {
				if t > 1 {
					violations.Add(end.Hinges(x)/(1e-9+4*drift/float64(t-1)), `$\tau=%d$ of %v`, t-1, p)
				}
				deltas += delta(x) - delta(y.Action)
				for j := range m {
					d := a.Value(j, origin) - end.Value(j, origin)
					drift += max(d, -d)
				}
			}))
		lipschitz := facts.LossLipschitz + float64(gamma*float64(float64(m)*facts.ConstraintLipschitz))
		bound := leaderBound(horizon, rho, lipschitz) - float64(gamma*deltas)
		regrets.Add((played.loss-y.Value-y.Gap)/bound, `%v`, p)
		return err
	})
	// actions are minimisers up to certified gaps
	f := violations.Finding(`with the bound $\frac{4}{\tau}\sum_{i\le\tau,j}d_i^{(j)}$, $H(x_{\tau+1})$ is`, 1e-6)
	return f.combine(regrets.Finding(`with the bound of FTRL less $\gamma\sum\delta_i(x_i)-\delta_i(y)$, the regret is`, rounding)).
		withWorst(&violations, &regrets), err
}
