package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const tutorial = "docs/tutorial.md"

// fileNames finds the name of the file that a block of the tutorial has, in the line above it.
var fileNames = regexp.MustCompile("`(\\w+\\.(?:yaml|py))`")

// TestTutorial does what docs/tutorial.md says, block by block, as a reader does: it writes the
// files, runs the commands, and looks in what they have printed for the lines that are shown. The
// files that the article reads exist in the end.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games in Python")
	}
	t.Parallel()
	text, err := os.ReadFile(tutorial)
	if err != nil {
		t.Fatal(err)
	}
	dir := built(t)
	module, err := os.ReadFile("clients/python/ocobench.py")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "ocobench.py"), module, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if shell(dir, "python3 -c 'import ocobench'").Run() != nil {
		t.Skip("no python3, 3.9 or newer, on PATH: install Debian's python3")
	}
	block := regexp.MustCompile("(?s)([^\n]*)\n\n```(\\w+)\n(.*?)```")
	printed, seen := "", make(map[string]int)
	for _, b := range block.FindAllStringSubmatch(string(text), -1) {
		before, kind, content := b[1], b[2], b[3]
		seen[kind]++
		switch kind {
		case "yaml", "python":
			names := fileNames.FindAllStringSubmatch(before, -1)
			if len(names) != 1 {
				t.Fatalf("the line above a file of %s does not name it:\n%s", tutorial, before)
			}
			if err := os.WriteFile(filepath.Join(dir, names[0][1]), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		case "console":
			for line := range strings.Lines(content) {
				command := strings.TrimPrefix(strings.TrimSpace(line), "$ ")
				if strings.Contains(command, "--external ") {
					command += " --external-timeout 5m" // a busy machine starts Python slowly
				}
				out, err := shell(dir, command).CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", command, err, out)
				}
				printed += string(out)
			}
		case "text":
			for line := range strings.Lines(content) {
				if !strings.Contains(printed, line) {
					t.Errorf("%s shows a line that no command before it has printed: %s", tutorial, line)
				}
			}
		case "latex":
			for _, input := range regexp.MustCompile(`\\input\{(.*)\}`).FindAllStringSubmatch(content, -1) {
				if _, err := os.Stat(filepath.Join(dir, "out", input[1]+".tex")); err != nil {
					t.Errorf("the article of %s reads a file that is not there: %v", tutorial, err)
				}
			}
		}
	}
	for kind, least := range map[string]int{"yaml": 2, "python": 1, "console": 5, "text": 5, "latex": 1} {
		if seen[kind] < least {
			t.Errorf("%s has %d blocks of %s, want at least %d", tutorial, seen[kind], kind, least)
		}
	}
}
