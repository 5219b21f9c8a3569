package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

func jenattonParams(losses string, beta float64) algorithms.JenattonParams {
	return algorithms.JenattonParams{Beta: beta, Losses: losses}
}

// D = [−1, 1], R = 1, G = 1, β = 1/2: η_t = 1/√t, θ_t = 6/√t, and the multiplier
// gains (g√t/6 − λ)/(t+1). Losses are linear; of two constraints one is −1.
//
//	t=1: −x/2, x + 1/2:          x_2 = 1/2,               λ_2 = (1/12)/2 = 1/24
//	t=2: −x/24, x − 1/2 = 0:     x_3 = 1/2 − (−1/24 + 1/24)/√2 = 1/2,   λ_3 = 1/24 − 1/72 = 1/36
//	t=3: 7x/36, −x = −1/2:       x_4 = 1/2 − (7/36 − 1/36)/√3 = 1/2 − 1/(6√3),
//	     λ_4 = [1/36 + (−√3/12 − 1/36)/4]₊ = [1/48 − √3/48]₊ = 0
//	t=4: x, x:                   x_5 = x_4 − 1/2 = −1/(6√3).
func TestJenattonByHand(t *testing.T) {
	s := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 2, Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1}}
	idle := affine(-1, 0)
	wantActions(t, played(t, newLearner(t, "jenatton", nil, s), 1,
		round(affine(0, -1./2), affine(0.5, 1), idle),
		round(affine(0, -1./24), idle, affine(-0.5, 1)),
		round(affine(0, 7./36), idle, affine(0, -1)),
		round(affine(0, 1), affine(0, 1), idle)),
		0, 1./2, 1./2, 1./2-1/(6*math.Sqrt(3)), -1/(6*math.Sqrt(3)))
}

// Losses (x−1)² on [−1, 1], σ = 2, G = 1: η_t = 1/(2t) and θ_t = 3/√t. The
// constraint is x ≤ 1/2.
//
//	t=1: slope −2:       x_2 = 1,                        λ_2 = [−1/2·1/6]₊ = 0
//	t=2: slope 0:        x_3 = 1,                        λ_3 = (√2/6)/3 = √2/18
//	t=3: slope √2/18:    x_4 = 1 − √2/108,               λ_4 = √2/18 + (√3/6 − √2/18)/4 = √2/24 + √3/24
//	t=4: slope −√2/54 + λ_4:  x_5 = x_4 − (−√2/54 + √2/24 + √3/24)/8.
func TestJenattonOfStronglyConvexLossesByHand(t *testing.T) {
	s := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1, Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1, Curvature: 2}}
	r := round(&convex.SquaredDistance{Weight: 2, Center: []float64{1}}, affine(-0.5, 1))
	two, three := math.Sqrt(2), math.Sqrt(3)
	x4 := 1 - two/108
	wantActions(t, played(t, newLearner(t, "jenatton", jenattonParams("strongly-convex", 0.5), s), 1, r, r, r, r),
		0, 1, 1, x4, x4-(-two/54+two/24+three/24)/8)
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
			jenattonParams("convex", 0.5), jenattonParams("convex", 2./3), jenattonParams("strongly-convex", 0.5), jenattonParams("strongly-convex", 0.2),
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
		law{name: "jenatton", params: jenattonParams("convex", beta), worst: true, terms: func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
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
		law{name: "jenatton", params: jenattonParams("strongly-convex", beta), worst: true, longer: 20_000, terms: func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
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
