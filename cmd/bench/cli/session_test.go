package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ocobench/internal/golden"
	"ocobench/internal/race"
)

// TestSession compares what the program does with testdata/session.golden. It runs each command
// line of testdata/session.txtar, one after another in a directory with the files there, and notes
// the exit code, to which streams the command writes, and which files are new, changed and gone.
// Output with --json must be JSON. What the program says is checked by the scripts in
// ../testdata/script.
func TestSession(t *testing.T) {
	if race.Enabled && testing.Short() || filepath.Separator != '/' {
		t.Skip("one thing after another, and paths with slashes")
	}
	dir, commands := startSession(t)
	var told strings.Builder
	here := sessionShell{t, dir, &told, filesBelow(t, dir)}
	t.Run("", func(t *testing.T) { // who returns to the directory of the golden file
		t.Chdir(dir)
		t.Setenv("COLUMNS", "100")
		t.Setenv("HOME", dir)
		for line := range strings.Lines(commands) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				here.run(line)
			}
		}
	})
	golden.File(t, "session.golden", told.String(), *update)
}

// startSession returns a directory with the files of testdata/session.txtar, and the command lines.
func startSession(t *testing.T) (dir, commands string) {
	t.Helper()
	s, err := txtar.ParseFile("testdata/session.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, f := range s.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir, string(s.Comment)
}

// sessionShell runs command lines in the working directory, and writes what becomes of each.
type sessionShell struct {
	*testing.T
	dir  string
	told *strings.Builder
	tree map[string]string // the files there are, with their content
}

// run runs a command line of words between blanks. With > FILE the standard output goes to that
// file; rm and cut remove the first file that a pattern matches, or its last bytes.
func (s *sessionShell) run(line string) {
	s.Helper()
	if words := strings.Fields(line); words[0] == "rm" || words[0] == "cut" {
		found, err := filepath.Glob(words[1])
		if err != nil || len(found) == 0 {
			s.Fatalf("%s: %v", line, err)
		}
		data := s.tree[filepath.ToSlash(found[0])]
		if err = os.Remove(found[0]); err == nil && words[0] == "cut" {
			err = os.WriteFile(found[0], []byte(data[:len(data)-5]), 0o666)
		}
		if err != nil {
			s.Fatal(err)
		}
		fmt.Fprintf(s.told, "$ %s\n", line)
		s.tree = filesBelow(s.T, ".")
		return
	}
	line, to, redirected := strings.Cut(line, " > ")
	var out, said bytes.Buffer
	code := Main(strings.Fields(line), &out, &said, catalog)
	if redirected {
		if err := os.WriteFile(to, out.Bytes(), 0o666); err != nil {
			s.Fatal(err)
		}
		out.Reset()
	}
	if out.Len() > 0 && strings.Contains(line, "--json") && !json.Valid(out.Bytes()) {
		for l := range bytes.Lines(out.Bytes()) { // a document a line
			if !json.Valid(l) {
				s.Errorf("bench %s: want JSON on stdout, got %q", line, out.String())
				break
			}
		}
	}
	fmt.Fprintf(s.told, "%d %s bench %s\n", code, streamNames(&out, &said), line)
	now := filesBelow(s.T, ".")
	changes := make(map[string]int)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if before, ok := s.tree[name]; !ok {
			changes["+ "+stableName(name)]++
		} else if before != now[name] {
			changes["~ "+stableName(name)]++
		}
	}
	for name := range s.tree {
		if _, ok := now[name]; !ok {
			changes["- "+stableName(name)]++
		}
	}
	for _, c := range slices.Sorted(maps.Keys(changes)) {
		if fmt.Fprint(s.told, c); changes[c] > 1 {
			fmt.Fprintf(s.told, " ×%d", changes[c])
		}
		fmt.Fprintln(s.told)
	}
	s.tree = now
}

// filesBelow returns the files below a directory, with their content.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			var data []byte
			data, err = fs.ReadFile(root, name)
			all[name] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// streamNames names the streams that have text: out for stdout, err for stderr.
func streamNames(out, said *bytes.Buffer) string {
	switch {
	case out.Len() > 0 && said.Len() > 0:
		return "out,err"
	case out.Len() > 0:
		return "out"
	case said.Len() > 0:
		return "err"
	}
	return "-"
}

// stableName returns a file name without what another day or machine changes.
func stableName(name string) string {
	for _, p := range changingNames {
		name = p.of.ReplaceAllString(name, p.by)
	}
	return name
}

// changingNames has what changes from day to day in names of files, and what stands for it.
var changingNames = []struct {
	of *regexp.Regexp
	by string
}{
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "KEY"},
	{regexp.MustCompile(`\bcells/[0-9a-f]{2}/`), "cells/"},
	{regexp.MustCompile(`\b20\d{6}T[\d.]+-[0-9a-f]{8}\b`), "PACK"},
	{regexp.MustCompile(`\bdamaged-[0-9a-f]{16}\b`), "damaged-DIGEST"},
}
