//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every old text of the list occurs exactly once in the tree as it is, and the list is
// as long and as broad as it has to be.
func TestDefectsAreInTheTree(t *testing.T) {
	all, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	packages := make(map[string]int)
	for _, d := range all {
		packages[d.pkg()]++
		if d.wrong == "" {
			t.Errorf("%s:%d: it does not say what is wrong", list, d.line)
		}
	}
	if len(all) < 150 || len(packages) < 15 {
		t.Errorf("%d defects in %d packages", len(all), len(packages))
	}
}

func TestParse(t *testing.T) {
	all, err := parse(list,
		"# a comment\n\na/b.go: c\n- \told\n- \tlines\n+ \tnew\n\nm.go: d: e\n- x\n+\n")
	want := []defect{
		{3, "a/b.go", "c", "\told\n\tlines", "\tnew", nil},
		{8, "m.go", "d: e", "x", "", nil},
	}
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("got %q, %v, want %q", all, err, want)
	}
	if all[0].pkg() != "a" || all[1].pkg() != "." || all[0].id() == all[1].id() {
		t.Errorf("%q and %q", all[0].pkg(), all[1].pkg())
	}
	for _, bad := range []string{
		"a.go: c\n- old\n", "a.go: c\n- same\n+ same\n", "a.go: c\n+ new\n", "- old\n+ new\n",
		"a.go\n- old\n+ new\n",
		"a.go: c\nb.go: d\n", "a.go: c\n- old\n+ new\n- old\n",
	} {
		if all, err := parse(list, bad); err == nil {
			t.Errorf("%q is read as %q", bad, all)
		}
	}
}

// A defect is refused where its old text is missing, or there twice.
func TestApply(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.go"), []byte("one two two"), 0o666); err != nil {
		t.Fatal(err)
	}
	sound, defective, err := defect{file: "a.go", old: "one", new: "three"}.apply(root)
	if err != nil || string(sound) != "one two two" || string(defective) != "three two two" {
		t.Errorf("%q, %q, %v", sound, defective, err)
	}
	for old, want := range map[string]string{"two": "occurs 2 times", "four": "occurs 0 times"} {
		if _, _, err := (defect{file: "a.go", old: old, new: "x"}).apply(root); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", old, err)
		}
	}
	if _, _, err := (defect{file: "b.go", old: "x", new: "y"}).apply(root); err == nil {
		t.Error("a file that is not there has a defect")
	}
}

func TestSample(t *testing.T) {
	var all []defect
	for i := range 100 {
		all = append(all, defect{line: i})
	}
	a, b := sample(all, 10, 1), sample(all, 10, 1)
	if len(a) != 10 || !slices.Equal(a, b) ||
		!slices.IsSortedFunc(a, func(x, y defect) int { return x.line - y.line }) {
		t.Errorf("samples %v and %v", a, b)
	}
	if slices.Equal(a, sample(all, 10, 2)) || len(sample(all, 200, 1)) != 100 {
		t.Error("a sample does not depend on its seed, or is larger than all")
	}
}

// The nearest packages come first, and the tests of the documents last.
func TestAround(t *testing.T) {
	h := &house{
		tested:    map[string]bool{"docs": true, "a": true, "b": true, "c": true},
		importers: map[string][]string{"a": {"c", "d"}, "d": {"b"}, "b": {"docs"}},
	}
	if got := h.around("a"); !slices.Equal(got, []string{"a", "c", "b", "docs"}) {
		t.Errorf("around a: %q", got)
	}
	if got := h.around("d"); !slices.Equal(got, []string{"b", "docs"}) {
		t.Errorf("around d, which has no tests: %q", got)
	}
}
