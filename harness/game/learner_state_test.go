package game

import (
	"math"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/harnesstest"
	"ocobench/internal/errtest"
)

// castiglioniRounds reveals the rounds of algorithms/testdata/byhand for castiglioni, where the
// multipliers after them are derived: (½, 0), (¾, ¼), (15/16, 1/16).
func castiglioniRounds(t int) convex.Round {
	affine := harnesstest.Affine
	switch t {
	case 1:
		return convex.Round{Loss: affine(-2, 0), Constraints: []convex.Func{affine(1, 1), affine(0, -0.5)}}
	case 2:
		return convex.Round{Loss: affine(-2, 0), Constraints: []convex.Func{affine(1, 0.5), affine(1, 0.5)}}
	}
	return convex.Round{Loss: affine(0, 0), Constraints: []convex.Func{affine(1, 0), affine(-1, 1)}}
}

// playTrace plays a learner on rounds of the line, and returns what is recorded in each round.
func playTrace(t *testing.T, l algorithms.Learner, m, horizon int, round func(int) convex.Round,
	asked ...algorithms.Metric) (Table, error) {
	t.Helper()
	s := harnesstest.LineRounds(m, round)()
	rec := NewTrace(l, s, Checkpoints(horizon), asked...)
	err := Play(t.Context(), l, s, horizon, rec)
	return NewTable(rec.Kept()), err
}

func TestMultipliersByHand(t *testing.T) {
	begin := func() algorithms.Learner {
		return harnesstest.StartLearner(t, "castiglioni:lipschitz=1,loss-range=2,slater=4,cap=2,"+
			"step=0.25,dual-step=0.5", harnesstest.LineRounds(2, castiglioniRounds)(), 3)
	}
	names := []algorithms.Metric{"state_multiplier_max", "state_multiplier_sum", "state_multiplier_1",
		"state_multiplier_2"}
	if got := StateMetrics(begin()); !slices.Equal(got, names) {
		t.Fatalf("it shows %v, want %v", got, names)
	}
	with, err := playTrace(t, begin(), 2, 3, castiglioniRounds, append(names, "movement")...)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := with.Columns(), TraceColumns(append(names, "movement")...); !slices.Equal(got,
		want) {
		t.Errorf("the columns are %v, want %v", got, want)
	}
	for name, want := range map[string][]float64{
		"state_multiplier_max": {0.5, 0.75, 0.9375}, "state_multiplier_sum": {0.5, 1, 1},
		"state_multiplier_1": {0.5, 0.75, 0.9375}, "state_multiplier_2": {0, 0.25, 0.0625},
	} {
		t.Run(name, func(t *testing.T) {
			if got := with.Column(name); !slices.Equal(got, want) {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		})
	}
	without, err := playTrace(t, begin(), 2, 3, castiglioniRounds)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range without.Columns() {
		if !slices.Equal(with.View(name), without.View(name)) {
			t.Errorf("%s: got %v with a state, want %v as without", name, with.View(name),
				without.View(name))
		}
	}
}

// counting shows how many rounds it has observed, or what else is given.
type counting struct {
	harnesstest.Learner
	show func(rounds int) []algorithms.State
	read int
}

func (c *counting) State() []algorithms.State { c.read++; return c.show(c.Rounds) }

// newCounting returns a learner that counts how often its state is read.
func newCounting(show func(rounds int) []algorithms.State) *counting {
	return &counting{Learner: *harnesstest.Still(algorithms.Setup{}), show: show}
}

// The state of a learner is read after the rounds of checkpoints, and at no other time.
func TestStateIsReadAfterCheckpoints(t *testing.T) {
	l := newCounting(func(rounds int) []algorithms.State {
		return []algorithms.State{{Name: "rounds", Values: []float64{float64(rounds)}}}
	})
	got, err := playTrace(t, l, 1, 1000, harnesstest.Calm, "state_rounds", "state_other")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.View("state_rounds"), got.View(TimeColumn)) {
		t.Errorf("want the rounds %v shown, got %v", got.View(TimeColumn), got.View("state_rounds"))
	}
	for _, v := range got.View("state_other") {
		if !math.IsNaN(v) {
			t.Errorf("what it does not show is %v, want NaN", v)
		}
	}
	if want := len(Checkpoints(1000)); l.read != want {
		t.Errorf("it is read %d times, want %d", l.read, want)
	}
}

func TestStateOfManyConstraintsIsLargestAndSum(t *testing.T) {
	l := newCounting(func(int) []algorithms.State {
		return []algorithms.State{{Name: "queue", Values: []float64{1, -4, 2, 0, 3}}, {Name: "none"}}
	})
	if got := StateMetrics(l); !slices.Equal(got, []algorithms.Metric{"state_queue_max",
		"state_queue_sum"}) {
		t.Errorf("of five constraints it shows %v, want the largest and the sum alone", got)
	}
	got, err := playTrace(t, l, 1, 2, harnesstest.Calm, StateMetrics(l)...)
	if err != nil || got.View("state_queue_max")[1] != 3 || got.View("state_queue_sum")[1] != 2 {
		t.Errorf("the largest and the sum are %v and %v, want 3 and 2; %v", got.View("state_queue_max"),
			got.View("state_queue_sum"), err)
	}
}

func TestStateIsFinite(t *testing.T) {
	l := newCounting(func(rounds int) []algorithms.State {
		return []algorithms.State{{Name: "queue", Values: []float64{1 / float64(2-rounds)}}}
	})
	_, err := playTrace(t, l, 1, 3, harnesstest.Calm, "state_queue")
	errtest.Contains(t, err, "round 2: the state queue of the learner is +Inf")
}

// What the registry's learners show has valid names that stay the same, with doubling and two-point
// feedback too, and is finite.
func TestStatesOfTheRegistryHaveLastingNames(t *testing.T) {
	shown := make(map[string]bool)
	for _, a := range algorithms.All {
		variants := []algorithms.Algorithm{a}
		if b, err := a.WithTwoPoint(); err == nil {
			variants = append(variants, b)
		}
		for _, variant := range variants {
			s := harnesstest.Start(t, "online-qp")
			l, err := variant.Start(variant.Params, algorithms.Setup{Set: s.Set(),
				Constraints: s.Constraints(), Facts: s.Facts(), Horizon: 40, Replicate: 1, Seed: 1})
			if err != nil {
				continue
			}
			names := StateMetrics(l)
			if names == nil {
				continue
			}
			for _, state := range algorithms.StateOf(l) {
				shown[a.Name] = true
				if !algorithms.IsStateName(state.Name) {
					t.Errorf("%s: got state %q, want a name", a.Name, state.Name)
				}
			}
			rec := NewTrace(l, s, Checkpoints(40), names...)
			if err := Play(t.Context(), l, s, 40, rec); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
			if after := StateMetrics(l); !slices.Equal(names, after) {
				t.Errorf("%s: want %v as at first, got %v in the end", a.Name, names, after)
			}
		}
	}
	for _, name := range []string{"primal-dual", "primal-dual-average", "yu-neely-wei", "coldq", "chen",
		"sinha-vaze"} {
		if !shown[name] {
			t.Errorf("%s: got no state, want one", name)
		}
	}
	if shown["ogd"] {
		t.Error("ogd: got a state, want none")
	}
	doubled := harnesstest.StartLearner(t, "yu-neely:doubling=true", harnesstest.Start(t, "fixed"), 40)
	if got := StateMetrics(doubled); len(got) == 0 {
		t.Error("yu-neely with doubling: got no state, want one")
	}
}
