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
		return fmt.Errorf("%w; what is packed stays packed, and the same command continues",
			errInterrupted)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(e.stdout, done)
	}
	fmt.Fprintf(e.stdout, "%s, %s MB, moved into packs of %s", plural(done.Cells, "cell"),
		report.Megabytes(done.Bytes), s.Dir())
	if done.Left > 0 {
		fmt.Fprintf(e.stdout, "; %d not moved, damaged or being computed", done.Left)
	}
	fmt.Fprintln(e.stdout)
	return nil
}
