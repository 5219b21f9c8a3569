package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
)

func TestCOLDQTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		for _, p := range []algorithms.COLDQParams{
			{Alpha: 0.7, Epsilon: 0.01}, {Alpha: 3, Epsilon: 0.1, Eta: 0.2},
		} {
			setup := s.setup()
			setup.Horizon = len(s.rounds)
			eta := p.Eta
			if eta == 0 {
				eta = 1 / float64(setup.Horizon)
			}
			low := p.Epsilon * float64(setup.Horizon)
			queue := make([]float64, s.m)
			want := twinRectified(func(t int, values []float64) ([]float64, float64) {
				for j, v := range values {
					if t == 1 {
						queue[j] = low
					} else {
						queue[j] = math.Max((1-eta)*queue[j]+clip(v), low)
					}
				}
				return queue, p.Alpha * math.Sqrt(float64(t))
			})(s)
			agree(t, where, newLearner(t, "coldq", p, setup), s, want, tol)
		}
	})
}

// The bounds of the doc comment:
//
//	regret ≤ (3/2)GΔ√t at every t ≤ T,
//	Σ[g_t(x_t)]₊ ≤ Σ_j[g_{1,j}(x_1)]₊ + (F + (3/2)GΔ/√T)/ε + the rise of the constraints at T.
func TestCOLDQBounds(t *testing.T) {
	regret, hard, fixed := atMost{kind: "regret"}, atMost{kind: "violation"},
		atMost{kind: "violation of fixed constraints"}
	for _, T := range []int{20, 200, 1000} {
		for k, a := range venues(0) {
			s := stream(t, a.name, a.params, uint64(k))
			playBounds(t, a.String(), newLearner(t, "coldq", nil, setupOf(s, T)), s, []int{T / 5, T},
				func(t *testing.T, where string, v tally) {
					unit := v.facts.LossLipschitz * v.facts.Diameter
					regret.check(t, where, v.regret, 1.5*unit*math.Sqrt(float64(v.t)))
					if v.t < T {
						return
					}
					constant := v.first + (v.facts.LossRange+
						1.5*unit/math.Sqrt(float64(T)))/(v.facts.ConstraintBound/2)
					if v.facts.Affine {
						hard.check(t, where, v.hard, constant+v.rise)
					}
					if v.facts.Fixed {
						fixed.check(t, where, v.hard, constant)
					}
				})
		}
	}
	regret.log(t)
	hard.log(t)
	fixed.log(t)
}

// Losses times d² and constraints times d: the same actions with epsilon·d.
func TestCOLDQScaling(t *testing.T) {
	everyScript(40, func(where string, s script, tol float64) {
		for _, d := range []float64{0.3, 4} {
			setup := s.setup()
			setup.Horizon, setup.Facts.ConstraintBound = len(s.rounds), 0.1
			want := actions(t, newLearner(t, "coldq", nil, setup), s)
			setup.Facts.LossLipschitz *= d * d
			setup.Facts.ConstraintBound *= d
			agree(t, where, newLearner(t, "coldq", nil, setup), s.scaled(d*d, d), want, max(tol, 1e-9))
		}
	})
}
