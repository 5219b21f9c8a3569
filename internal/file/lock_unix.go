//go:build unix

package file

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"
)

// nonblocking is a flag for opening a file without waiting, such as for the writer of a pipe.
const nonblocking = syscall.O_NONBLOCK

// Lock locks the byte of f at offset, whether f is that long or not, without
// waiting. f must be open for writing. The error is [ErrLocked] if the byte is
// locked already, and wraps [errors.ErrUnsupported] if the file system has no
// locks. The operating system releases the lock when f is closed or the process
// ends, however it ends. The lock is advisory.
//
// A lock belongs to the open file on Linux and Windows. It belongs to the process
// on other systems: there a process can lock a byte twice, and releases its locks
// when it closes any file that is the same.
//
// The library gofrs/flock locks whole files only. A store needs a lock for each cell, so that
// several processes can compute the cells of an experiment, and has them all in one file.
func Lock(f *os.File, offset int64) error { return LockRange(f, offset, 1) }

// LockRange locks n bytes of f at offset as [Lock] does one: all or none.
func LockRange(f *os.File, offset, n int64) error {
	err := setLock(f, syscall.F_WRLCK, offset, n)
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EACCES):
		return ErrLocked
	case err != nil: // the errors of file systems without locks are many
		return fmt.Errorf("%w: no locks for %s: %v", errors.ErrUnsupported, f.Name(), err)
	}
	return nil
}

// Unlock releases the byte of f at offset.
func Unlock(f *os.File, offset int64) error { return setLock(f, syscall.F_UNLCK, offset, 1) }

// setLock sets or releases a lock on n bytes of a file. On Linux it is a lock of the open file, and
// elsewhere one of the process.
func setLock(f *os.File, kind int16, offset, n int64) error {
	command := syscall.F_SETLK
	if runtime.GOOS == "linux" {
		command = 37 // F_OFD_SETLK, which package syscall lacks
	}
	for {
		err := syscall.FcntlFlock(f.Fd(), command,
			&syscall.Flock_t{Type: kind, Whence: io.SeekStart, Start: offset, Len: n})
		if err != syscall.EINTR {
			return os.NewSyscallError("fcntl", err)
		}
	}
}
