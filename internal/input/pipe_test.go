//go:build unix

package input

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe has no size: it ends with an error after the limit.
func TestPipeEndsAfterTheLimit(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"abcd": "", "abcde": "has more than 4 bytes, the limit",
	} {
		t.Run(text, func(t *testing.T) {
			go os.WriteFile(pipe, []byte(text), 0o666)
			data, err := ReadFile(pipe, 4)
			if string(data) != "abcd" || (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("%q through a pipe: %q, %v, want %s", text, data, err, want)
			}
		})
	}
}

func TestFewNamesFiveAndCountsTheRest(t *testing.T) {
	for n, want := range map[int]string{0: "", 1: "a", 2: "a and b", 5: "a, b, c, d and e",
		6: "a, b, c, d, e and 1 more", 13: "a, b, c, d, e and 8 more"} {
		if got := Few(strings.Split("abcdefghijklm", "")[:n], ", "); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}
