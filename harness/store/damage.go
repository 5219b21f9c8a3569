package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ocobench/internal/file"
)

// This file says what is damaged: a file whose content is wrong or that cannot be read, or what is
// in the place of a folder. [Store.SetAside] moves it out of the way.

// A DamagedError says that a file is there and cannot be trusted: it was cut short, altered, filed
// under a wrong name, or written in another format, or it cannot be read. The same is said of what
// is in the place of a file, such as a directory, and of a folder of cells that is no folder or
// cannot be read; the path is then that of the folder.
type DamagedError struct {
	Path   string
	Reason string

	SetAsideAs string // the name that [Store.SetAside] gave it in the same folder, or ""

	packed bool // the damage is of a cell in a pack
	folder bool // the damage is of one of the 256 folders of cells
}

// Error implements error.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("store: %s is damaged: %s (run its experiment again to move it away and "+
		"replace it)", e.Path, e.Reason)
}

// Warning returns a sentence that says what is damaged, under which name it was set aside, if it
// was, and what is done next.
func (e *DamagedError) Warning(next string) error {
	aside := ""
	if e.SetAsideAs != "" {
		aside = " and set aside as " + e.SetAsideAs
	}
	return fmt.Errorf("%s is damaged (%s)%s; %s", e.Path, e.Reason, aside, next)
}

// isDamaged reports whether an error is a [*DamagedError].
func isDamaged(err error) bool {
	var damaged *DamagedError
	return errors.As(err, &damaged)
}

// unusable returns the error of a file that cannot be used, because of its content or its format.
func unusable(path string, err error) error {
	if newer := (*NewerError)(nil); errors.As(err, &newer) {
		return &NewerError{path, newer.Format}
	}
	return &DamagedError{Path: path, Reason: err.Error()}
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

// cellFolderDamage returns what is wrong with one of the 256 folders of cells that is no folder, or
// cannot be entered. It returns nil for a good folder, and for other paths.
func cellFolderDamage(folder string) *DamagedError {
	if !isCellFolder(folder) {
		return nil
	}
	if _, err := os.Lstat(folder); err != nil { // nothing is there, which is no damage
		return nil
	}
	_, err := os.ReadDir(folder)
	if err == nil {
		_, err = os.Stat(folder + "/.") // fails if the folder can be listed and not entered
	}
	reason := ""
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		reason = "it is a link to nothing"
	case errors.Is(err, syscall.ENOTDIR):
		reason = "it is not a directory"
	default:
		reason = "it cannot be read: " + errors.Unwrap(err).Error()
	}
	return &DamagedError{Path: folder, Reason: reason, folder: true}
}

// isCellFolder reports whether a path is that of one of the 256 folders of cells, cells/00 to
// cells/ff, whatever is there.
func isCellFolder(path string) bool {
	name := filepath.Base(path)
	return len(name) == 2 && strings.Trim(name, "0123456789abcdef") == "" &&
		filepath.Base(filepath.Dir(path)) == "cells"
}

// SetAside renames a damaged file or folder, in the same folder, to its name with ".damaged-" and a
// random number, and sets d.SetAsideAs to the new name. Nothing is overwritten. SetAsideAs is empty
// if the file is no longer there, or if another process has set the folder aside. A cell in a pack
// cannot be set aside.
func (s *Store) SetAside(d *DamagedError) error {
	d.SetAsideAs = ""
	if d.folder {
		s.settingAside.Lock()
		defer s.settingAside.Unlock()
		if cellFolderDamage(d.Path) == nil { // another caller has set it aside since
			return nil
		}
	}
	name := fmt.Sprintf("%s"+damagedInfix+"%016x", d.Path, rand.Uint64())
	err := os.Rename(d.Path, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		d.SetAsideAs = filepath.Base(name)
	}
	return withRemedy(err)
}
