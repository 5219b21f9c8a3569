package game

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

// declaring is a stream that declares a comparator, or fails to.
type declaring struct {
	*harnesstest.Stream
	set   string
	value float64
	x     float64
	err   error
}

func (d *declaring) DeclaredSet() string { return d.set }

func (d *declaring) Hindsight(t int, action []float64) (float64, error) {
	action[0] = d.x
	return d.value, d.err
}

// twoBudgets are on [−1, 1] the losses −x with x ≤ ½ in round 1 and x ≤ 0 in round 2. They have
// over X^min the best action 0 with the value 0, and over X^max, whose constraint is 2x ≤ ½, the
// action ¼ with −½.
func twoBudgets(t int) convex.Round {
	return convex.Round{Loss: harnesstest.Affine(-1, 0),
		Constraints: []convex.Func{harnesstest.Affine(1, -0.5+0.5*float64(t-1))}}
}

func TestDeclaredComparatorIsCheckedAndMeasured(t *testing.T) {
	for _, c := range []struct {
		name     string
		set      string
		value, x float64
		fails    string // nothing if it is taken
		adaptive bool
		err      error
	}{
		{name: "the best one over X^min", set: "xmin"},
		{name: "the best one over X^max", set: "xmax", value: -0.5, x: 0.25},
		{name: "within the tolerance", set: "xmin", value: 1e-7},
		{name: "another set", set: "own", value: -2, x: 1},
		{name: "of another set than declared", set: "xmin", value: -0.5, x: 0.25, fails: "over xmin has the " +
			"value -0.5 after round 2, and the certified one 0 with a gap of 0, a difference of -0.5"},
		{name: "not the best", set: "xmin", value: 0.5, x: -0.25, fails: "a difference of 0.5"},
		{name: "not the sum of the losses", set: "own", value: 0.5, x: 0.25, fails: "has the value 0.5, and " +
			"the losses of rounds 1 to 2 sum to -0.5 at its action [0.25]"},
		{name: "no action", set: "own", value: -4, x: 2, fails: "the declared comparator: "},
		{name: "above tangents", set: "xmin", value: 1, adaptive: true},
		{name: "below tangents", set: "xmin", value: -1, adaptive: true, fails: "sum to 0 at its action"},
		{name: "an error", set: "xmin", err: errors.New("its process ended"), fails: "its process ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &declaring{harnesstest.LineRounds(1, twoBudgets)(), c.set, c.value, c.x, c.err}
			s.Declared.Adaptive = c.adaptive
			h, again := newHindsightRecorder(s, []int{2}), NewHindsight(s)
			var err error
			for i := 1; i <= 2 && err == nil; i++ {
				r := s.Reveal(i, nil)
				again.Round(i, nil, r)
				err = h.Round(i, nil, r)
			}
			bests, _ := again.Solve()
			d, wrong := again.Declared(bests)
			if fmt.Sprint(wrong) != strings.TrimPrefix(fmt.Sprint(err), "round 2: ") {
				t.Errorf("the same after the rounds has the error %v, want %v", wrong, err)
			}
			if err == nil && (d.Over != c.set || d.Value != c.value || d.Action[0] != c.x) {
				t.Errorf("after the rounds it is %+v, want %v at %v over %s", d, c.value, c.x, c.set)
			}
			if c.fails != "" {
				errtest.Contains(t, err, c.fails)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			table := NewTable(h.Kept())
			if v, x := table.View("declared_value"), table.View("declared_x1"); !slices.Equal(v,
				[]float64{c.value}) || !slices.Equal(x, []float64{c.x}) {
				t.Errorf("the value and the action are %v and %v, want %v and %v", v, x, c.value, c.x)
			}
			g := &Game{Trace: NewTable([]string{TimeColumn, "loss"}, [][]float64{{2, 3}}), Hindsight: table}
			if got := g.Metric("regret_declared"); !slices.Equal(got, []float64{3 - c.value}) {
				t.Errorf("the regret is %v, want %v", got, 3-c.value)
			}
		})
	}
}

func TestDeclaredComparatorOfAnEmptySetIsRefused(t *testing.T) {
	s := &declaring{harnesstest.LineRounds(1, func(int) convex.Round {
		return convex.Round{Loss: harnesstest.Affine(1, 0), Constraints: []convex.Func{harnesstest.Affine(1, 2)}}
	})(), "xhat", -1, -1, nil}
	err := newHindsightRecorder(s, []int{1}).Round(1, nil, s.Reveal(1, nil))
	errtest.Contains(t, err, "no action is in xhat after round 1")
}

// The largest of the constraints leaves the same actions in each round, and not in their sums.
func TestCombinedConstraintsKeepComparatorsOfRoundsOnly(t *testing.T) {
	for set, want := range map[string]string{"": "", "xmin": "xmin", "xmax": "own", "own": "own"} {
		p := harnesstest.Problem("declaring", nil)
		p.New = func(any, *rand.Rand) (problems.Stream, error) {
			return &declaring{harnesstest.LineRounds(2, nil)(), set, 0, 0, nil}, nil
		}
		s, err := p.Combined().New(p.Params, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := DeclaredSet(s); got != want {
			t.Errorf("of a declared set %q, the combined one is %q, want %q", set, got, want)
		}
	}
	if got := DeclaredSet(harnesstest.Start(t, "iid:combine=max")); got != "" {
		t.Errorf("got a comparator over %q declared, want none", got)
	}
}

// A declared value may differ from another one by the gap of that, and by 10⁻⁶ of the unit and of
// the larger value; that of an adaptive stream may be higher by any amount.
func TestDeclaredValueDiffersByMoreThanGapAndTolerance(t *testing.T) {
	for _, c := range []struct {
		name                string
		v, other, gap, unit float64
		adaptive, want      bool
	}{
		{"equal", 2, 2, 0, 0, false, false},
		{"above, within the gap", 0.1, 0, 0.1, 0, false, false},
		{"above the gap", 0.11, 0, 0.1, 0, false, true},
		{"below the gap", -0.11, 0, 0.1, 0, false, true},
		{"within 1e-6 of the unit", 9e-4, 0, 0, 1000, false, false},
		{"beyond 1e-6 of the unit", 1.1e-3, 0, 0, 1000, false, true},
		{"within 1e-6 of the other value", 0, 9e-7, 0, 1, false, false},
		{"within 1e-6 of a large value", -1000, -1000.0009, 0, 0, false, false},
		{"beyond 1e-6 of a large value", -1000, -1000.0011, 0, 0, false, true},
		{"above tangents", 1, 0, 0, 0, true, false},
		{"below tangents", 0, 1, 0, 0, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := declaredDiffers(c.v, c.other, c.gap, c.unit, c.adaptive); got != c.want {
				t.Errorf("%v differs from %v with gap %v and unit %v: %v, want %v", c.v, c.other, c.gap, c.unit,
					got, c.want)
			}
		})
	}
}

// The losses of the first t of 5 opaque rounds sum to that of their forms, and the unit is the
// change of that sum along its gradient over the diameter: 2|a| on [−1, 1].
func TestSumsOfOpaqueLossesAreThoseOfForms(t *testing.T) {
	const rounds = 5
	stream := &harnesstest.OpaqueStream{Stream: harnesstest.LineRounds(1, func(t int) convex.Round {
		return convex.Round{Loss: harnesstest.Affine(float64(t), 1),
			Constraints: []convex.Func{harnesstest.Affine(1, 0)}}
	})()}
	for i := range rounds {
		stream.Reveal(i+1, nil)
	}
	h := NewHindsight(stream)
	for _, played := range []int{1, 3, rounds} {
		slope := float64(played * (played + 1) / 2)
		sum, unit, err := h.lossesAt(played, []float64{0.5})
		if want := 0.5*slope + float64(played); err != nil || sum != want || unit != 2*slope {
			t.Errorf("after round %d the sum is %v and the unit %v (%v), want %v and %v", played, sum, unit,
				err, want, 2*slope)
		}
	}
}
