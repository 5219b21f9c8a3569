package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/store"
)

// Recorded returns the names of the experiments of a store. Unread joins the errors of
// records that cannot be read. It is an error if there are neither names nor such records.
func Recorded(s *store.Store) (names []string, unread, err error) {
	records, unread := s.Experiments()
	for _, r := range records {
		names = append(names, r.Name)
	}
	if names == nil && unread == nil {
		err = fmt.Errorf("no results in %s; run an experiment first, such as: bench run frequency",
			s.Dir())
	}
	return names, unread, err
}

// LoadExperiments reads the results of the experiments of these names, or of all that are not
// [IsInternal]. Damaged joins the errors of those that cannot be read, where there are others.
func LoadExperiments(s *store.Store, names []string) (all []*Results, damaged, err error) {
	known, unread, err := Recorded(s)
	if err != nil && len(names) == 0 {
		return nil, nil, err
	}
	var faults []error
	var loaded []string // the names under which the results in all were read
	if len(names) == 0 {
		names = slices.DeleteFunc(slices.Clone(known), IsInternal)
		faults = append(faults, unread)
	}
	for k, name := range names {
		if slices.Contains(names[:k], name) {
			continue
		}
		// A name that the store does not know is mistyped, not damaged.
		if _, err := s.Experiment(name); errors.Is(err, store.ErrNotFound) && len(known) > 0 {
			return nil, nil, spec.Unknown("experiment", name, known, spec.Pos{})
		}
		r, err := LoadExperiment(s, name)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		// Two names may have one record: a copied file, or a file system that ignores case.
		sameName := func(other *Results) bool { return other.Name == r.Name }
		if i := slices.IndexFunc(all, sameName); i >= 0 {
			return nil, nil, fmt.Errorf("%s and %s are both of experiment %s; name one of them", loaded[i],
				name, r.Name)
		}
		all, loaded = append(all, r), append(loaded, name)
	}
	damaged = errors.Join(faults...)
	switch {
	case len(all) == 0 && damaged != nil:
		return nil, nil, damaged
	case len(all) == 0:
		return nil, nil, fmt.Errorf("%s has nothing but what bench tune, claims and paper played; name "+
			"some of %s", s.Dir(), strings.Join(known, ", "))
	}
	return all, damaged, nil
}

// LoadOnly reads the results of the only experiment of a store. Experiments that are [IsInternal],
// and then those without algorithms, are left out if others remain. Damaged joins the errors of
// records that cannot be read.
func LoadOnly(s *store.Store) (r *Results, damaged, err error) {
	names, damaged, err := Recorded(s)
	switch {
	case err != nil:
		return nil, nil, err
	case names == nil:
		return nil, nil, damaged
	}
	leaveOut := func(unwanted func(name string) bool) {
		if left := slices.DeleteFunc(slices.Clone(names), unwanted); len(left) > 0 {
			names = left
		}
	}
	leaveOut(IsInternal)
	leaveOut(func(name string) bool {
		r, err := LoadRecord(s, name)
		return err == nil && len(r.Algorithms) == 0
	})
	if len(names) > 1 {
		return nil, nil, fmt.Errorf("there are several experiments in %s; name one with --experiment "+
			"(one of %s)", s.Dir(), strings.Join(names, ", "))
	}
	r, err = LoadExperiment(s, names[0])
	return r, damaged, err
}
