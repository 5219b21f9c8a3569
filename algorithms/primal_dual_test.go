package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
)

// averagedGame plays primal-dual-average on [−2, 2], in rounds of one loss −s·x, s chosen at x_t,
// and a fixed constraint g. It returns Σ −s_tx_t and Σ [g(x_t)]₊.
func averagedGame(t *testing.T, step float64, clip bool, horizon int,
	slope func(t int, x float64) float64, g convex.Func, see func(t int, x float64)) (
	loss, penalty float64) {
	t.Helper()
	l := newLearner(t, "primal-dual-average", averageParams(step, nil, clip),
		algorithms.Setup{Set: convex.Cube(1, -2, 2), Constraints: 1})
	x := []float64{0}
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

// With steps a/√t, f = −cx and g = c(|x| − ½), where ac = 5, x_t is 2 and −2 in turn from round 2
// on: regret T/2, soft violation 3T/2 − 2 and penalty violation 3(T−1)/2, in units of c, as
// printed and clipped. In these units λ_t = (15/2)Σ_{i<t} 1/√i ≥ 15(√t − 1), and a step goes
// across D if it is at least 4: from 2 it is (5/√t)(λ_t − 1) ≥ 75 − 80/√t ≥ 18, and from −2 it is
// longer.
// With ac = 2, x_3 = 2 − √2·2 is inside of D, and x_t is 2 and −2 in turn from round 4 on.
func TestAveragedLargeSteps(t *testing.T) {
	for _, c := range []struct {
		step, unit float64
		from, T    int
	}{
		{5, 1, 2, 2000}, {1, 5, 2, 2000}, {0.05, 100, 2, 2000}, {0.5, 10, 2, 2000}, {2, 1, 4, 2000},
		{5, 1, 2, 1000000}, {2, 1, 4, 100000},
	} {
		for _, clip := range []bool{false, true} {
			g := convex.NewBasis(&convex.Distance{Weight: c.unit, Center: []float64{0},
				Offset: -c.unit / 2})
			soft, T := 0., float64(c.T)
			loss, penalty := averagedGame(t, c.step, clip, c.T, always(c.unit), g,
				func(n int, x float64) {
					soft += g.Value([]float64{x}) / c.unit
					if want := 2 * float64(1-2*(n%2)); n >= c.from && x != want {
						t.Fatalf("step %v: x_%d = %v, want %v", c.step, n, x, want)
					}
				})
			if regret := loss/c.unit + 0.5*T; math.Abs(regret-T/2) > 4 ||
				math.Abs(penalty/c.unit-1.5*T) > 4 || math.Abs(soft-1.5*T) > 4 {
				t.Errorf("step %v, clip %v: in units of %v, regret %v, soft violation %v, penalty violation %v",
					c.step, clip, c.unit, regret, soft, penalty/c.unit)
			}
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
		loss, penalty := averagedGame(t, a, true, T, slope, g, crossed)
		if root := math.Sqrt(float64(T)); penalty > root || loss/root < last+0.3 {
			t.Errorf("T=%d: regret %v√T after %v√T, violation %v√T", T, loss/root, last, penalty/root)
		} else {
			last = loss / root
		}
	}
	// Where the slope is 1 throughout, the update as printed has a linear violation.
	loss, penalty := averagedGame(t, 0.3, true, 100000, always(1), g, nothing)
	if penalty > math.Sqrt(100000) || math.Abs(loss) > math.Sqrt(100000) {
		t.Errorf("small steps: loss %v, violation %v", loss, penalty)
	}
}
