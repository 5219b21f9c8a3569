package claims

import "math"

var perturbedAverage = Claim{
	Name:       "perturbed-average",
	Place:      "§4.6, Perturbed Constraints, the average end",
	Sentence:   `Perturbed constraints $g+b_i$ whose averages $m_i=\tfrac{1}{i}\sum_{k\le i}b_k$ have $|m_i-m_t|=O(1/\sqrt{i})$ and a common Slater point give regret and violation $O(\sqrt{t})$ against $\{g+m_t\le0\}$.`,
	Hypothesis: `$R_\tau=\sqrt{\tau}\,\|x\|^2$, a convex $D$, $\gamma$ large enough; $b_i$ bounded.`,
	Statistic:  `in every round, the penalty and the soft violation and the regret against $X^{\max}_t=\{g+m_t\le0\}$, over the bounds of the proof, with $C=\max_{i\le k\le T}\sqrt{i}\,|m_i-m_k|$ of the stream`,
	Rule:       `a value above its bound`,
	Proof: `Corollary 2, which the paper uses, fails as stated; this is a proof without it. Let $h=\max(0,g+m_t)$, so that $|h_i-h|\le C/\sqrt{i}$ for $i\le t$, and $h\ge\mu\,\mathrm{dist}(\cdot,X)$, $\mu=\eta/\mathrm{diam}\,D$ by the Slater point. ` +
		`On $X$ the penalties sum to at most $2C\sqrt{t}$, so that the regret of FTRL on $D$ gives $R_t\le O(\sqrt{t})+2\gamma C\sqrt{t}$. Let $d$ be the distance of $x_{\tau+1}$ from $X$ (of time $\tau$) and $u$ the point next to it. The minimum at $x_{\tau+1}$ is not above the value at $u$: $\gamma(\mu\tau d-2C\sqrt{\tau})\le L\tau d+O(\sqrt{\tau})d+2\gamma C\sqrt{\tau}$. ` +
		`So $\gamma\mu>L$ gives $d=O(1/\sqrt{\tau})$, $h_{\tau+1}(x_{\tau+1})=O(1/\sqrt{\tau})$ and $V_t=O(\sqrt{t})$. The soft violation adds $\sum_{i\le t}(b_i-m_i)=\sum_{i\le t}(m_t-m_i)\le2C\sqrt{t}$.`,
	Cost: "48 games of 10000 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `averages that fall, rise and swing at the rate $1/\sqrt{t}$, with $\gamma=3$ and $\gamma=25$`,
		Command: "bench play --algorithm penalised-ftrl --problem drifting-average:amplitude=-0.25 --horizon 10000",
		Run:     perturbedAverageBounds,
	}},
}

func perturbedAverageBounds(l *Lab) (Finding, error) {
	const horizon = 10000
	all := convergence{soft: true}
	for _, p := range perturbedStreams(l) {
		for replicate := 1; replicate <= p.n; replicate++ {
			o, err := l.playLine("", p.problem, replicate, horizon, nil)
			if err != nil {
				return Finding{}, err
			}
			c := rateConstant(o.shift)
			all.limit = func(o *line, t int) (slope, shift float64) { return o.slope[t-1], o.shift[t-1] }
			all.error = func(_ *line, i int) float64 { return c / math.Sqrt(float64(i)) }
			for _, all.gamma = range []float64{3, 25} {
				if err := all.play(l, p.problem, replicate, horizon); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	return all.finding("streams whose averages converge from above, from below and in swings"), nil
}

// streams are replicates of a problem.
type streams struct {
	problem string
	n       int
}

// perturbedStreams are on a line and have averages that converge at the rate 1/√t.
func perturbedStreams(l *Lab) []streams {
	return []streams{
		{"drifting-average", 1},
		{"drifting-average:amplitude=-0.25", 1},
		{"drifting-average:turns=1", 1},
		{"drifting-average:amplitude=-0.25,turns=1", 1},
		{"perturbed:dim=1,noise=drift", l.Repeat(10)},
		{"perturbed:dim=1,noise=periodic", l.Repeat(10)},
	}
}

// rateConstant is the largest √i·|m_i − m_k| over i ≤ k.
func rateConstant(m []float64) (c float64) {
	least, most := math.Inf(1), math.Inf(-1)
	for i := len(m) - 1; i >= 0; i-- {
		least, most = math.Min(least, m[i]), math.Max(most, m[i])
		c = math.Max(c, float64(math.Sqrt(float64(i+1))*math.Max(most-m[i], m[i]-least)))
	}
	return c
}
