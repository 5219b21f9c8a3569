package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// D = [−1, 1], T = 8: η = 1/2, δ = 1/4, ηδ = 1/8. The constraint is x ≤ 1/4,
// losses are −x, −x, −x/2 and x; x_1 = z_1 = 0, μ_1 = 0.
//
//	t=1: λ_1 = [−1/8]₊ = 0;             z_2 = 1/2,                  μ_2 = [(0 − 1/4)/2]₊ = 0;  x_2 = 1/2
//	t=2: λ_2 = (1/4)/2 = 1/8;           z_3 = 1/2 + (7/8)/2 = 15/16,
//	     μ_3 = (1/4 − 1/64)/2 = 15/128;                              x_3 = 15/16 − 15/256 = 225/256
//	t=3: λ_3 = 15/128 + (11/16 − 15/1024)/2 = 929/2048;             z_4 = 15/16 + (1/2 − 929/2048)/2 = 3935/4096,
//	     μ_4 = 15/128 + (161/256 − 929/16384)/2 = 13215/32768;      x_4 = 3935/4096 − 13215/65536 = 49745/65536
//	t=4: λ_4 = 13215/32768 + (2911/4096 − 13215/262144)/2 = 384529/524288;   z_5 = 3935/4096 − (1 + λ_4)/2 = 98543/1048576,
//	     μ_5 = 13215/32768 + (33361/65536 − λ_4/8)/2 = 5133615/8388608;      x_5 = z_5 − μ_5/2 = −3556927/16777216.
func TestMahdaviMirrorProxByHand(t *testing.T) {
	l := newLearner(t, "mahdavi-mirror-prox", nil, algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1, Horizon: 8})
	g := affine(-0.25, 1)
	wantActions(t, played(t, l, 1, round(affine(0, -1), g), round(affine(0, -1), g), round(affine(0, -0.5), g), round(affine(0, 1), g)),
		0, 1./2, 225./256, 49745./65536, -3556927./16777216)
}

func TestMahdaviMirrorProxTwin(t *testing.T) {
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
			z := nearest(s.set, x0)
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
			params := algorithms.MahdaviMirrorProxParams{Step: c.step, Damping: c.damping, FirstAction: algorithms.FirstAction{X0: x0[:1]}}
			agree(t, where, newLearner(t, "mahdavi-mirror-prox", params, longTermSetup(s)), s, xs, 1e-9)
		}
	})
}

func TestMahdaviMirrorProxRegretAndViolation(t *testing.T) {
	t.Parallel()
	law{name: "mahdavi-mirror-prox", terms: func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
		R := farthest(s.Set(), nearest(s.Set(), make([]float64, s.Set().Dim())))
		G, m := s.Facts().LossLipschitz, float64(s.Constraints()) // rows have length 1
		eta, delta := math.Pow(T, -1./3), math.Pow(T, -2./3)
		return R*R/(2*eta) + eta*G*G*T, delta*eta*T + 2/eta, 0, eta*eta*(m+delta*delta*eta*eta) <= 0.5
	}}.check(t)
}
