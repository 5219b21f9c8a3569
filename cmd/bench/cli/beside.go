package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// maxArchive is the largest file that is read as an archive.
const maxArchive = 256 << 20

// readBeside reads the analyses of what something is shown beside: path is the directory
// of a store, whose experiments it analyses, or a file of bench export --archive. If all
// of the names are there it returns those experiments, and else all but what bench tune
// played, so that one can be found that is like what is sought. Errors name the path.
func readBeside(ctx context.Context, catalog harness.Catalog, path string, names ...string) ([]*analysis.Analysis, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return readArchive(path, names)
	}
	if errors.Is(err, os.ErrNotExist) { // which a store may not be yet
		return nil, fmt.Errorf("there is no store and no archive %s", input.Shown(path))
	}
	s, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	records, damaged := s.Experiments()
	var known []string
	for _, r := range records {
		known = append(known, r.Name)
	}
	var all []*analysis.Analysis
	for _, name := range wanted(known, names) {
		r, err := harness.LoadExperiment(s, name)
		if err != nil {
			return nil, err
		}
		a, err := analysis.Of(ctx, catalog, r)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	switch {
	case len(all) == 0 && damaged != nil:
		return nil, damaged
	case len(all) == 0:
		return nil, fmt.Errorf("no results in %s; run an experiment with --store %[1]s first", s.Dir())
	}
	return all, nil
}

// readArchive reads the experiments that readBeside returns from a file.
func readArchive(path string, names []string) ([]*analysis.Analysis, error) {
	f, err := input.Open(path, maxArchive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input.Shown(path), err)
	}
	defer f.Close()
	all, err := analysis.ReadArchive(f)
	if err != nil {
		return nil, fmt.Errorf("%s %w", input.Shown(path), err)
	}
	var known []string
	for _, a := range all {
		known = append(known, a.Experiment.Name)
	}
	some := wanted(known, names)
	all = slices.DeleteFunc(all, func(a *analysis.Analysis) bool { return !slices.Contains(some, a.Experiment.Name) })
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no experiment but what bench tune played", input.Shown(path))
	}
	return all, nil
}

// wanted returns the names of what is sought if all of that is known, and else those of
// all that is known but for what bench tune played.
func wanted(known, names []string) []string {
	unknown := func(name string) bool { return !slices.Contains(known, name) }
	if len(names) > 0 && !slices.ContainsFunc(names, unknown) {
		return names
	}
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool { return strings.HasSuffix(name, harness.TuningSuffix) })
}
