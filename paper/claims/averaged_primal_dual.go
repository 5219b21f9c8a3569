package claims

import (
	"fmt"
	"math"
)

var averagedPrimalDual = Claim{
	Name:       "averaged-primal-dual",
	Place:      "Summary, last paragraph",
	Sentence:   `Conjecture: the primal-dual update on the averaged constraints $\tfrac{1}{t}\sum_{i\le t}g_i$ performs like Penalised FTRL.`,
	Hypothesis: `None is stated; here that of Theorem 2 in its simplest form, a fixed affine constraint with a Slater point, on which Penalised FTRL has $V_t=O(1)$.`,
	Statistic:  `$V_t=\sum h_i(x_i)$ of Theorem 2, the soft violation and the regret at $t=10^4$ and $10^5$, where $f=-x$ and $g=x$, with steps 0.5, 1 and 5`,
	Rule:       `for every step a $V_t$ that grows by more than 7 over the decade, where $\sqrt{t}$ grows by 3.2 and $t$ by 10`,
	Proof: `With a fixed constraint the averaged update is the update itself. For $f=-x$, $g=x$ and $\mu=\lambda-1$ it is $x^+=x-\alpha\mu$, $\mu^+=\mu+\alpha x^+$, a rotation about $(0,0)$: $I=x^2+\mu^2-\alpha x\mu$ does not change. As $\alpha_t$ falls, a step changes $I$ by $(\alpha_t-\alpha_{t+1})x\mu$, a share of at most $\alpha_t-\alpha_{t+1}$ for $\alpha_t\le1$, and these sum to at most 1. ` +
		`Where $\lambda$ is cut off at 0, $|\mu|=1$, where $x$ is at the end of $D$, $|x|=2$: in both cases $I\ge\tfrac{1}{2}$. So $I$ stays away from 0, and $x_t$ swings like $\sin(2a\sqrt{t})$ with an amplitude that does not vanish. A positive share of the rounds has $x_t\ge c$, $V_t\ge c't$ for every step $a$, but where the state is $(0,0)$ exactly. ` +
		`Signed sums cancel: $\alpha_ix_{i+1}=\lambda_{i+1}-\lambda_i$ or less, so that the soft violation is at most $\lambda/\alpha$ summed by parts, $O(\sqrt{t})$.`,
	Instead: `In the soft violation and the regret the averaged update may be like Penalised FTRL, and is here; the violation of Theorem 2, in which Penalised FTRL has $O(\sqrt{t})$, is linear. If the average is clipped at 0, as $h_t$ is elsewhere in the paper, $\lambda$ never falls, and the regret is linear instead.`,
	Cost:    "4 games of 100000 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `the fixed constraint $x\le0$ on $[-2,2]$ with the loss $-x$`,
		Command: "bench play --algorithm primal-dual-average:step=1 --problem drifting-average:amplitude=0 --horizon 10000",
		Run:     averagedPrimalDualSwings,
	}},
}

func averagedPrimalDualSwings(l *Lab) (Finding, error) {
	const problem, horizon = "drifting-average:amplitude=0", 100000
	play := func(algorithm string) (o *line, penalty, soft [2]float64, err error) {
		o, err = l.playLine(algorithm, problem, 1, horizon, func(o *line, t int) {
			k := 0
			if t > horizon/10 {
				k = 1
			}
			// The soft violation swings; its largest value does not.
			penalty[k], soft[k] = o.penalty, math.Max(soft[k], o.soft())
		})
		return o, penalty, soft, err
	}
	_, leader, _, err := play("penalised-ftrl")
	if err != nil {
		return Finding{}, err
	}
	least, share, soft, regret := math.Inf(1), math.Inf(1), 0., 0.
	for _, step := range []float64{0.5, 1, 5} {
		o, v, s, err := play(fmt.Sprintf("primal-dual-average:step=%v", step))
		if err != nil {
			return Finding{}, err
		}
		least, share = math.Min(least, v[1]/v[0]), math.Min(share, v[1]/horizon)
		soft = math.Max(soft, s[1]/math.Sqrt(horizon))
		regret = math.Max(regret, o.regret(o.now())/math.Sqrt(horizon))
	}
	f := Finding{
		Outcome: Undecided,
		Text: fmt.Sprintf(`with steps $\alpha_t=a/\sqrt{t}$, $a=0.5$, 1 and 5, $V_t$ grows by a factor of at least %.3g from $t=10^4$ to $10^5$, to at least $%.3gt$, while that of Penalised FTRL is %.2g; the soft violation is at most $%.2g\sqrt{t}$ and the regret $%.2g\sqrt{t}$`,
			least, share, leader[1], soft, regret),
		Values: []Value{{"growth", least}, {"share", share}, {"penalised-ftrl", leader[1]}},
	}
	if least > 7 {
		f.Outcome = Refutes
	}
	return f, nil
}
