package claims

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run/process"
	"ocobench/paper"
)

// Choose returns the claim with a name or a number, or all for an empty name.
func Choose(name string) ([]*Claim, error) {
	all := All()
	if name == "" {
		return all, nil
	}
	if k, err := strconv.Atoi(name); err == nil {
		if k < 1 || k > len(all) {
			return nil, fmt.Errorf("no claim %d (expected a number from 1 to %d, or a name)", k, len(all))
		}
		return all[k-1 : k], nil
	}
	c, ok := Lookup(name)
	if !ok {
		var known []string
		for _, c := range all {
			known = append(known, c.Name)
		}
		return nil, spec.Unknown("claim", name, known, spec.Pos{})
	}
	return []*Claim{c}, nil
}

// Experiments returns the given names of experiments, followed by those of the experiments that the
// chosen claims need, each once.
func Experiments(chosen []*Claim, names ...string) []string {
	names = slices.Clone(names)
	for _, c := range chosen {
		for _, name := range c.Experiments {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Judge runs the checks of the chosen claims, several claims at once, and returns the document of
// their verdicts. measured has the analyses of the experiments that checks read, by name. If
// several claims cannot be judged, the error is that of the first one by number.
func Judge(ctx context.Context, c experiment.Catalog, chosen []*Claim,
	measured map[string]*analysis.Analysis, quick bool) (*paper.Document, error) {
	lab := &Lab{Context: ctx, Catalog: c, Quick: quick,
		Experiment: func(name string) (*analysis.Analysis, error) {
			if a := measured[name]; a != nil {
				return a, nil
			}
			return nil, fmt.Errorf("experiment %s is not among those of the claim", name)
		}}
	d := &paper.Document{Kind: Kind, Quick: quick, Entries: make([]paper.Entry, len(chosen))}
	err := process.Each(ctx, len(chosen), func(i int) (err error) {
		d.Entries[i], err = chosen[i].Judge(lab)
		return err
	})
	return d, err
}
