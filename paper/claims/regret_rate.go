package claims

import (
	"fmt"

	"ocobench/convex"
	"ocobench/harness"
)

var regretRate = checks{
	"linear": func(l *Lab) (Finding, error) { return regretLinear(l, func(t int) float64 { return float64(t) }) },
	"bound":  regretBound,
}

func regretLinear(l *Lab, weight func(t int) float64) (Finding, error) {
	const problem, horizon, gamma = "fixed:dim=1,loss-noise=0,margin=0.9", 1000, 100
	s, err := l.Stream(problem, 1)
	if err != nil {
		return Finding{}, err
	}
	var a averages
	f := newFollower(s, weight, func(t int, r convex.Round, sum *convex.Sum) {
		sum.SetGamma(gamma)
		sum.Add(1, r.Loss)
		for j := range a.sums {
			sum.AddHinge(1/float64(t), a.sums[j])
		}
	})
	h := harness.NewHindsight(s)
	loss := 0.
	var regret [2]float64
	err = l.PlayLearner(f, s, horizon, h, &a, Observe(func(t int, x []float64, r *convex.Round) error {
		loss += r.Loss.Value(x)
		if t == horizon/4 || t == horizon {
			b, err := best(h, "xhat")
			if err != nil || b.Empty {
				return fmt.Errorf("no best action: %w", err)
			}
			regret[t/horizon] = loss - b.Value
		}
		return nil
	}))
	if err != nil {
		return Finding{}, err
	}
	out := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`with $R_{%d}=%gx^2$, $f_i=-x$ and $x\le 0.9$ on $[-1,1]$ the regret is %.4g at $t=%d$ and %.4g at $t=%d$`, horizon, weight(horizon), regret[0], horizon/4, regret[1], horizon),
		Values:  []Value{{"regret-per-round", regret[1] / horizon}},
	}
	if regret[1] > 3.5*regret[0] && regret[0] > 0 {
		out.Outcome = Refutes
	}
	return out, nil
}

func regretBound(l *Lab) (Finding, error) {
	const horizon = 400
	var worst Worst
	positive := 0
	for _, problem := range []string{
		"fixed:dim=3,constraints=2", "fixed:dim=3,margin=10", "perturbed:dim=3", "perturbed:dim=1,noise=adversarial", "family:dim=3", "iid:dim=3,constraints=2",
		"periodic:dim=3", "shrinking", "decaying-frequency", "decaying-frequency:c=0.75", "mannor", "soft-gap", "regime-switch:slope=20",
	} {
		for replicate := 1; replicate <= l.Repeat(20); replicate++ {
			gamma := float64(25 * (replicate % 2))
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			facts := s.Facts()
			rho := facts.Diameter / 2 // boxes around 0
			if problem == "shrinking" || problem == "mannor" {
				rho = 1 // [0, 1]
			}
			lipschitz := facts.LossLipschitz + float64(gamma*float64(float64(s.Constraints())*facts.ConstraintLipschitz))
			h := harness.NewHindsight(s)
			loss := 0.
			err = l.Play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), problem, replicate, horizon, h, Observe(func(t int, x []float64, r *convex.Round) error {
				loss += r.Loss.Value(x)
				if t%10 != 0 {
					return nil
				}
				b, err := best(h, "xhat")
				if err != nil || b.Empty {
					return err
				}
				regret := loss - b.Value
				if regret > 1e-6*float64(t) {
					positive++
				}
				worst.See((regret-b.Gap)/leaderBound(t, rho, lipschitz), `$t=%d$ of \texttt{%s} with $\gamma=%v$`, t, problem, gamma)
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
		}
	}
	f := worst.Finding(`with $R_\tau=\sqrt{\tau}\|x\|^2$ the regret on every class of the paper, whose bound is $\rho^2\sqrt{t}+\frac{1}{4}L^2(1+2\sqrt{t})$ for $\|x\|\le\rho$ and $L=L_f+\gamma mL_g$, is`, 1e-9)
	if positive == 0 {
		f.Outcome = Undecided
	}
	return f, nil
}
