package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"ocobench/internal/file"
)

// ErrLocked reports that another process, or another goroutine, computes a cell.
var ErrLocked = file.ErrLocked

// heldLocks tracks the locks of cells that this process holds, each on one byte of the lock file.
type heldLocks struct {
	mu   sync.Mutex
	file *os.File
	held map[int64]bool // by the offset of the byte
}

// Lock reserves the cell under key for the caller, which is to compute and put it
// and then to call unlock. Lock does not wait. The error is [ErrLocked] if
// another process, or another goroutine, has the cell; it wraps
// [errors.ErrUnsupported] if the file system has no locks, and says otherwise what
// kept the store from being written. A lock ends with its process. It is advice:
// Put does not ask for it. Lock panics if key is not one that [KeyOf] could return.
func (s *Store) Lock(key Key) (unlock func(), err error) {
	if !key.isValid() {
		panic(fmt.Sprintf("store: %q is not a key", key))
	}
	offset, err := strconv.ParseInt(string(key[:15]), 16, 64)
	if err != nil {
		panic(err) // the digits are hexadecimal
	}
	l := &s.locks
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		if l.file, err = openLocks(filepath.Join(s.dir, "lock")); err != nil {
			return nil, withRemedy(err)
		}
		l.held = make(map[int64]bool)
	}
	if l.held[offset] { // the operating system would grant it to the same process again
		return nil, ErrLocked
	}
	if err := file.Lock(l.file, offset); err != nil {
		l.closeUnused()
		return nil, err
	}
	l.held[offset] = true
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		file.Unlock(l.file, offset)
		delete(l.held, offset)
		l.closeUnused()
	}, nil
}

// closeUnused closes the file if no lock is held. Otherwise it stays open: on some systems,
// closing it releases all locks of the process.
func (l *heldLocks) closeUnused() {
	if len(l.held) == 0 {
		l.file.Close()
		l.file = nil
	}
}

// openLocks opens the file of locks, and makes it and its folder if they are missing.
func openLocks(path string) (*os.File, error) {
	f, err := file.OpenLocks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeDir(filepath.Dir(path)); err == nil {
			f, err = file.OpenLocks(path)
		}
	}
	return f, err
}

// A cell locks the byte at the offset that the first 15 hexadecimal digits of its key give, below
// firstRun. A run locks one of the maxRuns bytes from there on. The file itself stays empty.
const (
	firstRun = 1 << 60
	maxRuns  = 1 << 20
)

// Enter tells other processes that this one computes cells, until leave is called.
// The errors are those of [Store.Lock]: [ErrLocked] while another process has the
// store for itself.
func (s *Store) Enter() (leave func(), err error) {
	return s.lockFile(func(f *os.File) (err error) {
		// Another run may have the same random byte. Three that are taken mean that the whole store
		// is reserved.
		for range 3 {
			if err = file.Lock(f, firstRun+rand.Int64N(maxRuns)); !errors.Is(err, ErrLocked) {
				break
			}
		}
		return err
	})
}

// Reserve locks the whole store for a caller that packs or removes cells, until release is
// called. The errors are those of [Store.Lock]: [ErrLocked] while a process computes cells, packs
// them, or removes something.
func (s *Store) Reserve() (release func(), err error) {
	return s.lockFile(func(f *os.File) error { return file.LockRange(f, 0, firstRun+maxRuns) })
}

// lockFile locks a part of the lock file, opened anew: a lock ends with its file.
func (s *Store) lockFile(lock func(*os.File) error) (release func(), err error) {
	f, err := openLocks(filepath.Join(s.dir, "lock"))
	if err != nil {
		return nil, withRemedy(err)
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
