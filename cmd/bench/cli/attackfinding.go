package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"ocobench/harness/attack"
	"ocobench/harness/experiments"
	"ocobench/internal/input"
	"ocobench/report"
)

// What bench attack found is played again, printed, written and drawn; --verify does so with
// the findings of files.

// verifyFindings plays stored findings again and compares the measurements.
func (c *attackCmd) verifyFindings(e *env) error {
	if c.Out != "" && len(c.Verify) > 1 {
		return fmt.Errorf("--out takes one finding, and --verify has %d", len(c.Verify))
	}
	if err := errors.Join(c.Out.checkWritable("--out"),
		c.Figure.file.checkWritable("--figure")); err != nil {
		return err
	}
	var all []*attack.Finding
	var broken error // bounds
	for _, file := range c.Verify {
		f, err := c.verifyFile(e, string(file))
		if f == nil {
			return errors.Join(broken, err)
		}
		all, broken = append(all, f), errors.Join(broken, err)
	}
	return errors.Join(broken, c.writeFigure(all...))
}

// verifyFile measures the finding of a file anew.
func (c *attackCmd) verifyFile(e *env, name string) (*attack.Finding, error) {
	file, _, err := experiments.Load(name)
	if err != nil {
		return nil, err
	}
	q, found, evaluations, err := attack.Read(e.catalog, file)
	if err != nil {
		return nil, err
	}
	x, w, err := c.startSearch(e, q, evaluations)
	if err != nil {
		return nil, err
	}
	defer w.host.Close()
	var changed *attack.ChangedError
	switch err := x.Verify(e.ctx, found); {
	case errors.As(err, &changed):
		return nil, &regressionError{fmt.Errorf("%s: %w", input.Shown(name), err)}
	case err != nil:
		return nil, &failedError{fmt.Errorf("%s: %w", input.Shown(name), err)}
	}
	f, err := c.measureAgain(e, x, found, evaluations)
	if err != nil {
		err = fmt.Errorf("%s: %w", input.Shown(name), err)
	}
	if f != nil {
		f.Name = file.Name
	}
	return f, err
}

// startSearch starts a search. The caller closes the host of the workbench.
func (c *attackCmd) startSearch(e *env, q attack.Question, evaluations int) (*attack.Search,
	*workbench,
	error) {
	w, err := e.openForComputing(c.storeFlags, &c.computeFlags)
	if err != nil {
		return nil, nil, err
	}
	w.options.Warn = e.warn
	x, err := attack.New(e.catalog, w.store, w.options, q, evaluations)
	if err != nil {
		w.host.Close()
	}
	return x, w, err
}

// experimentName returns the name of the experiment that is written, which its file gives it.
func (c *attackCmd) experimentName() string {
	return strings.TrimSuffix(filepath.Base(string(c.Out)), filepath.Ext(string(c.Out)))
}

// writeFigure draws findings to the file of a flag.
func (c *attackCmd) writeFigure(all ...*attack.Finding) error {
	return c.Figure.writeFigure(report.FindingsFigure(all), "no value that was measured can be drawn")
}

// measureAgain plays an instance that the search found, and says what was measured. The finding is
// nil if it cannot be measured.
func (c *attackCmd) measureAgain(e *env, x *attack.Search, found attack.Instance,
	evaluations int) (*attack.Finding, error) {
	end := e.showStage("attack: playing %s again, and to T = %d", input.Clip(found.Spec, 60),
		10*x.Horizon)
	f, err := x.Measure(e.ctx, found)
	end()
	if err != nil {
		return nil, err
	}
	f.Evaluations = evaluations
	if c.Out != "" {
		text, err := f.YAML(c.experimentName())
		if err == nil {
			err = c.Out.writeText("--out", text)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := e.printTable(report.Finding(&f), 0); err != nil {
		return nil, err
	}
	fmt.Fprintf(e.stdout, "bench play --algorithm '%s' --problem '%s' --horizon %d --seed %d%s\n",
		x.Attacked().Spec, found.Spec, f.Horizon, f.Question.Seed, e.external.commandText())
	if f.Falsifies() {
		return &f, &regressionError{fmt.Errorf("a value is above the bound: the code, the theorem or " +
			"what the problem declares is wrong")}
	}
	return &f, nil
}
