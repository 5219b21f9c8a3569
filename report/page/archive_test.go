package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/harness/run"
)

// archived returns an archive of JSON of experiments, with the digest that belongs to it.
func archived(experiments []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, `{"schema":%q,"experiments":%s,"digest":"sha256 %x"}`, regression.Schema,
		experiments, sha256.Sum256(experiments))
	z.Close()
	return b.Bytes()
}

// a part of a JSON text is a member with its name, or an element of a list.
type part struct {
	path          string // with * for the number of an element
	begin, value  int    // where it begins, and where its value does
	end           int
	first, member bool // of its object or list
}

// parts lists the parts of a compact JSON text.
func parts(text string) (all []part) {
	at := 0
	str := func() string {
		begin := at
		for at++; text[at] != '"'; at++ {
			if text[at] == '\\' {
				at++
			}
		}
		at++
		return text[begin:at]
	}
	var value func(path string)
	value = func(path string) {
		switch open := text[at]; open {
		case '{', '[':
			for at++; text[at] != '}' && text[at] != ']'; {
				p := part{path: path + ".*", begin: at, first: text[at-1] == open, member: open == '{'}
				if open == '{' {
					p.path = path + "." + strings.Trim(str(), `"`)
					at++
				}
				p.value = at
				value(p.path)
				p.end = at
				all = append(all, p)
				if text[at] == ',' {
					at++
				}
			}
			at++
		case '"':
			str()
		default:
			for !strings.ContainsRune(",}]", rune(text[at])) {
				at++
			}
		}
	}
	value("")
	return all
}

// in puts another value into the place of a part, nothing for "-", and the part twice for "+".
func (p part) in(text, value string) string {
	switch value {
	case "-":
		begin, end := p.begin, p.end
		if text[end] == ',' {
			end++
		} else if !p.first {
			begin--
		}
		return text[:begin] + text[end:]
	case "+":
		return text[:p.end] + "," + text[p.begin:p.end] + text[p.end:]
	}
	return text[:p.value] + value + text[p.end:]
}

// besideArchive does what bench report --beside does with an archive. It reports whether the
// archive is taken.
func besideArchive(t *testing.T, mine *regression.Snapshot, experiments string) bool {
	all, err := regression.Read(bytes.NewReader(archived([]byte(experiments))))
	if err != nil {
		if len(err.Error()) > 1000 {
			t.Errorf("an error of %d characters: %.200s", len(err.Error()), err)
		}
		return false
	}
	for _, other := range all {
		regression.Compare(t.Context(), mine, other) // does not panic
		both, err := regression.SideBySide(t.Context(), mine, other, [2]string{"A", "B"})
		if err != nil {
			continue
		}
		if err := Write(io.Discard, []Item{{Analysis: both.Analysis, Beside: both}}); err != nil {
			t.Error(err)
		}
	}
	return true
}

// snapshot takes a snapshot of an experiment, with its analysis.
func snapshot(t testing.TB, source string) *regression.Snapshot {
	t.Helper()
	r := results(t, plan(t, source), run.Options{Workers: 2})
	a, err := analysis.Of(t.Context(), catalog, r)
	if err != nil {
		t.Fatal(err)
	}
	s := regression.Take(r, true)
	s.Analysis = a
	return s
}

// example returns a snapshot and its JSON in an archive.
func example(t testing.TB) (*regression.Snapshot, string) {
	s := snapshot(t, "name: a\nhorizon: 30\nreplicates: 2\nwindow: 1\nproblems: [{use: iid, dim: 2}, "+
		"{use: shrinking}]\nalgorithms: [{use: ogd, label: ours}, {use: yu-neely-wei}]\n")
	data, err := json.Marshal([]*regression.Snapshot{s})
	if err != nil {
		t.Fatal(err)
	}
	return s, string(data)
}

// values take the place of others.
var values = []string{"-", "+", "null", "0", "-1", "1e308", "1e-320", "99999999999", "1.5", `""`,
	`"x"`, `"at most"`, `"measured"`, `"Infinity"`, "true", "[]", "{}", "[null]", "[[]]", "[1]",
	`{"a":1}`}

// FuzzArchive puts other values in two places of an archive, with the digest of that: it is refused or
// shown, and nothing panics.
func FuzzArchive(f *testing.F) {
	a, text := example(f)
	n := uint(len(parts(text)))
	for k, v := range values {
		f.Add(uint(k)*n/uint(len(values)), v, uint(k), "-")
	}
	f.Fuzz(func(t *testing.T, place uint, value string, second uint, other string) {
		mutant := text
		for _, m := range []struct {
			place uint
			value string
		}{{place, value}, {second, other}} {
			if !json.Valid([]byte(mutant)) {
				break
			}
			if all := parts(mutant); len(all) > 0 {
				mutant = all[m.place%uint(len(all))].in(mutant, m.value)
			}
		}
		besideArchive(t, a, mutant)
	})
}
