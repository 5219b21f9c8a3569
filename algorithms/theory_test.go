package algorithms_test

import (
	"math"
	"testing"

	"ocobench/algorithms"
	"ocobench/algorithms/algtest"
	"ocobench/convex"
)

// farthest bounds the distance of a point from those of a set.
func farthest(set convex.Set, x []float64) float64 {
	switch set := set.(type) {
	case *convex.Ball:
		return distance(x, set.Center) + set.Radius
	case *convex.Box:
		far := make([]float64, len(x))
		for i := range far {
			far[i] = max(math.Abs(set.Upper[i]-x[i]), math.Abs(set.Lower[i]-x[i]))
		}
		return distance(far, make([]float64, len(x)))
	case *convex.Simplex:
		d := 0.0
		for i := range x {
			vertex := make([]float64, len(x))
			vertex[i] = set.Scale
			d = max(d, distance(x, vertex))
		}
		return d
	}
	panic("a set of another kind")
}

func unit(n, k int) []float64 {
	v := make([]float64, n)
	v[k] = 1
	return v
}

// against returns a loss that the action likes least, a coordinate at a time.
func against(x []float64, n, t int) []float64 {
	k := t % n
	v := unit(n, k)
	if x[k] < 0 || n > 1 && x[k] < 0.2 {
		v[k] = -1
	}
	return v
}

// actions plays a script.
func actions(t *testing.T, l algorithms.Learner, s script) [][]float64 {
	t.Helper()
	var rounds []convex.Round
	for _, r := range s.rounds {
		rounds = append(rounds, r.real)
	}
	return playedActions(t, l, s.n, rounds...)
}

func TestGammaReadsBackItsText(t *testing.T) {
	for text, want := range map[string]algorithms.Gamma{
		"25": {Value: 25}, "0": {}, "1e-3": {Value: 0.001}, "adaptive": {Adaptive: true},
	} {
		t.Run(text, func(t *testing.T) {
			var g algorithms.Gamma
			if err := g.UnmarshalText([]byte(text)); err != nil || g != want {
				t.Errorf("%q: got %v, error %v, want %v", text, g, err, want)
			}
			var again algorithms.Gamma
			if printed, err := g.MarshalText(); err != nil || again.UnmarshalText(printed) != nil ||
				again != g {
				t.Errorf("%v: got text %q, error %v, want one that reads back", g, printed, err)
			}
		})
	}
	for _, text := range []string{"", "-1", "NaN", "Inf", "Adaptive", "1,5"} {
		g := algorithms.Gamma{Value: 3}
		if err := g.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %v, want an error", text, g)
		} else if g.Value != 3 {
			t.Errorf("%q: refused, got the value changed to %v, want 3", text, g)
		}
	}
}

// The law holds first-order learners to it; where constraints are affine, these
// do not allocate either.
func TestAffineRoundsDoNotAllocate(t *testing.T) {
	for _, name := range []string{"primal-dual-average", "yu-neely", "valls", "chen", "guo", "coldq"} {
		allocs, err := algtest.Allocations(registered(t, name))
		if err != nil || allocs != 0 {
			t.Errorf("%s: got %v allocations a round (%v), want 0", name, allocs, err)
		}
	}
}
