package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"ocobench/harness/analysis"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/report"
	"ocobench/report/export"
	"ocobench/report/table"
)

type compareCmd struct {
	storeFlags
	externalFlags
	First      string   `arg:"" optional:"" help:"An algorithm of the experiment, by its SPEC, its label, or its name where only one has it." placeholder:"A" completes:"@algorithm"`
	Second     string   `arg:"" optional:"" help:"The algorithm that it is compared with." placeholder:"B" completes:"@algorithm"`
	Experiment string   `help:"The experiment in the store. Default: the only one." placeholder:"NAME" completes:"@stored"`
	Baseline   string   `help:"The algorithm that the others are compared with, named as A is. Default: that of the experiment, else your own (of another program, of a file of actions, or of a module), else the first." placeholder:"B" completes:"@algorithm"`
	Metric     []string `help:"The metrics that are compared with the baseline, as bench export names them; default: those that a run shows, or that the experiment names. Of two algorithms: the regret and the violation that they are compared by." placeholder:"NAMES" completes:"@metric"`
	All        bool     `help:"Of two algorithms, show all problems; with a baseline, show the differences on each problem."`
	JSON       bool     `help:"Print JSON."`
	Benchstat  path     `help:"Also write Go benchmark lines for benchstat, those of the baseline first." placeholder:"FILE.txt"`
}

// Run implements the verb.
func (c *compareCmd) Run(e *env) error {
	if c.First != "" {
		return c.two(e)
	}
	metrics, err := metricsOfPlay("metric", c.Metric,
		func(m game.Metric) bool { return m.Exported })
	if err != nil {
		return err
	}
	w, err := e.open(c.storeFlags)
	if err != nil {
		return err
	}
	r, damaged, err := w.only(c.Experiment)
	if err != nil {
		return err
	}
	if err := asked("metric", metrics, r); err != nil {
		return err
	}
	baseline, err := c.baseline(e, r)
	if err == nil {
		err = c.Benchstat.ready("--benchstat")
	}
	if err != nil {
		return err
	}
	if c.Metric == nil {
		a, err := w.analyse(r)
		if err != nil {
			return err
		}
		metrics = a.Comparison.Metrics // so that a run and this verb test the same family
	}
	end := e.stage("%s: comparing", r.Name)
	comparison, err := analysis.Compare(e.ctx, r, baseline, metrics)
	end()
	if err != nil {
		return err
	}
	if c.Benchstat != "" {
		err := c.Benchstat.write("--benchstat",
			func(w io.Writer) error { return export.Against(w, r, baseline, metrics) })
		if err != nil {
			return err
		}
	}
	if err := c.print(w, r, comparison); err != nil {
		return err
	}
	if r.Missing == 0 && damaged != nil {
		return &failedError{errDamagedRecords}
	}
	return whole(r)
}

// baseline returns the SPEC of the algorithm that the others are compared with.
func (c *compareCmd) baseline(e *env, r *run.Results) (string, error) {
	if len(r.Algorithms) < 2 {
		return "", fmt.Errorf("experiment %s has one algorithm, %s, and no other to compare with it",
			r.Name, r.Algorithms[0].Spec)
	}
	if c.Baseline == "" {
		return analysis.BaselineOf(r.Record), nil
	}
	return e.baseline(c.Baseline, r)
}

// print prints the ranking beside a comparison, and the comparison with its warnings if that is
// asked for.
func (c *compareCmd) print(w *workbench, r *run.Results,
	comparison *analysis.BaselineTable) error {
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(report.VersusJSON(analysis.Describe(r), r.Last(),
			comparison))
	}
	a, err := w.analyse(r)
	if err == nil {
		err = w.show(report.Ranking(a, comparison), table.Width)
	}
	if err != nil || !c.All {
		return err
	}
	fmt.Fprintln(w.stdout)
	err = w.show(report.Versus(a, comparison), 0)
	if err == nil {
		w.warn(comparison.Warnings())
	}
	return err
}
