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

// Analyses are cached beside the cells that they were computed from. The store knows the digest of
// everything that determines an analysis, and its record, so that analyses of no record can be
// found. A cached analysis may always be removed: it is computed again.

// Analysis holds a cached analysis of the cells of an experiment.
type Analysis struct {
	Experiment string `json:"experiment"`
	Record     Key    `json:"record"` // a digest of the record
	Data       []byte `json:"-"`      // in any form
}

// PutAnalysis caches an analysis under the digest of what determines it. The text of its file is
// the JSON of the [Analysis] on a line, and its data.
func (s *Store) PutAnalysis(key Key, a Analysis) error {
	subject, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return writeFile(s.analysisPath(key), encodeText(analysisFormat, string(key),
		bytes.Join([][]byte{subject, a.Data}, []byte{'\n'})))
}

// Analysis returns the analysis under a key, of an experiment with this record. The error wraps
// [ErrNotFound], or is a [DamagedError], also for an analysis of another record.
func (s *Store) Analysis(key Key, experiment string, record Key) (Analysis, error) {
	path := s.analysisPath(key)
	text, err := readFile(path)
	if err != nil {
		return Analysis{}, err
	}
	data, err := decodeText(analysisFormat, string(key), text)
	if err != nil {
		return Analysis{}, unusable(path, err)
	}
	var a Analysis
	subject, data, _ := bytes.Cut(data, []byte{'\n'})
	if err := json.Unmarshal(subject, &a); err != nil {
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

// maxAnalysisHead is more than the bytes of the first two lines of the file of an analysis: its
// format, and the name of an experiment with a digest.
const maxAnalysisHead = 1024

// AnalysisOf returns the experiment and the record of the analysis in a file of an [Inventory],
// without its data. The digest is not checked. A file of another version is an error.
func AnalysisOf(f File) (a Analysis, err error) {
	opened, err := file.Open(f.Path)
	if err != nil {
		return a, withRemedy(err)
	}
	defer opened.Close()
	first := make([]byte, maxAnalysisHead)
	n, err := io.ReadFull(opened, first)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return a, withRemedy(err)
	}
	line, rest, _ := bytes.Cut(first[:n], []byte{'\n'})
	subject, _, _ := bytes.Cut(rest, []byte{'\n'})
	var header textHeader
	if json.Unmarshal(line, &header) != nil || header.Format != analysisFormat {
		return a, &DamagedError{Path: f.Path, Reason: "it does not begin with its format"}
	}
	if err := json.Unmarshal(subject, &a); err != nil {
		return a, &DamagedError{Path: f.Path, Reason: "it does not say of which record it is"}
	}
	return a, nil
}

// analysisPath returns the file of an analysis. It panics if key is not one that [KeyOf] could
// return.
func (s *Store) analysisPath(key Key) string {
	if !key.isValid() {
		panic(fmt.Sprintf("store: %q is not a key", key))
	}
	return filepath.Join(s.dir, "analyses", string(key)+analysisSuffix)
}

// analysisSuffix ends the names of files of cached analyses.
const analysisSuffix = ".analysis"
