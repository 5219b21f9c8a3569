package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// pathChen plays the MOSP update; duals[t] is λ at the start of round t+1.
func pathChen(alpha, mu float64, x0 []float64) func(script) path {
	return func(s script) path {
		p := startPath(s, x0)
		for t, r := range s.rounds {
			lambda := make([]float64, s.m)
			for j, g := range r.constraints {
				lambda[j] = math.Max(0, p.duals[t][j]+mu*g.value(p.xs[t]))
			}
			next := proximalStep(s, r, p.xs[t], lambda, 1/(2*alpha))
			if next == nil {
				return path{}
			}
			p.xs, p.duals = append(p.xs, next), append(p.duals, lambda)
		}
		return p
	}
}

func TestChenTwin(t *testing.T) {
	t.Parallel()
	queueGames(100, func(where string, s script) {
		step := math.Pow(float64(len(s.rounds)), -1./3)
		agree(t, where, newLearner(t, "chen", nil, s.horizon()), s, pathChen(step, step, nil)(s).xs,
			proximalTolerance(where))
		x0 := make([]float64, s.n)
		for i := range x0 {
			x0[i] = -0.4
		}
		p := algorithms.ChenParams{Step: 0.7, DualStep: 0.1,
			FirstAction: algorithms.FirstAction{X0: []float64{-0.4}}}
		agree(t, where, newLearner(t, "chen", p, s.horizon()), s, pathChen(0.7, 0.1, x0)(s).xs,
			proximalTolerance(where))
	})
}

// The paper's dynamic regret, against the best action of each round, with its
// constants: Δ/α times the length of their way joins the bound of a fixed one.
// On D = [−1, 1], losses ½(x − c_t)² with c_t going to and fro between 0 and 1.2
// ever more slowly and constraints x ≤ 1/2 + ¼cos(√t), the best action is the
// lesser of c_t and of what is allowed.
func TestChenDynamicRegret(t *testing.T) {
	nearest := 0.0
	for _, T := range []int{100, 1000, 10000} {
		l := newLearner(t, "chen", nil, algorithms.Setup{
			Set: convex.Cube(1, -1, 1), Constraints: 1, Horizon: T,
		})
		alpha := math.Pow(float64(T), -1./3)
		const diameter, G, F, M, slater = 2, 2.2, 2.42, 1.75, 1.25 // at z = −1
		var regret, way, rise, rises, soft, before, height float64
		x := []float64{0}
		for i := 1; i <= T; i++ {
			center := 0.6 + 0.6*math.Sin(2*math.Pow(float64(i), 0.3))
			top := 0.5 + math.Cos(math.Sqrt(float64(i)))/4
			best := math.Min(center, top)
			if i > 1 {
				way += math.Abs(best - before)
				rise = max(rise, height-top)
				rises += max(0, height-top)
			}
			before, height = best, top
			r := round(&convex.HalfSquaredDistance{Weight: 1, Center: []float64{center}}, affine(-top, 1))
			l.Act(x)
			regret += r.Loss.Value(x) - r.Loss.Value([]float64{best})
			soft += r.Constraints[0].Value(x)
			if err := l.Observe(x, r); err != nil {
				t.Fatal(err)
			}
		}
		per := alpha * (G*G + M*M) / 2
		theta := (F + per) / (slater - rise)
		lambda := math.Sqrt((theta+alpha*M)*(theta+alpha*M) + diameter*diameter)
		bound := diameter*diameter/(2*alpha) + diameter/alpha*way + per*float64(T) + alpha*M*M/2 +
			lambda*(M+rises)
		t.Logf("T=%d: dynamic regret %.3g, bound %.3g; way %.3g, rises %.3g; violation %.3g, bound %.3g",
			T, regret, bound, way, rises, soft, lambda/alpha)
		if regret > bound {
			t.Errorf("T=%d: dynamic regret %v, the bound is %v", T, regret, bound)
		}
		if soft > lambda/alpha {
			t.Errorf("T=%d: violation %v, the bound is %v", T, soft, lambda/alpha)
		}
		nearest = max(nearest, regret/bound)
	}
	t.Logf("the bound is met up to a factor %.3f", nearest)
}
