package regression

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/internal/input"
	"ocobench/problems"
)

// BuiltinFile names the file, in the source of the program, of the reference that is compiled in.
const BuiltinFile = "harness/regression/ci.ocobench"

//go:embed ci.ocobench
var builtin []byte

// maxFile limits the bytes of a file that is read as a snapshot.
const maxFile = 256 << 20

// Check holds the options of bench check: the reference to compare with or to write, and the
// experiment to play.
type Check struct {
	Baseline   string // the file of the reference; empty for that of the program
	Experiment string // that is played: its name, or a file; empty for that of the reference
	Update     bool   // the reference is made anew
	// Flags are those of algorithms and problems of other programs, as they are typed in a
	// command, with a blank before each.
	Flags string
}

// Reference reads the reference. It is nil if a new one is made that does not need the old
// one. Of a file with several experiments it is the one that is played.
func (c Check) Reference() (*Snapshot, error) {
	name, data := BuiltinFile, builtin
	if c.Baseline != "" {
		name = input.Shown(c.Baseline)
		var err error
		data, err = input.ReadFile(c.Baseline, maxFile)
		switch {
		case errors.Is(err, fs.ErrNotExist) && c.Update:
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("--baseline: %s: %w (expected a reference; make one with: bench check "+
				"--update --experiment FILE.yaml --baseline %[1]s)", name, err)
		case c.Update && c.Experiment != "": // the old content does not matter
			return nil, nil
		}
	}
	all, err := Read(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %w; restore it, or make it anew: bench check --update --experiment "+
			"EXPERIMENT|FILE.yaml --baseline %[1]s", name, err)
	case len(all) == 1:
		return all[0], nil
	case c.Experiment == "":
		return nil, fmt.Errorf("%s has %d experiments; name the file of one with --experiment", name,
			len(all))
	}
	x, _, err := experiments.Load(c.Experiment)
	if err != nil {
		return nil, err
	}
	k := slices.IndexFunc(all, func(s *Snapshot) bool { return s.Name == x.Name })
	if k < 0 {
		return nil, fmt.Errorf("%s lacks the experiment %s", name, x.Name)
	}
	return all[k], nil
}

// Load returns the experiment to play and its file: the one that is named, or that of the
// reference, with the seed of the reference. Without a file of a reference it is the
// program's own ci, which may have changed since the reference was made.
//
// It is an error if the experiment names what the reference has of another program, and the catalog
// lacks it. From the experiment of a reference it removes the other algorithms and problems that
// the catalog does not have any more. Their curves will be gone.
func (c Check) Load(catalog experiment.Catalog, ref *Snapshot) (x *spec.Experiment, source []byte,
	err error) {
	x, source, err = c.Named(ref)
	if err != nil || ref == nil {
		return x, source, err
	}
	err = c.checkPrograms(x, catalog, ref)
	if err == nil && c.isOfReference(ref) && !c.Update {
		if err = dropUnknownEntries(x, catalog); err != nil {
			err = fmt.Errorf("%s: %w", c.Baseline, err)
		}
	}
	x.Seed = ref.Seed
	return x, source, err
}

// Named returns the experiment that [Check.Load] returns and its file, before it is compared with
// the reference and the catalog.
func (c Check) Named(ref *Snapshot) (x *spec.Experiment, source []byte, err error) {
	if !c.isOfReference(ref) {
		return experiments.Load(cmp.Or(c.Experiment, experiments.CI))
	}
	if ref.Source == "" {
		return nil, nil, fmt.Errorf("%s lacks the file of experiment %s; name it with --experiment",
			input.Shown(c.Baseline), ref.Name)
	}
	source = []byte(ref.Source)
	x, err = spec.Parse(c.Baseline+" (its source)", source)
	return x, source, err
}

// isOfReference reports whether the experiment is that of the file of a reference.
func (c Check) isOfReference(ref *Snapshot) bool {
	return c.Experiment == "" && c.Baseline != "" && ref != nil
}

// checkPrograms returns an error if an experiment names algorithms or problems that the reference
// has of other programs, or of files of actions, and that the catalog lacks. The error has their
// flags.
func (c Check) checkPrograms(x *spec.Experiment, catalog experiment.Catalog, ref *Snapshot) error {
	var names, flags []string
	for _, list := range []struct {
		entries []experiment.Entry
		uses    []spec.Use
		has     func(name string) bool
	}{
		{ref.Algorithms, x.Algorithms, isIn(catalog.Algorithms, algorithms.Lookup)},
		{ref.Problems, x.Problems, isIn(catalog.Problems, problems.Lookup)},
	} {
		for _, e := range list.entries {
			named := slices.ContainsFunc(list.uses,
				func(u spec.Use) bool { return u.Name == e.Name || spec.IsWord(u.Name) })
			if e.Flag == "" || !named || list.has(e.Name) {
				continue
			}
			if !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
			if !slices.Contains(flags, e.Flag) {
				flags = append(flags, e.Flag)
			}
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("%s has %s, which this command line does not give; give it again: %s",
		input.Shown(c.Baseline), strings.Join(names, " and "), strings.Join(flags, " "))
}

// isIn returns a function that reports whether a list has an entry of a name.
func isIn[E any](all []E, lookup func([]E, string) (E, bool)) func(name string) bool {
	return func(name string) bool {
		_, ok := lookup(all, name)
		return ok
	}
}

// dropUnknownEntries removes from an experiment the algorithms and problems that the catalog does
// not have. The words all and others stand for what the catalog has now. It is an error if no
// algorithm or no problem is left.
func dropUnknownEntries(x *spec.Experiment, c experiment.Catalog) error {
	known := func(uses []spec.Use, has func(name string) bool) []spec.Use {
		return slices.DeleteFunc(uses, func(u spec.Use) bool {
			return !spec.IsWord(u.Name) && !has(u.Name)
		})
	}
	x.Algorithms = known(x.Algorithms, isIn(c.Algorithms, algorithms.Lookup))
	x.Problems = known(x.Problems, isIn(c.Problems, problems.Lookup))
	if len(x.Algorithms) == 0 || len(x.Problems) == 0 {
		return fmt.Errorf("experiment %s has no algorithm or no problem that this program knows", x.Name)
	}
	return nil
}

// Comparable returns an error if the curves of an experiment cannot be compared
// with those of a reference. The error names the difference.
func (s *Snapshot) Comparable(x *spec.Experiment) error {
	for _, c := range []struct {
		what              string
		recorded, current any
		different         bool
	}{
		{"the experiment", s.Name, x.Name, s.Name != x.Name},
		{"the horizon", s.Horizon, x.Horizon, !slices.Equal(s.Horizon, x.Horizon)},
		{"the number of replicates", s.Replicates, x.Replicates, s.Replicates != x.Replicates},
		{"the window", s.Window, x.Window, s.Window != x.Window},
		{"the confidence", s.Confidence, x.Confidence, s.Confidence != x.Confidence},
	} {
		if c.different {
			return fmt.Errorf("%s is %v where the reference has %v", c.what, c.current, c.recorded)
		}
	}
	return nil
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
	return command + c.Flags
}
