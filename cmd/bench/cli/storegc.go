package cli

import (
	"fmt"

	"ocobench/harness/run"
	"ocobench/harness/store"
	"ocobench/internal/input"
	"ocobench/report"
)

// storeGc holds the flags of bench store gc, which removes garbage: cells, failures and analyses
// that no experiment in the store refers to, and files that killed writers left.
type storeGc struct {
	storeFlags
	removal
}

// Run implements the verb.
func (c *storeGc) Run(e *env) error {
	s, release, err := c.openLocked(c.storeFlags)
	if err != nil {
		return err
	}
	defer release()
	inventory, err := run.ListStore(s, run.ReadNoCells)
	if err != nil {
		return err
	}
	garbage, err := inventory.Garbage()
	if err != nil {
		return err
	}
	if err := c.printGarbage(e, garbage); err != nil {
		return err
	}
	if c.Yes {
		return garbage.Remove(s)
	}
	if len(garbage.Cells)+len(garbage.Files) > 0 {
		c.printHint(e)
	}
	return nil
}

// printGarbage names what is removed or, without --yes, would be.
func (c *storeGc) printGarbage(e *env, garbage run.Garbage) error {
	if c.JSON {
		keys := []store.Key{}
		for _, cell := range garbage.Cells {
			keys = append(keys, cell.Key)
		}
		return e.printJSON(struct {
			Removed bool         `json:"removed"`
			Cells   []store.Key  `json:"cells"`
			Files   []store.File `json:"files"`
			Bytes   int64        `json:"bytes"`
		}{c.Yes, keys, append([]store.File{}, garbage.Files...), garbage.Bytes()})
	}
	for _, cell := range garbage.Cells {
		fmt.Fprintf(e.stdout, "%s: cell %s, %d bytes, of %s\n", c.verbText(), cell.Key, cell.Bytes,
			report.Day(&cell.Time))
	}
	for _, f := range garbage.Files {
		fmt.Fprintf(e.stdout, "%s: %s, %d bytes, of %s\n", c.verbText(), input.Shown(f.Path), f.Bytes,
			report.Day(&f.Time))
	}
	fmt.Fprintf(e.stdout, "%s and %s, %s MB\n", plural(len(garbage.Cells), "cell"),
		plural(len(garbage.Files), "other file"), report.Megabytes(garbage.Bytes()))
	return nil
}
