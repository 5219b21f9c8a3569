package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocobench/internal/file"
	"ocobench/internal/long"
)

// sample returns cell i of a series of different cells, with numbers such as those
// of a game.
func sample(i, rows, columns int) (Key, *Cell) {
	rng := rand.New(rand.NewPCG(uint64(i), 1))
	c := &Cell{
		Kind:       Game,
		Identity:   json.RawMessage(fmt.Sprintf(`{"algorithm":"primal-dual","replicate":%d}`, i)),
		Provenance: Provenance{"v1.0.0", runtime.Version(), runtime.GOARCH},
	}
	for j := range columns {
		c.Columns = append(c.Columns, fmt.Sprintf("metric_%d", j))
	}
	for t := range rows {
		row := make([]float64, columns)
		row[0] = float64(t + 1)
		for j := 1; j < columns; j++ {
			row[j] = rng.NormFloat64() * math.Exp(10*rng.NormFloat64())
		}
		c.Rows = append(c.Rows, row)
	}
	return KeyOf(c.Identity), c
}

// checkSame fails the test unless got has the bits of want, with math.NaN for every
// NaN.
func checkSame(t *testing.T, got, want *Cell) {
	t.Helper()
	g, w := *got, *want
	g.Rows, w.Rows = nil, nil
	if !reflect.DeepEqual(g, w) {
		t.Fatalf("got %+v, want %+v", g, w)
	}
	if len(got.Rows) != len(want.Rows) {
		t.Fatalf("got %d rows, want %d", len(got.Rows), len(want.Rows))
	}
	for i, row := range want.Rows {
		if len(got.Rows[i]) != len(row) {
			t.Fatalf("row %d: got %d values, want %d", i, len(got.Rows[i]), len(row))
		}
		for j, v := range row {
			bits := math.Float64bits(v)
			if v != v {
				bits = math.Float64bits(math.NaN())
			}
			if b := math.Float64bits(got.Rows[i][j]); b != bits {
				t.Fatalf("row %d, column %d: got %#x, want %#x", i, j, b, bits)
			}
		}
	}
}

func open(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func put(t testing.TB, s *Store, key Key, c *Cell) {
	t.Helper()
	if err := s.Put(key, c); err != nil {
		t.Fatal(err)
	}
}

func TestCellRoundTripsBitForBit(t *testing.T) {
	odd := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(),
		math.Float64frombits(0xfff8000000000123), // a negative NaN with a payload
		math.Float64frombits(0x7ff0000000000001), // a signalling one
		math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, 0x1p-1022, 1.0 / 3, 1e21, 1e-7,
		1 << 53,
	}
	_, game := sample(1, 200, 20)
	cells := map[string]*Cell{
		"odd floats": {Kind: Game, Identity: json.RawMessage(`{"a":1}`),
			Columns: strings.Split("abcdefghijklmno", ""), Rows: [][]float64{odd, odd}},
		"a game": game,
		"no rows": {Kind: Hindsight, Identity: json.RawMessage(`{"b":1}`),
			Columns: []string{"t"}},
		"no table": {Kind: Hindsight, Identity: json.RawMessage(`2`)},
		"spaces and quotes": {Kind: "<\"&\n>", Identity: json.RawMessage(` {"a" : "<&> \\n"} `),
			Columns: []string{" a b ", "‖x‖²"}, Rows: [][]float64{{1, 2}}},
	}
	s := open(t, filepath.Join(t.TempDir(), "deep", "results"))
	for name, c := range cells {
		t.Run(name, func(t *testing.T) {
			key := KeyOf(c.Identity)
			put(t, s, key, c)
			checkSame(t, cellOf(t, s, key), c)
		})
	}
}

// The format must not change: stores are older than programs.
func TestCellFormatIsFrozen(t *testing.T) {
	c := &Cell{
		Kind:       Game,
		Identity:   json.RawMessage(`{"seed":1}`),
		Provenance: Provenance{"v1", "go1.26.8", "amd64"},
		Columns:    []string{"t", "loss"},
		Rows:       [][]float64{{1, 0.1}, {10000, math.NaN()}, {1e6, math.Inf(-1)}},
	}
	const want = `{"format":"ocobench cell 1","kind":"game","rows":3,"version":"v1","go":"go1.26.8","goarch":"amd64"}
{"seed":1}

t	loss
1	0.1
10000	NaN
1e+06	-Inf
sha256 e4bb85155922294a1634741ac9f448978f1a88e2199972e37dfa97c3adfab5ab
`
	got, err := encodeCell(c)
	if err != nil || string(got) != want {
		t.Errorf("encode: %v\n%s\nwant\n%s", err, got, want)
	}
	if key, want := KeyOf(c.Identity), Key(
		"fbe47f6d82b435a89f6e6fca65ad16138195de06c5fc3ffb66826a76e64e479f"); key != want {
		t.Errorf("key %s, want %s", key, want)
	}
}

func TestPutRefusesUnreadableCells(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	for name, spoil := range map[string]func(*Cell){
		"identity of several lines": func(c *Cell) { c.Identity = json.RawMessage("{\n}") },
		"identity not JSON":         func(c *Cell) { c.Identity = json.RawMessage("{") },
		"no identity":               func(c *Cell) { c.Identity = nil },
		"short row":                 func(c *Cell) { c.Rows[1] = c.Rows[1][:2] },
		"long row":                  func(c *Cell) { c.Rows[1] = append(c.Rows[1], 1) },
		"tab in a column":           func(c *Cell) { c.Columns[1] = "a\tb" },
		"column without name":       func(c *Cell) { c.Columns[1] = "" },
		"columns of one name":       func(c *Cell) { c.Columns[1] = c.Columns[0] },
		"rows without columns":      func(c *Cell) { c.Columns = nil; c.Rows = make([][]float64, 2) },
		"a row without columns":     func(c *Cell) { c.Columns = nil; c.Rows = make([][]float64, 1) },
		"kind not UTF-8":            func(c *Cell) { c.Kind = "\xff" },
	} {
		t.Run(name, func(t *testing.T) {
			_, c := sample(1, 3, 3)
			spoil(c)
			if err := s.Put(KeyOf(c.Identity), c); err == nil {
				t.Error("got no error, want a refusal")
			}
		})
	}
	key, _ := sample(1, 3, 3)
	_, other := sample(2, 3, 3)
	if err := s.Put(key, other); err == nil {
		t.Error("the key of another identity: got no error, want a refusal")
	}
	for _, key := range []Key{"", "ab", "../../../../etc/passwd", Key(strings.ToUpper(string(key))),
		key + "0"} {
		if s.Has(key) {
			t.Errorf("Has(%q) = true, want false", key)
		}
		if _, err := s.Get(key); err == nil || errors.Is(err, ErrNotFound) {
			t.Errorf("Get(%q): got error %v, want another than %v", key, err, ErrNotFound)
		}
		if err := s.Put(key, other); err == nil {
			t.Errorf("Put(%q): got no error, want a refusal", key)
		}
	}
	if _, err := os.Stat(s.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after refusals: got error %v, want no folder of the store", err)
	}
}

// checkDamaged fails the test unless Get says that the cell is damaged, and where its file is.
func checkDamaged(t *testing.T, s *Store, key Key, what string) {
	t.Helper()
	c, err := s.Get(key)
	var damaged *DamagedError
	if !errors.As(err, &damaged) || damaged.Path != s.Path(key) || damaged.Reason == "" || c != nil {
		t.Fatalf("%s: got %v, %v, want a DamagedError", what, c, err)
	}
}

func TestEveryDamageOfACellIsFound(t *testing.T) {
	s := open(t, t.TempDir())
	key, c := sample(1, 3, 4)
	put(t, s, key, c)
	path := s.Path(key)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		checkDamaged(t, s, key, what)
	}
	for i := range whole {
		spoil(fmt.Sprintf("cut at %d", i), whole[:i])
		if _, err := decodeCell(whole[i+1:]); err == nil {
			t.Errorf("without its first %d bytes: got no error, want one", i+1)
		}
		if _, err := decodeCell(slices.Delete(bytes.Clone(whole), i, i+1)); err == nil {
			t.Errorf("without byte %d: got no error, want one", i)
		}
		for bit := range 8 {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 1 << bit
			if _, err := decodeCell(flipped); err == nil {
				t.Errorf("bit %d of byte %d flipped: got no error, want one", bit, i)
			}
		}
	}
	spoil("appended newline", append(bytes.Clone(whole), '\n'))
	spoil("appended twice", append(bytes.Clone(whole), whole...))
	spoil("zeros, as a file system leaves them", make([]byte, len(whole)))

	_, other := sample(2, 3, 4)
	data, err := encodeCell(other)
	if err != nil {
		t.Fatal(err)
	}
	spoil("another cell's file", data)

	put(t, s, key, c) // putting it again repairs the store
	got, err := s.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, got, c)
}

// Files with the right digest but wrong content are refused too.
func TestSealedNonsenseIsRefused(t *testing.T) {
	const head = `{"format":"ocobench cell 1","rows":`
	for _, body := range []string{
		"", "\n", "\n\n\n\n", "{}\n{}\n\n\n", "null\n1\n\nt\n",
		`{"format":"ocobench cell 2","rows":0}` + "\n1\n\nt\n",
		head + "1}\n1\n\nt\n",
		head + "0}\n1\n\nt\n1\n",
		head + "-1}\n1\n\nt\n",
		head + "9223372036854775807}\n1\n\nt\n1\n",
		head + "1e99}\n1\n\nt\n1\n",
		head + "1}\n1\n\nt\n1",
		head + "1}\n1\n\nt\n1\n2",
		head + "0}\n1\n\nt\n2",
		head + "1}\n1\n\nt\n\n",
		head + "1}\n1\n\n\n\n",
		head + "1}\n1\n\nt\n1\t2\n",
		head + "1}\n1\n\nt\nx\n",
		head + "1}\n1\n\nt\n1e999\n",
		head + "2}\n1\n\nt\ta\n1\t2\t3\n1\n",
		head + "1}\n1\n\nt\tt\n1\t2\n",
		head + "1}\n{\n\nt\n1\n",
		head + "1}\n1\n{\nt\n1\n",
		head + "1}\n1\n{}\nt\n1\n",
	} {
		if c, err := decodeCell(appendDigest([]byte(body))); err == nil {
			t.Errorf("%q: got %+v, want an error", body, c)
		}
	}
	if _, err := decodeCell(appendDigest([]byte(head + "1}\n1\n\nt\n1\n"))); err != nil {
		t.Errorf("the right one: got error %v, want none", err)
	}
}

// checkStore fails the test unless s has the first n samples, undamaged, and no other
// cells.
func checkStore(t *testing.T, s *Store, n, rows, columns int) {
	t.Helper()
	for i := range n {
		key, want := sample(i, rows, columns)
		got, err := s.Get(key)
		if err != nil {
			t.Fatal(err)
		}
		want.Provenance = got.Provenance
		checkSame(t, got, want)
	}
	keys, err := s.Keys()
	if err != nil || len(keys) != n {
		t.Fatalf("%d keys, want %d: %v", len(keys), n, err)
	}
	if temps := temporaries(t, s); len(temps) > 0 {
		t.Fatalf("got temporary files %q, want none", temps)
	}
}

// temporaries returns the temporary files in the directory of a store.
func temporaries(t testing.TB, s *Store) []string {
	t.Helper()
	var found []string
	err := s.walkFiles(func(path string, d fs.DirEntry) error {
		if strings.HasPrefix(d.Name(), tempPrefix) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestMain turns the test binary into a writer of samples for the tests of
// several processes: OCOBENCH_STORE is the folder, OCOBENCH_CELLS how many. With
// OCOBENCH_KEEP it packs them instead, or removes every second one.
func TestMain(m *testing.M) {
	dir := os.Getenv("OCOBENCH_STORE")
	if dir == "" {
		long.InMemory()
		os.Exit(m.Run())
	}
	var n int
	fmt.Sscan(os.Getenv("OCOBENCH_CELLS"), &n)
	do := writeSamples
	if keep := os.Getenv("OCOBENCH_KEEP"); keep != "" {
		do = keeperTasks[keep]
	}
	if err := do(dir, n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeSamples(dir string, n int) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	errs := make(chan error, 4)
	for w := range cap(errs) {
		go func() {
			for i := w; i < n; i += cap(errs) {
				if err := s.Put(sample(i, 65, 12)); err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range cap(errs) {
		err = errors.Join(err, <-errs)
	}
	return err
}

func startWriter(t *testing.T, dir string, n int, env ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "OCOBENCH_STORE="+dir, fmt.Sprint("OCOBENCH_CELLS=", n))
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

func countCells(t *testing.T, s *Store) int {
	t.Helper()
	keys, err := s.Keys()
	if err != nil {
		t.Fatal(err)
	}
	return len(keys)
}

// checkWhole fails the test unless every cell of the store can be read.
func checkWhole(t *testing.T, s *Store) {
	t.Helper()
	keys, err := s.Keys()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if _, err := s.Get(key); err != nil {
			t.Fatal(err)
		}
	}
}

// makeAbandoned sets the times of the files so far back that their writers are taken for dead.
func makeAbandoned(t *testing.T, files []string) {
	t.Helper()
	old := time.Now().Add(-file.Abandoned - time.Minute)
	for _, file := range files {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSweepRemovesAbandonedFiles(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	if n, err := s.Sweep(); n != 0 || err != nil {
		t.Fatalf("Sweep of nothing: got %d, error %v, want 0", n, err)
	}
	key, c := sample(1, 3, 3)
	put(t, s, key, c)
	if err := s.PutExperiment("e", []byte("1")); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(s.Dir(), "experiments", "e.json")
	young := filepath.Join(s.Dir(), "experiments", tempPrefix+"young")
	old := []string{
		filepath.Join(filepath.Dir(s.Path(key)), tempPrefix+"a"),
		filepath.Join(s.Dir(), "experiments", tempPrefix+"b"),
	}
	for _, path := range append(old, young) {
		if err := os.WriteFile(path, []byte("half a ce"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	makeAbandoned(t, append(old, s.Path(key), record))
	if n, err := s.Sweep(); n != len(old) || err != nil {
		t.Errorf("Sweep: got %d, error %v, want %d", n, err, len(old))
	}
	if left := temporaries(t, s); !slices.Equal(left, []string{young}) {
		t.Errorf("left %q, want the young file", left)
	}
	if _, err := s.Get(key); err != nil {
		t.Error(err)
	}
	if records, err := s.Experiments(); len(records) != 1 || err != nil {
		t.Errorf("got records %v, error %v, want one", records, err)
	}
}

func TestExperimentsListsSoundRecords(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "results"))
	check := func(want ...Record) {
		t.Helper()
		got, err := s.Experiments()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %q, %v, want %q", got, err, want)
		}
	}
	put := func(name, rec string) {
		t.Helper()
		if err := s.PutExperiment(name, []byte(rec)); err != nil {
			t.Fatal(err)
		}
	}
	check([]Record(nil)...)
	longest := strings.Repeat("n", 200)
	put(longest, "4")
	if err := s.RemoveExperiment(longest); err != nil {
		t.Fatal(err)
	}
	put("a.b_c", `{"x":1}`)
	put("a", "{\n \"seed\": 1\n}\n")
	put("a-2", `3`) // sorts after a, though a-2.json sorts before a.json
	check(Record{"a", []byte("{\n \"seed\": 1\n}\n")}, Record{"a-2", []byte("3")},
		Record{"a.b_c", []byte(`{"x":1}`)})
	put("a", `2`)
	check(Record{"a", []byte("2")}, Record{"a-2", []byte("3")}, Record{"a.b_c", []byte(`{"x":1}`)})

	for _, name := range []string{"", ".", "..", ".hidden", "-flag", "a/b", "../a", `a\b`, "a b",
		"a\x00", "é", "a\n", strings.Repeat("a", 201)} {
		if err := s.PutExperiment(name, []byte("1")); err == nil {
			t.Errorf("name %q: got no error, want a refusal", name)
		}
	}
	if err := s.PutExperiment("bad", []byte("{")); err == nil {
		t.Error("a record that is not JSON: got no error, want a refusal")
	}

	path := filepath.Join(s.Dir(), "experiments", "a.json")
	if err := os.WriteFile(path, []byte(`{"cut`), 0o666); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if _, err := s.Experiments(); !errors.As(err, &damaged) || damaged.Path != path {
		t.Errorf("a damaged record: got error %v, want damage of %s", err, path)
	}
}

// An error names the path, and what to do about it.
func TestErrorsNameThePathAndTheRemedy(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	blocked := open(t, filepath.Join(dir, "blocked"))
	if err := errors.Join(os.WriteFile(file, nil, 0o666), os.MkdirAll(blocked.Dir(), 0o777),
		os.WriteFile(filepath.Join(blocked.Dir(), "cells"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	key, c := sample(1, 3, 3)
	_, isFile := Open(file)
	_, inFile := Open(filepath.Join(file, "results"))
	for name, want := range map[string]struct {
		err          error
		path, remedy string
	}{
		"a file":            {isFile, file, "another store"},
		"a folder in one":   {inFile, file, "another store"},
		"a blocked cell":    {blocked.Put(key, c), blocked.Path(key), "move it away"},
		"a full disk":       {withRemedy(&os.PathError{Path: dir, Err: syscall.ENOSPC}), dir, "free some space"},
		"no right to write": {withRemedy(&os.PathError{Path: dir, Err: os.ErrPermission}), dir, "writable"},
	} {
		t.Run(name, func(t *testing.T) {
			if want.err == nil || !strings.Contains(want.err.Error(), want.path) ||
				!strings.Contains(want.err.Error(), want.remedy) {
				t.Errorf("the error is %v, want %s and %q", want.err, want.path, want.remedy)
			}
		})
	}
}

// Any bytes, with or without the right digest, are read or refused. A cell that is
// read can be written and read again as the same cell.
func FuzzDecodedCellsAreEncodedAgain(f *testing.F) {
	_, c := sample(1, 3, 3)
	data, err := encodeCell(c)
	if err != nil {
		f.Fatal(err)
	}
	body, err := checkDigest(data)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(body))
	f.Add([]byte(`{"format":"ocobench cell 1","rows":1}` + "\n1\n\nt\ta\n0x1p-2\tinf\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range [][]byte{data, appendDigest(bytes.Clone(data))} {
			c, err := decodeCell(text)
			if err != nil {
				continue
			}
			again, err := encodeCell(c)
			if err != nil {
				t.Fatalf("encoding what was decoded: got error %v, want none", err)
			}
			c2, err := decodeCell(again)
			if err != nil {
				t.Fatalf("decoding what was encoded: got error %v, want none", err)
			}
			checkSame(t, c2, c)
		}
	})
}

// A directory is synced where its file system can sync directories; that of processes cannot.
func TestSyncDirNeedsADirectory(t *testing.T) {
	for dir, want := range map[string]bool{t.TempDir(): true, "/proc": true, "/nowhere": false} {
		if _, err := os.Stat(dir); dir == "/proc" && err != nil {
			continue
		}
		if err := syncDir(dir); (err == nil) != want {
			t.Errorf("syncing %s: %v, want success: %v", dir, err, want)
		}
	}
}
