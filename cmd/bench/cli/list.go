package cli

import (
	"bufio"
	"errors"
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/report"
	"ocobench/report/table"
)

// listCmd holds the flags of bench list, which lists algorithms, problems and experiments, or
// describes one in full.
type listCmd struct {
	What   string `arg:"" optional:"" default:"all" help:"algorithms, problems, experiments or all, in a few words each; or the name or SPEC of one, in full; default: all." completes:"algorithms,problems,experiments,all,@algorithm,@problem,@experiment"`
	JSON   bool   `help:"Print JSON, with parameters."`
	Format string `help:"terminal, or latex: the definitions of rounds and updates for the text of an article; default terminal." enum:"terminal,latex" default:"terminal" completes:"terminal,latex" placeholder:"FORMAT"`
	externalFlags
}

// Run implements the verb.
func (c *listCmd) Run(e *env) error {
	l, err := report.List(e.catalog)
	if err != nil {
		return err
	}
	name := c.What
	if u, err := spec.ParseSpec(c.What); err == nil && len(u.Args) > 0 {
		if err := e.checkEntry(u); err != nil {
			return err
		}
		name, *l = u.Name, l.WithParameters(u)
	}
	entries, printPart, err := l.Part(name)
	if err != nil {
		return err
	}
	if c.JSON && c.Format == "latex" {
		return errors.New("--json and --format latex: expected one of them")
	}
	if c.JSON {
		return e.printJSON(entries)
	}
	out := bufio.NewWriter(e.stdout)
	if c.Format == "latex" {
		if err := l.Named(name).WriteLaTeX(out); err != nil {
			return fmt.Errorf("%s: %w", c.What, err)
		}
		return out.Flush()
	}
	printPart(&table.Folded{W: out, Width: e.outputWidth(table.Width)})
	return out.Flush()
}

// checkEntry returns an error unless an algorithm or a problem can have the parameters of a SPEC.
func (e *env) checkEntry(u spec.Use) error {
	_, wrong := e.catalog.ResolveAlgorithms(u)
	if wrong == nil {
		return nil
	}
	if _, known := algorithms.Lookup(e.catalog.Algorithms, u.Name); known {
		return wrong
	}
	_, err := e.catalog.ResolveProblems(u)
	return err
}
