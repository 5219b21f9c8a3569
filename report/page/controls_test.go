package page

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/internal/tool"
)

// Every control, cell and address of a page leads where a plain model of the view says, and its
// tables have the numbers of the data, whatever an experiment has and lacks.
func TestControls(t *testing.T) {
	node := tool.Find(t, "nodejs", "node")
	file := filepath.Join(t.TempDir(), "page.html")
	html := written(t, Item{Analysis: &analysis.Analysis{Experiment: analysis.Experiment{
		Name: "empty", Horizon: []int{10}, Replicates: 1}}})
	if err := os.WriteFile(file, []byte(html), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, filepath.Join("testdata", "controls.js"), file).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
