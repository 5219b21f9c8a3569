package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
)

// twinRectified plays x_{t+1} = argmin ∇f_t·x + Σ_j c_j[g_{t,j}(x)]₊ + w‖x−x_t‖²
// with the coefficients and the weight of a round, given the rounds played.
func twinRectified(charge func(t int, values []float64) (c []float64, w float64)) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, make([]float64, s.n))}
		for i, r := range s.rounds {
			x := xs[i]
			values := make([]float64, s.m)
			for j, g := range r.constraints {
				values[j] = g.value(x)
			}
			c, w := charge(i+1, values)
			xs = append(xs, byDual(s.set, w, movedBy(x, -1/(2*w), r.loss.gradient(x)), r.constraints, c))
		}
		return xs
	}
}

func TestGuoAgreesWithTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		for _, p := range []algorithms.GuoParams{
			{Alpha: 0.7, Gamma: 1, Eta: 1, Epsilon: 0.01},
			{Alpha: 3, Gamma: 0.1, Eta: 0.5, Epsilon: 0.2},
		} {
			queue := make([]float64, s.m)
			want := twinRectified(func(t int, values []float64) ([]float64, float64) {
				root := math.Sqrt(float64(t))
				gamma := p.Gamma * math.Pow(float64(t), 0.5+p.Epsilon)
				c := make([]float64, s.m)
				for j, v := range values {
					queue[j] = math.Max(queue[j]+gamma*positivePart(v), p.Eta*root)
					c[j] = gamma * queue[j]
				}
				return c, p.Alpha * root
			})(s)
			checkTwin(t, fmt.Sprintf("%s, %+v", where, p), newLearner(t, "guo", p, s.setup()), s, want, tol)
		}
	})
}
