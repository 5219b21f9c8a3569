package input

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFileRefusesLargeAndSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name, text string) {
		if err := os.WriteFile(path(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("small", "abcd")
	write("large", "abcde")
	if err := os.Symlink("/dev/zero", path("zeros.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("loop", path("loop")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want, err string }{
		{"small", "abcd", ""},
		{"large", "", "has more than 4 bytes, the limit"},
		{".", "", "is a directory"},
		{"zeros.csv", "", "is neither a regular file nor a pipe, and may have no end"},
		{"loop", "", "too many levels of symbolic links"},
		{"none", "", "no such file or directory"},
		{"small/none", "", "not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := ReadFile(path(c.name), 4)
			if string(data) != c.want || (err == nil) != (c.err == "") || err != nil &&
				err.Error() != c.err {
				t.Errorf("%q, %v, want %q, %s", data, err, c.want, c.err)
			}
		})
	}
	if _, err := ReadFile(path("none"), 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that does not exist: got error %v, want %v", err, fs.ErrNotExist)
	}
}

func TestReadEndsAtTheLimit(t *testing.T) {
	name := filepath.Join(t.TempDir(), "grows")
	if err := os.WriteFile(name, []byte("ab"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := Open(name, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.WriteFile(name, []byte("abcdef"), 0o666); err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(f); string(data) != "ab" || err == nil {
		t.Errorf("a file that grew: got %q, error %v, want ab and an error", data, err)
	}
	if n, err := f.Read(make([]byte, 4)); n != 0 || err == nil {
		t.Errorf("read again: got %d bytes, error %v, want 0 and an error", n, err)
	}
}

func TestShownQuotesAndShortens(t *testing.T) {
	for text, want := range map[string]string{
		"rounds.jsonl":           "rounds.jsonl",
		"für Sitzungen.csv":      "für Sitzungen.csv",
		"a\nb":                   `"a\nb"`,
		"\x1b[2J":                `"\x1b[2J"`,
		"\xff":                   `"\xff"`,
		"\u202egnp.csv":          `"\u202egnp.csv"`,
		strings.Repeat("é", 200): strings.Repeat("é", 200),
		strings.Repeat("é", 201): strings.Repeat("é", 199) + "…",
	} {
		if got := Shown(text); got != want {
			t.Errorf("%q is shown as %s, want %s", text, got, want)
		}
	}
}

func TestMessageEscapesControlsAndShortens(t *testing.T) {
	for text, want := range map[string]string{
		"a: b\n\tc":                           "a: b\n\tc",
		"\x1b]0;title\a\r":                    `\x1b]0;title\a\r`,
		"\xffx":                               `\xffx`,
		"short\n" + strings.Repeat("y", 5000): "short\n" + strings.Repeat("y", 599) + "…",
		strings.Repeat("\x01", 5000):          strings.Repeat(`\x01`, 150) + "…",
	} {
		if got := Message(text); got != want {
			t.Errorf("the message %q is %q, want %q", text, got, want)
		}
	}
}
