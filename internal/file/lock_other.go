//go:build !unix && !windows

package file

import (
	"errors"
	"os"
)

const nonblocking = 0 // no file keeps its opener waiting

// Lock fails: this system has no locks.
func Lock(*os.File, int64) error { return errors.ErrUnsupported }

// LockRange fails: this system has no locks.
func LockRange(_ *os.File, _, _ int64) error { return errors.ErrUnsupported }

// Unlock fails: this system has no locks.
func Unlock(*os.File, int64) error { return errors.ErrUnsupported }
