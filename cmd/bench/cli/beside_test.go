package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/regression"
	"ocobench/problems"
)

// An archive has the analyses of the store that it was made of. One is held beside that of
// its name, or what shares a problem and was not played to tune another; no other is made.
func TestBesideMatchesExperimentsByNameOrProblem(t *testing.T) {
	t.Chdir(t.TempDir())
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	bench := func(args ...string) {
		t.Helper()
		var stderr bytes.Buffer
		if code := Main(args, io.Discard, &stderr, catalog); code != 0 {
			t.Fatalf("bench %q ends with %d: %s", args, code, &stderr)
		}
	}
	for _, x := range []struct{ name, verb, problem string }{
		{"alone", "tune", "iid"}, {"one", "run", "iid"}, {"two", "run", "iid"},
		{"other", "run", "shrinking"},
	} {
		text := "name: " + x.name + "\nhorizon: 10\nreplicates: 2\nproblems: [{use: " +
			x.problem + "}]\nalgorithms: [{use: ogd, step: [0.5, 1]}]\n"
		if err := os.WriteFile(x.name+".yaml", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		bench(x.verb, x.name+".yaml")
	}
	bench("export", "--archive", "a.ocobench", "--experiment", "alone-tuning,one,other,two")
	e := &env{ctx: t.Context(), catalog: catalog, stderr: io.Discard}
	beside := func(from, name, problem string) (found string, data []byte) {
		t.Helper()
		all, err := e.openOther(path(from))
		if err != nil {
			t.Fatal(err)
		}
		s := &regression.Snapshot{Experiment: analysis.Experiment{Name: name}}
		for _, r := range all {
			if r.Name == "two" { // which has iid, and shrinking is that of other
				continue
			}
			for _, p := range r.Problems {
				if p.Name == problem {
					s.Problems = []experiment.Entry{p}
				}
			}
		}
		r := s.Counterpart(all)
		if r == nil {
			return "", nil
		}
		other, err := r.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := r.Snapshot(); again != other {
			t.Errorf("%s is analysed twice", r.Name)
		}
		if data, err = json.Marshal(other); err != nil {
			t.Fatal(err)
		}
		return r.Name, data
	}
	for _, c := range []struct{ name, problem, want string }{
		{"two", "iid", "two"}, {"alone-tuning", "iid", "alone-tuning"}, {"three", "iid", "one"},
		{"three", "shrinking", "other"}, {"three", "", ""},
	} {
		found, store := beside("results", c.name, c.problem)
		same, archive := beside("a.ocobench", c.name, c.problem)
		if found != c.want || same != c.want || !bytes.Equal(store, archive) {
			t.Errorf("beside %s on %q is %q of the store and %q of the archive, want %q; they are the "+
				"same: %v", c.name, c.problem, found, same, c.want, bytes.Equal(store, archive))
		}
	}
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{
		"nothing":  "^there is no store and no archive nothing$",
		"empty":    "^no results in empty; ",
		"one.yaml": "^one.yaml is no snapshot .expected gzip.*; make it anew with bench export --archive",
		os.DevNull: "^/dev/null: is neither a regular file nor a pipe",
	} {
		if _, err := e.openOther(path(from)); err == nil ||
			!regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("of %s the error is %v, want %q", from, err, want)
		}
	}
}
