package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// D = [−2, 2], all factors 1 and ε = 1/2: γ_t = t, α_t = η_t = √t. Slopes are of
// the sum at x.
//
//	t=1, −4x, x−1 ≤ 0:   Q = max(0, 1) = 1, coefficient 1: beyond 1, −4 + 1 + 2x = 0: x_2 = 3/2.
//	t=2, −2√2x, x−1:     Q = max(1 + 2·½, √2) = 2, coefficient 4: beyond 1,
//	                     −2√2 + 4 + 2√2(x−3/2) = 0:                                   x_3 = 5/2 − √2 ≈ 1.09.
//	t=3, 0, 2x−1:        Q = 2 + 3(4−2√2) = 14 − 6√2, coefficient 42 − 18√2 ≈ 16.5:
//	                     2√3(½−x_3) ≈ −2 at ½, and 33 more beyond:                    x_4 = 1/2.
//	t=4, 40x, 1−x:       Q = 14 − 6√2 + 4·½ = 16 − 6√2, coefficient 64 − 24√2 ≈ 30.1:
//	                     below 1, 40 − 64 + 24√2 + 4(x−½) = 0:                        x_5 = 13/2 − 6√2 ≈ −1.99.
func TestGuoByHand(t *testing.T) {
	p := algorithms.GuoParams{Alpha: 1, Gamma: 1, Eta: 1, Epsilon: 0.5}
	l := newLearner(t, "guo", p, algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1})
	wantActions(t, played(t, l, 1,
		round(affine(0, -4), affine(-1, 1)),
		round(affine(0, -2*math.Sqrt2), affine(-1, 1)),
		round(affine(0, 0), affine(-1, 2)),
		round(affine(0, 40), affine(1, -1)),
	), 0, 3./2, 5./2-math.Sqrt2, 1./2, 13./2-6*math.Sqrt2)
}

// The defaults: α_t = (G/Δ)√t, here ½√t, γ_t = t^0.51, η_t = √t.
//
//	t=1, −4x, x−1 ≤ 0:   Q = 1: beyond 1, −4 + 1 + x > 0 at 2 only from below: x_2 = 2.
//	t=2, 0, x−1:         Q = max(1 + 2^0.51, √2), coefficient 2^0.51Q ≈ 3.4: √2(x−2) < 3.4: x_3 = 1.
//	t=3, −20x, x−1:      Q = max(1 + 2^0.51, √3), coefficient 3^0.51Q ≈ 4.24:
//	                     −20 + 4.24 + √3(x−1) < 0 on D: x_4 = 2.
//	t=4, −(4^0.51Q + 1)x, with Q = 1 + 2^0.51 + 4^0.51:  −1 + 2(x−2) = 0 at 5/2: x_5 = 2;
//	     with 1 for −1 and 2·½ off:                      +1 + 2(x−2) = 0 at 3/2: x_5 = 3/2.
func TestGuoDefaultsByHand(t *testing.T) {
	setup := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1, Facts: convex.Facts{LossLipschitz: 2}}
	g := affine(-1, 1)
	last := math.Pow(4, 0.51) * (1 + math.Pow(2, 0.51) + math.Pow(4, 0.51))
	for pull, want := range map[float64]float64{last + 1: 2, last - 1: 1.5} {
		l := newLearner(t, "guo", nil, setup)
		wantActions(t, played(t, l, 1,
			round(affine(0, -4), g), round(affine(0, 0), g), round(affine(0, -20), g), round(affine(0, -pull), g),
		), 0, 2, 1, 2, want)
	}
}

// twinRectified plays x_{t+1} = argmin ∇f_t·x + Σ_j c_j[g_{t,j}(x)]₊ + w‖x−x_t‖²
// with the coefficients and the weight of a round, given the rounds played.
func twinRectified(charge func(t int, values []float64) (c []float64, w float64)) twin {
	return func(s script) [][]float64 {
		xs := [][]float64{nearest(s.set, make([]float64, s.n))}
		for i, r := range s.rounds {
			x := xs[i]
			values := make([]float64, s.m)
			for j, g := range r.constraints {
				values[j] = g.value(x)
			}
			c, w := charge(i+1, values)
			xs = append(xs, byDual(s.set, w, moved(x, -1/(2*w), r.loss.gradient(x)), r.constraints, c))
		}
		return xs
	}
}

func TestGuoTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		for _, p := range []algorithms.GuoParams{
			{Alpha: 0.7, Gamma: 1, Eta: 1, Epsilon: 0.01},
			{Alpha: 3, Gamma: 0.1, Eta: 0.5, Epsilon: 0.2},
		} {
			queue := make([]float64, s.m)
			want := twinRectified(func(t int, values []float64) ([]float64, float64) {
				root := math.Sqrt(float64(t))
				gamma := p.Gamma * math.Pow(float64(t), 0.5+p.Epsilon)
				c := make([]float64, s.m)
				for j, v := range values {
					queue[j] = math.Max(queue[j]+gamma*clip(v), p.Eta*root)
					c[j] = gamma * queue[j]
				}
				return c, p.Alpha * root
			})(s)
			agree(t, fmt.Sprintf("%s, %+v", where, p), newLearner(t, "guo", p, s.setup()), s, want, tol)
		}
	})
}

// The bounds of the doc comment, at every round:
//
//	regret ≤ (3/2)GΔ√T,  Σ[g_t(x_{t+1})]₊ ≤ H_T = (F + GΔ/4)Σt^{−1.01} + GΔ,
//	Σ[g_t(x_t)]₊ ≤ H_T + mL√(2(Δ/G)√T · 2(FT + 2GΔ√T)), and with fixed constraints H_T + [g(x_1)]₊.
func TestGuoBounds(t *testing.T) {
	regret, next, hard := atMost{kind: "regret"}, atMost{kind: "violation after the step"}, atMost{kind: "violation"}
	fixed := atMost{kind: "violation of fixed constraints"}
	for k, a := range venues(0) {
		s := stream(t, a.name, a.params, uint64(k))
		playBounds(t, a.String(), newLearner(t, "guo", nil, setupOf(s, 0)), s, []int{1, 20, 200, 1000}, func(t *testing.T, where string, v tally) {
			T, delta, g := float64(v.t), v.facts.Diameter, v.facts.LossLipschitz
			regret.check(t, where, v.regret, 1.5*g*delta*math.Sqrt(T))
			h := g * delta
			for i := range v.t {
				h += (v.facts.LossRange + g*delta/4) * math.Pow(float64(i+1), -1.01)
			}
			next.check(t, where, v.next, h)
			hard.check(t, where, v.hard, h+float64(v.m)*v.facts.ConstraintLipschitz*
				math.Sqrt(2*delta/g*math.Sqrt(T)*2*(v.facts.LossRange*T+2*g*delta*math.Sqrt(T))))
			if v.facts.Fixed {
				fixed.check(t, where, v.hard, v.first+h)
			}
		})
	}
	regret.log(t)
	next.log(t)
	hard.log(t)
	fixed.log(t)
}

// Losses times c and constraints times d: the same actions with gamma·√c/d and
// eta·√c, for then queues are √c times as long.
func TestGuoScaling(t *testing.T) {
	everyScript(40, func(where string, s script, tol float64) {
		for _, c := range []struct{ loss, constraint float64 }{{3, 0.2}, {0.1, 0.1}} {
			p := algorithms.GuoParams{Gamma: 1, Eta: 1, Epsilon: 0.01}
			setup := s.setup()
			want := actions(t, newLearner(t, "guo", p, setup), s)
			p.Gamma *= math.Sqrt(c.loss) / c.constraint
			p.Eta *= math.Sqrt(c.loss)
			setup.Facts.LossLipschitz *= c.loss
			agree(t, where, newLearner(t, "guo", p, setup), s.scaled(c.loss, c.constraint), want, max(tol, 1e-9))
		}
	})
}
