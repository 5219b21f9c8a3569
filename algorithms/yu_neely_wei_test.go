package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// driftParams returns parameters of yu-neely-wei or neely-yu.
func driftParams(name string, p algorithms.DriftPlusPenaltyParams) any {
	if name == "neely-yu" {
		return algorithms.NeelyYuParams{DriftPlusPenaltyParams: p}
	}
	return algorithms.YuNeelyWeiParams{DriftPlusPenaltyParams: p}
}

// pathDrift plays the drift-plus-penalty update; x0 nil is the origin.
func pathDrift(v, alpha float64, x0 []float64) func(script) path {
	return pathTight(v, alpha, 0, x0)
}

// pathTight plays the drift-plus-penalty update with a tightening.
func pathTight(v, alpha, tightening float64, x0 []float64) func(script) path {
	return func(s script) path {
		p := startPath(s, x0)
		for t, r := range s.rounds {
			x, queue := p.xs[t], p.duals[t]
			g := make([]float64, s.n)
			for i, d := range r.loss.gradient(x) {
				g[i] = v * d
				for k, c := range r.constraints {
					g[i] += queue[k] * c.gradient(x)[i]
				}
			}
			next := descend(s.set, x, 1/(2*alpha), g)
			dual := make([]float64, s.m)
			for k, c := range r.constraints {
				dual[k] = math.Max(0, queue[k]+tightening+linearised(c, x, next))
			}
			p.xs, p.duals = append(p.xs, next), append(p.duals, dual)
		}
		return p
	}
}

// path is a game of a twin: its actions and the duals at the start of rounds.
type path struct{ xs, duals [][]float64 }

func startPath(s script, x0 []float64) path {
	if x0 == nil {
		x0 = make([]float64, s.n)
	}
	return path{xs: [][]float64{nearest(s.set, x0)}, duals: [][]float64{make([]float64, s.m)}}
}

func twinDrift(v, alpha float64, x0 []float64) twin {
	return func(s script) [][]float64 { return pathDrift(v, alpha, x0)(s).xs }
}

// linearised returns the tangent of f at x, at y.
func linearised(f smooth, x, y []float64) float64 {
	v := f.value(x)
	for i, d := range f.gradient(x) {
		v += d * (y[i] - x[i])
	}
	return v
}

// queueGames calls f with random games of all kinds of constraints and
// domains.
func queueGames(rounds int, f func(where string, s script)) {
	for _, domain := range []string{"box", "ball", "simplex"} {
		for n := 1; n <= 4; n++ {
			for m := range 4 {
				for _, kind := range []string{"affine", "curved", "perturbed", "norm"} {
					rng := rand.New(rand.NewPCG(uint64(n), uint64(10+m)))
					f(fmt.Sprintf("%s/%s/n=%d/m=%d", domain, kind, n, m),
						newScript(rng, domain, kind, n, m, rounds))
				}
			}
		}
	}
}

func (s script) horizon() algorithms.Setup {
	setup := s.setup()
	setup.Horizon = len(s.rounds)
	return setup
}

func TestDriftPlusPenaltyTwin(t *testing.T) {
	t.Parallel()
	queueGames(200, func(where string, s script) {
		x0 := make([]float64, s.n)
		T := float64(len(s.rounds))
		for _, name := range []string{"yu-neely-wei", "neely-yu"} {
			agree(t, name+" on "+where, newLearner(t, name, nil, s.horizon()), s,
				twinDrift(math.Sqrt(T), T, x0)(s), 1e-9)
		}
		for i := range x0 {
			x0[i] = 0.3
		}
		p := algorithms.DriftPlusPenaltyParams{
			V: 3, Alpha: 8, FirstAction: algorithms.FirstAction{X0: []float64{0.3}},
		}
		agree(t, where, newLearner(t, "neely-yu", driftParams("neely-yu", p), s.horizon()), s,
			twinDrift(3, 8, x0)(s), 1e-9)
		p.Tightening = 0.2
		agree(t, where+" tightened", newLearner(t, "yu-neely-wei", driftParams("yu-neely-wei", p),
			s.horizon()), s, pathTight(3, 8, 0.2, x0)(s).xs, 1e-9)
	})
}

// Against X^E, the points feasible in expectation, which may be far from
// feasible in every round: the bound (Δ² + G²/4 + C²/2)√T of the expected
// regret, and the rate √T of the expected violation, which swings between
// about 0.2√T and 1.4√T. Rounds are i.i.d.: losses −(d + v_t)·x with d = (1, 1/2)
// and constraints (a + u_t)·x + b_t ≤ 0 with a = (1, 0), b_t uniform on
// [−1, 1/2], u_t and v_t uniform on [−1/2, 1/2]², over D = [−1, 1]². On X^E,
// x_1 ≤ 1/4, and the best action is (1/4, 1). The worst rounds are
// x_1 + ½|x_1| + ½|x_2| + ½ ≤ 0: X^min shrinks to the point (−1, 0).
func TestYuNeelyWeiAgainstTheExpectation(t *testing.T) {
	t.Parallel()
	const games = 20
	nearest := 0.0
	for _, T := range []int{100, 1600, 6400, 25600} {
		regret, soft := 0.0, 0.0
		for seed := range uint64(games) {
			rng := rand.New(rand.NewPCG(seed, 77))
			l := newLearner(t, "yu-neely-wei", nil,
				algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1, Horizon: T})
			noise := func() float64 { return rng.Float64() - 0.5 }
			x := make([]float64, 2)
			sum := 0.0
			for range T {
				r := round(affine(0, -1+noise(), -0.5+noise()), affine(-0.25+1.5*noise(), 1+noise(), noise()))
				l.Act(x)
				regret += (r.Loss.Value(x) - r.Loss.Value([]float64{0.25, 1})) / games
				sum += r.Constraints[0].Value(x)
				if err := l.Observe(x, r); err != nil {
					t.Fatal(err)
				}
			}
			soft += math.Max(0, sum) / games
		}
		claims := entry(t, "yu-neely-wei").Claims
		b, err := claims[0].Bound(algorithms.Setup{
			Set: convex.Cube(2, -1, 1), Constraints: 1, Horizon: T, Facts: convex.Facts{
				// 1 + 3/2 + 1/2
				LossLipschitz: math.Hypot(1.5, 1), ConstraintLipschitz: math.Hypot(1.5, 0.5),
				ConstraintBound: 3, Affine: true, IID: true,
			}})
		if err != nil || !claims[0].Expected {
			t.Fatal(err, claims[0].Expected)
		}
		bound := b(T)
		t.Logf("T=%d: mean regret %.3g, bound %.3g; mean violation %.3g = %.2g√T", T, regret, bound, soft,
			soft/math.Sqrt(float64(T)))
		if regret > bound {
			t.Errorf("T=%d: mean regret %v against X^E, the bound is %v", T, regret, bound)
		}
		if soft > 2*math.Sqrt(float64(T)) {
			t.Errorf("T=%d: the mean violation is %v", T, soft)
		}
		nearest = max(nearest, regret/bound)
	}
	t.Logf("the bound is met up to a factor %.3f", nearest)
}
