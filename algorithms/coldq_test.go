package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// D = [−2, 2], T = 4, ε = 1/4, so that queues are at least 1, η = 1/2, α_t = √t.
// Slopes are of the sum at x.
//
//	t=1, −4x, x−1 ≤ 0:   Q = 1, whatever g_1 is: beyond 1, −4 + 1 + 2x = 0:         x_2 = 3/2.
//	t=2, −(1−1/√2)x, x−1:   Q = max(½ + ½, 1) = 1: beyond 1,
//	                     1/√2 + 2√2(x−3/2) = 0:                                     x_3 = 5/4.
//	t=3, 0, 4x−1:        Q = max(½ + 4, 1) = 9/2: 2√3(¼−5/4) < 0 at ¼, 18 more beyond: x_4 = 1/4.
//	t=4, 4x, −x:         Q = max(9/4, 1): below 0, 4 − 9/4 + 4(x−¼) = 0:            x_5 = −3/16.
func TestCOLDQByHand(t *testing.T) {
	p := algorithms.COLDQParams{Alpha: 1, Epsilon: 0.25, Eta: 0.5}
	l := newLearner(t, "coldq", p, algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1, Horizon: 4})
	wantActions(t, played(t, l, 1,
		round(affine(0, -4), affine(-1, 1)),
		round(affine(0, -1+1/math.Sqrt2), affine(-1, 1)),
		round(affine(0, 0), affine(-1, 4)),
		round(affine(0, 4), affine(0, -1)),
	), 0, 3./2, 5./4, 1./4, -3./16)
}

// The queue of round 1 is εT even where its constraint is violated. With the
// defaults G/Δ = ½, B = 1 and T = 2 it is 1, and η = ½.
//
//	t=1, −2x, x+1 ≤ 0:  Q = 1, not 2: −2 + 1 + x = 0:           x_2 = 1.
//	t=2, 0, 2x−1:       Q = max(½ + 1, 1) = 3/2, the charge 3 beyond ½:
//	                    √2(½ − 1) < 0 at ½:                       x_3 = 1/2.
func TestCOLDQDefaultsByHand(t *testing.T) {
	setup := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1, Horizon: 2, Facts: convex.Facts{LossLipschitz: 2, ConstraintBound: 1}}
	wantActions(t, played(t, newLearner(t, "coldq", nil, setup), 1,
		round(affine(0, -2), affine(1, 1)),
		round(affine(0, 0), affine(-1, 2)),
	), 0, 1, 1./2)
}

func TestCOLDQTwin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		for _, p := range []algorithms.COLDQParams{{Alpha: 0.7, Epsilon: 0.01}, {Alpha: 3, Epsilon: 0.1, Eta: 0.2}} {
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
	regret, hard, fixed := atMost{kind: "regret"}, atMost{kind: "violation"}, atMost{kind: "violation of fixed constraints"}
	for _, T := range []int{20, 200, 1000} {
		for k, a := range venues(0) {
			s := stream(t, a.name, a.params, uint64(k))
			playBounds(t, a.String(), newLearner(t, "coldq", nil, setupOf(s, T)), s, []int{T / 5, T}, func(t *testing.T, where string, v tally) {
				unit := v.facts.LossLipschitz * v.facts.Diameter
				regret.check(t, where, v.regret, 1.5*unit*math.Sqrt(float64(v.t)))
				if v.t < T {
					return
				}
				constant := v.first + (v.facts.LossRange+1.5*unit/math.Sqrt(float64(T)))/(v.facts.ConstraintBound/2)
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
