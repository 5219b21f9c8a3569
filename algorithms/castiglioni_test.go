package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
)

// steps are Φ, η and ξ by the formulas of the doc.
func castiglioniSteps(m int, G, F, rho, delta, T float64) (limit, eta, xi float64) {
	limit = 2 * math.Sqrt(float64(m)) * F / rho
	eta = delta / (G * (1 + limit) * math.Sqrt(T))
	return limit, eta, eta * math.Pow(F/(rho*delta), 2)
}

func TestCastiglioniAgreesWithTwin(t *testing.T) {
	t.Parallel()
	capped := 0
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		x0 := slices.Repeat([]float64{0.4}, s.n)
		delta := s.set.Diameter()
		if delta == 0 {
			return
		}
		for _, set := range []bool{false, true} {
			p := algorithms.CastiglioniParams{FirstAction: algorithms.FirstAction{X0: x0[:1]}}
			limit, eta, xi := castiglioniSteps(s.m, 2, 7, 0.4, delta, float64(len(s.rounds)))
			if set {
				limit, eta, xi = 0.05*7/0.4, 0.1, 0.2
				p.Cap, p.Step, p.DualStep = 0.05, eta, xi
			}
			xs := [][]float64{nearestPoint(s.set, x0)}
			lambda := make([]float64, s.m)
			for i, r := range s.rounds {
				x := xs[i]
				d := r.loss.gradient(x)
				y := slices.Clone(lambda)
				for j, g := range r.constraints {
					for k, v := range g.gradient(x) {
						d[k] += lambda[j] * v
					}
					y[j] += xi * g.value(x)
				}
				xs = append(xs, descend(s.set, x, eta, d))
				lambda = capAt(y, limit)
				if total(lambda) > limit*(1-1e-9) && s.m > 1 {
					capped++
				}
			}
			checkTwin(t, where, newLearner(t, "castiglioni", p, longTermSetup(s)), s, xs, 1e-9)
		}
	})
	if capped < 100 {
		t.Errorf("the cap was met %d times, want at least 100", capped)
	}
}

func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// capAt returns the point of {λ ≥ 0 : Σλ ≤ limit} nearest to y: [y − θ]₊ with the
// least θ ≥ 0 that will do, by bisection.
func capAt(y []float64, limit float64) []float64 {
	at := func(theta float64) []float64 {
		z := make([]float64, len(y))
		for j := range z {
			z[j] = math.Max(0, y[j]-theta)
		}
		return z
	}
	if total(at(0)) <= limit {
		return at(0)
	}
	lo, hi := 0., slices.Max(y)
	for range 200 {
		if mid := (lo + hi) / 2; total(at(mid)) > limit {
			lo = mid
		} else {
			hi = mid
		}
	}
	return at(hi)
}
