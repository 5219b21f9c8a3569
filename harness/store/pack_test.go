package store

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// putSamples puts the first n samples into the store.
func putSamples(t testing.TB, s *Store, n int) {
	t.Helper()
	for i := range n {
		key, c := sample(i, 65, 12)
		put(t, s, key, c)
	}
}

// sampleFiles reads the files of the first n samples.
func sampleFiles(t testing.TB, s *Store, n int) (files [][]byte) {
	t.Helper()
	for i := range n {
		key, _ := sample(i, 65, 12)
		data, err := os.ReadFile(s.Path(key))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	return files
}

func packAll(t testing.TB, s *Store) Packed {
	t.Helper()
	done, err := s.Pack(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// usePacksOf50kB makes packs so small, during the test, that a few samples need several of them.
func usePacksOf50kB(t *testing.T) {
	was := packSize
	packSize = 50_000
	t.Cleanup(func() { packSize = was })
}

func packFiles(t testing.TB, s *Store) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Dir(), "packs", "*"+packSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func checkLoose(t testing.TB, s *Store, want int) {
	t.Helper()
	if keys, err := s.unpackedKeys(); err != nil || len(keys) != want {
		t.Errorf("%d cells have a file of their own, want %d: %v", len(keys), want, err)
	}
}

// A Pack that is killed before it removes the files leaves them in both places. The next
// one removes them, with the temporary file of the other, and writes no cell twice.
func TestInterruptedPackGoesOn(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	putSamples(t, s, 4)
	files := sampleFiles(t, s, 3)
	packAll(t, s)
	for i, data := range files {
		key, _ := sample(i, 65, 12)
		if err := os.WriteFile(s.Path(key), data, 0o666); err != nil {
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
	if inv, err := other.Inventory(); err != nil || len(inv.Temporary) != 1 ||
		inv.Temporary[0].Path != left {
		t.Errorf("the inventory has %v left, %v; want the temporary file", inv.Temporary, err)
	}
	if done := packAll(t, other); done.Cells != 3 || done.Damaged != 0 {
		t.Errorf("got %+v packed, want 3 cells", done)
	}
	checkLoose(t, s, 0)
	cells := 0
	for _, path := range packFiles(t, s) {
		p, err := openPack(path)
		if err != nil {
			t.Fatal(err)
		}
		cells += len(p.cells)
	}
	if cells != 4 {
		t.Errorf("the packs have %d cells, want 4", cells)
	}
	if got := cellOf(t, open(t, s.Dir()), again); len(got.Rows) != 3 {
		t.Errorf("%d rows, want those of the last", len(got.Rows))
	}
	if _, err := os.Lstat(left); err == nil {
		t.Error("got the temporary file, want it removed")
	}
}

// A new pack goes before those that are there, also before one by a machine whose clock
// is ahead.
func TestNoClockDecidesBetweenPacks(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	putSamples(t, s, 1)
	packAll(t, s)
	ahead := filepath.Join(s.packDir(), "99991231T235959.999999999-ffffffff.zip")
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
			if got := cellOf(t, s, again); len(got.Rows) != rows {
				t.Errorf("%d rows, want those of the last", len(got.Rows))
			}
		}
	}
}

// flipBitOf damages a file: it flips a bit in the numbers of a cell, in a pack or in a file of its
// own.
func flipBitOf(t *testing.T, path string, key Key) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[max(0, bytes.Index(data, []byte(key+cellSuffix)))+1000] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// twoPacks returns a store that was merged by copying: its packs have other rows of one cell.
func twoPacks(t *testing.T) (s *Store, key Key, packs []string) {
	t.Helper()
	s = open(t, filepath.Join(t.TempDir(), "results"))
	for _, rows := range []int{64, 65} {
		other := open(t, filepath.Join(t.TempDir(), "other"))
		k, c := sample(0, 65, 12)
		c.Rows, key = c.Rows[:rows], k
		put(t, other, key, c)
		packAll(t, other)
		path := filepath.Join(s.packDir(), fmt.Sprint(rows, packSuffix))
		err := errors.Join(os.MkdirAll(s.packDir(), 0o777), os.Rename(packFiles(t, other)[0], path))
		if err != nil {
			t.Fatal(err)
		}
		packs = append(packs, path)
	}
	return s, key, packs
}

// Any whole copy is read, wherever it is: a file of its own goes first, and then the pack that is
// the last by name. Only where there is none the cell is damaged.
func TestAWholeCopyGoesBeforeADamagedOne(t *testing.T) {
	s, key, packs := twoPacks(t)
	check := func(what string, rows int, path string) {
		t.Helper()
		for _, s := range []*Store{s, open(t, s.Dir())} {
			got, err := s.Get(key)
			d := (*DamagedError)(nil)
			if errors.As(err, &d); path != "" && (d == nil || d.Path != path) {
				t.Errorf("%s: %v, want damage of %s", what, err, path)
			}
			if path == "" && (err != nil || len(got.Rows) != rows) {
				t.Errorf("%s: %v, want %d rows", what, err, rows)
			}
		}
	}
	check("two packs", 65, "")
	_, own := sample(0, 63, 12)
	put(t, s, key, own)
	check("and a file", 63, "")
	flipBitOf(t, s.Path(key), key)
	check("a damaged file", 65, "")
	flipBitOf(t, packs[1], key)
	check("a damaged file and pack", 64, "")
	flipBitOf(t, packs[0], key)
	check("all damaged", 0, s.Path(key))
	if err := os.Remove(s.Path(key)); err != nil {
		t.Fatal(err)
	}
	check("damaged packs", 0, packs[1])
	put(t, s, key, own)
	check("put again", 63, "")
}

// A repaired cell is found if it has a whole copy, else it can be computed. What was damaged
// is set aside, but a pack stays.
func TestMendSetsDamageAside(t *testing.T) {
	s, key, packs := twoPacks(t)
	mend := func(found bool, damaged ...string) {
		t.Helper()
		got, all, err := s.Mend(key)
		var paths []string
		for _, d := range all {
			if paths = append(paths, d.Path); d.Path == s.Path(key) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(d.Path), d.SetAsideAs)); err != nil {
					t.Error(err)
				}
			}
		}
		if (got != nil) != found || err != nil || !slices.Equal(paths, damaged) {
			t.Errorf("found %v, damaged %q, %v; want %v, %q", got, paths, err, found, damaged)
		}
	}
	mend(true)
	_, own := sample(0, 63, 12)
	put(t, s, key, own)
	flipBitOf(t, s.Path(key), key)
	if _, err := s.Check(key); !isDamaged(err) {
		t.Errorf("a damaged file of its own: got error %v, want damage", err)
	}
	mend(true, s.Path(key))
	mend(true)
	flipBitOf(t, packs[1], key)
	mend(true)
	if _, err := s.Check(key); err != nil {
		t.Errorf("a copy in another pack: got error %v, want none", err)
	}
	flipBitOf(t, packs[0], key)
	mend(false, packs[1])
	put(t, s, key, own)
	mend(true)
	flipBitOf(t, s.Path(key), key)
	mend(false, s.Path(key), packs[1])
	other, _ := sample(1, 1, 1)
	if found, damaged, err := s.Mend(other); found != nil || damaged != nil || err != nil {
		t.Errorf("a cell that was never there: got %v, %v, %v, want nothing", found, damaged, err)
	}
	data, err := encodeCell(own)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := checkDigest(data)
	newer := appendDigest([]byte(strings.Replace(body, cellFormat, "ocobench cell 2", 1)))
	if err := os.WriteFile(s.Path(key), newer, 0o666); err != nil {
		t.Fatal(err)
	}
	var n *NewerError
	if _, _, err := s.Mend(key); !errors.As(err, &n) {
		t.Errorf("a cell of a newer program: got error %v, want one that says so", err)
	}
}

// Small packs are joined, also those of merged stores. What counted before counts then, and a pack
// with a damaged cell is set aside, not removed.
func TestSmallPacksAreJoined(t *testing.T) {
	s, key, packs := twoPacks(t)
	if inv, err := s.Inventory(); err != nil || len(inv.Cells) != 1 || inv.Cells[0].File != packs[1] {
		t.Errorf("the cells are %v, %v; want the copy in %s, which counts", inv.Cells, err, packs[1])
	}
	packAll(t, s)
	if files := packFiles(t, s); len(files) != 1 {
		t.Errorf("the packs are %q, want one", files)
	}
	if got := cellOf(t, s, key); len(got.Rows) != 65 {
		t.Errorf("%d rows, want those that counted", len(got.Rows))
	}
	s, key, packs = twoPacks(t)
	flipBitOf(t, packs[1], key)
	packAll(t, s)
	if got := cellOf(t, open(t, s.Dir()), key); len(got.Rows) != 64 {
		t.Errorf("%d rows, want those of the whole copy", len(got.Rows))
	}
	inv, err := s.Inventory()
	if err != nil || len(inv.Packs) != 1 || len(inv.SetAside) != 1 ||
		!strings.HasPrefix(inv.SetAside[0].Path, packs[1]+damagedInfix) {
		t.Errorf("packs %v, aside %v, %v; want the damaged one aside", inv.Packs, inv.SetAside, err)
	}
}

// A pack of an older program is named where a cell is missing, and set aside by whoever computes
// it. It is never read, and never removed.
func TestOlderPacksAreNamedAndKept(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	putSamples(t, s, 2)
	packAll(t, s)
	path := filepath.Join(s.packDir(), "20261122T101112.000000000-01234567.pack")
	const text = `{"format":"ocobench pack 1"}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s = open(t, s.Dir())
	checkStore(t, s, 2, 65, 12)
	packAll(t, s)
	key, c := sample(2, 65, 12)
	if _, err := s.Get(key); !isDamaged(err) || !strings.Contains(err.Error(), "older program") {
		t.Errorf("a cell that it may have: got error %v, want damage of an older program", err)
	}
	if inv, err := s.Inventory(); err != nil || len(inv.Damaged) != 1 || inv.Damaged[0].Path != path {
		t.Errorf("got damaged %v, error %v, want %s", inv.Damaged, err, path)
	}
	found, damaged, err := s.Mend(key)
	if found != nil || err != nil || len(damaged) != 1 || damaged[0].Path != path {
		t.Fatalf("got found %v, damaged %v, error %v, want only %s damaged", found, damaged, err, path)
	}
	data, err := os.ReadFile(filepath.Join(s.packDir(), damaged[0].SetAsideAs))
	if err != nil || string(data) != text {
		t.Errorf("got set aside %q, error %v, want %q", data, err, text)
	}
	put(t, s, key, c)
	checkStore(t, s, 3, 65, 12)
}

// A pack is a zip file that other programs write and read: its entries are the files of cells.
func TestPacksAreZipFiles(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	putSamples(t, s, 3)
	files := make(map[string][]byte)
	for i, data := range sampleFiles(t, s, 3) {
		key, _ := sample(i, 65, 12)
		files[filepath.Base(s.Path(key))] = data
	}
	packAll(t, s)
	z, err := zip.OpenReader(packFiles(t, s)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if len(z.File) != 3 {
		t.Errorf("%d entries, want 3", len(z.File))
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err != nil || !bytes.Equal(data, files[f.Name]) {
			t.Errorf("entry %s: got another text, want the file of the cell (%v)", f.Name, err)
		}
	}
	var buf bytes.Buffer // in another order, with entries that are no cells, and compressed ones
	w := zip.NewWriter(&buf)
	names := slices.Sorted(maps.Keys(files))
	for i, name := range []string{"README", names[2], names[0], "x.cell", names[1]} {
		entry, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: uint16(i / 4 * 8)})
		if err == nil {
			_, err = entry.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	other := open(t, filepath.Join(t.TempDir(), "other"))
	if err := errors.Join(w.Close(), os.MkdirAll(other.packDir(), 0o777),
		os.WriteFile(filepath.Join(other.packDir(), "a.zip"), buf.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		key := Key(strings.TrimSuffix(name, cellSuffix))
		if _, err := other.Get(key); i != 1 && err != nil || i == 1 && !isDamaged(err) {
			t.Errorf("entry %d: %v, want damage of the compressed one only", i, err)
		}
	}
}

// Whatever byte of a pack is wrong, every cell is as it was, damaged or not found; once it is
// repaired and put, the store is whole.
func TestNoDamageOfAPackGoesUnseen(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	const n = 5
	putSamples(t, s, n)
	packAll(t, s)
	path := packFiles(t, s)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, data []byte) (lost int) {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "results")
		pack := filepath.Join(dir, "packs", filepath.Base(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(pack), 0o777),
			os.WriteFile(pack, data, 0o666)); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir)
		for i := range n {
			key, want := sample(i, 65, 12)
			got, err := s.Get(key)
			if err == nil {
				checkSame(t, got, want)
				continue
			}
			if !isDamaged(err) && !errors.Is(err, ErrNotFound) {
				t.Fatalf("%s: %v", what, err)
			}
			lost++
		}
		for i := range n {
			key, c := sample(i, 65, 12)
			if found, _, err := s.Mend(key); err != nil {
				t.Fatalf("%s: %v", what, err)
			} else if found == nil {
				put(t, s, key, c)
			}
		}
		for i := range n {
			key, c := sample(i, 65, 12)
			checkSame(t, cellOf(t, open(t, dir), key), c)
		}
		return lost
	}
	directory := bytes.LastIndex(whole, []byte("PK\x01\x02"))
	places := []int{0, 1, 2, 26, 28, 40, 100, 1000, 20_000, len(whole) - 1}
	for at := directory; at < len(whole); at += 3 {
		places = append(places, at)
	}
	lost := 0
	for _, at := range places {
		for _, bit := range []byte{1, 16, 128} {
			data := bytes.Clone(whole)
			data[at] ^= bit
			lost += check(fmt.Sprintf("byte %d", at), data)
		}
	}
	if lost < len(places)/2 {
		t.Errorf("got %d cells lost with %d places, want at least half", lost, len(places))
	}
	for _, size := range []int{0, 10, 29, 5000, directory, directory + 50, len(whole) - 1} {
		if lost := check(fmt.Sprintf("cut at %d", size), whole[:size]); lost != n {
			t.Errorf("a pack cut at %d has %d cells, want none", size, n-lost)
		}
	}
}

// Damaged cells keep their files, and a Pack that is cancelled leaves everything as it was.
func TestPackLeavesDamagedCells(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	putSamples(t, s, 4)
	bad, _ := sample(0, 0, 1)
	if err := os.Truncate(s.Path(bad), 100); err != nil {
		t.Fatal(err)
	}
	if done := packAll(t, s); done.Cells != 3 || done.Damaged != 1 {
		t.Errorf("got %+v packed, want 3 cells", done)
	}
	checkDamaged(t, s, bad, "a cell that is cut")
	key, packed := sample(1, 65, 12) // a file that is newer than the copy in the pack, and damaged
	if err := os.WriteFile(s.Path(key), []byte("cut"), 0o600); err != nil {
		t.Fatal(err)
	}
	packAll(t, s)
	if got, err := s.Get(key); err != nil || len(got.Rows) != len(packed.Rows) {
		t.Errorf("a packed cell beside a damaged file: %v, want %d rows", err, len(packed.Rows))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	key, c := sample(9, 65, 12)
	put(t, s, key, c)
	if _, err := s.Pack(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got error %v, want %v", err, context.Canceled)
	}
	checkLoose(t, s, 3)
	if temps := temporaries(t, s); len(temps) > 0 {
		t.Errorf("got temporary files %q, want none", temps)
	}
}

// keeperTasks are what a process of the tests does to the samples of a store.
var keeperTasks = map[string]func(dir string, n int) error{
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
func TestNoCellIsLostWhenKilled(t *testing.T) {
	const n = 40
	for _, keep := range []string{"pack", "gc"} {
		killed := 0
		for attempt := range 8 {
			s := open(t, filepath.Join(t.TempDir(), "results"))
			putSamples(t, s, n)
			if keep == "gc" {
				usePacksOf50kB(t)
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
			cmd := startWriter(t, s.Dir(), n, "OCOBENCH_KEEP="+keep)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			// The first one is killed as it begins, and the others once packs have changed.
			for attempt > 0 && names() == before && len(ended) == 0 {
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
						t.Fatalf("%s was killed: cell %d: got error %v, want the cell", keep, i, err)
					}
					checkSame(t, got, want)
				}
			}
			if err := keeperTasks[keep](s.Dir(), n); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Sweep(); err != nil {
				t.Fatal(err)
			}
			if keep == "pack" {
				checkStore(t, fresh, n, 65, 12)
				checkLoose(t, fresh, 0)
			} else if got := countCells(t, fresh); got != n/2 {
				t.Errorf("%d cells after gc, want %d", got, n/2)
			}
		}
		if killed == 0 {
			t.Errorf("%s: got an end before each kill, want one killed", keep)
		}
	}
}

// Readers, who have no lock, find every cell while others put cells and pack them by turns.
func TestReadersFindEveryCellBesidePack(t *testing.T) {
	usePacksOf50kB(t)
	dir := filepath.Join(t.TempDir(), "results")
	const n, rounds = 40, 6
	putSamples(t, open(t, dir), n)
	var reading, packing sync.WaitGroup
	done := make(chan bool)
	for w := range 3 {
		reading.Go(func() {
			s := open(t, dir)
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				key, want := sample((i*7+w)%n, 65, 12)
				got, err := s.Get(key)
				if err != nil || len(got.Rows) != len(want.Rows) || !s.Has(key) {
					t.Errorf("cell %d: got error %v, want its rows", (i*7+w)%n, err)
					return
				}
			}
		})
	}
	packing.Go(func() {
		s := open(t, dir)
		for round := range rounds {
			packAll(t, s)
			for i := range n {
				if key, c := sample(i, 65, 12); i%rounds == round {
					c.Provenance.Version = fmt.Sprint(round)
					put(t, s, key, c)
				}
			}
		}
	})
	packing.Wait()
	close(done)
	reading.Wait()
	checkStore(t, open(t, dir), n, 65, 12)
}

// Nobody removes cells while a run has the store, and no run begins meanwhile.
func TestRunsAndRemovalsExcludeEachOther(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	other := open(t, s.Dir())
	leave, err := s.Enter()
	if err != nil {
		t.Skip(err)
	}
	leave2, err := other.Enter()
	if err != nil {
		t.Fatalf("a second run: got error %v, want none", err)
	}
	if _, err := other.Reserve(); !errors.Is(err, ErrLocked) {
		t.Errorf("two runs have the store: got error %v, want %v", err, ErrLocked)
	}
	leave()
	if _, err := other.Reserve(); !errors.Is(err, ErrLocked) {
		t.Errorf("a run has the store: got error %v, want %v", err, ErrLocked)
	}
	leave2()
	key, _ := sample(0, 0, 1)
	unlock, err := s.Lock(key) // of a program that does not enter
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Reserve(); !errors.Is(err, ErrLocked) {
		t.Errorf("a cell is being computed: got error %v, want %v", err, ErrLocked)
	}
	unlock()
	release, err := other.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Enter(); !errors.Is(err, ErrLocked) {
		t.Errorf("a run while another process removes: got error %v, want %v", err, ErrLocked)
	}
	if _, err := s.Lock(key); !errors.Is(err, ErrLocked) {
		t.Errorf("a cell while another process removes: got error %v, want %v", err, ErrLocked)
	}
	release()
	if leave, err = s.Enter(); err != nil {
		t.Error(err)
	}
	leave()
}

// cellOf returns the cell under key.
func cellOf(t *testing.T, s *Store, key Key) *Cell {
	t.Helper()
	c, err := s.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A folder of packs that has not changed is not read again, however many there are.
func TestUnchangedPacksAreNotListedAgain(t *testing.T) {
	usePacksOf50kB(t)
	s := open(t, t.TempDir())
	putSamples(t, s, 40)
	packAll(t, s)
	packs := packFiles(t, s)
	if len(packs) < 10 {
		t.Fatalf("got %d packs, want at least 10", len(packs))
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Dir(packs[0]), old, old); err != nil {
		t.Fatal(err)
	}
	refresh := func() {
		if _, err := s.refreshPacks(); err != nil {
			t.Error(err)
		}
	}
	refresh()
	if n := testing.AllocsPerRun(5, refresh); n > 10 {
		t.Errorf("got %v allocations, want at most 10, without listing the folder again", n)
	}
	before := countCells(t, s)
	if err := os.Remove(packs[0]); err != nil { // the folder is new again
		t.Fatal(err)
	}
	refresh()
	if n := countCells(t, s); n >= before {
		t.Errorf("got %d cells after a pack was removed, want fewer than %d", n, before)
	}
}

// TestAddPackRefusesOtherNames adds packs under names that would be files elsewhere.
func TestAddPackRefusesOtherNames(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "store"))
	for _, name := range []string{"", "..", "../x", "../../x", "a/b", "-x"} {
		if err := s.AddPack(name, []byte("pack")); err == nil {
			t.Errorf("a pack is added under %q, want an error", name)
		}
	}
	if outside, _ := filepath.Glob(filepath.Join(dir, "x*")); outside != nil {
		t.Errorf("got %v outside of the store, want nothing", outside)
	}
}
