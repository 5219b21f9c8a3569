package golden

// Digests freeze what the entries of a registry do: the actions of an algorithm, or the
// rounds of a problem. Stored games are found by the version of their entry, so whoever
// changes what an entry does raises its Version. A failure is one message for each entry:
// the cases in which it does something else. Where most entries fail at once, the cause is
// what they share, and that is said first.

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Digest identifies what an entry of a registry does in a case.
type Digest struct {
	Entry   string // the name in the registry
	Version int
	Case    string // the entry with its parameters, and what it met
	Digest  string
}

// key returns what a line of the file has behind the digest and two blanks.
func (d Digest) key() string { return fmt.Sprintf("version %d  %s", d.Version, d.Case) }

// Digests compares digests with those of a file of testdata. For messages, does says what an entry
// does otherwise, such as "plays other actions", and shared names the code that all entries use.
//
// A digest that has changed although the version has not is an error even where the file
// is to be written anew: stored cells of that version would be taken for what the program
// computes now. Those that are not in the file, or of another version, are written with
// update alone.
func Digests(t testing.TB, name, does, shared string, got []Digest, update bool) {
	t.Helper()
	path := filepath.Join("testdata", name)
	data, err := os.ReadFile(path)
	if err != nil && !update {
		t.Fatalf("%v; write it: %s", err, Command(t))
	}
	wanted := make(map[string]string) // digests by key
	for line := range strings.Lines(string(data)) {
		digest, key, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		wanted[strings.TrimSpace(key)] = strings.TrimSpace(digest)
	}
	var text strings.Builder
	entries, changed := make(map[string]bool), make(map[string][]string) // the cases of an entry
	for _, d := range got {
		fmt.Fprintf(&text, "%s  %s\n", d.Digest, d.key())
		entries[d.Entry] = true
		switch old, known := wanted[d.key()]; {
		case known && old != strings.TrimSpace(d.Digest):
			changed[d.Entry] = append(changed[d.Entry], d.Case)
		case !known && !update:
			t.Errorf("%s has no digest of %s; write it: %s", InModule(path), d.key(), Command(t))
		}
		delete(wanted, d.key())
	}
	if len(changed) > 1 && 2*len(changed) > len(entries) {
		t.Errorf("%d of %d entries differ from their digests in %s: look at what they share first, %s",
			len(changed), len(entries), InModule(path), shared)
	}
	for _, entry := range slices.Sorted(maps.Keys(changed)) {
		t.Errorf("%s %s than its digest (%s): raise its Version and run %s, or undo the change that "+
			"moved it", entry, does, strings.Join(changed[entry], ", "), Command(t))
	}
	switch {
	case len(changed) > 0:
	case update:
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		for _, key := range slices.Sorted(maps.Keys(wanted)) {
			t.Errorf("%s has a digest of %s, which is no case today; write the file anew: %s",
				InModule(path), key, Command(t))
		}
	}
}
