// Package golden holds what a test makes to a file of testdata: a whole text, or the
// digests of what versioned entries of a registry do. A failure says what differs, which
// command writes the file anew, and what else is to be done first.
package golden

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
)

// maxDiffLines is how many lines of a difference are shown at most.
const maxDiffLines = 40

// File compares a text with that of a file of testdata, which update writes anew.
func File(t testing.TB, name, got string, update bool) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it and read what it has: %s", err, Command(t))
	}
	if d := Diff(InModule(file), string(want), got); d != "" {
		t.Errorf("%sif that is meant, write the file anew and read what has changed: %s", d, Command(t))
	}
}

// Diff returns how a text differs from that of a file: "" if it does not, and else a
// unified diff, which ends with a newline and has at most 40 lines.
func Diff(file, want, got string) string {
	lines := strings.SplitAfter(string(diff.Diff(file, []byte(want), "today", []byte(got))), "\n")
	if len(lines) < 2 {
		return ""
	}
	lines = lines[1 : len(lines)-1] // without the line of the command diff
	if hidden := len(lines) - (maxDiffLines - 1); hidden > 1 {
		lines = append(lines[:maxDiffLines-1], fmt.Sprintf("… and %d lines more\n", hidden))
	}
	return strings.Join(lines, "")
}

// Command returns the command that runs a test with -update, in the root of its module.
func Command(t testing.TB) string {
	test, _, _ := strings.Cut(t.Name(), "/")
	return fmt.Sprintf("go test ./%s -run %s -update", InModule("."), test)
}

// InModule returns the path of a file relative to the root of the module that the working
// directory is in, with slashes.
func InModule(file string) string {
	dir, err := filepath.Abs(".")
	if err != nil {
		panic(err)
	}
	inside := ""
	for !isFile(filepath.Join(dir, "go.mod")) {
		parent := filepath.Dir(dir)
		if parent == dir { // no module, such as on another machine
			inside = ""
			break
		}
		inside = path.Join(filepath.Base(dir), inside)
		dir = parent
	}
	return path.Join(inside, filepath.ToSlash(file))
}

// isFile reports whether there is a regular file of this name.
func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
