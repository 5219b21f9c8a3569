package regression

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/input"
	"ocobench/stats"
)

// Schema names the form of a file of snapshots.
const Schema = "ocobench snapshot 1"

// What a file of snapshots unpacks to is at most maxUnpacked bytes of JSON, and at most maxRatio
// times its size beyond the first freeUnpacked bytes. The numbers of real analyses pack to a
// quarter; a file that packs much better is made to exhaust the memory.
const (
	maxUnpacked  = 256 << 20
	freeUnpacked = 16 << 20
	maxRatio     = 32
)

// What the objects of a file are decoded to takes at most maxDecodedRatio times the bytes of their
// JSON beyond freeDecoded.
const (
	freeDecoded     = 16 << 20
	maxDecodedRatio = 16
)

// maxRows limits the number of replicates of all curves together. No file has room for more,
// unless replicates are equal and written once.
const maxRows = 10_000_000

// snapshotFile is written as gzip of its JSON.
type snapshotFile struct {
	Schema string `json:"schema"`
	// Experiments is the list of the snapshots, and Digest the SHA-256 of its bytes.
	Experiments json.RawMessage `json:"experiments"`
	Digest      string          `json:"digest"`
}

// Write writes snapshots for [Read]. Equal snapshots make equal bytes.
func Write(w io.Writer, snapshots []*Snapshot) error {
	experiments, err := json.Marshal(append([]*Snapshot{}, snapshots...))
	if err != nil {
		return err
	}
	data, err := json.Marshal(snapshotFile{Schema, experiments, digestOf(experiments)})
	if err != nil {
		return err
	}
	if len(data) >= maxUnpacked { // with the line break
		return fmt.Errorf("the file has %d MB of JSON, and at most %d MB can be read again; write fewer "+
			"experiments into one", len(data)>>20, maxUnpacked>>20)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(append(data, '\n')); err != nil {
		return err
	}
	return z.Close()
}

// digestOf returns the SHA-256 of data as hexadecimal digits after the name of the hash.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256 " + hex.EncodeToString(sum[:])
}

// Read reads what [Write] has written. What the JSON of an analysis does not have is lost, such as
// the bounds of claims as functions. The error says, after the name of the file, why it is no
// snapshot, is damaged, or is from a program with another schema.
func Read(r io.Reader) ([]*Snapshot, error) {
	data, err := decompress(r)
	if err != nil {
		return nil, err
	}
	var f snapshotFile
	// Duplicate names in the experiments are refused below, after the digest is checked.
	err = input.JSON(data, &f, jsontext.AllowDuplicateNames(true))
	if err != nil || f.Schema == "" {
		return nil, notASnapshot("JSON with a schema")
	}
	if f.Schema != Schema {
		return nil, fmt.Errorf("has the schema %q where this program reads %q", f.Schema, Schema)
	}
	if got := digestOf(f.Experiments); got != f.Digest {
		return nil, fmt.Errorf("is damaged: its digest is %q and that of its content %q", f.Digest, got)
	}
	var heads []struct { // what tells the program that can read the rest
		Experiment struct {
			Name string `json:"name"`
		} `json:"experiment"`
		Program struct {
			Version string `json:"version"`
		} `json:"program"`
		Analysis *struct {
			Schema string `json:"schema"`
		} `json:"analysis"`
	}
	if err := input.JSON(f.Experiments, &heads); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	for _, x := range heads {
		if x.Analysis != nil && x.Analysis.Schema != analysis.Schema {
			return nil, fmt.Errorf("has experiment %q in the schema %q where this program reads %q; use "+
				"ocobench %s, which it is written with", x.Experiment.Name,
				x.Analysis.Schema, analysis.Schema, x.Program.Version)
		}
	}
	var snapshots []*Snapshot
	err = input.JSON(f.Experiments, &snapshots, jsonv2.RejectUnknownMembers(true), limitDecoded())
	if err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	for i, x := range snapshots {
		if x == nil {
			return nil, fmt.Errorf("is damaged: element %d: found null, expected an object", i+1)
		}
		if err := x.validate(); err != nil {
			return nil, fmt.Errorf("is damaged: experiment %q: %w", x.Name, err)
		}
	}
	if err := checkEncoding(snapshots, jsontext.Value(f.Experiments)); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	return snapshots, nil
}

// maxDepth limits the nesting of values. Those of analyses lie about twelve deep.
const maxDepth = 50

// limitDecoded returns an option of decoding: it is an error if values lie more than maxDepth deep
// in others, or if the structs so far take more than maxDecodedRatio times the bytes of their JSON,
// beyond freeDecoded, as those of [{},{},…] do.
func limitDecoded() jsonv2.Options {
	var decoded int64
	count := func(d *jsontext.Decoder, v any) error {
		if d.StackDepth() > maxDepth {
			return fmt.Errorf("its values lie more than %d deep in others", maxDepth)
		}
		if t := reflect.TypeOf(v).Elem(); t.Kind() == reflect.Struct {
			decoded += int64(t.Size())
		}
		if decoded > freeDecoded+maxDecodedRatio*d.InputOffset() {
			return errors.New("its objects lack most of their members")
		}
		return jsonv2.SkipFunc
	}
	return jsonv2.WithUnmarshalers(jsonv2.UnmarshalFromFunc(count))
}

// checkEncoding returns an error unless [Write] writes the snapshots as they are in a file, except
// for the order of members: decoding leaves a member at zero that the file lacks.
func checkEncoding(snapshots []*Snapshot, read jsontext.Value) error {
	written, err := json.Marshal(snapshots)
	if err != nil || bytes.Equal(written, read) {
		return err
	}
	again, read := jsontext.Value(written), read.Clone()
	if err := errors.Join(again.Canonicalize(), read.Canonicalize()); err != nil {
		return err
	}
	if !bytes.Equal(again, read) {
		return errors.New("a member is missing, or has a value that is not written so")
	}
	return nil
}

// decompress unpacks a file within the limits on its unpacked size.
func decompress(r io.Reader) ([]byte, error) {
	packed := &countingReader{Reader: r}
	z, err := gzip.NewReader(packed)
	if errors.Is(err, gzip.ErrHeader) {
		return nil, notASnapshot("gzip")
	}
	if err != nil {
		return nil, gzipError(err)
	}
	var data bytes.Buffer
	for limit := int64(freeUnpacked); ; limit = min(maxUnpacked, freeUnpacked+maxRatio*packed.n) {
		// Read one byte beyond the limit. If there is one, the file is too large, unless reading it has
		// raised the limit.
		_, err := io.CopyN(&data, z, limit+1-int64(data.Len()))
		switch {
		case err == io.EOF:
			return data.Bytes(), nil
		case err != nil:
			return nil, gzipError(err)
		case limit >= min(maxUnpacked, freeUnpacked+maxRatio*packed.n):
			return nil, fmt.Errorf("unpacks to more than %d MiB after %d bytes (expected at most %d MiB, "+
				"and beyond %d MiB %d times its size); export fewer experiments (--experiment)",
				limit>>20, packed.n, maxUnpacked>>20, freeUnpacked>>20, maxRatio)
		}
	}
}

// countingReader counts the bytes that were read.
type countingReader struct {
	io.Reader
	n int64
}

// Read implements [io.Reader].
func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// gzipError returns the error of a file that gzip cannot unpack.
func gzipError(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("is damaged: it is cut short")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("is damaged: its content does not match its checksum")
	}
	return fmt.Errorf("is damaged: %w", err)
}

// notASnapshot returns the error of a file that is not in the expected form.
func notASnapshot(expected string) error {
	return fmt.Errorf("is no snapshot (expected %s, as bench check --update and bench export "+
		"--archive write it)", expected)
}

// validate returns an error if a snapshot that was read lacks what comparisons rely on.
func (s *Snapshot) validate() error {
	if err := s.Experiment.Validate(); err != nil {
		return err
	}
	if s.Games != nil && s.Games.Record.Name != s.Name {
		return fmt.Errorf("it is of experiment %q, and its games are of %q", s.Name, s.Games.Record.Name)
	}
	specs := make(map[string]bool)
	for kind, entries := range map[string][]experiment.Entry{"algorithm": s.Algorithms,
		"problem": s.Problems} {
		for _, e := range entries {
			if specs[kind+e.Spec] {
				return fmt.Errorf("it has the %s %q twice", kind, e.Spec)
			}
			specs[kind+e.Spec] = true
		}
	}
	seenCurves, totalRows := make(map[Key]bool), 0
	for i, c := range s.Curves {
		if !specs["algorithm"+c.Algorithm] || !specs["problem"+c.Problem] || seenCurves[c.Key] {
			return fmt.Errorf("curve %d, %s, is there twice, or of no algorithm or problem", i+1, c.Key)
		}
		seenCurves[c.Key] = true
		replicates, last := s.Replicates, 0 // all of them, unless the curve lists some
		for _, r := range c.Replicates {
			if r <= last || r > s.Replicates {
				return fmt.Errorf("curve %d, %s, has the replicates %v of %d", i+1, c.Key, c.Replicates,
					s.Replicates)
			}
			replicates, last = len(c.Replicates), r
		}
		if totalRows += replicates; totalRows > maxRows {
			return fmt.Errorf("its curves have more than %d replicates together", maxRows)
		}
		err := stats.Curve{T: c.T, Y: c.Y}.Validate() // it has one row if all replicates are equal
		if err != nil || len(c.Y) != 1 && len(c.Y) != replicates {
			return fmt.Errorf("curve %d, %s, does not have %d replicates with a value at each checkpoint",
				i+1, c.Key, replicates)
		}
	}
	if s.Analysis == nil {
		return nil
	}
	if !reflect.DeepEqual(s.Analysis.Experiment, s.Experiment) {
		return fmt.Errorf("its analysis has other settings: %+v", s.Analysis.Experiment)
	}
	for _, e := range s.Analysis.Algorithms {
		if !specs["algorithm"+e.Spec] {
			return fmt.Errorf("it lacks the algorithm %q of its analysis", e.Spec)
		}
	}
	for _, p := range s.Analysis.Problems {
		if !specs["problem"+p.Spec] {
			return fmt.Errorf("it lacks the problem %q of its analysis", p.Spec)
		}
	}
	return s.Analysis.Validate()
}
