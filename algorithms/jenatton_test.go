package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
)

func jenattonParams(losses string, beta float64) algorithms.JenattonParams {
	return algorithms.JenattonParams{Beta: beta, Losses: losses}
}

func TestJenattonAgreesWithTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		x0 := slices.Repeat([]float64{0.4}, s.n)
		R, G, sigma := s.set.Diameter()/2, 2., 0.5
		if R == 0 {
			return
		}
		for _, p := range []algorithms.JenattonParams{
			jenattonParams("convex", 0.5), jenattonParams("convex", 2./3),
			jenattonParams("strongly-convex", 0.5), jenattonParams("strongly-convex", 0.2),
		} {
			xs := [][]float64{nearestPoint(s.set, x0)}
			lambda := 0.0
			for i, r := range s.rounds {
				T := float64(i + 1)
				eta, theta := R/(G*math.Pow(T, p.Beta)), 6*R*G/math.Pow(T, p.Beta)
				if p.Losses == "strongly-convex" {
					eta, theta = 1/(sigma*T), 6*G*G/(sigma*math.Pow(T, p.Beta))
				}
				mu := 1 / (theta * (T + 1))
				x := xs[i]
				d := r.loss.gradient(x)
				if s.m > 0 {
					g := r.constraints[worstOf(r, x)]
					for k, v := range g.gradient(x) {
						d[k] += lambda * v
					}
					lambda = math.Max(0, lambda+mu*(g.value(x)-theta*lambda))
				}
				xs = append(xs, descend(s.set, x, eta, d))
			}
			p.X0 = x0[:1]
			checkTwin(t, where, newLearner(t, "jenatton", p, longTermSetup(s)), s, xs, 1e-9)
		}
	})
}
