package gate

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/internal/input"
)

// largest is the largest size of a reference in bytes.
const largest = 1 << 26

// A Check says what is compared with what: a reference, or a new one to be made, and the
// experiment to play.
type Check struct {
	Baseline   string // the file of the reference; empty for that of the program
	Experiment string // that is played; empty for that of the reference
	Update     bool   // the reference is made anew
}

// Reference reads the reference. It is nil if a new one is made that does not need the old
// one.
func (c Check) Reference() (*Reference, error) {
	if c.Baseline == "" {
		return Builtin()
	}
	data, err := input.ReadFile(c.Baseline, largest)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Update:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("--baseline: %s: %w (expected a reference; make one with: bench check "+
			"--update --experiment FILE.yaml --baseline %[1]s)",
			input.Shown(c.Baseline), err)
	case c.Update && c.Experiment != "": // the old content does not matter
		return nil, nil
	}
	return Decode(c.Baseline, data)
}

// Load returns the experiment to play and its file: the one that is named, or that of the
// reference, with the seed of the reference. Without a file of a reference it is the
// program's own ci, which may have changed since the reference was made.
func (c Check) Load(catalog experiment.Catalog, ref *Reference) (*spec.Experiment, []byte, error) {
	if c.Experiment == "" && c.Baseline != "" && ref != nil {
		x, err := ref.Experiment(c.Baseline)
		if err == nil && !c.Update {
			if err = Reduce(x, catalog); err != nil {
				err = fmt.Errorf("%s: %w", c.Baseline, err)
			}
		}
		return x, ref.Source, err
	}
	x, source, err := experiments.Load(cmp.Or(c.Experiment, experiments.CI))
	if err == nil && ref != nil {
		x.Seed = ref.Seed
	}
	return x, source, err
}

// Accept returns the command that accepts a change.
func (c Check) Accept() string {
	experiment := c.Experiment
	if c.Baseline == "" {
		experiment = cmp.Or(experiment, experiments.CI)
	}
	command := "bench check --update --baseline " + cmp.Or(c.Baseline, BuiltinFile)
	if experiment != "" {
		command += " --experiment " + experiment
	}
	return command
}
