package cli

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8/decor"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Curves are fitted once, and the store caches the analysis. Fitting has a bar, as playing has, and
// bench run --explain says whether it is still to be done.

// analyse analyses results, or reads the analysis that the store has cached or the archive has.
func (w *workbench) analyse(r *run.Results) (*analysis.Analysis, error) {
	if a := w.archivedAnalysis(r); a != nil {
		return a, nil
	}
	return analysis.Cached(w.ctx, w.catalog, r, w.analysisCache(w.store, r.Name))
}

// analysisCache returns the cache of analyses in a store, which shows the progress of fitting.
func (e *env) analysisCache(s *store.Store, experiment string) analysis.Cache {
	return analysis.Cache{Store: s, Warn: e.warn,
		Begin: func(steps int) (tick func(int), end func()) { return e.showFitting(experiment, steps) }}
}

// showFitting shows the progress of fitting curves: a bar on a terminal, and otherwise a line every
// [progressInterval].
func (e *env) showFitting(experiment string, steps int) (tick func(int), end func()) {
	if isTerminal(e.stderr) && steps > 0 {
		bar, _, end := e.showBar(experiment+": fitting", steps, decor.Percentage())
		return bar.IncrBy, end
	}
	var done atomic.Int64
	stop := callEvery(progressInterval, func(elapsed time.Duration) {
		fmt.Fprintf(e.stderr, "%s: fitting, %d %% done, for %s\n", experiment,
			min(99, 100*done.Load()/int64(max(1, steps))), elapsed.Round(time.Second))
	})
	return func(n int) { done.Add(int64(n)) }, stop
}

// explainFitting prints whether the store has the analysis of a plan, or about how long fitting its
// curves takes. A cached analysis does not count if cells are still to be computed.
func (w *workbench) explainFitting(plan *experiment.Plan, cellsMissing bool) error {
	name := plan.Experiment.Name
	r, err := run.LoadPlan(w.store, plan)
	if err != nil {
		return err
	}
	u := analysis.NewUnfitted(w.catalog, r)
	if !cellsMissing && u.IsCached(w.store) {
		fmt.Fprintf(w.stdout, "%s: the analysis of %s is cached in %s\n", name,
			plural(u.Curves(), "curve"), w.store.Dir())
		return nil
	}
	fmt.Fprintf(w.stdout, "%s: %s to fit: about %s\n", name, plural(u.Curves(), "curve"),
		roundDuration(analysis.EstimateTime(r.Record, runtime.GOMAXPROCS(0))))
	return nil
}
