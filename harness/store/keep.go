package store

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ocobench/internal/file"
)

// A File is a file of a store that is no cell and no record.
type File struct {
	Path  string    `json:"path"`
	Bytes int64     `json:"bytes"`
	Time  time.Time `json:"time"` // when it was last changed
}

// An Entry is a cell of a store, whole or damaged.
type Entry struct {
	Key   Key
	File  string // its own, or the pack
	Bytes int64
	Time  time.Time // of the file
}

// Inventory is what a store has, as its folders say. Nothing is read but the indices
// of packs.
type Inventory struct {
	Cells    []Entry // sorted by key
	Failures []File
	Packs    []File
	Analyses []File          // sorted by name
	Aside    []File          // damaged and set aside
	Left     []File          // temporary files of writers that were killed
	Damaged  []*DamagedError // packs and folders that cannot be used
}

// Inventory lists the store.
func (s *Store) Inventory() (inv Inventory, err error) {
	packs := make(map[string]time.Time)
	err = s.walk(func(path string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil {
			return nil // removed just now
		}
		name := d.Name()
		f := File{path, info.Size(), info.ModTime()}
		key, isCell := strings.CutSuffix(name, cellSuffix)
		switch {
		case isCell && Key(key).valid() && path == s.Path(Key(key)):
			inv.Cells = append(inv.Cells, Entry{Key(key), path, f.Bytes, f.Time})
		case strings.HasSuffix(name, failureSuffix):
			inv.Failures = append(inv.Failures, f)
		case strings.HasSuffix(name, analysisSuffix):
			inv.Analyses = append(inv.Analyses, f)
		case strings.HasSuffix(name, packSuffix):
			inv.Packs = append(inv.Packs, f)
			packs[path] = f.Time
		case strings.Contains(name, asideInfix):
			inv.Aside = append(inv.Aside, f)
		case left(path, d):
			inv.Left = append(inv.Left, f)
		}
		return nil
	})
	if err != nil {
		return inv, err
	}
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "cells")} {
		folders, err := entries(dir)
		if err != nil {
			return inv, err
		}
		for _, e := range folders {
			path := filepath.Join(dir, e.Name())
			if d := blocked(path); d != nil {
				inv.Damaged = append(inv.Damaged, d)
			}
			if info, err := e.Info(); err == nil && strings.Contains(e.Name(), asideInfix) {
				inv.Aside = append(inv.Aside, File{path, info.Size(), info.ModTime()})
			}
		}
	}
	if _, err := s.look(); err != nil {
		return inv, err
	}
	s.packs.mu.RLock()
	inv.Damaged = append(inv.Damaged, s.packs.damaged...)
	for d, at := range s.packs.index {
		if key := Key(hex.EncodeToString(d[:])); !s.hidden(key, at) {
			inv.Cells = append(inv.Cells, Entry{key, at.pack.path, at.size, packs[at.pack.path]})
		}
	}
	s.packs.mu.RUnlock()
	slices.SortFunc(inv.Cells, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.File, b.File))
	})
	inv.Cells = slices.CompactFunc(inv.Cells, func(a, b Entry) bool { return a.Key == b.Key })
	return inv, nil
}

// Head returns the first line of a cell: its kind, and the program that computed it.
// The digest of the cell is not checked.
func (s *Store) Head(key Key) (kind string, by Provenance, err error) {
	if !key.valid() {
		return "", by, ErrNotFound
	}
	if !s.packs.known() {
		if _, err := s.look(); err != nil {
			return "", by, err
		}
	}
	path, offset := s.Path(key), int64(0)
	at, _, packed := s.placeOf(key)
	var f *os.File
	err = fs.ErrNotExist
	if !packed || at.behind {
		if f, err = file.Open(path); err == nil {
			defer f.Close()
		}
	}
	if packed && errors.Is(err, fs.ErrNotExist) {
		path, offset = at.pack.path, at.offset
		f, err = at.pack.open()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", by, ErrNotFound
	case err != nil:
		return "", by, explain(err)
	}
	var first [512]byte
	n, _ := f.ReadAt(first[:], offset)
	line, _, _ := strings.Cut(string(first[:n]), "\n")
	var h header
	if err := json.Unmarshal([]byte(line), &h); err != nil {
		return "", by, &DamagedError{Path: path, Reason: "its header is not JSON"}
	}
	return h.Kind, h.Provenance, nil
}

// RemoveExperiment removes the record of an experiment. The caller has the store for
// itself ([Store.Reserve]).
func (s *Store) RemoveExperiment(name string) error {
	if !validName(name) {
		return ErrNotFound
	}
	return explain(os.Remove(s.recordPath(name)))
}

// Remove removes cells, and files of an [Inventory]. A pack that has such cells is
// written anew without them before it is removed: an interruption loses nothing else.
// The caller has the store for itself ([Store.Reserve]).
func (s *Store) Remove(cells []Key, files []File) error {
	gone := make(map[[32]byte]bool, len(cells))
	for _, key := range cells {
		gone[id(key)] = true
	}
	if _, err := s.look(); err != nil {
		return err
	}
	concerned := make(map[*pack]bool)
	s.packs.mu.RLock()
	for _, p := range s.packs.names { // those that have such a cell, seen or hidden
		_, err := readIndex(p.path, func(d [32]byte, _, _ int64) {
			concerned[p] = concerned[p] || gone[d]
		})
		if err != nil && !isDamaged(err) {
			s.packs.mu.RUnlock()
			return err
		}
	}
	s.packs.mu.RUnlock()
	for old, has := range concerned {
		if !has {
			continue
		}
		if err := s.rewrite(old, gone); err != nil {
			return err
		}
	}
	for _, key := range cells {
		for _, path := range []string{s.failurePath(key), s.Path(key)} {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return explain(err)
			}
		}
	}
	var left []error
	for _, f := range files { // a directory may have been set aside
		if err := os.RemoveAll(f.Path); err != nil {
			left = append(left, explain(err))
		}
	}
	s.packs.mu.Lock()
	s.packs.settled = false
	s.packs.mu.Unlock()
	_, err := s.look()
	return errors.Join(append(left, err)...)
}

// rewrite writes the cells of a pack anew that are not gone, and removes the pack. Those that
// another pack has stay there, unless they are damaged there.
func (s *Store) rewrite(old *pack, gone map[[32]byte]bool) error {
	kept := make(map[Key]place)
	_, err := readIndex(old.path, func(d [32]byte, offset, size int64) {
		if key := Key(hex.EncodeToString(d[:])); !gone[d] {
			kept[key] = place{pack: old, offset: offset, size: size}
		}
	})
	if err != nil {
		return err
	}
	keys := slices.Sorted(maps.Keys(kept))
	for len(keys) > 0 {
		err := s.writePack(func() (Key, []byte, bool, error) {
			for len(keys) > 0 {
				key := keys[0]
				keys = keys[1:]
				if at, _, ok := s.placeOf(key); ok && at.pack != old {
					if data, err := at.read(); err == nil && checkSealed(key, data) == nil {
						continue
					}
				}
				data, err := kept[key].read()
				return key, data, true, err
			}
			return "", nil, false, nil
		})
		if err != nil {
			return err
		}
	}
	return explain(os.Remove(old.path))
}

// FailureKey returns the key of the cell whose failure a file says.
func FailureKey(f File) Key { return Key(strings.TrimSuffix(filepath.Base(f.Path), failureSuffix)) }
