package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/internal/input"
)

// Verbs that show results read a store, whose results they analyse, or an archive, which has the
// analyses. The results of an archive are a record without games: its entries and settings choose
// what is shown, and [workbench.analyse] returns the analysis that was archived.

// sourceFlags holds the flags of verbs that show the results of a store or of an archive.
type sourceFlags struct {
	Store path `help:"The directory of results, or an archive of bench export; default ${default}." default:"results" placeholder:"DIR|FILE"`
}

// openSource opens a store or an archive for reading results.
func (e *env) openSource(f sourceFlags) (*workbench, error) {
	info, err := os.Stat(string(f.Store))
	if err != nil || info.IsDir() {
		return e.openStore(storeFlags(f))
	}
	w := &workbench{env: e}
	stored, err := e.openOther(f.Store)
	for _, s := range stored {
		snapshot, unread := s.Snapshot()
		if unread == nil && snapshot.Analysis == nil {
			unread = fmt.Errorf("%s: %w", input.Shown(string(f.Store)), regression.ErrNoAnalysis)
		}
		err = errors.Join(err, unread)
		w.archive = append(w.archive, snapshot)
	}
	if err != nil {
		err = fmt.Errorf("--store: %w", err)
	}
	return w, err
}

// archived returns the results of the named experiments of an archive, or of all.
func (w *workbench) archived(names []string) (all []*run.Results, err error) {
	known := make(map[string]*run.Results)
	var order []string
	for _, s := range w.archive {
		a := s.Analysis
		r := &run.Results{Record: experiment.Record{Name: a.Experiment.Name,
			Description: a.Experiment.Description, Seed: a.Experiment.Seed,
			Replicates: a.Experiment.Replicates, Horizon: a.Experiment.Horizon,
			Window: a.Experiment.Window, Confidence: a.Experiment.Confidence, Algorithms: a.Algorithms,
			Unmet: a.Unmet, TuningSeed: a.Experiment.TuningSeed, Metrics: a.Experiment.Metrics,
			States: a.Experiment.States, Baseline: a.Experiment.Baseline}}
		for _, p := range a.Problems {
			r.Problems = append(r.Problems, p.Entry)
		}
		known[r.Name], order = r, append(order, r.Name)
	}
	if len(names) == 0 {
		names = order
	}
	for _, name := range uniqueNames(names) {
		if known[name] == nil {
			return nil, spec.Unknown("experiment", name, order, spec.Pos{})
		}
		all = append(all, known[name])
	}
	return all, nil
}

// oneArchived returns the results of the named experiment of an archive, or of the only one.
func (w *workbench) oneArchived(name string) (*run.Results, error) {
	if name != "" {
		all, err := w.archived([]string{name})
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	all, err := w.archived(nil)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		var names []string
		for _, r := range all {
			names = append(names, r.Name)
		}
		return nil, fmt.Errorf("the archive has several experiments; name one with --experiment (one "+
			"of %s)", strings.Join(names, ", "))
	}
	return all[0], nil
}

// archivedAnalysis returns the analysis of results of an archive. It is an error if their metrics
// or their baseline have been changed, since the analysis was made with those of the archive.
func (w *workbench) archivedAnalysis(r *run.Results) (*analysis.Analysis, error) {
	k := slices.IndexFunc(w.archive, func(s *regression.Snapshot) bool { return s.Name == r.Name })
	a := w.archive[k].Analysis
	if !slices.Equal(r.Record.Metrics, a.Experiment.Metrics) || r.Baseline != a.Experiment.Baseline {
		return nil, errors.New("--metric, --baseline: an archive is shown as it was written; give the " +
			"store that it is from, or leave them out")
	}
	return a, nil
}

// snapshot returns the snapshot of results with their analysis: that of the archive, if they are
// from one.
func (w *workbench) snapshot(r *run.Results, a *analysis.Analysis) *regression.Snapshot {
	for _, s := range w.archive {
		if s.Name == r.Name {
			return s
		}
	}
	return analysedSnapshot(r, a)
}

// analysedSnapshot returns the snapshot of results with their analysis and the curves of all
// metrics that are fitted.
func analysedSnapshot(r *run.Results, a *analysis.Analysis) *regression.Snapshot {
	const allFitted = true
	s := regression.Take(r, allFitted)
	s.Analysis = a
	return s
}
