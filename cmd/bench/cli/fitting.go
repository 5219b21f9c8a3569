package cli

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/run"
	"ocobench/harness/store"
)

// Curves are fitted once, and what was found is kept in the store. Fitting has a bar, as playing
// has, and bench run --explain says whether it is still to be done.

// analyse analyses results, or reads the analysis that the store keeps of them.
func (w *workbench) analyse(r *run.Results) (*analysis.Analysis, error) {
	return analysis.Kept(w.ctx, w.catalog, r, w.keeping(w.store, r.Name))
}

// keeping keeps the analysis of an experiment in a store.
func (e *env) keeping(s *store.Store, experiment string) analysis.Keeping {
	return analysis.Keeping{Store: s, Warn: e.warn,
		Begin: func(steps int) (tick func(int), end func()) { return e.fitting(experiment, steps) }}
}

// fitting shows how far the fitting of curves is: a bar on a terminal, and a line from time to
// time elsewhere.
func (e *env) fitting(experiment string, steps int) (tick func(int), end func()) {
	if isTerminal(e.stderr) && steps > 0 {
		p := mpb.New(mpb.WithOutput(e.stderr), mpb.WithWidth(30))
		bar := p.AddBar(int64(steps),
			mpb.PrependDecorators(decor.Name(experiment+": fitting ")),
			mpb.AppendDecorators(decor.Percentage()),
			mpb.BarRemoveOnComplete())
		clear := sync.OnceFunc(func() {
			bar.Abort(true)
			p.Wait()
		})
		e.clear.Store(&clear)
		return bar.IncrBy, func() {
			clear()
			e.clear.Store(nil)
		}
	}
	var done atomic.Int64
	stop := every(lull, func(elapsed time.Duration) {
		fmt.Fprintf(e.stderr, "%s: fitting, %d %% done, for %s\n", experiment,
			min(99, 100*done.Load()/int64(max(1, steps))), elapsed.Round(time.Second))
	})
	return func(n int) { done.Add(int64(n)) }, stop
}

// explainFitting says whether the store keeps the analysis of a plan, or about how long it takes
// to fit its curves.
func (w *workbench) explainFitting(plan *experiment.Plan, missing bool) error {
	name := plan.Experiment.Name
	r, err := run.LoadPlan(w.store, plan)
	if err != nil {
		return err
	}
	d := analysis.Prepare(w.catalog, r)
	if !missing && d.Fitted(w.store) {
		fmt.Fprintf(w.stdout, "%s: the fits of %s are kept in %s\n", name, plural(d.Curves(), "curve"),
			w.store.Dir())
		return nil
	}
	fmt.Fprintf(w.stdout, "%s: %s to fit: about %s\n", name, plural(d.Curves(), "curve"),
		about(analysis.Foresee(r.Record, runtime.GOMAXPROCS(0))))
	return nil
}
