//go:build unix

package file

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What is no regular file is refused, and nothing waits for the other end of a pipe.
func TestOpenRefusesWhatIsNoRegularFile(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(path("file"), []byte("text"), 0o666),
		syscall.Mkfifo(path("pipe"), 0o666), os.Symlink("pipe", path("link")),
		os.Symlink("/dev/zero", path("zeros")), os.Mkdir(path("folder"), 0o777))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{
		"file": nil, "pipe": ErrIrregular, "link": ErrIrregular, "zeros": ErrIrregular,
		"folder": syscall.EISDIR, "none": fs.ErrNotExist, "file/none": syscall.ENOTDIR,
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(path(name))
			if !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
			if wrong := (*fs.PathError)(nil); err != nil && !errors.As(err, &wrong) {
				t.Errorf("got an error of type %T, want *fs.PathError", err)
			}
			if f != nil {
				if text, err := io.ReadAll(f); string(text) != "text" || err != nil {
					t.Errorf("got %q, error %v, want text", text, err)
				}
				f.Close()
			}
			if f, err = OpenLocks(path(name)); f != nil {
				f.Close()
			}
			if want != fs.ErrNotExist && !errors.Is(err, want) || want == fs.ErrNotExist && err != nil {
				t.Errorf("for locks: %v, want %v", err, want)
			}
		})
	}
}
