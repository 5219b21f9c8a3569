package run

import (
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

	unreferencedCells []store.Entry
	abandonedFiles    []store.File // by writers that were killed
	unusedFailures    []store.File // of no use to any experiment
	unusedAnalyses    []store.File // of no record, or older than another one of their record
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

// addCell counts a cell.
func (set *CellSet) addCell(e store.Entry) {
	set.Cells++
	set.Bytes += e.Bytes
	if set.Oldest == nil || e.Time.Before(*set.Oldest) {
		set.Oldest = &e.Time
	}
	if set.Newest == nil || e.Time.After(*set.Newest) {
		set.Newest = &e.Time
	}
}

// addProgram counts a cell as computed by a program.
func (set *CellSet) addProgram(by store.Provenance) {
	if by != (store.Provenance{}) { // otherwise the cell was not read, or is damaged
		set.Computed = countProgram(set.Computed, by)
	}
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
	inv, err := s.Inventory()
	if err != nil {
		return nil, err
	}
	v := newInventoryBuilder(inv)
	v.readCells(s, depth)
	records, unread := s.Experiments()
	v.Unread = unread
	for _, rec := range records {
		v.addExperiment(rec)
	}
	v.addFailures()
	v.addAnalyses()
	if v.Unread == nil {
		v.addUnreferenced()
	}
	v.forEachSet(func(set *CellSet) {
		slices.SortStableFunc(set.Computed, func(a, b Computed) int { return b.Cells - a.Cells })
	})
	return v.Inventory, nil
}

// inventoryBuilder accumulates an [Inventory].
type inventoryBuilder struct {
	*Inventory
	files            store.Inventory
	provenance       []store.Provenance       // of the cells, where they were read
	referredCells    []bool                   // the cells that an experiment refers to
	failed           map[store.Key]store.File // failures of cells that the store does not have
	referredFailures map[store.Key]bool       // the failures that an experiment refers to
	records          map[store.Key]bool       // the digests of what is recorded
}

// newInventoryBuilder returns a builder that knows the files of the store, and no experiment yet.
func newInventoryBuilder(inv store.Inventory) *inventoryBuilder {
	v := &inventoryBuilder{
		Inventory: &Inventory{Experiments: []CellSet{}, Cells: len(inv.Cells), Packs: inv.Packs,
			Analyses: inv.Analyses, Aside: inv.SetAside, abandonedFiles: inv.Temporary},
		files:            inv,
		provenance:       make([]store.Provenance, len(inv.Cells)),
		referredCells:    make([]bool, len(inv.Cells)),
		failed:           make(map[store.Key]store.File),
		referredFailures: make(map[store.Key]bool),
		records:          make(map[store.Key]bool),
	}
	for _, d := range inv.Damaged {
		v.addDamaged(d)
	}
	for _, e := range inv.Cells {
		v.Bytes += e.Bytes
	}
	for _, f := range inv.Failures {
		key := store.FailureKey(f)
		if _, ok := v.findCell(key); !ok { // a failure has no effect beside a cell
			v.failed[key] = f
		}
	}
	return v
}

// findCell returns the index of the cell with a key.
func (v *inventoryBuilder) findCell(key store.Key) (int, bool) {
	return slices.BinarySearchFunc(v.files.Cells, key, func(e store.Entry, key store.Key) int {
		return strings.Compare(string(e.Key), string(key))
	})
}

// addDamaged notes what is damaged, with its file.
func (v *inventoryBuilder) addDamaged(d *store.DamagedError) {
	v.Damaged = append(v.Damaged, fmt.Sprintf("%s: %s", d.Path, d.Reason))
}

// readCells reads as much of the cells as depth says, and notes the programs that computed them and
// the damaged ones.
func (v *inventoryBuilder) readCells(s *store.Store, depth ReadDepth) {
	if depth == ReadNoCells {
		return
	}
	for i, e := range v.files.Cells {
		var err error
		if depth == ReadCells {
			_, err = s.Check(e.Key)
		}
		if err == nil {
			_, v.provenance[i], err = s.Head(e.Key)
		}
		var damaged *store.DamagedError
		if errors.As(err, &damaged) {
			v.addDamaged(damaged)
		}
	}
}

// addExperiment adds what an experiment refers to.
func (v *inventoryBuilder) addExperiment(rec store.Record) {
	var r experiment.Record
	if err := json.Unmarshal(rec.Data, &r); err != nil {
		v.Unread = errors.Join(v.Unread, fmt.Errorf("experiment %s: %w", rec.Name, err))
		return
	}
	v.records[r.Sum()] = true
	set := CellSet{Name: rec.Name, Internal: IsInternal(rec.Name)}
	seen := make(map[store.Key]bool, len(r.Cells)) // several horizons may have one cell
	for _, c := range r.Cells {
		if seen[c.Key] {
			continue
		}
		seen[c.Key] = true
		if i, ok := v.findCell(c.Key); ok {
			v.referredCells[i] = true
			set.addCell(v.files.Cells[i])
			set.addProgram(v.provenance[i])
		} else if _, ok := v.failed[c.Key]; ok {
			set.Failed++
			v.referredFailures[c.Key] = true
		}
	}
	set.Planned = len(seen)
	v.Experiments = append(v.Experiments, set)
}

// addFailures lists the failures of cells that the store does not have, and finds the failures that
// are of no use: no experiment refers to their cells, or the store has these cells.
func (v *inventoryBuilder) addFailures() {
	for _, f := range v.files.Failures {
		key := store.FailureKey(f)
		if _, failed := v.failed[key]; failed {
			v.Failures = append(v.Failures, f)
		}
		if !v.referredFailures[key] {
			v.unusedFailures = append(v.unusedFailures, f)
		}
	}
}

// addAnalyses finds the analyses of no use: all but the latest one of each record.
func (v *inventoryBuilder) addAnalyses() {
	latest := make(map[store.Key]store.File) // by record
	for _, f := range v.files.Analyses {
		a, err := store.AnalysisOf(f)
		if err != nil || !v.records[a.Record] {
			v.unusedAnalyses = append(v.unusedAnalyses, f)
			continue
		}
		other, several := latest[a.Record]
		switch {
		case !several:
			latest[a.Record] = f
		case other.Time.After(f.Time):
			v.unusedAnalyses = append(v.unusedAnalyses, f)
		default:
			v.unusedAnalyses = append(v.unusedAnalyses, other)
			latest[a.Record] = f
		}
	}
}

// addUnreferenced adds the cells that no experiment refers to.
func (v *inventoryBuilder) addUnreferenced() {
	for i, e := range v.files.Cells {
		if !v.referredCells[i] {
			v.Unreferenced.addCell(e)
			v.Unreferenced.addProgram(v.provenance[i])
			v.unreferencedCells = append(v.unreferencedCells, e)
		}
	}
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

// forEachSet calls visit for the cells of each experiment, and for those of none.
func (inv *Inventory) forEachSet(visit func(*CellSet)) {
	for i := range inv.Experiments {
		visit(&inv.Experiments[i])
	}
	visit(&inv.Unreferenced)
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
	return Garbage{inv.unreferencedCells, slices.Concat(inv.unusedFailures, inv.unusedAnalyses,
		inv.Aside, inv.abandonedFiles)}, nil
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
func References(s *store.Store, key store.Key) (all []Reference, err error) {
	records, unread := s.Experiments()
	for _, rec := range records {
		var r experiment.Record
		if err := json.Unmarshal(rec.Data, &r); err != nil {
			unread = errors.Join(unread, fmt.Errorf("experiment %s: %w", rec.Name, err))
			continue
		}
		for _, c := range r.Cells {
			if c.Key == key {
				all = append(all, Reference{rec.Name, c})
			}
		}
	}
	return all, unread
}
