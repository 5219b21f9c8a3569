package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// maxArchive is the largest file that is read as an archive.
const maxArchive = 256 << 20

// A reference is an experiment of another store, or of an archive.
type reference struct {
	name     string
	problems []harness.Entrant
	analysis func() (*analysis.Analysis, error) // analyses it when it is first called
}

// references returns the experiments of a path: the directory of a store, or a file of
// bench export --archive. It warns of those that cannot be read, where there are others.
// Errors name the path.
func references(e *env, path string) (all []reference, err error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return archived(path)
	}
	if errors.Is(err, os.ErrNotExist) { // which a store may not be yet
		return nil, fmt.Errorf("there is no store and no archive %s", input.Shown(path))
	}
	s, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	records, damaged := s.Experiments()
	for _, record := range records {
		var r harness.Record
		json.Unmarshal(record.Data, &r) // what is wrong with it, loading it tells
		all = append(all, reference{record.Name, r.Problems, sync.OnceValues(func() (*analysis.Analysis, error) {
			r, err := harness.LoadExperiment(s, record.Name)
			if err != nil {
				return nil, err
			}
			e.warn(r.DamagedCells())
			defer e.stage("%s of %s: fitting", r.Name, s.Dir())()
			return analysis.Of(e.ctx, e.catalog, r)
		})})
	}
	switch {
	case len(all) == 0 && damaged != nil:
		return nil, damaged
	case len(all) == 0:
		return nil, fmt.Errorf("no results in %s; run an experiment with --store %[1]s first", s.Dir())
	}
	e.warn(damaged)
	return all, nil
}

// archived returns the experiments of an archive.
func archived(path string) (all []reference, err error) {
	f, err := input.Open(path, maxArchive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input.Shown(path), err)
	}
	defer f.Close()
	analyses, err := analysis.ReadArchive(f)
	if err != nil {
		return nil, fmt.Errorf("%s %w", input.Shown(path), err)
	}
	for _, a := range analyses {
		r := reference{name: a.Experiment.Name, analysis: func() (*analysis.Analysis, error) { return a, nil }}
		for _, p := range a.Problems {
			r.problems = append(r.problems, p.Entrant)
		}
		all = append(all, r)
	}
	return all, nil
}

// counterpart returns the reference that an analysis is held beside: the experiment of
// the same name, else the first that shares the most problems and that bench tune did not
// play. It returns nil where none shares any.
func counterpart(a *analysis.Analysis, all []reference) (best *reference) {
	most := 0
	for k := range all {
		r := &all[k]
		if r.name == a.Experiment.Name {
			return r
		}
		shared := 0
		for _, p := range r.problems {
			if slices.ContainsFunc(a.Problems, func(q analysis.Problem) bool { return q.Name == p.Name && bytes.Equal(q.Params, p.Params) }) {
				shared++
			}
		}
		if shared > most && !harness.ForTuning(r.name) {
			best, most = r, shared
		}
	}
	return best
}

// sources returns the names of two stores or archives: the last elements of their paths,
// as many as tell them apart. The second of one path twice is "NAME (again)".
func sources(mine, reference string) (names [2]string) {
	var elements [2][]string
	for i, p := range []string{mine, reference} {
		if abs, err := filepath.Abs(p); err == nil {
			p = abs
		}
		elements[i] = strings.Split(filepath.ToSlash(p), "/")
	}
	longest := max(len(elements[0]), len(elements[1]))
	for k := 1; k <= longest; k++ {
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
