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
		if g.Command == nil {
			err = AddActions(c, g.Name, g.File, g.Flag)
		} else {
			var p *Program
			o.Flag = g.Flag
			if p, err = Add(ctx, c, g.Name, g.Command, o); err == nil {
				all = append(all, p)
			}
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
	if problem, ok := p.Problem(); ok {
		if _, taken := problems.Lookup(c.Problems, name); taken {
			p.Close()
			return nil, nameTaken("problem", name)
		}
		c.Problems = append(c.Problems, problem)
		return p, nil
	}
	if _, taken := algorithms.Lookup(c.Algorithms, name); taken {
		p.Close()
		return nil, nameTaken("algorithm", name)
	}
	c.Algorithms = append(c.Algorithms, p.Algorithm())
	return p, nil
}

// nameTaken returns the error of an entry whose name another entry of its kind has.
func nameTaken(kind, name string) error {
	return fmt.Errorf("there is another %s %s; give this one another name", kind, name)
}

// AddActions reads files of actions, see [ReadActions], and appends their entry, with the flag that
// gave it, to the algorithms of the catalog, whose array no other catalog may share. The name must
// not be taken.
func AddActions(c *experiment.Catalog, name, file, flag string) error {
	if _, taken := algorithms.Lookup(c.Algorithms, name); taken {
		return nameTaken("algorithm", name)
	}
	a, err := ReadActions(name, file)
	if err != nil {
		return err
	}
	a.Flag = flag
	c.Algorithms = append(c.Algorithms, a)
	return nil
}
