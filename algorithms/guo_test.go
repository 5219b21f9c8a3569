package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
)

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
	regret, next, hard := atMost{kind: "regret"}, atMost{kind: "violation after the step"},
		atMost{kind: "violation"}
	fixed := atMost{kind: "violation of fixed constraints"}
	for k, a := range venues(0) {
		s := stream(t, a.name, a.params, uint64(k))
		playBounds(t, a.String(), newLearner(t, "guo", nil, setupOf(s, 0)), s, []int{1, 20, 200, 1000},
			func(t *testing.T, where string, v tally) {
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
			agree(t, where, newLearner(t, "guo", p, setup), s.scaled(c.loss, c.constraint), want,
				max(tol, 1e-9))
		}
	})
}
