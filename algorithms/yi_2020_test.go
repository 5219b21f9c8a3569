package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
)

// pathYi plays the primal-dual mirror descent of one agent.
func pathYi(step, kappa float64, x0 []float64) func(script) path {
	return func(s script) path {
		p := startPath(s, x0)
		for t, r := range s.rounds {
			next := float64(t + 2)
			alpha, beta, gamma := step*math.Pow(next, -kappa), math.Pow(next, -kappa),
				math.Pow(next, kappa-1)
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

func TestYi2020AgreesWithTwin(t *testing.T) {
	t.Parallel()
	queueGames(200, func(where string, s script) {
		for _, p := range []algorithms.Yi2020Params{
			{Kappa: 2. / 3}, {Kappa: 0.3, Step: 0.4}, {Kappa: 0.5, LipschitzConstant: algorithms.LipschitzConstant{Lipschitz: 9}},
		} {
			step := p.Step
			if lip := p.Lipschitz; step == 0 {
				if lip == 0 {
					lip = s.setup().Facts.LossLipschitz
				}
				step = s.set.Diameter() / lip
			}
			checkTwin(t, where, newLearner(t, "yi-2020", p, s.setup()), s, pathYi(step, p.Kappa, nil)(s).xs,
				1e-9)
		}
	})
}
