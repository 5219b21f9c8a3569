package cli

import (
	"fmt"
	"slices"

	"ocobench/harness/experiment/spec"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

// find returns the positions of the columns that a flag names.
func find(s *input.Sheet, flag string, names []string) (at []int, err error) {
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

// picked is a flag that names columns.
type picked struct {
	flag  string
	names []string
}

// run makes rounds of the columns that the flag one names, of which there is one or none,
// and of those of the flag many, by default all others.
func (f *importFlags) run(e *env, name string, one, many picked, kind recorded.Kind) error {
	s, err := f.open(f.File, "round")
	if err != nil {
		return err
	}
	defer s.Close()
	ignored, err := find(s, "ignore", f.Ignore)
	if err != nil {
		return err
	}
	target, err := find(s, one.flag, one.names)
	if err != nil {
		return err
	}
	others, err := find(s, many.flag, many.names)
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
		if c.Time, err = find(s, "time", f.Time); err != nil {
			return err
		}
	}
	c.Others = s.Rest(slices.Concat(ignored, target, others)...)
	r, err := kind.Read(s, c)
	if err != nil {
		return err
	}
	return f.write(e, name, r)
}
