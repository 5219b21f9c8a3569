package game

import (
	"context"
	"math"
	"testing"

	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/race"
	"ocobench/problems"
)

// bestOver plays a stream and returns the best over one set, with what options
// do to the hindsight, and the rounds.
func bestOver(t testing.TB, s problems.Stream, T int, set string, options func(*Hindsight)) (Best,
	*lowered) {
	t.Helper()
	h := NewHindsight(s)
	options(h)
	rounds := &lowered{n: s.Set().Dim()}
	if err := Play(context.Background(), startLearner(t, s, T), s, T, h, rounds); err != nil {
		t.Fatal(err)
	}
	bests, err := h.Solve()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bests {
		if b.Set == set {
			return b, rounds
		}
	}
	t.Fatalf("got %[2]v, want %[1]s among them", set, bests)
	return Best{}, nil
}

// withWindow asks for X_K.
func withWindow(k int) func(*Hindsight) { return func(h *Hindsight) { h.Window = k } }

// windows returns the largest violation by x of a window of k rounds, in units of k.
func (l *lowered) windows(k int, x []float64) float64 {
	worst := math.Inf(-1)
	for j := range l.g[0] {
		for end := k; end <= len(l.g); end++ {
			sum := 0.0
			for _, g := range l.g[end-k : end] {
				sum += g[j].Value(x)
			}
			worst = max(worst, sum/float64(k))
		}
	}
	return worst
}

// X_K by brute force: the best action satisfies every window, evaluated one by
// one, and no point of a grid that satisfies them all is better; X_1 is X^min,
// X_t is X^max.
func TestBestActionOverWindowsBeatsTheGrid(t *testing.T) {
	race.SkipSequential(t)
	const T = 24
	for _, name := range []string{
		"iid:dim=1,margin=-0.2", "perturbed:dim=1,amplitude=0.24", "shrinking", "mannor", "soft-gap",
		"iid:dim=2,margin=-0.1,spread=0.2", "iid:dim=2,constraints=3,set=ball",
		"perturbed:dim=2,noise=periodic,amplitude=0.3",
		"perturbed:dim=2,kind=quadratic,constraints=2,amplitude=0.24",
		"perturbed:dim=2,kind=norm,amplitude=0.24",
		"perturbed:dim=2,noise=drift,curvature=1,amplitude=0.3",
	} {
		t.Run(name, func(t *testing.T) {
			var before float64
			strict := false
			for _, k := range []int{1, 2, 3, 5, 23, 24} {
				got, rounds := bestOver(t, harnesstest.Start(t, name), T, "xk", withWindow(k))
				set := harnesstest.Start(t, name).Set()
				least := math.Inf(1)
				for _, x := range gridPoints(set) {
					if v := rounds.loss(x); v < least && rounds.windows(k, x) <= 0 {
						least = v
					}
				}
				if got.Empty {
					if !math.IsInf(least, 1) {
						t.Errorf("K=%d: got X_K empty, want a point", k)
					}
					continue
				}
				if v := max(rounds.windows(k, got.Action), set.Residual(got.Action)); v > 1e-9 {
					t.Errorf("K=%d: got action %v, which violates a window by %v, want at most 1e-9", k,
						got.Action, v)
				}
				unit := max(1, math.Abs(got.Value))
				if got.Value > least+1e-9*unit || got.Gap > 1e-9*unit ||
					!isNear(rounds.loss(got.Action), got.Value, 1e-12*T) {
					t.Errorf("K=%d: got %+v, want at most %v as on the grid", k, got, least)
				}
				for _, same := range []struct {
					k   int
					set string
				}{{1, "xmin"}, {T, "xmax"}} {
					if k == same.k {
						if b, _ := bestOver(t, harnesstest.Start(t, name), T, same.set,
							withWindow(k)); math.Abs(b.Value-got.Value) > 1e-9*unit {
							t.Errorf("K=%d: got value %v, want %[4]v as over %[3]s", k, got.Value, same.set, b.Value)
						}
					}
				}
				strict = strict || k > 1 && math.Abs(got.Value-before) > 1e-3
				before = got.Value
			}
			if !strict {
				t.Error("got the same value for all K, want two that differ")
			}
		})
	}
}

// gridPoints returns about 10⁴ points of a set in one or two dimensions.
func gridPoints(set convex.Set) (points [][]float64) {
	const m = 100
	at := func(i int) []float64 {
		dir := make([]float64, set.Dim())
		dir[i] = -1
		lo, hi := make([]float64, set.Dim()), make([]float64, set.Dim())
		set.Support(lo, dir)
		dir[i] = 1
		set.Support(hi, dir)
		steps := m
		if set.Dim() == 1 {
			steps = m * m
		}
		var v []float64
		for k := range steps + 1 {
			v = append(v, lo[i]+(hi[i]-lo[i])*float64(k)/float64(steps))
		}
		return v
	}
	for _, x := range at(0) {
		if set.Dim() == 1 {
			points = append(points, []float64{x})
			continue
		}
		for _, y := range at(1) {
			if p := []float64{x, y}; set.Residual(p) == 0 {
				points = append(points, p)
			}
		}
	}
	return points
}

// Three rounds on the line by hand, f = x:
//
//	g             −x − ½      −x + 2     −x − ½
//	sums of two        −2x + 1½   −2x + 1½
//	sums           −x − ½   −2x + 1½   −3x + 1
//
// X_1 is empty, X_2 is x ≥ ¾ and X_3 is x ≥ ⅓; fewer rounds than K ask nothing.
func TestWindowsByHand(t *testing.T) {
	rounds := []convex.Func{harnesstest.Affine(-1, -0.5), harnesstest.Affine(-1, 2), harnesstest.Affine(-1, -0.5)}
	s := harnesstest.LineRounds(1, func(t int) convex.Round {
		return convex.Round{Loss: harnesstest.Affine(1, 0), Constraints: []convex.Func{rounds[t-1]}}
	})
	for _, c := range []struct {
		T, k int
		x    float64 // NaN where X_K is empty
	}{
		{1, 1, -0.5}, {2, 1, math.NaN()}, {3, 1, math.NaN()},
		{1, 2, -1}, {2, 2, 0.75}, {3, 2, 0.75},
		{1, 3, -1}, {2, 3, -1}, {3, 3, 1. / 3}, {3, 4, -1},
	} {
		got, _ := bestOver(t, s(), c.T, "xk", withWindow(c.k))
		if math.IsNaN(c.x) != got.Empty || !got.Empty &&
			(!isNear(got.Action[0], c.x, 1e-12) || !isNear(got.Value, float64(c.T)*c.x, 1e-12)) {
			t.Errorf("K=%d, t=%d: the best is %+v, want the action %v", c.k, c.T, got, c.x)
		}
	}
	// Without a window, X_K is not among the sets.
	h := NewHindsight(s())
	if err := Play(context.Background(), nil, s(), 3, h); err != nil {
		t.Fatal(err)
	}
	if bests, err := h.Solve(); err != nil || len(bests) != 3 {
		t.Errorf("without options: got %+v, error %v, want three sets", bests, err)
	}
}

// A burn-in of T₀ leaves X̂^max the prefixes of T₀ rounds or more: of the sums
// −x + 2, −2x + 1½, −3x + 1 the first empties it, the second leaves x ≥ ¾, the
// last x ≥ ⅓.
func TestBurnInLeavesOutShortPrefixes(t *testing.T) {
	rounds := []convex.Func{harnesstest.Affine(-1, 2), harnesstest.Affine(-1, -0.5), harnesstest.Affine(-1, -0.5)}
	s := harnesstest.LineRounds(1, func(t int) convex.Round {
		return convex.Round{Loss: harnesstest.Affine(1, 0), Constraints: []convex.Func{rounds[t-1]}}
	})
	for burnIn, want := range []float64{math.NaN(), math.NaN(), 0.75, 1. / 3, -1} {
		got, _ := bestOver(t, s(), 3, "xhat", func(h *Hindsight) { h.BurnIn = burnIn })
		if math.IsNaN(want) != got.Empty || !got.Empty && !isNear(got.Action[0], want, 1e-12) {
			t.Errorf("burn-in %d: the best is %+v, want %v", burnIn, got, want)
		}
	}
}
