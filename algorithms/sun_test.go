package algorithms_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// The euclidean map on D = [−1, 1], where 𝓑 = 1/2, with G = B = 1 and T = 16:
// μ = √(1/64) = 1/8 and δ = 4, as in the trajectory of mahdavi.
func TestSunByHand(t *testing.T) {
	s := algorithms.Setup{
		Set: convex.Cube(1, -1, 1), Constraints: 1, Horizon: 16,
		Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1, ConstraintBound: 1},
	}
	up, down := round(affine(0, -1), affine(0, 1)), round(affine(0, -1), affine(0, -1))
	wantActions(t, played(t, newLearner(t, "sun", nil, s), 1, up, up, up, down), 0, 1./8, 1./4, 191./512, 4127./8192)
}

// Entropy on the simplex of two coordinates that sum to 1, with μ = ln 2 and μδ
// = 1/2: a slope p halves a coordinate p times. The constraint is x_1 + b_t.
//
//	t=1: −x_1, g = 1/ln 2:            weights 2 : 1,              x_2 = (2/3, 1/3),  λ_2 = 1
//	t=2: 0, g = 1/2 + 1/ln 2:         2·2⁻¹ : 1,                  x_3 = (1/2, 1/2),
//	     λ_3 = 1 + ln 2·(1/2 + 1/ln 2 − 1/2) = 2
//	t=3: −x_2, g = 1 − 2/ln 2:        2⁻² : 2,                    x_4 = (1/9, 8/9),
//	     λ_4 = [2 + ln 2·(1 − 2/ln 2 − 1)]₊ = 0
//	t=4: −3x_1:                       2³ : 8,                     x_5 = (1/2, 1/2).
func TestSunWithEntropyByHand(t *testing.T) {
	simplex, err := convex.NewSimplex(2, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := algorithms.SunParams{Mirror: "entropy", Step: math.Ln2, Damping: 0.5 / math.Ln2}
	l := newLearner(t, "sun", p, algorithms.Setup{Set: simplex, Constraints: 1, Horizon: 1})
	b := 1 / math.Ln2
	wantActions(t, played(t, l, 2,
		round(affine(0, -1, 0), affine(b-1./2, 1, 0)),
		round(affine(0, 0, 0), affine(1./2+b-2./3, 1, 0)),
		round(affine(0, 0, -1), affine(1-2*b-1./2, 1, 0)),
		round(affine(0, -3, 0), affine(0, 1, 0))),
		1./2, 1./2, 2./3, 1./3, 1./2, 1./2, 1./9, 8./9, 1./2, 1./2)
}

// breadth and modulus, 𝓑 and α, of the doc.
func breadth(mirror string, set convex.Set, x1 []float64) (breadth, modulus float64) {
	if mirror == "entropy" {
		s := set.(*convex.Simplex)
		return s.Scale * math.Log(float64(s.N)), 1 / s.Scale
	}
	return math.Pow(farthest(set, x1), 2) / 2, 1
}

func TestSunTwin(t *testing.T) {
	t.Parallel()
	check := func(mirror string) func(where string, s script) {
		return func(where string, s script) {
			p := algorithms.SunParams{Mirror: mirror, FirstAction: algorithms.FirstAction{X0: []float64{0.4}}}
			x1 := nearest(s.set, slices.Repeat(p.X0, s.n))
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
				agree(t, mirror+" on "+where, newLearner(t, "sun", p, longTermSetup(s)), s, xs, 1e-9)
			}
		}
	}
	longTermScripts(t, domainKinds, constraintKinds, check("euclidean"))
	longTermScripts(t, []string{"simplex"}, constraintKinds, check("entropy"))
}

func TestSunRegretAndViolation(t *testing.T) {
	t.Parallel()
	terms := func(mirror string) func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
		return func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
			f := s.Facts()
			divergence, alpha := breadth(mirror, s.Set(), nearest(s.Set(), make([]float64, s.Set().Dim())))
			c := f.ConstraintBound*f.ConstraintBound + f.G()*f.G()/alpha
			mu, delta := math.Sqrt(divergence/(T*c)), 4*f.G()*f.G()/alpha
			return 2 * math.Sqrt(divergence*T*c), 2 * (delta*mu*T + 1/mu), 0, delta*mu*mu <= 0.25
		}
	}
	law{name: "sun", worst: true, terms: terms("euclidean")}.check(t)
	law{name: "sun", params: algorithms.SunParams{Mirror: "entropy"}, worst: true, terms: func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
		if _, ok := s.Set().(*convex.Simplex); !ok {
			return 0, 0, 0, false
		}
		return terms("entropy")(s, T)
	}}.check(t)
}

// With one constraint, the euclidean one is mahdavi.
func TestSunIsMahdaviWithOneConstraint(t *testing.T) {
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		if s.m == 1 {
			want := actions(t, newLearner(t, "mahdavi", nil, longTermSetup(s)), s)
			agree(t, where, newLearner(t, "sun", nil, longTermSetup(s)), s, want, 1e-9)
		}
	})
}

// Coordinates that entropy has all but given up come back, and nothing
// overflows on the way.
func TestSunWithEntropyReturns(t *testing.T) {
	simplex, err := convex.NewSimplex(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	l := newLearner(t, "sun", algorithms.SunParams{Mirror: "entropy", Step: 1, Damping: 1}, algorithms.Setup{Set: simplex, Horizon: 1})
	xs := played(t, l, 3, round(affine(0, -1e4, 0, 1e4)), round(affine(0, 1e4, 0, -1e4)), round(affine(0, -1e6, -1e6, 1e6)), round(affine(0, 0, 0, -2e6)))
	third := 2. / 3
	wantActions(t, xs, third, third, third, 2, 0, 0, third, third, third, 1, 1, 0, third, third, third)
}

func TestSunWithEntropyRefuses(t *testing.T) {
	p := algorithms.SunParams{Mirror: "entropy", FirstAction: algorithms.FirstAction{X0: []float64{1}}}
	simplex, err := convex.NewSimplex(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := algorithms.Setup{Set: simplex, Horizon: 1}
	if _, err := entry(t, "sun").Start(p, s); err == nil || !strings.Contains(err.Error(), "x0") {
		t.Errorf("a start given with entropy: %v", err)
	}
}
