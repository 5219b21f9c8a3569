package cli

import (
	"fmt"
	"strings"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/experiments"
	"ocobench/harness/run"
)

// defaultCmd holds the flags of bench without a verb, which runs the default experiments.
type defaultCmd struct{ runFlags }

// Run implements the verb.
func (c *defaultCmd) Run(e *env) error {
	var all []*spec.Experiment
	for _, name := range experiments.Default {
		x, err := experiments.Read(name)
		if err != nil {
			return err
		}
		if err := c.setFocus(x); err != nil {
			return err
		}
		all = append(all, x)
	}
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	if _, err := c.reportOptions(); err != nil {
		return err
	}
	if err := c.checkWritable(all[0]); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s: games, fits, figures, page; about ten seconds on two cores\n",
		strings.Join(experiments.Default, ", "))
	return w.runAll(all, &c.outputFlags)
}

// runCmd holds the flags of bench run, which runs an experiment and writes its tables and figures.
type runCmd struct {
	runFlags
	experimentFlags
	Shard    shard `help:"Compute the I-th of N parts, without tables; env for I: that of a Slurm array or Kubernetes Job." placeholder:"I/N"`
	NoReport bool  `help:"Compute the cells alone, without tables, figures and page."`
	Explain  bool  `help:"Say what would be computed, in what time and memory, and which pairs are not played."`
	Fresh    bool  `help:"Compute also the cells that the store has."`
}

// Run implements the verb.
func (c *runCmd) Run(e *env) error {
	x, err := c.loadExperiment()
	if err == nil {
		err = c.setFocus(x)
	}
	if err != nil {
		return err
	}
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return err
	}
	defer w.host.Close()
	w.options.Fresh, w.options.Shard, w.options.Shards = c.Fresh, c.Shard.i, c.Shard.n
	switch {
	case c.Explain:
		return c.explainRun(w, x)
	case c.Shard.n > 1 || c.NoReport:
		return c.computeCells(w, x)
	}
	return w.runAll([]*spec.Experiment{x}, &c.outputFlags)
}

// computeCells computes the cells of an experiment, or of a shard of it, and writes no tables.
func (c *runCmd) computeCells(w *workbench, x *spec.Experiment) error {
	if _, err := c.reportOptions(); err != nil {
		return err
	}
	plan, err := w.planExperiment(x)
	if err != nil {
		return err
	}
	w.printBeforePlay(plan)
	p, err := w.computeCells(plan)
	if err != nil {
		return adviseInterrupted(err, finishedCellsStored)
	}
	part := ""
	if c.Shard.n > 0 {
		part = fmt.Sprintf("part %d of %d: ", c.Shard.i, c.Shard.n)
	}
	fmt.Fprintf(w.stderr, "%s: %s%s\n", x.Name, part, p.countsText(w.store))
	return p.failedCells("; finished cells are stored")
}

// explainRun prints what the run would compute, in what time and memory, and which pairs it would
// not play.
func (c *runCmd) explainRun(w *workbench, x *spec.Experiment) error {
	plan, err := w.planExperiment(x)
	if err == nil {
		err = run.CheckRecord(plan, w.store)
	}
	if err != nil {
		return err
	}
	estimate := run.EstimateRun(w.ctx, plan, w.store, w.options, anyRounds)
	printEstimate(w.stdout, x.Name, estimate)
	if err := estimate.CheckMemory(); err != nil {
		return fmt.Errorf("%s: %w", x.Name, err)
	}
	printOthers(w.stdout, plan)
	w.printUnmetPairs(plan)
	w.warn(run.HorizonWarnings(plan, x.Horizon))
	if err := w.ctx.Err(); err != nil || c.Shard.n > 1 || c.NoReport {
		return err
	}
	return w.explainFitting(plan, estimate.Found < estimate.Cells)
}
