package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/harnesstest"
	"ocobench/harness/store"
	"ocobench/internal/long"
	"ocobench/problems"
)

const small = `
name: small
horizon: [50, 150]
replicates: 2
problems:
  - {use: decaying-frequency, c: [0.5, 1]}
  - {use: iid, dim: 3, constraints: 2}
  - {use: perturbed, noise: adversarial}
algorithms:
  - {use: penalised-ftrl, gamma: [5, 25]}
  - {use: primal-dual}
`

// runUndisturbed runs small by one worker, undisturbed, and returns its plan and the files of its
// store.
func runUndisturbed(t *testing.T) (p *experiment.Plan, want map[string]string) {
	t.Helper()
	p = newPlan(t, programCatalog, small)
	// problems · replicates · (hindsights of two horizons + algorithms)
	if n := 4 * 2 * (2 + 3); len(p.Cells) != n {
		t.Fatalf("%d cells are planned, want %d", len(p.Cells), n)
	}
	dir := t.TempDir()
	found, computed, failures := runPlan(t, p, dir, Options{})
	if found != 0 || computed != len(p.Cells) || len(failures) > 0 {
		t.Fatalf("%d cells found, %d computed, failures %v; want 0 and %d", found, computed, failures,
			len(p.Cells))
	}
	want = readStoreFiles(t, dir)
	if len(want) != len(p.Cells)+1 {
		t.Fatalf("%d files in the store, want one for each of %d cells and the record", len(want),
			len(p.Cells))
	}
	return p, want
}

// Every shard has its part of the comparators and of the games of each algorithm at each
// horizon, also where their number is what is played on one replicate.
func TestShardsHaveCellsOfEveryAlgorithm(t *testing.T) {
	p := newPlan(t, programCatalog,
		"name: mixed\nhorizon: [10, 30]\nreplicates: 8\nproblems: [{use: iid}]\n"+
			"algorithms: [{use: ogd}, {use: primal-dual}, {use: guo}]\n")
	kind := func(c *experiment.Cell) string {
		if c.Algorithm == nil {
			return fmt.Sprintf("%s at %d", c.Kind, c.Horizon)
		}
		return fmt.Sprintf("%s at %d", c.Algorithm.Spec, c.Horizon)
	}
	all := make(map[string]int)
	for _, c := range p.Cells {
		all[kind(c)]++
	}
	for _, shards := range []int{2, 3, 4, 8} {
		seen := make(map[*experiment.Cell]bool)
		for shard := 1; shard <= shards; shard++ {
			got := make(map[string]int)
			for _, c := range (Options{Shard: shard, Shards: shards}).chooseCells(p) {
				got[kind(c)]++
				if seen[c] {
					t.Errorf("of %d shards: got %s in two, want it in one", shards, c)
				}
				seen[c] = true
			}
			for kind, n := range all {
				if k := got[kind]; k < n/shards || k > (n+shards-1)/shards {
					t.Errorf("shard %d of %d has %d of %d cells of %s, want a part of them", shard, shards, k, n,
						kind)
				}
			}
		}
		if len(seen) != len(p.Cells) {
			t.Errorf("%d shards have %d cells, want all %d", shards, len(seen), len(p.Cells))
		}
	}
}

// Neither the number of workers, nor the division into shards, nor an interruption shows in the
// store.
func TestStoreBytesDoNotDependOnSchedule(t *testing.T) {
	p, want := runUndisturbed(t)

	t.Run("workers", func(t *testing.T) {
		dir := t.TempDir()
		runPlan(t, newPlan(t, programCatalog, small), dir, Options{Workers: 4})
		sameFiles(t, "4 workers", readStoreFiles(t, dir), want)
		found, computed, _ := runPlan(t, p, dir, Options{Workers: 3})
		if found != len(p.Cells) || computed != 0 {
			t.Errorf("run again, %d cells are found and %d computed, want all of %d and none", found,
				computed, len(p.Cells))
		}
	})
	t.Run("shards", func(t *testing.T) {
		dir := t.TempDir()
		total := 0
		for shard := 3; shard >= 1; shard-- {
			found, computed, _ := runPlan(t, newPlan(t, programCatalog, small), dir,
				Options{Workers: 2, Shard: shard, Shards: 3})
			if n := (len(p.Cells) - shard + 3) / 3; found != 0 || computed != n {
				t.Errorf("shard %d/3 finds %d cells and computes %d, want none and %d", shard, found, computed,
					n)
			}
			total += computed
		}
		if total != len(p.Cells) {
			t.Errorf("the shards computed %d cells, want %d", total, len(p.Cells))
		}
		sameFiles(t, "3 shards", readStoreFiles(t, dir), want)
	})
	t.Run("cancelled", func(t *testing.T) {
		for _, workers := range []int{1, 4} {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(context.Background())
			told := 0
			_, err := Run(ctx, newPlan(t, programCatalog, small), openStore(t, dir), Options{
				Workers: workers,
				Progress: func(_ *experiment.Cell, found bool, err error) {
					if found || err != nil {
						t.Errorf("progress of an empty store: got found %v, error %v, want a computed cell", found,
							err)
					}
					if told++; told == len(p.Cells)/2 {
						cancel()
					}
				},
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%d workers: got error %v of a cancelled run, want %v", workers, err, context.Canceled)
			}
			finishRun(t, dir, told, p, want)
		}
	})
	t.Run("killed", func(t *testing.T) {
		if testing.Short() {
			t.Skip("starts processes")
		}
		dir := t.TempDir()
		had := 0
		for _, share := range []float64{0.2, 0.4, 0.6} {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), childStore+"="+dir)
			child.Stderr = os.Stderr
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			enough := had + int(share*float64(len(p.Cells)-had))
			long.Await(t, fmt.Sprintf("the child has %d cells", enough), func() bool {
				return len(cellNames(t, dir)) >= enough
			})
			if err := child.Process.Kill(); err != nil { // SIGKILL
				t.Fatal(err)
			}
			if err := child.Wait(); err == nil {
				t.Fatal("got a child that finished, want it killed before")
			}
			n := len(cellNames(t, dir))
			if n <= had || n >= len(p.Cells) {
				t.Fatalf("the killed child: got %d cells, want more than %d and fewer than %d", n, had,
					len(p.Cells))
			}
			had = n
		}
		finishRun(t, dir, had, p, want)
	})
}

// finishRun finishes an interrupted run: all that the store has is found, and no
// more than what it lacks is computed.
func finishRun(t *testing.T, dir string, atLeast int, p *experiment.Plan, want map[string]string) {
	t.Helper()
	had := len(cellNames(t, dir))
	if had < atLeast || had == len(p.Cells) {
		t.Fatalf("the interrupted run left %d cells of %d, want %d at least", had, len(p.Cells), atLeast)
	}
	s := openStore(t, dir)
	r, err := LoadExperiment(s, "small")
	if err != nil {
		t.Fatal(err)
	}
	if r.Missing != len(p.Cells)-had {
		t.Errorf("before it is resumed, %d cells count as missing, want %d", r.Missing, len(p.Cells)-had)
	}
	found, computed, failures := runPlan(t, newPlan(t, programCatalog, small), dir,
		Options{Workers: 3})
	if found != had || computed != len(p.Cells)-had || len(failures) > 0 {
		t.Errorf("resumed: got %d cells found, %d computed, failures %v, want %d found of %d and no "+
			"failure", found, computed, failures, had, len(p.Cells))
	}
	sameFiles(t, "resumed", readStoreFiles(t, dir), want)
}

// cellNames returns the names of the cells in a store.
func cellNames(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, "cells"),
		func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && strings.HasSuffix(path, ".cell") {
				names = append(names, path)
			}
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// childStore is set for a child process that runs small into that store.
const childStore = "OCOBENCH_TEST_STORE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childStore); dir != "" {
		if err := runChild(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	long.InMemory()
	os.Exit(m.Run())
}

func runChild(dir string) error {
	e, err := spec.Parse("e.yaml", []byte(small))
	if err != nil {
		return err
	}
	p, err := NewPlan(programCatalog, e)
	if err != nil {
		return err
	}
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	told := 0
	_, err = Run(context.Background(), p, s, Options{
		Workers: 2,
		Progress: func(*experiment.Cell, bool, error) {
			if told++; told == len(p.Cells)-4 { // it waits to be killed, however long that takes
				time.Sleep(time.Hour)
			}
			time.Sleep(3 * time.Millisecond) // time to be killed in
		},
	})
	return err
}

// A long game ends soon after its context does, as no failure of its own.
func TestCancelledGameEndsSoon(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rounds := 0
	c := experiment.Catalog{
		Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("long",
			func(algorithms.Setup) *harnesstest.Learner {
				return &harnesstest.Learner{Play: func(t int, x []float64) {
					x[0], rounds = 0, t
					if t == 1000 {
						cancel()
					}
				}}
			})},
		Problems: []problems.Problem{harnesstest.Problem("calm", harnesstest.LineRounds(1,
			harnesstest.Calm))},
	}
	p := newPlan(t, c, "name: long\nhorizon: 10000000\nreplicates: 1\nproblems: [{use: "+
		"calm}]\nalgorithms: [{use: long}]")
	p.Cells = p.Cells[1:] // the game without its hindsight
	dir := t.TempDir()
	failures, err := Run(ctx, p, openStore(t, dir),
		Options{Workers: 1, Progress: func(c *experiment.Cell, _ bool, err error) {
			t.Errorf("got progress of %s (%v), want none", c, err)
		}})
	if !errors.Is(err, context.Canceled) || failures != nil {
		t.Errorf("Run returns %v, %v, want context.Canceled and no failures", failures, err)
	}
	if rounds < 1000 || rounds > 2000 {
		t.Errorf("a game cancelled in round 1000: got %d rounds, want 1000 to 2000", rounds)
	}
	if n := len(cellNames(t, dir)); n != 0 {
		t.Errorf("got %d cells of an unfinished game in the store, want none", n)
	}
}

// The numbers of a damaged cell that a pack has, too, are shown. A run sets the damaged file aside
// and computes nothing.
func TestDamagedCellWithACopyIsNotComputed(t *testing.T) {
	p := newPlan(t, programCatalog,
		"name: d\nhorizon: 40\nreplicates: 2\nproblems: [{use: iid}]\nalgorithms: "+
			"[{use: ogd}]")
	dir := t.TempDir()
	runPlan(t, p, dir, Options{})
	want := readStoreFiles(t, dir)
	s := openStore(t, dir)
	path := s.Path(cellOf(t, p, store.Game, "ogd", "iid", 2, 40).Key)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Pack(t.Context()); err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(data)
	damaged[len(data)/2] ^= 1
	if err := os.WriteFile(path, damaged, 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := LoadExperiment(openStore(t, dir), "d")
	if err != nil || r.Missing != 0 || len(r.Damaged) != 0 || r.Game("ogd", "iid", 2, 40) == nil {
		t.Fatalf("%d cells are missing, damaged %v, %v; want all of them", r.Missing, r.Damaged, err)
	}
	var warnings []error
	_, computed, _ := runPlan(t, p, dir,
		Options{Warn: func(err error) { warnings = append(warnings, err) }})
	if computed != 0 || len(warnings) != 1 || !strings.Contains(warnings[0].Error(), path) ||
		!strings.Contains(warnings[0].Error(), "another copy of ") {
		t.Errorf("got %d cells computed and warnings %q, want none and one on %s with another copy",
			computed, warnings, path)
	}
	if aside, err := filepath.Glob(path + ".damaged-*"); err != nil || len(aside) != 1 {
		t.Errorf("set aside is %q, want the damaged file", aside)
	}
	runPlan(t, p, dir, Options{Fresh: true})
	for name, text := range readStoreFiles(t, dir) {
		if was, cell := want[name]; cell && !bytes.Equal([]byte(text), []byte(was)) {
			t.Errorf("%s: got other bytes, want those of the first run", name)
		}
	}
}

// keyed returns a catalog whose identities depend on nothing else of the program.
func keyed(algorithmVersion, problemVersion int) experiment.Catalog {
	type params struct {
		Step float64 `name:"step" doc:"a step"`
	}
	a := harnesstest.Algorithm("walk", harnesstest.Still)
	a.Version, a.Params = algorithmVersion, params{1}
	p := harnesstest.Problem("calm", harnesstest.LineRounds(1, harnesstest.Calm))
	p.Version, p.Params = problemVersion, params{2}
	return experiment.Catalog{Algorithms: []algorithms.Algorithm{a, harnesstest.Algorithm("rest",
		harnesstest.Still)}, Problems: []problems.Problem{p}}
}

// fingerprintedCatalog returns the catalogue of keyed, with these fingerprints of the code of its
// algorithm and of its problem.
func fingerprintedCatalog(algorithm, problem string) experiment.Catalog {
	c := keyed(1, 1)
	c.Algorithms[0].Fingerprint, c.Problems[0].Fingerprint = algorithm, problem
	return c
}

// What determines a cell is in its key, and nothing else is.
func TestKeyContainsAllThatDeterminesACell(t *testing.T) {
	const base = "name: k\nhorizon: 10\nseed: 1\nreplicates: 1\nproblems: [{use: " +
		"calm}]\nalgorithms: [{use: walk}]"
	key := func(c experiment.Catalog, text, kind string) store.Key {
		t.Helper()
		cells := newPlan(t, c, text).Cells
		for i := len(cells) - 1; i >= 0; i-- { // the last replicate
			if cells[i].Kind == kind && (kind == store.Hindsight || cells[i].Algorithm.Name == "walk") {
				return cells[i].Key
			}
		}
		t.Fatal("got no such cell in the plan, want it")
		return ""
	}
	games := map[store.Key]string{key(keyed(1, 1), base, store.Game): "base"}
	for _, c := range []struct {
		what      string
		catalog   experiment.Catalog
		old, new  string
		game      bool // changes the key of the game
		hindsight bool // changes the key of the hindsight
	}{
		{"algorithm version", keyed(2, 1), "", "", true, false},
		{"problem version", keyed(1, 2), "", "", true, true},
		{"algorithm parameter", keyed(1, 1), "{use: walk}", "{use: walk, step: 3}", true, false},
		{"problem parameter", keyed(1, 1), "{use: calm}", "{use: calm, step: 3}", true, true},
		{"algorithm code", fingerprintedCatalog("a", ""), "", "", true, false},
		{"other algorithm code", fingerprintedCatalog("b", ""), "", "", true, false},
		{"problem code", fingerprintedCatalog("", "a"), "", "", true, true},
		{"horizon", keyed(1, 1), "horizon: 10", "horizon: 11", true, true},
		{"seed", keyed(1, 1), "seed: 1", "seed: 2", true, true},
		{"replicate", keyed(1, 1), "replicates: 1", "replicates: 2", true, true},

		{"name", keyed(1, 1), "name: k", "name: other", false, false},
		{"description", keyed(1, 1), "name: k", "name: k\ndescription: of it", false, false},
		{"window", keyed(1, 1), "name: k", "name: k\nwindow: 1\nconfidence: 0.5", false, false},
		{"order", keyed(1, 1), "[{use: walk}]", "[{use: rest}, {use: walk}]", false, false},
		{"company", keyed(1, 1), "horizon: 10", "horizon: [5, 10]", false, false},
		{"default written out", keyed(1, 1), "{use: walk}", "{use: walk, step: 1.0}", false, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			text := strings.Replace(base, c.old, c.new, 1)
			if c.old != "" && text == base {
				t.Fatalf("got no %q in the experiment, want it", c.old)
			}
			k := key(c.catalog, text, store.Game)
			if other, taken := games[k]; c.game && taken {
				t.Errorf("the %s: got the key of a game with %q, want another", c.what, other)
			} else if !c.game && k != key(keyed(1, 1), base, store.Game) {
				t.Errorf("the %s: got another key of a game, want the same", c.what)
			}
			games[k] = c.what
			if changed := key(c.catalog, text, store.Hindsight) != key(keyed(1, 1), base,
				store.Hindsight); changed != c.hindsight {
				t.Errorf("the %s changes the key of the hindsight: %v, want %v", c.what, changed, c.hindsight)
			}
		})
	}
}

// The identity of a cell is frozen: were it written otherwise, nothing that
// anybody has stored would be found again. Change it with the seed scheme or a format, never by
// accident.
func TestIdentityIsFrozen(t *testing.T) {
	p := newPlan(t, keyed(3, 4), "name: k\nhorizon: 10\nseed: 7\nreplicates: 1\nproblems: [{use: "+
		"calm}]\nalgorithms: [{use: walk, step: 2.5}]")
	const want = `{"kind":"game","format":3,"algorithm":"walk","algorithm_version":3,"algorithm_params":{"step":2.5},` +
		`"problem":"calm","problem_version":4,"problem_params":{"step":2},"seeds":"sha256-pcg-1","seed":7,"horizon":10,` +
		`"opening":"f63055777f18d3ecc56e0493","replicate":1}`
	c := p.Cells[1]
	got := string(c.Identity())
	if got != want || c.Key != store.KeyOf([]byte(want)) {
		t.Errorf("the identity is\n%s, want\n%s", got, want)
	}
}

// A worker whose algorithm, or the file of whose problem, has another fingerprint than that of its
// host plays nothing, however often it is asked. It plays the others, and reads a file once.
func TestWorkerWithAnotherFingerprintPlaysNothing(t *testing.T) {
	c := keyed(3, 4)
	c.Algorithms[0].Fingerprint = "a"
	p := harnesstest.Problem("traced", harnesstest.LineRounds(1, harnesstest.Calm))
	p.Params = traced{}
	c.Problems = append(c.Problems, p)
	file := filepath.Join(t.TempDir(), "rounds")
	if err := os.WriteFile(file, []byte("b"), 0o666); err != nil {
		t.Fatal(err)
	}
	read := &entrySpec{"traced:file=" + file, `{"file":"` + file + `"}`}
	s := &server{c, make(map[entrySpec]*experiment.Problem), make(map[entrySpec]*experiment.Algorithm),
		make(map[*experiment.Problem]string)}
	for _, w := range []struct {
		problem           *entrySpec
		code, fingerprint string
		refused           string
	}{
		{&entrySpec{"calm", `{"step":2}`}, "a", "", ""}, {&entrySpec{"calm:step=2", `{"step":2}`}, "a",
			"", ""},
		{&entrySpec{"calm", `{"step":2}`}, "b", "", "walk:step=2.5"},
		{&entrySpec{"calm", `{"step":2}`}, "a", "62", "calm"},
		{read, "a", "61", read.Spec}, {read, "a", "62", ""}, {read, "a", "61", read.Spec},
		{read, "a", "", read.Spec}, {read, "b", "62", "walk:step=2.5"}, {read, "a", "62", ""},
	} {
		r := request{Kind: store.Game, Algorithm: &entrySpec{"walk:step=2.5", `{"step":2.5}`},
			AlgorithmFingerprint: w.code,
			Problem:              w.problem, ProblemFingerprint: w.fingerprint, Seed: 7, Replicate: 1, Horizon: 10}
		if cell, err := s.resolveCell(r); (err == nil) != (w.refused == "") || err == nil &&
			(cell.Problem.Spec != w.problem.Spec || cell.Algorithm.Spec != "walk:step=2.5") || err != nil &&
			!strings.Contains(err.Error(), w.refused) {
			t.Errorf("got the cell %v, error %v, want %+v", cell, err, w)
		}
		if w.problem == read { // it has been read
			os.WriteFile(file, []byte("a"), 0o666)
		}
	}
}

// A learner of recorded actions is started in every replicate at the largest horizon,
// before any is played, and its refusal has a place. Others are started once.
func TestRecordedLearnersAreStarted(t *testing.T) {
	var setups []string
	refused := 0
	a := harnesstest.Algorithm("played", harnesstest.Still)
	a.New = func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
		setups = append(setups, fmt.Sprint(s.Replicate, " ", s.Horizon))
		if s.Replicate == refused {
			return nil, errors.New("there are no such actions")
		}
		return harnesstest.Still(s), nil
	}
	start := func(horizon string) error {
		setups = nil
		_, err := planOf(t, experiment.Catalog{Algorithms: []algorithms.Algorithm{a},
			Problems: []problems.Problem{harnesstest.Problem("calm", harnesstest.LineRounds(1,
				harnesstest.Calm))}},
			"name: k\nhorizon: "+horizon+"\nreplicates: 3\nproblems: all\nalgorithms: [{use: played}]")
		return err
	}
	// the start and the opening
	if err := start("[100, 200]"); err != nil || !slices.Equal(setups, []string{"1 0", "1 0"}) {
		t.Errorf("got a learner started with %q, error %v, want seed 1 and no horizon twice", setups, err)
	}
	a.Feedback = algorithms.Recorded
	if err := start("[100, 200]"); err != nil ||
		!slices.Equal(setups, []string{"1 200", "2 200", "3 200", "1 200"}) {
		t.Errorf("recorded actions: got starts with %q, error %v, want each replicate with the "+
			"horizon 200", setups, err)
	}
	refused = 2
	if err := start("100"); err == nil ||
		!strings.HasPrefix(err.Error(), "e.yaml:5:20: algorithm played: there are no such actions (on "+
			"problem calm)") || len(setups) != 2 {
		t.Errorf("got error %v after %q, want one at the algorithm, after two starts", err, setups)
	}
}

type traced struct {
	File string `name:"file" doc:"a file"`

	content string
}

func (p traced) Load() (any, string, error) {
	data, err := os.ReadFile(p.File)
	p.content = string(data)
	return p, fmt.Sprintf("%x", data), err
}

// The content of a file that a problem is read from is part of its identity,
// and a file that cannot be read is refused with its place.
func TestFileContentIsPartOfIdentity(t *testing.T) {
	p := harnesstest.Problem("traced", harnesstest.LineRounds(1, harnesstest.Calm))
	p.Params = traced{}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{harnesstest.Algorithm("rest",
		harnesstest.Still)}, Problems: []problems.Problem{p}}
	file := filepath.Join(t.TempDir(), "rounds")
	text := "name: k\nhorizon: 10\nreplicates: 1\nproblems: [{use: traced, file: " +
		file + "}]\nalgorithms: [{use: rest}]"
	if _, err := planOf(t, c, text); err == nil || !strings.HasPrefix(err.Error(), "e.yaml:4:18: ") ||
		!strings.Contains(err.Error(), file) {
		t.Errorf("a missing file: got error %v, want one at line 4 that names %s", err, file)
	}
	var keys [3]store.Key
	for i, content := range []string{"a", "b", "a"} {
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		keys[i] = newPlan(t, c, text).Cells[0].Key
	}
	if keys[0] == keys[1] || keys[0] != keys[2] {
		t.Errorf("contents a, b and a: got keys %q, want the first and last equal, and the second "+
			"another", keys)
	}
}

// A file that changes while a run goes on changes nothing of it: every cell plays
// what was read when the run was planned.
func TestFilesThatChangeDuringARunChangeNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rounds.jsonl")
	write := func(slope string) {
		var b strings.Builder
		b.WriteString(`{"domain":{"box":{"lower":[-1],"upper":[1]}},"constraints":1}` + "\n")
		for i := range 30 {
			fmt.Fprintf(&b, `{"t":%d,"loss":{"form":{"lin":[%s]}},"constraints":[{"form":{"const":-0.5,"lin":[1]}}]}`+"\n", i+1, slope)
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := "name: c\nhorizon: 30\nreplicates: 4\nproblems: [{use: trace, file: " +
		file + "}]\nalgorithms: [{use: ogd}, {use: primal-dual}]"
	write("-1")
	still, changed := t.TempDir(), t.TempDir()
	runPlan(t, newPlan(t, programCatalog, text), still, Options{})
	p := newPlan(t, programCatalog, text)
	write("-0.5")
	runPlan(t, p, changed, Options{})
	sameFiles(t, "the file changed after the plan", readStoreFiles(t, changed), readStoreFiles(t,
		still))
}
