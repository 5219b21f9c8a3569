package algorithms_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// Four rounds on D = [−2, 2], the losses −2x, −2x, −x, 2x, then 0, and the
// constraints
//
//	x − 1/2,  2x − 1,  −x,  ½x² − 1,  x.
var queueRounds = []convex.Round{
	round(affine(0, -2), affine(-0.5, 1)),
	round(affine(0, -2), affine(-1, 2)),
	round(affine(0, -1), affine(0, -1)),
	round(affine(0, 2), &convex.SquaredDistance{Weight: 1, Center: []float64{0}, Offset: -1}),
	round(affine(0, 0), affine(0, 1)),
}

// T = 4: V = 2 and α = 4, so that x_{t+1} = Π(x_t − (2f' + Qg')/8).
//
//	t=1: 2f' = −4, Q_1 = 0: x_2 = 1/2; Q_2 = [0 − 1/2 + 1/2]₊ = 0.
//	t=2: −4, Q_2 = 0: x_3 = 1; Q_3 = g(1/2) + 2·½ = 1.
//	t=3: −2 + 1·(−1) = −3: x_4 = 11/8; Q_4 = [1 − 1 − 3/8]₊ = 0.
//	t=4: 4: x_5 = 7/8; Q_5 = [½(11/8)² − 1 + (11/8)(−1/2)]₊ = 0, the linear
//	     function, not ½(7/8)² − 1.
//
// Losses twice as steep fill the queue:
//
//	t=1: −8: x_2 = 1, Q_2 = −1/2 + 1 = 1/2.
//	t=2: −8 + ½·2 = −7: x_3 = 15/8; Q_3 = ½ + 1 + 2·7/8 = 13/4.
//	t=3: −4 − 13/4 = −29/4: 15/8 + 29/32 = 89/32, clipped to x_4 = 2;
//	     Q_4 = 13/4 − 15/8 − 1/8 = 5/4.
//	t=4: 8 + 2·5/4 = 21/2: x_5 = 2 − 21/16 = 11/16; Q_5 = [5/4 + 1 − 2·21/16]₊ = 0.
//	t=5: 0: x_6 = 11/16.
func TestDriftPlusPenaltyByHand(t *testing.T) {
	set := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1, Horizon: 4}
	for _, name := range []string{"yu-neely-wei", "neely-yu"} {
		l := newLearner(t, name, nil, set)
		wantActions(t, played(t, l, 1, queueRounds[:4]...), 0, 1./2, 1, 11./8, 7./8)
		l = newLearner(t, name, driftParams(name, algorithms.DriftPlusPenaltyParams{V: 4}), set)
		wantActions(t, played(t, l, 1, queueRounds...), 0, 1, 15./8, 2, 11./16, 11./16)
	}
}

// The same with the tightening ½ and V = 2:
//
//	t=1: −4, Q_1 = 0: x_2 = 1/2; Q_2 = −½ + ½ + ½ = ½.
//	t=2: −4 + ½·2 = −3: x_3 = 7/8; Q_3 = ½ + 0 + ½ + 2·3/8 = 7/4.
//	t=3: −2 − 7/4: x_4 = 7/8 + 15/32 = 43/32; Q_4 = 7/4 − 7/8 + ½ − 15/32 = 29/32.
//	t=4: 4 + 29/32·43/32: x_5 = 43/32 − ½ − 1247/8192 = 27/32 − 1247/8192.
func TestDriftPlusPenaltyTightenedByHand(t *testing.T) {
	set := algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1, Horizon: 4}
	for _, name := range []string{"yu-neely-wei", "neely-yu"} {
		l := newLearner(t, name, driftParams(name, algorithms.DriftPlusPenaltyParams{Tightening: 0.5}), set)
		wantActions(t, played(t, l, 1, queueRounds[:4]...), 0, 1./2, 7./8, 43./32, 27./32-1247./8192)
	}
}

// With doubling, epochs of 1, 2 and 4 rounds start from x_0 = 0 and Q = 0,
// with V = 1, √2, 2 and α = 1, 2, 4, the losses being −2x and the constraints
// x − 1/2:
//
//	1st epoch: x_1 = 0.
//	2nd epoch: x_2 = 0, x_3 = 2√2/4 = 1/√2.
//	3rd epoch: x_4 = 0, x_5 = 4/8 = 1/2, Q = 0, x_6 = 1, Q = 1/2,
//	           x_7 = 1 + (4 − 1/2)/8 = 23/16.
//	4th epoch: x_8 = 0.
func TestDriftPlusPenaltyDoublesByHand(t *testing.T) {
	var rounds []convex.Round
	for range 7 {
		rounds = append(rounds, queueRounds[0])
	}
	p := algorithms.DriftPlusPenaltyParams{Epochs: algorithms.Epochs{Doubling: true}}
	l := newLearner(t, "yu-neely-wei", driftParams("yu-neely-wei", p), algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1})
	wantActions(t, played(t, l, 1, rounds...), 0, 0, 1/math.Sqrt2, 0, 1./2, 1, 23./16, 0)
}

// driftParams are parameters of yu-neely-wei or neely-yu.
func driftParams(name string, p algorithms.DriftPlusPenaltyParams) any {
	if name == "neely-yu" {
		return algorithms.NeelyYuParams{DriftPlusPenaltyParams: p}
	}
	return algorithms.YuNeelyWeiParams{DriftPlusPenaltyParams: p}
}

// pathDrift is the drift-plus-penalty update; x0 nil is the origin.
func pathDrift(v, alpha float64, x0 []float64) func(script) path {
	return pathTight(v, alpha, 0, x0)
}

// pathTight is that with a tightening.
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

func startPath(s script, x0 []float64) path {
	if x0 == nil {
		x0 = make([]float64, s.n)
	}
	return path{xs: [][]float64{nearest(s.set, x0)}, duals: [][]float64{make([]float64, s.m)}}
}

func twinDrift(v, alpha float64, x0 []float64) twin {
	return func(s script) [][]float64 { return pathDrift(v, alpha, x0)(s).xs }
}

// linearised is the tangent of f at x, at y.
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
					f(fmt.Sprintf("%s/%s/n=%d/m=%d", domain, kind, n, m), newScript(rng, domain, kind, n, m, rounds))
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
			agree(t, name+" on "+where, newLearner(t, name, nil, s.horizon()), s, twinDrift(math.Sqrt(T), T, x0)(s), 1e-9)
		}
		for i := range x0 {
			x0[i] = 0.3
		}
		p := algorithms.DriftPlusPenaltyParams{V: 3, Alpha: 8, FirstAction: algorithms.FirstAction{X0: []float64{0.3}}}
		agree(t, where, newLearner(t, "neely-yu", driftParams("neely-yu", p), s.horizon()), s, twinDrift(3, 8, x0)(s), 1e-9)
		p.Tightening = 0.2
		agree(t, where+" tightened", newLearner(t, "yu-neely-wei", driftParams("yu-neely-wei", p), s.horizon()), s, pathTight(3, 8, 0.2, x0)(s).xs, 1e-9)
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
			l := newLearner(t, "yu-neely-wei", nil, algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1, Horizon: T})
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
		b, err := claims[0].Bound(algorithms.Setup{Set: convex.Cube(2, -1, 1), Constraints: 1, Horizon: T, Facts: convex.Facts{
			LossLipschitz: math.Hypot(1.5, 1), ConstraintLipschitz: math.Hypot(1.5, 0.5), ConstraintBound: 3, Affine: true, IID: true, // 1 + 3/2 + 1/2
		}})
		if err != nil || !claims[0].Expected {
			t.Fatal(err, claims[0].Expected)
		}
		bound := b(T)
		t.Logf("T=%d: mean regret %.3g, bound %.3g; mean violation %.3g = %.2g√T", T, regret, bound, soft, soft/math.Sqrt(float64(T)))
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
