package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
)

// pathChen plays the MOSP update; duals[t] is λ at the start of round t+1.
func pathChen(alpha, mu float64, x0 []float64) func(script) path {
	return func(s script) path {
		p := startPath(s, x0)
		for t, r := range s.rounds {
			lambda := make([]float64, s.m)
			for j, g := range r.constraints {
				lambda[j] = math.Max(0, p.duals[t][j]+mu*g.value(p.xs[t]))
			}
			next := proximalStep(s, r, p.xs[t], lambda, 1/(2*alpha))
			if next == nil {
				return path{}
			}
			p.xs, p.duals = append(p.xs, next), append(p.duals, lambda)
		}
		return p
	}
}

func TestChenAgreesWithTwin(t *testing.T) {
	t.Parallel()
	queueGames(100, func(where string, s script) {
		step := math.Pow(float64(len(s.rounds)), -1./3)
		checkTwin(t, where, newLearner(t, "chen", nil, s.horizon()), s, pathChen(step, step, nil)(s).xs,
			proximalTolerance(where))
		x0 := make([]float64, s.n)
		for i := range x0 {
			x0[i] = -0.4
		}
		p := algorithms.ChenParams{Step: 0.7, DualStep: 0.1,
			FirstAction: algorithms.FirstAction{X0: []float64{-0.4}}}
		checkTwin(t, where, newLearner(t, "chen", p, s.horizon()), s, pathChen(0.7, 0.1, x0)(s).xs,
			proximalTolerance(where))
	})
}
