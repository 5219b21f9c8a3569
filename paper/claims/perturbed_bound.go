package claims

import (
	"fmt"
	"math"
	"slices"
)

var perturbedBound = Claim{
	Name:       "perturbed-bound",
	Place:      `§4.6, Perturbed Constraints, the end of $\bar{b}$`,
	Sentence:   `Perturbed constraints $g+b_i$ with $b_i\le \bar{b}$ and a common Slater point give regret and violation $O(\sqrt{t})$ against $\{g+\bar{b}\le0\}$, for $\delta_i\le0$ adds nothing to the violation.`,
	Hypothesis: `$R_\tau=\sqrt{\tau}\,\|x\|^2$, a convex $D$, $\gamma$ large enough. Nothing is asked of the averages $m_i$ of $b_1,\dots,b_i$ but $m_i\le \bar{b}$.`,
	Statistic:  `the penalty violation $V_t=\sum h_i(x_i)$ and the soft violation at $t=10^4$ and $10^5$, where $m_t$ has the same phase, and the regret against $X^{\min}_t\supseteq\{g+\bar{b}\le0\}$`,
	Rule:       `both violations grow by a factor above 7 over the decade, where $\sqrt{t}$ grows by 3.2 and $t$ by 10`,
	Condition:  `the averages $m_i$ of $b_1,\dots,b_i$ do not rise faster than $m_k-m_i\le C/\sqrt{i}$ for $i\le k\le2i$`,
	Proof: `The regret is that of FTRL, for the penalties are 0 on the set. Let $m_i+g(z)\le-\eta$. From $x=x_{\tau+1}$ towards $z$ the objective does not fall, each of the $N$ active hinges has slope at most $-\eta$, the rest at most $(E+L)\tau$: $N\le(E+L)\tau/(\gamma\eta)+O(1)<\tau/2-1$ for $\gamma>2(E+L)/\eta$ and large $\tau$: ` +
		`some $i>\tau/2$ has $g(x)+m_i\le0$, $h_{\tau+1}(x)\le m_{\tau+1}-m_i\le C/\sqrt{i}$, and $V_t=O(\sqrt{t})$. The soft violation adds $\sum_{i\le t}(b_i-m_i)=\sum_{i\le t}(m_t-m_i)=O(\sqrt{t})$. ` +
		`Counterexample: $f=-x$, $g=x$, $m_i=A\cos(\omega\log i)$. The share of positive averages at $x_{\tau+1}$ tends to $1/\gamma$, and $m_i>A-\delta$ has at most a share $c\sqrt{\delta}$ of a prefix: $x_{\tau+1}\ge-A+\delta$ with $\delta=\Omega(\gamma^{-2})$. Where $m_i\ge A-\delta/2$, a positive share of the rounds, $h_i(x_i)\ge\delta/2$; and where $m_t=A$ the constraints sum to $tm_t+\sum x_i\ge\delta t-o(t)$.`,
	Instead: `Without the condition the regret is $O(\sqrt{t})$. Penalty and soft violation are linear where the averages swing for ever, with a constant that falls like a power of $1/\gamma$.`,
	Cost:    "4 games of 100000 rounds, 8 of 3000",
	Checks: []Check{{
		Role:    Stated,
		What:    `averages that swing, one oscillation a decade, with $\gamma=3$, 5, 10 and 25`,
		Command: "bench play --algorithm penalised-ftrl:gamma=5 --problem drifting-average:rate=0,turns=1 --horizon 10000",
		Run:     perturbedSwings,
	}, {
		Role:    Amended,
		What:    `averages that fall by any amount, and averages that rise at the rate $1/\sqrt{t}$`,
		Command: "bench play --algorithm penalised-ftrl --problem drifting-average:rate=0.1 --horizon 10000",
		Run:     perturbedFalling,
	}},
}

func perturbedSwings(l *Lab) (Finding, error) {
	const problem = "drifting-average:rate=0,turns=1"
	marks := []int{10000, 100000}
	gammas := []float64{3, 5, 10, 25}
	if l.Quick {
		gammas = gammas[1:2]
	}
	least, regret := math.Inf(1), math.Inf(-1)
	var share, soft float64
	for _, gamma := range gammas {
		var penalties, softs []float64
		_, err := l.playLine(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), problem, 1, marks[1], func(o *line, t int) {
			if slices.Contains(marks, t) {
				penalties, softs = append(penalties, o.penalty), append(softs, o.soft())
				regret = math.Max(regret, o.regret(o.common)/math.Sqrt(float64(t)))
			}
		})
		if err != nil {
			return Finding{}, err
		}
		for _, v := range [][]float64{penalties, softs} {
			least = math.Min(least, v[1]/v[0])
		}
		if gamma == 5 {
			share, soft = penalties[1]/float64(marks[1]), softs[1]/float64(marks[1])
		}
	}
	f := Finding{
		Outcome: Survives,
		Text: fmt.Sprintf(`where the averages swing for ever, the penalty and the soft violation grow by factors of at least %.3g from $t=10^4$ to $10^5$; with $\gamma=5$ they are $%.3gt$ and $%.3gt$ at the end`,
			least, share, soft),
		Values: []Value{{"growth-a-decade", least}, {"penalty-share", share}, {"soft-share", soft}},
	}
	if regret <= 0 {
		f.Text += ", while the regret is negative"
	} else {
		f.Text += fmt.Sprintf(`, while the regret is at most $%.3g\sqrt{t}$`, regret)
	}
	if least > 7 {
		f.Outcome = Refutes
	}
	return f, nil
}

// perturbedFalling holds h_{τ+1}(x_{τ+1}) against what the proof says under the condition,
// with C of the stream.
func perturbedFalling(l *Lab) (Finding, error) {
	const horizon = 3000
	var worst Worst
	largest := 0.
	for _, p := range append(perturbedStreams(l), streams{"drifting-average:rate=0.1", 1}) {
		for replicate := 1; replicate <= p.n; replicate++ {
			o, err := l.playLine("", p.problem, replicate, horizon, nil)
			if err != nil {
				return Finding{}, err
			}
			c := riseConstant(o.shift)
			_, err = l.playLine("penalised-ftrl", p.problem, replicate, horizon, func(o *line, t int) {
				if t >= 100 {
					worst.See(o.h/(float64(c*math.Sqrt(2/float64(t-1)))+1e-12), `$t=%d$ of \texttt{%s}, replicate %d`, t, p.problem, replicate)
					largest = math.Max(largest, o.penalty/math.Sqrt(float64(t)))
				}
			})
			if err != nil {
				return Finding{}, err
			}
		}
	}
	return worst.Finding(fmt.Sprintf(`$V_t$ is at most $%.3g\sqrt{t}$ from $t=100$ on; with the bound $C\sqrt{2/(t-1)}$, $h_t(x_t)$ is`, largest), 0), nil
}

// riseConstant is the largest √i·(m_k − m_i) over i ≤ k ≤ 2i, at least 0.
func riseConstant(m []float64) (c float64) {
	for i := 1; i <= len(m); i++ {
		for _, later := range m[i-1 : min(2*i, len(m))] {
			c = math.Max(c, float64(math.Sqrt(float64(i))*(later-m[i-1])))
		}
	}
	return c
}
