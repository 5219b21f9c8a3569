package page

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ocobench/harness/analysis"
)

// The page of all runs lists those of the folders that have one, and nothing else.
func TestRunsAreFoldersThatHaveAPage(t *testing.T) {
	dir := t.TempDir()
	mine := `<meta name="generator" content="ocobench 1">`
	for name, text := range map[string]string{
		"b/index.html": mine, "a b:c/index.html": mine, "shown/index.html": mine,
		"theirs/index.html": "<p>", "none/other.html": mine, "index.html": mine, "d/e/index.html": mine,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder", File), 0o777); err != nil {
		t.Fatal(err)
	}
	shown := &analysis.Analysis{Experiment: analysis.Experiment{Name: "shown"}}
	want := []Run{{"a b:c", "a b:c/index.html"}, {"b", "b/index.html"}, {"shown", ""}}
	got := Runs(dir, []Item{{Analysis: shown}})
	if !slices.Equal(got, want) {
		t.Errorf("the runs are %v, want %v", got, want)
	}
	if got := Runs(filepath.Join(dir, "d"), nil); !slices.Equal(got, []Run{{"e", "e/index.html"}}) {
		t.Errorf("d: got runs %v, want e", got)
	}
	e := &analysis.Analysis{Experiment: analysis.Experiment{Name: "e"}}
	if got := Runs(filepath.Join(dir, "d"), []Item{{Analysis: e}}); got != nil {
		t.Errorf("a page of all: got runs %v, want none", got)
	}
	if got := Runs(filepath.Join(dir, "nowhere"), nil); got != nil {
		t.Errorf("no directory: got runs %v, want none", got)
	}
}
