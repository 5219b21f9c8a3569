package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Record holds the name and the JSON of an experiment that was run.
type Record struct {
	Name string
	Data []byte // JSON, as it was given to PutExperiment
}

// PutExperiment stores rec, which is JSON, under name, and replaces an earlier record
// of that name. A name has at most 200 characters: ASCII letters, digits, dashes,
// dots and underscores, the first one a letter or a digit.
func (s *Store) PutExperiment(name string, rec []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if !json.Valid(rec) {
		return fmt.Errorf("store: the record of experiment %q is not JSON", name)
	}
	return writeFile(s.recordPath(name), encodeText(recordFormat, name, rec))
}

// checkName returns an error unless name may name an experiment, and so a file.
func checkName(name string) error {
	if !validName(name) {
		return fmt.Errorf("store: %q cannot name an experiment: use letters, digits, dashes, dots and "+
			"underscores, and begin with a letter or a digit", name)
	}
	return nil
}

// Experiment returns the record of one experiment. The error is [ErrNotFound]
// if there is none, a [*DamagedError] if the file does not hold it, and a
// [*NewerError] if a newer program wrote it.
func (s *Store) Experiment(name string) (Record, error) {
	path := s.recordPath(name)
	text, err := readFile(path)
	if errors.Is(err, ErrNotFound) {
		return Record{}, fmt.Errorf("experiment %s in %s: %w", name, s.Dir(), ErrNotFound)
	}
	if err != nil {
		return Record{}, err
	}
	data, err := decodeText(recordFormat, name, text)
	switch {
	case err != nil && json.Valid(text): // the whole file is JSON, and so without a digest
		err = errors.New("an older program wrote it, without a digest; its cells are kept")
	case err == nil && !json.Valid(data):
		err = errors.New("it is not JSON")
	}
	if err != nil {
		return Record{}, unusable(path, err)
	}
	return Record{name, data}, nil
}

// Names returns the names of all experiments, sorted. Their records are not read.
func (s *Store) Names() (names []string, err error) {
	list, err := readFolder(filepath.Join(s.dir, "experiments"))
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if name, ok := strings.CutSuffix(e.Name(), recordSuffix); ok && validName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Experiments returns the records of all experiments that can be read, sorted by
// name. Where some cannot, the error joins one for each of them, as [Store.Experiment]
// returns it, and the others are there all the same.
func (s *Store) Experiments() ([]Record, error) {
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	var records []Record
	var faults []error
	for _, name := range names {
		rec, err := s.Experiment(name)
		switch {
		case err == nil:
			records = append(records, rec)
		case !errors.Is(err, ErrNotFound): // removed just now
			faults = append(faults, err)
		}
	}
	return records, errors.Join(faults...)
}

// recordPath returns the file of the record of an experiment.
func (s *Store) recordPath(name string) string {
	return filepath.Join(s.dir, "experiments", name+recordSuffix)
}

// recordSuffix ends the names of files of records.
const recordSuffix = ".json"

// validName reports whether a name may be that of an experiment.
func validName(name string) bool {
	const (
		alnum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		all   = alnum + "-._"
	)
	return name != "" && len(name) <= 200 &&
		strings.Contains(alnum, name[:1]) && strings.Trim(name, all) == ""
}
