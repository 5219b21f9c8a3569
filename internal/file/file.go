// Package file writes files whole or not at all, opens regular files without waiting, and locks
// parts of files.
package file

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

// ErrLocked says that another process, or another open file of this one, has
// the lock.
var ErrLocked = errors.New("locked")

// Abandoned is the age at which a temporary file belongs to a writer that was
// killed, where locks cannot tell. A temporary file lives for milliseconds; the
// margin is for suspended processes and clocks that differ.
const Abandoned = 24 * time.Hour

// temporary matches the names of temporary files.
var temporary = regexp.MustCompile(`^\.tmp-ocobench-[0-9a-f]{16}$`)

// Write replaces the file at path, in one step, by one with the content that write writes. It
// writes a temporary file in the same directory, which must exist, syncs it and renames it. A
// reader finds the old file or the new one. After an error the old file is as it was. A writer
// that is killed leaves its temporary file, which [Sweep] removes. The permissions are those that
// the umask leaves of 0666.
func Write(path string, write func(io.Writer) error) (err error) {
	f, err := createTemp(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if runtime.GOOS == "windows" { // which renames no open file
		f.Close()
	}
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	}
	return os.Rename(f.Name(), path)
}

// Bytes writes data, as a content for [Write].
func Bytes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Save does what [Write] does, for a file that a user names. It makes the directory that the file
// belongs in, and removes what writers that were killed have left there. If path is no
// regular file, such as a device, it writes into it. Its errors do not name the temporary
// file.
func Save(path string, write func(io.Writer) error) (err error) {
	defer func() { err = withoutName(err) }()
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	}
	if _, err := Sweep(dir); err != nil {
		return err
	}
	return Write(path, write)
}

// Ready returns the error that [Save] would have for this file, as far as it can be known before
// the content exists. It makes the directory, and writes a page to a temporary file there, which
// it removes. It opens a device, and writes nothing to it.
func Ready(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return syscall.EISDIR
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return withoutName(err)
		}
		return f.Close()
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return withoutName(err)
	}
	f, err := createTemp(dir)
	if err != nil {
		return withoutName(err)
	}
	_, err = f.Write(make([]byte, 1<<12))
	return withoutName(errors.Join(err, f.Close(), os.Remove(f.Name())))
}

// withoutName returns the error of the system in an error, which does not name the temporary file.
func withoutName(err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno
	}
	return err
}

// createTemp makes a temporary file in dir and locks it, so that a sweeper sees that
// its writer is alive.
func createTemp(dir string) (*os.File, error) {
	for {
		// The name is random rather than a process id: machines may share the
		// directory.
		name := filepath.Join(dir, fmt.Sprintf(".tmp-ocobench-%016x", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return nil, err
		}
		err = Lock(f, 0)
		if _, gone := os.Lstat(name); !errors.Is(err, ErrLocked) && gone == nil {
			return f, nil
		}
		f.Close() // a sweeper was faster than the lock, and removes the file
	}
}

// Sweep removes the temporary files of dir whose writers were killed, and
// returns how many. The lock of a temporary file reports whether its writer is
// alive; on file systems without locks Sweep removes those that are older than
// [Abandoned]. It removes nothing else. A directory that does not exist, or that
// cannot be written, is left as it is.
//
// A process must not call Sweep on a directory while it writes there.
func Sweep(dir string) (removed int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); Dead(path) && os.Remove(path) == nil {
			removed++
		}
	}
	return removed, err
}

// Dead reports whether path is a temporary file of [Write] whose writer was killed.
func Dead(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || !temporary.MatchString(info.Name()) {
		return false
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	switch err := Lock(f, 0); {
	case err == nil:
		return true
	case !errors.Is(err, errors.ErrUnsupported):
		return false
	}
	return time.Since(info.ModTime()) > Abandoned
}
