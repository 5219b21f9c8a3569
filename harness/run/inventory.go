package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocobench/harness/experiment"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// An inventory is built in this order: list the files of the store, read the records of
// experiments, and mark the cells that they refer to. Unmarked cells are garbage, unless a record
// cannot be read, since it may refer to any of them.

// Inventory holds what a store has, by the experiments that refer to it.
type Inventory struct {
	Experiments []CellSet `json:"experiments"`
	// Unreferenced counts the cells that no experiment refers to. It is empty if a record cannot be
	// read, since that may refer to any cell.
	Unreferenced CellSet `json:"unreferenced"`

	Cells    int          `json:"cells"` // each once, whichever experiments refer to it
	Bytes    int64        `json:"bytes"` // of these cells
	Packs    []store.File `json:"packs,omitempty"`
	Analyses []store.File `json:"analyses,omitempty"`  // cached, so that no curve is fitted again
	Failures []store.File `json:"failures,omitempty"`  // of cells that the store does not have
	Aside    []store.File `json:"set_aside,omitempty"` // damaged files that a run has replaced
	Damaged  []string     `json:"damaged,omitempty"`   // what is wrong, each with its file

	// Unread says why records cannot be read; nil if all can.
	Unread error `json:"-"`

	// Hidden lists the experiments that [Inventory.Choose] has removed as [IsInternal].
	Hidden []string `json:"-"`

	garbage Garbage
}

// CellSet counts the cells of an experiment, or those of no experiment.
type CellSet struct {
	Name     string     `json:"name,omitempty"`  // of the experiment
	Internal bool       `json:"aside,omitempty"` // see [IsInternal]
	Planned  int        `json:"planned,omitempty"`
	Cells    int        `json:"cells"` // that the store has
	Failed   int        `json:"failed,omitempty"`
	Bytes    int64      `json:"bytes"`
	Oldest   *time.Time `json:"oldest,omitempty"` // when the files were written
	Newest   *time.Time `json:"newest,omitempty"`
	Computed []Computed `json:"computed,omitempty"` // the programs, most cells first
}

// ReadDepth says how much of each cell [ListStore] reads.
type ReadDepth int

const (
	ReadNoCells ReadDepth = iota // file names and sizes only
	ReadHeads                    // the first lines, which name the programs that computed the cells
	ReadCells                    // everything, to find damaged cells
)

// ListStore lists what a store has.
func ListStore(s *store.Store, depth ReadDepth) (*Inventory, error) {
	files, err := s.Inventory()
	if err != nil {
		return nil, err
	}
	inv := &Inventory{Experiments: []CellSet{}, Cells: len(files.Cells), Packs: files.Packs,
		Analyses: files.Analyses, Aside: files.SetAside}
	for _, d := range files.Damaged {
		inv.addDamaged(d)
	}
	cells := make([]listedCell, len(files.Cells))
	for i, e := range files.Cells {
		inv.Bytes += e.Bytes
		cells[i].Entry = e
		var damaged *store.DamagedError
		if cells[i].program, err = readProgram(s, e.Key, depth); errors.As(err, &damaged) {
			inv.addDamaged(damaged)
		}
	}
	findCell := func(key store.Key) *listedCell { // nil if the store lacks it
		i, found := slices.BinarySearchFunc(cells, key,
			func(c listedCell, key store.Key) int { return cmp.Compare(c.Key, key) })
		if !found {
			return nil
		}
		return &cells[i]
	}
	failed := make(map[store.Key]bool) // the cells that failed and that the store lacks
	for _, f := range files.Failures {
		if key := store.FailureKey(f); findCell(key) == nil { // else it has no effect
			failed[key] = true
			inv.Failures = append(inv.Failures, f)
		}
	}

	referredFailures, recorded := make(map[store.Key]bool), make(map[store.Key]bool)
	inv.Unread = forEachRecord(s, func(name string, r experiment.Record) {
		recorded[r.Sum()] = true
		set := CellSet{Name: name, Internal: IsInternal(name)}
		seen := make(map[store.Key]bool, len(r.Cells)) // several horizons may have one cell
		for _, c := range r.Cells {
			if seen[c.Key] {
				continue
			}
			seen[c.Key] = true
			if cell := findCell(c.Key); cell != nil {
				cell.referred = true
				set.addCell(cell)
			} else if failed[c.Key] {
				set.Failed++
				referredFailures[c.Key] = true
			}
		}
		set.Planned = len(seen)
		set.sortPrograms()
		inv.Experiments = append(inv.Experiments, set)
	})

	for _, f := range files.Failures {
		if !referredFailures[store.FailureKey(f)] {
			inv.garbage.Files = append(inv.garbage.Files, f)
		}
	}
	inv.garbage.Files = append(inv.garbage.Files, unusedAnalyses(files.Analyses, recorded)...)
	inv.garbage.Files = append(inv.garbage.Files, slices.Concat(inv.Aside, files.Temporary)...)
	if inv.Unread == nil { // otherwise the record may refer to any cell
		for i := range cells {
			if !cells[i].referred {
				inv.Unreferenced.addCell(&cells[i])
				inv.garbage.Cells = append(inv.garbage.Cells, cells[i].Entry)
			}
		}
	}
	inv.Unreferenced.sortPrograms()
	return inv, nil
}

// addDamaged notes what is damaged, with its file.
func (inv *Inventory) addDamaged(d *store.DamagedError) {
	inv.Damaged = append(inv.Damaged, fmt.Sprintf("%s: %s", d.Path, d.Reason))
}

// listedCell holds a cell of a store, and what [ListStore] has found out about it.
type listedCell struct {
	store.Entry
	program  store.Provenance // that computed it, or the zero value if it was not read or is damaged
	referred bool             // an experiment refers to it
}

// readProgram reads as much of a cell as depth says, and returns the program that computed it.
func readProgram(s *store.Store, key store.Key, depth ReadDepth) (by store.Provenance, err error) {
	switch depth {
	case ReadHeads:
		return s.ComputedBy(key)
	case ReadCells:
		cell, err := s.Check(key)
		if err != nil {
			return by, err
		}
		return cell.Provenance, nil
	}
	return by, nil
}

// addCell counts a cell.
func (set *CellSet) addCell(c *listedCell) {
	set.Cells++
	set.Bytes += c.Bytes
	if set.Oldest == nil || c.Time.Before(*set.Oldest) {
		set.Oldest = &c.Time
	}
	if set.Newest == nil || c.Time.After(*set.Newest) {
		set.Newest = &c.Time
	}
	if c.program != (store.Provenance{}) {
		set.Computed = countProgram(set.Computed, c.program)
	}
}

// sortPrograms puts the programs with the most cells first.
func (set *CellSet) sortPrograms() {
	slices.SortStableFunc(set.Computed, func(a, b Computed) int { return b.Cells - a.Cells })
}

// forEachRecord calls visit for the records of all experiments, with the names under which they are
// stored. The error joins those of the records that cannot be read.
func forEachRecord(s *store.Store, visit func(name string, r experiment.Record)) error {
	stored, unread := s.Experiments()
	for _, rec := range stored {
		var r experiment.Record
		if err := json.Unmarshal(rec.Data, &r); err != nil {
			unread = errors.Join(unread, fmt.Errorf("experiment %s: %w", rec.Name, err))
			continue
		}
		visit(rec.Name, r)
	}
	return unread
}

// unusedAnalyses returns the analyses of no use: all but the latest one of each of the records with
// these digests.
func unusedAnalyses(files []store.File, recorded map[store.Key]bool) (unused []store.File) {
	latest := make(map[store.Key]store.File) // by record
	for _, f := range files {
		a, err := store.AnalysisOf(f)
		if err != nil || !recorded[a.Record] {
			unused = append(unused, f)
			continue
		}
		other, several := latest[a.Record]
		switch {
		case !several:
			latest[a.Record] = f
		case other.Time.After(f.Time):
			unused = append(unused, f)
		default:
			unused = append(unused, other)
			latest[a.Record] = f
		}
	}
	return unused
}

// Choose keeps the experiments of these names or, without names, those that are not [IsInternal].
// The other numbers of the inventory remain those of the whole store.
func (inv *Inventory) Choose(names []string) {
	inv.Experiments = slices.DeleteFunc(inv.Experiments, func(one CellSet) bool {
		if len(names) > 0 {
			return !slices.Contains(names, one.Name)
		}
		if one.Internal {
			inv.Hidden = append(inv.Hidden, one.Name)
		}
		return one.Internal
	})
}

// Garbage lists what may be removed from a store: it is of no use to any experiment.
type Garbage struct {
	Cells []store.Entry // none is in a record
	// Files are failures of cells that are in no record or that the store has, analyses that are of
	// no record, or older than another one of their record, damaged files that were set aside, and
	// temporary files of writers that were killed.
	Files []store.File
}

// Bytes returns the size of the garbage.
func (g Garbage) Bytes() (n int64) {
	for _, e := range g.Cells {
		n += e.Bytes
	}
	for _, f := range g.Files {
		n += f.Bytes
	}
	return n
}

// Garbage returns what may be removed from a store. It is an error if a record cannot be read,
// since that may refer to anything.
func (inv *Inventory) Garbage() (Garbage, error) {
	if inv.Unread != nil {
		return Garbage{}, fmt.Errorf("a record cannot be read, so that nothing is removed: %w",
			inv.Unread)
	}
	return inv.garbage, nil
}

// Remove removes garbage. The caller must hold the lock of [store.Store.Reserve].
func (g Garbage) Remove(s *store.Store) error {
	keys := make([]store.Key, len(g.Cells))
	for i, e := range g.Cells {
		keys[i] = e.Key
	}
	return s.Remove(keys, g.Files)
}

// FindKey returns the key of the only cell of a store whose key begins with the prefix.
func FindKey(s *store.Store, prefix string) (store.Key, error) {
	keys, err := s.Keys()
	if err != nil {
		return "", err
	}
	found := slices.DeleteFunc(keys, func(key store.Key) bool {
		return !strings.HasPrefix(string(key), prefix)
	})
	switch {
	case len(found) == 0 || prefix == "":
		return "", fmt.Errorf("no cell in %s has a key that begins with %s", s.Dir(), input.Shown(prefix))
	case len(found) > 1:
		return "", fmt.Errorf("%d cells in %s have keys that begin with %s; give more digits, such as %s",
			len(found), s.Dir(), input.Shown(prefix), found[0][:len(prefix)+8])
	}
	return found[0], nil
}

// Reference says at which place in an experiment a cell is used.
type Reference struct {
	Experiment string `json:"experiment"`
	experiment.RecordCell
}

// References returns the places at which a cell is used, in all experiments. The error joins
// those of the records that cannot be read.
func References(s *store.Store, key store.Key) (all []Reference, unread error) {
	unread = forEachRecord(s, func(name string, r experiment.Record) {
		for _, c := range r.Cells {
			if c.Key == key {
				all = append(all, Reference{name, c})
			}
		}
	})
	return all, unread
}
