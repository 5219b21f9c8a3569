package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/problems"
)

// keepersPlan is an experiment of a few cells.
func keepersPlan(t *testing.T, name string, replicates int) *experiment.Plan {
	t.Helper()
	e := spec.Defaults()
	e.Name, e.Horizon, e.Replicates = name, []int{50}, replicates
	for _, text := range []string{"primal-dual", "penalised-ftrl"} {
		u, err := spec.ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		e.Algorithms = append(e.Algorithms, u)
	}
	u, err := spec.ParseSpec("decaying-frequency")
	if err != nil {
		t.Fatal(err)
	}
	e.Problems = []spec.Use{u}
	p, err := NewPlan(programCatalog, &e)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func findGarbage(t *testing.T, s *store.Store) Garbage {
	t.Helper()
	h, err := ListStore(s, ReadCells)
	if err != nil {
		t.Fatal(err)
	}
	g, err := h.Garbage()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What no experiment refers to is garbage, in files and in packs, and nothing else is.
func TestGarbageIsWhatNoExperimentRefersTo(t *testing.T) {
	for _, packed := range []bool{false, true} {
		s, err := store.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		// which have 6 cells in common
		short, long := keepersPlan(t, "short", 2), keepersPlan(t, "long", 5)
		for _, p := range []*experiment.Plan{short, long} {
			if _, err := Run(context.Background(), p, s, Options{Workers: 2}); err != nil {
				t.Fatal(err)
			}
		}
		lost := store.KeyOf([]byte("{}"))
		if err := s.PutFailure(lost, "of no experiment"); err != nil {
			t.Fatal(err)
		}
		if packed {
			if _, err := s.Pack(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		h, err := ListStore(s, ReadHeads)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(h.Experiments); n != 2 || h.Cells != 15 || h.Unreferenced.Cells != 0 ||
			len(h.Damaged) != 0 {
			t.Errorf("packed %v: got %+v, want 2 experiments and 15 cells, all referred to and sound",
				packed, h)
		}
		for _, one := range h.Experiments {
			if want := map[string]int{"short": 6, "long": 15}[one.Name]; one.Cells != want ||
				one.Planned != want || one.Oldest == nil ||
				len(one.Computed) != 1 || one.Computed[0] != (Computed{store.CurrentProvenance(), want}) {
				t.Errorf("packed %v: got %+v, want %d cells, of this program", packed, one, want)
			}
		}
		if g := findGarbage(t, s); len(g.Cells) != 0 || len(g.Files) != 1 {
			t.Errorf("packed %v: got garbage %+v, want one file", packed, g)
		}
		if err := s.RemoveExperiment("long"); err != nil {
			t.Fatal(err)
		}
		g := findGarbage(t, s)
		if len(g.Cells) != 9 || g.Bytes() == 0 {
			t.Errorf("packed %v: got %d cells of garbage, want 9", packed, len(g.Cells))
		}
		if err := g.Remove(s); err != nil {
			t.Fatal(err)
		}
		if g := findGarbage(t, s); len(g.Cells)+len(g.Files) != 0 {
			t.Errorf("packed %v: after removing: got garbage %+v, want none", packed, g)
		}
		r, err := LoadExperiment(s, "short")
		if err != nil || r.Missing != 0 || len(r.Games) != 4 {
			t.Errorf("packed %v: got error %v and %d missing, want 4 games of short", packed, err, r.Missing)
		}
		var found int
		if _, err := Run(context.Background(), long, s,
			Options{Workers: 2, Progress: func(_ *experiment.Cell, was bool, _ error) {
				if was {
					found++
				}
			}}); err != nil || found != 6 {
			t.Errorf("packed %v: got %d cells found, error %v, want 6", packed, found, err)
		}
	}
}

// Where a record cannot be read nothing is garbage.
func TestNothingIsGarbageBesideADamagedRecord(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), keepersPlan(t, "one", 1), s,
		Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	path := s.Dir() + "/experiments/one.json"
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	h, err := ListStore(s, ReadNoCells)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Garbage(); err == nil || h.Unread == nil || h.Unreferenced.Cells != 0 {
		t.Errorf("a store with a damaged record: got error %v, want one in place of garbage", err)
	}
}

// What a cell is in the experiments is said of those that can be read, and which cannot.
func TestReferencesAreThoseOfSoundRecords(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutExperiment("odd", []byte(`{"cells":3}`)); err != nil {
		t.Fatal(err)
	}
	record := `{"cells":[{"key":"` + strings.Repeat("ab", 32) + `","horizon":7}]}`
	if err := s.PutExperiment("sound", []byte(record)); err != nil {
		t.Fatal(err)
	}
	all, err := References(s, store.Key(strings.Repeat("ab", 32)))
	if len(all) != 1 || all[0].Experiment != "sound" || err == nil ||
		!strings.Contains(err.Error(), "experiment odd: ") {
		t.Errorf("got references %v, error %v, want that of sound and an error on odd", all, err)
	}
}

// Nothing is removed while a run goes on; a run waits for what removes.
func TestRunWaitsForRemoval(t *testing.T) {
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other, err := store.Open(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	release, err := other.Reserve()
	if err != nil {
		t.Skip(err)
	}
	var mu sync.Mutex
	var events []string
	say := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, what)
	}
	_, err = Run(context.Background(), keepersPlan(t, "one", 2), s, Options{
		Workers: 2,
		Warn: func(error) {
			say("warned")
			say("released")
			release()
		},
		Progress: func(*experiment.Cell, bool, error) {
			say("cell")
			if _, err := other.Reserve(); !errors.Is(err, store.ErrLocked) {
				t.Errorf("during a run: got error %v, want %v", err, store.ErrLocked)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"warned", "released", "cell", "cell", "cell", "cell", "cell",
		"cell"}; !slices.Equal(events, want) {
		t.Errorf("%q, want %q", events, want)
	}
	if release, err = other.Reserve(); err != nil {
		t.Errorf("after the run: got error %v, want none", err)
	} else {
		release()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if release, err = other.Reserve(); err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := Run(ctx, keepersPlan(t, "two", 1), s, Options{Workers: 1}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("a run that is ended while it waits: got error %v, want %v", err,
			context.DeadlineExceeded)
	}
	if _, err := s.Experiment("two"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a run that is ended while it waits: got error %v, want %v of its record", err,
			store.ErrNotFound)
	}
}

// An experiment that is recorded under another name takes the place of none, and has its own
// name when it is read; what is kept of it is referred to by its record.
func TestRecordAsKeepsTheOriginalRecord(t *testing.T) {
	s, p := openStore(t, t.TempDir()), keepersPlan(t, "e", 1)
	p.RecordAs = PaperRecord("e")
	if _, err := Run(t.Context(), p, s, Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	r, err := LoadExperiment(s, "e-paper")
	if err != nil || r.Name != "e" || !IsInternal("e-paper") || IsInternal("e") {
		t.Fatalf("got error %v, record %+v, want e under the internal name e-paper", err, r)
	}
	if _, err := LoadExperiment(s, "e"); err == nil {
		t.Error("got a record under its own name, want none")
	}
	if _, _, err := LoadExperiments(s, nil); err == nil {
		t.Error("got an internal experiment without being named, want an error")
	}
	key := store.KeyOf([]byte("1"))
	old := store.KeyOf([]byte("2"))
	for _, k := range []store.Key{old, key} {
		if err := s.PutAnalysis(k, store.Analysis{Experiment: "e", Record: r.Sum()}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	lost := store.KeyOf([]byte("3"))
	if err := s.PutAnalysis(lost, store.Analysis{Experiment: "e", Record: lost}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(s.Dir(), "analyses", string(key)+".analysis"))
	if err != nil {
		t.Fatal(err)
	}
	outdated := store.KeyOf([]byte("4"))
	data = bytes.Replace(data, []byte("cached analysis"), []byte("kept analysis"), 1)
	if err := os.WriteFile(filepath.Join(s.Dir(), "analyses", string(outdated)+".analysis"), data,
		0o666); err != nil {
		t.Fatal(err)
	}
	h, err := ListStore(s, ReadNoCells)
	if err != nil {
		t.Fatal(err)
	}
	g, err := h.Garbage()
	if err != nil || len(g.Files) != 3 || len(g.Cells) != 0 {
		t.Fatalf("got error %v, garbage %+v, want three files", err, g)
	}
	if err := g.Remove(s); err != nil {
		t.Fatal(err)
	}
	if !s.HasAnalysis(key) || s.HasAnalysis(old) || s.HasAnalysis(lost) || s.HasAnalysis(outdated) {
		t.Error("after removing: got another set of analyses, want only the latest of the record")
	}
}

// The only experiment of a store is one that is aside if there is no other, and there is none if
// there are two of a kind.
func TestLoadOnlyNeedsOneExperiment(t *testing.T) {
	s := openStore(t, t.TempDir())
	if r, damaged, err := LoadOnly(s); r != nil || damaged != nil || err == nil {
		t.Errorf("an empty store: got %v, %v, %v, want an error only", r, damaged, err)
	}
	for _, c := range []struct{ add, aside, only string }{
		{"a", PaperRecord("a"), "a"},
		{"b", PaperRecord("b"), ""},
		{"c", "", "c"},
		{"d", "", ""},
	} {
		p := keepersPlan(t, c.add, 1)
		p.RecordAs = c.aside
		if _, err := Run(t.Context(), p, s, Options{Workers: 1}); err != nil {
			t.Fatal(err)
		}
		r, damaged, err := LoadOnly(s)
		if damaged != nil || (c.only == "") != (err != nil) || err == nil && r.Name != c.only {
			t.Errorf("after %s: %v (%v, %v), want %q", c.add, r, damaged, err, c.only)
		}
	}
}

// A replay of a cell that the store does not have says so, and so does one that could not be
// computed; one that both have says that it is the same, or that it has another key by now.
func TestReplaysSayWhatIsMissing(t *testing.T) {
	var stores [2]*store.Store
	for k := range stores {
		var err error
		if stores[k], err = store.Open(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	plan := keepersPlan(t, "one", 1)
	if _, err := Run(context.Background(), plan, stores[0], Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	var keys []store.Key
	for _, c := range plan.Cells {
		keys = append(keys, c.Key)
	}
	for k := range 4 { // who has the cells: both, the old one, the fresh one, none
		old, fresh := stores[k/2], stores[k%2]
		all, err := Replays(plan, old, keys, fresh)
		if err != nil || len(all) != len(plan.Cells) {
			t.Fatalf("got %d replays, error %v, want one of each of %d cells", len(all), err,
				len(plan.Cells))
		}
		for i, r := range all {
			if missing := errors.Is(r.Missing, store.ErrNotFound); missing != (k >= 2) ||
				r.Failed != (k == 1) || r.Difference != "" || r.Renamed || r.Cell != plan.Cells[i] {
				t.Errorf("from stores %d: got %+v, want no difference, and missing or failed cells as they are",
					k, r)
			}
		}
	}
	slices.Reverse(keys)
	all, err := Replays(plan, stores[0], keys, stores[0])
	for i, r := range all {
		if keys[i] != plan.Cells[i].Key && (!r.Renamed || r.Difference == "") || r.Missing != nil {
			t.Errorf("as another cell: got %+v, want a new name and a difference", r)
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// Without names the experiments that are aside are hidden, and with names just those are left.
func TestChooseHidesInternalExperiments(t *testing.T) {
	for _, c := range []struct{ names, left, hidden []string }{
		{nil, []string{"a", "c"}, []string{"b", "d"}},
		{[]string{"b"}, []string{"b"}, nil},
		{[]string{"c", "b", "a"}, []string{"a", "b", "c"}, nil},
		{[]string{"x"}, nil, nil},
	} {
		h := &Inventory{}
		for _, name := range []string{"a", "b", "c", "d"} {
			h.Experiments = append(h.Experiments, CellSet{Name: name, Internal: name == "b" || name == "d"})
		}
		h.Choose(c.names)
		var left []string
		for _, one := range h.Experiments {
			left = append(left, one.Name)
		}
		if !slices.Equal(left, c.left) || !slices.Equal(h.Hidden, c.hidden) {
			t.Errorf("of %v there are %v, and %v are hidden; want %+v", c.names, left, h.Hidden, c)
		}
	}
}

// A stream is closed where a cell does not begin: its set is too large for the best actions, or
// the learner does not start; and it is the caller's where it does.
func TestCellsThatDoNotBeginCloseTheirStream(t *testing.T) {
	for _, c := range []struct {
		name, kind string
		dim        int
		start      error
		closed     int
	}{
		{"a hindsight", store.Hindsight, 1, nil, 0},
		{"a hindsight in too many dimensions", store.Hindsight, 300_000, nil, 1},
		{"a game", store.Game, 1, nil, 0},
		{"a game without a learner", store.Game, 1, errors.New("no"), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.dim > 1 && game.AvailableMemory() == 0 {
				return // nothing is too large
			}
			closed, p := 0, harnesstest.Problem("held", nil)
			p.New = func(any, *rand.Rand) (problems.Stream, error) {
				return &closing{harnesstest.Stream{Domain: convex.Cube(c.dim, 0, 1)}, &closed}, nil
			}
			cell := experiment.Cell{Kind: c.kind, Problem: &experiment.Problem{Problem: p}, Seed: 1,
				Horizon: 5}
			if c.kind == store.Game {
				cell.Algorithm = &experiment.Algorithm{Algorithm: algorithms.Algorithm{Name: "a",
					New: func(any, algorithms.Setup) (algorithms.Learner, error) {
						return &harnesstest.Learner{Play: func(int, []float64) {}}, c.start
					}}}
			}
			if _, _, err := cell.Begin(1); (err != nil) != (c.closed > 0) || closed != c.closed {
				t.Errorf("got error %v and the stream closed %d times, want %d", err, closed, c.closed)
			}
		})
	}
}

// closing counts how often it is closed.
type closing struct {
	harnesstest.Stream
	closed *int
}

func (c *closing) Close() error { *c.closed++; return nil }

// A failure of a cell that an experiment refers to is not garbage, be it the first of its
// cells, the last, or one of several; that of a cell that no experiment refers to is.
func TestFailuresOfExperimentsAreKept(t *testing.T) {
	s := openStore(t, t.TempDir())
	plan := keepersPlan(t, "kept", 3)
	if err := RecordPlan(plan, s, nil); err != nil {
		t.Fatal(err)
	}
	for _, cell := range plan.Cells {
		if err := s.PutFailure(cell.Key, "of "+cell.String()); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 3 {
		if err := s.PutFailure(store.KeyOf(fmt.Append(nil, k)), "of no experiment"); err != nil {
			t.Fatal(err)
		}
	}
	g := findGarbage(t, s)
	if len(g.Files) != 3 || len(g.Cells) != 0 {
		t.Errorf("garbage %+v, want three failures", g)
	}
	if err := g.Remove(s); err != nil {
		t.Fatal(err)
	}
	h, err := ListStore(s, ReadNoCells)
	if err != nil || len(h.Experiments) != 1 || h.Experiments[0].Failed != len(plan.Cells) ||
		len(h.Failures) != len(plan.Cells) {
		t.Fatalf("%+v, %v, want %d failures", h, err, len(plan.Cells))
	}
	for _, cell := range plan.Cells {
		if f, err := s.Failure(cell.Key); err != nil || f.Reason != "of "+cell.String() {
			t.Errorf("failure of %s: got %q, error %v, want its own", cell, f.Reason, err)
		}
	}
}
