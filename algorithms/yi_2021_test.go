package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
)

func TestYi2021AgreesWithTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		for _, p := range []algorithms.Yi2021Params{
			{C: 0.5, Alpha0: 1, Gamma0: 0.5}, {C: 0.3, Alpha0: 0.2, Gamma0: 1},
		} {
			setup := s.setup()
			setup.Horizon = len(s.rounds)
			alpha := p.Alpha0 * math.Pow(float64(setup.Horizon), -p.C)
			gamma := p.Gamma0 / math.Sqrt(alpha)
			q := make([]float64, s.m)
			want := twinRectified(func(_ int, values []float64) ([]float64, float64) {
				c := make([]float64, s.m)
				for j, v := range values {
					q[j] += gamma * positivePart(v)
					c[j] = gamma * (q[j] + gamma*positivePart(v))
				}
				return c, 1 / alpha
			})(s)
			checkTwin(t, fmt.Sprintf("%s, %+v", where, p), newLearner(t, "yi-2021", p, setup), s, want, tol)
		}
	})
}
