package store

import (
	"bytes"
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

	"ocobench/internal/file"
)

const (
	tempPrefix = ".tmp-" // of the temporary files of package file
	asideInfix = ".damaged-"
	abandoned  = file.Abandoned
)

// writeFile writes data to path completely or not at all. It creates missing folders.
func writeFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	put := func() error { return file.Write(path, file.Bytes(data)) }
	err := put()
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDir(dir); err == nil {
			err = put()
		}
	}
	if err == nil {
		err = syncDir(dir)
	}
	// the error names path, not the temporary file
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		err = &fs.PathError{Op: "write", Path: path, Err: errno}
	}
	return withRemedy(err)
}

// readFile returns the content of the file at path. The error is [ErrNotFound] if nothing is
// there, a [*DamagedError] if something is there that is not a file or cannot be read, or if its
// folder is not one, and otherwise says what keeps the store from being read.
func readFile(path string) ([]byte, error) {
	data, err := readSealed(path)
	if err == nil || isDamaged(err) {
		return data, err
	}
	info, absent := os.Lstat(path)
	if absent != nil {
		if d := folderDamage(filepath.Dir(path)); d != nil {
			return nil, d
		}
	}
	switch {
	case errors.Is(absent, fs.ErrNotExist):
		return nil, fmt.Errorf("store: %s: %w", path, ErrNotFound)
	case absent != nil:
		return nil, withRemedy(absent)
	case errors.Is(err, fs.ErrNotExist) && info.Mode().Type() != fs.ModeSymlink: // put just now
		return readFile(path)
	}
	return nil, openError(path, err)
}

// largeFile is the number of bytes from which on a file is read only if it ends with a digest. A
// large damaged file then takes no memory.
const largeFile = 64 << 20

// readSealed reads a file. The error is a [*DamagedError] if the file is large and does not end
// with the line of a digest, right or wrong; else it is that of the system.
func readSealed(path string) ([]byte, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > largeFile {
		var end [sealLength]byte
		_, err := f.ReadAt(end[:], info.Size()-int64(sealLength))
		if err != nil || !strings.HasPrefix(string(end[:]), sealPrefix) || end[sealLength-1] != '\n' {
			return nil, &DamagedError{Path: path,
				Reason: fmt.Sprintf("it has %d bytes, and does not end with its digest", info.Size())}
		}
	}
	var data bytes.Buffer
	data.Grow(int(min(info.Size(), largeFile)) + bytes.MinRead) // to read it at once
	_, err = data.ReadFrom(f)
	return data.Bytes(), err
}

// folderDamage returns what is wrong with a folder of cells that is no folder, or cannot be
// entered; otherwise nil.
func folderDamage(folder string) *DamagedError {
	d := &DamagedError{Path: folder, folder: true}
	if !isCellFolder(folder) {
		return nil
	}
	info, err := os.Lstat(folder)
	if err != nil { // the cells have no folder at all
		return nil
	}
	if info.Mode().Type() == fs.ModeSymlink {
		info, err = os.Stat(folder)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.Reason = "it is a link to nothing"
	case err != nil:
		d.Reason = "it cannot be read: " + errors.Unwrap(err).Error()
	case !info.IsDir():
		d.Reason = "it is not a directory"
	default:
		_, err := os.ReadDir(folder)
		if err == nil {
			_, err = os.Stat(folder + "/.")
		}
		if err == nil {
			return nil
		}
		d.Reason = "it cannot be read: " + errors.Unwrap(err).Error()
	}
	return d
}

// isCellFolder reports whether a path is that of a folder of cells, whatever is there.
func isCellFolder(path string) bool {
	name := filepath.Base(path)
	return len(name) == 2 && strings.Trim(name, "0123456789abcdef") == "" &&
		filepath.Base(filepath.Dir(path)) == "cells"
}

// openError returns what is wrong with a file that cannot be opened or read: a [*DamagedError] if
// something else is in its place, or the disk does not give it back.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &DamagedError{Path: path, Reason: "it is a link to nothing"}
	case errors.Is(err, syscall.EISDIR):
		return &DamagedError{Path: path, Reason: "it is a directory"}
	case errors.Is(err, file.ErrIrregular):
		return &DamagedError{Path: path, Reason: "it " + file.ErrIrregular.Error()}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ELOOP),
		errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EIO):
		return &DamagedError{Path: path, Reason: "it cannot be read: " + errors.Unwrap(err).Error()}
	}
	return withRemedy(err)
}

// SetAside renames a damaged file to a name of its own in the same folder, its
// name with ".damaged-" and a random number, and sets d.Aside to that name: nothing is
// overwritten. The name is empty if the file is no longer there, or if its folder, which was
// no folder, has been set aside by another. A cell in a pack cannot be set aside.
func (s *Store) SetAside(d *DamagedError) error {
	d.Aside = ""
	if d.folder {
		s.setting.Lock()
		defer s.setting.Unlock()
		if folderDamage(d.Path) == nil { // somebody has set it aside since
			return nil
		}
	}
	name := fmt.Sprintf("%s"+asideInfix+"%016x", d.Path, rand.Uint64())
	err := os.Rename(d.Path, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		d.Aside = filepath.Base(name)
	}
	return withRemedy(err)
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

// Sweep removes the temporary files of writers that were killed, and returns how
// many there were. The lock of a temporary file reports whether its writer is alive;
// where locks cannot tell, files younger than a day are left. Sweep leaves those of
// a store that cannot be written.
func (s *Store) Sweep() (removed int, err error) {
	err = s.walkFiles(func(path string, d fs.DirEntry) error {
		if isAbandoned(path, d) && os.Remove(path) == nil {
			removed++
		}
		return nil
	})
	return removed, err
}

// isAbandoned reports whether a file is a temporary file of a writer that was killed.
func isAbandoned(path string, d fs.DirEntry) bool {
	if d.IsDir() || !strings.HasPrefix(d.Name(), tempPrefix) {
		return false
	}
	info, err := d.Info()
	return err == nil && (file.Dead(path) || time.Since(info.ModTime()) > abandoned)
}

// walkFiles calls visit for the files in the folders of the store.
func (s *Store) walkFiles(visit func(path string, d fs.DirEntry) error) error {
	cells := filepath.Join(s.dir, "cells")
	folders := []string{filepath.Join(s.dir, "experiments"), filepath.Join(s.dir, "analyses"),
		s.packDir()}
	prefixes, err := readFolder(cells)
	if err != nil {
		return err
	}
	for _, e := range prefixes {
		if folder := filepath.Join(cells, e.Name()); e.IsDir() && isCellFolder(folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		files, err := readFolder(folder)
		stray := errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
		if stray && folder != folders[0] || err != nil && folderDamage(folder) != nil {
			continue // the others go on, but not without experiments
		}
		if err != nil {
			return err
		}
		for _, e := range files {
			if err := visit(filepath.Join(folder, e.Name()), e); err != nil {
				return err
			}
		}
	}
	return nil
}

// readFolder lists a folder, which need not exist.
func readFolder(dir string) ([]fs.DirEntry, error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, withRemedy(err)
}

// withRemedy adds to an error of the file system, which names the path, what to do about it.
func withRemedy(err error) error {
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

// Unwritable reports whether an error says that nobody may write the store, or this process may
// not.
func Unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// remedies says what a user can do about errors of the file system.
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
	{syscall.ELOOP, "a link leads to itself; remove it or name another store"},
	{syscall.EMFILE, "too many open files; use fewer workers or raise ulimit -n"},
}
