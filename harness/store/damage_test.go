package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// places are what else can be where a file belongs.
var places = map[string]func(path string) error{
	"a directory": func(path string) error { return os.Mkdir(path, 0o777) },
	"a directory with files": func(path string) error {
		return os.MkdirAll(filepath.Join(path, "a", "b"), 0o777)
	},
	"a link to itself":      func(path string) error { return os.Symlink(filepath.Base(path), path) },
	"a link to nothing":     func(path string) error { return os.Symlink("nowhere", path) },
	"a link to a directory": func(path string) error { return os.Symlink("..", path) },
	"a link to a device":    func(path string) error { return os.Symlink("/dev/zero", path) },
	"a named pipe":          func(path string) error { return exec.Command("mkfifo", path).Run() },
	"an empty file":         func(path string) error { return os.WriteFile(path, nil, 0o666) },
	"a huge file": func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o666), os.Truncate(path, 1<<40))
	},
	"a closed file": func(path string) error { return os.WriteFile(path, nil, 0) },
}

// Whatever is in the place of a cell is damage of that cell alone; it can be set
// aside as often as it comes, and the cell put.
func TestDamageIsSetAsideAndReplaced(t *testing.T) {
	s := open(t, t.TempDir())
	key, c := sample(1, 3, 3)
	other, d := sample(2, 3, 3)
	put(t, s, key, c)
	put(t, s, other, d)
	asides := 0
	for range 2 {
		for what, spoil := range places {
			if err := os.Remove(s.Path(key)); err != nil {
				t.Fatal(err)
			}
			if err := spoil(s.Path(key)); err != nil {
				t.Fatal(err)
			}
			_, err := s.Get(key)
			var damaged *DamagedError
			if !errors.As(err, &damaged) || damaged.Path != s.Path(key) ||
				!strings.Contains(err.Error(), "run its experiment again") {
				t.Fatalf("%s in the place of a cell: got error %v, want damage that says what to do", what, err)
			}
			if _, err := s.Sweep(); err != nil {
				t.Errorf("%s: Sweep: %v", what, err)
			}
			err = s.SetAside(damaged)
			name := filepath.Join(filepath.Dir(damaged.Path), damaged.SetAsideAs)
			if err != nil || filepath.Dir(name) != filepath.Dir(damaged.Path) ||
				!strings.HasPrefix(name, damaged.Path+".damaged-") {
				t.Fatalf("%s: got set aside as %s (%v), want it beside the cell", what, name, err)
			}
			asides++
			if err := s.SetAside(damaged); damaged.SetAsideAs != "" || err != nil {
				t.Errorf("%s: got set aside twice as %s (%v), want once", what, damaged.SetAsideAs, err)
			}
			if _, err := s.Get(key); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s set aside: got error %v, want %v", what, err, ErrNotFound)
			}
			put(t, s, key, c)
		}
	}
	if found, err := filepath.Glob(s.Path(key) + ".damaged-*"); err != nil || len(found) != asides {
		t.Errorf("%d files are set aside, want %d: %v", len(found), asides, err)
	}
	checkKeys(t, s, key, other)
}

// checkKeys fails the test unless s has these cells, whole, and no other.
func checkKeys(t *testing.T, s *Store, want ...Key) {
	t.Helper()
	slices.Sort(want)
	if keys, err := s.Keys(); err != nil || !slices.Equal(keys, want) {
		t.Errorf("the keys are %q, %v, want %q", keys, err, want)
	}
	checkWhole(t, s)
}

// A record in which a bit is flipped, or that is cut short, is damaged, and the
// others are read.
func TestRecordsAreSealed(t *testing.T) {
	s := open(t, t.TempDir())
	want := []Record{{"a", []byte(`{"replicates":8,"name":"a"}`)}, {"c", []byte(`{"replicates":3}`)}}
	for _, r := range append(want, Record{"b", []byte(`{"replicates":5,"name":"b"}`)}) {
		if err := s.PutExperiment(r.Name, r.Data); err != nil {
			t.Fatal(err)
		}
	}
	path := s.recordPath("b")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what, reason string) {
		t.Helper()
		records, err := s.Experiments()
		var damaged *DamagedError
		if !errors.As(err, &damaged) || damaged.Path != path ||
			!strings.Contains(damaged.Reason, reason) {
			t.Fatalf("%s: %v, want that %s is damaged: %s", what, err, path, reason)
		}
		if len(records) != 2 || records[0].Name != "a" || records[1].Name != "c" ||
			!bytes.Equal(records[0].Data, want[0].Data) {
			t.Fatalf("%s: got records %q, want a and c as they were", what, records)
		}
		if r, err := s.Experiment("b"); !errors.As(err, &damaged) || r.Data != nil {
			t.Fatalf("%s: got %q, error %v, want damage", what, r.Data, err)
		}
	}
	spoil := func(what, reason string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		check(what, reason)
	}
	for i := range whole {
		spoil(fmt.Sprintf("cut at %d", i), "", whole[:i])
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 1 << bit
			if _, err := decodeText(recordFormat, "b", flipped); err == nil {
				t.Errorf("bit %d of byte %d flipped: got no error, want one", bit, i)
			}
		}
	}
	spoil("an older record", "older program", []byte(`{"replicates":5,"name":"b"}`))
	spoil("the record of another", "it is of a", encodeText(recordFormat, "a", want[0].Data))
	spoil("another format", "format", encodeText(failureFormat, "b", want[0].Data))
	spoil("sealed, and not JSON", "not JSON", encodeText(recordFormat, "b", []byte("{")))
	for what, spoil := range places {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		check(what, "")
		_, err := s.Experiment("b")
		var damaged *DamagedError
		if !errors.As(err, &damaged) {
			t.Fatal(err)
		}
		if err := s.SetAside(damaged); err != nil || damaged.SetAsideAs == "" {
			t.Fatal(damaged.SetAsideAs, err)
		}
		if err := s.PutExperiment("b", []byte("1")); err != nil {
			t.Fatal(err)
		}
	}
	if records, err := s.Experiments(); len(records) != 3 || err != nil {
		t.Errorf("got records %q, error %v, want 3", records, err)
	}
}

// What a newer program wrote is refused as that, and is not damage.
func TestNewerFormatIsNotDamage(t *testing.T) {
	s := open(t, t.TempDir())
	key, c := sample(1, 3, 3)
	put(t, s, key, c)
	data, err := encodeCell(c)
	if err != nil {
		t.Fatal(err)
	}
	body, err := checkDigest(data)
	if err != nil {
		t.Fatal(err)
	}
	later := appendDigest([]byte(strings.Replace(body, cellFormat, "ocobench cell 2", 1)))
	if err := os.WriteFile(s.Path(key), later, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.PutExperiment("e", []byte("1")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.recordPath("e"), encodeText("ocobench record 12", "e", []byte("1")),
		0o666); err != nil {
		t.Fatal(err)
	}
	check := func(err error, path, format string) {
		t.Helper()
		var newer *NewerError
		if !errors.As(err, &newer) || newer.Path != path || newer.Format != format || isDamaged(err) ||
			!strings.Contains(err.Error(), "newer program") {
			t.Errorf("got %v, want that %s has the format %s", err, path, format)
		}
	}
	_, err = s.Get(key)
	check(err, s.Path(key), "ocobench cell 2")
	_, err = s.Experiment("e")
	check(err, s.recordPath("e"), "ocobench record 12")
	if err := os.WriteFile(s.recordPath("e"), encodeText("ocobench record 1", "e", []byte("1")),
		0o666); err != nil {
		t.Fatal(err)
	}
	if old, err := s.Experiment("e"); err != nil || string(old.Data) != "1" {
		t.Errorf("an older record: got %q, error %v, want 1", old.Data, err)
	}
	later[3] ^= 1 // without its digest, a format is worth nothing
	if err := os.WriteFile(s.Path(key), later, 0o666); err != nil {
		t.Fatal(err)
	}
	checkDamaged(t, s, key, "a flipped bit in a newer cell")
}

// A failure is there until its cell is put. One in whose place something else is, of which a byte
// is another, or which is of another cell, is damaged.
func TestFailureGivesWayToCell(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	key, c := sample(1, 3, 3)
	fail := func(reason string) {
		t.Helper()
		if err := s.PutFailure(key, reason); err != nil {
			t.Fatal(err)
		}
		if f, err := s.Failure(key); err != nil || f.Reason != reason || time.Since(f.At) > time.Hour {
			t.Errorf("the failure is %+v, %v, want %q", f, err, reason)
		}
	}
	path := s.failurePath(key)
	for what, spoil := range places {
		fail("it panicked:\n\tin round 3\n")
		put(t, s, key, c)
		if _, err := s.Failure(key); !errors.Is(err, ErrNotFound) {
			t.Errorf("a failure beside its cell: got error %v, want %v", err, ErrNotFound)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Failure(key); !isDamaged(err) {
			t.Errorf("%s in the place of a failure: got error %v, want damage", what, err)
		}
		put(t, s, key, c)
	}
	fail("round 2: NaN")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] ^= 1
		if text, err := decodeText(failureFormat, string(key), data); err == nil {
			t.Errorf("byte %d altered: got %q, want an error", i, text)
		}
		data[i] ^= 1
	}
	if _, err := decodeText(failureFormat, "another", data); err == nil {
		t.Error("the failure of another cell: got no error, want one")
	}
}

func TestLockExcludesOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	s := open(t, dir)
	a, _ := sample(1, 3, 3)
	b, _ := sample(2, 3, 3)
	lock := func(s *Store, key Key) func() {
		t.Helper()
		unlock, err := s.Lock(key)
		if err != nil {
			t.Fatal(err)
		}
		return unlock
	}
	locked := func(s *Store, key Key) {
		t.Helper()
		if _, err := s.Lock(key); err != ErrLocked {
			t.Errorf("a locked cell: got error %v, want %v", err, ErrLocked)
		}
	}
	unlockA := lock(s, a)
	locked(s, a)
	unlockB := lock(s, b)
	another := open(t, dir)
	if unlock, err := another.Lock(a); err == nil {
		unlock()
		t.Log("locks belong to the process here")
		another = s
	}
	locked(another, a)
	locked(another, b)
	unlockA()
	locked(another, b)
	unlockA = lock(another, a)
	locked(s, a)
	unlockB()
	lock(another, b)()
	unlockA()
	lock(s, a)()
	if s.locks.file != nil || another.locks.file != nil {
		t.Error("no locks: got their file open, want it closed")
	}
}

// Whatever is in the place of a pack or of the locks keeps nobody waiting, and other packs serve
// their cells.
func TestObstaclesToPacksAndLocksBlockNobody(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	putSamples(t, s, 2)
	packAll(t, s)
	path := filepath.Join(s.packDir(), "x.zip")
	for what, spoil := range places {
		if what == "a closed file" && os.Geteuid() == 0 {
			continue
		}
		if err := errors.Join(os.RemoveAll(path), spoil(path)); err != nil {
			t.Fatal(err)
		}
		s := open(t, s.Dir())
		checkStore(t, s, 2, 65, 12)
		absent, _ := sample(3, 1, 1)
		var damaged *DamagedError
		if _, err := s.Get(absent); !errors.As(err, &damaged) || damaged.Path != path {
			t.Errorf("%s in the place of a pack: got error %v, want damage", what, err)
		}
		if inv, err := s.Inventory(); err != nil || len(inv.Damaged) != 1 || len(inv.Cells) != 2 {
			t.Errorf("%s in the place of a pack: got %+v, error %v, want one damaged and two cells", what,
				inv, err)
		}
	}
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(s.Dir(), "lock")
	if err := errors.Join(os.RemoveAll(lock), places["a named pipe"](lock)); err != nil {
		t.Fatal(err)
	}
	s = open(t, s.Dir())
	key, c := sample(4, 65, 12)
	put(t, s, key, c)
	if _, err := s.Lock(key); err == nil {
		t.Error("a pipe in the place of a lock: got no error, want one")
	}
}

// Whatever is in the place of the folder of some cells, or of all packs, is damage of that place:
// other cells are read, listed, packed and swept, and the folder is set aside once, however many
// ask for it.
func TestStrayFoldersAreDamageOfThatPlace(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	putSamples(t, s, 12)
	spoils := maps.Clone(places)
	delete(spoils, "a directory")
	delete(spoils, "a directory with files")
	delete(spoils, "a link to a directory")
	spoils["a closed directory"] = func(path string) error { return os.Mkdir(path, 0) }
	spoils["a directory that nobody may enter"] = func(path string) error {
		return os.Mkdir(path, 0o444)
	}
	for what, spoil := range spoils {
		if os.Geteuid() == 0 && strings.Contains(what, " directory ") || what == "a closed directory" &&
			os.Geteuid() == 0 {
			continue
		}
		s := open(t, s.Dir())
		key, c := sample(5, 65, 12)
		folder := filepath.Dir(s.Path(key))
		var here []int
		for i := range 12 {
			if k, _ := sample(i, 65, 12); k[:2] == key[:2] {
				here = append(here, i)
			}
		}
		if err := errors.Join(os.RemoveAll(folder), spoil(folder)); err != nil {
			t.Fatal(err)
		}
		_, err := s.Get(key)
		var damaged *DamagedError
		if !errors.As(err, &damaged) || damaged.Path != folder ||
			!strings.HasPrefix(damaged.Reason, "it ") {
			t.Fatalf("%s in the place of a folder: got error %v, want damage of it", what, err)
		}
		if _, err := s.Failure(key); !isDamaged(err) {
			t.Errorf("%s in the place of a folder: got error %v of a failure, want damage", what, err)
		}
		_, swept := s.Sweep()
		inv, listed := s.Inventory()
		if len(inv.Damaged) != 1 || inv.Damaged[0].Path != folder || len(inv.Cells) != 12-len(here) {
			t.Errorf("%s: got %d cells, damaged %v, want %d, the folder", what, len(inv.Cells), inv.Damaged,
				12-len(here))
		}
		if keys, err := s.Keys(); len(keys) != 12-len(here) || err != nil || swept != nil ||
			listed != nil {
			t.Errorf("%s: got %d keys, errors %v, %v, %v, want %d and none", what, len(keys), err, swept,
				listed, 12-len(here))
		}
		names := make(chan string, 4)
		for range cap(names) {
			go func() {
				own := *damaged
				err := s.SetAside(&own)
				if err == nil && own.SetAsideAs != "" {
					err = s.Put(key, c)
				}
				if err != nil {
					t.Error(err)
				}
				names <- own.SetAsideAs
			}()
		}
		asides := 0
		for range cap(names) {
			if <-names != "" {
				asides++
			}
		}
		if asides != 1 {
			t.Errorf("%s: got set aside %d times, want once", what, asides)
		}
		for _, i := range here {
			k, c := sample(i, 65, 12)
			put(t, s, k, c)
		}
		checkStore(t, s, 12, 65, 12)
	}
	path := filepath.Join(s.Dir(), "packs")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	s = open(t, s.Dir())
	checkStore(t, s, 12, 65, 12)
	absent, _ := sample(99, 1, 1)
	var damaged *DamagedError
	if _, err := s.Get(absent); !errors.As(err, &damaged) || damaged.Path != path {
		t.Fatalf("a file in the place of packs: got error %v, want damage", err)
	}
	if err := s.SetAside(damaged); err != nil {
		t.Fatal(err)
	}
	packAll(t, s)
	inv, err := s.Inventory()
	if err != nil || len(inv.SetAside) == 0 || len(inv.Damaged) > 0 {
		t.Errorf("got %+v, error %v, want what was set aside, and no damage", inv, err)
	}
	if err := s.Remove(nil, inv.SetAside); err != nil {
		t.Error(err)
	}
	checkStore(t, open(t, s.Dir()), 12, 65, 12)
}
