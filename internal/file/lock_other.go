//go:build !unix && !windows

package file

import (
	"errors"
	"os"
)

// nonblocking is a flag for opening a file without waiting. It is 0 here: no file keeps its opener
// waiting.
const nonblocking = 0

// Lock fails: this system has no locks.
func Lock(*os.File, int64) error { return errors.ErrUnsupported }

// LockRange fails: this system has no locks.
func LockRange(_ *os.File, _, _ int64) error { return errors.ErrUnsupported }

// Unlock fails: this system has no locks.
func Unlock(*os.File, int64) error { return errors.ErrUnsupported }
