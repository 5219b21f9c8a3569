package paper

import (
	"slices"
	"testing"
)

// The index of the files of the paper has each file by its place below the directory of its
// experiment, once, with the endings that there are.
func TestBases(t *testing.T) {
	got := bases("out/a", []string{"out/a/tables/finals.txt", "out/a/matrix.pdf",
		"out/a/tables/finals.csv"})
	if want := []string{"matrix (pdf)", "tables/finals (csv, txt)"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
