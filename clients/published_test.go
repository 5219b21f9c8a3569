package clients

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/external"
	"ocobench/harness/game"
	"ocobench/problems"
)

// The programs of examples/ that have updates as coded elsewhere are held to the formulas at
// their heads: a minimiser is no worse than many other actions, and the others are written down
// a second time.

// seen is what a game had in a round.
type seen struct {
	x, f, g []float64 // the action, and the slopes of the loss and of the largest constraint there
	value   float64   // of that constraint
}

// game has the rounds of a game.
type playedGame []seen

// Round implements [game.Observer].
func (g *playedGame) Round(_ int, x []float64, r *convex.Round) error {
	s := seen{x: slices.Clone(x), f: make([]float64, len(x)), g: make([]float64, len(x))}
	s.value = r.Constraints[0].Value(x)
	r.Loss.Subgrad(s.f, x)
	r.Constraints[0].Subgrad(s.g, x)
	*g = append(*g, s)
	return nil
}

// plays plays a SPEC of a program on a problem.
func plays(t *testing.T, script, algorithm, problem string, horizon int) (g playedGame) {
	t.Helper()
	needs(t, "json")
	c := experiment.Catalog{Algorithms: slices.Clone(algorithms.All), Problems: slices.Clone(problems.All)}
	program, err := external.Add(t.Context(), &c, "mine", []string{interpreter, script},
		external.Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	use, err := spec.ParseSpec(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	resolvedAlgorithm, err := experiment.One(use, c.ResolveAlgorithms)
	if err != nil {
		t.Fatal(err)
	}
	if use, err = spec.ParseSpec(problem); err != nil {
		t.Fatal(err)
	}
	resolvedProblem, err := experiment.One(use, c.ResolveProblems)
	if err != nil {
		t.Fatal(err)
	}
	s, err := resolvedProblem.Stream(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	l, err := resolvedAlgorithm.Learner(s, 1, 1, horizon)
	if err == nil {
		err = game.Play(t.Context(), l, s, horizon, &g)
	}
	if err != nil {
		t.Fatal(err)
	}
	return g
}

const olr = "regression:dim=3,samples=2,constraints=3,upper=1,slopes=2,clip=1,combine=max"

// TestPublishedActionsMinimise compares the actions of CLASP-I and of RECOO with random ones, some
// of them near: none has less of the objective.
func TestPublishedActionsMinimise(t *testing.T) {
	const horizon = 25
	rng := rand.New(rand.NewPCG(1, 1))
	for _, rule := range []string{"clasp", "recoo"} {
		queue, binding := 0.0, 0
		rounds := plays(t, "../examples/clasp_notebooks.py", "mine:rule="+rule, olr, horizon)
		for k, s := range rounds[:horizon-1] {
			root := math.Sqrt(float64(k + 1))
			queue = max(queue+max(s.value, 0), root)
			gamma := 0.0
			if k > 0 {
				gamma = math.Pow(float64(k), 0.0005)
			}
			objective := func(y []float64) float64 {
				linear := s.value + vec.Dot(s.g, y) - vec.Dot(s.g, s.x)
				if rule == "recoo" {
					return vec.Dot(s.f, y) + queue*gamma*max(linear, 0) + root*math.Pow(vec.Dist(y, s.x), 2)
				}
				if linear > 1e-9 {
					return math.Inf(1)
				}
				to := slices.Clone(s.x)
				vec.Axpy(to, -1/root, s.f)
				return vec.Dist(y, to)
			}
			next := rounds[k+1].x
			least := objective(next)
			if s.value+vec.Dot(s.g, next)-vec.Dot(s.g, s.x) > -1e-6 {
				binding++
			}
			for n := range 2000 {
				y := make([]float64, len(next))
				for i := range y {
					y[i] = rng.Float64()
					if n%2 == 1 {
						y[i] = max(0, min(1, next[i]+(y[i]-0.5)*math.Pow(10, float64(-n%4))))
					}
				}
				if v := objective(y); v < least-1e-8 {
					t.Fatalf("%s, round %d: got %v with the value %v, want at most %v as of %v", rule, k+1, next,
						least, v, y)
				}
			}
		}
		if binding == 0 {
			t.Errorf("%s: got a constraint that never binds, want it to", rule)
		}
	}
}

// TestPublishedAdaGradFollowsItsFormula writes AdaGrad of the notebooks down again.
func TestPublishedAdaGradFollowsItsFormula(t *testing.T) {
	const horizon = 30
	rounds := plays(t, "../examples/clasp_notebooks.py", "mine:rule=adagrad", olr, horizon)
	beta, lambda := 1/(200*math.Sqrt2), 1/(2*math.Sqrt(horizon))
	queue, squares := 0.0, 0.0
	for k, s := range rounds[:horizon-1] {
		weight := 0.0
		if s.value > 0 {
			queue += beta * s.value
			weight = lambda * math.Exp(lambda*queue)
		}
		d := make([]float64, len(s.x))
		for i := range d {
			d[i] = beta * (s.f[i] + weight*s.g[i])
			squares += d[i] * d[i]
		}
		for i, want := range rounds[k+1].x {
			got := max(0, min(1, s.x[i]-d[i]/math.Sqrt(squares)))
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("round %d: coordinate %d is %v, want %v", k+2, i+1, want, got)
			}
		}
	}
}

// TestPublishedYuLeeLeeFollowsItsFormula writes the update with scales down again.
func TestPublishedYuLeeLeeFollowsItsFormula(t *testing.T) {
	const horizon, scale, regulariser, l, bound = 200, 30.0, 0.01, 1.5, 3.0
	rounds := plays(t, "../examples/yu_lee_lee_as_coded.py",
		"mine:gamma=30,regulariser=0.01,lipschitz=1.5,bound=3",
		"gradual-slater:dim=2,margin=0.3,noise=0.7,targets=circle,period=50", horizon)
	queue, gradients, weights := 0.0, 0.0, 0.0
	moved := false
	for k, s := range rounds[:horizon-1] {
		gamma := scale * min(1/(12*bound*math.Sqrt(float64(k+1))), 1/(24*math.Sqrt2*l), 1)
		phi := gamma * math.Exp(gamma*queue)
		before := weights
		weights += phi * phi
		d := make([]float64, len(s.x))
		for i := range d {
			d[i] = s.f[i] + phi*s.g[i]
			gradients += d[i] * d[i]
		}
		queue += s.value - regulariser*4*math.Sqrt2*l*(math.Sqrt(weights)-math.Sqrt(before))/phi
		for i, want := range rounds[k+1].x {
			got := max(0, min(1, s.x[i]-math.Sqrt2*d[i]/math.Sqrt(2*(1+gradients))))
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("round %d: coordinate %d is %v, want %v", k+2, i+1, want, got)
			}
			moved = moved || want != s.x[i]
		}
	}
	if !moved {
		t.Error("got an action that never moves, want it to")
	}
}
