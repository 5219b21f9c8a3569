package golden

// Digests freeze what the entries of a registry do: the actions of an algorithm, or the
// rounds of a problem. Stored games are found by the version of their entry, so whoever
// changes what an entry does raises its Version. A failure is one message for each entry:
// the cases in which it does something else, and the file that has its Version. Where most
// entries fail at once, the cause is what they share, and that is said first.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
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

// line returns a line of the file, and its key: the line without the digest.
//
//	digest  version V  case
func (d Digest) line() (key, line string) {
	key = fmt.Sprintf("version %d  %s", d.Version, d.Case)
	return key, d.Digest + "  " + key + "\n"
}

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
	wanted := make(map[string]string) // digests by version and case
	var order []string
	for line := range strings.Lines(string(data)) {
		digest, key, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		wanted[strings.TrimSpace(key)] = strings.TrimSpace(digest)
		order = append(order, strings.TrimSpace(key))
	}
	var text strings.Builder
	var entries, changedEntries []string // names
	changed := make(map[string][]string) // by entry, its cases
	for _, d := range got {
		key, line := d.line()
		text.WriteString(line)
		if _, seen := changed[d.Entry]; !seen {
			entries, changed[d.Entry] = append(entries, d.Entry), nil
		}
		switch old, known := wanted[key]; {
		case known && old != strings.TrimSpace(d.Digest):
			if changed[d.Entry] == nil {
				changedEntries = append(changedEntries, d.Entry)
			}
			changed[d.Entry] = append(changed[d.Entry], d.Case)
		case !known && !update:
			t.Errorf("%s has no digest of %s; write it: %s", InModule(path), key, Command(t))
		}
		delete(wanted, key)
	}
	if len(changedEntries) > 1 && 2*len(changedEntries) > len(entries) {
		t.Errorf("%d of %d entries differ from their digests in %s: look at what they share first, %s",
			len(changedEntries), len(entries), InModule(path), shared)
	}
	for _, entry := range changedEntries {
		t.Error(advice(t, entry, does, changed[entry]))
	}
	switch {
	case len(changedEntries) > 0:
	case update:
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		for _, key := range order {
			if _, left := wanted[key]; left {
				t.Errorf("%s has a digest of %s, which is no case today; write the file anew: %s",
					InModule(path), key, Command(t))
			}
		}
	}
}

// advice says what to do about an entry that does something else than its digests.
func advice(t testing.TB, entry, does string, cases []string) string {
	where, more := declared(entry), ""
	if where != "" {
		where = " in " + where
	}
	if n := len(cases); n > 3 {
		cases, more = cases[:3], fmt.Sprintf(", and %d more", n-3)
	}
	return fmt.Sprintf("%s %s than its digest (%s%s): raise Version of %s%s and run %s, or undo the "+
		"change that moved it", entry, does, strings.Join(cases, ", "), more, entry, where, Command(t))
}

// declared returns the file of the working directory that has the entry of a registry, or "".
func declared(entry string) string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		panic(err)
	}
	field := regexp.MustCompile(`\bName:\s*` + regexp.QuoteMeta(fmt.Sprintf("%q", entry)) + `,`)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if data, err := os.ReadFile(file); err == nil && field.Match(data) {
			return InModule(file)
		}
	}
	return ""
}
