package store

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"ocobench/internal/file"
)

// A pack is a zip file. Opening it reads its directory, which names the cells, and no cell.
// refreshPacks opens the packs when a cell is first asked for, and looks for new packs when a cell
// is found nowhere. Packs never change: what moves cells writes new packs, each whole, and removes
// the old files only then. Whatever is interrupted, each cell is in a file, in a pack, or in both.

const (
	packSuffix  = ".zip"
	olderSuffix = ".pack" // of the packs of older programs, which are texts
)

// packSize is the number of bytes from which on a pack takes no more cells. Tests lower it.
var packSize int64 = 256 << 20

// packs holds the open packs of a store.
type packs struct {
	mu      sync.RWMutex
	listed  bool      // the folder has been listed
	changed time.Time // the time of the last change of the folder when it was listed
	settled bool      // a change of the folder since then has another time than changed
	open    packList
	damaged []*DamagedError // packs that cannot be opened
	// shadowed are the packed cells that had a file of their own, or one of their failure, when it
	// was last looked for. The file may be gone since.
	shadowed map[Key]bool
}

// packList lists packs by name, the last one first. It is never changed.
type packList []*pack

// pack holds an open pack, which stays open until nobody refers to it.
type pack struct {
	path  string
	size  int64
	cells map[Key]*zip.File
}

// packDir returns the directory of the packs.
func (s *Store) packDir() string { return filepath.Join(s.dir, "packs") }

// openPack opens a pack. The error is [ErrNotFound] if there is none, or a [*DamagedError].
func openPack(path string) (*pack, error) {
	f, err := file.Open(path)
	if err != nil {
		if _, absent := os.Lstat(path); absent != nil {
			return nil, ErrNotFound
		}
		return nil, openError(path, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, withRemedy(err)
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		f.Close()
		return nil, &DamagedError{Path: path, Reason: err.Error()}
	}
	p := &pack{path: path, size: info.Size(), cells: make(map[Key]*zip.File, len(z.File))}
	for _, f := range z.File {
		name, isCell := strings.CutSuffix(f.Name, cellSuffix)
		key := Key(name)
		if isCell && key.isValid() {
			p.cells[key] = f
		}
	}
	return p, nil
}

// hasCell reports whether the pack has a cell.
func (p *pack) hasCell(key Key) bool { return p.cells[key] != nil }

// readCell returns the bytes of a cell that the pack has, right or wrong. The error is a
// [*DamagedError].
func (p *pack) readCell(key Key) ([]byte, error) {
	f := p.cells[key]
	if f.CompressedSize64 > uint64(p.size) {
		return nil, p.damage(key, errors.New("it is longer than the pack"))
	}
	r, err := f.OpenRaw()
	if err != nil {
		return nil, p.damage(key, err)
	}
	data := make([]byte, f.CompressedSize64)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, p.damage(key, err)
	}
	return data, nil
}

// damage returns err as the damage of a cell in this pack, whose other cells stay in use.
func (p *pack) damage(key Key, err error) error {
	err = unusable(p.path, fmt.Errorf("cell %s: %w", key, err))
	if d := (*DamagedError)(nil); errors.As(err, &d) {
		d.packed = true
	}
	return err
}

// withKey returns the packs that have a cell.
func (l packList) withKey(key Key) (all packList) {
	for _, p := range l {
		if p.hasCell(key) {
			all = append(all, p)
		}
	}
	return all
}

// listPacks returns the packs, which it opens if nobody has done so.
func (s *Store) listPacks() (packList, error) {
	p := &s.packs
	p.mu.RLock()
	listed, open := p.listed, p.open
	p.mu.RUnlock()
	if listed {
		return open, nil
	}
	_, err := s.refreshPacks()
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.open, err
}

// isShadowed reports whether a packed cell may have a file of its own, or a failure.
func (p *packs) isShadowed(key Key) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.shadowed[key]
}

// markShadowed notes that a file of a cell, or of its failure, has been written.
func (p *packs) markShadowed(key Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open.withKey(key)) > 0 {
		p.shadowed[key] = true
	}
}

// firstDamaged returns one of the packs that cannot be used, or nil.
func (p *packs) firstDamaged() *DamagedError {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if len(p.damaged) == 0 {
		return nil
	}
	d := *p.damaged[0] // a copy, since SetAside changes the error that it gets
	return &d
}

// hasFailed reports whether a failure has taken the place of a packed cell. The caller knows that
// the cell has no file of its own.
func (s *Store) hasFailed(key Key) bool {
	if !s.packs.isShadowed(key) {
		return false
	}
	_, err := os.Lstat(s.failurePath(key))
	return err == nil
}

// refreshPacks opens the packs that are new, and reports whether there are some. The error says
// what kept the store from being read.
func (s *Store) refreshPacks() (fresh bool, err error) {
	p, dir := &s.packs, s.packDir()
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(dir)
	if err == nil && p.listed && p.settled && info.ModTime().Equal(p.changed) {
		return false, nil
	}
	var files []fs.DirEntry
	switch {
	case err == nil && !info.IsDir():
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	case err == nil:
		files, err = os.ReadDir(dir)
	}
	var folderDamage []*DamagedError
	switch {
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		folderDamage = []*DamagedError{{Path: dir, Reason: "it is not a directory"}}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return false, withRemedy(err)
	}
	open, damaged, fresh, err := openPacks(dir, files, p.open)
	if err != nil {
		return false, err
	}
	shadowed := p.shadowed
	if fresh {
		if shadowed, err = s.shadowedCells(open); err != nil {
			return false, err
		}
	}
	p.listed, p.open, p.damaged, p.shadowed = true, open, append(folderDamage, damaged...), shadowed
	if info != nil {
		// Some file systems count in steps of two seconds.
		p.changed, p.settled = info.ModTime(), time.Since(info.ModTime()) > 2*time.Second
	}
	return fresh, nil
}

// openPacks returns the packs among the files of a folder, the last file first, and the damage of
// those that cannot be opened. Packs that are open already are not opened again; fresh reports
// whether there are others.
func openPacks(dir string, files []fs.DirEntry, before packList) (open packList,
	damaged []*DamagedError, fresh bool, err error) {
	for _, e := range slices.Backward(files) {
		path := filepath.Join(dir, e.Name())
		var opened *pack
		var err error
		switch filepath.Ext(path) {
		case packSuffix:
			if k := slices.IndexFunc(before, func(p *pack) bool { return p.path == path }); k >= 0 {
				opened = before[k]
			} else {
				opened, err = openPack(path)
				fresh = fresh || err == nil
			}
		case olderSuffix:
			err = &DamagedError{Path: path, Reason: "it is a pack of an older program, which this one " +
				"does not read"}
		default:
			continue
		}
		d := (*DamagedError)(nil)
		switch {
		case err == nil:
			open = append(open, opened)
		case errors.As(err, &d):
			damaged = append(damaged, d)
		case !errors.Is(err, ErrNotFound): // else it was removed just now
			return nil, nil, false, err
		}
	}
	return open, damaged, fresh, nil
}

// shadowedCells returns the cells of packs that have a file of their own, or one of their failure.
func (s *Store) shadowedCells(packs packList) (map[Key]bool, error) {
	shadowed := make(map[Key]bool)
	err := s.walkFiles(func(path string, _ fs.DirEntry) error {
		name := filepath.Base(path)
		key := Key(strings.TrimSuffix(strings.TrimSuffix(name, cellSuffix), failureSuffix))
		if string(key) != name && key.isValid() && len(packs.withKey(key)) > 0 {
			shadowed[key] = true
		}
		return nil
	})
	return shadowed, err
}

// relistPacks returns the packs that are there now. It lists the folder again, whatever its time.
func (s *Store) relistPacks() (packList, error) {
	s.packs.mu.Lock()
	s.packs.settled = false
	s.packs.mu.Unlock()
	if _, err := s.refreshPacks(); err != nil {
		return nil, err
	}
	return s.listPacks()
}

// writePacks writes cells into packs, in the order of the keys, and calls written after each pack.
// read returns the file of a cell, or nil to leave the cell out. The error is that of ctx, of read,
// of written or of the store.
func (s *Store) writePacks(ctx context.Context, keys []Key, read func(Key) ([]byte, error),
	written func() error) error {
	errEmpty := errors.New("no cell") // so that no file is written
	for len(keys) > 0 {
		if err := makeDir(s.packDir()); err != nil {
			return withRemedy(err)
		}
		path := filepath.Join(s.packDir(), fmt.Sprintf("%s-%08x%s",
			time.Now().UTC().Format("20060102T150405.000000000"), rand.Uint32(), packSuffix))
		err := file.Write(path, func(w io.Writer) error {
			left, size, err := zipCells(w, packSize, keys, func(key Key) ([]byte, error) {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				return read(key)
			})
			if err == nil && size == 0 {
				err = errEmpty
			}
			keys = left
			return err
		})
		switch err {
		case nil:
			err = syncDir(s.packDir())
		case errEmpty:
			err = nil
		}
		if err != nil {
			return withRemedy(err)
		}
		if err := written(); err != nil {
			return err
		}
	}
	return nil
}

// zipCells writes cells in the form of a pack, in the order of the keys, until they have maxSize
// bytes. read returns the file of a cell, or nil to leave the cell out. zipCells returns the keys
// that it has not come to, and how many bytes the cells have.
func zipCells(w io.Writer, maxSize int64, keys []Key, read func(Key) ([]byte, error)) (left []Key,
	size int64, err error) {
	z := zip.NewWriter(w)
	for len(keys) > 0 && size < maxSize {
		key := keys[0]
		keys = keys[1:]
		data, err := read(key)
		if err != nil {
			return nil, 0, err
		}
		if data == nil {
			continue
		}
		entry, err := z.CreateRaw(&zip.FileHeader{
			Name: string(key) + cellSuffix, Method: zip.Store, CRC32: crc32.ChecksumIEEE(data),
			CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data)),
			ReaderVersion: 20, // the least, 2.0
			//lint:ignore SA1019 CreateRaw takes the date from this field alone
			ModifiedDate: 1<<5 | 1, // 1 January 1980, the first day that the format has
		})
		if err == nil {
			_, err = entry.Write(data)
		}
		if err != nil {
			return nil, 0, err
		}
		size += int64(len(data))
	}
	return keys, size, z.Close()
}

// WritePack writes the cells with these keys in the form of a pack, for [Store.AddPack]. It leaves
// out those that the store lacks and those that are damaged.
func (s *Store) WritePack(w io.Writer, keys []Key) error {
	_, _, err := zipCells(w, math.MaxInt64, keys, func(key Key) ([]byte, error) {
		copies, err := s.copiesOf(key)
		for _, l := range copies {
			if data, err := l.readCopy(); err == nil && isWhole(key, data) {
				return data, nil
			}
		}
		return nil, err
	})
	return err
}

// AddPack adds to the store the cells of a pack that [Store.WritePack] has written. The name is
// that of an experiment, as for [Store.PutExperiment].
func (s *Store) AddPack(name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := makeDir(s.packDir()); err != nil {
		return withRemedy(err)
	}
	return withRemedy(file.Write(filepath.Join(s.packDir(), name+packSuffix), file.Bytes(data)))
}

// rewritePacks writes the cells of packs into new ones, without the removed ones, and removes the
// packs. A pack in which a cell is damaged is set aside instead: the new packs have whole cells
// only.
func (s *Store) rewritePacks(ctx context.Context, old packList, removed map[Key]bool) error {
	var keys []Key
	for _, p := range old {
		for key := range p.cells {
			if !removed[key] {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	damaged := make(map[*pack]bool)
	read := func(key Key) ([]byte, error) {
		for _, p := range old.withKey(key) {
			if data, err := p.readCell(key); err == nil && isWhole(key, data) {
				return data, nil
			}
			damaged[p] = true
		}
		return nil, nil
	}
	if err := s.writePacks(ctx, keys, read, func() error { return nil }); err != nil {
		return err
	}
	for _, p := range old {
		var err error
		if damaged[p] {
			err = s.SetAside(&DamagedError{Path: p.path})
		} else {
			err = os.Remove(p.path)
		}
		if err != nil {
			return withRemedy(err)
		}
	}
	_, err := s.relistPacks()
	return err
}

// Packed says what [Store.Pack] did.
type Packed struct {
	Cells   int   `json:"cells"` // that were moved into packs
	Bytes   int64 `json:"bytes"`
	Damaged int   `json:"left"` // damaged cells, which keep their files
}

// Pack moves the cells that have files of their own into packs, and joins small packs. An
// interruption at any time loses nothing, and the next Pack goes on. The error is that of ctx or
// of the store. The caller must hold [Store.Reserve].
func (s *Store) Pack(ctx context.Context) (done Packed, err error) {
	if _, err := s.Sweep(); err != nil {
		return done, err
	}
	keys, err := s.unpackedKeys()
	if err != nil {
		return done, err
	}
	if err := s.dropOutdated(ctx, keys); err != nil {
		return done, err
	}
	packs, err := s.relistPacks()
	if err != nil {
		return done, err
	}
	var moved []Key // that are in a pack, once it is written
	read := func(key Key) ([]byte, error) {
		data, err := readFile(s.Path(key))
		if err != nil || !isWhole(key, data) {
			done.Damaged++
			return nil, nil
		}
		moved = append(moved, key)
		done.Bytes += int64(len(data))
		if len(packs.withKey(key)) > 0 { // an interrupted Pack has written it
			return nil, nil
		}
		return data, nil
	}
	err = s.writePacks(ctx, keys, read, func() error {
		for _, key := range moved {
			if err := s.removeFiles(key); err != nil {
				return err
			}
			done.Cells++
		}
		moved = nil
		return nil
	})
	if err != nil {
		return done, err
	}
	if packs, err = s.relistPacks(); err != nil {
		return done, err
	}
	// Packs of at most half the size are joined, if there are several.
	small := slices.DeleteFunc(slices.Clone(packs), func(p *pack) bool { return p.size > packSize/2 })
	if len(small) < 2 {
		return done, nil
	}
	return done, s.rewritePacks(ctx, small, nil)
}

// dropOutdated removes from the packs the cells that have other contents than a whole file of their
// own, which is newer. A packed cell with the same contents stays: an interrupted Pack wrote it.
func (s *Store) dropOutdated(ctx context.Context, keys []Key) error {
	packs, err := s.relistPacks()
	if err != nil {
		return err
	}
	outdated := make(map[Key]bool)
	for _, key := range keys {
		holders := packs.withKey(key)
		if len(holders) == 0 {
			continue
		}
		data, err := readFile(s.Path(key))
		if err != nil || !isWhole(key, data) {
			continue
		}
		for _, p := range holders {
			packed, err := p.readCell(key)
			if err != nil || string(packed) != string(data) {
				outdated[key] = true
			}
		}
	}
	return s.removePacked(ctx, outdated)
}

// removePacked removes cells from the packs that have them, which are rewritten.
func (s *Store) removePacked(ctx context.Context, removed map[Key]bool) error {
	packs, err := s.relistPacks()
	if err != nil {
		return err
	}
	holders := slices.DeleteFunc(slices.Clone(packs), func(p *pack) bool {
		for key := range removed {
			if p.hasCell(key) {
				return false
			}
		}
		return true
	})
	return s.rewritePacks(ctx, holders, removed)
}

// removeFiles removes the file of a cell and that of its failure, if there are such. The failure
// goes first: it would take the place of a packed cell.
func (s *Store) removeFiles(key Key) error {
	for _, path := range []string{s.failurePath(key), s.Path(key)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return withRemedy(err)
		}
	}
	return nil
}
