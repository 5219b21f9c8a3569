package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// κ = 1/2 and α_0 = 2 on D = [−4, 4]: α_t = 2/√t, β_t = γ_t = 1/√t, and 1 − βγ
// at t+1 is t/(t+1).
//
//	t=1: f' = −1, q_1 = 0: x_2 = 2/√2 = √2; g = x − 1/2, its tangent at x_2
//	     is √2 − ½: q_2 = (√2 − ½)/√2 = 1 − √2/4.
//	t=2: −1 + 2q_2 = 1 − √2/2: x_3 = √2 − (2/√3)(1 − √2/2); g = 2x − 1:
//	     q_3 = ⅔q_2 + (2x_3 − 1)/√3.
//	t=3: f = ½x², g = ½x² − 1: x_3 + q_3x_3 and α_4 = 1: x_4 = −q_3x_3; the
//	     tangent of g at x_3 is ½x_3² − 1 + x_3(x_4 − x_3), below 0 here:
//	     q_4 = [¾q_3 + ½(…)]₊ = 0.
//	t=4: f' = 1/4, q_4 = 0: x_5 = x_4 − ¼·2/√5.
//	     By numbers: q_2 ≈ .6464, x_3 ≈ 1.0760, q_3 ≈ 1.0961, x_4 ≈ −1.1794.
func TestYi2020ByHand(t *testing.T) {
	l := newLearner(t, "yi-2020", algorithms.Yi2020Params{Kappa: 0.5, Step: 2}, algorithms.Setup{Set: convex.Cube(1, -4, 4), Constraints: 1})
	q2 := 1 - math.Sqrt2/4
	x3 := math.Sqrt2 - 2/math.Sqrt(3)*(1-math.Sqrt2/2)
	q3 := 2*q2/3 + (2*x3-1)/math.Sqrt(3)
	x4 := -q3 * x3
	if 3*q3/4+(x3*x3/2-1+x3*(x4-x3))/2 >= 0 {
		t.Error("q_4 is not 0")
	}
	wantActions(t, played(t, l, 1,
		round(affine(0, -1), affine(-0.5, 1)),
		round(affine(0, -1), affine(-1, 2)),
		round(&convex.SquaredDistance{Weight: 1, Center: []float64{0}}, &convex.SquaredDistance{Weight: 1, Center: []float64{0}, Offset: -1}),
		round(affine(0, 0.25), affine(0, 1)),
	), 0, math.Sqrt2, x3, x4, x4-0.5/math.Sqrt(5))
	for what, v := range map[string][2]float64{"q_2": {q2, 0.6464}, "x_3": {x3, 1.0760}, "q_3": {q3, 1.0961}, "x_4": {x4, -1.1794}} {
		if math.Abs(v[0]-v[1]) > 5e-4 {
			t.Errorf("%s is %v, the comment says %v", what, v[0], v[1])
		}
	}
}

// pathYi is the primal-dual mirror descent of one agent.
func pathYi(step, kappa float64, x0 []float64) func(script) path {
	return func(s script) path {
		p := startPath(s, x0)
		for t, r := range s.rounds {
			next := float64(t + 2)
			alpha, beta, gamma := step*math.Pow(next, -kappa), math.Pow(next, -kappa), math.Pow(next, kappa-1)
			x, q := p.xs[t], p.duals[t]
			g := r.loss.gradient(x)
			for j, c := range r.constraints {
				for i, d := range c.gradient(x) {
					g[i] += q[j] * d
				}
			}
			y := descend(s.set, x, alpha, g)
			after := make([]float64, s.m)
			for j, c := range r.constraints {
				after[j] = math.Max(0, (1-gamma*beta)*q[j]+gamma*linearised(c, x, y))
			}
			p.xs, p.duals = append(p.xs, y), append(p.duals, after)
		}
		return p
	}
}

func TestYi2020Twin(t *testing.T) {
	t.Parallel()
	queueGames(200, func(where string, s script) {
		for _, p := range []algorithms.Yi2020Params{{Kappa: 2. / 3}, {Kappa: 0.3, Step: 0.4}, {Kappa: 0.5, Lipschitz: 9}} {
			step := p.Step
			if lip := p.Lipschitz; step == 0 {
				if lip == 0 {
					lip = s.setup().Facts.LossLipschitz
				}
				step = s.set.Diameter() / lip
			}
			agree(t, where, newLearner(t, "yi-2020", p, s.setup()), s, pathYi(step, p.Kappa, nil)(s).xs, 1e-9)
		}
	})
}
