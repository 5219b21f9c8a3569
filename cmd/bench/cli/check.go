package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/regression"
	"ocobench/internal/file"
	"ocobench/internal/input"
	"ocobench/report"
)

// checkCmd holds the flags of bench check, which plays an experiment anew and compares its curves
// with a reference.
type checkCmd struct {
	Baseline   path   `help:"The file of the reference; default: the built-in one of ci." placeholder:"FILE"`
	Experiment string `help:"The experiment; default: that of the reference." placeholder:"EXPERIMENT|FILE.yaml" completes:"@experiment"`
	Strict     bool   `help:"Exit with 1 if anything has changed by more than rounding." xor:"strict"`
	Summary    path   `help:"Write the answer as Markdown, for the summary of a job." placeholder:"FILE" xor:"summary"`
	Update     bool   `help:"Write a new reference to --baseline." xor:"strict,summary"`
	Seed       *seed  `help:"The seed; default: that of the reference. With another one replicates are not paired." placeholder:"S"`
	computeFlags
	externalFlags
	JSON bool `help:"Print JSON."`
}

// regressionCheck returns what the flags say of the reference and the experiment.
func (c *checkCmd) regressionCheck() regression.Check {
	return regression.Check{Baseline: string(c.Baseline), Experiment: c.Experiment, Update: c.Update,
		Flags: c.commandText()}
}

// namedEntries implements [entryNamer].
func (c *checkCmd) namedEntries(*env) ([]spec.Use, error) {
	err := errors.Join(input.Rereadable(string(c.Baseline)), input.Rereadable(c.Experiment))
	if err != nil {
		return nil, err
	}
	ref, err := c.regressionCheck().Reference()
	if err != nil {
		return nil, err
	}
	x, _, err := c.regressionCheck().Named(ref)
	if err != nil {
		return nil, err
	}
	return slices.Concat(x.Algorithms, x.Problems), nil
}

// Run implements the verb.
func (c *checkCmd) Run(e *env) error {
	if c.Update && c.Baseline == "" {
		return errors.New("--update: no file is given; name it with --baseline FILE (that of the " +
			"program is " + regression.BuiltinFile + ")")
	}
	check := c.regressionCheck()
	ref, err := check.Reference()
	if err != nil {
		return err
	}
	x, source, err := check.Load(e.catalog, ref)
	if err != nil {
		return err
	}
	if c.Seed != nil {
		x.Seed = uint64(*c.Seed)
	}
	if c.Update {
		return c.updateReference(e, x, source)
	}
	if err := ref.Comparable(x); err != nil {
		name := cmp.Or(string(c.Baseline), "the reference of the program")
		return fmt.Errorf("%s: %w; play that experiment, or make a new reference with --update "+
			"--baseline FILE", name, err)
	}
	if err := c.startSummary(); err != nil {
		return err
	}
	r, err := e.runFresh(x, &c.computeFlags)
	if err != nil {
		return errors.Join(err, c.writeUnfinished(err))
	}
	end := e.showStage("%s: comparing", x.Name)
	current := regression.Take(r)
	if ref.Analysis != nil { // a reference of bench export has the curves of all metrics
		current = regression.TakeFitted(r)
	}
	outcome, err := regression.Compare(e.ctx, current, ref)
	if err == nil {
		outcome.Unmet = r.Unmet
		outcome.Broken, err = regression.Broken(e.catalog, r)
	}
	if err == nil && len(outcome.Changes) > 0 {
		outcome.Sensitivity, err = ref.Sensitivity(e.ctx)
	}
	end()
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(e.stdout).Encode(outcome)
	} else {
		err = report.WriteCheck(e.stdout, outcome)
	}
	if err == nil && c.Summary != "" {
		err = c.Summary.writeFile("--summary", func(w io.Writer) error {
			return report.WriteSummary(w, outcome, check.Accept())
		})
	}
	if err == nil && outcome.Failed(c.Strict) {
		text := report.CheckSummary(outcome)
		// If no curve has changed, a bound is broken, and a new reference would not help.
		if outcome.Answer != regression.NoChange && outcome.Answer != regression.Rounding {
			text += "; if the change is intended, make a new reference: " + check.Accept()
		}
		err = &regressionError{errors.New(text)}
	}
	return err
}

// startSummary writes to the summary that the check has not ended, so that a file that cannot be
// written is known before anything is played.
func (c *checkCmd) startSummary() error {
	summary, err := os.Stat(string(c.Summary))
	if baseline, baselineErr := os.Stat(string(c.Baseline)); err == nil && baselineErr == nil &&
		os.SameFile(summary, baseline) {
		return fmt.Errorf("--summary: %s is the reference, and would be overwritten", c.Summary)
	}
	return c.writeUnfinished(nil)
}

// writeUnfinished writes to the summary that the check has not ended, and the error that ended it.
// It writes nothing to a pipe or a device, which would keep this text and the next one.
func (c *checkCmd) writeUnfinished(reason error) error {
	info, err := os.Stat(string(c.Summary))
	if c.Summary == "" || err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil
	}
	return c.Summary.writeFile("--summary", file.Bytes([]byte(report.Unfinished(reason))))
}

// updateReference plays the experiment and writes it to --baseline as the new reference.
func (c *checkCmd) updateReference(e *env, x *spec.Experiment, source []byte) error {
	if err := c.Baseline.checkWritable("--baseline"); err != nil {
		return err
	}
	r, err := e.runFresh(x, &c.computeFlags)
	if err != nil {
		return err
	}
	ref := regression.Take(r)
	ref.Source = string(source)
	if len(ref.Curves) == 0 {
		return fmt.Errorf("experiment %s has no curve to compare: no metric is defined at two "+
			"checkpoints of the window", x.Name)
	}
	err = c.Baseline.writeFile("--baseline", func(w io.Writer) error {
		return regression.Write(w, []*regression.Snapshot{ref})
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s: %s of experiment %s, seed %d\n", c.Baseline,
		plural(len(ref.Curves), "curve"), x.Name, x.Seed)
	sensitivity, err := ref.Sensitivity(e.ctx)
	if text := report.SensitivityText(sensitivity); text != "" {
		fmt.Fprintln(e.stderr, text)
	}
	return err
}
