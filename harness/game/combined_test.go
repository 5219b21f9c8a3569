package game

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/harness/harnesstest"
)

// The best action over X^min is the same, bit for bit, for combined constraints and for all of
// them, and so it is over every set for fixed constraints, up to rounding. X̂^max and X^max agree
// with a program that has a row for every choice of a piece in each round.
func TestCombinedConstraintsHaveTheHindsightOfTheirPieces(t *testing.T) {
	for _, text := range []string{"iid:dim=3,constraints=4", "family:dim=2,constraints=2",
		"fixed:dim=3,constraints=3", "decaying-frequency:constraints=2"} {
		one := solveHindsight(t, harnesstest.Start(t, text+",combine=max"), 150)
		all := solveHindsight(t, harnesstest.Start(t, text), 150)
		for i := range one.t {
			if one.value["xmin"][i] != all.value["xmin"][i] && !math.IsNaN(all.value["xmin"][i]) ||
				!slices.Equal(one.action["xmin"][i], all.action["xmin"][i]) {
				t.Errorf("%s, t=%d: X^min has %v at %v, want %v at %v", text, one.t[i], one.value["xmin"][i],
					one.action["xmin"][i], all.value["xmin"][i], all.action["xmin"][i])
			}
			for _, set := range Sets {
				a, b := one.value[set][i], all.value[set][i]
				if strings.HasPrefix(text, "fixed") && math.Abs(a-b) > 1e-9*(1+math.Abs(b)) || a < b-1e-6 {
					t.Errorf("%s, t=%d: %s: got %v combined, want at most %v, and the same if fixed", text,
						one.t[i], set, a, b)
				}
			}
		}
	}
	const rounds = 8 // 2⁸ rows for the last prefix
	s := harnesstest.Start(t, "iid:constraints=2,combine=max")
	twin := harnesstest.Start(t, "iid:constraints=2")
	h := NewHindsight(s)
	xhat, xmax := convex.NewProgram(s.Set()), convex.NewProgram(s.Set())
	loss, sums := convex.NewForm(2), []*convex.Form{convex.NewForm(2)}
	if err := Play(context.Background(), nil, s, rounds, h); err != nil {
		t.Fatal(err)
	}
	for round := 1; round <= rounds; round++ {
		r := twin.Reveal(round, nil)
		r.Loss.AddTo(loss, 1)
		var more []*convex.Form
		for _, sum := range sums {
			for _, g := range r.Constraints {
				both := sum.Clone()
				g.AddTo(both, 1)
				more = append(more, both)
				xhat.Constrain(both)
			}
		}
		sums = more
	}
	for _, sum := range sums {
		xmax.Constrain(sum)
	}
	bests, err := h.Solve()
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range []*convex.Program{xhat, xmax} {
		x := make([]float64, 2)
		want, err := p.Minimize(x, loss)
		if got := bests[k+1]; err != nil || math.Abs(got.Value-want.Value) > 1e-8 {
			t.Errorf("%s: %+v, want %+v at %v (%v)", got.Set, got, want, x, err)
		}
	}
}
