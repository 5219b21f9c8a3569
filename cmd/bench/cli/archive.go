package cli

import (
	"fmt"
	"os"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/internal/input"
)

// Verbs that read results read a store or an archive. The games of an archive are unpacked into a
// temporary store, and its analyses are shown as they were written.

// sourceFlags holds the flags of verbs that read the results of a store or of an archive.
type sourceFlags struct {
	Store path `help:"The directory of results, or an archive of bench export; default ${default}." default:"results" placeholder:"DIR|FILE"`
}

// openSource opens a store or an archive for reading results.
func (e *env) openSource(f sourceFlags) (*workbench, error) {
	info, err := os.Stat(string(f.Store))
	if err != nil || info.IsDir() {
		s, err := storeFlags(f).openStore()
		return &workbench{env: e, store: s}, err
	}
	w := &workbench{env: e}
	stored, err := e.openOther(f.Store)
	if err == nil {
		err = w.unpackArchive(string(f.Store), stored)
	}
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	return w, nil
}

// unpackArchive makes the experiments of an archive those of the workbench.
func (w *workbench) unpackArchive(name string, stored []regression.Stored) error {
	remove, err := w.openTemporary()
	if err != nil {
		return err
	}
	w.atEnd = append(w.atEnd, remove)
	w.store.ShowAs(input.Shown(name))
	for _, s := range stored {
		snapshot, err := s.Snapshot()
		switch {
		case err != nil:
			return err
		case snapshot.Analysis == nil || snapshot.Games == nil:
			return fmt.Errorf("%s: %w", input.Shown(name), regression.ErrNoAnalysis)
		}
		if err := snapshot.Games.Unpack(w.store); err != nil {
			return err
		}
		w.archive = append(w.archive, snapshot)
	}
	return nil
}

// archivedAnalysis returns the analysis of results that an archive has, or nil if it was made with
// other metrics or another baseline.
func (w *workbench) archivedAnalysis(r *run.Results) *analysis.Analysis {
	for _, s := range w.archive {
		if s.Name == r.Name && slices.Equal(r.Record.Metrics, s.Analysis.Experiment.Metrics) &&
			analysis.SettingsOf(r).Baseline == s.Analysis.Experiment.Baseline {
			return s.Analysis
		}
	}
	return nil
}

// snapshot returns the snapshot of results, which is that of the archive if they are from one, with
// this analysis, which may be of other metrics or of another baseline.
func (w *workbench) snapshot(r *run.Results, a *analysis.Analysis) *regression.Snapshot {
	for _, s := range w.archive {
		if s.Name == r.Name {
			own := *s
			own.Experiment, own.Analysis = a.Experiment, a
			return &own
		}
	}
	s := regression.TakeFitted(r)
	s.Analysis = a
	return s
}
