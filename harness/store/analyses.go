package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ocobench/internal/file"
)

// What is computed from the cells of an experiment, and takes a while, is kept beside them.
// The store knows the digest of all that determines it, and the record that it is of, so that
// what no record needs can be found. It may always be removed: whoever needs it computes it
// again.

// An Analysis is what was computed from the cells of an experiment.
type Analysis struct {
	Experiment string `json:"experiment"`
	Record     Key    `json:"record"` // a digest of the record
	Data       []byte `json:"-"`
}

// PutAnalysis keeps an analysis under the digest of what determines it.
func (s *Store) PutAnalysis(key Key, a Analysis) error {
	of, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return write(s.analysisPath(key), encodeText(keptFormat, string(key),
		bytes.Join([][]byte{of, a.Data}, []byte{'\n'})))
}

// Analysis returns the analysis under a key, of an experiment with this record. The errors are
// those of [Store.Experiment].
func (s *Store) Analysis(key Key, experiment string, record Key) (Analysis, error) {
	path := s.analysisPath(key)
	text, err := read(path)
	if err != nil {
		return Analysis{}, err
	}
	data, err := decodeText(keptFormat, string(key), string(text))
	if err != nil {
		return Analysis{}, fault(path, err)
	}
	var a Analysis
	of, data, _ := bytes.Cut(data, []byte{'\n'})
	if err := json.Unmarshal(of, &a); err != nil {
		return a, &DamagedError{Path: path, Reason: "it does not say of which record it is"}
	}
	if a.Experiment != experiment || a.Record != record {
		return a, &DamagedError{Path: path, Reason: "it is of another record"}
	}
	a.Data = data
	return a, nil
}

// HasAnalysis reports whether an analysis is under a key, damaged or not.
func (s *Store) HasAnalysis(key Key) bool {
	_, err := os.Stat(s.analysisPath(key))
	return err == nil
}

// AnalysisOf returns of which record the analysis in a file of an [Inventory] is, without its
// data. The digest is not checked.
func AnalysisOf(f File) (a Analysis, err error) {
	from, err := file.Open(f.Path)
	if err != nil {
		return a, explain(err)
	}
	defer from.Close()
	first := make([]byte, 1024)
	n, err := io.ReadFull(from, first)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return a, explain(err)
	}
	_, rest, _ := bytes.Cut(first[:n], []byte{'\n'})
	of, _, _ := bytes.Cut(rest, []byte{'\n'})
	if err := json.Unmarshal(of, &a); err != nil {
		return a, &DamagedError{Path: f.Path, Reason: "it does not say of which record it is"}
	}
	return a, nil
}

// analysisPath panics if key is not one that [KeyOf] could return.
func (s *Store) analysisPath(key Key) string {
	if !key.valid() {
		panic(fmt.Sprintf("store: %q is not a key", key))
	}
	return filepath.Join(s.dir, "analyses", string(key)+analysisSuffix)
}

const analysisSuffix = ".analysis"
