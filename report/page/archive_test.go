package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/internal/long"
)

// archived returns an archive of JSON of experiments, with the digest that belongs to it.
func archived(experiments []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, `{"schema":%q,"experiments":%s,"digest":"sha256 %x"}`, regression.Schema,
		experiments, sha256.Sum256(experiments))
	z.Close()
	return b.Bytes()
}

// A jsonPlace is a member of an object or an element of a list in a JSON text.
type jsonPlace struct {
	path string // with * for the number of an element
	set  func(value any)
	old  any
}

// jsonPlaces lists the places within a value.
func jsonPlaces(v any, path string) (all []jsonPlace) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			all = append(all, jsonPlace{path + "." + k, func(x any) { v[k] = x }, v[k]})
			all = append(all, jsonPlaces(v[k], path+"."+k)...)
		}
	case []any:
		for k := range v {
			all = append(all, jsonPlace{path + ".*", func(x any) { v[k] = x }, v[k]})
			all = append(all, jsonPlaces(v[k], path+".*")...)
		}
	}
	return all
}

// besideArchive does what bench report --beside does with an archive. It reports whether the
// archive is taken.
func besideArchive(t *testing.T, mine *regression.Snapshot, experiments string) bool {
	all, err := regression.Read(bytes.NewReader(archived([]byte(experiments))))
	if err != nil {
		if len(err.Error()) > 1000 {
			t.Errorf("got an error of %d characters, want at most 1000: %.200s", len(err.Error()), err)
		}
		return false
	}
	for _, other := range all {
		regression.Compare(t.Context(), mine, other) // does not panic
		both, err := regression.SideBySide(t.Context(), mine, other, [2]string{"A", "B"})
		if err != nil {
			continue
		}
		if err := Write(io.Discard, []Item{{Analysis: both.Analysis, Beside: both}}); err != nil {
			t.Error(err)
		}
	}
	return true
}

// snapshot takes a snapshot of an experiment, with its analysis.
func snapshot(t testing.TB, source string) *regression.Snapshot {
	t.Helper()
	r := resultsOf(t, planOf(t, source), run.Options{Workers: 2})
	a, err := analysis.NewUnfitted(catalog, r).Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := regression.TakeFitted(r)
	s.Analysis = a
	return s
}

// example returns a snapshot and its JSON in an archive.
func example(t testing.TB) (*regression.Snapshot, string) {
	s := snapshot(t, "name: a\nhorizon: 30\nreplicates: 2\nwindow: 1\nproblems: [{use: iid, dim: 2}, "+
		"{use: shrinking}]\nalgorithms: [{use: ogd, label: ours}, {use: yu-neely-wei}]\n")
	data, err := json.Marshal([]*regression.Snapshot{s})
	if err != nil {
		t.Fatal(err)
	}
	return s, string(data)
}

// values take the place of others.
var values = []string{"null", "0", "-1", "1e308", "1e-320", "99999999999", "1.5", `""`, `"x"`,
	`"at most"`, `"measured"`, `"Infinity"`, "true", "[]", "{}", "[null]", "[[]]", "[1]", `{"a":1}`}

// An archive that says anything else in any one place, with the digest of that, is refused or
// shown: nothing panics.
func TestArchiveWithOtherValuesIsRefusedOrShown(t *testing.T) {
	a, text := example(t)
	var experiments any
	if err := json.Unmarshal([]byte(text), &experiments); err != nil || !besideArchive(t, a, text) {
		t.Fatalf("the archive itself: got it refused, error %v, want it read", err)
	}
	metric := regexp.MustCompile(`\.regret_\w+|\.violation_\w+`) // metrics are alike
	long.Run(t, func(t *testing.T, whole bool) {
		seen, tried, taken := make(map[string]bool), 0, 0
		for _, p := range jsonPlaces(experiments, "") {
			kind := metric.ReplaceAllString(p.path, ".metric")
			if seen[kind] {
				continue
			}
			seen[kind] = true
			for k, v := range values {
				if !whole && (tried+k)%100 > 0 {
					continue
				}
				p.set(json.RawMessage(v))
				mutant, err := json.Marshal(experiments)
				if err != nil {
					t.Fatal(err)
				}
				if besideArchive(t, a, string(mutant)) {
					taken++
				}
			}
			p.set(p.old)
			tried++
		}
		if tried < 100 || taken == 0 {
			t.Errorf("%d places, %d taken, want 100 places and some taken", tried, taken)
		}
	})
}
