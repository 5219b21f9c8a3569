package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
)

// twinYuLeeLee plays the update on the largest constraint, clipped at 0 if clipped is true.
func twinYuLeeLee(lipschitz, bound float64, clipped bool) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, make([]float64, s.n))}
		delta := s.set.Diameter()
		var queue, squares, weights float64
		for i, r := range s.rounds {
			x, t := xs[i], float64(i+1)
			gamma := math.Min(1, math.Min(1/(12*bound*math.Sqrt(t)), 1/(24*delta*lipschitz)))
			phi := gamma * math.Exp(gamma*queue)
			step := r.loss.gradient(x)
			value := 0.0
			if len(r.constraints) > 0 {
				var g smooth
				g, value = largestConstraint(r.constraints, x)
				if clipped {
					value = positivePart(value)
				}
				if !clipped || value > 0 {
					step = movedBy(step, phi, g.gradient(x))
				}
			}
			for _, d := range step {
				squares += d * d
			}
			eta := math.Sqrt2 * delta / (2 * math.Sqrt(1+squares))
			xs = append(xs, nearestPoint(s.set, movedBy(x, -eta, step)))
			old := weights
			weights += phi * phi
			queue += value - 12*gamma*bound*bound - 4*delta*lipschitz*phi/(math.Sqrt(weights)+math.Sqrt(old))
		}
		return xs
	}
}

func TestYuLeeLeeAgreesWithTwin(t *testing.T) {
	everyScript(400, func(where string, s script, _ float64) {
		for _, bound := range []float64{0.1, 3} {
			for constraint, clipped := range map[string]bool{"signed": false, "clipped": true} {
				p := algorithms.YuLeeLeeParams{Constants: algorithms.Constants{LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 0.3}, Bound: bound},
					Constraint: constraint}
				checkTwin(t, constraint+" "+where, newLearner(t, "yu-lee-lee", p, s.setup()), s,
					twinYuLeeLee(0.3, bound, clipped)(s), 1e-9)
			}
		}
	})
}
