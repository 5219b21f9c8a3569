package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Record says that an experiment was run.
type Record struct {
	Name string
	Data []byte // JSON, as it was given to PutExperiment
}

// PutExperiment stores rec, which is JSON, under name, and replaces an earlier record
// of that name. A name has at most 200 characters: ASCII letters, digits, dashes,
// dots and underscores, the first one a letter or a digit.
func (s *Store) PutExperiment(name string, rec []byte) error {
	if !validName(name) {
		return fmt.Errorf("store: %q cannot name an experiment: use letters, digits, dashes, dots and underscores, and begin with a letter or a digit", name)
	}
	if !json.Valid(rec) {
		return fmt.Errorf("store: the record of experiment %q is not JSON", name)
	}
	return write(filepath.Join(s.dir, "experiments", name+recordSuffix), rec)
}

// Experiment returns the record of one experiment. The error is [ErrNotFound]
// if there is none, and a [*DamagedError] if it is not JSON.
func (s *Store) Experiment(name string) (Record, error) {
	path := filepath.Join(s.dir, "experiments", name+recordSuffix)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Record{}, fmt.Errorf("experiment %s in %s: %w", name, s.dir, ErrNotFound)
	case err != nil:
		return Record{}, explain(err)
	case !json.Valid(data):
		return Record{}, &DamagedError{path, "it is not JSON"}
	}
	return Record{name, data}, nil
}

// Experiments returns the records of all experiments, sorted by name. The error
// is a [*DamagedError] if one of them is not JSON.
func (s *Store) Experiments() ([]Record, error) {
	dir := filepath.Join(s.dir, "experiments")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, explain(err)
	}
	var records []Record
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), recordSuffix)
		if !ok || !validName(name) {
			continue
		}
		rec, err := s.Experiment(name)
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
	}
	slices.SortFunc(records, func(a, b Record) int { return strings.Compare(a.Name, b.Name) })
	return records, nil
}

const recordSuffix = ".json"

func validName(name string) bool {
	const (
		alnum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		all   = alnum + "-._"
	)
	return name != "" && len(name) <= 200 &&
		strings.Contains(alnum, name[:1]) && strings.Trim(name, all) == ""
}
