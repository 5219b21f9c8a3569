package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A model is what a store has, without files.
type model struct {
	cells    map[Key]*Cell
	failures map[Key]string // without effect beside a cell
	packed   map[Key]*Cell  // in a pack: the cell, or another one before it
	loose    map[Key]bool
	records  map[string]string
	analyses map[Key]Analysis
	aside    int
}

// Whatever is done to a store through one handle, in any order, this one and a new one have what
// a model without files has, and so has one that was opened since a packed cell was put again.
func TestStoreAgreesWithModel(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 7))
			dir := filepath.Join(t.TempDir(), "results")
			s, other := open(t, dir), open(t, dir)
			m := &model{make(map[Key]*Cell), make(map[Key]string), make(map[Key]*Cell),
				make(map[Key]bool), make(map[string]string), make(map[Key]Analysis), 0}
			var done []string
			for range 30 {
				what, again := m.change(t, rng, s)
				if done = append(done, what); again {
					other = open(t, dir)
				}
				for _, s := range []*Store{s, other, open(t, dir)} {
					if err := m.compare(s); err != nil {
						t.Fatalf("after %v: %v", done, err)
					}
				}
			}
		})
	}
}

// change does something to a store and to the model. It says what, and whether it is a cell or a
// failure in place of a cell in a pack.
func (m *model) change(t *testing.T, rng *rand.Rand, s *Store) (what string, again bool) {
	t.Helper()
	i := rng.IntN(5)
	key, c := sample(i, 3, 4)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	switch n := rng.IntN(12); {
	case n < 4:
		c.Rows = c.Rows[:1+rng.IntN(3)]
		c.Provenance.Version = fmt.Sprint(rng.IntN(3))
		check(s.Put(key, c))
		m.cells[key], m.loose[key] = c, true
		delete(m.failures, key)
		return fmt.Sprint("put ", i), m.packed[key] != nil
	case n < 5:
		reason := fmt.Sprint("reason ", rng.IntN(100))
		waitForClock()
		check(s.PutFailure(key, reason))
		waitForClock()
		m.failures[key] = reason
		if !m.loose[key] {
			delete(m.cells, key)
		}
		return fmt.Sprint("fail ", i), m.packed[key] != nil
	case n < 8:
		waitForClock()
		packed, err := s.Pack(t.Context())
		check(err)
		waitForClock()
		if packed.Cells != len(m.loose) || packed.Damaged != 0 {
			t.Errorf("got %+v packed, want %d and none damaged", packed, len(m.loose))
		}
		for key := range m.loose {
			m.packed[key] = m.cells[key]
			delete(m.failures, key)
		}
		clear(m.loose)
		return "pack", false
	case n < 9:
		keys := []Key{key}
		if next, _ := sample((i+2)%5, 1, 1); rng.IntN(2) == 0 {
			keys = append(keys, next)
		}
		check(s.Remove(keys, nil))
		for _, key := range keys {
			delete(m.cells, key)
			delete(m.failures, key)
			delete(m.packed, key)
			delete(m.loose, key)
		}
		return fmt.Sprint("remove ", i, " and ", len(keys)-1), false
	case n < 10:
		name, text := fmt.Sprint("x", i), fmt.Sprintf(`{"a":%d}`, rng.IntN(9))
		if _, ok := m.records[name]; ok && rng.IntN(2) == 0 {
			check(s.RemoveExperiment(name))
			delete(m.records, name)
			return "remove " + name, false
		}
		check(s.PutExperiment(name, []byte(text)))
		m.records[name] = text
		return "record " + name, false
	case n < 11:
		a := Analysis{fmt.Sprint("x", i), key, bytes.Repeat([]byte("data\n"), rng.IntN(500))}
		check(s.PutAnalysis(key, a))
		m.analyses[key] = a
		return fmt.Sprint("analysis ", i), false
	}
	if !m.loose[key] {
		return "nothing", false
	}
	data, err := os.ReadFile(s.Path(key))
	check(err)
	data[len(data)/2] ^= 1
	check(os.WriteFile(s.Path(key), data, 0o666))
	delete(m.loose, key)
	delete(m.cells, key)
	if packed, failed := m.packed[key], m.failures[key] != ""; packed != nil && !failed {
		m.cells[key] = packed
	}
	if _, err := s.Check(key); !isDamaged(err) {
		t.Errorf("a damaged cell: got error %v, want damage", err)
	}
	found, damaged, err := s.Mend(key)
	if (found != nil) != (m.cells[key] != nil) || len(damaged) != 1 || err != nil {
		t.Errorf("repaired: %v, %v, %v, want one file set aside", found, damaged, err)
	}
	m.aside++
	return fmt.Sprint("damage ", i), m.packed[key] != nil
}

// waitForClock waits until the file system gives later times than before.
func waitForClock() { time.Sleep(6 * time.Millisecond) }

// compare says how a store differs from the model.
func (m *model) compare(s *Store) error {
	inv, err := s.Inventory()
	keys, wrong := s.Keys()
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	want := slices.Sorted(maps.Keys(m.cells))
	var listed []Key
	for _, e := range inv.Cells {
		listed = append(listed, e.Key)
	}
	if !slices.Equal(keys, want) || !slices.Equal(listed, want) {
		return fmt.Errorf("keys %v and %v, want %v", keys, listed, want)
	}
	if len(inv.SetAside) != m.aside || len(inv.Temporary)+len(inv.Damaged) > 0 ||
		len(inv.Analyses) != len(m.analyses) {
		return fmt.Errorf("inventory %+v, want %d aside and %d analyses", inv, m.aside, len(m.analyses))
	}
	for i := range 5 {
		key, _ := sample(i, 1, 1)
		if err := m.compareCell(s, key); err != nil {
			return fmt.Errorf("cell %d: %w", i, err)
		}
	}
	for _, f := range inv.Analyses {
		of, err := AnalysisOf(f)
		want := m.analyses[of.Record]
		got, wrong := s.Analysis(of.Record, of.Experiment, of.Record)
		if err != nil || wrong != nil || string(got.Data) != string(want.Data) ||
			want.Experiment != of.Experiment || !s.HasAnalysis(of.Record) {
			return fmt.Errorf("analysis %+v of %+v, %v, %v, want %+v", got, of, err, wrong, want)
		}
	}
	records, err := s.Experiments()
	if err != nil || len(records) != len(m.records) {
		return fmt.Errorf("%d records, %v, want %d", len(records), err, len(m.records))
	}
	names, err := s.Names()
	if want := slices.Sorted(maps.Keys(m.records)); err != nil || !slices.Equal(names, want) {
		return fmt.Errorf("names %v, %v, want %v", names, err, want)
	}
	for i, r := range records {
		if r.Name != names[i] || string(r.Data) != m.records[r.Name] {
			return fmt.Errorf("record %s is %s, want %s", r.Name, r.Data, m.records[r.Name])
		}
	}
	return nil
}

// compareCell says how a cell of a store differs from the model.
func (m *model) compareCell(s *Store, key Key) error {
	want, ok := m.cells[key]
	if s.Has(key) != ok {
		return fmt.Errorf("Has is %v", !ok)
	}
	got, err := s.Get(key)
	by, head := s.ComputedBy(key)
	_, checked := s.Check(key)
	unread, digest, read := s.Read(key)
	if !ok {
		for _, err := range []error{err, checked, read} {
			if !errors.Is(err, ErrNotFound) {
				return fmt.Errorf("there is none, and the error is %v", err)
			}
		}
		f, err := s.Failure(key)
		if reason, failed := m.failures[key]; failed && f.Reason != reason ||
			!failed && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("the failure is %q, %v, want %q", f.Reason, err, reason)
		}
		return nil
	}
	if err := errors.Join(err, head, checked, read); err != nil {
		return err
	}
	data, _ := encodeCell(want)
	sum := sha256.Sum256(data[:len(data)-len("sha256 \n")-2*sha256.Size])
	rows, err := unread.Numbers()
	if got.Kind != want.Kind || by != want.Provenance || got.Provenance != by || err != nil ||
		!slices.EqualFunc(rows, want.Rows, slices.Equal) ||
		!slices.EqualFunc(got.Rows, want.Rows, slices.Equal) || digest != hex.EncodeToString(sum[:]) {
		return fmt.Errorf("%s of %v with %d rows and digest %s, want %+v and %x", got.Kind, by,
			len(got.Rows), digest, want, sum)
	}
	return nil
}
