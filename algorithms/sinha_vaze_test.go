package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
)

// twinSinhaVaze plays the update of the derivative of a potential.
func twinSinhaVaze(beta float64, slope func(t, queue float64) float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, make([]float64, s.n))}
		queue, squares := 0.0, 0.0
		for t, r := range s.rounds {
			x := xs[t]
			g, value := largestConstraint(r.constraints, x)
			step := make([]float64, s.n)
			for i, d := range r.loss.gradient(x) {
				step[i] = beta * d
			}
			if value > 0 {
				queue += beta * value
				step = movedBy(step, beta*slope(float64(t+1), queue), g.gradient(x))
			}
			for _, d := range step {
				squares += d * d
			}
			eta := math.Sqrt2 * s.set.Diameter() / (2 * math.Sqrt(squares))
			xs = append(xs, nearestPoint(s.set, movedBy(x, -eta, step)))
		}
		return xs
	}
}

// twinSinhaVazeStrong plays the update for strongly convex losses, with the weights of the losses
// by round.
func twinSinhaVazeStrong(weights func(t float64) float64, alpha float64) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearestPoint(s.set, make([]float64, s.n))}
		queue := 0.0
		for t, r := range s.rounds {
			x, weight := xs[t], weights(float64(t+1))
			g, value := largestConstraint(r.constraints, x)
			step := make([]float64, s.n)
			for i, d := range r.loss.gradient(x) {
				step[i] = weight * d
			}
			if value > 0 {
				queue += value
				step = movedBy(step, 2*queue, g.gradient(x))
			}
			xs = append(xs, nearestPoint(s.set, movedBy(x, -1/(weight*alpha*float64(t+1)), step)))
		}
		return xs
	}
}

func TestSinhaVazeAgreesWithTwin(t *testing.T) {
	everyScript(400, func(where string, s script, _ float64) {
		setup := s.setup()
		setup.Horizon, setup.Facts.Curvature = len(s.rounds), 0.7
		T, delta := float64(len(s.rounds)), s.set.Diameter()
		if delta > 0 {
			beta := 1 / (8 * delta) // G = 4
			for _, c := range []struct {
				params algorithms.SinhaVazeParams
				beta   float64
				slope  func(t, queue float64) float64
			}{
				{algorithms.SinhaVazeParams{}, beta,
					func(_, queue float64) float64 {
						return math.Exp(queue/(2*math.Sqrt(T))) /
							(2 * math.Sqrt(T))
					}},
				{algorithms.SinhaVazeParams{Anytime: true}, beta,
					func(t, queue float64) float64 {
						return math.Exp(queue/(2*math.Sqrt(t))) /
							(2 * math.Sqrt(t))
					}},
				{algorithms.SinhaVazeParams{Potential: "quadratic"}, 1,
					func(_, queue float64) float64 { return 2 * queue / math.Sqrt(T) }},
				{algorithms.SinhaVazeParams{Potential: "quadratic", Anytime: true}, 1,
					func(t, queue float64) float64 { return 2 * queue / math.Sqrt(t) }},
				{algorithms.SinhaVazeParams{Potential: "quadratic", Scale: beta, Lambda: 0.3}, beta,
					func(_, queue float64) float64 { return 0.6 * queue }},
			} {
				l := newLearner(t, "sinha-vaze", c.params, setup)
				checkTwin(t, fmt.Sprintf("%s %+v", where, c.params), l, s,
					twinSinhaVaze(c.beta, c.slope)(s), 1e-9)
			}
		}
		l := newLearner(t, "sinha-vaze", algorithms.SinhaVazeParams{Losses: "strongly-convex"}, setup)
		checkTwin(t, where, l, s, twinSinhaVazeStrong(func(float64) float64 {
			return 8 * 16 * math.Log(T*math.E) / 0.7
		}, 0.7)(s), 1e-9)
		l = newLearner(t, "sinha-vaze", algorithms.SinhaVazeParams{
			Losses: "strongly-convex", Anytime: true,
		}, setup)
		checkTwin(t, where+" anytime", l, s, twinSinhaVazeStrong(func(t float64) float64 {
			return 16 * 16 * math.Log(t*math.E) / 0.7
		}, 0.7)(s), 1e-9)
	})
}
