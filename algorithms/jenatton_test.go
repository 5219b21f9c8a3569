package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/problems"
)

func jenattonParams(losses string, beta float64) algorithms.JenattonParams {
	return algorithms.JenattonParams{Beta: beta, Losses: losses}
}

func TestJenattonTwin(t *testing.T) {
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
			xs := [][]float64{nearest(s.set, x0)}
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
			agree(t, where, newLearner(t, "jenatton", p, longTermSetup(s)), s, xs, 1e-9)
		}
	})
}

func TestJenattonRegretAndViolation(t *testing.T) {
	t.Parallel()
	for _, beta := range []float64{0.5, 2. / 3} {
		law{name: "jenatton", params: jenattonParams("convex", beta), worst: true,
			terms: func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
				f := s.Facts()
				R, G, B := s.Set().Diameter()/2, f.G(), f.ConstraintBound
				limit, weight = 2*R*G*math.Pow(T, beta), 2*6*R*G
				for t := 1.; t <= T; t++ {
					theta := 6 * R * G / math.Pow(t, beta)
					weight += 2 * theta
					limit += R*G/math.Pow(t, beta) + B*B/(theta*(t+1))
				}
				return limit, weight, 0, true
			}}.check(t)
		law{name: "jenatton", params: jenattonParams("strongly-convex", beta), worst: true,
			longer: 20_000, terms: func(s problems.Stream, T float64) (limit, weight, margin float64,
				holds bool) {
				f := s.Facts()
				if f.Curvature == 0 {
					return 0, 0, 0, false
				}
				G, B := f.G(), f.ConstraintBound
				weight = 2 * 6 * G * G / f.Curvature
				for t := 1.; t <= T; t++ {
					theta := 6 * G * G / (f.Curvature * math.Pow(t, beta))
					weight += 2 * theta
					limit += G*G/(f.Curvature*t) + B*B/(theta*(t+1))
				}
				return limit, weight, 0, true
			}}.check(t)
	}
}
