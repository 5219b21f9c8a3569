package store

import (
	"errors"
	"os"
	"strings"
	"time"
)

// Failure says why a cell could not be computed.
type Failure struct {
	Reason string
	At     time.Time // when it was filed, by the clock of the file system
}

// PutFailure files why the cell under key could not be computed, in place of any earlier
// failure. [Store.Put] removes it. It hides a cell of this key in a pack, but not one in a file.
func (s *Store) PutFailure(key Key, reason string) error {
	path := s.failurePath(key)
	var damaged *DamagedError
	if _, err := readFile(path); errors.As(err, &damaged) { // a directory cannot be replaced
		if err := s.SetAside(damaged); err != nil {
			return err
		}
	}
	if err := writeFile(path, encodeText(failureFormat, string(key), []byte(reason))); err != nil {
		return err
	}
	s.packs.markShadowed(key)
	return nil
}

// Failure returns why the cell under key could not be computed. The error is [ErrNotFound] if no
// failure is filed, and a [*DamagedError] if the file does not hold it. The caller must know that
// the store lacks the cell: a file of its own takes precedence over a failure.
func (s *Store) Failure(key Key) (Failure, error) {
	path := s.failurePath(key)
	text, err := readFile(path)
	if err != nil {
		return Failure{}, err
	}
	reason, err := decodeText(failureFormat, string(key), text)
	if err != nil {
		return Failure{}, unusable(path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return Failure{}, withRemedy(err)
	}
	return Failure{string(reason), info.ModTime()}, nil
}

// failurePath returns the file of the failure of a cell.
func (s *Store) failurePath(key Key) string {
	return strings.TrimSuffix(s.Path(key), cellSuffix) + failureSuffix
}

// failureSuffix ends the names of files of failures.
const failureSuffix = ".failed"
