package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocobench/internal/tool"
)

// The commands of docs/examples.md run, at a small size. Every algorithm of each experiment plays,
// and nothing fails.
func TestExperimentsOfTheFieldRun(t *testing.T) {
	t.Parallel()
	needs(t, "json")
	text, err := os.ReadFile("../docs/examples.md")
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`(?m)^bench run examples/([a-z]+)\.yaml .*$`).FindAllStringSubmatch(
		string(text), -1)
	if len(all) != 3 {
		t.Fatalf("docs/examples.md has %d commands, want 3", len(all))
	}
	for _, c := range all {
		t.Run(c[1], func(t *testing.T) {
			t.Parallel()
			if c[1] == "svm" {
				tool.Find(t, "python3-sklearn", interpreter, "-c", "import sklearn")
			}
			bench, dir := built(t), t.TempDir()
			module, err := filepath.Abs("python")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", c[0]+" --horizon 12 --replicates 2 "+
				"--store "+filepath.Join(dir, "results")+" --out "+filepath.Join(dir, "out"))
			cmd.Dir = ".."
			cmd.Env = append(os.Environ(), "PYTHONPATH="+module, "PATH="+filepath.Dir(bench)+":"+
				filepath.Dir(interpreter)+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil || strings.Contains(string(out), "not played") ||
				!strings.Contains(string(out), "Experiment "+c[1]+",") {
				t.Errorf("%s: got error %v, want all pairs played:\n%s", c[0], err, out)
			}
		})
	}
}
