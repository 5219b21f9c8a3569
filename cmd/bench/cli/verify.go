package cli

import (
	"errors"
	"fmt"
	"slices"

	"ocobench/harness/experiment/spec"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// verifyCmd holds the flags of bench verify, which computes cells of the store again and compares
// their numbers.
type verifyCmd struct {
	sourceFlags
	Experiment []string `help:"The experiments; default: all." placeholder:"NAMES" completes:"@stored"`
	Sample     count    `help:"Replay so many cells of each experiment; default: all." placeholder:"K"`
	computeFlags
	externalFlags

	source *workbench // once it is open
}

// openOnce opens the store or the archive once: before programs start, to find those that are used,
// and otherwise when the verb runs.
func (c *verifyCmd) openOnce(e *env) (w *workbench, err error) {
	if c.source == nil {
		c.source, err = e.openSource(c.sourceFlags)
	}
	return c.source, err
}

// namedEntries implements [entryNamer].
func (c *verifyCmd) namedEntries(e *env) (all []spec.Use, err error) {
	w, err := c.openOnce(e)
	if err != nil {
		return nil, err
	}
	names := c.Experiment
	if names == nil {
		if names, _, err = run.Recorded(w.store); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		r, err := run.LoadRecord(w.store, name)
		if err != nil {
			return nil, err
		}
		for _, entry := range slices.Concat(r.Algorithms, r.Problems) {
			all = append(all, spec.Use{Name: entry.Name})
		}
	}
	return all, nil
}

// Run implements the verb.
func (c *verifyCmd) Run(e *env) error {
	w, err := c.openOnce(e)
	if err != nil {
		return err
	}
	// Unknown names are reported before the first experiment is replayed, which takes time.
	for _, name := range c.Experiment {
		if _, err := w.store.Experiment(name); errors.Is(err, store.ErrNotFound) {
			_, err = run.LoadRecord(w.store, name) // its error names the experiments that there are
			return err
		}
	}
	names := c.Experiment
	var unverified error
	if names == nil {
		if names, unverified, err = run.Recorded(w.store); err != nil {
			return err
		}
		e.warn(unverified)
	}
	differ, failed := 0, 0
	for _, name := range names {
		d, f, err := c.verifyExperiment(e, w.store, name)
		if err != nil && (len(names) == 1 || e.ctx.Err() != nil) {
			return err
		}
		if err != nil { // the other experiments are verified all the same
			e.warn(err)
			unverified = err
		}
		differ, failed = differ+d, failed+f
	}
	switch {
	case differ > 0:
		return &regressionError{fmt.Errorf("%s of the store cannot be replayed: the program that "+
			"computed them did something else", plural(differ, "cell"))}
	case unverified != nil:
		return &failedError{errors.New("some experiments could not be verified")}
	case failed > 0:
		return &failedError{fmt.Errorf("%s could not be compared", plural(failed, "cell"))}
	}
	return nil
}

// verifyExperiment replays cells of an experiment, prints those that differ or could not be
// compared, and counts both.
func (c *verifyCmd) verifyExperiment(e *env, s *store.Store, name string) (differ, failed int,
	err error) {
	r, err := run.LoadExperiment(s, name)
	if err != nil {
		return 0, 0, err
	}
	w := e.newWorkbench(&c.computeFlags)
	defer w.host.Close()
	plan, keys, gone, err := run.Replan(e.ctx, w.host, e.catalog, r.Record)
	if err != nil {
		return 0, 0, fmt.Errorf("experiment %s: %w", name, err)
	}
	if gone > 0 {
		failed = gone
		fmt.Fprintf(e.stdout, "%s: %s of the record are not planned any more\n", name,
			plural(gone, "cell"))
	}
	keys = plan.Sample(int(c.Sample), keys)
	remove, err := w.openTemporary()
	if err != nil {
		return 0, 0, err
	}
	defer remove()
	if _, err := w.computeCells(plan); err != nil {
		return 0, 0, err
	}
	replays, err := run.Replays(plan, s, keys, w.store)
	if err != nil {
		return 0, 0, err
	}
	same, renamed := 0, 0
	for _, r := range replays {
		switch {
		case r.Missing != nil:
			failed++
			fmt.Fprintf(e.stdout, "missing: %s: %v\n", r.Cell, r.Missing)
		case r.Failed: // printed when it failed
			failed++
		case r.Difference != "":
			differ++
			fmt.Fprintf(e.stdout, "differs: %s: %s\n", r.Cell, r.Difference)
		default:
			same++
			if r.Renamed {
				renamed++
			}
		}
	}
	fmt.Fprintf(e.stdout, "%s: %d of %s are the same, bit for bit", name, same,
		plural(len(plan.Cells), "cell"))
	if renamed > 0 {
		fmt.Fprintf(e.stdout, "; %d have another identity now", renamed)
	}
	fmt.Fprintln(e.stdout)
	return differ, failed, nil
}
