package claims

import (
	"fmt"

	"ocobench/convex/vec"
)

var onlyEarlierWorks = Claim{
	Name:      "only-earlier-works",
	Place:     "§4.6, beginning; Related Work",
	Sentence:  `Valls et al. (perturbed constraints) and Yu, Neely and Wei (i.i.d. constraints) are the only previous works for time-varying constraints that report regret and violation $O(\sqrt{t})$.`,
	Statistic: `regret against $X^{\min}_T$ and soft violation of \texttt{neely-yu} (Neely and Yu, 2017) over the bounds of its theorem; the exponents of these bounds`,
	Rule:      `both bounds have exponent $1/2$, and are kept in every game, on constraints that are neither perturbed nor i.i.d.`,
	Instead: `Neely and Yu, Online convex optimization with time-varying constraints, arXiv:1702.04783, 2017, is earlier. For arbitrary constraints with one $z$, $g_t^{(j)}(z) \le -\epsilon$ in every round, it has regret $O(\sqrt{T})$ against $X^{\min}_T$ and soft violation $O(\sqrt{T})$, in every game. ` +
		`With $x_{t+1} = \Pi(x_t - (V\partial f_t + \sum_j Q_j \partial g_t^{(j)})/(2\alpha))$, $V=\sqrt{T}$, $\alpha=T$, and the queues $Q$ of the linearised constraints, for all $y \in D$: ` +
		`$V\sum_t (f_t(x_t) - f_t(y)) + \|Q_{T+1}\|^2/2 \le \alpha\Delta^2 + TV^2G^2/(4\alpha) + TC^2/2 + \sum_t Q_t \cdot g_t(y)$. The last sum is at most 0 on $X^{\min}_T$, and $-\epsilon\sum_t\|Q_t\|$ at $y=z$ keeps the queues at $O(\sqrt{T})$. ` +
		`What the paper has beyond it is the comparator, not the rate.`,
	Cost: "4 problems × 10 streams × 4 horizons of at most 32768 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `\texttt{neely-yu} on constraints that have a common Slater point and are neither perturbed nor i.i.d.: balanced and periodic families, and two adversaries that answer the actions`,
		Command: "bench play --algorithm neely-yu --problem family --horizon 4096",
		Run:     func(l *Lab) (Finding, error) { return neelyYuBounds(l, "neely-yu") },
	}},
}

// neelyYuBounds holds what an algorithm plays against the bounds of neely-yu.
func neelyYuBounds(l *Lab, played string) (Finding, error) {
	const algorithm, low, high = "neely-yu", 1e10, 1e12
	var worst Worst
	n, steepest := l.Repeat(10), 0.0
	for _, problem := range []string{"family", "periodic:constraints=2", "mannor", "soft-gap"} {
		for replicate := 1; replicate <= n; replicate++ {
			s, err := l.Stream(problem, replicate)
			if err != nil {
				return Finding{}, err
			}
			facts := s.Facts()
			if facts.Perturbed || facts.IID || facts.Fixed || !(facts.Slater > 0) {
				return Finding{}, fmt.Errorf("%s is not what the check is for", problem)
			}
			if facts.Deterministic && replicate > 1 {
				break
			}
			var at [2][2]float64
			for k, t := range []int{low, high} {
				regret, violation, err := l.provenBounds(algorithm, s, t)
				if err != nil {
					return Finding{}, err
				}
				at[k] = [2]float64{regret(t), violation(t)}
			}
			for k := range at[0] {
				steepest = max(steepest, vec.Log(at[1][k]/at[0][k])/vec.Log(high/low))
			}
			for _, T := range []int{64, 512, 4096, 32768} {
				regret, violation, err := l.provenBounds(algorithm, s, T)
				if err != nil {
					return Finding{}, err
				}
				if err := l.overBounds(&worst, played, problem, replicate, T, regret(T), violation(T)); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	return Finding{
		Outcome: refutesIf(worst.Ratio <= 1 && steepest <= 0.51), Ratio: &worst.Ratio,
		Text: fmt.Sprintf(`on families and against adversaries the regret against $X^{\min}_T$ and the soft violation of \texttt{%s} are at most %.4g times the bounds of Neely and Yu (2017), whose exponents are at most %.3f; the largest is at %s`, played, worst.Ratio, steepest, worst.At),
	}, nil
}
