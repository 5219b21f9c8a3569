package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
)

// twinYuNeely plays the update of Algorithm 1.
func twinYuNeely(gamma, alpha float64) func(script) path {
	return func(s script) path {
		p := startPath(s, nil)
		for t, r := range s.rounds {
			queue, coef := make([]float64, s.m), make([]float64, s.m)
			for k, g := range r.constraints {
				v := gamma * g.value(p.xs[t])
				queue[k] = math.Max(-v, p.duals[t][k]+v)
				coef[k] = gamma * (queue[k] + v)
			}
			next := proximalStep(s, r, p.xs[t], coef, alpha)
			if next == nil {
				return path{}
			}
			p.xs, p.duals = append(p.xs, next), append(p.duals, queue)
		}
		return p
	}
}

func TestYuNeelyAgreesWithTwin(t *testing.T) {
	t.Parallel()
	queueGames(100, func(where string, s script) {
		for _, s := range []script{s, s.fixedConstraints()} {
			T := float64(len(s.rounds))
			gamma, alpha := math.Pow(T, 0.25), (9+1)*math.Sqrt(T)/2
			p := twinYuNeely(gamma, alpha)(s)
			checkTwin(t, where, newLearner(t, "yu-neely", algorithms.YuNeelyParams{Beta: 3}, s.horizon()), s,
				p.xs, proximalTolerance(where))
			p = twinYuNeely(0.5, 2)(s)
			checkTwin(t, where, newLearner(t, "yu-neely", algorithms.YuNeelyParams{Gamma: 0.5, Alpha: 2},
				s.horizon()), s, p.xs, proximalTolerance(where))
		}
	})
}
