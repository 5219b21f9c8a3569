package claims

import (
	"fmt"
	"math"
)

var ftrlRegret = Claim{
	Name:     "ftrl-regret",
	Place:    "Condition 1; Lemma 3",
	Sentence: `Under Condition 1, FTRL $x_{\tau+1} \in \arg\min_{x \in D} R_\tau(x) + \sum_{i \le \tau} F_i(x)$ has regret $\sum_{i \le t} F_i(x_i) - F_i(x) \le O(\sqrt{t})$ for all $x \in D$.`,
	Hypothesis: `(i) $D$ is bounded, potentially non-convex; (ii) $\sum_{i \le \tau} F_i$ is convex; (iii) $F_i$ is uniformly Lipschitz on $D$; ` +
		`(iv) $R_\tau$ is $\sqrt{\tau}$-strongly convex and $R_i-R_{i-1}$ uniformly Lipschitz, e.g. $\sqrt{\tau}\|x\|^2$`,
	Statistic: `regret against the best $x \in D$; under the condition its ratio to $\rho^2\sqrt{t} + L^2(1+2\sqrt{t})/4$, in every round`,
	Rule:      `regret that grows like $t$ in a game that meets (i) to (iv)`,
	Proof: `Let $D$ be convex, $\phi_i = R_i + \sum_{k \le i} F_k$ and $d_i = \|x_{i+1}-x_i\|$. By strong convexity $\phi_i(x_{i+1}) \ge \phi_{i-1}(x_i) + \sqrt{i-1}\,d_i^2/2 + F_i(x_{i+1}) + (R_i-R_{i-1})(x_{i+1})$, and $F_i(x_{i+1}) \ge F_i(x_i) - Ld_i$. ` +
		`Summed up, with $\phi_t(x_{t+1}) \le \phi_t(y)$: $\sum_i F_i(x_i) - F_i(y) \le \sum_i (r_i(y) - r_i(x_{i+1})) + Ld_1 + \sum_{i>1} L^2/(2\sqrt{i-1})$, $r_i = R_i-R_{i-1}$. ` +
		`The last sum is $O(\sqrt{t})$, the first at most $\sum_i (\max_D r_i - \min_D r_i)$. For $R_\tau = \sqrt{\tau}\|x-x_0\|^2$, which is $2\sqrt{\tau}$-strongly convex, the bound is that of the statistic, $\rho = \max_D \|x-x_0\|$.`,
	Condition: `$D$ is convex, and $\sum_{i \le t} (\max_D - \min_D)(R_i-R_{i-1}) = O(\sqrt{t})$, as for $R_\tau = \sqrt{\tau}\|x\|^2$`,
	Cost:      "1000 games of 200 rounds, and three of up to 10000",
	Checks: []Check{{
		Role: Stated,
		What: `$D=\{-1,1\}$, $R_\tau=\sqrt{\tau}\,x^2$, $F_i = \pm x$ against the action`,
		Run:  leaderOnTwoPoints,
	}, {
		Role: Stated,
		What: `$D=[-1,1]$, $R_\tau = \sqrt{\tau}\,x^2 + \tau x$, whose increments are uniformly Lipschitz, and $F_i = -x/2$`,
		Run:  leaderWithDrift,
	}, {
		Role:    Amended,
		What:    `$D=[-1,1]^n$, $R_\tau=\sqrt{\tau}\|x\|^2$, slopes that turn late, slopes against the action, and random quadratics that need not be convex`,
		Command: "bench play --algorithm penalised-ftrl:gamma=0 --problem soft-gap --horizon 4000",
		Run:     func(l *Lab) (Finding, error) { return leadersOnCubes(l, 1) },
	}},
}

// leaderOnTwoPoints: R is constant on D, and x_{τ+1} is −1 where the slopes sum to more
// than 0. The slope of round i is the sign of x_i.
func leaderOnTwoPoints(*Lab) (Finding, error) {
	const T = 1000
	x, slopes, loss := 1.0, 0.0, 0.0
	linear := true
	for t := 1; t <= T; t++ {
		slope := x // ±1: the loss is x·x = 1
		loss += float64(slope * x)
		slopes += slope
		linear = linear && loss+math.Abs(slopes) >= float64(t)
		if x = 1; slopes > 0 {
			x = -1
		}
	}
	regret := loss + math.Abs(slopes)
	return Finding{
		Outcome: refutesIf(linear), Values: []Value{{"regret", regret}},
		Text: fmt.Sprintf("the regret is at least $t$ in every round, %.4g at $t=%d$: follow the leader jumps between the points", regret, T),
	}, nil
}

// leaderWithDrift: the objective is √τx² + τx/2, and the best action is 1.
func leaderWithDrift(*Lab) (Finding, error) {
	const T = 1000
	x, loss, linear := 0.0, 0.0, true
	for t := 1; t <= T; t++ {
		loss -= float64(x / 2)
		regret := loss + float64(float64(t)/2)
		linear = linear && regret >= float64(t)/2
		x = max(-1, -math.Sqrt(float64(t))/4)
	}
	regret := loss + T/2
	return Finding{
		Outcome: refutesIf(linear), Values: []Value{{"regret", regret}},
		Text: fmt.Sprintf("the regret against 1 is at least $t/2$ in every round, %.4g at $t=%d$: the regulariser outweighs the losses", regret, T),
	}, nil
}

// leadersOnCubes plays with the regulariser κ√τ‖x‖².
func leadersOnCubes(l *Lab, kappa float64) (Finding, error) {
	rng := l.Rand("ftrl-regret")
	var worst Worst
	for game := range l.Repeat(1000) {
		n, T := 1+rng.IntN(3), 200
		if game == 0 {
			n, T = 1, 10000
		}
		sum, leader := newSeparable(n), newSeparable(n)
		x, best, slope := make([]float64, n), make([]float64, n), newSeparable(n)
		loss, lipschitz := 0.0, 0.0
		for k := range slope.b {
			slope.b[k] = 1
		}
		for t := 1; t <= T; t++ {
			root := math.Sqrt(float64(t))
			f := slope
			switch game % 3 {
			case 0: // turn as those of soft-gap
				for k := range slope.b {
					if slope.b[k]*sum.b[k] >= root {
						slope.b[k] = -slope.b[k]
					}
				}
			case 1: // against the action
				for k := range slope.b {
					slope.b[k] = math.Copysign(1, x[k])
				}
			case 2:
				f = drawSeparable(rng, sum, 0)
			}
			loss += f.value(x)
			lipschitz = max(lipschitz, f.lipschitz())
			sum.add(f)
			sum.argmin(best)
			worst.See((loss-sum.value(best))/leaderBound(t, math.Sqrt(float64(n)), lipschitz), "round %d of game %d", t, game+1)
			copy(leader.b, sum.b)
			for k := range leader.a {
				leader.a[k] = sum.a[k] + float64(2*kappa*root)
			}
			leader.argmin(x)
		}
	}
	return worst.Finding("regret is", 1e-9), nil
}
