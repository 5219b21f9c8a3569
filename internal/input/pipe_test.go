//go:build unix

package input

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe has no size: it ends with an error after the limit.
func TestPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"abcd": "", "abcde": "has more than 4 bytes, the limit",
	} {
		go os.WriteFile(pipe, []byte(text), 0o666)
		data, err := ReadFile(pipe, 4)
		if string(data) != "abcd" || (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%q through a pipe: %q, %v, want %s", text, data, err, want)
		}
	}
}
