package doctest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocobench/internal/long"
	"ocobench/internal/tool"
)

// fileNamePattern finds the name of the file that a block has, in the line above it.
var fileNamePattern = regexp.MustCompile("Write this file, `([^`]+)`")

// inputPattern finds the files that an article reads, but for those in comments.
var inputPattern = regexp.MustCompile(`(?m)^[^%\n]*\\input\{(.*)\}`)

// blockPattern finds the blocks of a document: the line above, the kind and the content.
var blockPattern = regexp.MustCompile("(?s)([^\n]*)\n\n```(\\w+)\n(.*?)```")

// A walk is a document that a reader works through. It needs the files that the document in before
// has written, and has at least so many blocks of each kind. In the sample its experiment is as
// small as replaced says, and the lines that it shows are not compared.
type walk struct {
	document, before string
	least            map[string]int
	replaced         []string
}

var walks = []walk{
	{"docs/tutorial.md", "", map[string]int{
		"yaml": 2, "python": 1, "console": 5, "text": 5, "latex": 1}, nil},
	{"docs/from-algorithm-to-article.md", "docs/tutorial.md", map[string]int{
		"yaml": 2, "console": 7, "text": 3, "latex": 1},
		[]string{"horizon: [300, 530, 950, 1700, 3000]\nreplicates: 10",
			"horizon: [30, 100, 300]\nreplicates: 3", "step: [0.05, 0.5, 5]", "step: [0.5]",
			"use: others", "use: penalised-ftrl"}},
}

// TestTutorialAndArticlePageRun does what the tutorial says, and then what the page on articles
// says, block by block, as a reader does: it writes the files, runs the commands, and looks in what
// they have printed for the lines that are shown. An article is compiled, or the files that it
// reads exist.
func TestTutorialAndArticlePageRun(t *testing.T) {
	if testing.Short() {
		t.Skip("plays games in Python")
	}
	for _, walk := range walks {
		t.Run(filepath.Base(walk.document), func(t *testing.T) {
			t.Parallel()
			if long.Whole() {
				walk.replaced = nil
			}
			dir := newBenchDir(t)
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
			if walk.before != "" {
				writeFiles(t, walk.before, dir, nil)
			}
			writeFiles(t, walk.document, dir, walk.replaced)
			followDocument(t, walk, dir)
		})
	}
}

// readBlocks returns the blocks of a document.
func readBlocks(t *testing.T, document string) [][]string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	return blockPattern.FindAllStringSubmatch(string(text), -1)
}

// writeFiles writes the files that the document tells its reader to write, with replacements: pairs
// of an old and a new text. Each old one is in one of the files.
func writeFiles(t *testing.T, document, dir string, replaced []string) {
	t.Helper()
	var written strings.Builder
	replacer := strings.NewReplacer(replaced...)
	for _, b := range readBlocks(t, document) {
		names := fileNamePattern.FindAllStringSubmatch(b[1], -1)
		if (b[2] == "yaml" || b[2] == "python") && len(names) != 1 {
			t.Fatalf("%s: want the name of a file in the line above it, got\n%s", document, b[1])
		}
		if len(names) == 0 {
			continue
		}
		written.WriteString(b[3])
		text := []byte(replacer.Replace(b[3]))
		if err := os.WriteFile(filepath.Join(dir, names[0][1]), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(written.String(), replaced[i]) {
			t.Fatalf("%s: got no file with %q, want one for the sample to make smaller", document,
				replaced[i])
		}
	}
}

// followDocument runs the commands of the document in dir, and compares what it shows. It counts
// the blocks of each kind. It skips from the first command of LaTeX on where that is missing.
func followDocument(t *testing.T, w walk, dir string) {
	printed, seen := "", make(map[string]int)
	for _, b := range readBlocks(t, w.document) {
		before, kind, content := b[1], b[2], b[3]
		seen[kind]++
		switch kind {
		case "console":
			for line := range strings.Lines(content) {
				command := strings.TrimPrefix(strings.TrimSpace(line), "$ ")
				if strings.Contains(command, "--external") {
					command += " --external-timeout 5m" // a busy machine starts Python slowly
				}
				if strings.HasPrefix(command, "pdflatex ") {
					tool.LaTeX(t)
					tool.Find(t, "texlive-publishers", "kpsewhich", "IEEEtran.cls")
				}
				out, err := shell(dir, command).CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", command, err, out)
				}
				if strings.Contains(string(out), "undefined") && strings.Contains(printed, "This is pdfTeX") {
					t.Errorf("%s: got an undefined reference the second time, want none:\n%s", command, out)
				}
				printed += string(out)
			}
		case "text":
			for line := range strings.Lines(content) {
				if w.replaced == nil && !strings.Contains(printed, line) {
					t.Errorf("%s: got a line that no command before it has printed, want it printed: %s",
						w.document, line)
				}
			}
		case "latex":
			from := dir // an article without a name stands in the directory of the output
			if !fileNamePattern.MatchString(before) {
				from = filepath.Join(dir, "out")
			}
			for _, input := range inputPattern.FindAllStringSubmatch(content, -1) {
				if _, err := os.Stat(filepath.Join(from, input[1]+".tex")); err != nil {
					t.Errorf("%s: got an article that reads a missing file, want it there: %v", w.document, err)
				}
			}
		}
	}
	for kind, least := range w.least {
		if seen[kind] < least {
			t.Errorf("%s has %d blocks of %s, want at least %d", w.document, seen[kind], kind, least)
		}
	}
}
