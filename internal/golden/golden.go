// Package golden holds what a test makes to a file of testdata: a whole text, or the
// digests of what versioned entries of a registry do.
package golden

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Digests compares digests with those of a file of testdata, a line each:
//
//	digest  version V  name
//
// A digest that has changed although the version has not is an error even where
// the file is to be written anew: stored cells of that version would be taken
// for what the program computes now. Those that are not in the file, or of
// another version, are written with update alone.
func Digests(t *testing.T, name, got string, update bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	data, err := os.ReadFile(path)
	if err != nil && !update {
		t.Fatal(err)
	}
	was := make(map[string]string) // digests by version and name
	for line := range strings.Lines(string(data)) {
		digest, entry, _ := strings.Cut(strings.TrimSpace(line), "  ")
		was[entry] = digest
	}
	stale := false
	for line := range strings.Lines(got) {
		digest, entry, _ := strings.Cut(strings.TrimSpace(line), "  ")
		switch old, known := was[entry]; {
		case known && old != digest:
			stale = true
			t.Errorf("%s: %s does something else than it did: its digest is %s, and was %s; raise its "+
				"Version, then run the test with -update", path, entry, digest, old)
		case !known && !update:
			t.Errorf("%s: %s is not in the file; run the test with -update", path, entry)
		}
		delete(was, entry)
	}
	switch {
	case stale:
	case update:
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		for entry := range was {
			t.Errorf("%s: %s is in the file alone; run the test with -update", path, entry)
		}
	}
}

// File compares a text with that of a file of testdata, which update writes anew.
func File(t *testing.T, name, got string, update bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update, and read what it writes", err)
	}
	if line, now, was := difference(got, string(want)); line > 0 {
		t.Errorf("%s is not today's from line %d on:\n\t%s\nis now\n\t%s\n"+
			"if that is meant, run the test with -update", path, line, was, now)
	}
}

// difference returns the first line, counted from 1, in which two texts differ, and what
// stands there; line is 0 if they are equal.
func difference(got, want string) (line int, now, was string) {
	if got == want {
		return 0, "", ""
	}
	a, b := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	for line < len(a) && line < len(b) && a[line] == b[line] {
		line++
	}
	at := func(lines []string) string {
		if line == len(lines) {
			return "the end"
		}
		return strconv.Quote(lines[line])
	}
	return line + 1, at(a), at(b)
}
