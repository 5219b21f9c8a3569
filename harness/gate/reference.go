package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/stats"
)

// A Reference keeps excerpts of the curves that an experiment once had.
//
// # The file
//
// The file is JSON with a line for each replicate, so that a diff shows what has
// changed:
//
//	{
//	  "format": "ocobench reference 1",
//	  "experiment": {"name":"ci","seed":1,"replicates":20,"horizon":[1000],"window":2,"confidence":0.95},
//	  "source": [
//	    "name: ci",
//	    …
//	  ],
//	  "provenance": {"version":"0.1.0","go":"go1.26.0","goarch":"amd64"},
//	  "curves": [
//	    {"algorithm":"primal-dual","problem":"shrinking","metric":"violation_hard","design":"along-t","bits":"0123456789abcdef",
//	     "t":[10,18,32],
//	     "y":[
//	      [1.25,1.5,1.75],
//	      …
//	     ]},
//	    …
//	  ],
//	  "digest": "…"
//	}
//
// If all replicates are equal, y has one of them. Source is the file of the
// experiment, line by line. Digest is the SHA-256 of every byte above its line,
// as head -n -2 FILE | sha256sum prints it. It detects numbers that were edited or
// merged by hand.
type Reference struct {
	Name       string
	Seed       uint64
	Replicates int
	Horizon    []int
	Window     float64
	Confidence float64
	Source     []byte
	Provenance store.Provenance
	Curves     []Excerpt
}

// NewReference makes a reference from results and from the file of their
// experiment.
func NewReference(r *run.Results, source []byte) *Reference {
	return &Reference{r.Name, r.Seed, r.Replicates, r.Horizon, r.Window, r.Confidence, source,
		store.CurrentProvenance(), Measure(r)}
}

// Experiment reads the experiment of the reference, and sets the seed of the
// reference. Errors call the reference by the name file.
func (ref *Reference) Experiment(file string) (*spec.Experiment, error) {
	x, err := spec.Parse(file+" (its source)", ref.Source)
	if err != nil {
		return nil, err
	}
	x.Seed = ref.Seed
	return x, nil
}

// Reduce removes from an experiment the algorithms and problems that the catalog
// does not have any more. Their curves will be reported as gone. The word all
// stands for what the catalog has now: the curves of an entry that was added are
// new, and those of an entry that was removed are gone. Reduce returns an error if
// no algorithm or no problem is left.
func Reduce(x *spec.Experiment, c experiment.Catalog) error {
	var known []string
	for _, a := range c.Algorithms {
		known = append(known, a.Name)
	}
	unknown := func(u spec.Use) bool { return u.Name != spec.All && !slices.Contains(known, u.Name) }
	x.Algorithms = slices.DeleteFunc(x.Algorithms, unknown)
	known = nil
	for _, p := range c.Problems {
		known = append(known, p.Name)
	}
	x.Problems = slices.DeleteFunc(x.Problems, unknown)
	if len(x.Algorithms) == 0 || len(x.Problems) == 0 {
		return fmt.Errorf("experiment %s has no algorithm or no problem that this program knows", x.Name)
	}
	return nil
}

// Comparable returns an error if the curves of an experiment cannot be compared
// with the reference. The error names the difference.
func (ref *Reference) Comparable(x *spec.Experiment) error {
	for _, c := range []struct {
		what      string
		was, is   any
		different bool
	}{
		{"the experiment", ref.Name, x.Name, ref.Name != x.Name},
		{"the horizon", ref.Horizon, x.Horizon, !slices.Equal(ref.Horizon, x.Horizon)},
		{"the number of replicates", ref.Replicates, x.Replicates, ref.Replicates != x.Replicates},
		{"the window", ref.Window, x.Window, ref.Window != x.Window},
		{"the confidence", ref.Confidence, x.Confidence, ref.Confidence != x.Confidence},
	} {
		if c.different {
			return fmt.Errorf("%s is %v where the reference has %v", c.what, c.is, c.was)
		}
	}
	return nil
}

const format = "ocobench reference 1"

// file is the content of the JSON file of a reference.
type file struct {
	Format     string           `json:"format"`
	Experiment fileExperiment   `json:"experiment"`
	Source     []string         `json:"source"`
	Provenance store.Provenance `json:"provenance"`
	Curves     []fileCurve      `json:"curves"`
	Digest     string           `json:"digest"`
}

type fileExperiment struct {
	Name       string  `json:"name"`
	Seed       uint64  `json:"seed"`
	Replicates int     `json:"replicates"`
	Horizon    []int   `json:"horizon"`
	Window     float64 `json:"window"`
	Confidence float64 `json:"confidence"`
}

type fileCurve struct {
	Key
	Bits string      `json:"bits"`
	T    []float64   `json:"t"`
	Y    [][]float64 `json:"y"`
}

// Encode returns the file of the reference. The same reference gives the same
// bytes.
func (ref *Reference) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"format\": %s,\n  \"experiment\": %s,\n  \"source\": [", marshal(format),
		marshal(fileExperiment{ref.Name, ref.Seed, ref.Replicates, ref.Horizon, ref.Window,
			ref.Confidence}))
	for i, line := range strings.Split(string(ref.Source), "\n") {
		fmt.Fprintf(&b, "%s\n    %s", comma(i), marshal(line))
	}
	fmt.Fprintf(&b, "\n  ],\n  \"provenance\": %s,\n  \"curves\": [", marshal(ref.Provenance))
	for i, c := range ref.Curves {
		key := strings.TrimSuffix(string(marshal(c.Key)), "}")
		fmt.Fprintf(&b, "%s\n    %s,\"bits\":%s,\n     \"t\":%s,\n     \"y\":[", comma(i), key,
			marshal(c.Bits), marshal(c.Values.T))
		rows := c.Values.Y
		if equal(rows) {
			rows = rows[:1]
		}
		for r, y := range rows {
			fmt.Fprintf(&b, "%s\n      %s", comma(r), marshal(y))
		}
		b.WriteString("\n     ]}")
	}
	b.WriteString("\n  ],\n")
	fmt.Fprintf(&b, digestLine, sha256.Sum256(b.Bytes()))
	return b.Bytes()
}

// equal reports whether all replicates are equal, as on a problem without
// randomness.
func equal(rows [][]float64) bool {
	return !slices.ContainsFunc(rows, func(y []float64) bool { return !slices.Equal(y, rows[0]) })
}

const digestLine = "  \"digest\": \"%x\"\n}\n"

func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ","
}

// marshal returns v as JSON. It panics if v has no JSON form, which is a fault of
// this package.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("gate: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Decode reads a file that Encode has written. Errors call it by its name, and say
// the place and what to do.
func Decode(name string, data []byte) (*Reference, error) {
	refuse := func(place, format string, args ...any) error {
		return fmt.Errorf("%s%s: %s; restore it, or make it anew: bench check --update --experiment "+
			"EXPERIMENT|FILE.yaml --baseline %[1]s", name, place, fmt.Sprintf(format, args...))
	}
	var head struct {
		Format string `json:"format"`
	}
	var f file
	data = input.SkipMark(data)
	err := input.JSON(data, &head)
	switch {
	case err != nil:
	case head.Format != format:
		return nil, refuse("", "not a reference that this program reads: its format is %q, expected %q",
			head.Format, format)
	default:
		err = input.JSON(data, &f, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil {
		return nil, refuse(placeOf(err, data), "damaged: %v", err)
	}
	const digits = 2 * sha256.Size
	body := max(0, len(data)-len(digestLine)-digits+len("%x"))
	if sum := sha256.Sum256(data[:body]); string(data[body:]) != fmt.Sprintf(digestLine, sum) {
		if f.Digest == hex.EncodeToString(sum[:]) {
			return nil, refuse("", "damaged: it does not end with its digest")
		}
		return nil, refuse("", "damaged: its digest does not match its content, which was changed "+
			"after it was written")
	}
	if n := f.Experiment.Replicates; n < 1 || n > 1e6 {
		return nil, refuse("", "damaged: %d replicates", n)
	}
	ref := &Reference{
		f.Experiment.Name, f.Experiment.Seed, f.Experiment.Replicates, f.Experiment.Horizon,
		f.Experiment.Window, f.Experiment.Confidence,
		[]byte(strings.Join(f.Source, "\n")), f.Provenance, nil,
	}
	for i, c := range f.Curves {
		values := stats.Curve{T: c.T, Y: c.Y}
		if len(c.Y) == 1 {
			values.Y = slices.Repeat(c.Y, f.Experiment.Replicates)
		}
		if err := values.Validate(); err != nil || len(values.Y) != f.Experiment.Replicates {
			return nil, refuse("", "damaged: curve %d, %s, does not have %d replicates with a value at "+
				"each checkpoint", i+1, c.Key, f.Experiment.Replicates)
		}
		ref.Curves = append(ref.Curves, Excerpt{c.Key, c.Bits, values})
	}
	return ref, nil
}

// placeOf returns the line and the column in the data of an error of [input.JSON], as :line:column.
func placeOf(err error, data []byte) string {
	wrong, ok := errors.AsType[*input.JSONError](err)
	if !ok {
		return ""
	}
	before := data[:wrong.Offset]
	return fmt.Sprintf(":%d:%d", 1+bytes.Count(before, []byte("\n")),
		len(before)-bytes.LastIndexByte(before, '\n'))
}
