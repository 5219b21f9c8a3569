package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A temporary file lives for milliseconds; one of this age belongs to a writer
// that was killed. The margin is for suspended jobs and clocks that differ.
const abandoned = 24 * time.Hour

const tempPrefix = ".tmp-"

// write puts data at path whole or not at all, making the folders it needs.
func write(path string, data []byte) error {
	dir := filepath.Dir(path)
	// The name is random rather than a process id: shards on several machines
	// may share the folder.
	temp := filepath.Join(dir, fmt.Sprintf("%s%016x", tempPrefix, rand.Uint64()))
	err := writeSynced(temp, data)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDir(dir); err == nil {
			err = writeSynced(temp, data)
		}
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err == nil {
		err = syncDir(dir)
	} else {
		os.Remove(temp)
	}
	if errno := syscall.Errno(0); errors.As(err, &errno) { // say what was to be written, not the temporary file
		err = &fs.PathError{Op: "write", Path: path, Err: errno}
	}
	return explain(err)
}

// writeSynced creates a file that must not exist, and returns once its content
// is on disk. Unlike os.CreateTemp it leaves the permissions to the umask, so
// that a group can share a store.
func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeDir creates dir and the folders that lead to it, and syncs the parent of
// each that it creates.
func makeDir(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDir(filepath.Dir(dir)); err == nil {
			err = os.Mkdir(dir, 0o777)
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// syncDir makes the names in dir durable, where the file system offers that.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Sync(); !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// Sweep removes the temporary files of writers that were killed, and returns how
// many there were. It leaves those younger than a day, which may be in use.
func (s *Store) Sweep() (removed int, err error) {
	err = s.walk(func(path string, d fs.DirEntry) error {
		if !strings.HasPrefix(d.Name(), tempPrefix) {
			return nil
		}
		info, err := d.Info()
		if err == nil && time.Since(info.ModTime()) > abandoned {
			if err = os.Remove(path); err == nil {
				removed++
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // its writer, or another sweeper, was faster
			return nil
		}
		return err
	})
	return removed, err
}

// walk calls visit for the files of the store, in the folders where it puts any.
func (s *Store) walk(visit func(path string, d fs.DirEntry) error) error {
	for _, sub := range []string{"cells", "experiments"} {
		root := filepath.Join(s.dir, sub)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			return visit(path, d)
		})
		if err != nil {
			return explain(err)
		}
	}
	return nil
}

// explain adds to an error of the file system, which names the path, what to do
// about it.
func explain(err error) error {
	if err == nil {
		return nil
	}
	for _, known := range remedies {
		if errors.Is(err, known.err) {
			return fmt.Errorf("store: %w: %s", err, known.remedy)
		}
	}
	return fmt.Errorf("store: %w", err)
}

var remedies = []struct {
	err    error
	remedy string
}{
	{fs.ErrPermission, "make the store readable and writable or name another one"},
	{syscall.EROFS, "name a store on a file system that can be written"},
	{syscall.ENOTDIR, "part of the path is a file; move it away or name another store"},
	{syscall.EISDIR, "a directory is where a file belongs; move it away or name another store"},
	{syscall.ENOSPC, "free some space and run again; what is finished is kept"},
	{syscall.EDQUOT, "your quota is used up; free some space and run again; what is finished is kept"},
	{syscall.EMFILE, "too many open files; use fewer workers or raise ulimit -n"},
}
