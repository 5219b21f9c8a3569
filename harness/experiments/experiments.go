// Package experiments has the experiments that come with the program, as data.
package experiments

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ocobench/harness/experiment/spec"
	"ocobench/internal/input"
)

//go:embed *.yaml
var files embed.FS

// Default lists the experiments that bench runs without a verb. They make the figures of the paper.
var Default = []string{"frequency", "sets"}

// CI is the name of the experiment that bench check plays by default.
const CI = "ci"

// Names returns the names of the experiments that come with the program.
func Names() []string {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		panic("experiments: " + err.Error())
	}
	for i, f := range names {
		names[i] = strings.TrimSuffix(f, ".yaml")
	}
	slices.Sort(names)
	return names
}

// Source returns the file of an experiment that comes with the program.
func Source(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no experiment %q among those that come with the program (%s)", name,
			strings.Join(Names(), ", "))
	}
	return data, nil
}

// Read reads an experiment that comes with the program.
func Read(name string) (*spec.Experiment, error) {
	data, err := Source(name)
	if err != nil {
		return nil, err
	}
	return spec.Parse(name+".yaml", data)
}

// Load reads an experiment, and returns its file, too. The name is that of an experiment that comes
// with the program, or the path of a file.
func Load(name string) (*spec.Experiment, []byte, error) {
	known := Names()
	if slices.Contains(known, name) {
		source, err := Source(name)
		if err != nil {
			return nil, nil, err
		}
		x, err := Read(name)
		return x, source, err
	}
	source, err := spec.Read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, "./"):
		return nil, nil, spec.Unknown("experiment", name, known, spec.Pos{}, "bench list experiments")
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w (expected a YAML file, or an experiment that comes with "+
			"the program: %s)",
			input.Shown(name), err, strings.Join(known, ", "))
	}
	x, err := spec.Parse(name, source)
	return x, source, err
}

// QuickReplicates returns the number of replicates of bench claims --quick, where a whole run has
// n: a fifth of them, but at least four if there are so many.
func QuickReplicates(n int) int { return min(n, max(4, n/5)) }

// Entry describes an experiment, in the JSON form of bench list.
type Entry struct {
	Name       string       `json:"name"`
	Doc        string       `json:"doc"`
	Reference  string       `json:"reference"` // the command that runs it, where others name a paper
	Parameters []spec.Param `json:"parameters"`
	Horizon    []int        `json:"horizon"`
	Replicates int          `json:"replicates"`
}

// Entries describes the experiments that come with the program.
func Entries() (out []Entry, err error) {
	for _, name := range Names() {
		x, err := Read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{name, x.Description, "bench run " + name, spec.Describe(spec.Defaults()),
			x.Horizon, x.Replicates})
	}
	return out, nil
}
