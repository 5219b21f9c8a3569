package file

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// nonblocking is a flag for opening a file without waiting. It is 0 here: no file keeps its opener
// waiting.
const nonblocking = 0

// Lock locks the byte of f at offset, without waiting. The error is [ErrLocked] if the byte is
// locked already, and wraps [errors.ErrUnsupported] if the file system has no locks. On Windows a
// lock is not advisory: the range cannot be written through another file.
func Lock(f *os.File, offset int64) error { return LockRange(f, offset, 1) }

// LockRange locks n bytes of f at offset as [Lock] does one: all or none. Closing f releases them.
func LockRange(f *os.File, offset, n int64) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, uint32(n), uint32(n>>32),
		overlapped(offset))
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return ErrLocked
	case err != nil: // the errors of file systems without locks are many
		return fmt.Errorf("%w: no locks for %s: %v", errors.ErrUnsupported, f.Name(), err)
	}
	return nil
}

// Unlock releases the byte of f at offset.
func Unlock(f *os.File, offset int64) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, overlapped(offset))
}

// overlapped returns an offset as LockFileEx takes it.
func overlapped(offset int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
}
