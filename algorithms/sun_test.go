package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/internal/errtest"
)

// breadth returns 𝓑 and the modulus α of a mirror map, as the documentation of sun defines them.
func breadth(mirror string, set convex.Set, x1 []float64) (breadth, modulus float64) {
	if mirror == "entropy" {
		s := set.(*convex.Simplex)
		return s.Scale * math.Log(float64(s.N)), 1 / s.Scale
	}
	return math.Pow(farthest(set, x1), 2) / 2, 1
}

func TestSunAgreesWithTwin(t *testing.T) {
	t.Parallel()
	check := func(mirror string) func(where string, s script) {
		return func(where string, s script) {
			p := algorithms.SunParams{Mirror: mirror,
				FirstAction: algorithms.FirstAction{X0: []float64{0.4}}}
			x1 := nearestPoint(s.set, slices.Repeat(p.X0, s.n))
			if mirror == "entropy" {
				p.X0 = nil
				x1 = slices.Repeat([]float64{s.set.(*convex.Simplex).Scale / float64(s.n)}, s.n)
			}
			G, B, T := 2., 3., float64(len(s.rounds))
			divergence, alpha := breadth(mirror, s.set, x1)
			mu, delta := math.Sqrt(divergence/(T*(B*B+G*G/alpha))), 4*G*G/alpha
			for _, set := range []bool{false, true} {
				if set {
					mu, delta = 0.1, 0.7
					p.Step, p.Damping = mu, delta
				}
				xs := [][]float64{x1}
				lambda := 0.0
				for i, r := range s.rounds {
					x := xs[i]
					d := r.loss.gradient(x)
					if s.m > 0 {
						g := r.constraints[worstOf(r, x)]
						for k, v := range g.gradient(x) {
							d[k] += lambda * v
						}
						lambda = math.Max(0, lambda+mu*(g.value(x)-delta*mu*lambda))
					}
					if mirror == "euclidean" {
						xs = append(xs, descend(s.set, x, mu, d))
						continue
					}
					next, sum := make([]float64, s.n), 0.0
					for k := range next {
						next[k] = x[k] * math.Exp(-mu*d[k])
						sum += next[k]
					}
					for k := range next {
						next[k] *= s.set.(*convex.Simplex).Scale / sum
					}
					xs = append(xs, next)
				}
				checkTwin(t, mirror+" on "+where, newLearner(t, "sun", p, longTermSetup(s)), s, xs, 1e-9)
			}
		}
	}
	longTermScripts(t, domainKinds, constraintKinds, check("euclidean"))
	longTermScripts(t, []string{"simplex"}, constraintKinds, check("entropy"))
}

// Coordinates that entropy has all but given up come back, and nothing
// overflows on the way.
func TestSunWithEntropyReturnsToItsStart(t *testing.T) {
	simplex, err := convex.NewSimplex(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	l := newLearner(t, "sun", algorithms.SunParams{Mirror: "entropy", Step: 1, Damping: 1},
		algorithms.Setup{Set: simplex, Horizon: 1})
	xs := playedActions(t, l, 3, newRound(affine(0, -1e4, 0, 1e4)), newRound(affine(0, 1e4, 0, -1e4)),
		newRound(affine(0, -1e6, -1e6, 1e6)), newRound(affine(0, 0, 0, -2e6)))
	third := 2. / 3
	wantActions(t, xs, third, third, third, 2, 0, 0, third, third, third, 1, 1, 0, third, third, third)
}

func TestSunWithEntropyRefusesAGivenStart(t *testing.T) {
	p := algorithms.SunParams{Mirror: "entropy", FirstAction: algorithms.FirstAction{X0: []float64{1}}}
	simplex, err := convex.NewSimplex(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := algorithms.Setup{Set: simplex, Horizon: 1}
	_, err = registered(t, "sun").Start(p, s)
	errtest.Contains(t, err, "x0", "a start given with entropy")
}
