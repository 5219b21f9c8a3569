package algorithms_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// zeroViolation returns η, δ and γ by the formulas of the doc.
func zeroViolation(R, G, B, F, T float64) (eta, delta, gamma float64) {
	a := R * math.Sqrt(2*G*G+6*B*B)
	delta = 4 * G * G
	b := math.Sqrt(2 * (F + a/math.Sqrt(T)) * (delta*R*R/a + a/(R*R)))
	return R * R / (a * math.Sqrt(T)), delta, math.Min(b*math.Pow(T, -0.25), B)
}

func TestMahdaviZeroViolationAgreesWithTwin(t *testing.T) {
	t.Parallel()
	longTermScripts(t, domainKinds, constraintKinds, func(where string, s script) {
		x0 := slices.Repeat([]float64{0.4}, s.n)
		R := farthest(s.set, nearestPoint(s.set, x0))
		if R == 0 || s.m == 0 {
			return
		}
		for _, F := range []float64{70, 0.02} { // γ is B, or less
			eta, delta, gamma := zeroViolation(R, 2, 3, F, float64(len(s.rounds)))
			if (gamma == 3) != (F == 70) {
				t.Errorf("%s: F = %v: got margin %v, want B = 3 exactly if F = 70", where, F, gamma)
			}
			xs := [][]float64{nearestPoint(s.set, x0)}
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
			checkTwin(t, where, newLearner(t, "mahdavi-zero-violation", p, longTermSetup(s)), s, xs, 1e-9)
		}
	})
}

// With margin-rule=paper γ is 2√(F(δR²/a + a/R²))·T^{−1/4}, however large: R = 1,
// G = 2, B = 3, so that a = √62, δ = 16, and T = 16.
func TestMarginOfThePaperIsTakenHoweverLarge(t *testing.T) {
	s := newScript(rand.New(rand.NewPCG(1, 1)), "box", "affine", 1, 1, 16)
	setup := longTermSetup(s)
	setup.Set = convex.Cube(1, -1, 1)
	s.set = setup.Set
	for _, F := range []float64{7, 0.02} {
		setup.Facts.LossRange = F
		gamma := math.Sqrt(F * (16/math.Sqrt(62) + math.Sqrt(62))) // b/2
		want := actions(t, newLearner(t, "mahdavi-zero-violation",
			algorithms.MahdaviZeroViolationParams{Margin: gamma}, setup), s)
		checkTwin(t, "paper", newLearner(t, "mahdavi-zero-violation",
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
	r := newRound(affine(0, -b.pull), affine(-0.5, 1))
	return &r
}
