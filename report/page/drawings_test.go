package page

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/internal/golden"
)

var update = flag.Bool("update", false,
	"rewrite the pictures of the page and its charts; commit them only if you have looked at them")

// The charts and figures that the script draws of made-up data are the pictures in
// testdata/drawings, which a browser shows.
func TestDrawings(t *testing.T) {
	_, sheets, _ := strings.Cut("\n"+inNode(t, "drawings.js"), "\n== ")
	all := strings.Split(sheets, "\n== ")
	for _, sheet := range all {
		name, drawn, _ := strings.Cut(sheet, "\n")
		golden.File(t, filepath.Join("drawings", name), strings.TrimSpace(drawn)+"\n", *update)
	}
	files, err := os.ReadDir(filepath.Join("testdata", "drawings"))
	if err != nil || len(files) != len(all) {
		t.Errorf("there are %d files of %d drawings (error %v)", len(files), len(all), err)
	}
}
