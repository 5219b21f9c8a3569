package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/internal/input"
	"ocobench/report"
	"ocobench/report/page"
)

// reportCmd holds the flags of bench report, which makes a page of a store or of an archive, alone
// or beside another store.
type reportCmd struct {
	Experiment []string `arg:"" optional:"" help:"The experiments; default: all but NAME-tuning and NAME-paper." placeholder:"EXPERIMENT" completes:"@stored"`
	sourceFlags
	Metric   []string `help:"What the page is about; default: the key metrics of each experiment." placeholder:"NAMES" completes:"@metric"`
	Baseline string   `help:"The algorithm that others are compared with; default: that of each experiment." placeholder:"B" completes:"@algorithm"`
	Out      path     `help:"The file; default ${default}." default:"out/index.html" placeholder:"FILE.html"`
	Beside   path     `help:"A store, or an archive of bench export, to compare with." placeholder:"STORE|FILE"`
}

// Run implements the verb.
func (c *reportCmd) Run(e *env) error {
	if filepath.Ext(string(c.Out)) != ".html" {
		return fmt.Errorf("--out: unknown ending of %s (expected .html)", input.Shown(string(c.Out)))
	}
	if err := page.CheckReplaceable(string(c.Out)); err != nil {
		return fmt.Errorf("--out: %w or name another file", err)
	}
	w, err := e.openSource(c.sourceFlags)
	if err != nil {
		return err
	}
	results, damaged, err := w.readResults(c.Experiment)
	if err != nil {
		return err
	}
	for _, r := range results {
		if err := e.setFocus(r, c.Metric, c.Baseline); err != nil {
			return err
		}
	}
	// A file that cannot be written is reported before the curves are fitted, which takes time.
	if err := c.Out.checkWritable("--out"); err != nil {
		return err
	}
	var others []regression.Stored
	if c.Beside != "" {
		if others, err = e.openOther(c.Beside); err != nil {
			return fmt.Errorf("--beside: %w", err)
		}
	}
	var all []page.Item
	for _, r := range results {
		a, err := w.analyse(r)
		if err != nil {
			return err
		}
		all = append(all, page.Item{Analysis: a, Tables: report.Tables(a)})
	}
	if c.Beside != "" {
		if err := c.compareWithOthers(w, results, all, others); err != nil {
			return fmt.Errorf("--beside: %w", err)
		}
	}
	if err := e.writePage(c.Out, all); err != nil {
		return err
	}
	for _, s := range w.archive {
		if slices.ContainsFunc(results, func(r *run.Results) bool { return r.Name == s.Name }) {
			fmt.Fprintln(e.stdout, experimentLine(s))
		}
	}
	for k, item := range all {
		if item.Beside != nil {
			fmt.Fprintln(e.stdout, differenceLine(results[k].Name, item.Beside))
		}
	}
	return w.checkComplete(results, damaged)
}

// experimentLine says what an archive has of an experiment.
func experimentLine(s *regression.Snapshot) string {
	return fmt.Sprintf("%s: %s, %s, seed %d, ocobench %s", s.Name,
		plural(len(s.Analysis.Pairs), "pair"), plural(s.Replicates, "replicate"), s.Seed,
		cmp.Or(regression.ProgramVersions(s.Analysis), s.Program.Version))
}

// differenceLine says how many means of an experiment differ from those of the other store.
func differenceLine(name string, j *regression.Joint) string {
	n := len(j.Differences)
	if n == 0 {
		return name + ": no mean is compared"
	}
	equal, tested, significant := j.Counts(1 - j.Analysis.Experiment.Confidence)
	line := fmt.Sprintf("%s: %d of %d means are equal to the last bit", name, equal, n)
	if tested > 0 {
		line += fmt.Sprintf("; %d of the %d that are tested differ significantly", significant,
			tested)
	}
	if untested := n - equal - tested; untested > 0 {
		line += fmt.Sprintf("; %d are not equal, and not tested", untested)
	}
	return line
}

// compareWithOthers compares each experiment with its counterpart in another store or archive, and
// puts the joint analysis on the page. It warns of experiments that cannot be compared; if none
// can, its error says why.
func (c *reportCmd) compareWithOthers(w *workbench, results []*run.Results, all []page.Item,
	others []regression.Stored) error {
	stores := regression.SourceNames(string(c.Store), string(c.Beside))
	var faults []error
	for k, r := range results {
		joint, err := c.compareWithOne(w.env, w.snapshot(r, all[k].Analysis), others, stores)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all[k].Analysis, all[k].Beside = joint.Analysis, joint
	}
	err := errors.Join(faults...)
	if len(faults) == len(all) || w.ctx.Err() != nil {
		return err
	}
	w.warn(err)
	return nil
}

// compareWithOne compares an experiment with its counterpart.
func (c *reportCmd) compareWithOne(e *env, mine *regression.Snapshot, others []regression.Stored,
	stores [2]string) (*regression.Joint, error) {
	r := mine.Counterpart(others)
	if r == nil {
		return nil, fmt.Errorf("no experiment of %s shares a problem with %s",
			input.Shown(string(c.Beside)), mine.Name)
	}
	other, err := r.Snapshot()
	if err != nil {
		return nil, err
	}
	if a := other.Analysis; a != nil && a.Missing > 0 {
		e.warn(fmt.Errorf("%s lacks %s of experiment %s", input.Shown(string(c.Beside)),
			plural(a.Missing, "cell"), r.Name))
	}
	joint, err := regression.SideBySide(e.ctx, mine, other, stores)
	if err != nil && e.ctx.Err() == nil {
		err = fmt.Errorf("%s: %w", input.Shown(string(c.Beside)), err)
	}
	return joint, err
}
