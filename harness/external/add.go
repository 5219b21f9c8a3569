package external

import (
	"context"
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/problems"
)

// Add starts the program of a command, see [Start], and adds its entry to a catalog, whose
// slices are the caller's own. The name must not be taken.
func Add(
	ctx context.Context, c *harness.Catalog, name string, command []string, o Options,
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

// AddActions reads files of actions, see [ReadActions], and adds their entry to a catalog,
// whose slices are the caller's own. The name must not be taken. The flag is that of the entry.
func AddActions(c *harness.Catalog, name, file, flag string) error {
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
