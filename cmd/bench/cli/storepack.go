package cli

import (
	"fmt"

	"ocobench/report"
)

// storePack holds the flags of bench store pack, which moves cells from files of their own into
// large ones.
type storePack struct {
	storeFlags
	exclusive
	JSON bool `help:"Print JSON."`
}

// Run implements the verb.
func (c *storePack) Run(e *env) error {
	s, err := c.openStore()
	if err != nil {
		return err
	}
	release, err := c.lockStore(s, "packed")
	if err != nil {
		return err
	}
	defer release()
	done, err := s.Pack(e.ctx)
	if e.ctx.Err() != nil {
		return fmt.Errorf("%w; what is packed stays packed, and the same command continues",
			errInterrupted)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return e.printJSON(done)
	}
	fmt.Fprintf(e.stdout, "%s, %s MB, moved into packs of %s", plural(done.Cells, "cell"),
		report.Megabytes(done.Bytes), s.Dir())
	if done.Damaged > 0 {
		fmt.Fprintf(e.stdout, "; %d damaged, not moved", done.Damaged)
	}
	fmt.Fprintln(e.stdout)
	return nil
}
