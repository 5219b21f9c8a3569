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
//	    packs/20261122T….pack       many cells in one file: see below
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
// they are read in place. A pack is text, too:
//
//	{"format":"ocobench pack 1"}
//	{"format":"ocobench cell 1",…       the cells, sorted by key, each as it was
//	…                                   in its file, with its digest
//	abcdef… 29 7561                     for each cell a line: its key, where it
//	…                                   begins, and its size, in bytes
//	{"cells":34000,"index":256000000,   and where these lines begin, and which
//	"generation":7}                     of the packs this is, all on one line
//	sha256 09fe…                        the digest of every byte from there to here
//
// A pack never changes. Its name is the time, and a random number, so that stores with
// packs are merged by cp -n as well. Its generation is one more than that of any pack that was
// there when it was written. A file in cells takes precedence over the packs: it is
// a cell that was computed again, or a failure. If several packs have a cell, the one of the
// largest generation counts, and of these the last by name, unless its copy is damaged and
// another is not.
//
// # Whole or not at all
//
// A file is written under a temporary name in the folder where it belongs,
// synced, and renamed; then the folder is synced. A reader therefore finds the
// old file, the new one or none, and a writer that is killed leaves at most a
// temporary file, which nobody reads and [Store.Sweep] removes. A pack is written in
// the same way, and only then are the files removed that it replaces. What a disk does
// to a file afterwards is found by its digest: [Store.Get] answers with a [DamagedError],
// [Store.SetAside] renames the file, or what is in the place of one of the 256 folders, whose
// cells alone are then computed again; and computing the cell again and putting it repairs
// the store.
//
// # Processes that share a store
//
// [Store.Lock] reserves a cell while it is computed. It locks one byte of the file
// lock, chosen by the key: the operating system releases the byte when its
// process ends, however it ends. A lock only saves work. Where the file system has
// none, two processes may compute the same cell, and put the same numbers.
//
// Packing goes on beside runs, by one process at a time: a file is removed only if it is
// the one that was packed, and with the lock of its cell. A process that removes cells
// reserves the whole store ([Store.Reserve]), which fails while a run has entered it
// ([Store.Enter]).
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// ErrNotFound is the error of [Store.Get], wrapped, for a key without a cell.
var ErrNotFound = errors.New("no such cell")

// A DamagedError says that a file is there and cannot be trusted: it was cut
// short, altered, filed under a wrong name, or written in another format; or it
// cannot be read; or something else is in its place, such as a directory; or its folder is a
// file, or cannot be read, and then the path is that of the folder.
type DamagedError struct {
	Path   string
	Reason string

	key    Key    // of a cell in a pack
	packed []byte // its bytes
	folder bool   // it is that of cells whose keys begin alike
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("store: %s is damaged: %s (run its experiment again to move it away and "+
		"replace it)", e.Path, e.Reason)
}

// A Key names a cell: 64 lower-case hexadecimal digits.
type Key string

// KeyOf returns the key of a cell with the given identity: the SHA-256 of its bytes.
// Two spellings of one JSON value have different keys. The caller should therefore
// marshal a struct, whose fields encoding/json writes in a fixed order.
func KeyOf(identity []byte) Key {
	sum := sha256.Sum256(identity)
	return Key(hex.EncodeToString(sum[:]))
}

func (k Key) valid() bool {
	return len(k) == 2*sha256.Size && strings.Trim(string(k), "0123456789abcdef") == ""
}

// A Store is a folder of cells and experiment records. Its methods may be called
// from any number of goroutines and processes at once.
type Store struct {
	dir   string
	locks locks
	packs packs

	setting sync.Mutex // a folder aside
}

// Open returns the store in dir. If dir does not exist, the store is empty, and the
// first Put creates it. It is an error if dir is a file.
func Open(dir string) (*Store, error) {
	dir = filepath.Clean(dir)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, explain(err)
	case !info.IsDir():
		return nil, fmt.Errorf("store: %s is a file, not a directory: name another store", dir)
	}
	return &Store{dir: dir}, nil
}

// Dir returns the folder the store was opened in.
func (s *Store) Dir() string { return s.dir }

// Path returns the name of the file of the cell with this key, whether or not it
// exists. It panics if key is not one that [KeyOf] could return.
func (s *Store) Path(key Key) string {
	if !key.valid() {
		panic(fmt.Sprintf("store: %q is not a key", key))
	}
	return filepath.Join(s.dir, "cells", string(key[:2]), string(key)+cellSuffix)
}

const cellSuffix = ".cell"

// Has reports whether there is a cell with this key. It does not read the file;
// only [Store.Get] checks that it is not damaged.
func (s *Store) Has(key Key) bool {
	if !key.valid() {
		return false
	}
	if at, _, ok := s.placeOf(key); ok && !at.behind {
		return true
	}
	if _, err := os.Stat(s.Path(key)); err == nil {
		return true
	}
	s.look() // what Get says of an error
	at, _, ok := s.placeOf(key)
	return ok && !s.hidden(key, at)
}

// Get returns the cell under key. The error is [ErrNotFound] if there is none,
// a [*DamagedError] if the file does not hold it, a [*NewerError] if a newer
// program wrote it, and otherwise says what kept the store from being read. With a
// [*DamagedError] comes the cell if a pack has another copy of it that is whole.
func (s *Store) Get(key Key) (*Cell, error) {
	cell, _, err := s.read(key, decode)
	return cell, err
}

// Read is [Store.Get] of a cell whose rows are read by [Cell.Numbers]; it returns the digest that
// the file ends with, of its content.
func (s *Store) Read(key Key) (cell *Cell, digest string, err error) {
	return s.read(key, decodeUnread)
}

func (s *Store) read(key Key, decode func(text string) (*Cell, error)) (cell *Cell, digest string,
	err error) {
	if !key.valid() {
		return nil, "", fmt.Errorf("store: %q is not a key", key)
	}
	path, data, err := s.bytes(key)
	if err == nil {
		cell, err = decode(string(data))
		if err = ofKey(cell, key, err); err == nil {
			return cell, digestIn(data), nil
		}
		err = s.faultOf(key, path, data, err)
	}
	if isDamaged(err) {
		cell, digest = s.another(key, path)
		return cell, digest, err
	}
	return nil, "", err
}

// Check is [Store.Get] without the numbers: it reads the cell and compares its digest, and that
// the cell is the one under key.
func (s *Store) Check(key Key) error {
	if !key.valid() {
		return fmt.Errorf("store: %q is not a key", key)
	}
	path, data, err := s.bytes(key)
	if err != nil {
		return err
	}
	cell, _, _, err := decodeHead(string(data))
	if err = ofKey(cell, key, err); err != nil {
		err = s.faultOf(key, path, data, err)
	}
	return err
}

// digestIn is the digest that the file of a cell ends with.
func digestIn(data []byte) string {
	return string(data[len(data)-sealLength+len(sealPrefix) : len(data)-1])
}

// decodeAs decodes the cell under key.
func decodeAs(key Key, data []byte) (*Cell, error) {
	cell, err := decode(string(data))
	return cell, ofKey(cell, key, err)
}

// ofKey is the error of decoding a cell that should be that under key.
func ofKey(cell *Cell, key Key, err error) error {
	if err == nil && KeyOf(cell.Identity) != key {
		err = errors.New("it is the cell of another identity")
	}
	return err
}

// Put files cell under key, which must be the key of its identity. A cell that
// is there already is replaced, and a failure is removed. When Put returns nil the
// cell is on disk; when it does not, what was there is as it was.
func (s *Store) Put(key Key, cell *Cell) error {
	if KeyOf(cell.Identity) != key {
		return fmt.Errorf("store: %q is not the key of identity %s", key, cell.Identity)
	}
	data, err := encode(cell)
	if err != nil {
		return fmt.Errorf("store: cell %s: %w", key, err)
	}
	if err := write(s.Path(key), data); err != nil {
		return err
	}
	s.packs.written(key)
	os.Remove(s.failurePath(key)) // if this fails, the failure has no effect beside the cell
	return nil
}

// Keys returns the keys of all cells, also of damaged ones, in order.
func (s *Store) Keys() ([]Key, error) {
	keys, err := s.loose()
	if err != nil {
		return nil, err
	}
	if _, err := s.look(); err != nil {
		return nil, err
	}
	keys = append(keys, s.packedKeys()...)
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// loose returns the keys of the cells that have a file of their own, in order.
func (s *Store) loose() ([]Key, error) {
	var keys []Key
	err := s.walk(func(path string, _ fs.DirEntry) error {
		name, ok := strings.CutSuffix(filepath.Base(path), cellSuffix)
		if key := Key(name); ok && key.valid() && path == s.Path(key) {
			keys = append(keys, key)
		}
		return nil
	})
	slices.Sort(keys)
	return keys, err
}
