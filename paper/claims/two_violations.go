package claims

import (
	"fmt"

	"ocobench/convex"
)

var twoViolations = Claim{
	Name:       "two-violations",
	Place:      "Introduction and Theorem 2",
	Sentence:   `What Theorem 2 bounds, $\sum_i h_i(x_i)$, is the violation that the Introduction aims at, $V_t=\sum_j \max(0,\sum_i g_i^{(j)}(x_i))$: both are called $V_t$, and both are to be $O(\sqrt{t})$.`,
	Hypothesis: `Those of Theorem 2.`,
	Statistic:  `both violations, soft and penalty; under the condition the ratio of the soft one to $\sum_i h_i(x_i)+\sum_j \max(0,\sum_i b_i^{(j)}-\bar{b}_i^{(j)})$`,
	Rule:       `as stated, a soft violation that is linear where the conditions hold and the penalty violation is bounded; under the condition, a ratio above 1`,
	Condition:  `$g_i^{(j)}=g^{(j)}+b_i^{(j)}$ with $\sum_{i\le t} b_i^{(j)}-\bar{b}_i^{(j)}\le O(\sqrt{t})$, where $\bar{b}_i$ is the average of $b_1,\dots,b_i$; fixed constraints have 0 there`,
	Proof: `With $g_i=g+b_i$: $g_i(x_i)=(g(x_i)+\bar{b}_i)+(b_i-\bar{b}_i)\le h_i(x_i)+(b_i-\bar{b}_i)$. ` +
		`In general $x_i$ and $g_i$ may be correlated. Let $f_i=\pm x$ on $[-1,1]$ oscillate so that $|\sum f_i|$ keeps to $\sqrt{t}|x|$. Then FTRL oscillates too, $x_i$ being of order 1 for a share of all rounds. ` +
		`With $g_i=s_ix-b$, $s_i=\operatorname{sign}(x_i)$, after 2000 rounds of $g_i=-b$, $|\sum s_i|\le O(\sqrt{t})$ makes all averages negative on $D$: $h_i=0$. But $g_i(x_i)=|x_i|-b$ sums to about $(1/4-b)t$. ` +
		`With $|x|\le\frac{3}{4}$ as two further constraints, fixed and never violated, $k_\tau\ge\tau$ at both ends of $\hat{X}^{\max}_\tau$, and $z=0$ is a Slater point of all prefixes. ` +
		`A deterministic learner can be computed beforehand, so that the rounds are a sequence that is oblivious of it.`,
	Instead: `Theorem 2 bounds the penalty violation; it says nothing of the soft one.`,
	Cost:    "a game of 20000 rounds, and 5 problems × 10 games of 400 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `constraints whose sign is that of $x_i$; $\gamma=80$, above the threshold 60 of Theorem 1 for $z=0$, $\eta\to\beta=0.05$, $E=L=1$`,
		Command: "bench play --algorithm penalised-ftrl:gamma=80 --problem soft-gap:opening=2000,walls=2 --horizon 20000",
		Run:     softLinear,
	}, {
		Role:    Amended,
		What:    `fixed and perturbed constraints in three dimensions, every round`,
		Command: "bench play --algorithm penalised-ftrl --problem perturbed:dim=3,constraints=2,noise=drift --horizon 400",
		Run: func(l *Lab) (Finding, error) {
			return softPerturbed(l, "fixed:dim=3,constraints=2", "perturbed:dim=3,constraints=2", "perturbed:dim=3,constraints=2,noise=drift",
				"perturbed:dim=3,constraints=2,noise=periodic", "perturbed:dim=3,kind=norm,noise=adversarial")
		},
	}},
}

func softLinear(l *Lab) (Finding, error) {
	const horizon = 20000
	var a averages
	var sums [3]float64
	var at [2][2]float64 // soft and penalty, at a quarter and at the end
	outside := 0
	err := l.Play("penalised-ftrl:gamma=80", "soft-gap:opening=2000,walls=2", 1, horizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
		soft := 0.
		for j, g := range r.Constraints {
			sums[j] += g.Value(x)
			soft += max(0, sums[j])
		}
		// The conditions: all averages of the first constraint are negative on D.
		for _, end := range []float64{-1, 1} {
			if a.value(0, []float64{end}) >= 0 {
				outside++
			}
		}
		if t == horizon/4 || t == horizon {
			at[t/horizon] = [2]float64{soft, a.penalty}
		}
		return nil
	}))
	f := Finding{
		Outcome: Survives,
		Text: fmt.Sprintf(`where the sign of the constraint is that of $x_i$, the soft violation is %.4g at $t=%d$ and %.4g at $t=%d$, the penalty violation %.4g and %.4g`,
			at[0][0], horizon/4, at[1][0], horizon, at[0][1], at[1][1]),
		Values: []Value{{"soft-per-round", at[1][0] / horizon}, {"penalty", at[1][1]}},
	}
	switch {
	case outside > 0:
		f.Outcome, f.Text = Undecided, fmt.Sprintf(`an average is not negative on $D$ in %d rounds, so that the hypothesis is not met`, outside)
	case at[1][0] > 3*at[0][0] && at[0][0] > 0 && at[1][1] < 1:
		f.Outcome = Refutes
	}
	return f, err
}

func softPerturbed(l *Lab, specs ...string) (Finding, error) {
	const horizon = 400
	var worst Worst
	for _, problem := range specs {
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			var a averages
			var sums, drifts [2]float64
			err := l.Play("penalised-ftrl", problem, replicate, horizon, &a, Observe(func(t int, x []float64, r *convex.Round) error {
				soft, most := 0., a.penalty
				origin := make([]float64, len(x))
				for j, g := range r.Constraints {
					sums[j] += g.Value(x)
					soft += max(0, sums[j])
					drifts[j] += g.Value(origin) - a.value(j, origin) // b_t less its average, at whatever point
					most += max(0, drifts[j])
				}
				worst.See((soft-float64(1e-9*float64(t)))/(1e-9+most), `$t=%d$ of \texttt{%s}, replicate %d`, t, problem, replicate)
				return nil
			}))
			if err != nil {
				return Finding{}, err
			}
		}
	}
	return worst.Finding(`with the bound $\sum_i h_i(x_i)+\sum_j \max(0,\sum_i b_i^{(j)}-\bar{b}_i^{(j)})$, the soft violation is`, 1e-9), nil
}
