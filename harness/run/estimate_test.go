package run

import (
	"context"
	"math"
	"testing"
	"time"
)

// A fresh run computes what the store has, too.
func TestFreshRunCountsStoredCellsAsMissing(t *testing.T) {
	p := newPlan(t, all, "name: tiny\nhorizon: 30\nreplicates: 2\nproblems: [{use: shrinking}, "+
		"{use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]")
	s := openStore(t, t.TempDir())
	cells := len(p.Cells)
	look := func(o Options, found int) {
		t.Helper()
		out := EstimateRun(context.Background(), p, s, o, 1<<60)
		if out.Cells != cells || out.Found != found || out.Rounds != 30*(cells-found) {
			t.Errorf("%+v: %+v, want %d found of %d", o, out, found, cells)
		}
	}
	look(Options{}, 0)
	if _, err := Run(context.Background(), p, s, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	look(Options{}, cells)
	look(Options{Fresh: true}, 0)
	// as many rounds as it takes, and one too few
	for missing, want := range map[int]bool{0: true, 1: false} {
		out := EstimateRun(context.Background(), p, s, Options{Fresh: true}, 30*cells+missing)
		if got := out.Time > 0; got != want {
			t.Errorf("%d rounds too few: %+v", missing, out)
		}
	}
}

// The parts of a run have all of its cells and rounds, once. Replicates cost the same, and the
// workers are no more than there are cells.
func TestOutlookOfParts(t *testing.T) {
	p := newPlan(t, all, "name: tiny\nhorizon: [20, 30]\nreplicates: 3\nproblems: [{use: shrinking}, "+
		"{use: iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}, {use: yu-neely}]")
	s := openStore(t, t.TempDir())
	if _, err := Run(t.Context(), p, s, Options{Workers: 1, Shard: 2, Shards: 3}); err != nil {
		t.Fatal(err)
	}
	var want Outlook
	for _, c := range p.Cells {
		want.Cells++
		if s.Has(c.Key) {
			want.Found++
		} else {
			want.Rounds += c.Horizon
		}
	}
	if want.Found == 0 || want.Found == want.Cells {
		t.Fatalf("%+v", want)
	}
	for shards := 1; shards <= want.Cells+2; shards++ {
		var sum Outlook
		for shard := 1; shard <= shards; shard++ {
			o := Options{Workers: 3}
			if shards > 1 {
				o.Shard, o.Shards = shard, shards
			}
			out := EstimateRun(t.Context(), p, s, o, 1<<60)
			if out.Workers != max(1, min(3, out.Cells)) || out.Time != 0 || out.Memory != 0 ||
				out.Cells > want.Cells/shards+1 {
				t.Errorf("part %d of %d: %+v", shard, shards, out)
			}
			sum.Cells, sum.Found, sum.Rounds = sum.Cells+out.Cells, sum.Found+out.Found,
				sum.Rounds+out.Rounds
		}
		if sum != want {
			t.Errorf("in %d parts %+v, want %+v", shards, sum, want)
		}
	}
	seconds, memory := Costs(t.Context(), nil, p.Cells, time.Minute)
	of := make(map[string]float64)
	for i, c := range p.Cells {
		c := *c
		c.Replicate = 0
		cost, ok := of[c.String()]
		if !(seconds[i] >= 0) || seconds[i] == 0 && c.Algorithm != nil || ok && cost != seconds[i] {
			t.Errorf("%v: %v s, and of another replicate %v", p.Cells[i], seconds[i], cost)
		}
		of[c.String()] = seconds[i]
	}
	if memory <= 0 {
		t.Errorf("%d bytes", memory)
	}
}

// What a game of one round costs is a finite time, whatever is played.
func TestCostsOfOneRound(t *testing.T) {
	p := newPlan(t, all, "name: tiny\nhorizon: 1\nreplicates: 1\nproblems: [{use: shrinking}, "+
		"{use: iid}]\nalgorithms: [{use: ogd}]")
	seconds, _ := Costs(t.Context(), nil, p.Cells, time.Minute)
	for i, s := range seconds {
		if !(s >= 0) || math.IsInf(s, 1) {
			t.Errorf("%v takes %v s", p.Cells[i], s)
		}
	}
}
