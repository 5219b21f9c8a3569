package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/problems"
)

// An archive and the store that it was made of read as the same analyses, of the
// experiments that are sought if all of them are there, and else of all.
func TestReadBeside(t *testing.T) {
	t.Chdir(t.TempDir())
	catalog := harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	bench := func(args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		if code := Main(args, io.Discard, &stderr, catalog); code != 0 {
			t.Fatalf("bench %q ends with %d: %s", args, code, &stderr)
		}
	}
	for name, verb := range map[string]string{"one": "run", "two": "run", "grid": "tune"} {
		text := "name: " + name + "\nhorizon: 10\nreplicates: 2\nproblems: [{use: iid}]\nalgorithms: [{use: ogd, step: [0.5, 1]}]\n"
		if err := os.WriteFile(name+".yaml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		bench(verb, name+".yaml")
	}
	bench("export", "--archive", "a.ocobench")
	bench("export", "--archive", "tuned.ocobench", "--experiment", "grid-tuning")
	read := func(path string, names ...string) (found []string, data []byte) {
		t.Helper()
		all, err := readBeside(t.Context(), catalog, path, names...)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			found = append(found, a.Experiment.Name)
		}
		if data, err = json.Marshal(all); err != nil {
			t.Fatal(err)
		}
		return found, data
	}
	for _, c := range []struct{ names, want []string }{
		{nil, []string{"one", "two"}}, {[]string{"two"}, []string{"two"}}, {[]string{"two", "three"}, []string{"one", "two"}},
	} {
		found, store := read("results", c.names...)
		_, archive := read("a.ocobench", c.names...)
		if !slices.Equal(found, c.want) || !bytes.Equal(store, archive) {
			t.Errorf("of %q there are %q, want %q; the archive has the same: %v", c.names, found, c.want, bytes.Equal(store, archive))
		}
	}
	if found, _ := read("tuned.ocobench", "grid-tuning"); !slices.Equal(found, []string{"grid-tuning"}) {
		t.Errorf("what was tuned is read as %q", found)
	}
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"nothing":        "^there is no store and no archive nothing$",
		"empty":          "^no results in empty; ",
		"one.yaml":       "^one.yaml is no archive .expected gzip",
		"tuned.ocobench": "^tuned.ocobench has no experiment but what bench tune played$",
		os.DevNull:       "^/dev/null: is neither a regular file nor a pipe",
	} {
		if _, err := readBeside(t.Context(), catalog, path); err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("of %s the error is %v, want %q", path, err, want)
		}
	}
}
