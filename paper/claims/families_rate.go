package claims

import (
	"fmt"
	"math"

	"ocobench/convex"
)

var familiesRate = checks{
	"no-slater": familyWithoutSlater,
	"bounds":    familyBounds,
}

func familyWithoutSlater(l *Lab) (Finding, error) {
	least, share := math.Inf(1), 0.
	for _, gamma := range []float64{5, 25, 100} {
		var v float64
		err := l.Play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma),
			"drifting-average:kind=quadratic,amplitude=0", 1, 10000,
			roundObserver(func(t int, x []float64, _ *convex.Round) {
				v += float64(x[0] * x[0]) // h_t, for the average is x²
				if t == 1000 || t == 10000 {
					least = min(least, v*4*gamma*gamma/float64(t))
				}
			}))
		if err != nil {
			return Finding{}, err
		}
		if gamma == 25 {
			share = v / 10000
		}
	}
	return Finding{
		Outcome: refutesIf(least > 0.9),
		Text:    fmt.Sprintf(`where the one function is $x^2$, with $\gamma=5$, 25 and 100, the violation is at least %.3g times $t/(4\gamma^2)$; with $\gamma=25$ it is $%.3gt$`, least, share),
		Values:  []Value{{"least-ratio", least}, {"share", share}},
	}, nil
}

func familyBounds(l *Lab) (Finding, error) {
	return boundsToLimit(l, "families", 10, []float64{3, 25}, "family:dim=1", "family:dim=1,rate=1")
}
