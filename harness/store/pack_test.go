package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// fill puts the first n samples.
func fill(t testing.TB, s *Store, n int) {
	t.Helper()
	for i := range n {
		key, c := sample(i, 65, 12)
		put(t, s, key, c)
	}
}

func packAll(t testing.TB, s *Store) Packed {
	t.Helper()
	done, err := s.Pack(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func small(t *testing.T) {
	was := packSize
	packSize = 50_000
	t.Cleanup(func() { packSize = was })
}

func packFiles(t testing.TB, s *Store) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Dir(), "packs", "*.pack"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkLoose(t testing.TB, s *Store, want int) {
	t.Helper()
	if keys, err := s.loose(); err != nil || len(keys) != want {
		t.Errorf("%d cells have a file of their own, want %d: %v", len(keys), want, err)
	}
}

// Every store that is open finds the cells before, while and after they are packed,
// and two stores are merged by copying.
func TestPack(t *testing.T) {
	small(t)
	s := open(t, filepath.Join(t.TempDir(), "results"))
	const n = 30
	fill(t, s, n)
	other, lazy := open(t, s.Dir()), open(t, s.Dir())
	checkStore(t, other, n, 65, 12)
	done := packAll(t, s)
	if done.Cells != n || done.Left != 0 || done.Bytes == 0 {
		t.Errorf("packed: %+v", done)
	}
	files := packFiles(t, s)
	if len(files) < 3 {
		t.Errorf("%d packs", len(files))
	}
	checkLoose(t, s, 0)
	for _, s := range []*Store{s, other, lazy, open(t, s.Dir())} {
		checkStore(t, s, n, 65, 12)
		key, _ := sample(3, 0, 1)
		if absent, _ := sample(n, 0, 1); !s.Has(key) || s.Has(absent) {
			t.Error("Has is wrong")
		}
	}
	if done := packAll(t, s); done != (Packed{}) || len(packFiles(t, s)) != len(files) {
		t.Errorf("packed again: %+v, %d packs", done, len(packFiles(t, s)))
	}

	merged := open(t, filepath.Join(t.TempDir(), "merged"))
	more, c := sample(n, 65, 12)
	put(t, merged, more, c)
	packAll(t, merged)
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(merged.Dir(), "packs", filepath.Base(f)), data,
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	checkStore(t, merged, n+1, 65, 12)
	checkStore(t, open(t, merged.Dir()), n+1, 65, 12)
}

// A Pack that is killed before it removes the files leaves them in both places. The next
// one removes them, with the temporary file of the other, and writes no cell twice.
func TestPackGoesOn(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	fill(t, s, 4)
	files := make(map[string][]byte)
	for i := range 3 {
		key, _ := sample(i, 65, 12)
		data, err := os.ReadFile(s.Path(key))
		if err != nil {
			t.Fatal(err)
		}
		files[s.Path(key)] = data
	}
	packAll(t, s)
	for path, data := range files {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	again, c := sample(0, 65, 12) // this one is another
	c.Rows = c.Rows[:3]
	put(t, s, again, c)
	left := filepath.Join(s.packDir(), tempPrefix+"ocobench-0123456789abcdef")
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	other := open(t, s.Dir())
	if done := packAll(t, other); done.Cells != 3 || done.Left != 0 {
		t.Errorf("packed: %+v", done)
	}
	checkLoose(t, s, 0)
	cells := 0
	for _, path := range packFiles(t, s) {
		if _, err := readIndex(path, func([32]byte, int64, int64) { cells++ }); err != nil {
			t.Fatal(err)
		}
	}
	if cells != 5 {
		t.Errorf("the packs have %d cells, want 5", cells)
	}
	if got := c0(t, open(t, s.Dir()), again); len(got.Rows) != 3 {
		t.Errorf("%d rows, want those of the last", len(got.Rows))
	}
	if _, err := os.Lstat(left); err == nil {
		t.Error("the temporary file is still there")
	}
}

// A new pack goes before those that are there, also before one by a machine whose clock
// is ahead.
func TestPackClock(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	fill(t, s, 1)
	packAll(t, s)
	ahead := filepath.Join(s.packDir(), "99991231T235959.999999999-ffffffff.pack")
	if err := os.Rename(packFiles(t, s)[0], ahead); err != nil {
		t.Fatal(err)
	}
	again, c := sample(0, 65, 12)
	for rows := 3; rows < 6; rows++ {
		c.Rows = c.Rows[:rows]
		s = open(t, s.Dir())
		put(t, s, again, c)
		packAll(t, s)
		checkLoose(t, s, 0)
		for _, s := range []*Store{s, open(t, s.Dir())} {
			if got := c0(t, s, again); len(got.Rows) != rows {
				t.Errorf("%d rows, want those of the last", len(got.Rows))
			}
		}
	}
	// Of one generation, the last by name counts; and none comes after the largest.
	p := &pack{path: "a", generation: 1}
	for _, q := range []*pack{{path: "b", generation: 1}, {path: "0", generation: 2}} {
		if p.after(q) || !q.after(p) {
			t.Errorf("%v is after %v", p, q)
		}
	}
	s.packs.names = map[string]*pack{"a": {generation: math.MaxUint64}}
	if g := s.nextGeneration(); g != math.MaxUint64 {
		t.Errorf("generation %d", g)
	}
}

// A copy that is damaged yields to any other, wherever it is: the cell comes with the damage. A
// pack that is written anew leaves no cell to a damaged copy.
func TestPackCopies(t *testing.T) {
	spoil := func(path string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[1000] ^= 1 // in the numbers of the first cell
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	key, want := sample(0, 65, 12)
	other, second := sample(1, 65, 12)
	stored := func() (s *Store, packs []string) {
		s = open(t, filepath.Join(t.TempDir(), "results"))
		for _, rows := range []int{65, 64} { // the second pack has another text
			c := *want
			c.Rows = c.Rows[:rows]
			put(t, s, key, &c)
			packAll(t, s)
		}
		return s, packFiles(t, s)
	}
	check := func(what string, s *Store, rows int, path string) *DamagedError {
		t.Helper()
		got, err := s.Get(key)
		d := (*DamagedError)(nil)
		if errors.As(err, &d); (d == nil) != (path == "") || d != nil && d.Path != path ||
			err != nil && d == nil {
			t.Errorf("%s: %v, want damage of %q", what, err, path)
		}
		if (got == nil) != (rows == 0) || got != nil && len(got.Rows) != rows {
			t.Errorf("%s: %v, want %d rows", what, got, rows)
		}
		return d
	}
	s, packs := stored()
	check("two packs", s, 64, "")
	spoil(packs[0])
	check("the first is damaged", open(t, s.Dir()), 64, "")
	spoil(packs[1])
	check("both are damaged", open(t, s.Dir()), 0, packs[1])

	s, packs = stored()
	spoil(packs[1])
	s = open(t, s.Dir())
	d := check("the second is damaged", s, 65, packs[1])
	if aside, err := s.SetAside(d); err != nil || aside == "" {
		t.Errorf("set aside as %q, %v", aside, err)
	}
	put(t, s, key, want)
	check("put again", s, 65, "")
	packAll(t, s)
	check("packed again", s, 65, "")
	check("packed again", open(t, s.Dir()), 65, "")

	s, packs = stored()
	put(t, s, key, want)
	spoil(s.Path(key))
	check("a file is damaged", s, 64, s.Path(key))
	spoil(packs[1])
	check("a file and the second are damaged", open(t, s.Dir()), 65, s.Path(key))

	s, packs = stored()
	if err := os.Rename(packs[0], packs[0]+"-"); err != nil {
		t.Fatal(err)
	}
	os.Remove(packs[1])
	s = open(t, s.Dir())
	put(t, s, key, want)
	put(t, s, other, second)
	packAll(t, s) // with both, and a copy that counts elsewhere
	if err := os.Rename(packs[0]+"-", packs[0]); err != nil {
		t.Fatal(err)
	}
	later := filepath.Join(s.packDir(), "9.pack")
	os.Rename(packs[0], later) // of the same generation, and last by name
	spoil(later)
	s = open(t, s.Dir())
	check("before gc", s, 65, later)
	if err := s.Remove([]Key{other}, nil); err != nil {
		t.Fatal(err)
	}
	check("after gc", open(t, s.Dir()), 65, "")
	if _, err := open(t, s.Dir()).Get(other); !errors.Is(err, ErrNotFound) {
		t.Errorf("after gc: %v", err)
	}
}

// What a writer that was killed has left is listed, and removed by whoever packs.
func TestPackSweeps(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	fill(t, s, 1)
	packAll(t, s)
	temp := filepath.Join(s.packDir(), ".tmp-ocobench-0123456789abcdef")
	if err := os.WriteFile(temp, make([]byte, 100), 0o666); err != nil {
		t.Fatal(err)
	}
	inv, err := s.Inventory()
	if err != nil || len(inv.Left) != 1 || inv.Left[0].Path != temp || inv.Left[0].Bytes != 100 {
		t.Errorf("left are %v, %v", inv.Left, err)
	}
	packAll(t, s) // nothing
	if _, err := os.Stat(temp); err == nil {
		t.Error("it is left")
	}
}

// What is put after packing goes before the pack: a cell that is computed again,
// and a failure.
func TestPackIsOverridden(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	fill(t, s, 4)
	again, c := sample(1, 65, 12)
	c.Rows = c.Rows[:3]
	failed, _ := sample(2, 65, 12)
	if err := s.PutFailure(failed, "of no effect beside a cell"); err != nil {
		t.Fatal(err)
	}
	packAll(t, s)
	if _, err := s.Get(failed); err != nil {
		t.Errorf("an old failure hides a packed cell: %v", err)
	}
	put(t, s, again, c)
	if err := s.PutFailure(failed, "it fails today"); err != nil {
		t.Fatal(err)
	}
	check := func(s *Store) {
		t.Helper()
		got, err := s.Get(again)
		if err != nil {
			t.Fatal(err)
		}
		checkSame(t, got, c)
		if _, err := s.Get(failed); !errors.Is(err, ErrNotFound) {
			t.Errorf("a cell that failed since it was packed: %v", err)
		}
		if s.Has(failed) {
			t.Error("Has finds it")
		}
	}
	check(s)
	check(open(t, s.Dir()))
	packAll(t, s) // into a second pack, which goes before the first
	if got, err := s.Get(again); err != nil || len(got.Rows) != 3 {
		t.Errorf("after packing again: %v", err)
	}
	key, c := sample(2, 65, 12)
	put(t, s, key, c)
	if got, err := open(t, s.Dir()).Get(key); err != nil {
		t.Error(err)
	} else {
		checkSame(t, got, c)
	}
}

// A cell that is damaged in a pack is found, named, set aside and put again, whatever
// byte is wrong; the others are as they were. A damaged index is found too.
func TestPackDamage(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	const n = 5
	fill(t, s, n)
	packAll(t, s)
	path := packFiles(t, s)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := bytes.LastIndex(whole, []byte("\nsha256")) // of the last line
	index := bytes.LastIndex(whole[:start], []byte("\nsha256")) + sealLength
	for _, at := range []int{40, 100, 1000, 20_000, index - 20, index + 5, index + 70, start - 10,
		start + 20, len(whole) - 1, 3} {
		bad := bytes.Clone(whole)
		bad[at] ^= 1
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		s := open(t, s.Dir())
		damaged := 0
		for i := range n {
			key, want := sample(i, 65, 12)
			got, err := s.Get(key)
			if err == nil {
				checkSame(t, got, want)
				continue
			}
			var d *DamagedError
			if !errors.As(err, &d) || d.Path != path {
				t.Fatalf("byte %d: %v", at, err)
			}
			damaged++
			aside, err := s.SetAside(d)
			if err != nil || aside == "" {
				t.Fatalf("byte %d: set aside as %q, %v", at, aside, err)
			}
			if _, err := os.Stat(aside); err != nil {
				t.Error(err)
			}
			if _, err := s.Get(key); !errors.Is(err, ErrNotFound) {
				t.Errorf("byte %d: after that: %v", at, err)
			}
			put(t, s, key, want)
			if strings.Contains(filepath.Base(aside), ".pack") { // all others are gone with it
				for i := range n {
					key, c := sample(i, 65, 12)
					put(t, s, key, c)
				}
			}
		}
		if damaged != 1 {
			t.Errorf("byte %d: %d cells are damaged", at, damaged)
		}
		checkStore(t, s, n, 65, 12)
		checkStore(t, open(t, s.Dir()), n, 65, 12)
		for i := range n { // the pack as it was
			key, _ := sample(i, 0, 1)
			os.Remove(s.Path(key))
		}
	}
	for _, size := range []int{0, 10, 29, 5000, index, start, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		key, _ := sample(0, 0, 1)
		if _, err := open(t, s.Dir()).Get(key); !isDamaged(err) {
			t.Errorf("a pack cut at %d: %v", size, err)
		}
	}
	newer := bytes.Replace(whole, []byte("pack 1"), []byte("pack 2"), 1)
	if err := os.WriteFile(path, newer, 0o666); err != nil {
		t.Fatal(err)
	}
	var n2 *NewerError
	if _, err := open(t, s.Dir()).Get(Key(strings.Repeat("0", 64))); !errors.As(err, &n2) {
		t.Errorf("a pack of a newer program: %v", err)
	}
}

// Cells that are damaged, or computed right now, keep their files.
func TestPackLeaves(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	fill(t, s, 4)
	bad, _ := sample(0, 0, 1)
	if err := os.Truncate(s.Path(bad), 100); err != nil {
		t.Fatal(err)
	}
	busy, _ := sample(1, 0, 1)
	unlock, err := open(t, s.Dir()).Lock(busy)
	if err != nil {
		t.Skip(err)
	}
	if done := packAll(t, s); done.Cells != 2 || done.Left != 2 {
		t.Errorf("packed: %+v", done)
	}
	checkDamaged(t, s, bad, "a cell that is cut")
	unlock()
	if done := packAll(t, s); done.Cells != 1 || done.Left != 1 {
		t.Errorf("packed after that: %+v", done)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	key, c := sample(9, 65, 12)
	put(t, s, key, c)
	if _, err := s.Pack(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	checkLoose(t, s, 2)
	if temps := temporaries(t, s); len(temps) > 0 {
		t.Errorf("left behind: %q", temps)
	}
}

// keepers are what a process of the tests does to the samples of a store.
var keepers = map[string]func(dir string, n int) error{
	"pack": func(dir string, _ int) error {
		packSize = 50_000
		s, err := Open(dir)
		if err == nil {
			_, err = s.Pack(context.Background())
		}
		return err
	},
	"gc": func(dir string, n int) error {
		packSize = 50_000
		s, err := Open(dir)
		if err != nil {
			return err
		}
		var keys []Key
		for i := 1; i < n; i += 2 {
			key, _ := sample(i, 0, 1)
			keys = append(keys, key)
		}
		return s.Remove(keys, nil)
	},
}

// Whoever packs or removes is killed at any moment, and no cell is lost but those
// that were to be removed.
func TestKilledKeeper(t *testing.T) {
	const n = 40
	for _, keep := range []string{"pack", "gc"} {
		killed := 0
		for attempt := range 8 {
			s := open(t, filepath.Join(t.TempDir(), "results"))
			fill(t, s, n)
			if keep == "gc" {
				small(t)
				packAll(t, s)
				for i := range 10 { // and some again in files of their own
					key, c := sample(i, 65, 12)
					put(t, s, key, c)
				}
			}
			names := func() string {
				all, _ := filepath.Glob(filepath.Join(s.Dir(), "packs", "*"))
				return fmt.Sprint(all)
			}
			before := names()
			cmd := writer(t, s.Dir(), n, "OCOBENCH_KEEP="+keep)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for names() == before && len(ended) == 0 {
				time.Sleep(100 * time.Microsecond)
			}
			time.Sleep(time.Duration(attempt) * 500 * time.Microsecond)
			cmd.Process.Kill()
			if err := <-ended; err != nil {
				killed++
			}
			fresh := open(t, s.Dir())
			for i := range n {
				if keep == "gc" && i%2 == 1 {
					continue
				}
				key, want := sample(i, 65, 12)
				for _, s := range []*Store{s, fresh} {
					got, err := s.Get(key)
					if err != nil {
						t.Fatalf("%s was killed: cell %d: %v", keep, i, err)
					}
					checkSame(t, got, want)
				}
			}
			if err := keepers[keep](s.Dir(), n); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Sweep(); err != nil {
				t.Fatal(err)
			}
			if keep == "pack" {
				checkStore(t, fresh, n, 65, 12)
				checkLoose(t, fresh, 0)
			} else if got := count(t, fresh); got != n/2 {
				t.Errorf("%d cells after gc, want %d", got, n/2)
			}
		}
		if killed == 0 {
			t.Errorf("%s always ended before it was killed", keep)
		}
	}
}

// Many write, read and pack at once.
func TestPackBesideWriters(t *testing.T) {
	small(t)
	dir := filepath.Join(t.TempDir(), "results")
	const n, rounds = 40, 3
	fill(t, open(t, dir), n)
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			s := open(t, dir)
			for i := range n * rounds {
				key, want := sample((i*7+w)%n, 65, 12)
				if w == 0 && i%3 == 0 {
					if err := s.Put(key, want); err != nil {
						t.Error(err)
					}
				}
				if _, err := s.Get(key); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			s := open(t, dir)
			for range rounds {
				// the other packs
				if _, err := s.Pack(context.Background()); err != nil && !errors.Is(err, ErrLocked) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	checkStore(t, open(t, dir), n, 65, 12)
}

// Nobody removes cells while a run has the store, and no run begins meanwhile.
func TestReserve(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	other := open(t, s.Dir())
	leave, err := s.Enter()
	if err != nil {
		t.Skip(err)
	}
	leave2, err := other.Enter()
	if err != nil {
		t.Fatalf("a second run: %v", err)
	}
	if _, err := other.Reserve(); !errors.Is(err, ErrLocked) {
		t.Errorf("two runs have the store: %v", err)
	}
	leave()
	if _, err := other.Reserve(); !errors.Is(err, ErrLocked) {
		t.Errorf("a run has the store: %v", err)
	}
	leave2()
	key, _ := sample(0, 0, 1)
	unlock, err := s.Lock(key) // of a program that does not enter
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reserve(); !errors.Is(err, ErrLocked) {
		t.Errorf("a cell is being computed: %v", err)
	}
	unlock()
	release, err := other.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enter(); !errors.Is(err, ErrLocked) {
		t.Errorf("a run begins while another process removes: %v", err)
	}
	if _, err := s.Lock(key); !errors.Is(err, ErrLocked) {
		t.Errorf("a cell is computed while another process removes: %v", err)
	}
	fill(t, s, 2)
	if _, err := s.Pack(context.Background()); !errors.Is(err, ErrLocked) {
		t.Errorf("cells are packed while another process removes: %v", err)
	}
	release()
	packAll(t, s)
	checkLoose(t, s, 0)
	if leave, err = s.Enter(); err != nil {
		t.Error(err)
	}
	leave()
}

// Remove removes cells from files and packs, files beside them, and nothing else.
func TestRemove(t *testing.T) {
	small(t)
	s := open(t, filepath.Join(t.TempDir(), "results"))
	const n = 40
	fill(t, s, n)
	packAll(t, s)
	hidden, c := sample(1, 65, 12) // in a pack and in a file
	put(t, s, hidden, c)
	bad, _ := sample(3, 0, 1)
	put(t, s, bad, c0(t, s, bad))
	if err := os.Truncate(s.Path(bad), 10); err != nil {
		t.Fatal(err)
	}
	_, err := s.Get(bad)
	var d *DamagedError
	if !errors.As(err, &d) {
		t.Fatal(err)
	}
	if _, err := s.SetAside(d); err != nil {
		t.Fatal(err)
	}
	inv, err := s.Inventory()
	if err != nil {
		t.Fatal(err)
	}
	if len(inv.Cells) != n-1 && len(inv.Cells) != n || len(inv.Aside) != 1 || len(inv.Packs) < 3 {
		t.Errorf("inventory: %d cells, %d aside, %d packs", len(inv.Cells), len(inv.Aside),
			len(inv.Packs))
	}
	if err := keepers["gc"](s.Dir(), n); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(nil, inv.Aside); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{s, open(t, s.Dir())} {
		for i := range n {
			key, want := sample(i, 65, 12)
			got, err := s.Get(key)
			switch {
			case i%2 == 1 && !errors.Is(err, ErrNotFound):
				t.Errorf("cell %d is still there: %v", i, err)
			case i%2 == 0 && err != nil:
				t.Errorf("cell %d: %v", i, err)
			case i%2 == 0:
				checkSame(t, got, want)
			}
		}
		if got := count(t, s); got != n/2 {
			t.Errorf("%d cells, want %d", got, n/2)
		}
	}
	if _, err := os.Stat(inv.Aside[0].Path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what was set aside is still there: %v", err)
	}
}

// c0 is the cell under key.
func c0(t *testing.T, s *Store, key Key) *Cell {
	t.Helper()
	c, err := s.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A cell that is put again after it was read for a pack keeps its file.
func TestPackKeepsWhatIsPutMeanwhile(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	fill(t, s, 1)
	key, c := sample(0, 65, 12)
	was, err := os.Lstat(s.Path(key))
	if err != nil {
		t.Fatal(err)
	}
	c.Rows = c.Rows[:2]
	put(t, s, key, c)
	if removed, err := s.removeOriginal(key, was); removed || err != nil {
		t.Errorf("removed: %v, %v", removed, err)
	}
	checkSame(t, c0(t, s, key), c)

	// the file with another content, and another file of the same time
	for _, change := range []func(file string) error{
		func(file string) error { return os.Chtimes(file, time.Time{}, was.ModTime().Add(time.Hour)) },
		func(file string) error {
			if err := os.WriteFile(file+"-", []byte("other"), 0o666); err != nil {
				return err
			}
			return errors.Join(os.Chtimes(file+"-", time.Time{}, was.ModTime()),
				os.Rename(file+"-", file))
		},
	} {
		if was, err = os.Lstat(s.Path(key)); err != nil {
			t.Fatal(err)
		}
		if err := change(s.Path(key)); err != nil {
			t.Fatal(err)
		}
		if removed, err := s.removeOriginal(key, was); removed || err != nil {
			t.Errorf("removed: %v, %v", removed, err)
		}
		if _, err := os.Lstat(s.Path(key)); err != nil {
			t.Error(err)
		}
	}
}

// A folder of packs that has not changed is not read again, however many there are.
func TestLookAgain(t *testing.T) {
	small(t)
	s := open(t, t.TempDir())
	fill(t, s, 40)
	packAll(t, s)
	packs := packFiles(t, s)
	if len(packs) < 10 {
		t.Fatalf("%d packs", len(packs))
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Dir(packs[0]), old, old); err != nil {
		t.Fatal(err)
	}
	look := func() {
		if _, err := s.look(); err != nil {
			t.Error(err)
		}
	}
	look()
	if n := testing.AllocsPerRun(5, look); n > 10 {
		t.Errorf("another look allocates %v times", n)
	}
	if err := os.Remove(packs[0]); err != nil { // the folder is new again
		t.Fatal(err)
	}
	before := len(s.packedKeys())
	if look(); len(s.packedKeys()) >= before {
		t.Errorf("%d cells are in packs, and %d were before one was removed", len(s.packedKeys()), before)
	}
}
