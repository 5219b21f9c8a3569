package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
)

func TestMahdaviMirrorProxAgreesWithTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, []string{"affine"}, func(where string, s script) {
		for i := range s.rounds { // one g for all rounds
			s.rounds[i].constraints = s.rounds[0].constraints
			s.rounds[i].real.Constraints = s.rounds[0].real.Constraints
		}
		x0 := slices.Repeat([]float64{0.4}, s.n)
		T := float64(len(s.rounds))
		for _, c := range []struct{ step, damping, eta, delta float64 }{
			{0, 0, math.Pow(T, -1./3), math.Pow(T, -2./3)},
			{0.05, 3, 0.05, 3},
		} {
			z := nearestPoint(s.set, x0)
			mu, lambda := make([]float64, s.m), make([]float64, s.m)
			var xs [][]float64
			for i := 0; ; i++ {
				g := s.rounds[0].constraints
				p := make([]float64, s.n)
				for j := range g {
					for k := range p {
						p[k] += mu[j] * g[j].a[k]
					}
				}
				x := descend(s.set, z, c.eta, p)
				xs = append(xs, x)
				if i == len(s.rounds) {
					break
				}
				p = s.rounds[i].loss.gradient(x)
				for j := range g {
					lambda[j] = math.Max(0, mu[j]+c.eta*(g[j].value(z)-c.delta*c.eta*mu[j]))
					for k := range p {
						p[k] += lambda[j] * g[j].a[k]
					}
				}
				for j := range g {
					mu[j] = math.Max(0, mu[j]+c.eta*(g[j].value(x)-c.delta*c.eta*lambda[j]))
				}
				z = descend(s.set, z, c.eta, p)
			}
			params := algorithms.MahdaviMirrorProxParams{
				Step: c.step, Damping: c.damping, FirstAction: algorithms.FirstAction{X0: x0[:1]},
			}
			checkTwin(t, where, newLearner(t, "mahdavi-mirror-prox", params, longTermSetup(s)), s, xs, 1e-9)
		}
	})
}
