package claims

import (
	"fmt"
	"math"
)

// Claim 11 (Lemma 3): under Condition 1 on the regulariser R_τ, FTRL has regret O(√t). Linear
// regret with a regulariser that meets Condition 1 refutes it.
//
//   - two-points: D need not be convex. On {−1, 1}, x² is constant and the leader jumps.
//   - drift: R_τ may contain τx, which outweighs the losses.
//   - cubes: with R_τ = √τ‖x‖² on a convex D the regret keeps to the bound at [leaderBound].
var ftrlRegret = checks{
	"two-points": leaderOnTwoPoints,
	"drift":      leaderWithDrift,
	"cubes":      func(l *Lab) (Finding, error) { return leadersOnCubes(l, 1) },
}

// leaderOnTwoPoints plays FTRL on D = {−1, 1} with R_τ = √τx², a constant there, against the losses
// F_i(x) = x_i·x, which cost 1 a round. The leader is −1 if the slopes sum to more than 0; the best
// point in hindsight has the loss −|Σ slopes|.
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
		Text: fmt.Sprintf(`on $D=\{-1,1\}$ against $F_i=\pm x$ the regret is at least $t$ in every round, %.4g at $t=%d$`, regret, T),
	}, nil
}

// leaderWithDrift plays FTRL on [−1, 1] with R_τ = √τx² + τx and F_i = −x/2. The objective is
// √τx² + τx/2, with the minimiser −√τ/4 or −1, whereas the best action is 1.
func leaderWithDrift(*Lab) (Finding, error) {
	const T = 1000
	x, loss, linear := 0.0, 0.0, true
	for t := 1; t <= T; t++ {
		loss -= float64(x / 2)
		regret := loss + float64(float64(t)/2)
		linear = linear && regret >= float64(t)/2
		x = max(-1, -sqrt(t)/4)
	}
	regret := loss + T/2
	return Finding{
		Outcome: refutesIf(linear), Values: []Value{{"regret", regret}},
		Text: fmt.Sprintf(`with $R_\tau = \sqrt{\tau}\,x^2 + \tau x$ and $F_i=-x/2$ on $[-1,1]$ the regret is at least $t/2$ in every round, %.4g at $t=%d$`, regret, T),
	}, nil
}

// leadersOnCubes plays FTRL on [−1, 1]^n with the regulariser κ√τ‖x‖², where minimisers have
// closed forms, against three kinds of functions: slopes that turn late, slopes against the
// action, and random quadratics. The first game, of slopes that turn, is long.
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
			root := sqrt(t)
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
			worst.Add((loss-sum.value(best))/leaderBound(t, math.Sqrt(float64(n)), lipschitz),
				"round %d of game %d", t, game+1)
			copy(leader.b, sum.b)
			for k := range leader.a {
				leader.a[k] = sum.a[k] + float64(2*kappa*root)
			}
			leader.argmin(x)
		}
	}
	return worst.Finding(`with $R_\tau=\sqrt{\tau}\|x\|^2$ on $[-1,1]^n$ the regret, whose bound is $\rho^2\sqrt{t} + L^2(1+2\sqrt{t})/4$ with $\rho^2=n$, is`, rounding), nil
}
