// Package store keeps the results of experiments as plain files. The name of a file
// is the digest of what determines its content.
//
// A [Cell] is the unit of work and of storage. Its [Key] is the SHA-256 of its
// identity: the resolved parameters, versions and seeds that determine its numbers.
// The identity does not contain the worker, the time or the order of computation.
// Therefore two experiments that have a cell in common share its file, and an
// interrupted run continues where it stopped. Shards of a sweep need no
// coordination, on one machine or on several that share a file system: every worker
// writes a given cell to the same name with the same numbers.
//
// # On disk
//
//	results/
//	    cells/ab/abcdef….cell       one file a cell, in 256 folders
//	    cells/ab/abcdef….failed     why a cell could not be computed
//	    packs/20261122T….zip        many cells in one file: see below
//	    experiments/frequency.json  which experiments were run
//	    analyses/0123….analysis     what was computed from the cells of an experiment
//	    lock                        empty: see below
//
// There is no index: the folder is the whole truth, and may be copied, merged
// with another by cp -n, or thinned by rm. A cell is text:
//
//	{"format":"ocobench cell 1","kind":"game","rows":2,"version":"v1.0.0","go":"go1.26.8","goarch":"amd64"}
//	{"algorithm":"primal-dual","seed":1}     the identity, as it was hashed
//	                                         an empty line
//	t	loss                                 the columns, separated by tabs
//	1	0.5                                  the rows, in shortest round-trip form
//	2	NaN
//	sha256 09fe…                             the digest of every byte above
//
// Common tools read and check it:
//
//	sed -n 2p FILE | tr -d '\n' | sha256sum     prints its name
//	head -n -1 FILE | sha256sum                 prints the digest of its last line
//
// A record, a failure and an analysis are a line with the format and what they are of,
// the JSON, the reason or the bytes, and the same last line.
//
// # Packs
//
// A million small files are a burden for a file system that many machines share.
// [Store.Pack] moves cells from files of their own into packs of some 256 MB, where
// they are read in place. A pack is a zip file whose entries are the files of cells,
// not compressed:
//
//	unzip -l packs/20261122T….zip               lists the keys
//	unzip -p packs/20261122T….zip KEY.cell      prints a cell
//
// A pack never changes. Its name is the time, and a random number, so that stores with
// packs are merged by cp -n as well. The directory of a pack is read when a store is
// first asked for a cell. A file of its own takes precedence over the packs: it is a cell
// that was computed again, or a failure. Of packs that have the same cell, as merged
// stores may, the last by name counts. But any whole copy goes before a damaged one.
//
// # Whole or not at all
//
// A file is written under a temporary name in the folder where it belongs,
// synced, and renamed; then the folder is synced. A reader therefore finds the
// old file, the new one or none, and a writer that is killed leaves at most a
// temporary file, which nobody reads and [Store.Sweep] removes. A pack is written in
// the same way, and only then are the files removed that it replaces. What a disk does
// to a file afterwards is found by its digest: [Store.Get] answers with a whole copy or a
// [DamagedError]. [Store.Mend] sets aside what is damaged, under another name, be it a file or what
// is in the place of one of the 256 folders; the cells that are missing then can be computed
// again. A damaged cell in a pack stays there, and the file of the new one takes precedence.
//
// # Processes that share a store
//
// [Store.Lock] reserves a cell while it is computed. It locks one byte of the file
// lock, chosen by the key: the operating system releases the byte when its
// process ends, however it ends. A lock only saves work. Where the file system has
// none, two processes may compute the same cell, and put the same numbers.
//
// A process that packs or removes cells reserves the whole store ([Store.Reserve]), which
// fails while a run has entered it ([Store.Enter]). Readers take no lock: they find a cell
// before, while and after it is packed.
package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ocobench/internal/file"
)

// ErrNotFound reports, wrapped, that the store has nothing under a key or a name.
var ErrNotFound = errors.New("no such cell")

// A Key names a cell: 64 lower-case hexadecimal digits.
type Key string

// KeyOf returns the key of a cell with the given identity: the SHA-256 of its bytes.
// Two spellings of one JSON value have different keys. The caller should therefore
// marshal a struct, whose fields encoding/json writes in a fixed order.
func KeyOf(identity []byte) Key {
	sum := sha256.Sum256(identity)
	return Key(hex.EncodeToString(sum[:]))
}

// isValid reports whether [KeyOf] could return the key.
func (k Key) isValid() bool {
	return len(k) == 2*sha256.Size && strings.Trim(string(k), "0123456789abcdef") == ""
}

// Store is a folder of cells and experiment records. Its methods may be called from any number of
// goroutines and processes at once.
type Store struct {
	dir   string
	name  string // in messages, in place of dir; or empty
	locks heldLocks
	packs packs

	settingAside sync.Mutex // is held while a damaged folder is set aside
}

// Open returns the store in dir. If dir does not exist, the store is empty, and the
// first Put creates it. It is an error if dir is a file.
func Open(dir string) (*Store, error) {
	dir = filepath.Clean(dir)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, withRemedy(err)
	case !info.IsDir():
		return nil, fmt.Errorf("store: %s is a file, not a directory: name another store", dir)
	}
	return &Store{dir: dir}, nil
}

// Dir returns the folder the store was opened in, or the name of [Store.ShowAs], for messages.
func (s *Store) Dir() string { return cmp.Or(s.name, s.dir) }

// ShowAs gives the store a name that messages have in place of its folder.
func (s *Store) ShowAs(name string) { s.name = name }

// Path returns the name of the file of the cell with this key, whether or not it
// exists. It panics if key is not one that [KeyOf] could return.
func (s *Store) Path(key Key) string {
	if !key.isValid() {
		panic(fmt.Sprintf("store: %q is not a key", key))
	}
	return filepath.Join(s.dir, "cells", string(key[:2]), string(key)+cellSuffix)
}

// cellSuffix ends the names of files of cells.
const cellSuffix = ".cell"

// Has reports whether there is a cell with this key. It does not read the file;
// only [Store.Get] checks that it is not damaged.
func (s *Store) Has(key Key) bool {
	if !key.isValid() {
		return false
	}
	packs, _ := s.listPacks() // its error is left to Get
	if len(packs.withKey(key)) > 0 && !s.packs.isShadowed(key) {
		return true
	}
	if _, err := os.Stat(s.Path(key)); err == nil {
		return true
	}
	s.refreshPacks() // the cell may have been packed a moment ago
	packs, _ = s.listPacks()
	return len(packs.withKey(key)) > 0 && !s.hasFailed(key)
}

// Get returns the cell under key, from the first of its copies that is whole: its own file, or a
// pack. The error is [ErrNotFound] if there is no copy; a [*DamagedError] if all copies are
// damaged, or if there is none and a pack cannot be opened, which may have one; a [*NewerError] if
// a newer program wrote it; and otherwise says what kept the store from being read.
func (s *Store) Get(key Key) (*Cell, error) {
	cell, _, _, err := s.findWhole(key, decodeCell)
	return cell, err
}

// Read returns the cell under key, whose rows [Cell.Numbers] reads later, and the digest of its
// content that the file ends with. The errors are those of [Store.Get].
func (s *Store) Read(key Key) (cell *Cell, digest string, err error) {
	cell, digest, _, err = s.findWhole(key, decodeUnread)
	return cell, digest, err
}

// Check returns the cell under key without its numbers, after it has compared the digest and the
// identity. The errors are those of [Store.Get]; the error is also a [*DamagedError] if a pack
// has the cell and its own file is damaged.
func (s *Store) Check(key Key) (*Cell, error) {
	cell, _, damaged, err := s.findWhole(key, func(data []byte) (*Cell, error) {
		cell, _, _, err := decodeHead(data)
		return cell, err
	})
	if err == nil && damaged != nil && !damaged.packed {
		return nil, damaged
	}
	return cell, err
}

// Mend returns the cell under key without its numbers, or nil if the store does not have it whole.
// It sets aside what is damaged of the cell, so that it can be computed, and returns what that was.
// The errors are those of [Store.Get] but for damage. The caller must hold the lock of the cell.
func (s *Store) Mend(key Key) (cell *Cell, damaged []*DamagedError, err error) {
	for { // once for each damaged file, until the cell is whole or has no file left
		cell, err := s.Check(key)
		d := (*DamagedError)(nil)
		switch {
		case err == nil:
			return cell, damaged, nil
		case errors.Is(err, ErrNotFound):
			return nil, damaged, nil
		case !errors.As(err, &d):
			return nil, damaged, err
		case d.packed: // a pack stays as it is
			return nil, append(damaged, d), nil
		}
		if err := s.SetAside(d); err != nil {
			return nil, damaged, err
		}
		if d.SetAsideAs != "" {
			damaged = append(damaged, d)
		}
	}
}

// findWhole returns the first whole copy of a cell, decoded, with the digest that it ends with, and
// the first damage of the copies before it, or nil. The error is that of [Store.Get].
func (s *Store) findWhole(key Key, decode func(data []byte) (*Cell, error)) (cell *Cell,
	digest string, damaged *DamagedError, err error) {
	if !key.isValid() {
		return nil, "", nil, fmt.Errorf("store: %q is not a key", key)
	}
	for {
		copies, err := s.copiesOf(key)
		if err != nil {
			return nil, "", nil, err
		}
		damaged = nil
		for _, c := range copies {
			cell, digest, err := c.decodeCopy(decode)
			d := (*DamagedError)(nil)
			switch {
			case err == nil:
				return cell, digest, damaged, nil
			case errors.As(err, &d):
				damaged = cmp.Or(damaged, d)
			case !errors.Is(err, ErrNotFound):
				return nil, "", nil, err
			}
		}
		fresh, err := s.refreshPacks() // the cell may have been packed a moment ago
		if err != nil {
			return nil, "", nil, err
		}
		if fresh {
			continue
		}
		if damaged == nil {
			damaged = s.packs.firstDamaged()
		}
		if damaged != nil {
			return nil, "", nil, damaged
		}
		return nil, "", nil, fmt.Errorf("store: %s: %w", s.Path(key), ErrNotFound)
	}
}

// location locates a copy of a cell: in a file of its own, or in a pack.
type location struct {
	key  Key
	path string
	pack *pack // or nil
}

// copiesOf returns where a cell may be, in the order in which the copies are tried.
func (s *Store) copiesOf(key Key) (all []location, err error) {
	packs, err := s.listPacks()
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		if p.hasCell(key) {
			all = append(all, location{key, p.path, p})
		}
	}
	own := location{key, s.Path(key), nil}
	switch {
	case !s.packs.isShadowed(key): // no packed cell had a file when the packs were listed
		return append(all, own), nil
	case s.hasFailed(key): // the failure takes precedence over packs
		return []location{own}, nil
	}
	return slices.Insert(all, 0, own), nil // its own file takes precedence over packs
}

// readCopy returns the bytes of the copy.
func (l location) readCopy() ([]byte, error) {
	if l.pack != nil {
		return l.pack.readCell(l.key)
	}
	return readFile(l.path)
}

// decodeCopy returns the cell of the copy, and the digest that it ends with. The error says
// what is wrong with the copy, or what keeps it from being read.
func (l location) decodeCopy(decode func(data []byte) (*Cell, error)) (cell *Cell, digest string,
	err error) {
	data, err := l.readCopy()
	if err != nil {
		return nil, "", err
	}
	cell, err = decode(data)
	if err == nil {
		err = checkKey(cell, l.key)
	}
	if err != nil {
		return nil, "", l.damage(err)
	}
	return cell, digestIn(data), nil
}

// openCopy opens the copy to read its beginning.
func (l location) openCopy() (io.ReadCloser, error) {
	if l.pack == nil {
		return file.Open(l.path)
	}
	r, err := l.pack.cells[l.key].OpenRaw()
	return io.NopCloser(r), err
}

// damage returns the error of a copy whose content is wrong.
func (l location) damage(err error) error {
	if l.pack != nil {
		return l.pack.damage(l.key, err)
	}
	return unusable(l.path, err)
}

// checkKey returns an error if a cell is not the one under key.
func checkKey(cell *Cell, key Key) error {
	if KeyOf(cell.Identity) != key {
		return errors.New("it is the cell of another identity")
	}
	return nil
}

// isWhole reports whether data is the cell under key. The numbers are not read.
func isWhole(key Key, data []byte) bool {
	cell, _, _, err := decodeHead(data)
	return err == nil && checkKey(cell, key) == nil
}

// Put files cell under key, which must be the key of its identity. A cell that
// is there already is replaced, and a failure is removed. When Put returns nil the
// cell is on disk; when it does not, what was there is as it was.
func (s *Store) Put(key Key, cell *Cell) error {
	if KeyOf(cell.Identity) != key {
		return fmt.Errorf("store: %q is not the key of identity %s", key, cell.Identity)
	}
	data, err := encodeCell(cell)
	if err != nil {
		return fmt.Errorf("store: cell %s: %w", key, err)
	}
	if err := writeFile(s.Path(key), data); err != nil {
		return err
	}
	s.packs.markShadowed(key)
	os.Remove(s.failurePath(key)) // if this fails, the failure has no effect beside the cell
	return nil
}

// Keys returns the keys of all cells, also of damaged ones, in order.
func (s *Store) Keys() ([]Key, error) {
	keys, err := s.unpackedKeys()
	if err != nil {
		return nil, err
	}
	packs, err := s.relistPacks()
	if err != nil {
		return nil, err
	}
	for _, p := range packs {
		for key := range p.cells {
			if !s.hasFailed(key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// unpackedKeys returns the keys of the cells that have a file of their own, in order.
func (s *Store) unpackedKeys() ([]Key, error) {
	var keys []Key
	err := s.walkFiles(func(path string, _ fs.DirEntry) error {
		name, ok := strings.CutSuffix(filepath.Base(path), cellSuffix)
		if key := Key(name); ok && key.isValid() && path == s.Path(key) {
			keys = append(keys, key)
		}
		return nil
	})
	slices.Sort(keys)
	return keys, err
}
