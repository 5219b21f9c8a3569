package algorithms_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// zeroViolation returns η, δ and γ by the formulas of the doc.
func zeroViolation(R, G, B, F, T float64) (eta, delta, gamma float64) {
	a := R * math.Sqrt(2*G*G+6*B*B)
	delta = 4 * G * G
	b := math.Sqrt(2 * (F + a/math.Sqrt(T)) * (delta*R*R/a + a/(R*R)))
	return R * R / (a * math.Sqrt(T)), delta, math.Min(b*math.Pow(T, -0.25), B)
}

func TestMahdaviZeroViolationTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		x0 := slices.Repeat([]float64{0.4}, s.n)
		R := farthest(s.set, nearest(s.set, x0))
		if R == 0 || s.m == 0 {
			return
		}
		for _, F := range []float64{70, 0.02} { // γ is B, or less
			eta, delta, gamma := zeroViolation(R, 2, 3, F, float64(len(s.rounds)))
			if (gamma == 3) != (F == 70) {
				t.Errorf("%s: with F = %v the margin is %v", where, F, gamma)
			}
			xs := [][]float64{nearest(s.set, x0)}
			lambda := 0.0
			for i, r := range s.rounds {
				x := xs[i]
				p := r.loss.gradient(x)
				g := r.constraints[worstOf(r, x)]
				for k, d := range g.gradient(x) {
					p[k] += lambda * d
				}
				lambda = math.Max(0, lambda+eta*(g.value(x)+gamma-eta*delta*lambda))
				xs = append(xs, descend(s.set, x, eta, p))
			}
			p := algorithms.MahdaviZeroViolationParams{
				LossRange: F, FirstAction: algorithms.FirstAction{X0: x0[:1]},
			}
			agree(t, where, newLearner(t, "mahdavi-zero-violation", p, longTermSetup(s)), s, xs, 1e-9)
		}
	})
}

func zeroViolationOf(s problems.Stream, T float64) (R, a, eta, delta, gamma float64) {
	f := s.Facts()
	R = farthest(s.Set(), nearest(s.Set(), make([]float64, s.Set().Dim())))
	a = R * math.Sqrt(2*f.G()*f.G()+6*f.ConstraintBound*f.ConstraintBound)
	eta, delta, gamma = zeroViolation(R, f.G(), f.ConstraintBound, f.LossRange, T)
	return R, a, eta, delta, gamma
}

func TestMahdaviZeroViolationRegretAndViolation(t *testing.T) {
	t.Parallel()
	law{name: "mahdavi-zero-violation", worst: true,
		terms: func(s problems.Stream, T float64) (limit, weight, margin float64, holds bool) {
			_, a, eta, delta, gamma := zeroViolationOf(s, T)
			return a * math.Sqrt(T), 2 * (delta*eta*T + 1/eta), gamma,
				24*s.Facts().G()*s.Facts().G()*eta*eta <= 1
		}}.check(t)
}

// With margin-rule=paper γ is 2√(F(δR²/a + a/R²))·T^{−1/4}, however large: R = 1,
// G = 2, B = 3, so that a = √62, δ = 16, and T = 16.
func TestMahdaviZeroViolationOfThePaper(t *testing.T) {
	s := newScript(rand.New(rand.NewPCG(1, 1)), "box", "affine", 1, 1, 16)
	setup := longTermSetup(s)
	setup.Set = convex.Cube(1, -1, 1)
	s.set = setup.Set
	for _, F := range []float64{7, 0.02} {
		setup.Facts.LossRange = F
		gamma := math.Sqrt(F * (16/math.Sqrt(62) + math.Sqrt(62))) // b/2
		want := actions(t, newLearner(t, "mahdavi-zero-violation",
			algorithms.MahdaviZeroViolationParams{Margin: gamma}, setup), s)
		agree(t, "paper", newLearner(t, "mahdavi-zero-violation",
			algorithms.MahdaviZeroViolationParams{MarginRule: "paper"}, setup), s, want, 1e-12)
	}
}

// brink is the game f = −pull·x and g = x − 1/2 on [−1, 1].
type brink struct{ pull float64 }

func (brink) Set() convex.Set  { return convex.Cube(1, -1, 1) }
func (brink) Constraints() int { return 1 }
func (b brink) Facts() convex.Facts {
	return convex.Facts{
		LossLipschitz: b.pull, ConstraintLipschitz: 1, LossRange: 2 * b.pull, ConstraintBound: 1.5,
		Diameter: 2, Slater: 1.5, Fixed: true, Affine: true,
	}
}
func (b brink) Reveal(int, []float64) *convex.Round {
	r := round(affine(0, -b.pull), affine(-0.5, 1))
	return &r
}

// What the algorithm is for: as soon as γ is at most the Slater margin s, the
// sum of the largest constraints is not positive, and regret against X^min is
// at most a√T + FTγ/s. On domains of a larger radius that is sooner.
func TestMahdaviZeroViolationViolatesNothing(t *testing.T) {
	t.Parallel()
	for _, T := range []int{100, 1000, 8000} {
		for name, start := range map[string]func() problems.Stream{
			"weak pull":   func() problems.Stream { return brink{0.1} },
			"strong pull": func() problems.Stream { return brink{1} },
			"affine": func() problems.Stream {
				return arena{"fixed", problems.FixedParams{
					Space: space(2, "box", 100), Shapes: shapes(2, "affine", 60),
					Losses: problems.Losses{LossNoise: 0.2},
				}}.stream(t, 1)
			},
			"quadratic": func() problems.Stream {
				return arena{"fixed", problems.FixedParams{
					Space: space(3, "ball", 100), Shapes: shapes(1, "quadratic", 40),
					Losses: problems.Losses{LossNoise: 0.2},
				}}.stream(t, 2)
			},
			"perturbed": func() problems.Stream {
				return arena{"perturbed", problems.PerturbedParams{
					Space: space(2, "box", 100), Shapes: shapes(1, "norm", 50), Noise: "drift", Amplitude: 5,
					Period: 10, Losses: problems.Losses{},
				}}.stream(t, 3)
			},
		} {
			s := start()
			f := s.Facts()
			setup := algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: f, Horizon: T}
			var params algorithms.MahdaviZeroViolationParams
			if _, ok := s.(brink); ok {
				params.X0, params.Radius = []float64{0.5}, 1.5
			}
			R, _, _, _, _ := zeroViolationOf(s, 1)
			if params.Radius > 0 {
				R = params.Radius
			}
			_, _, gamma := zeroViolation(R, f.G(), f.ConstraintBound, f.LossRange, float64(T))
			if gamma > f.Slater {
				continue
			}
			game := playLongTerm(t, newLearner(t, "mahdavi-zero-violation", params, setup), s, T, 0, true)
			limit := R*math.Sqrt(2*f.G()*f.G()+6*f.ConstraintBound*f.ConstraintBound)*math.Sqrt(float64(T)) +
				f.LossRange*float64(T)*gamma/f.Slater
			if regret := game.loss - game.best; game.worst > 0 || regret > limit {
				t.Errorf("%s, T=%d: Σg = %v, regret %v, the theorem allows 0 and %v", name, T, game.worst,
					regret, limit)
			} else {
				t.Logf("%s, T=%d, γ=%.3g: Σg = %.4g, regret %.4g of %.4g", name, T, gamma, game.worst, regret,
					limit)
			}
			if params.Radius > 0 { // the games are hard: mahdavi violates
				game = playLongTerm(t, newLearner(t, "mahdavi",
					algorithms.MahdaviParams{FirstAction: algorithms.FirstAction{X0: params.X0}}, setup), s, T, 0,
					true)
				if game.worst <= 0 {
					t.Errorf("%s, T=%d: mahdavi violates nothing either", name, T)
				}
			}
		}
	}
}
