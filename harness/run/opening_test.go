package run

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/problems"
)

// scaledLoss is an affine loss whose value is multiplied by a factor, which its subgradient and its
// form are not.
type scaledLoss struct {
	convex.Affine
	factor float64
}

func (f *scaledLoss) Value(x []float64) float64 { return f.factor * f.Affine.Value(x) }

// A fakeProgram is a program that can be changed: a learner, a generator and a function, none of
// which has a version that is ever raised.
type fakeProgram struct {
	step  float64 // of the learner
	late  int     // the round from which the learner stands still
	draw  float64 // added to what the generator draws
	value float64 // factor of the value of a loss
}

func (w fakeProgram) catalog() experiment.Catalog {
	a := harnesstest.Algorithm("walk", func(algorithms.Setup) *harnesstest.Learner {
		return &harnesstest.Learner{Play: func(t int, x []float64) {
			if t < w.late {
				x[0] = w.step / float64(t)
			}
		}}
	})
	p := harnesstest.Problem("noise", nil)
	p.New = func(_ any, rng *rand.Rand) (problems.Stream, error) {
		return harnesstest.LineRounds(1, func(int) convex.Round {
			return convex.Round{
				Loss:        &scaledLoss{convex.Affine{A: []float64{float64(rng.Float64()) + w.draw}}, w.value},
				Constraints: []convex.Func{harnesstest.Affine(1, -0.5)},
			}
		})(), nil
	}
	return experiment.Catalog{Algorithms: []algorithms.Algorithm{a}, Problems: []problems.Problem{p}}
}

// A program that plays or reveals something else finds none of the cells of
// another, though no version was raised, and the first one finds its own again.
func TestChangedBehaviourIsAnotherKey(t *testing.T) {
	const text = "name: w\nhorizon: 200\nreplicates: 2\nproblems: [{use: noise}]\nalgorithms: " +
		"[{use: walk}]"
	was := fakeProgram{step: 1, late: 1000, value: 1}
	keys := func(w fakeProgram, kind string) (keys []store.Key) {
		for _, c := range newPlan(t, w.catalog(), text).Cells {
			if c.Kind == kind {
				keys = append(keys, c.Key)
			}
		}
		return keys
	}
	games, best := keys(was, store.Game), keys(was, store.Hindsight)
	if len(games) != 2 || games[0] == games[1] {
		t.Fatalf("got keys %q, want two that differ", games)
	}
	for what, c := range map[string]struct {
		change           func(w *fakeProgram)
		games, hindsight bool // whether they are to have other keys
	}{
		"nothing":            {func(*fakeProgram) {}, false, false},
		"the learner's step": {func(w *fakeProgram) { w.step = 0.5 }, true, false},
		"the learner, early": {func(w *fakeProgram) { w.late = 60 }, true, false},
		// no opening is that long
		"the learner, late":      {func(w *fakeProgram) { w.late = 100 }, false, false},
		"the generator's draws":  {func(w *fakeProgram) { w.draw = 1e-9 }, true, true},
		"the value of functions": {func(w *fakeProgram) { w.value = 1.5 }, true, true},
	} {
		t.Run(what, func(t *testing.T) {
			now := was
			c.change(&now)
			if differ := !slices.Equal(keys(now, store.Game), games); differ != c.games {
				t.Errorf("%s has changed: games have other keys: %v, want %v", what, differ, c.games)
			}
			if differ := !slices.Equal(keys(now, store.Hindsight), best); differ != c.hindsight {
				t.Errorf("%s has changed: hindsights have other keys: %v, want %v", what, differ, c.hindsight)
			}
		})
	}
	// In a store: computed, found, other, computed, and back again.
	s := openStore(t, t.TempDir())
	run := func(w fakeProgram) (computed int) {
		_, err := Run(context.Background(), newPlan(t, w.catalog(), text), s,
			Options{Workers: 2, Progress: func(_ *experiment.Cell, found bool, _ error) {
				if !found {
					computed++
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		return computed
	}
	halved := was
	halved.step = 0.5
	for i, c := range []struct {
		w    fakeProgram
		want int
	}{{was, 4}, {was, 0}, {halved, 2}, {halved, 0}, {was, 0}} {
		if got := run(c.w); got != c.want {
			t.Errorf("run %d computes %d cells, want %d", i+1, got, c.want)
		}
	}
}

// Where there is no chance there is one replicate: of a deterministic problem, for
// algorithms that do not draw.
func TestDeterministicIsPlayedOnce(t *testing.T) {
	p := harnesstest.Problem("still", func() *harnesstest.Stream {
		s := harnesstest.LineRounds(1, harnesstest.Calm)()
		s.Declared.Deterministic = true
		return s
	})
	dice := harnesstest.Algorithm("dice", harnesstest.Still)
	dice.Draws = true
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("rest",
		harnesstest.Still), dice}, Problems: []problems.Problem{p, harnesstest.Problem("calm",
		harnesstest.LineRounds(1, harnesstest.Calm))}}
	plan := newPlan(t, c, "name: d\nhorizon: [10, 20]\nreplicates: 3\nproblems: [{use: still}, "+
		"{use: calm}]\nalgorithms: [{use: rest}, {use: dice}]")
	games := make(map[string]int)
	for _, cell := range plan.Cells {
		if cell.Kind == store.Game {
			games[cell.Algorithm.Spec+" on "+cell.Problem.Spec]++
		}
	}
	// Both horizons share a game.
	if games["rest on still"] != 1 || games["dice on still"] != 3 || games["rest on calm"] != 3 ||
		games["dice on calm"] != 3 {
		t.Errorf("got games %v, want one of rest on still and three of all others", games)
	}
	r, _ := runAndLoad(t, plan)
	if r.PlannedReplicates("rest", "still") != 1 || r.PlannedReplicates("dice", "still") != 3 ||
		!r.Problems[0].Deterministic || r.Problems[1].Deterministic || !r.Algorithms[1].Draws {
		t.Errorf("got %d and %d replicates of %+v and %+v, want 1 and 3",
			r.PlannedReplicates("rest", "still"),
			r.PlannedReplicates("dice", "still"), r.Problems, r.Algorithms)
	}
}

// A cell that was computed once, and fails when it is computed afresh, is not
// shown as it was: its file is set aside.
func TestFreshFailureHidesTheOldCell(t *testing.T) {
	fails := false
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("late",
		func(algorithms.Setup) *harnesstest.Learner {
			return &harnesstest.Learner{Play: func(t int, x []float64) {
				if fails && t == 100 {
					panic("no more")
				}
			}}
		})}, Problems: []problems.Problem{harnesstest.Problem("calm", harnesstest.LineRounds(1,
		harnesstest.Calm))}}
	const text = "name: f\nhorizon: 150\nreplicates: 1\nproblems: [{use: calm}]\nalgorithms: [{use: " +
		"late}]"
	s := openStore(t, t.TempDir())
	for i, failures := range []int{0, 1} {
		fails = i == 1
		got, err := Run(context.Background(), newPlan(t, c, text), s, Options{Fresh: true})
		if err != nil || len(got) != failures {
			t.Fatalf("run %d: got error %v, failures %v, want %d failures", i+1, err, got, failures)
		}
	}
	r, err := LoadExperiment(s, "f")
	if n, _ := r.Failures("late", "calm"); err != nil || len(r.Games) != 0 || n != 1 {
		t.Errorf("got error %v, %d games and %d failures, want no game and one failure", err,
			len(r.Games), n)
	}
}

// A learner that knows the horizon has an opening of its own at every horizon, even where
// all are longer than an opening, and an anytime learner has one at all of them. Each cell
// has the opening that it would have alone.
func TestHorizonsHaveAnOpeningIfTheLearnerKnowsThem(t *testing.T) {
	told := harnesstest.Algorithm("told", func(s algorithms.Setup) *harnesstest.Learner {
		return &harnesstest.Learner{Play: func(_ int, x []float64) { x[0] = 1 / float64(s.Horizon) }}
	})
	told.Anytime = false
	p := newPlan(t, experiment.Catalog{Algorithms: []algorithms.Algorithm{told,
		harnesstest.Algorithm("still", harnesstest.Still)}, Problems: problems.All},
		"name: w\nhorizon: [100, 200, 300]\nreplicates: 1\nproblems: [{use: shrinking}]\n"+
			"algorithms: [{use: told}, {use: still}]")
	openings := make(map[string]map[string]bool)
	for _, cell := range p.Cells {
		if cell.Kind != store.Game {
			continue
		}
		alone, _ := cell.DigestOpening(t.Context())
		var id struct{ Opening string }
		if err := json.Unmarshal(cell.Identity(), &id); err != nil || id.Opening != alone {
			t.Errorf("%s: got opening %s, error %v, want %s as alone", cell, id.Opening, err, alone)
		}
		name := cell.Algorithm.Spec
		if openings[name] == nil {
			openings[name] = make(map[string]bool)
		}
		openings[name][alone] = true
	}
	if len(openings["told"]) != 3 || len(openings["still"]) != 1 {
		t.Errorf("got openings %v, want three of told and one of still", openings)
	}
}
