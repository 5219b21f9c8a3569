// Package doctest holds the tests of the house as a whole: that its documents are true,
// and that packages import only from the floors below them.
package doctest

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ocobench/internal/long"
)

// documents returns the texts that a user reads, by the names of their files.
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

// buildBench builds the program of this tree on the first call, and returns where it is.
var buildBench = sync.OnceValues(func() (program string, err error) {
	program = filepath.Join(scratch, "bench")
	build := exec.Command("go", "build", "-o", program, "./cmd/bench")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return program, nil
})

// newBenchDir returns a new directory that has the program of this tree as bench.
func newBenchDir(t *testing.T) (dir string) {
	t.Helper()
	program, err := buildBench()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, "bench")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shell returns a command line to be run in such a directory, whose bench it finds.
func shell(dir, command string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	return cmd
}

// newReaderDir returns a new directory that has the program of this tree and copies of the files
// that the commands of documents need.
func newReaderDir(t *testing.T) (dir string) {
	t.Helper()
	dir = newBenchDir(t)
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("examples")); err != nil {
		t.Fatal(err)
	}
	// docs/python.md tells its reader to copy these.
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
	return dir
}

// A shownCommand is a command that a document shows, with the lines that it shows of its output.
type shownCommand struct {
	document, command string
	output            []string
}

// run runs the command in the directory of a reader, and checks that it prints the lines which
// the document shows, in this order, whatever stands between them.
func (s shownCommand) run(t *testing.T, dir string) {
	t.Helper()
	cmd := shell(dir, s.command)
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) == 0 {
		t.Errorf("%s: %s: got error %v, want output:\n%s", s.document, s.command, err, out)
	}
	unread := strings.Split(string(out), "\n")
	for _, line := range s.output {
		k := slices.IndexFunc(unread, func(l string) bool { return strings.TrimRight(l, " ") == line })
		if k < 0 {
			t.Errorf("%s: want the line\n%s\nof %s, got\n%s", s.document, line, s.command, out)
			break
		}
		unread = unread[k+1:]
	}
	if state := cmd.ProcessState; state != nil {
		t.Logf("%5.2f s of CPU: %s", (state.UserTime() + state.SystemTime()).Seconds(), s.command)
	}
}

// firstShownCommands returns the commands of bench that documents show, each where it is shown
// first.
func firstShownCommands(t *testing.T, names []string,
	texts map[string]string) (all []shownCommand) {
	t.Helper()
	places := make(map[string]int) // of the commands in all, counted from 1
	for _, name := range names {
		for _, s := range parseCommands(t, name, texts[name]) {
			command := s.command
			if strings.HasPrefix(command, "go test") || strings.Contains(command, "check.sh") {
				continue // this is one of their tests
			}
			command = strings.Replace(command, "go run ./cmd/bench", "bench", 1)
			if !strings.HasPrefix(command, "bench") {
				t.Errorf("%s: got %q, want a command of bench", name, command)
			} else if k := places[command]; k == 0 {
				all = append(all, shownCommand{name, command, s.output})
				places[command] = len(all)
			} else if all[k-1].output == nil {
				all[k-1].output = s.output
			}
		}
	}
	return all
}

// parseCommands returns the commands that a document shows in blocks of commands, with their
// output.
func parseCommands(t *testing.T, name, text string) (all []shownCommand) {
	t.Helper()
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").FindAllStringSubmatch(text,
		-1) {
		for line := range strings.SplitSeq(block[1], "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				all = append(all, shownCommand{name, command, nil})
			} else if line = strings.TrimRight(line, " "); line != "" && line != "…" && len(all) > 0 {
				s := &all[len(all)-1]
				s.output = append(s.output, line)
			}
		}
	}
	if shown := strings.Count(text, "\n$ "); len(all) != shown {
		t.Errorf("%s: got %d commands in blocks that are run, want all %d", name, len(all), shown)
	}
	return all
}

// withPython names the document whose commands start Python.
const withPython = "docs/python.md"

// TestCommandsOfDocumentsPrintWhatIsShown runs every command that a document shows, once. The
// documents share a store, as those of a reader do; README comes first. Another reader begins with
// docs/python.md. The sample has fewer games of the default experiment, which half of the documents
// show, and does without `bench check`, which reads no store and writes nothing.
func TestCommandsOfDocumentsPrintWhatIsShown(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the default experiment")
	}
	t.Parallel()
	texts := documents(t)
	for _, walk := range walks { // see TestTutorialAndArticlePageRun
		delete(texts, walk.document)
	}
	names := slices.Sorted(maps.Keys(texts))
	names = append(slices.DeleteFunc(names, func(name string) bool { return name == withPython }),
		withPython)
	all := firstShownCommands(t, names, texts)
	long.Run(t, func(t *testing.T, whole bool) {
		t.Run("python", func(t *testing.T) {
			t.Parallel()
			dir := newReaderDir(t)
			if shell(dir, "python3 -c 'import ocobench'").Run() != nil {
				t.Skip("no python3, 3.9 or newer, on PATH: install Debian's python3")
			}
			for _, s := range all {
				if s.document == withPython {
					s.run(t, dir)
				}
			}
		})
		t.Run("others", func(t *testing.T) {
			t.Parallel()
			dir := newReaderDir(t)
			for _, s := range all {
				if s.document == withPython || s.command == "bench check" && !whole {
					continue
				}
				if s.command == "bench" && !whole {
					s.command = "bench run frequency --horizon 1000 --replicates 5"
				}
				s.run(t, dir)
			}
		})
	})
}

// TestDocumentsShowExamples checks that the files that documents print are those in examples/.
func TestDocumentsShowExamples(t *testing.T) {
	texts := documents(t)
	for _, c := range [][2]string{
		{"docs/experiments.md", "quick.yaml"},
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
			t.Errorf("%s: got another text, want examples/%s as it is", document, name)
		}
	}
}

// TestLinksLeadToFilesAndHeadings checks that the files that documents link to exist, and the
// headings in them.
func TestLinksLeadToFilesAndHeadings(t *testing.T) {
	texts := documents(t)
	anchors := make(map[string]bool)
	notInAnchors := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for name, text := range texts {
		for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
			anchors[name+"#"+strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(h[1]), ""),
				" ", "-")] = true
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
				t.Errorf("%s: got a link to %s, want one that exists: %v", name, link[1], err)
			} else if link[2] != "" && !anchors[to+link[2]] {
				t.Errorf("%s: got a link to %s%s, want one to a heading that exists", name, to, link[2])
			}
		}
	}
	if links < 20 {
		t.Errorf("got %d links, want at least 20", links)
	}
}

// TestIndexNamesEveryDocument checks that docs/README.md has a line for every document.
func TestIndexNamesEveryDocument(t *testing.T) {
	texts := documents(t)
	const index = "docs/README.md"
	for name := range texts {
		link, err := filepath.Rel("docs", name)
		if err != nil {
			t.Fatal(err)
		}
		if name != index && !strings.Contains(texts[index], "- ["+link+"]("+link+"): ") {
			t.Errorf("%s: got no line for %s, want one", index, name)
		}
	}
}
