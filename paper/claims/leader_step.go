package claims

import (
	"fmt"
	"math"

	"ocobench/convex/vec"
)

// Claim 12 (Lemma 4): if the objectives are σ_τ-strongly convex and their summands L_f-Lipschitz,
// minimisers move by at most 2L_f/(σ_τ + σ_{τ−1}). A larger step refutes the lemma. On D = {−1,
// 1}, which is not convex, there is one. On cubes, with exact moduli and constants, there must be
// none. Beside it, the lemma fails for FTRL with the constant of the losses alone: the increments
// of the regulariser belong to the functions that are added.
var leaderStep = checks{
	"two-points": leaderOfTwoPoints,
	"cubes":      leaderSteps,
	"losses":     leaderStepsOfLosses,
}

// leaderOfTwoPoints compares the one step between two minimisers over D = {−1, 1} with the bound.
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
		Outcome: refutesIf(ratio > 1), Values: []Value{{"ratio", ratio}},
		Text: fmt.Sprintf(`on $D=\{-1,1\}$ the minimiser jumps from $%v$ to $%v$, %.4g times the bound with $L_f = %.2g$`, w, next, ratio, lipschitz),
	}, nil
}

// leaderSteps compares steps with the bound on random sums of separable quadratics.
func leaderSteps(l *Lab) (Finding, error) {
	rng := l.Rand("leader-step")
	var worst Worst
	for sequence := range l.Repeat(2000) {
		n := 1 + rng.IntN(4)
		sum, w, next := newSeparable(n), make([]float64, n), make([]float64, n)
		for tau := 1; tau <= 30; tau++ {
			sigma := strongConvexity(sum.a)
			f := drawSeparable(rng, sum, 0.1)
			sum.add(f)
			sum.argmin(next)
			step := vec.Dist(next, w)
			if tau > 1 && (step > 0 || f.lipschitz() > 0) { // a constant function moves nothing
				worst.Add(step*(strongConvexity(sum.a)+sigma)/(2*f.lipschitz()), `$\tau=%d$ of sequence %d`, tau,
					sequence+1)
			}
			copy(w, next)
		}
	}
	return worst.Finding(`on $[-1,1]^n$ steps are`, rounding), nil
}

// strongConvexity returns the modulus of strong convexity of Σ a_k x_k²/2.
func strongConvexity(a []float64) float64 {
	m := math.Inf(1)
	for _, v := range a {
		m = min(m, v)
	}
	return m
}

// leaderStepsOfLosses follows the leader of √τx² plus losses −x, which turn to x after some round.
func leaderStepsOfLosses(l *Lab) (Finding, error) {
	var worst Worst
	for turn := 1; turn <= 40; turn++ { // the last round with the loss −x
		b, w := 0.0, 0.0 // the losses so far sum to b·x, and w is the minimiser
		for tau := 1; tau <= 80; tau++ {
			if tau <= turn {
				b--
			} else {
				b++
			}
			root := sqrt(tau)
			next := min(1, max(-1, -b/(2*root)))
			worst.Add(math.Abs(next-w)*(root+math.Sqrt(float64(tau-1))),
				`$\tau=%d$ of losses that turn after round %d`, tau, turn)
			w = next
		}
	}
	return worst.Finding(`steps are`, rounding), nil
}
