package page

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocobench/internal/golden"
	"ocobench/internal/tool"
)

var update = flag.Bool("update", false,
	"rewrite the pictures of the page and its charts; commit them only if you have looked at them")

// The charts and figures that the script draws of made-up data are the pictures in
// testdata/drawings, which a browser shows.
func TestDrawings(t *testing.T) {
	node := tool.Find(t, "nodejs", "node")
	out, err := exec.Command(node, filepath.Join("testdata", "drawings.js")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, sheets, _ := strings.Cut("\n"+string(out), "\n== ")
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
