package analysis

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ocobench/algorithms"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// ArchiveSchema names the form of an archive.
const ArchiveSchema = "ocobench archive 1"

// What an archive unpacks to is at most maxArchive bytes of JSON, and at most maxRatio times
// its size beyond the first freeArchive bytes. The numbers of real analyses pack to a quarter;
// a file that packs much better has nothing to say.
const (
	maxArchive  = 256 << 20
	freeArchive = 16 << 20
	maxRatio    = 32
)

// archive is a file of analyses: gzip of this as JSON.
type archive struct {
	Schema  string           `json:"schema"`
	Program store.Provenance `json:"program"` // that wrote it
	// Experiments is the list of the analyses, each as in analysis.json, and Digest the
	// SHA-256 of its bytes.
	Experiments json.RawMessage `json:"experiments"`
	Digest      string          `json:"digest"`
}

// WriteArchive writes analyses as one compact file, for [ReadArchive]. Equal analyses
// make equal bytes.
func WriteArchive(w io.Writer, all []*Analysis) error {
	experiments, err := json.Marshal(list(all))
	if err != nil {
		return err
	}
	data, err := json.Marshal(archive{ArchiveSchema, store.CurrentProvenance(), experiments,
		digest(experiments)})
	if err != nil {
		return err
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

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256 " + hex.EncodeToString(sum[:])
}

// ReadArchive reads what [WriteArchive] has written: analyses whose JSON has the same
// bytes as before. What JSON does not have is lost, such as the bounds of claims as
// functions. The error says why the file is no archive, is damaged, or is from a program
// with another schema.
func ReadArchive(r io.Reader) ([]*Analysis, error) {
	data, err := unpack(r)
	if err != nil {
		return nil, err
	}
	var a archive
	err = input.JSON(data, &a, jsontext.AllowDuplicateNames(true)) // in the experiments, for now
	if err != nil || a.Schema == "" {
		return nil, foreign("JSON with a schema")
	}
	if a.Schema != ArchiveSchema {
		return nil, fmt.Errorf("has the schema %q where this program reads %q", a.Schema, ArchiveSchema)
	}
	if got := digest(a.Experiments); got != a.Digest {
		return nil, fmt.Errorf("is damaged: its digest is %q and that of its content %q; write it "+
			"again, or copy it again", a.Digest, got)
	}
	var schemas []struct {
		Schema     string `json:"schema"`
		Experiment struct {
			Name string `json:"name"`
		} `json:"experiment"`
	}
	if err := input.JSON(a.Experiments, &schemas); err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	for _, s := range schemas {
		if s.Schema != Schema {
			return nil, fmt.Errorf("has experiment %q in the schema %q where this program reads %q; write "+
				"the archive again with this program, or use ocobench %s, which it is written with",
				s.Experiment.Name, s.Schema, Schema, a.Program.Version)
		}
	}
	var all []*Analysis
	err = checkComplete(a.Experiments, reflect.TypeFor[[]Analysis]())
	if err == nil {
		err = input.JSON(a.Experiments, &all, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil {
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	for _, x := range all {
		if err := x.check(); err != nil {
			return nil, fmt.Errorf("is damaged: experiment %q: %w", x.Experiment.Name, err)
		}
	}
	return all, nil
}

// unpack returns what gzip makes of a file, within the limits.
func unpack(r io.Reader) ([]byte, error) {
	packed := &counted{Reader: r}
	z, err := gzip.NewReader(packed)
	if errors.Is(err, gzip.ErrHeader) {
		return nil, foreign("gzip")
	}
	if err != nil {
		return nil, unpacked(err)
	}
	var data bytes.Buffer
	for limit := int64(freeArchive); ; limit = min(maxArchive, freeArchive+maxRatio*packed.n) {
		_, err := io.CopyN(&data, z, limit+1-int64(data.Len()))
		switch {
		case err == io.EOF:
			return data.Bytes(), nil
		case err != nil:
			return nil, unpacked(err)
		case limit >= min(maxArchive, freeArchive+maxRatio*packed.n):
			return nil, fmt.Errorf("unpacks to more than %d MiB after %d bytes: an archive has at most "+
				"%d MiB of JSON, and beyond %d MiB at most %d times its own size; write fewer "+
				"experiments into one (bench export --experiment)", limit>>20, packed.n,
				maxArchive>>20, freeArchive>>20, maxRatio)
		}
	}
}

// counted counts what is read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// unpacked says what is wrong with a file that gzip does not unpack.
func unpacked(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("is cut short; write it again, or copy it again")
	case errors.Is(err, gzip.ErrChecksum):
		return errors.New("is damaged: its content does not match its checksum; write it again, or " +
			"copy it again")
	}
	return fmt.Errorf("is damaged: %w", err)
}

func foreign(expected string) error {
	return fmt.Errorf("is no archive (expected %s, as bench export --archive writes it)", expected)
}

// check says what is wrong with an analysis that [SideBySide], tables and pages rely on.
func (a *Analysis) check() error {
	switch e := a.Experiment; {
	case e.Name == "":
		return errors.New("it has no name")
	case len(e.Horizon) == 0 || e.Horizon[0] < 1 || !slices.IsSorted(e.Horizon):
		return fmt.Errorf("its horizons are %v, not some positive numbers that rise", e.Horizon)
	case !(e.Confidence > 0 && e.Confidence < 1):
		return fmt.Errorf("its confidence is %v, not between 0 and 1", e.Confidence)
	}
	has := contents{make(map[string]bool), make(map[string]bool), make(map[algorithms.Metric]bool)}
	for _, m := range a.Metrics {
		has.metrics[m.Name] = true
	}
	for _, e := range a.Algorithms {
		has.algorithms[e.Spec] = true
		for _, c := range e.Claims {
			if !has.metrics[c.Metric] {
				return fmt.Errorf("it lacks the metric %q, which %s has a claim on", c.Metric, e.Spec)
			}
		}
	}
	for _, p := range a.Problems {
		has.problems[p.Spec] = true
	}
	if len(has.algorithms) != len(a.Algorithms) || len(has.problems) != len(a.Problems) {
		return errors.New("it has an algorithm or a problem twice")
	}
	for _, u := range a.Unmet {
		if !has.pair(u.Algorithm, u.Problem) {
			return fmt.Errorf("it lacks %q or %q, which it says do not meet", u.Algorithm, u.Problem)
		}
	}
	for _, s := range a.Standings {
		if !has.algorithms[s.Algorithm] || s.Claim == nil {
			return fmt.Errorf("a standing of %q is of no algorithm or no claim", s.Algorithm)
		}
	}
	for i := range a.Pairs {
		p := &a.Pairs[i]
		if p.Played < 0 || p.Replicates < p.Played || a.Experiment.Replicates < p.Replicates {
			return fmt.Errorf("%s has played %d of %d replicates on %s, in an experiment of %d",
				p.Algorithm, p.Played, p.Replicates, p.Problem, a.Experiment.Replicates)
		}
		if err := has.check(p); err != nil {
			return err
		}
	}
	return has.focus(a)
}

// contents are the names that an analysis has.
type contents struct {
	algorithms, problems map[string]bool // SPECs
	metrics              map[algorithms.Metric]bool
}

// pair reports whether there are an algorithm and a problem.
func (has *contents) pair(algorithm, problem string) bool {
	return has.algorithms[algorithm] && has.problems[problem]
}

// focus says what is wrong with what the views are about.
func (has *contents) focus(a *Analysis) error {
	regret, violation := wantedMetrics(a.Experiment.Metrics)
	views := []View{{"", regret, violation}, {"", a.Focus.Regret, a.Focus.Violation}}
	for _, v := range a.Focus.Views {
		if !has.problems[v.Problem] {
			return fmt.Errorf("it lacks the problem %q, which it has a view of", v.Problem)
		}
		views = append(views, v)
	}
	for _, v := range views {
		for _, m := range []algorithms.Metric{v.Regret, v.Violation} {
			if !has.metrics[m] {
				return fmt.Errorf("it lacks the metric %q, which its views are about", m)
			}
		}
	}
	return nil
}

// check says what is wrong with a pair.
func (has *contents) check(p *Pair) error {
	if !has.pair(p.Algorithm, p.Problem) {
		return fmt.Errorf("it lacks %q or %q, which it has a pair of", p.Algorithm, p.Problem)
	}
	for _, name := range slices.Sorted(maps.Keys(has.metrics)) {
		if p.Series[name] == nil {
			return fmt.Errorf("it lacks %s of %s on %s", name, p.Algorithm, p.Problem)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Series)) {
		s := p.Series[name]
		if !has.metrics[name] || !s.isComplete() || len(s.Finals) != p.Replicates {
			return fmt.Errorf("%s of %s on %s is not whole", name, p.Algorithm, p.Problem)
		}
	}
	for _, j := range p.Judgements() {
		if b := j.Bound; b != nil && (len(b.Mean.T) != len(b.Mean.Value) ||
			len(b.Ratios.T) != len(b.Ratios.Value)) {
			return fmt.Errorf("the bound of %s of %s on %s is not whole", j.Metric, p.Algorithm, p.Problem)
		}
	}
	return nil
}

// isComplete reports whether the lists of a series belong together.
func (s *Series) isComplete() bool {
	if s == nil || s.Known() && len(s.Mean.T) == 0 {
		return false
	}
	for _, b := range []*Band{&s.Mean, s.Across, s.Slopes} {
		if b != nil && (len(b.Value) != len(b.T) || len(b.Lower) != len(b.T) ||
			len(b.Upper) != len(b.T)) {
			return false
		}
	}
	if s.Runs == nil {
		return true
	}
	return len(s.Runs.Value) == len(s.Runs.Replicate) &&
		!slices.ContainsFunc(s.Runs.Value, func(row Numbers) bool { return len(row) != len(s.Runs.T) })
}
