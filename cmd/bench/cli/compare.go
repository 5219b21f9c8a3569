package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"ocobench/harness/analysis"
	"ocobench/harness/game"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/export"
	"ocobench/report/table"
)

// compareCmd holds the flags of bench compare, which compares two named algorithms, or all of an
// experiment with a baseline.
type compareCmd struct {
	sourceFlags
	externalFlags
	First      string   `arg:"" optional:"" help:"An algorithm by SPEC, label or unique name." placeholder:"A" completes:"@algorithm"`
	Second     string   `arg:"" optional:"" help:"The algorithm that it is compared with." placeholder:"B" completes:"@algorithm"`
	Experiment string   `help:"The experiment in the store; default: the only one." placeholder:"NAME" completes:"@stored"`
	Baseline   string   `help:"The algorithm that others are compared with; default: the experiment's, your own, or the first." placeholder:"B" completes:"@algorithm"`
	Metric     []string `help:"The metrics, of two algorithms a regret and a violation; default: those of the experiment." placeholder:"NAMES" completes:"@metric"`
	All        bool     `help:"Show all problems, with the differences."`
	JSON       bool     `help:"Print JSON."`
	tableFlags
	Benchstat path `help:"Also write lines for benchstat, those of the baseline first." placeholder:"FILE.txt"`
}

// Run implements the verb.
func (c *compareCmd) Run(e *env) error {
	format, err := c.tableFormat()
	if err == nil && c.JSON && (c.Format != "" || c.Out != "") {
		err = errors.New("--json, --format, --out: JSON is printed; choose one")
	}
	if err != nil {
		return err
	}
	if c.First != "" {
		return c.compareTwo(e, format)
	}
	metrics, err := metricsOfPlay(c.Metric,
		func(m game.Metric) bool { return m.Exported })
	if err != nil {
		return err
	}
	w, r, damaged, err := e.openResults(c.sourceFlags, c.Experiment, metrics...)
	if err != nil {
		return err
	}
	baseline, err := c.chosenBaseline(e, r)
	if err == nil {
		err = c.Benchstat.checkWritable("--benchstat")
	}
	if err == nil {
		err = c.Out.checkWritable("--out")
	}
	if err != nil {
		return err
	}
	a, err := w.analyse(r)
	if err != nil {
		return err
	}
	comparisons := a.Comparisons
	if c.Metric != nil {
		end := e.showStage("%s: comparing", r.Name)
		comparisons, err = a.Compare(e.ctx, metrics)
		end()
		if err != nil {
			return err
		}
	}
	comparisons = comparisons.Against(baseline)
	if len(comparisons.Rows) == 0 {
		return fmt.Errorf("no problem of experiment %s was played by %s and another algorithm", r.Name,
			baseline)
	}
	if c.Benchstat != "" {
		err := c.Benchstat.writeFile("--benchstat",
			func(w io.Writer) error { return export.Against(w, r, baseline, comparisons.Metrics) })
		if err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = json.NewEncoder(w.stdout).Encode(report.ComparisonsJSON(a, comparisons))
	case format.Values:
		err = c.writeTables(e, format, []*table.Table{report.ComparisonValues(a, comparisons)})
	default:
		tables := []*table.Table{report.RankingTable(a, baseline)}
		if c.All {
			tables = append(tables, report.BaselineTable(a, baseline, comparisons))
			w.warn(report.ComparisonWarnings(comparisons))
		}
		err = c.writeTables(e, format, c.setTitles(tables))
	}
	if err != nil {
		return err
	}
	if r.Missing == 0 && damaged != nil {
		return &failedError{errDamagedRecords}
	}
	return checkOneComplete(r)
}

// chosenBaseline returns the SPEC of the algorithm that the others are compared with.
func (c *compareCmd) chosenBaseline(e *env, r *run.Results) (string, error) {
	if len(r.Algorithms) < 2 {
		return "", fmt.Errorf("experiment %s has one algorithm, %s, and no other to compare with it",
			r.Name, r.Algorithms[0].Spec)
	}
	if c.Baseline == "" {
		return analysis.BaselineOf(r.Record), nil
	}
	return e.baselineSpec(c.Baseline, r)
}

// compareTwo compares the two algorithms that are named.
func (c *compareCmd) compareTwo(e *env, format table.Format) error {
	switch {
	case c.Second == "":
		return fmt.Errorf("name two algorithms; one is named: %s (--baseline NAME compares all with it)",
			input.Shown(c.First))
	case c.Baseline != "" || c.Benchstat != "":
		return errors.New("--baseline, --benchstat: two algorithms are named, and there is no baseline")
	}
	w, r, _, err := e.openResults(c.sourceFlags, c.Experiment)
	if err != nil {
		return err
	}
	var specs [2]string
	for k, text := range []string{c.First, c.Second} {
		if specs[k], err = e.catalog.NamedAlgorithm(text, r.Record); err != nil {
			return err
		}
	}
	if specs[0] == specs[1] {
		return fmt.Errorf("%s and %s are the same algorithm of experiment %s", input.Shown(c.First),
			input.Shown(c.Second), r.Name)
	}
	if err := e.setFocus(r, c.Metric, ""); err != nil {
		return err
	}
	a, err := w.analyse(r)
	if err != nil {
		return err
	}
	if err := c.Out.checkWritable("--out"); err != nil {
		return err
	}
	switch {
	case c.JSON:
		err = json.NewEncoder(e.stdout).Encode(report.PairwiseJSON(a, specs[0], specs[1]))
	case format.Values:
		rows := report.Between(a, specs[0], specs[1])
		err = c.writeTables(e, format, []*table.Table{report.ComparisonValues(a, rows)})
	default:
		one := report.PairwiseTable(a, specs[0], specs[1], c.All)
		err = c.writeTables(e, format, c.setTitles([]*table.Table{one}))
	}
	if err != nil {
		return err
	}
	return checkOneComplete(r)
}
