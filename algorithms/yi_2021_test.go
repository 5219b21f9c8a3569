package algorithms_test

import (
	"fmt"
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// D = [−2, 2], T = 4, c = 1/2, α_0 = 1, γ_0 = 1/√2: α = 1/2, γ = 1, and, divided by
// α, the square has the weight 2. The constraint is x ≤ 1; slopes are beyond it.
//
//	t=1, −6x:     g = −1, q = 0, coefficient 0: −6 + 4x = 0:           x_2 = 3/2.
//	t=2, −x:      v = ½, q = ½, coefficient 1: −1 + 1 + 4(x−3/2) = 0:   x_3 = 3/2.
//	t=3, 0:       v = ½, q = 1, coefficient 3/2: 3/2 + 4(x−3/2) = 0:    x_4 = 9/8.
//	t=4, −x/4:    v = 1/8, q = 9/8, coefficient 5/4: −1/4 + 5/4 − 4/8 > 0 at 1
//	              beyond, −1/4 − 4/8 < 0 before:                        x_5 = 1.
//	t=5, x − 5/2: v = 0, q = 9/8: 1 + 4(x−1) = 0 before 1:              x_6 = 3/4.
//	t=6, −17x/8:  beyond 1, −17/8 + 9/8 + 4(x−3/4) = 0 at 1 exactly:    x_7 = 1.
func TestYi2021ByHand(t *testing.T) {
	p := algorithms.Yi2021Params{C: 0.5, Alpha0: 1, Gamma0: math.Sqrt(0.5)}
	l := newLearner(t, "yi-2021", p, algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1, Horizon: 4})
	g := affine(-1, 1)
	var rounds []convex.Round
	for _, slope := range []float64{-6, -1, 0, -0.25, 1, -2.125} {
		rounds = append(rounds, round(affine(0, slope), g))
	}
	wantActions(t, played(t, l, 1, rounds...), 0, 3./2, 3./2, 9./8, 1, 3./4, 1)
}

// The defaults: with G = 1, Δ = 4, T = 16, α = 4/4 = 1, and with constraints of
// slopes ≤ ½ and m = 2, γ = 1/(√2·√2·½) = 1.
//
//	t=1, −6x, x/2 ≤ 0 and −1 ≤ 0:  x_2 = 2.
//	t=2, 0:                        v = 1, q = 1, coefficient 2·½: 1 + 2(x−2) = 0: x_3 = 3/2.
func TestYi2021DefaultsByHand(t *testing.T) {
	setup := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 2, Horizon: 16, Facts: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 0.5}}
	wantActions(t, played(t, newLearner(t, "yi-2021", nil, setup), 1,
		round(affine(0, -6), affine(0, 0.5), affine(-1, 0)),
		round(affine(0, 0), affine(0, 0.5), affine(-1, 0)),
	), 0, 2, 3./2)
}

func TestYi2021Twin(t *testing.T) {
	everyScript(100, func(where string, s script, tol float64) {
		for _, p := range []algorithms.Yi2021Params{{C: 0.5, Alpha0: 1, Gamma0: 0.5}, {C: 0.3, Alpha0: 0.2, Gamma0: 1}} {
			setup := s.setup()
			setup.Horizon = len(s.rounds)
			alpha := p.Alpha0 * math.Pow(float64(setup.Horizon), -p.C)
			gamma := p.Gamma0 / math.Sqrt(alpha)
			q := make([]float64, s.m)
			want := twinRectified(func(_ int, values []float64) ([]float64, float64) {
				c := make([]float64, s.m)
				for j, v := range values {
					q[j] += gamma * clip(v)
					c[j] = gamma * (q[j] + gamma*clip(v))
				}
				return c, 1 / alpha
			})(s)
			agree(t, fmt.Sprintf("%s, %+v", where, p), newLearner(t, "yi-2021", p, setup), s, want, tol)
		}
	})
}

// Losses times c and constraints times d: the same actions, as G and β are
// then declared to be as many times as large.
func TestYi2021Scaling(t *testing.T) {
	everyScript(40, func(where string, s script, tol float64) {
		for _, c := range []struct{ loss, constraint float64 }{{3, 0.2}, {0.1, 0.1}} {
			setup := s.setup()
			setup.Horizon, setup.Facts.ConstraintLipschitz = len(s.rounds), 2
			want := actions(t, newLearner(t, "yi-2021", nil, setup), s)
			setup.Facts.LossLipschitz *= c.loss
			setup.Facts.ConstraintLipschitz *= c.constraint
			agree(t, where, newLearner(t, "yi-2021", nil, setup), s.scaled(c.loss, c.constraint), want, max(tol, 1e-9))
		}
	})
}
