package file

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// ErrIrregular says that something is no regular file, but a device, a pipe or a socket. It may
// have no end, and opening it may wait for ever.
var ErrIrregular = errors.New("is not a regular file")

// Open opens a regular file to read it. It never waits, whatever is there. Its errors are of the
// type [*fs.PathError]: [syscall.EISDIR] of a directory, and [ErrIrregular] of what is no file.
func Open(path string) (*os.File, error) { return openRegular(path, os.O_RDONLY) }

// OpenLocks opens a regular file, as [Open] does, to lock parts of it. It makes a missing file.
func OpenLocks(path string) (*os.File, error) { return openRegular(path, os.O_RDWR|os.O_CREATE) }

// openRegular opens a regular file with a flag of [os.OpenFile].
func openRegular(path string, flag int) (*os.File, error) {
	if info, err := os.Stat(path); err == nil { // opening a device may have effects
		if err := checkRegular(path, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flag|nonblocking, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // again: another file may be there by now
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// checkRegular returns an error unless the file is a regular one.
func checkRegular(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case !mode.IsRegular():
		return &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	return nil
}
