package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// D = [−2, 2], Δ = 4, L = 1/96 and B = 1/12: γ_t = 1/√t and
// R_t = γ_t/12 + φ_t/(6(√S_t + √S_{t−1})).
//
//	t=1, −x, x−1 ≤ 0:  φ = e⁰ = 1, ∇ = −1 + 1 = 0:            x_2 = 0;
//	     S = 1, R = 1/12 + 1/6 = 1/4, Q_2 = −1 − 1/4 = −5/4.
//	t=2, −2x, x+3 ≤ 0: φ = p = e^{−5/(4√2)}/√2 ≈ 0.292, ∇ = p − 2 ≈ −1.71,
//	     Σ = (2−p)²:                                          x_3 = Π(4·1.71/√(2·3.92) ≈ 2.44) = 2;
//	     S = 1 + p², R = 1/(12√2) + p/(6(√S + 1)), Q_3 = −5/4 + 3 − R ≈ 1.667.
//	t=3, 2x, −x ≤ 0:   φ = q = e^{Q_3/√3}/√3 ≈ 1.512, ∇ = 2 − q,
//	     Σ = (2−p)² + (2−q)²:                                 x_4 = 2 − 4(2−q)/√(2(1+Σ)) ≈ 1.32.
//
// Clipped, the first constraint counts for nothing:
//
//	t=1:  ∇ = −1, Σ = 1:   x_2 = 4/√4 = 2;  Q_2 = 0 − 1/4.
//	t=2:  g = 5, φ = p = e^{−1/(4√2)}/√2, ∇ = p − 2, Σ = 1 + (2−p)²:  x_3 = Π(2 + …) = 2;
//	      Q_3 = −1/4 + 5 − R.
//	t=3, 2x, −x ≤ 0:  g = 0, ∇ = 2, Σ = 5 + (2−p)²:  x_4 = 2 − 8/√(2(1+Σ)).
func TestYuLeeLeeByHand(t *testing.T) {
	rounds := []convex.Round{
		round(affine(0, -1), affine(-1, 1)),
		round(affine(0, -2), affine(3, 1)),
		round(affine(0, 2), affine(0, -1)),
	}
	p := math.Exp(-5/(4*math.Sqrt2)) / math.Sqrt2
	queue := -1.25 + 3 - 1/(12*math.Sqrt2) - p/(6*(math.Sqrt(1+p*p)+1))
	q := math.Exp(queue/math.Sqrt(3)) / math.Sqrt(3)
	c := 2 - math.Exp(-1/(4*math.Sqrt2))/math.Sqrt2
	for constraint, want := range map[string][]float64{
		"signed":  {0, 0, 2, 2 - 4*(2-q)/math.Sqrt(2*(1+(2-p)*(2-p)+(2-q)*(2-q)))},
		"clipped": {0, 2, 2, 2 - 8/math.Sqrt(2*(6+c*c))},
	} {
		params := algorithms.YuLeeLeeParams{Constants: algorithms.Constants{Lipschitz: 1. / 96, Bound: 1. / 12}, Constraint: constraint}
		l := newLearner(t, "yu-lee-lee", params, algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1})
		wantActions(t, played(t, l, 1, rounds...), want...)
	}
}

func twinYuLeeLee(lipschitz, bound float64, clipped bool) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearest(s.set, make([]float64, s.n))}
		delta := s.set.Diameter()
		var queue, squares, weights float64
		for i, r := range s.rounds {
			x, t := xs[i], float64(i+1)
			gamma := math.Min(1, math.Min(1/(12*bound*math.Sqrt(t)), 1/(24*delta*lipschitz)))
			phi := gamma * math.Exp(gamma*queue)
			step := r.loss.gradient(x)
			value := 0.0
			if len(r.constraints) > 0 {
				var g smooth
				g, value = largest(r.constraints, x)
				if clipped {
					value = clip(value)
				}
				if !clipped || value > 0 {
					step = moved(step, phi, g.gradient(x))
				}
			}
			for _, d := range step {
				squares += d * d
			}
			eta := math.Sqrt2 * delta / (2 * math.Sqrt(1+squares))
			xs = append(xs, nearest(s.set, moved(x, -eta, step)))
			old := weights
			weights += phi * phi
			queue += value - 12*gamma*bound*bound - 4*delta*lipschitz*phi/(math.Sqrt(weights)+math.Sqrt(old))
		}
		return xs
	}
}

func TestYuLeeLeeTwin(t *testing.T) {
	everyScript(400, func(where string, s script, _ float64) {
		for _, bound := range []float64{0.1, 3} {
			for constraint, clipped := range map[string]bool{"signed": false, "clipped": true} {
				p := algorithms.YuLeeLeeParams{Constants: algorithms.Constants{Lipschitz: 0.3, Bound: bound}, Constraint: constraint}
				agree(t, constraint+" "+where, newLearner(t, "yu-lee-lee", p, s.setup()), s, twinYuLeeLee(0.3, bound, clipped)(s), 1e-9)
			}
		}
	})
}

// E-regret against X^E: D = [−1, 1]², g_t = x_1 − 0.1 ± 1, f_t = −x_1 ± x_2,
// signs drawn anew in each round. X^min is empty, X^E is {x_1 ≤ 0.1}, and its
// best action has the mean loss −0.1. The regret, over one path, is at most
// C_T; the violation is what the constants allow: the charge of the queue
// is worth a loss only when γ_tQ_t ≈ ln(1/γ_t), at Q ≈ 25√t·ln(…), and until
// t ≈ 10⁵ nothing is charged and violation is linear.
func TestYuLeeLeeMeanRegret(t *testing.T) {
	sign := randomSigns(1)
	facts := convex.Facts{LossLipschitz: math.Sqrt2, ConstraintLipschitz: 1, ConstraintBound: 2.1}
	setup := algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1, Facts: facts}
	l := newLearner(t, "yu-lee-lee", nil, setup)
	setup.Horizon = 1e6
	b, err := entry(t, "yu-lee-lee").Claims[0].Bound(setup)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 2)
	var regret, sum float64
	soft := map[int]float64{}
	for i := 1; i <= 1e6; i++ {
		l.Act(x)
		r := round(affine(0, -1, sign()), affine(-0.1+sign(), 1, 0))
		regret += r.Loss.Value(x) + 0.1
		sum += r.Constraints[0].Value(x)
		if err := l.Observe(x, r); err != nil {
			t.Fatal(err)
		}
		if i == 1e4 || i == 1e5 || i == 1e6 {
			soft[i] = sum
			bound := b(i)
			t.Logf("t=%d: regret against X^E %.0f, at most %.0f in the mean; soft violation %.0f", i, regret, bound, sum)
			if regret > bound {
				t.Errorf("t=%d: regret against X^E is %v, the bound %v", i, regret, bound)
			}
		}
	}
	if p := math.Log10(soft[1e6] / soft[1e5]); !(p < 0.75) {
		t.Errorf("the soft violation still grows like t^%.2f", p)
	}
}
