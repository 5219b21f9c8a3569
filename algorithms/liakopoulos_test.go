package algorithms_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

func TestLiakopoulosTwin(t *testing.T) {
	t.Parallel()
	queueGames(150, func(where string, s script) {
		T := float64(len(s.rounds))
		for _, p := range []algorithms.LiakopoulosParams{
			{Window: 1, Tradeoff: 0.5}, {Window: 5, Tradeoff: 0.25}, {Window: 3, Tradeoff: 0.9}, {Window: 1},
		} {
			v := min(float64(p.Window)*math.Pow(T, p.Tradeoff), T)
			agree(t, where, newLearner(t, "liakopoulos", p, s.horizon()), s,
				twinDrift(v, max(T, v*math.Sqrt(T)), make([]float64, s.n))(s), 1e-9)
		}
	})
}

// The theorem's two bounds with their constants against X_K, the points that
// keep their budgets over every window of K rounds: constraints change with
// period K between ones that sum to ā·x − 1/4·K and ones far from that, so that
// X^min is smaller, or empty. The learner is told the right K, or one too
// small or too large; the bound is of the K that windows have.
func TestLiakopoulosBoundsOverWindows(t *testing.T) {
	t.Parallel()
	tightest := [2]float64{}
	for _, n := range []int{1, 3} {
		for _, K := range []int{1, 2, 4, 16} {
			for _, p := range []algorithms.LiakopoulosParams{
				{Window: K, Tradeoff: 0.5}, {Window: 1, Tradeoff: 0.5}, {Window: 2 * K, Tradeoff: 0.25},
				{Window: K, Tradeoff: 0.75},
			} {
				for _, T := range []int{100, 1000, 1003} {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(K)))
					// g_i(x) = (x_1 − 1/4) + swing_i·(1 + x_2), swings of one period summing to 0.
					swing := make([]float64, K)
					for i := range swing {
						swing[i] = rng.Float64() - 0.5
					}
					mean := 0.0
					for _, v := range swing {
						mean += v / float64(K)
					}
					for i := range swing {
						swing[i] -= mean
					}
					set := convex.Cube(n, -1, 1)
					program := convex.NewProgram(set)
					window := make([]*convex.Form, K) // the last K rounds
					loss := convex.NewForm(n)
					l := newLearner(t, "liakopoulos", p, algorithms.Setup{Set: set, Constraints: 1, Horizon: T})
					x := make([]float64, n)
					total, sum := 0.0, 0.0
					for i := range T {
						a, s := make([]float64, n), swing[i%K]
						a[0] = 1
						if n > 1 {
							a[1] = s
						}
						pull := make([]float64, n)
						for k := range pull {
							pull[k] = (rng.Float64() - 1) / math.Sqrt(float64(n))
						}
						r := round(affine(0, pull...), affine(s-0.25, a...))
						l.Act(x)
						total += r.Loss.Value(x)
						sum += r.Constraints[0].Value(x)
						r.Loss.AddTo(loss, 1)
						window[i%K] = convex.Lower(r.Constraints[0], n)
						if i >= K-1 {
							all := convex.NewForm(n)
							for _, g := range window {
								g.AddTo(all, 1)
							}
							program.Constrain(all)
						}
						if err := l.Observe(x, r); err != nil {
							t.Fatal(err)
						}
					}
					best, err := program.Minimize(x, loss)
					if err != nil {
						t.Fatal(err)
					}
					const G, F, m = 1.0, 2.0, 1.0 // losses: slopes ≤ 1/√n each, ranges ≤ 2√n
					lip, bound := math.Sqrt2, 2.75
					w := dpp{
						v: min(float64(p.Window)*math.Pow(float64(T), p.Tradeoff), float64(T)),
						T: float64(T), G: G, lip: lip, F: F * math.Sqrt(float64(n)), C: bound, m: m,
						diameter: set.Diameter(),
					}
					w.alpha = max(w.T, w.v*math.Sqrt(w.T))
					w.extra = w.C * bound * float64(K-1) * w.T / 2
					regret, soft := w.regretBound(), w.soft()
					if got := total - best.Value; got > regret {
						t.Errorf("n=%d K=%d T=%d %+v: regret %v over X_K, the bound is %v", n, K, T, p, got, regret)
					} else {
						tightest[0] = max(tightest[0], got/regret)
					}
					if sum > soft {
						t.Errorf("n=%d K=%d T=%d %+v: violation %v, the bound is %v", n, K, T, p, sum, soft)
					}
					tightest[1] = max(tightest[1], sum/soft)
				}
			}
		}
	}
	t.Logf("the bounds are met up to factors %.3f and %.3f", tightest[0], tightest[1])
}
