package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// File describes a file of a store that is neither a cell, which has an [Entry], nor a record.
type File struct {
	Path  string    `json:"path"`
	Bytes int64     `json:"bytes"`
	Time  time.Time `json:"time"` // when it was last changed
}

// Entry locates a cell of a store, whole or damaged.
type Entry struct {
	Key   Key
	File  string // the path of its own file or of the pack, whichever is read
	Bytes int64
	Time  time.Time // of the file
}

// Inventory lists what a store has. It is read from folders and the directories of packs; no cell
// is opened.
type Inventory struct {
	Cells     []Entry // sorted by key
	Failures  []File
	Packs     []File
	Analyses  []File          // sorted by name
	SetAside  []File          // damaged and set aside
	Temporary []File          // temporary files of writers that were killed
	Damaged   []*DamagedError // packs and folders that cannot be used
}

// Inventory lists the store.
func (s *Store) Inventory() (inv Inventory, err error) {
	packs := make(map[string]time.Time)
	err = s.walkFiles(func(path string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil {
			return nil // the file was removed since the folder was listed
		}
		name := d.Name()
		f := File{path, info.Size(), info.ModTime()}
		key, isCell := strings.CutSuffix(name, cellSuffix)
		switch {
		case isCell && Key(key).isValid() && path == s.Path(Key(key)):
			inv.Cells = append(inv.Cells, Entry{Key(key), path, f.Bytes, f.Time})
		case strings.HasSuffix(name, failureSuffix):
			inv.Failures = append(inv.Failures, f)
		case strings.HasSuffix(name, analysisSuffix):
			inv.Analyses = append(inv.Analyses, f)
		case strings.HasSuffix(name, packSuffix):
			inv.Packs = append(inv.Packs, f)
			packs[path] = f.Time
		case strings.Contains(name, damagedInfix):
			inv.SetAside = append(inv.SetAside, f)
		case isAbandoned(path, d):
			inv.Temporary = append(inv.Temporary, f)
		}
		return nil
	})
	if err != nil {
		return inv, err
	}
	// A folder may be set aside whole. walkFiles shows only what is in folders that can be used.
	for _, dir := range []string{s.dir, filepath.Join(s.dir, "cells")} {
		entries, err := readFolder(dir)
		if err != nil {
			return inv, err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if d := cellFolderDamage(path); d != nil {
				inv.Damaged = append(inv.Damaged, d)
			}
			if info, err := e.Info(); err == nil && strings.Contains(e.Name(), damagedInfix) {
				inv.SetAside = append(inv.SetAside, File{path, info.Size(), info.ModTime()})
			}
		}
	}
	openPacks, err := s.relistPacks()
	if err != nil {
		return inv, err
	}
	s.packs.mu.RLock()
	inv.Damaged = append(inv.Damaged, s.packs.damaged...)
	s.packs.mu.RUnlock()
	for _, p := range openPacks { // by name, the last one first, as Get reads them
		for key, f := range p.cells {
			if !s.hasFailed(key) { // a failure takes precedence over packs
				inv.Cells = append(inv.Cells, Entry{key, p.path, int64(f.CompressedSize64), packs[p.path]})
			}
		}
	}
	// Of the copies of a cell the one that is read stays: its own file, or else that of the last pack.
	slices.SortStableFunc(inv.Cells, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
	inv.Cells = slices.CompactFunc(inv.Cells, func(a, b Entry) bool { return a.Key == b.Key })
	return inv, nil
}

// ComputedBy returns the program that computed a cell, by its first line. The digest of the cell is
// not checked.
func (s *Store) ComputedBy(key Key) (by Provenance, err error) {
	if !key.isValid() {
		return by, ErrNotFound
	}
	copies, err := s.copiesOf(key)
	if err != nil {
		return by, err
	}
	for _, c := range copies {
		r, err := c.openCopy()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return by, withRemedy(err)
		}
		first := make([]byte, 512) // more than any header has
		n, _ := io.ReadFull(r, first)
		r.Close()
		line, _, _ := bytes.Cut(first[:n], []byte{'\n'})
		var h cellHeader
		if json.Unmarshal(line, &h) != nil {
			return by, c.damage(errors.New("its header is not JSON"))
		}
		return h.Provenance, nil
	}
	return by, ErrNotFound
}

// RemoveExperiment removes the record of an experiment. The caller must hold [Store.Reserve].
func (s *Store) RemoveExperiment(name string) error {
	if !validName(name) {
		return ErrNotFound
	}
	return withRemedy(os.Remove(s.recordPath(name)))
}

// Remove removes cells, and files of an [Inventory]. A pack that has such cells is
// written anew without them before it is removed: an interruption loses nothing else.
// The caller must hold [Store.Reserve].
func (s *Store) Remove(cells []Key, files []File) error {
	removed := make(map[Key]bool, len(cells))
	for _, key := range cells {
		removed[key] = true
	}
	if err := s.removePacked(context.Background(), removed); err != nil {
		return err
	}
	for _, key := range cells {
		if err := s.removeFiles(key); err != nil {
			return err
		}
	}
	var errs []error
	for _, f := range files { // RemoveAll, since a directory may have been set aside
		if err := os.RemoveAll(f.Path); err != nil {
			errs = append(errs, withRemedy(err))
		}
	}
	return errors.Join(errs...)
}

// FailureKey returns the key of the cell whose failure is in a file.
func FailureKey(f File) Key { return Key(strings.TrimSuffix(filepath.Base(f.Path), failureSuffix)) }
