package cli

import (
	"errors"
	"fmt"

	"ocobench/harness/store"
	"ocobench/report"
)

type storePack struct {
	storeFlags
	JSON bool `help:"Print JSON."`
}

// Help implements the verb's help.
func (*storePack) Help() string {
	return `Moves the cells that have files of their own into packs, files of some 256 MB, from
which they are read in place: a file system that many machines share has few files
instead of a million. Runs may go on meanwhile, and an interruption loses nothing.
Packs may be copied from one store to another.`
}

// Run implements the verb.
func (c *storePack) Run(e *env) error {
	w, err := e.open(c.storeFlags)
	if err != nil {
		return err
	}
	s := w.store
	done, err := s.Pack(e.ctx)
	if errors.Is(err, store.ErrLocked) {
		return fmt.Errorf("another process packs %s, or removes from it; nothing is packed", s.Dir())
	}
	if e.ctx.Err() != nil {
		return fmt.Errorf("%w; what is packed stays packed, and the same command continues", errInterrupted)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.stdout, done)
	}
	fmt.Fprintf(e.stdout, "%s, %s MB, moved into packs of %s", plural(done.Cells, "cell"), report.Megabytes(done.Bytes), s.Dir())
	if done.Left > 0 {
		fmt.Fprintf(e.stdout, "; %d not moved, damaged or being computed", done.Left)
	}
	fmt.Fprintln(e.stdout)
	return nil
}
