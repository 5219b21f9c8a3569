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
func Open(path string) (*os.File, error) { return open(path, os.O_RDONLY) }

// OpenLocks does what [Open] does, for a file that is made if it is not there, to lock parts of it.
func OpenLocks(path string) (*os.File, error) { return open(path, os.O_RDWR|os.O_CREATE) }

// open opens a regular file with a flag of [os.OpenFile].
func open(path string, flag int) (*os.File, error) {
	if info, err := os.Stat(path); err == nil { // opening a device may have effects
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flag|nonblocking, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // it may be another by now
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// regular returns an error unless the file is a regular one.
func regular(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case !mode.IsRegular():
		return &fs.PathError{Op: "open", Path: path, Err: ErrIrregular}
	}
	return nil
}
