package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// clipped is primal-dual-average:clip=true in one dimension, on [−2, 2].
func clipped(t *testing.T, step float64) algorithms.Learner {
	t.Helper()
	return newLearner(t, "primal-dual-average", averageParams(step, nil, true),
		algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1})
}

// clippedGame plays rounds of one loss −s·x, s chosen at x_t, and a fixed constraint g.
// It returns Σ −s_tx_t and Σ [g(x_t)]₊.
func clippedGame(t *testing.T, step float64, horizon int, slope func(t int, x float64) float64,
	g convex.Func, see func(t int, x float64)) (loss, penalty float64) {
	t.Helper()
	l, x := clipped(t, step), []float64{0}
	for n := 1; n <= horizon; n++ {
		l.Act(x)
		see(n, x[0])
		s := slope(n, x[0])
		loss -= s * x[0]
		penalty += max(0, g.Value(x))
		r := convex.Round{Loss: &convex.Affine{A: []float64{-s}}, Constraints: []convex.Func{g}}
		if err := l.Observe(x, r); err != nil {
			t.Fatal(err)
		}
	}
	return loss, penalty
}

func always(s float64) func(int, float64) float64 { return func(int, float64) float64 { return s } }

func nothing(int, float64) {}

// With steps a/√t, f = −(5/a)x and g = (5/a)(|x| − ½), x_t is 2 and −2 in turn from round 2
// on: regret T/2 and violation 3T/2, in units of 5/a, whatever the step is. So says the
// documentation of primal-dual-average.
func TestClippedLargeSteps(t *testing.T) {
	const T = 2000
	for _, a := range []float64{0.05, 1, 5} {
		unit := 5 / a
		g := convex.NewBasis(&convex.Distance{Weight: unit, Center: []float64{0}, Offset: -unit / 2})
		loss, penalty := clippedGame(t, a, T, always(unit), g, func(n int, x float64) {
			if want := 2 * float64(1-2*(n%2)); n > 1 && x != want {
				t.Fatalf("step %v: x_%d = %v, want %v", a, n, x, want)
			}
		})
		if regret := loss + 0.5*unit*T; math.Abs(regret/unit-T/2) > 3 ||
			math.Abs(penalty/unit-1.5*(T-1)) > 1e-6 {
			t.Errorf("step %v: regret %v and violation %v in units of %v", a, regret/unit, penalty/unit,
				unit)
		}
	}
}

// On g = x with z = −2, η = 2 and Δ = 4, so that μ = ½ and G = 1: steps below 0.7/√t are
// small enough for the theorem. With losses whose slope is halved next to 0, each crossing
// goes above 0 by more than α_t/2, and the regret over √t grows for ever, like √log t, with
// steps of any size; the violation over √t does not.
func TestClippedSmallSteps(t *testing.T) {
	const a = 1.
	slope := func(n int, x float64) float64 {
		if alpha := a / math.Sqrt(float64(n)); -alpha < x && x <= -alpha/2 {
			return 0.5
		}
		return 1
	}
	g := convex.NewBasis(&convex.Affine{A: []float64{1}})
	before := math.Inf(1)
	crossed := func(n int, x float64) {
		if alpha := a / math.Sqrt(float64(n-1)); before <= 0 && x > 0 && x <= alpha/2 {
			t.Fatalf("x_%d = %v is above 0 by less than half of the step %v", n, x, alpha)
		}
		before = x
	}
	last := math.Inf(-1)
	for _, T := range []int{1000, 10000, 100000} {
		before = math.Inf(1)
		loss, penalty := clippedGame(t, a, T, slope, g, crossed)
		if root := math.Sqrt(float64(T)); penalty > root || loss/root < last+0.3 {
			t.Errorf("T=%d: regret %v√T after %v√T, violation %v√T", T, loss/root, last, penalty/root)
		} else {
			last = loss / root
		}
	}
	// Where the slope is 1 throughout, the update as printed has a linear violation.
	loss, penalty := clippedGame(t, 0.3, 100000, always(1), g, nothing)
	if penalty > math.Sqrt(100000) || math.Abs(loss) > math.Sqrt(100000) {
		t.Errorf("small steps: loss %v, violation %v", loss, penalty)
	}
}
