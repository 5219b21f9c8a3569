package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// spy is a test that keeps what it reports as failures instead of failing.
type spy struct {
	testing.TB
	name string
	said []string
}

func (s *spy) Helper()                           {}
func (s *spy) Name() string                      { return s.name }
func (s *spy) Error(args ...any)                 { s.said = append(s.said, fmt.Sprint(args...)) }
func (s *spy) Errorf(format string, args ...any) { s.Error(fmt.Sprintf(format, args...)) }
func (s *spy) Fatal(args ...any)                 { s.Error(args...); panic(s) }
func (s *spy) Fatalf(format string, args ...any) { s.Fatal(fmt.Sprintf(format, args...)) }

// failures returns what a test reports.
func failures(name string, test func(t testing.TB)) []string {
	s := &spy{name: name}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(s) {
				panic(r)
			}
		}()
		test(s)
	}()
	return s.said
}

// inModule makes a new module, with these files in its directory dir, and makes that directory the
// working one.
func inModule(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n")
	write(filepath.Join(dir, "testdata", "README"), "")
	for name, text := range files {
		write(filepath.Join(dir, name), text)
	}
	t.Chdir(filepath.Join(root, dir))
}

// wantFailures checks that these failures were reported and no others.
func wantFailures(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n--\n") != strings.Join(want, "\n--\n") {
		t.Errorf("the failures are\n%s\nwant\n%s", strings.Join(got, "\n--\n"),
			strings.Join(want, "\n--\n"))
	}
}

func TestFileShowsTheDifferenceAndTheCommand(t *testing.T) {
	inModule(t, "report/table", map[string]string{"testdata/a.txt": "one\ntwo\nthree\n"})
	file := func(text string, update bool) []string {
		return failures("TestGolden/a", func(t testing.TB) { File(t, "a.txt", text, update) })
	}
	wantFailures(t, file("one\ntwo\nthree\n", false))
	wantFailures(t, file("one\n2\nthree\n", false), "--- report/table/testdata/a.txt\n+++ today\n"+
		"@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\nif that is meant, write the file anew and read what has changed: "+
		"go test ./report/table -run TestGolden -update")
	wantFailures(t, file("one\n2\nthree\n", true))
	wantFailures(t, file("one\n2\nthree\n", false))
	_, err := os.Stat(filepath.Join("testdata", "b.txt"))
	wantFailures(t, failures("TestGolden", func(t testing.TB) { File(t, "b.txt", "", false) }),
		strings.Replace(err.Error(), "stat", "open", 1)+
			"; write it and read what it has: go test ./report/table -run TestGolden -update")
}

// TestDiffHasAtMostFortyLines checks that a difference has at most 40 lines, whatever the texts.
func TestDiffHasAtMostFortyLines(t *testing.T) {
	text := func(n int, format string) string {
		var b strings.Builder
		for k := range n {
			fmt.Fprintf(&b, format, k)
		}
		return b.String()
	}
	for _, c := range []struct {
		want, got string
		lines     int
		last      string
	}{
		{"a\n", "a\n", 0, ""},
		{"a", "a\n", 6, "+a"},
		{"", "a\n", 4, "+a"},
		{text(37, "%d\n"), "", 40, "-36"},
		{text(38, "%d\n"), "", 40, "… and 2 lines more"},
		{text(1000, "%d\n"), text(1000, "%d!\n"), 40, "… and 1964 lines more"},
	} {
		d := Diff("f", c.want, c.got)
		lines := strings.Split(strings.TrimSuffix(d, "\n"), "\n")
		if n := strings.Count(d, "\n"); n != c.lines || lines[len(lines)-1] != c.last {
			t.Errorf("%d lines, want %d, the last %q:\n%s", n, c.lines, c.last, d)
		}
	}
}

// TestDigestsNameEntryAndCommand checks that a digest that differs is reported with the entry and
// the command that writes the digests.
func TestDigestsNameEntryAndCommand(t *testing.T) {
	inModule(t, "algorithms", nil)
	ogd := Digest{"ogd", 1, "ogd on iid", "aa"}
	// withPrimalDual returns digests of ogd, of primal-dual on five problems, and of sun, which
	// refused.
	withPrimalDual := func(version int, digest string) []Digest {
		all := []Digest{ogd}
		for k := range 5 {
			all = append(all, Digest{"primal-dual", version, fmt.Sprintf("primal-dual on p%d", k), digest})
		}
		return append(all, Digest{"sun", 1, "sun on iid", "refused         "})
	}
	digests := func(got []Digest, update bool) []string {
		return failures("TestDigests", func(t testing.TB) {
			Digests(t, "d.golden", "plays other actions", "package convex", got, update)
		})
	}
	const command = "go test ./algorithms -run TestDigests -update"
	if got := digests(withPrimalDual(1, "aa"), false); len(got) != 1 ||
		!strings.HasSuffix(got[0], "; write it: "+command) {
		t.Errorf("no file: got %q, want one with the command", got)
	}
	wantFailures(t, digests(withPrimalDual(1, "aa"), true))
	wantFailures(t, digests(withPrimalDual(1, "aa"), false))
	moved := "primal-dual plays other actions than its digest (primal-dual on p0, " +
		"primal-dual on p1, primal-dual on p2, primal-dual on p3, primal-dual on p4): raise its Version " +
		"and run " + command + ", or undo the change that moved it"
	wantFailures(t, digests(withPrimalDual(1, "bb"), false), moved)
	wantFailures(t, digests(withPrimalDual(1, "bb"), true), moved) // update alone does not do
	wantFailures(t, digests(withPrimalDual(1, "aa"), false))
	other := withPrimalDual(1, "bb")
	other[0].Digest = "cc"
	wantFailures(t, digests(other, false), "2 of 3 entries differ from their digests in "+
		"algorithms/testdata/d.golden: look at what they share first, package convex",
		"ogd plays other actions than its digest (ogd on iid): raise its Version and run "+command+
			", or undo the change that moved it", moved)
	withoutOgd := append(withPrimalDual(1, "aa"), Digest{"new", 1, "new on iid", "dd"})[1:]
	wantFailures(t, digests(withoutOgd, false),
		"algorithms/testdata/d.golden has no digest of version 1  new on "+
			"iid; write it: "+command,
		"algorithms/testdata/d.golden has a digest of version 1  ogd on iid, "+
			"which is no case today; write the file anew: "+command)
	wantFailures(t, digests(withPrimalDual(2, "bb"), true)) // raised, and written
	wantFailures(t, digests(withPrimalDual(2, "bb"), false))
	wantFailures(t, digests(withPrimalDual(2, "aa"), false), moved)
}
