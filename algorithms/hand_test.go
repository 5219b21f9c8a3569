package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment/spec"
)

// affine returns a·x + b.
func affine(b float64, a ...float64) *convex.Affine { return &convex.Affine{A: a, B: b} }

// newRound returns a round of a loss and constraints.
func newRound(loss convex.Func, constraints ...convex.Func) convex.Round {
	return convex.Round{Loss: loss, Constraints: constraints}
}

// playedActions plays rounds, and returns the actions x_1, …, x_{T+1}.
func playedActions(t *testing.T, l algorithms.Learner, n int, rounds ...convex.Round) [][]float64 {
	t.Helper()
	xs := [][]float64{make([]float64, n)}
	l.Act(xs[0])
	for i, r := range rounds {
		if err := l.Observe(xs[i], r); err != nil {
			t.Fatalf("round %d: %v", i+1, err)
		}
		xs = append(xs, make([]float64, n))
		l.Act(xs[i+1])
	}
	return xs
}

// wantActions compares all coordinates of all actions, one after the other.
func wantActions(t *testing.T, got [][]float64, want ...float64) {
	t.Helper()
	k := 0
	for i, x := range got {
		for _, v := range x {
			if k < len(want) && !(math.Abs(v-want[k]) <= 1e-14) {
				t.Errorf("action %d is %v, by hand it is %v", i+1, x, want[k:k+len(x)])
				return
			}
			k++
		}
	}
	if k != len(want) {
		t.Errorf("%d numbers were played, %d were worked by hand", k, len(want))
	}
}

// Grow, then freeze: D = [−1, 1], κ = 1, x_0 = 0, γ from 1, and the averages
// x − 1/2, x − 3/8, x − 1/4 and x/2 − 3/16.
//
//	τ=1, losses −4x:  at γ = 1 and 2, 2x − 4 + γ ≤ 0 up to x = 1, with a
//	     penalty of 1/2; at γ = 4 it is −3 at 1/2 and 1 beyond: x_2 = 1/2.
//	τ=2, −8x:  at γ = 4, 2√2x − 4 beyond 3/8 is negative at 1/2, and positive
//	     beyond it: x = 1/2, with a penalty of 1/8. At γ = 8, 3√2/4 > 0 beyond
//	     3/8: x_3 = 3/8.
//	τ=3, −10x:  at γ = 8, 2√3x − 2 beyond 1/4 is 3√3/4 − 2 < 0 at 3/8: x = 3/8,
//	     with a penalty of 1/8. At γ = 16, √3/2 + 6 > 0 beyond 1/4: x_4 = 1/4.
//	τ=4, −10x:  x_5 = 1/4. The first clean round, of 2 that are asked for.
//	τ=5, +0x:   the slope is 2√5x about 0: x_6 = 0. The second, of 3.
//	τ=6, +0x:   x_7 = 0. The third of 3: γ = 16 stays.
//	τ=7, −200x: x_8 = 1, with a penalty that would have doubled γ.
func TestPenalisedFTRLGrowsThenFreezesByHand(t *testing.T) {
	p := algorithms.PenalisedFTRLParams{
		Gamma: algorithms.Gamma{Adaptive: true}, Kappa: 1, Penalty: "average", GammaStart: 1,
		GammaMax: 1 << 20, Tolerance: 1e-6,
	}
	set := algorithms.Setup{Set: convex.Cube(1, -1, 1), Constraints: 1}
	rounds := []convex.Round{
		newRound(affine(0, -4), affine(-0.5, 1)),
		newRound(affine(0, -4), affine(-0.25, 1)),
		newRound(affine(0, -2), affine(0, 1)),
		newRound(affine(0, 0), affine(0, -1)),
		newRound(affine(0, 10), affine(-1, 0)),
		newRound(affine(0, 0), affine(-1, 0)),
		newRound(affine(0, -200), affine(-1, 0)),
	}
	want := []float64{0, 1. / 2, 3. / 8, 1. / 4, 1. / 4, 0, 0, 1}
	for k, gamma := range []float64{1, 4, 8, 16, 16, 16, 16, 16} {
		l := newLearner(t, "penalised-ftrl", p, set).(interface {
			algorithms.Learner
			Gamma() float64
		})
		wantActions(t, playedActions(t, l, 1, rounds[:k]...), want[:k+1]...)
		if l.Gamma() != gamma {
			t.Errorf("after %d rounds: got γ = %v, want %v by hand", k, l.Gamma(), gamma)
		}
	}
	// At most gamma-max, reached by doubling.
	p.GammaMax = 8
	l := newLearner(t, "penalised-ftrl", p, set).(interface {
		algorithms.Learner
		Gamma() float64
	})
	wantActions(t, playedActions(t, l, 1, rounds[:3]...), 0, 1./2, 3./8, 3./8)
	if l.Gamma() != 8 {
		t.Errorf("got γ = %v, want its bound 8", l.Gamma())
	}
}

// registered returns the algorithm of the registry with a name.
func registered(t testing.TB, name string) algorithms.Algorithm {
	t.Helper()
	a, ok := algorithms.Lookup(algorithms.All, name)
	if !ok {
		t.Fatalf("got no algorithm %q, want one of the registry", name)
	}
	return a
}

// registeredWith returns the algorithm of a SPEC, and its parameters.
func registeredWith(t testing.TB, text string) (algorithms.Algorithm, any) {
	t.Helper()
	u, err := spec.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	a := registered(t, u.Name)
	params, err := u.Apply(a.Params)
	if err != nil {
		t.Fatal(err)
	}
	return a, params
}

// newLearner starts an algorithm of the registry with parameters of its own type; with nil it takes
// the defaults.
func newLearner(t testing.TB, name string, params any, s algorithms.Setup) algorithms.Learner {
	t.Helper()
	a := registered(t, name)
	if params == nil {
		params = a.Params
	}
	l, err := a.Start(params, s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return l
}
