package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ocobench/internal/file"
)

const (
	tempPrefix   = ".tmp-"     // begins the names of temporary files of package file
	damagedInfix = ".damaged-" // is in the names of what [Store.SetAside] has renamed
)

// writeFile writes data to path completely or not at all. It creates missing folders.
func writeFile(path string, data []byte) error {
	dir := filepath.Dir(path)
	write := func() error { return file.Write(path, file.Bytes(data)) }
	err := write()
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDir(dir); err == nil {
			err = write()
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
		if d := cellFolderDamage(filepath.Dir(path)); d != nil {
			return nil, d
		}
	}
	switch {
	case errors.Is(absent, fs.ErrNotExist):
		return nil, fmt.Errorf("store: %s: %w", path, ErrNotFound)
	case absent != nil:
		return nil, withRemedy(absent)
	case errors.Is(err, fs.ErrNotExist) && info.Mode().Type() != fs.ModeSymlink:
		return readFile(path) // the file was written between the two looks
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
	return err == nil && (file.Dead(path) || time.Since(info.ModTime()) > file.Abandoned)
}

// walkFiles calls visit for the files in the folders of the store. It leaves out damaged folders,
// apart from that of the records, whose damage is an error.
func (s *Store) walkFiles(visit func(path string, d fs.DirEntry) error) error {
	cells, records := filepath.Join(s.dir, "cells"), filepath.Join(s.dir, "experiments")
	folders := []string{records, filepath.Join(s.dir, "analyses"), s.packDir()}
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
		notFolder := errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
		switch {
		case notFolder && folder != records, err != nil && cellFolderDamage(folder) != nil:
			continue
		case err != nil:
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
