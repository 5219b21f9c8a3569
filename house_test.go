// Package ocobench holds the tests of the house as a whole: that README is
// true.
package ocobench

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestREADME runs every command that README shows, in a copy of what they
// need, with the program built from this tree.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the default experiment")
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bench := filepath.Join(dir, "bench")
	if out, err := exec.Command("go", "build", "-o", bench, "./cmd/bench").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("examples")); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		for _, line := range strings.Split(block[1], "\n") {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			if strings.HasPrefix(command, "go test") || strings.Contains(command, "check.sh") {
				continue // this is one of their tests
			}
			command = strings.Replace(command, "go run ./cmd/bench", "bench", 1)
			if !strings.HasPrefix(command, "bench") {
				t.Errorf("README shows %q, which is not a command of bench", command)
				continue
			}
			ran++
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
				t.Errorf("%s: %v\n%s", command, err, out)
			}
		}
	}
	if ran < 8 {
		t.Errorf("only %d commands found in README", ran)
	}
}

// TestREADMEExamples holds the files that README prints to those in examples/.
func TestREADMEExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"quick.yaml", "steps.yaml", "rounds.jsonl"} {
		file, err := os.ReadFile(filepath.Join("examples", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(readme), "\n"+string(file)+"```") {
			t.Errorf("README does not show examples/%s as it is", name)
		}
	}
}

// TestArchitecture holds the drawing of docs/architecture.md to the imports.
func TestArchitecture(t *testing.T) {
	// The cache of go test does not know what go list reads, but what the test
	// itself looks at.
	err := filepath.WalkDir(".", func(_ string, d fs.DirEntry, err error) error {
		if name := d.Name(); d.IsDir() && name != "." && strings.HasPrefix(name, ".") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	drawing, err := exec.Command("bash", "scripts/architecture.sh", "--print").Output()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "<!-- architecture.sh: begin -->\n"+string(drawing)+"<!-- architecture.sh: end -->\n") {
		t.Error("docs/architecture.md does not draw the imports as they are; scripts/architecture.sh does")
	}
}
