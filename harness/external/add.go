package external

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

// Given describes what a command line adds to a catalog: a program, by its command, or files of
// actions.
type Given struct {
	Name    string
	Flag    string   // the flag with its value, such as --external NAME=COMMAND, for the entry
	Command []string // nil for files of actions
	File    string   // of actions: see [ReadActions]
}

// AddAll adds what is given to a catalog, whose slices it copies. It returns the programs in the
// order in which they are given, and a function that ends them. After an error, which begins with
// the flag, none of them runs.
func AddAll(ctx context.Context, c *experiment.Catalog, given []Given, o Options) (all []*Program,
	end func(), err error) {
	end = func() {
		for _, p := range all {
			p.Close()
		}
	}
	c.Algorithms, c.Problems = slices.Clone(c.Algorithms), slices.Clone(c.Problems)
	for _, g := range given {
		var p *Program
		if o.Flag = g.Flag; g.Command == nil {
			err = AddActions(c, g.Name, g.File, g.Flag)
		} else if p, err = Add(ctx, c, g.Name, g.Command, o); err == nil {
			all = append(all, p)
		}
		if err != nil {
			end()
			flag, _, _ := strings.Cut(g.Flag, " ")
			return nil, nil, fmt.Errorf("%s: %w", flag, err)
		}
	}
	return all, end, nil
}

// Add starts the program of a command, see [Start], and appends its entry to a list of the catalog,
// whose array no other catalog may share. The name must not be taken.
func Add(
	ctx context.Context, c *experiment.Catalog, name string, command []string, o Options,
) (*Program, error) {
	p, err := Start(ctx, name, command, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	kind, taken := "algorithm", false
	if problem, ok := p.Problem(); ok {
		kind = "problem"
		_, taken = problems.Lookup(c.Problems, name)
		c.Problems = append(c.Problems, problem)
	} else {
		_, taken = algorithms.Lookup(c.Algorithms, name)
		c.Algorithms = append(c.Algorithms, p.Algorithm())
	}
	if taken {
		p.Close()
		return nil, fmt.Errorf("there is another %s %s; give this one another name", kind, name)
	}
	return p, nil
}

// AddActions reads files of actions, see [ReadActions], and appends their entry, with the flag that
// gave it, to the algorithms of the catalog, whose array no other catalog may share. The name must
// not be taken.
func AddActions(c *experiment.Catalog, name, file, flag string) error {
	if _, taken := algorithms.Lookup(c.Algorithms, name); taken {
		return fmt.Errorf("there is another algorithm %s; give this one another name", name)
	}
	a, err := ReadActions(name, file)
	a.Flag = flag
	if err == nil {
		c.Algorithms = append(c.Algorithms, a)
	}
	return err
}
