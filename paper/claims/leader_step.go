package claims

import (
	"fmt"
	"math"

	"ocobench/convex/vec"
)

var leaderStep = Claim{
	Name:       "leader-step",
	Place:      "Lemma 4",
	Sentence:   `If $\sum_{i \le \tau} F_i$ is $\sigma_\tau$-strongly convex, $w_{\tau+1}$ minimises it over $D$, and $F_i$ is $L_f$-Lipschitz there, then $\|w_{\tau+1}-w_\tau\| \le 2L_f/(\sigma_\tau+\sigma_{\tau-1})$.`,
	Hypothesis: `that of the sentence; Condition 1, under which the lemma is used, has $D$ potentially non-convex, and the single $F_i$ need not be convex`,
	Statistic:  `$\|w_{\tau+1}-w_\tau\|(\sigma_\tau+\sigma_{\tau-1})/(2L)$ with the exact moduli and the Lipschitz constant of $F_\tau$ itself, in every round`,
	Rule:       `a ratio above 1`,
	Proof: `Let $\phi_\tau = \sum_{i \le \tau} F_i$ and $d = \|w_{\tau+1}-w_\tau\|$. A $\sigma$-strongly convex function exceeds its minimum over a convex set by $\sigma d^2/2$ at distance $d$: ` +
		`$\phi_\tau(w_\tau) - \phi_\tau(w_{\tau+1}) \ge \sigma_\tau d^2/2$ and $\phi_{\tau-1}(w_{\tau+1}) - \phi_{\tau-1}(w_\tau) \ge \sigma_{\tau-1}d^2/2$. ` +
		`Their sum is $F_\tau(w_\tau) - F_\tau(w_{\tau+1}) \ge (\sigma_\tau+\sigma_{\tau-1})d^2/2$, and the left side is at most $L_f d$. ` +
		`Linear $F_\tau$ on a multiple of $\|x\|^2$ attain it. Where $D$ is not convex, a minimiser may jump however small $F_\tau$ is.`,
	Condition: `$D$ is convex`,
	Cost:      "2000 sequences of 30 quadratics, in 1 to 4 dimensions",
	Checks: []Check{{
		Role: Stated,
		What: `$D=\{-1,1\}$: $F_1 = x^2 + x/100$ and $F_2 = -x/50$`,
		Run:  leaderOfTwoPoints,
	}, {
		Role: Amended,
		What: `random sums of separable quadratics on $[-1,1]^n$, with minimisers and constants in closed form`,
		Run:  leaderSteps,
	}, {
		Role: Beside,
		What: `FTRL with $R_\tau=\sqrt{\tau}\|x\|^2$ and $L_f$ of the losses alone, without the increments $R_\tau-R_{\tau-1}$, which belong to the functions that are added`,
		Run:  leaderStepsOfLosses,
	}},
}

func leaderOfTwoPoints(*Lab) (Finding, error) {
	one, two := separable{[]float64{2}, []float64{0.01}}, separable{[]float64{0}, []float64{-0.02}}
	lipschitz := 0.0
	for _, f := range []separable{one, two} {
		lipschitz = max(lipschitz, math.Abs(f.value([]float64{1})-f.value([]float64{-1}))/2)
	}
	leader := func(f separable) float64 {
		if f.value([]float64{-1}) < f.value([]float64{1}) {
			return -1
		}
		return 1
	}
	w, sigma := leader(one), one.a[0]
	one.add(two)
	next := leader(one)
	ratio := math.Abs(next-w) * (sigma + one.a[0]) / (2 * lipschitz)
	return Finding{
		Outcome: refutesIf(ratio > 1), Ratio: &ratio,
		Text: fmt.Sprintf(`on $D=\{-1,1\}$ the minimiser jumps from $%v$ to $%v$, %.4g times the bound with $L_f = %.2g$`, w, next, ratio, lipschitz),
	}, nil
}

func leaderSteps(l *Lab) (Finding, error) {
	rng := l.Rand("leader-step")
	var worst Worst
	for sequence := range l.Repeat(2000) {
		n := 1 + rng.IntN(4)
		sum, w, next := newSeparable(n), make([]float64, n), make([]float64, n)
		for tau := 1; tau <= 30; tau++ {
			sigma := least(sum.a)
			f := drawSeparable(rng, sum, 0.1)
			sum.add(f)
			sum.argmin(next)
			step := vec.Dist(next, w)
			if tau > 1 && (step > 0 || f.lipschitz() > 0) { // a constant function moves nothing
				worst.See(step*(least(sum.a)+sigma)/(2*f.lipschitz()), `$\tau=%d$ of sequence %d`, tau, sequence+1)
			}
			copy(w, next)
		}
	}
	return worst.Finding(`on $[-1,1]^n$ steps are`, 1e-9), nil
}

// least is the modulus of strong convexity of Σ a_k x_k²/2.
func least(a []float64) float64 {
	m := math.Inf(1)
	for _, v := range a {
		m = min(m, v)
	}
	return m
}

func leaderStepsOfLosses(l *Lab) (Finding, error) {
	var worst Worst
	for turn := 1; turn <= 40; turn++ { // losses −x up to there, and then x
		b, w := 0.0, 0.0
		for tau := 1; tau <= 80; tau++ {
			if b--; tau > turn {
				b += 2
			}
			root := math.Sqrt(float64(tau))
			next := min(1, max(-1, -b/(2*root)))
			worst.See(math.Abs(next-w)*(root+math.Sqrt(float64(tau-1))), `$\tau=%d$ of losses that turn after round %d`, tau, turn)
			w = next
		}
	}
	return worst.Finding(`steps are`, 1e-9), nil
}
