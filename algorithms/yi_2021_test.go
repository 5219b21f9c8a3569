package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
)

func TestYi2021Twin(t *testing.T) {
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
					q[j] += gamma * clip(v)
					c[j] = gamma * (q[j] + gamma*clip(v))
				}
				return c, 1 / alpha
			})(s)
			agree(t, fmt.Sprintf("%s, %+v", where, p), newLearner(t, "yi-2021", p, setup), s, want, tol)
		}
	})
}

// Losses times c and constraints times d: the same actions, as G and β are
// then declared to be as many times as large.
func TestYi2021Scaling(t *testing.T) {
	everyScript(40, func(where string, s script, tol float64) {
		for _, c := range []struct{ loss, constraint float64 }{{3, 0.2}, {0.1, 0.1}} {
			setup := s.setup()
			setup.Horizon, setup.Facts.ConstraintLipschitz = len(s.rounds), 2
			want := actions(t, newLearner(t, "yi-2021", nil, setup), s)
			setup.Facts.LossLipschitz *= c.loss
			setup.Facts.ConstraintLipschitz *= c.constraint
			agree(t, where, newLearner(t, "yi-2021", nil, setup), s.scaled(c.loss, c.constraint), want,
				max(tol, 1e-9))
		}
	})
}
