package claims

import (
	"fmt"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness"
)

var gammaGrowing = Claim{
	Name:  "gamma-growing",
	Place: "§4.5, last paragraph",
	Sentence: `Making up for too slow a penalty by scaling $\gamma$ with $t$ is inadmissible, because Condition 1 requires that ` +
		`all $F_t=f_t+\gamma h_t$ have the same Lipschitz constant.`,
	Statistic: `on the Example, with a $\gamma_t$ that grows: the Lipschitz constant of $f_t+\gamma_t h_t$, the ratio of the regret against $\hat{X}^{\max}_t$ to $\rho^2\sqrt{t}+\frac{1}{4}L^2(1+2\sqrt{t})$, ` +
		`and that of the violation to $mB(1+\log t)$, or the growth of its mean over $\sqrt{t}$ by a factor of 16 in $t$`,
	Rule: `both ratios at most 1, and no growth over $\sqrt{t}$`,
	Proof: `The argument fails on the Example of the section (two constraints): $\gamma_i=100i^{1-c}$ gives $F_i$ the Lipschitz constant $2+\gamma_i n_{2,i}/i$, which is bounded as $n_{2,i}\approx 0.1i^c$. Condition 1 holds, so does Lemma 3, ` +
		`and the penalty grows like $10\tau>2\tau$. ` +
		`The conclusion fails in general: let $\gamma_\tau$ weigh all $h_i$, $i\le\tau$, and grow so fast that $x_{\tau+1}$ minimises $\Phi_\tau=R_\tau+\sum f_i$ over $\hat{X}^{\max}_\tau$; by Lemma 6 $\gamma_\tau=((E+L)\tau+1)/\eta$ does. ` +
		`As $\hat{X}^{\max}_i\subseteq \hat{X}^{\max}_{i-1}$, $\Phi_i(x_{i+1})\ge\Phi_{i-1}(x_i)+f_i(x_i)-L_f^2/(4\kappa\sqrt{\max(1,i-1)})$, and the sum over $i$ bounds the regret by that of FTRL on $f_i$ alone. As $x_i\in \hat{X}^{\max}_{i-1}$, $h_i(x_i)\le mB/i$.`,
	Instead: `A $\gamma_\tau$ of order $\tau$ gives $O(\sqrt{t})$ regret against $\hat{X}^{\max}_t$, with a constant that has no $\gamma$ in it, and penalty violation $\le mB(1+\log t)$, ` +
		`wherever $z$ is a Slater point of all prefixes ($t_\epsilon=0$): Condition 2 is not needed.`,
	Cost: "20 games of 4000 rounds and 7 × 10 of 1000",
	Checks: []Check{{
		Role: Stated,
		What: `$F_i=f_i+\gamma_ih_i$ with $\gamma_i=100i^{1/4}$ on the Example with two constraints and $c=\frac{3}{4}$`,
		// a fixed γ of the size that γ_i has at the horizon
		Command: "bench play --algorithm penalised-ftrl:gamma=800 --problem decaying-frequency:c=0.75,constraints=2 --horizon 4000",
		Run: func(l *Lab) (Finding, error) {
			return growingWeights(l, func(t int) float64 { return 100 * root4(t) })
		},
	}, {
		Role:    Stated,
		What:    `$\gamma_\tau=((E+L)\tau+1)/\eta$ for all $h_i$, $i\le\tau$, on the Example with one constraint, and on streams of other classes that have a Slater point`,
		Command: "bench play --algorithm penalised-ftrl:gamma=1e8 --problem decaying-frequency:c=0.75 --horizon 4000",
		Run:     growingGamma,
	}},
}

func growingWeights(l *Lab, weight func(t int) float64) (Finding, error) {
	const horizon = 4000
	var regrets Worst
	steepest, early, late := 0., 0., 0. // the last two are means of the violation over √t
	n := float64(l.Repeat(20))
	for replicate := 1; replicate <= l.Repeat(20); replicate++ {
		s, err := l.Stream(exampleSplit(0.75), replicate)
		if err != nil {
			return Finding{}, err
		}
		var a averages
		lipschitz := 2.
		f := newFollower(s, sqrt, func(t int, r convex.Round, sum *convex.Sum) {
			sum.Add(1, r.Loss)
			sum.SetGamma(1)
			gamma := weight(t)
			sum.AddHinge(gamma/float64(t), a.sums[1])
			lipschitz = max(lipschitz, 2+float64(gamma*a.sums[1].Lin[0])/float64(t))
		})
		losses, reveals := 0., 0
		err = l.PlayLearner(f, s, horizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
			losses += r.Loss.Value(x)
			reveals += revealed(*r)
			switch t {
			case horizon / 16:
				early += a.penalty / float64(n*sqrt(t))
			case horizon:
				late += a.penalty / float64(n*sqrt(t))
			}
			if t%50 != 0 {
				return nil
			}
			regret := losses // against y = 0, if x ≤ 0 was revealed, and else y = 10
			if reveals == 0 {
				regret += float64(20 * t)
			}
			regrets.See(regret/leaderBound(t, 10, lipschitz), `$t=%d$ of replicate %d`, t, replicate)
			return nil
		}))
		if err != nil {
			return Finding{}, err
		}
		steepest = max(steepest, lipschitz)
	}
	return bothKept(regrets, late/early, fmt.Sprintf(`with weights $\gamma_i$ of order $i^{1-c}$ the Lipschitz constants are at most %.4g; the regret is at most %.4g times the bound of FTRL, and the mean of the violation over $\sqrt{t}$ is %.4g at $t=%d$ and %.4g at $t=%d$`,
		steepest, regrets.Ratio, early, horizon/16, late, horizon)), nil
}

// bothKept refutes that a growing γ is inadmissible if the regret keeps to its
// bound, and the violation relative to √t, or to its bound, to 1.
func bothKept(regrets Worst, violation float64, text string) Finding {
	f := Finding{Outcome: Survives, Text: text, Ratio: &regrets.Ratio}
	if regrets.Ratio <= 1 && violation <= 1 {
		f.Outcome = Refutes
	}
	return f
}

// growingGamma lets γ_τ be what Lemma 6 asks for with one active average.
func growingGamma(l *Lab) (Finding, error) {
	const horizon = 1000
	var regrets, violations Worst
	for _, problem := range []string{
		"decaying-frequency:c=0.75", "decaying-frequency:c=0.9", "fixed:dim=3,constraints=2", "fixed:dim=3,margin=10",
		"perturbed:dim=3,noise=drift", "family:dim=3", "regime-switch:slope=20",
	} {
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			facts := s.Facts()
			rho := facts.Diameter / 2 // boxes around 0
			slope := (float64(rho*rho) + float64(facts.LossLipschitz*facts.Diameter)) / facts.Slater
			var a averages
			f := newFollower(s, sqrt, func(t int, r convex.Round, sum *convex.Sum) {
				sum.Add(1, r.Loss)
				sum.SetGamma(float64(slope*float64(t)) + 1/facts.Slater)
				for _, g := range a.sums {
					sum.AddHinge(1/float64(t), g)
				}
			})
			h := harness.NewHindsight(s)
			losses := 0.
			err = l.PlayLearner(f, s, horizon, &a, h, Observe(func(t int, x []float64, r *convex.Round) error {
				losses += r.Loss.Value(x)
				if t%50 != 0 {
					return nil
				}
				b, err := best(h, "xhat")
				if err != nil || b.Empty {
					return fmt.Errorf("no best action: %w", err)
				}
				regrets.See((losses-b.Value-b.Gap)/leaderBound(t, rho, facts.LossLipschitz), `$t=%d$ of \texttt{%s}`, t, problem)
				most := float64(float64(len(a.sums))*facts.ConstraintBound) * (1 + vec.Log(float64(t)))
				violations.See(a.penalty/most, `$t=%d$ of \texttt{%s}`, t, problem)
				return nil
			}))
			if err != nil {
				return Finding{}, fmt.Errorf("%s: %w", problem, err)
			}
		}
	}
	return bothKept(regrets, violations.Ratio, fmt.Sprintf(`with $\gamma_\tau$ of order $\tau$ the regret is at most %.4g times $\rho^2\sqrt{t}+\frac{1}{4}L_f^2(1+2\sqrt{t})$, at %s, and the violation %.4g times $mB(1+\log t)$, at %s`,
		regrets.Ratio, regrets.At, violations.Ratio, violations.At)), nil
}
