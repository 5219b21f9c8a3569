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

// abandoned is the age at which the writer of a temporary file must have been
// killed. Writers need milliseconds, but jobs may be suspended and clocks may
// differ.
const abandoned = 24 * time.Hour

const tempPrefix = ".tmp-"

// write writes data to path completely or not at all. It creates missing folders.
func write(path string, data []byte) error {
	dir := filepath.Dir(path)
	// A process id would not do as a name: shards on several machines may share
	// the folder.
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
	if errno := syscall.Errno(0); errors.As(err, &errno) { // the error names path, not the temporary file
		err = &fs.PathError{Op: "write", Path: path, Err: errno}
	}
	return explain(err)
}

// writeSynced creates a file that must not exist, and returns when its content is on
// disk. The umask determines the permissions, other than with os.CreateTemp, so
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

// makeDir creates dir and its missing parents, and syncs the parent of each folder
// that it creates.
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

// syncDir makes the names in dir durable, if the file system can.
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

// Sweep removes the temporary files of writers that were killed, and returns their
// number. It keeps files younger than a day, which may be in use.
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
		if errors.Is(err, fs.ErrNotExist) { // its writer renamed it, or another Sweep removed it
			return nil
		}
		return err
	})
	return removed, err
}

// walk calls visit for the files in the folders of cells and experiments.
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

// explain adds a remedy to an error of the file system, which names the path.
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
