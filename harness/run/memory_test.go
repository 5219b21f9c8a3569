package run

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/internal/errtest"
	"ocobench/problems"
)

// limitMemory lets the machine have so many bytes.
func limitMemory(t *testing.T, bytes int64) {
	was := debug.SetMemoryLimit(bytes)
	t.Cleanup(func() { debug.SetMemoryLimit(was) })
}

// What would take more memory than there is is refused with the figure, before it is allocated.
func TestRefusesWhatExceedsMemory(t *testing.T) {
	const n = 3000
	lin := "[1" + strings.Repeat(",0", n-1) + "]"
	file := filepath.Join(t.TempDir(), "ball.jsonl")
	text := fmt.Sprintf(`{"domain":{"ball":{"center":%s,"radius":1}},"constraints":1}
{"t":1,"loss":{"form":{"const":1}},"constraints":[{"form":{"const":-0.5,"lin":%[1]s}}]}
`, lin)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := game.Afford("it", math.MaxInt64); game.AvailableMemory() > 0 && err == nil {
		t.Error("2^63 - 1 bytes: got no error, want one")
	}
	const limit = 400 << 20
	limitMemory(t, limit)
	if has := game.AvailableMemory(); has == 0 || has > limit {
		t.Errorf("the machine has %d bytes, want %d", has, limit)
	}
	if err := game.Afford("it", limit); err != nil && game.AvailableMemory() == limit {
		t.Error(err)
	}
	a, err := experiment.One(useOf(t, "trace:file="+file), programCatalog.ResolveProblems)
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Open(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	before := game.Heap()
	c, err := experiment.One(useOf(t, "penalised-ftrl"), programCatalog.ResolveAlgorithms)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Learner(s, 1, 1, 1); err != nil { // 144 MB
		t.Error(err)
	}
	err = game.AffordHindsight(t.Context(), s, false, 1, nil)
	errtest.Contains(t, err, "the hindsight in 3000 dimensions would take 0.576 GB", "a hindsight")
	limitMemory(t, 120<<20)
	_, err = c.Learner(s, 1, 1, 1)
	errtest.Contains(t, err,
		"algorithm penalised-ftrl: in 3000 dimensions it would take 0.144 GB of memory", "a learner")
	_, err = planOf(t, programCatalog,
		"name: m\nhorizon: 1\nreplicates: 1\nproblems: [{use: trace, file: "+
			file+"}]\nalgorithms: [{use: ogd}]")
	errtest.Contains(t, err, "in 3000 dimensions the best actions would take", "a plan")
	if grown := game.Heap() - before; grown > 100<<20 {
		t.Errorf("got %d bytes allocated, want at most 100 MB", grown)
	}
}

// hoarder is an observer whose memory grows by 1 kB a round.
type hoarder struct{ kept [][]byte }

func (g *hoarder) Round(int, []float64, *convex.Round) error {
	g.kept = append(g.kept, make([]byte, 1024))
	return nil
}

// What grows with the horizon is foreseen within a factor of two.
func TestMemoryOfTheHorizonIsForeseen(t *testing.T) {
	a, err := experiment.One(useOf(t, "iid"), programCatalog.ResolveProblems)
	if err != nil {
		t.Fatal(err)
	}
	var kept *hoarder
	begin := func() (algorithms.Learner, problems.Stream, []game.Observer, error) {
		s, err := a.Open(1, 1)
		kept = new(hoarder)
		return nil, s, []game.Observer{kept}, err
	}
	s, err := a.Open(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 1_000_000 // 1 GB, and the list
	for _, c := range []struct {
		limit   int64
		refused bool
	}{{900 << 20, true}, {3 << 30, false}} {
		limitMemory(t, c.limit)
		if game.AvailableMemory() < c.limit {
			t.Skip("the machine has less")
		}
		if err := game.AffordHindsight(context.Background(), s, false, rounds, begin); (err != nil) !=
			c.refused {
			t.Errorf("a GB in %d bytes: got error %v, want a refusal: %v", c.limit, err, c.refused)
		}
		if len(kept.kept) != 4096 {
			t.Errorf("got %d rounds played, want 4096", len(kept.kept))
		}
	}
	limitMemory(t, 900<<20)
	for memory, refused := range map[int64]bool{1 << 30: false, 2 << 30: true} {
		if err := (RunEstimate{Memory: 3 * memory, Workers: 3}).CheckMemory(); (err != nil) != refused {
			t.Errorf("%d bytes: got error %v, want a refusal: %v", memory, err, refused)
		}
	}
}
