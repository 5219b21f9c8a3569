package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
)

// Claim 34: for families of constraints, 1/√t-convergence of the frequencies (Condition 3)
// suffices for regret and penalty violation O(√t).
//
//   - no-slater: one function, whose frequency is 1 and converges at once. A violation that is
//     linear with every γ tried refutes the claim.
//   - bounds: with a Slater point, both must keep to the bounds of the proof at [convergence].
var familiesRate = checks{
	"no-slater": familyWithoutSlater,
	"bounds":    familyBounds,
}

// familyWithoutSlater plays Penalised FTRL with the one constraint x² ≤ 0, which no x satisfies
// strictly. At x = 1/(2γ) its penalty is as steep as the loss, so that the actions tend there, and
// the violation is about t/(4γ²), linear for every γ. It refutes if it is 0.9 times that at t =
// 10³ and 10⁴.
func familyWithoutSlater(l *Lab) (Finding, error) {
	leastRatio, shareAt25 := math.Inf(1), 0.
	for _, gamma := range []float64{5, 25, 100} {
		var violation float64
		err := l.Play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma),
			"drifting-average:kind=quadratic,amplitude=0", 1, 10000,
			roundObserver(func(t int, x []float64, _ *convex.Round) {
				violation += float64(x[0] * x[0]) // h_t, for the average is x²
				if t == 1000 || t == 10000 {
					leastRatio = min(leastRatio, violation*4*gamma*gamma/float64(t))
				}
			}))
		if err != nil {
			return Finding{}, err
		}
		if gamma == 25 {
			shareAt25 = violation / 10000
		}
	}
	return Finding{
		Outcome: refutesIf(leastRatio > 0.9),
		Text:    fmt.Sprintf(`on $x^2\le0$ with $\gamma=5$, 25 and 100 the violation is at least %.3g times $t/(4\gamma^2)$; with $\gamma=25$ it is $%.3gt$`, leastRatio, shareAt25),
		Values:  []Value{{"least-ratio", leastRatio}, {"share", shareAt25}},
	}, nil
}

// familyBounds plays families whose frequencies converge like t^(−1/2), the default, and like
// t^(−1).
func familyBounds(l *Lab) (Finding, error) {
	return boundsToLimit(l, "families", 10, []float64{3, 25}, "family:dim=1", "family:dim=1,rate=1")
}
