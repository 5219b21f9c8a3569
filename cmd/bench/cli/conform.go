package cli

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"ocobench/harness/conform"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/store"
	"ocobench/report"
	"ocobench/report/table"
)

// conformCmd holds the flags of bench conform, which checks the laws that every algorithm and every
// problem keeps.
type conformCmd struct {
	Specs []use    `arg:"" optional:"" name:"spec" help:"Algorithms and problems; default: those of --external." completes:"@algorithm,@problem"`
	Law   []string `help:"Check this law only; repeatable." placeholder:"NAME" sep:"none"`
	JSON  bool     `help:"Print JSON."`
	externalFlags
}

// externals marks the programs as forgetful, since the laws themselves compare two runs of a
// program.
func (c *conformCmd) externals() *externalFlags {
	c.forgetful = true
	return &c.externalFlags
}

// Run implements the verb.
func (c *conformCmd) Run(e *env) error {
	entries, err := c.testedEntries(e)
	if err != nil {
		return err
	}
	var all []conform.Result
	for _, s := range entries {
		r, err := c.testEntry(e, s)
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	if c.JSON {
		err = e.printJSON(struct {
			Entries    []conform.Result `json:"entries"`
			Provenance store.Provenance `json:"provenance"`
		}{all, store.CurrentProvenance()})
	}
	faults, failed := conform.Faults(all)
	if err != nil || len(faults) == 0 {
		return err
	}
	err = fmt.Errorf("%s broken: %s", plural(len(faults), "law"), strings.Join(faults, ", "))
	if failed {
		return &failedError{err}
	}
	return &regressionError{err}
}

// namedEntries implements [entryNamer].
func (c *conformCmd) namedEntries(*env) (all []spec.Use, err error) {
	for _, u := range c.Specs {
		all = append(all, u.Use)
	}
	return all, nil
}

// testedEntries returns the entries to check, each with its laws.
func (c *conformCmd) testedEntries(e *env) ([]conform.TestedEntry, error) {
	uses, _ := c.namedEntries(e)
	all, err := conform.ResolveEntries(e.catalog, e.programs, uses...)
	if err != nil {
		return nil, err
	}
	if all, err = conform.Only(all, c.Law); err != nil {
		err = fmt.Errorf("--law: %w", err)
	}
	return all, err
}

// testEntry tests the laws of an entry, says of a law that takes a while which one it is, and
// prints each verdict as soon as it is known. A law that does not apply is printed only if the
// command line names it.
func (c *conformCmd) testEntry(e *env, entry conform.TestedEntry) (conform.Result, error) {
	tested := 0
	begin := func(law string) (end func()) {
		tested++
		return e.showStage("%s %s: law %s, %d of %d", entry.Kind, entry.Spec, law, tested,
			len(entry.Laws))
	}
	lines := bufio.NewWriter(e.stdout)
	if c.JSON {
		lines.Reset(io.Discard)
	}
	fmt.Fprintf(lines, "%s %s\n", entry.Kind, entry.Spec)
	r, err := entry.Test(begin, func(v conform.Verdict) error {
		if e.ctx.Err() != nil {
			return errInterrupted
		}
		if v.Verdict == conform.Skipped && len(c.Law) == 0 {
			return nil // it is counted
		}
		report.WriteLawVerdict(v, &table.Folded{W: lines, Width: e.outputWidth(math.MaxInt)})
		return lines.Flush()
	})
	if err != nil {
		return r, err
	}
	report.WriteUndeclared(r, &table.Folded{W: lines, Width: e.outputWidth(math.MaxInt)})
	report.WriteLawCounts(r, lines)
	return r, lines.Flush()
}
