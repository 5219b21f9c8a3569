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
		marks := map[int]float64{}
		err := l.Play(fmt.Sprintf("penalised-ftrl:gamma=%v", gamma), "drifting-average:kind=quadratic,amplitude=0", 1, 10000,
			Observe(func(t int, x []float64, _ *convex.Round) error {
				v += float64(x[0] * x[0]) // h_t, for the average is x²
				marks[t] = v
				return nil
			}))
		if err != nil {
			return Finding{}, err
		}
		for _, t := range []int{1000, 10000} {
			least = math.Min(least, marks[t]*4*gamma*gamma/float64(t))
		}
		if gamma == 25 {
			share = v / 10000
		}
	}
	f := Finding{
		Outcome: Survives,
		Text:    fmt.Sprintf(`where the one function is $x^2$, with $\gamma=5$, 25 and 100, the violation is at least %.3g times $t/(4\gamma^2)$; with $\gamma=25$ it is $%.3gt$`, least, share),
		Values:  []Value{{"least-ratio", least}, {"share", share}},
	}
	if least > 0.9 {
		f.Outcome = Refutes
	}
	return f, nil
}

func familyBounds(l *Lab) (Finding, error) {
	all := convergence{}
	for _, problem := range []string{"family:dim=1", "family:dim=1,rate=1"} {
		for replicate := 1; replicate <= l.Repeat(10); replicate++ {
			for _, all.gamma = range []float64{3, 25} {
				if err := all.playToLimit(l, problem, replicate, 10000); err != nil {
					return Finding{}, err
				}
			}
		}
	}
	return all.finding("families"), nil
}
