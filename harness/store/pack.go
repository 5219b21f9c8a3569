package store

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ocobench/internal/file"
)

// A cell is read in place: the index of every pack is kept in memory, and look reads the
// indices of new packs when the folder has changed. Pack sorts the cells that have files of
// their own, copies them into new packs, which are files written whole, and only then
// removes each original, with the lock of its cell and if it is still the file that was
// copied. Whatever is interrupted, a cell is in a file, in a pack, or in both with the same
// bytes.

// packs are what is known of the packs of a store.
type packs struct {
	mu      sync.RWMutex
	looked  bool
	seen    time.Time // the time of the last change of the folder when it was read
	settled bool      // a later change has another time, by the clock
	names   map[string]*pack
	index   map[[32]byte]place   // the copies that count
	others  map[[32]byte][]place // of cells that several packs have
	damaged []*DamagedError
}

// place is where a cell is.
type place struct {
	pack         *pack
	offset, size int64
	behind       bool // there is, or was, a file of the cell or of its failure, which takes precedence
}

// pack is a file that is opened when it is first read.
type pack struct {
	path       string
	generation uint64
	once       sync.Once
	file       *os.File
	err        error
}

// after reports whether what a pack has counts rather than what another has.
func (p *pack) after(q *pack) bool {
	return cmp.Or(cmp.Compare(p.generation, q.generation), strings.Compare(p.path, q.path)) > 0
}

func (p *pack) open() (*os.File, error) {
	p.once.Do(func() { p.file, p.err = file.Open(p.path) })
	return p.file, p.err
}

const packSuffix = ".pack"

// packSize is the size from which on a pack takes no more cells. Tests lower it.
var packSize int64 = 256 << 20

func (s *Store) packDir() string { return filepath.Join(s.dir, "packs") }

// id is a valid key as a number.
func id(key Key) (d [32]byte) {
	hex.Decode(d[:], []byte(key))
	return d
}

// yield notes that a file of the cell, or of its failure, takes precedence.
func (p *packs) yield(d [32]byte) {
	if at, ok := p.index[d]; ok {
		at.behind = true
		p.index[d] = at
	}
}

// written is called when a file has been put.
func (p *packs) written(key Key) {
	p.mu.Lock()
	p.yield(id(key))
	p.mu.Unlock()
}

func (p *packs) forget(key Key) {
	p.mu.Lock()
	delete(p.index, id(key))
	p.mu.Unlock()
}

// known reports whether anybody has looked at the packs.
func (p *packs) known() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.looked
}

// hidden reports whether a failure takes precedence over a packed cell that has no file.
func (s *Store) hidden(key Key, at place) bool {
	if !at.behind {
		return false
	}
	_, err := os.Lstat(s.failurePath(key))
	return err == nil
}

// packedKeys returns the keys of the cells in packs.
func (s *Store) packedKeys() (keys []Key) {
	s.packs.mu.RLock()
	defer s.packs.mu.RUnlock()
	for d, at := range s.packs.index {
		if key := Key(hex.EncodeToString(d[:])); !s.hidden(key, at) {
			keys = append(keys, key)
		}
	}
	return keys
}

// placeOf returns where a pack has a cell, and which packs cannot be used.
func (s *Store) placeOf(key Key) (at place, damaged []*DamagedError, ok bool) {
	p := &s.packs
	p.mu.RLock()
	defer p.mu.RUnlock()
	at, ok = p.index[id(key)]
	return at, p.damaged, ok
}

// look reads the indices of packs that are new, and reports whether there are some.
// The error is a [*NewerError], or says what kept the store from being read.
func (s *Store) look() (fresh bool, err error) {
	p := &s.packs
	p.mu.Lock()
	defer p.mu.Unlock()
	info, err := os.Stat(s.packDir())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p.looked, p.names, p.index, p.others, p.damaged = true, nil, nil, nil, nil
		return false, nil
	case errors.Is(err, syscall.ELOOP):
		p.looked, p.names, p.index, p.others = true, nil, nil, nil
		p.damaged = []*DamagedError{closed(s.packDir(), err)}
		return false, nil
	case err != nil:
		return false, explain(err)
	case p.looked && p.settled && info.ModTime().Equal(p.seen):
		return false, nil
	case !info.IsDir():
		p.looked, p.names, p.index, p.others = true, nil, nil, nil
		p.damaged = []*DamagedError{{Path: s.packDir(), Reason: "it is not a directory"}}
		return false, nil
	}
	list, err := entries(s.packDir())
	if err != nil {
		return false, err
	}
	p.looked, p.seen, p.settled = true, info.ModTime(), time.Since(info.ModTime()) > 2*time.Second
	found := make(map[string]bool)
	for _, e := range list {
		if strings.HasSuffix(e.Name(), packSuffix) {
			found[e.Name()] = true
		}
	}
	for name := range p.names {
		if !found[name] { // its cells may be in another pack
			p.names, p.index, p.others, p.damaged = nil, nil, nil, nil
			break
		}
	}
	if p.names == nil {
		p.names, p.index = make(map[string]*pack), make(map[[32]byte]place)
		p.others = make(map[[32]byte][]place)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if p.names[name] != nil {
			continue
		}
		k := &pack{path: filepath.Join(s.packDir(), name)}
		switch err := p.take(k); {
		case errors.Is(err, ErrNotFound): // removed just now
			continue
		case isDamaged(err):
			damaged := (*DamagedError)(nil)
			errors.As(err, &damaged)
			p.damaged = append(p.damaged, damaged)
		case err != nil:
			p.looked = false
			return false, err
		}
		p.names[name], fresh = k, true
	}
	if !fresh {
		return false, nil
	}
	return true, s.walk(func(path string, _ fs.DirEntry) error { // files take precedence over packs
		name := filepath.Base(path)
		key := Key(strings.TrimSuffix(strings.TrimSuffix(name, cellSuffix), failureSuffix))
		if string(key) != name && key.valid() {
			p.yield(id(key))
		}
		return nil
	})
}

// take adds the cells of a pack, whose generation is known once its index is read.
func (p *packs) take(k *pack) (err error) {
	var here []place
	var keys [][32]byte
	k.generation, err = readIndex(k.path, func(key [32]byte, offset, size int64) {
		keys, here = append(keys, key), append(here, place{pack: k, offset: offset, size: size})
	})
	for i, key := range keys {
		p.add(key, here[i])
	}
	return err
}

// add adds a copy of a cell.
func (p *packs) add(key [32]byte, at place) {
	if was, ok := p.index[key]; ok {
		if was.pack.after(at.pack) {
			was, at = at, was
		}
		p.others[key] = append(p.others[key], was)
	}
	p.index[key] = at
}

// another returns a copy of a cell in a pack that is not damaged, other than that of a path.
func (s *Store) another(key Key, path string) (cell *Cell, digest string) {
	if _, err := s.look(); err != nil {
		return nil, ""
	}
	p := &s.packs
	p.mu.RLock()
	copies := slices.Clone(p.others[id(key)])
	if at, ok := p.index[id(key)]; ok {
		copies = append(copies, at)
	}
	p.mu.RUnlock()
	slices.SortFunc(copies, func(a, b place) int {
		if a.pack.after(b.pack) {
			return -1
		}
		return 1
	})
	for _, at := range copies {
		if at.pack.path == path {
			continue
		}
		if data, err := at.read(); err == nil {
			if cell, err := decodeAs(key, data); err == nil {
				return cell, digestIn(data)
			}
		}
	}
	return nil, ""
}

// bytes returns the file of a cell, or the part of a pack, and the path of either.
func (s *Store) bytes(key Key) (path string, data []byte, err error) {
	if !s.packs.known() {
		if _, err := s.look(); err != nil {
			return "", nil, err
		}
	}
	for {
		if at, _, ok := s.placeOf(key); ok && !at.behind {
			if data, err := at.read(); !errors.Is(err, fs.ErrNotExist) {
				return at.pack.path, data, s.unreadable(key, at.pack.path, err)
			}
		}
		path := s.Path(key)
		data, err := read(path)
		stray := (*DamagedError)(nil)
		if !errors.Is(err, ErrNotFound) && !(errors.As(err, &stray) && stray.folder) {
			return path, data, err
		}
		if _, wrong := s.look(); wrong != nil { // it may have been packed just now
			return path, nil, wrong
		}
		switch at, damaged, ok := s.placeOf(key); {
		case ok && s.hidden(key, at):
			return path, nil, err
		case ok:
			data, err := at.read()
			if !errors.Is(err, fs.ErrNotExist) {
				return at.pack.path, data, s.unreadable(key, at.pack.path, err)
			}
			s.packs.mu.Lock() // another has replaced the pack since
			s.packs.settled = false
			s.packs.mu.Unlock()
		case len(damaged) > 0 && stray == nil: // a damaged pack may have the cell
			return path, nil, damaged[0]
		default:
			return path, nil, err
		}
	}
}

func (at place) read() ([]byte, error) {
	f, err := at.pack.open()
	if err != nil {
		return nil, err
	}
	data := make([]byte, at.size)
	_, err = f.ReadAt(data, at.offset)
	return data, err
}

func (s *Store) unreadable(key Key, path string, err error) error {
	if err == nil {
		return nil
	}
	return &DamagedError{Path: path, Reason: fmt.Sprintf("cell %s cannot be read: %v", key, err),
		key: key}
}

// faultOf is what is wrong with the bytes of a cell.
func (s *Store) faultOf(key Key, path string, data []byte, err error) error {
	if filepath.Ext(path) != packSuffix {
		return fault(path, err)
	}
	err = fault(path, fmt.Errorf("cell %s: %w", key, err))
	if d := (*DamagedError)(nil); errors.As(err, &d) {
		d.key, d.packed = key, data
	}
	return err
}

// setPackedAside sets a cell of a pack aside.
func (s *Store) setPackedAside(d *DamagedError) (name string, err error) {
	name = fmt.Sprintf("%s"+asideInfix+"%s", s.Path(d.key), KeyOf(d.packed)[:16])
	if err := write(name, d.packed); err != nil {
		return "", err
	}
	s.packs.forget(d.key)
	return name, nil
}

// trailer is the line before the digest of a pack.
type trailer struct {
	Cells int   `json:"cells"`
	Index int64 `json:"index"` // where the index begins
	// Generation orders packs: see [Store.nextGeneration]. Packs of before 0.2 have none.
	Generation uint64 `json:"generation,omitempty"`
}

// readIndex yields the cells of a pack, and returns its generation. The error is a
// [*DamagedError] or a [*NewerError] if it is not one.
func readIndex(path string, yield func(key [32]byte, offset, size int64)) (generation uint64,
	err error) {
	f, err := file.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return 0, &DamagedError{Path: path, Reason: "it is a link to nothing"}
		}
		return 0, ErrNotFound
	}
	if err != nil {
		return 0, closed(path, err)
	}
	defer f.Close()
	text, t, err := indexText(f)
	if err != nil {
		return 0, fault(path, err)
	}
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			break
		}
		n++
		fields := strings.Fields(line)
		if len(fields) != 3 || !Key(fields[0]).valid() {
			return 0, fault(path, fmt.Errorf("line %d of its index is not one", n))
		}
		offset, err1 := strconv.ParseInt(fields[1], 10, 64)
		size, err2 := strconv.ParseInt(fields[2], 10, 64)
		if err1 != nil || err2 != nil || offset < 0 || size < 0 || offset > t.Index-size {
			return 0, fault(path, fmt.Errorf("line %d of its index leads out of the file", n))
		}
		yield(id(Key(fields[0])), offset, size)
	}
	return t.Generation, nil
}

// indexText returns the index of a pack and its trailer. Its digest is right.
func indexText(f *os.File) (text string, t trailer, err error) {
	info, err := f.Stat()
	if err != nil {
		return "", t, err
	}
	first, err := bufio.NewReader(io.LimitReader(f, 1<<10)).ReadString('\n')
	var h label
	if err != nil || json.Unmarshal([]byte(first), &h) != nil {
		return "", t, errors.New("it does not begin with its format")
	}
	if err := checkFormat(h.Format, packFormat); err != nil {
		return "", t, err
	}
	end := make([]byte, min(info.Size(), 256))
	if _, err := f.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return "", t, err
	}
	lines := strings.Split(string(end), "\n")
	if len(lines) < 3 || json.Unmarshal([]byte(lines[len(lines)-3]), &t) != nil || t.Index < 0 ||
		t.Index > info.Size() {
		return "", t, errors.New("it does not end with its index")
	}
	index := make([]byte, info.Size()-t.Index)
	if _, err := f.ReadAt(index, t.Index); err != nil {
		return "", t, err
	}
	text, err = unseal(string(index))
	if err == nil && strings.Count(text, "\n") != t.Cells+1 {
		err = fmt.Errorf("its index does not have the %d cells that it says", t.Cells)
	}
	return text, t, err
}

// packTime is how the name of a pack begins.
const packTime = "20060102T150405.000000000"

// nextGeneration is that of a new pack: the largest that is there plus one. Its cells count
// rather than those of the packs that its writer has seen, whatever the clocks of the machines
// say. Of packs that were written without knowing each other, and then merged, the last by name
// counts.
func (s *Store) nextGeneration() uint64 {
	s.packs.mu.RLock()
	defer s.packs.mu.RUnlock()
	last := uint64(0)
	for _, p := range s.packs.names {
		last = max(last, p.generation)
	}
	return last + min(1, math.MaxUint64-last)
}

// writePack writes a pack of the cells that next yields, sorted by key, until there
// is none or the pack is large enough. It writes none, and returns no error, if there
// is no cell.
func (s *Store) writePack(next func() (Key, []byte, bool, error)) error {
	if err := makeDir(s.packDir()); err != nil {
		return explain(err)
	}
	empty := errors.New("no cell")
	path := filepath.Join(s.packDir(), fmt.Sprintf("%s-%08x%s",
		time.Now().UTC().Format(packTime), rand.Uint32(), packSuffix))
	generation := s.nextGeneration()
	err := file.Write(path, func(w io.Writer) error {
		first := `{"format":"` + packFormat + "\"}\n"
		offset := int64(len(first))
		if _, err := io.WriteString(w, first); err != nil {
			return err
		}
		var index []byte
		cells := 0
		for offset < packSize {
			key, data, ok, err := next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if _, err := w.Write(data); err != nil {
				return err
			}
			index = fmt.Appendf(index, "%s %d %d\n", key, offset, len(data))
			offset, cells = offset+int64(len(data)), cells+1
		}
		if cells == 0 {
			return empty
		}
		end, err := json.Marshal(trailer{cells, offset, generation})
		if err != nil {
			return err
		}
		_, err = w.Write(seal(append(append(index, end...), '\n')))
		return err
	})
	if err == empty {
		return nil
	}
	if err == nil {
		err = syncDir(s.packDir())
	}
	return explain(err)
}

// Packed says what [Store.Pack] did.
type Packed struct {
	Cells int   `json:"cells"` // that were moved into packs
	Bytes int64 `json:"bytes"`
	// Left are cells that keep their files: damaged, or being computed, or put again
	// while they were packed.
	Left int `json:"left"`
}

// Pack moves the cells that have files of their own into packs. Other processes may read
// and write the store meanwhile; an interruption at any time loses nothing, and the next
// Pack goes on. The error is [ErrLocked] while another process packs the store or removes
// from it. Otherwise it is that of ctx, or of the store.
func (s *Store) Pack(ctx context.Context) (done Packed, err error) {
	keys, err := s.loose()
	if err != nil || len(keys) == 0 {
		_, swept := s.Sweep()
		return done, errors.Join(err, swept)
	}
	release, err := s.reserve(func(f *os.File) error { return file.Lock(f, packing) })
	switch {
	case errors.Is(err, errors.ErrUnsupported): // a cell may then be in two packs
	case err != nil:
		return done, err
	default:
		defer release()
	}
	if _, err := s.Sweep(); err != nil {
		return done, err
	}
	if keys, err = s.loose(); err != nil { // another may have packed them
		return done, err
	}
	if _, err := s.look(); err != nil { // the new packs take precedence over those that are there
		return done, err
	}
	for len(keys) > 0 {
		type original struct {
			key  Key
			info fs.FileInfo
		}
		var packed []original
		err := s.writePack(func() (Key, []byte, bool, error) {
			for len(keys) > 0 {
				if ctx.Err() != nil {
					return "", nil, false, ctx.Err()
				}
				key := keys[0]
				keys = keys[1:]
				info, err := os.Lstat(s.Path(key))
				if err != nil || !info.Mode().IsRegular() {
					done.Left++
					continue
				}
				data, err := read(s.Path(key))
				if err != nil || checkSealed(key, data) != nil {
					done.Left++
					continue
				}
				packed = append(packed, original{key, info})
				done.Bytes += int64(len(data))
				if at, _, ok := s.placeOf(key); ok { // as a Pack that was killed has left it
					if there, err := at.read(); err == nil && bytes.Equal(there, data) {
						continue
					}
				}
				return key, data, true, nil
			}
			return "", nil, false, nil
		})
		if err != nil {
			return done, err
		}
		for _, o := range packed {
			moved, err := s.removeOriginal(o.key, o.info)
			switch {
			case err != nil:
				return done, explain(err)
			case moved:
				done.Cells++
			default:
				done.Left++
			}
		}
	}
	s.packs.mu.Lock()
	s.packs.settled = false
	s.packs.mu.Unlock()
	_, err = s.look()
	return done, err
}

// checkSealed reports whether data is the cell under key, without reading its numbers.
func checkSealed(key Key, data []byte) error {
	if _, err := unseal(string(data)); err != nil {
		return err
	}
	lines := bytes.SplitN(data, []byte("\n"), 3)
	var h header
	if err := json.Unmarshal(lines[0], &h); err != nil {
		return err
	}
	if err := checkFormat(h.Format, cellFormat); err != nil {
		return err
	}
	if len(lines) < 3 || KeyOf(lines[1]) != key {
		return errors.New("it is the cell of another identity")
	}
	return nil
}

// removeOriginal removes the file of a cell that is in a pack, unless it is another
// file by now, or is about to be.
func (s *Store) removeOriginal(key Key, was fs.FileInfo) (removed bool, err error) {
	unlock, err := s.Lock(key)
	switch {
	case errors.Is(err, ErrLocked):
		return false, nil
	case errors.Is(err, errors.ErrUnsupported):
	case err != nil:
		return false, err
	default:
		defer unlock()
	}
	is, err := os.Lstat(s.Path(key))
	if err != nil || !os.SameFile(was, is) || !is.ModTime().Equal(was.ModTime()) {
		return false, nil
	}
	// A failure has no effect beside the file, but would take precedence over the pack.
	if err := os.Remove(s.failurePath(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, os.Remove(s.Path(key))
}
