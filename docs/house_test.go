// Package docs holds the tests of the house as a whole: that its documents are true,
// and that packages import only from the floors below them.
package docs

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/internal/golden"

	"github.com/goccy/go-yaml"
)

// documents are what a user reads, by their names.
func documents(t *testing.T) map[string]string {
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := make(map[string]string)
	for _, name := range append(names, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

// built returns a new directory with the program of this tree as bench.
func built(t *testing.T) (dir string) {
	dir = t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "bench"),
		"./cmd/bench").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return dir
}

// shell is a command line in such a directory, which finds bench there.
func shell(dir, command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	return cmd
}

// TestDocuments runs every command that a document shows, in a copy of what
// they need, with the program built from this tree. The documents share a
// store, as those of a reader do; README comes first.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the default experiment")
	}
	dir := built(t)
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("examples")); err != nil {
		t.Fatal(err)
	}
	// as docs/python.md says
	for _, name := range []string{"clients/python/ocobench.py", "examples/penalty.py",
		"examples/servers.py"} {
		file, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), file, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	python := shell(dir, "python3 -c 'import ocobench'").Run() == nil
	texts := documents(t)
	ran, checked := make(map[string]int), false
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(
			texts[name], -1) {
			for _, line := range strings.Split(block[1], "\n") {
				command, ok := strings.CutPrefix(line, "$ ")
				if !ok {
					continue
				}
				ran[name]++
				if strings.HasPrefix(command, "go test") || strings.Contains(command, "check.sh") {
					continue // this is one of their tests
				}
				command = strings.Replace(command, "go run ./cmd/bench", "bench", 1)
				if command == "bench check" && checked {
					continue // it reads no store and writes nothing: once is enough
				}
				checked = checked || command == "bench check"
				if !strings.HasPrefix(command, "bench") {
					t.Errorf("%s shows %q, which is not a command of bench", name, command)
					continue
				}
				if !python && name == "docs/python.md" {
					t.Logf("%s: not run, for lack of python3, 3.9 or newer: %s", name, command)
					continue
				}
				if out, err := shell(dir, command).CombinedOutput(); err != nil || len(out) == 0 {
					t.Errorf("%s: %s: %v\n%s", name, command, err, out)
				}
			}
		}
		if shown := strings.Count(texts[name], "\n$ "); ran[name] != shown {
			t.Errorf("%s shows %d commands, and %d of them in blocks that are run", name, shown, ran[name])
		}
	}
	for name, least := range map[string]int{
		"README.md": 12, "docs/article.md": 6, "docs/comparing.md": 8, "docs/data.md": 7,
		"docs/environment.md": 5, "docs/experiments.md": 12, "docs/gate.md": 4, "docs/python.md": 11,
		"docs/reading.md": 4, "docs/report.md": 8,
	} {
		if ran[name] < least {
			t.Errorf("only %d commands found in %s", ran[name], name)
		}
	}
}

// TestDocumentsShowExamples holds the files that documents print to those in
// examples/.
func TestDocumentsShowExamples(t *testing.T) {
	texts := documents(t)
	for _, c := range [][2]string{
		{"README.md", "quick.yaml"}, {"docs/experiments.md", "quick.yaml"},
		{"docs/comparing.md", "steps.yaml"}, {"docs/data.md", "rounds.jsonl"},
		{"docs/environment.md", "played.yaml"}, {"docs/python.md", "penalty.py"},
		{"docs/python.md", "penalty.yaml"}, {"docs/python.md", "servers.py"},
		{"docs/python.md", "servers.yaml"},
	} {
		document, name := c[0], c[1]
		file, err := os.ReadFile(filepath.Join("examples", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(texts[document], "\n"+string(file)+"```") {
			t.Errorf("%s does not show examples/%s as it is", document, name)
		}
	}
}

// TestLinks finds the files, and the headings in them, that documents link to.
func TestLinks(t *testing.T) {
	texts := documents(t)
	anchors := make(map[string]bool)
	unspoken := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for name, text := range texts {
		for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
			anchors[name+"#"+strings.ReplaceAll(unspoken.ReplaceAllString(strings.ToLower(h[1]), ""), " ",
				"-")] = true
		}
	}
	links := 0
	for name, text := range texts {
		for _, link := range regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`).FindAllStringSubmatch(text,
			-1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			links++
			to := name
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(name), link[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
			} else if link[2] != "" && !anchors[to+link[2]] {
				t.Errorf("%s links to %s%s, and there is no such heading", name, to, link[2])
			}
		}
	}
	if links < 20 {
		t.Errorf("only %d links found", links)
	}
}

// TestCitation reads CITATION.cff, and asks for what the format requires.
func TestCitation(t *testing.T) {
	data, err := os.ReadFile("CITATION.cff")
	if err != nil {
		t.Fatal(err)
	}
	type Work struct {
		Type, Title string
		Authors     []map[string]string
	}
	var c struct {
		Work       `yaml:",inline"`
		CFF        string `yaml:"cff-version"`
		Message    string
		Version    string
		References []Work
	}
	if err := yaml.UnmarshalWithOptions(data, &c, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	if c.CFF != "1.2.0" || c.Message == "" || c.Title == "" || c.Type != "software" ||
		len(c.Authors) == 0 {
		t.Errorf("CITATION.cff lacks what the format requires: %+v", c)
	}
	if len(c.References) != 1 || c.References[0].Title == "" || c.References[0].Type == "" ||
		len(c.References[0].Authors) != 2 {
		t.Errorf("CITATION.cff does not refer to the paper: %+v", c.References)
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
	const begin, end = "<!-- architecture.sh: begin -->\n", "<!-- architecture.sh: end -->\n"
	_, drawn, _ := strings.Cut(string(page), begin)
	drawn, _, _ = strings.Cut(drawn, end)
	if d := golden.Diff("docs/architecture.md", drawn, string(drawing)); d != "" {
		t.Errorf("%sdraw the imports as they are: bash scripts/architecture.sh", d)
	}
}
