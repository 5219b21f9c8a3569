package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

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
				p := algorithms.YuLeeLeeParams{Constants: algorithms.Constants{Lipschitz: 0.3, Bound: bound},
					Constraint: constraint}
				agree(t, constraint+" "+where, newLearner(t, "yu-lee-lee", p, s.setup()), s,
					twinYuLeeLee(0.3, bound, clipped)(s), 1e-9)
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
			t.Logf("t=%d: regret against X^E %.0f, at most %.0f in the mean; soft violation %.0f", i, regret,
				bound, sum)
			if regret > bound {
				t.Errorf("t=%d: regret against X^E is %v, the bound %v", i, regret, bound)
			}
		}
	}
	if p := math.Log10(soft[1e6] / soft[1e5]); !(p < 0.75) {
		t.Errorf("the soft violation still grows like t^%.2f", p)
	}
}
