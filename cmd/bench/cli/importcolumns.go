package cli

import (
	"fmt"
	"slices"

	"ocobench/harness/experiment/spec"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

// findColumns returns the positions of the columns that a flag names.
func findColumns(s *input.Sheet, flag string, names []string) (at []int, err error) {
	for _, name := range names {
		k, ok := s.At(name)
		switch {
		case !ok:
			err := spec.Unknown("column", name, visible(s), spec.Pos{File: s.Name, Line: 1, Column: 1})
			return nil, fmt.Errorf("--%s: %w", flag, err)
		case slices.Contains(at, k):
			return nil, fmt.Errorf("--%s: the column %q comes twice", flag, name)
		}
		at = append(at, k)
	}
	return at, nil
}

// columnChoice is the value of a flag that names columns.
type columnChoice struct {
	flag  string
	names []string
}

// importColumns makes rounds of columns: at most one that the flag one names, and those that the
// flag many names, by default all others.
func (f *importFlags) importColumns(e *env, name string, one, many columnChoice,
	kind recorded.Kind) error {
	s, err := f.open(f.File, "round")
	if err != nil {
		return err
	}
	defer s.Close()
	ignored, err := findColumns(s, "ignore", f.Ignore)
	if err != nil {
		return err
	}
	target, err := findColumns(s, one.flag, one.names)
	if err != nil {
		return err
	}
	others, err := findColumns(s, many.flag, many.names)
	if err != nil {
		return err
	}
	named := len(others) > 0
	if !named {
		others = s.Rest(slices.Concat(ignored, target)...)
	}
	for i, k := range target {
		if slices.Contains(others, k) {
			return fmt.Errorf("--%s: the column %q is the %s", many.flag, one.names[i], one.flag)
		}
	}
	c := recorded.Columns{Own: target, Many: others, Named: named, Reverse: f.Reverse,
		NoTime: slices.Equal(f.Time, []string{"none"})}
	if !c.NoTime {
		if c.Time, err = findColumns(s, "time", f.Time); err != nil {
			return err
		}
	}
	c.Others = s.Rest(slices.Concat(ignored, target, others)...)
	r, err := kind.Read(s, c)
	if err != nil {
		return err
	}
	return f.writeRounds(e, name, r)
}
