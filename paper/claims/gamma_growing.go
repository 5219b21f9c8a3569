package claims

import (
	"errors"
	"fmt"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
)

// Claim 30: making up for a penalty that grows too slowly by scaling γ with t is inadmissible,
// because Condition 1 wants one Lipschitz constant for all F_t = f_t + γh_t. A growing γ with
// which the regret keeps to its bound and the violation stays O(√t), on the Example, refutes the
// claim.
//
//   - split: each hinge keeps the weight γ_i of its round, of order i^(1/4); Lipschitz constants
//     stay bounded since h_i flattens.
//   - growing: one γ_τ of order τ weights all hinges so far.
var gammaGrowing = checks{
	"split": func(l *Lab) (Finding, error) {
		return growingWeights(l, func(t int) float64 { return 100 * root4(t) })
	},
	"growing": growingGamma,
}

// growingWeights plays Penalised FTRL with a weight that grows with t on the second constraint of
// the paper's Example, and compares the regret with that of its leader step.
func growingWeights(l *Lab, weight func(t int) float64) (Finding, error) {
	const horizon = 4000
	var regrets Worst
	steepest := 0. // the largest Lipschitz constant of all games
	// The mean violation over √t at a sixteenth of the horizon and at its end.
	var overRoot [2]float64
	n := float64(l.Repeat(20))
	err := l.eachTrial(20, exampleSpecs(2, 0.75), func(p *trial) error {
		var a penaltyObserver
		lipschitz := 2. // of the losses
		f := newFollower(p, sqrt, func(t int, r convex.Round, sum *convex.Sum) {
			sum.Add(1, r.Loss)
			sum.SetGamma(1)
			gamma := weight(t)
			sum.AddHinge(gamma/float64(t), a.Sums[1])
			lipschitz = max(lipschitz, 2+float64(gamma*a.Sums[1].Lin[0])/float64(t))
		})
		var played sums
		var count revealCounter
		observe := roundObserver(func(t int, _ []float64, _ *convex.Round) {
			if k := slices.Index([]int{horizon / 16, horizon}, t); k >= 0 {
				overRoot[k] += a.penalty / float64(n*sqrt(t))
			}
			if t%50 == 0 {
				regret := played.loss // against y = 0, if x ≤ 0 was revealed, and else y = 10
				if count.reveals == 0 {
					regret += float64(20 * t)
				}
				regrets.Add(regret/leaderBound(t, 10, lipschitz), `$t=%d$ of replicate %d`, t, p.replicate)
			}
		})
		err := l.PlayLearner(f, p, horizon, &a, &played, &count, observe)
		steepest = max(steepest, lipschitz)
		return err
	})
	return Finding{
		Outcome: refutesIf(regrets.Ratio <= 1 && overRoot[1]/overRoot[0] <= 1),
		Text: fmt.Sprintf(`with weights $\gamma_i$ of order $i^{1-c}$ the Lipschitz constants are at most %.4g; the regret is at most %.4g times the bound of FTRL, and the mean of the violation over $\sqrt{t}$ is %.4g at $t=%d$ and %.4g at $t=%d$`,
			steepest, regrets.Ratio, overRoot[0], horizon/16, overRoot[1], horizon),
	}.withWorst(&regrets), err
}

// growingGamma plays with γ_τ = ((E+L)τ + 1)/η for all hinges so far, what Lemma 6 asks for where
// one average is active. It compares the regret with the bound of FTRL for the losses alone, and
// the violation with mB(1 + log t).
func growingGamma(l *Lab) (Finding, error) {
	const horizon = 1000
	var regrets, violations Worst
	empty := false
	err := l.eachTrial(10, []string{
		"decaying-frequency:c=0.75", "decaying-frequency:c=0.9", "fixed:dim=3,constraints=2",
		"fixed:dim=3,margin=10",
		"perturbed:dim=3,noise=drift", "family:dim=3", "regime-switch:slope=20",
	}, func(p *trial) error {
		facts := p.Facts()
		rho := facts.Diameter / 2 // boxes around 0
		slope := (float64(rho*rho) + float64(facts.LossLipschitz*facts.Diameter)) / facts.Slater
		var a penaltyObserver
		f := newFollower(p, sqrt, func(t int, r convex.Round, sum *convex.Sum) {
			sum.Add(1, r.Loss)
			sum.SetGamma(float64(slope*float64(t)) + 1/facts.Slater)
			for _, g := range a.Sums {
				sum.AddHinge(1/float64(t), g)
			}
		})
		return l.PlayLearner(f, p, horizon, &a,
			compareEvery(p, 50, func(t int, played *sums, best []game.Best) {
				b := best[overXHatMax]
				empty = empty || b.Empty
				regrets.Add((played.loss-b.Value-b.Gap)/leaderBound(t, rho, facts.LossLipschitz),
					`$t=%d$ of \texttt{%s}`, t, p.problem)
				allowed := float64(float64(len(a.Sums))*facts.ConstraintBound) * (1 + vec.Log(float64(t)))
				violations.Add(a.penalty/allowed, `$t=%d$ of \texttt{%s}`, t, p.problem)
			}))
	})
	if empty {
		err = errors.Join(err, errNoAction)
	}
	return Finding{
		Outcome: refutesIf(regrets.Ratio <= 1 && violations.Ratio <= 1),
		Text: fmt.Sprintf(`with $\gamma_\tau$ of order $\tau$ the regret is at most %.4g times $\rho^2\sqrt{t}+\frac{1}{4}L_f^2(1+2\sqrt{t})$, at %s, and the violation %.4g times $mB(1+\log t)$, at %s`,
			regrets.Ratio, regrets.At, violations.Ratio, violations.At),
	}.withWorst(&regrets, &violations), err
}
