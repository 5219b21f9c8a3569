package cli

import (
	"fmt"

	"ocobench/harness/run"
	"ocobench/report"
	"ocobench/report/table"
)

// storeCmd holds the verbs of bench store.
type storeCmd struct {
	Ls   storeLs   `cmd:"" help:"List the experiments of a store, and what no experiment refers to."`
	Show storeShow `cmd:"" help:"Show a cell."`
	Rm   storeRm   `cmd:"" help:"Remove the records of experiments."`
	Gc   storeGc   `cmd:"" help:"Remove what no experiment refers to."`
	Pack storePack `cmd:"" help:"Move cells from files of their own into large ones."`
}

// storeLs holds the flags of bench store ls, which lists the experiments of a store.
type storeLs struct {
	Experiment []string `arg:"" optional:"" help:"The experiments; default: all but NAME-tuning and NAME-paper." placeholder:"EXPERIMENT" completes:"@stored"`
	storeFlags
	JSON  bool `help:"Print JSON."`
	Check bool `help:"Read every cell, and name those that are damaged."`
}

// Run implements the verb.
func (c *storeLs) Run(e *env) error {
	s, err := c.openStore()
	if err != nil {
		return err
	}
	depth := run.ReadHeads
	if c.Check {
		depth = run.ReadCells
	}
	inventory, err := run.ListStore(s, depth)
	if err != nil {
		return err
	}
	e.warn(inventory.Unread)
	if err := c.selectExperiments(inventory); err != nil {
		return err
	}
	if c.JSON {
		err = e.printJSON(inventory)
	} else {
		err = e.printInventory(s.Dir(), inventory)
	}
	switch {
	case err != nil:
		return err
	case len(inventory.Damaged) > 0:
		return &failedError{fmt.Errorf("damaged cells and packs: %d; run the experiments again to set "+
			"them aside and replace them", len(inventory.Damaged))}
	case inventory.Unread != nil:
		return &failedError{errDamagedRecords}
	}
	return nil
}

// selectExperiments removes the experiments that the flags do not choose from the inventory. JSON
// without names keeps all of them, since it says which are internal.
func (c *storeLs) selectExperiments(h *run.Inventory) error {
	var known []string
	for _, experiment := range h.Experiments {
		known = append(known, experiment.Name)
	}
	if err := checkKnown("EXPERIMENT", "experiment", known, c.Experiment...); err != nil {
		return err
	}
	if !c.JSON || c.Experiment != nil {
		h.Choose(c.Experiment)
	}
	return nil
}

// printInventory prints what a store has.
func (e *env) printInventory(dir string, h *run.Inventory) error {
	if t := report.InventoryTable(h); len(t.Rows) > 0 {
		if err := e.printTable(t, table.Width); err != nil {
			return err
		}
	}
	for _, line := range report.InventoryLines(dir, h) {
		fmt.Fprintln(e.stdout, line)
	}
	return nil
}

// storeShow holds the flags of bench store show, which shows a cell.
type storeShow struct {
	Key string `arg:"" help:"The key of the cell, or its first digits." placeholder:"KEY"`
	storeFlags
	JSON bool `help:"Print JSON, with all rows."`
}

// Run implements the verb.
func (c *storeShow) Run(e *env) error {
	s, err := c.openStore()
	if err != nil {
		return err
	}
	key, err := run.FindKey(s, c.Key)
	if err != nil {
		return err
	}
	cell, err := s.Get(key)
	if err != nil {
		return &failedError{err}
	}
	references, unread := run.References(s, key)
	e.warn(unread)
	shown := report.Cell{Key: key, Cell: cell, Experiments: references}
	if c.JSON {
		return e.printJSON(shown)
	}
	return shown.Write(e.stdout)
}
