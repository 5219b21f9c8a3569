package run

import (
	"fmt"
	"reflect"
	"testing"

	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/store"
)

// A sweep plays an anytime learner once, and solves for the best actions once. What it says of each
// horizon is what an experiment of that horizon alone says, bit for bit: also where a horizon is no
// checkpoint of the longest, where a learner draws, doubles or knows the horizon, and where the
// rounds depend on who plays.
func TestSweepSharesGames(t *testing.T) {
	const entries = "replicates: 2\nproblems: [{use: iid}, {use: alternating}]\nalgorithms: [{use: " +
		"ogd}, {use: chen, doubling: [true, false]}]"
	horizons := []int{7, 50, 100, 333, 400}
	p := newPlan(t, programCatalog, fmt.Sprintf("name: sweep\nhorizon: [7, 50, 100, 333, 400]\n%s",
		entries))
	count := make(map[string]int)
	for _, c := range p.Cells {
		who := experiment.Comparator(c.Kind)
		if c.Algorithm != nil {
			who = c.Kind + " of " + c.Algorithm.Spec
		}
		count[who+" on "+c.Problem.Name]++
	}
	want := map[string]int{
		// Alternating is deterministic, and has one replicate.
		// 50 and 333 are no checkpoints of a game of 400 rounds, and have hindsights of their own.
		"hindsight on iid": 6, "hindsight on alternating": 3,
		"moving comparator on iid": 2, "moving comparator on alternating": 1, // of chen's claims
		"game of ogd on iid": 2, "game of ogd on alternating": 1,
		"game of chen:doubling=true on iid": 2, "game of chen:doubling=true on alternating": 1,
		"game of chen:doubling=false on iid": 10, "game of chen:doubling=false on alternating": 5,
	}
	if !reflect.DeepEqual(count, want) {
		t.Errorf("the cells are %v, want %v", count, want)
	}
	sweep, _ := runAndLoad(t, p)
	if sweep.Missing != 0 {
		t.Fatalf("got %d missing cells, want none", sweep.Missing)
	}
	games := 0
	for _, horizon := range horizons {
		alone, _ := runAndLoad(t, newPlan(t, programCatalog,
			fmt.Sprintf("name: alone\nhorizon: %d\n%s", horizon, entries)))
		games += len(alone.Games)
		for _, g := range alone.Games {
			wantSameGame(t, g, sweep.Game(g.Algorithm, g.Problem, g.Replicate, horizon))
		}
	}
	if len(sweep.Games) != games {
		t.Errorf("got %d games of the sweep, want %d as of the horizons alone", len(sweep.Games), games)
	}
	for i, g := range sweep.Games[:len(sweep.Games)-1] { // in the order of the experiment
		if next := sweep.Games[i+1]; g.Problem == next.Problem && g.Horizon > next.Horizon {
			t.Errorf("got a game of %d rounds before one of %d, want increasing horizons", g.Horizon,
				next.Horizon)
		}
	}
}

// wantSameGame compares the tables of two games.
func wantSameGame(t *testing.T, want, got *game.Game) {
	t.Helper()
	name := fmt.Sprintf("%s on %s, replicate %d, horizon %d", want.Algorithm, want.Problem,
		want.Replicate, want.Horizon)
	if got == nil {
		t.Errorf("%s: got no game, want one", name)
		return
	}
	if !sameNumbers(want.T(), got.T()) {
		t.Errorf("%s: the checkpoints are %v, want %v", name, got.T(), want.T())
	}
	for _, tables := range [][2]game.Table{{want.Trace, got.Trace}, {want.Hindsight, got.Hindsight},
		{want.Moving, got.Moving}} {
		if d := Difference(&store.Cell{Columns: tables[0].Columns(), Rows: rowsOf(tables[0])},
			&store.Cell{Columns: tables[1].Columns(), Rows: rowsOf(tables[1])}); d != "" {
			t.Errorf("%s: got difference %s, want none", name, d)
		}
	}
}
