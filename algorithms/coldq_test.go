package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
)

func TestCOLDQAgreesWithTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		for _, p := range []algorithms.COLDQParams{
			{Alpha: 0.7, Epsilon: 0.01}, {Alpha: 3, Epsilon: 0.1, Eta: 0.2},
		} {
			setup := s.setup()
			setup.Horizon = len(s.rounds)
			eta := p.Eta
			if eta == 0 {
				eta = 1 / float64(setup.Horizon)
			}
			low := p.Epsilon * float64(setup.Horizon)
			queue := make([]float64, s.m)
			want := twinRectified(func(t int, values []float64) ([]float64, float64) {
				for j, v := range values {
					if t == 1 {
						queue[j] = low
					} else {
						queue[j] = math.Max((1-eta)*queue[j]+positivePart(v), low)
					}
				}
				return queue, p.Alpha * math.Sqrt(float64(t))
			})(s)
			checkTwin(t, where, newLearner(t, "coldq", p, setup), s, want, tol)
		}
	})
}
