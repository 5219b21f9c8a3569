package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
)

var mannor = Claim{
	Name:      "mannor",
	Place:     "Introduction, Importance of Using A Strong Benchmark",
	Sentence:  `Regret and violation $O(\sqrt{t})$ with respect to $X^{\max}_t$ are not achievable for all sequences of constraints.`,
	Statistic: `$\max(4R_s/(s-1),\, 6V_s/(s-9))$, the largest over $T/6 \le s \le T$, for every $T$: regret against $X^{\max}$ and soft violation on \texttt{mannor}`,
	Rule:      `a learner for which it is below 1 for some $T$: both would be small during a whole stretch of the game`,
	Proof: `On \texttt{mannor} with $\theta=3/4$ a round $s$ that ends a stage B has $\sum_{i \le s} g_i(x) = s(x-1)$, so that 1 is in $X^{\max}_s$, and $R_s \ge (s-1)/4$: see the doc of the problem. ` +
		`Let $s$ be the last such round up to $T$, or 0. If $s < T/6$, the stage A after it lasts, up to $T$, to some $u > (T+s)/2 \ge T/2$, for its stage B is not over at $T$. ` +
		`While it lasts the mean of the actions exceeds $3/4$, and $s/2$ of the rounds up to $u$ are of column 1: $\sum_{i \le u} g_i(x_i) = 2\sum_{\text{column 2}} x_i - u > 3(u-1)/2 - s - u = (u-3)/2 - s > (u-9)/6$. ` +
		`So for every learner, and every $T$, one of the two is linear somewhere in $[T/6, T]$: not both are $o(t)$. A deterministic learner meets the same rounds in an oblivious sequence.`,
	Cost: "10 games of 3000 rounds",
	Checks: []Check{{
		Role:    Stated,
		What:    `learners of every kind on \texttt{mannor}, every $T$ from 12 to 3000`,
		Command: "bench play --algorithm penalised-ftrl --problem mannor --horizon 3000",
		Run:     mannorGames,
	}},
}

func mannorGames(l *Lab) (Finding, error) {
	const T = 3000
	var worst Worst
	for _, algorithm := range []string{
		"penalised-ftrl", "penalised-ftrl:penalty=per-round", "penalised-ftrl:penalty=difference", "penalised-ftrl:gamma=0",
		"primal-dual", "primal-dual-average", "neely-yu", "sinha-vaze", "castiglioni", "ogd",
	} {
		largest := make([]float64, T+1)
		game, second := &sums{}, 0
		err := l.Play(algorithm, "mannor", 1, T, game, Observe(func(t int, _ []float64, r *convex.Round) error {
			if r.Constraints[0].Value([]float64{1}) > 0 {
				second++ // column 2
			}
			// X^max_t = [0, min(1, 1/(2q))], and the losses sum to t(q − (1+q)x).
			q := float64(second) / float64(t)
			regret := game.loss - float64(float64(t)*(q-float64((1+q)*min(1, 1/(2*q)))))
			largest[t] = regret / (float64(t-1) / 4)
			if t > 9 {
				largest[t] = max(largest[t], game.soft/(float64(t)/6-1.5))
			}
			return nil
		}))
		if err != nil {
			return Finding{}, err
		}
		for end := 12; end <= T; end++ {
			most := math.Inf(-1)
			for s := (end + 5) / 6; s <= end; s++ {
				most = max(most, largest[s])
			}
			worst.See(1/max(most, 1e-9), `$T=%d$ of \texttt{%s}`, end, algorithm)
		}
	}
	f := worst.Finding("", 1e-9)
	f.Text = fmt.Sprintf(`for every learner and every $T$, the regret is at least %.4g times $(s-1)/4$, or the soft violation that many times $(s-9)/6$, in some round $s$ of $[T/6,T]$; the least is at %s`, 1/worst.Ratio, worst.At)
	return f, nil
}
