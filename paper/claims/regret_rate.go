package claims

import (
	"fmt"

	"ocobench/convex"
	"ocobench/harness"
)

var regretRate = Claim{
	Name:       "regret-rate",
	Place:      "Theorem 2, regret",
	Sentence:   `Penalised FTRL has $\sum_{i\le t} f_i(x_i)-f_i(y)\le O(\sqrt{t})$ for all $y\in \hat{X}^{\max}_t$, if $\gamma$ is large.`,
	Hypothesis: `Conditions 1 and 2, and uniformly Lipschitz constraints. Fixed constraints meet Condition 2: the paper says that they have $k_\tau=\tau$.`,
	Statistic:  `the regret against the best action of $\hat{X}^{\max}_t$; under the condition its ratio to $\rho^2\sqrt{t}+\frac{1}{4}L^2(1+2\sqrt{t})$, where $\|x\|\le\rho$ on $D$ and $L=L_f+\gamma mL_g$`,
	Rule:       `as stated, a regret that is linear; under the condition, a ratio above 1`,
	Condition:  `$D$ is convex and $R_\tau=\kappa\sqrt{\tau}\|x-x_0\|^2$; neither Condition 2 nor a large $\gamma$ is needed`,
	Proof: `For every $\gamma\ge 0$ the $F_i=f_i+\gamma h_i$ are $L$-Lipschitz with $L=L_f+\gamma mL_g$, and claim 11 bounds $\sum F_i(x_i)-F_i(y)$: by the statistic where $\kappa=1$. On $\hat{X}^{\max}_t$ this is at least the regret, for $h_i(y)=0\le h_i(x_i)$. ` +
		`Without the condition: $R_\tau=\tau x^2$ meets Condition 1 to the letter, for it is $\sqrt{\tau}$-strongly convex and its increments $x^2$ are Lipschitz. With $f_i=-x$ and $x\le 0.9$ on $[-1,1]$, $x_{\tau+1}=\frac{1}{2}$ for ever, and the regret is $0.4t$. ` +
		`On $D=\{-1,1\}$, not convex, $R_\tau$ is constant and FTRL is follow the leader.`,
	Cost: "a game of 1000 rounds, and 13 problems × 20 games of 400 rounds",
	Checks: []Check{{
		Role: Stated,
		What: `$R_\tau=\tau x^2$ with a fixed constraint, $k_\tau=\tau$, and $\gamma=100$`,
		Run:  func(l *Lab) (Finding, error) { return regretLinear(l, func(t int) float64 { return float64(t) }) },
	}, {
		Role:    Amended,
		What:    `every class of the paper, and streams that violate Condition 2; $\gamma=25$ and $\gamma=0$, every tenth round`,
		Command: "bench play --algorithm penalised-ftrl --problem decaying-frequency:c=0.75 --horizon 400",
		Run:     regretBound,
	}},
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
