package regression

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// This file reads the experiments of a second store, or of an archive, to compare them with those
// of the first. Each is analysed only when its snapshot is needed. [Snapshot.Counterpart] finds
// the one to compare with, by its name or by the problems that both have.

// Stored names an experiment of a store or of a file of snapshots, which is analysed on demand.
type Stored struct {
	Name     string
	Problems []experiment.Entry
	Snapshot func() (*Snapshot, error) // analyses it when it is first called
}

// OpenStored returns the experiments of a path: the directory of a store, whose results
// analyse analyses, or a file of bench export --archive. If some can be read, it warns of
// those that cannot. Errors name the path.
func OpenStored(path string,
	analyse func(*store.Store, *run.Results) (*analysis.Analysis, error),
	warn func(error)) (all []Stored, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return openArchive(path)
	}
	if errors.Is(err, os.ErrNotExist) { // store.Open would take it for an empty store
		return nil, fmt.Errorf("there is no store and no archive %s", input.Shown(path))
	}
	s, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	records, damaged := s.Experiments()
	for _, record := range records {
		var r experiment.Record
		json.Unmarshal(record.Data, &r) // LoadExperiment returns the error of a wrong record
		all = append(all, Stored{record.Name, r.Problems, sync.OnceValues(func() (*Snapshot, error) {
			r, err := run.LoadExperiment(s, record.Name)
			if err != nil {
				return nil, err
			}
			warn(r.DamagedCells())
			a, err := analyse(s, r)
			if err != nil {
				return nil, err
			}
			snapshot := TakeFitted(r)
			snapshot.Analysis = a
			return snapshot, nil
		})})
	}
	switch {
	case len(all) == 0 && damaged != nil:
		return nil, damaged
	case len(all) == 0:
		return nil, fmt.Errorf("no results in %s; run an experiment with --store %[1]s first", s.Dir())
	}
	warn(damaged)
	return all, nil
}

// openArchive returns the experiments of a file of snapshots, which it reads at once.
func openArchive(path string) (all []Stored, err error) {
	f, err := input.Open(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input.Shown(path), err)
	}
	defer f.Close()
	snapshots, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s %w; make it anew with bench export --archive, or copy it again",
			input.Shown(path), err)
	}
	for _, s := range snapshots {
		all = append(all, Stored{s.Name, s.Problems, func() (*Snapshot, error) { return s, nil }})
	}
	return all, nil
}

// Counterpart returns the experiment that a snapshot is compared with: that of the same name,
// else the first that shares the most problems and that is not [run.IsInternal]. It returns
// nil where none shares any.
func (s *Snapshot) Counterpart(all []Stored) (best *Stored) {
	most := 0
	for k := range all {
		r := &all[k]
		if r.Name == s.Name {
			return r
		}
		shared := 0
		for _, p := range r.Problems {
			if slices.ContainsFunc(s.Problems,
				func(q experiment.Entry) bool { return sameEntry(p, q) }) {
				shared++
			}
		}
		if shared > most && !run.IsInternal(r.Name) {
			best, most = r, shared
		}
	}
	return best
}

// SourceNames returns the names of two stores or archives: the last elements of their
// paths, as many as are needed for two different names. The second of one path twice is
// "NAME (again)".
func SourceNames(current, reference string) (names [2]string) {
	var elements [2][]string
	for i, p := range []string{current, reference} {
		if abs, err := filepath.Abs(p); err == nil {
			p = abs
		}
		elements[i] = strings.Split(filepath.ToSlash(p), "/")
	}
	longestPath := max(len(elements[0]), len(elements[1]))
	for k := 1; k <= longestPath; k++ {
		for i, all := range elements {
			names[i] = strings.Join(all[max(0, len(all)-k):], "/")
		}
		if names[0] != names[1] {
			return names
		}
	}
	name := elements[0][len(elements[0])-1]
	return [2]string{name, name + " (again)"}
}
