package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/regression"
	"ocobench/harness/run"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
)

// A workbench has the steps that verbs of experiments share, in this order: it opens a store, plans
// an experiment, plays the cells that the store lacks, reads the results, and analyses them. Steps
// that take a while show their progress on standard error. A verb reports failed and missing cells
// at its end, after it has shown everything else.

// A workbench joins a store and the host that computes cells for it.
type workbench struct {
	*env
	store   *store.Store
	archive []*regression.Snapshot // from which the store was unpacked, or nil
	host    *process.Host          // nil where nothing is computed
	// forPaper says that experiments are recorded as those of the paper ([run.PaperRecord]).
	forPaper bool
	options  run.Options // for computing cells
}

// newWorkbench prepares to compute cells, without a store yet. The caller closes its host.
func (e *env) newWorkbench(f *computeFlags) *workbench {
	workers := cmp.Or(int(f.Workers), runtime.GOMAXPROCS(0))
	host := f.newHost(e)
	return &workbench{env: e, host: host, options: run.Options{Host: host, Workers: workers}}
}

// openForComputing opens a store into which cells are computed. The caller closes the host.
func (e *env) openForComputing(f storeFlags, c *computeFlags) (*workbench, error) {
	s, err := f.openStore()
	if err != nil {
		return nil, err
	}
	w := e.newWorkbench(c)
	w.store = s
	return w, nil
}

// openTemporary opens a temporary store for the workbench, which remove deletes. After an error
// nothing is left of it.
func (w *workbench) openTemporary() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	if w.store, err = store.Open(dir); err != nil {
		remove()
	}
	return remove, err
}

// planExperiment plans an experiment.
func (w *workbench) planExperiment(x *spec.Experiment) (*experiment.Plan, error) {
	plan, err := run.NewPlanOn(w.ctx, w.host, w.catalog, x)
	if err == nil && w.forPaper {
		plan.RecordAs = run.PaperRecord(x.Name)
	}
	return plan, err
}

// A run estimates its time from manyRounds missing rounds on, and prints the estimate if it is more
// than two seconds. A verb that is asked for the time estimates it from anyRounds on.
const manyRounds, anyRounds = 1_000_000, 1

// computeCells computes the cells that the store lacks of a plan, or of the shard that the options
// choose. It shows the progress and the failures.
func (w *workbench) computeCells(plan *experiment.Plan) (*progress, error) {
	estimate := run.EstimateRun(w.ctx, plan, w.store, w.options, manyRounds)
	if estimate.Time > 2*time.Second {
		printEstimate(w.stderr, plan.Experiment.Name, estimate)
	}
	if err := estimate.CheckMemory(); err != nil {
		return nil, fmt.Errorf("%s: %w", plan.Experiment.Name, err)
	}
	p := w.newProgress(plan.Experiment.Name, estimate)
	o := w.options
	failures := failurePrinter{env: w.env, print: p.printLine}
	o.Warn, o.Forecast = p.warn, estimate.Forecast
	o.Progress = func(c *experiment.Cell, found bool, err error) {
		p.cellDone(c, found, err)
		if err != nil {
			failures.show(run.Failure{Cell: c, Err: err})
		}
	}
	var err error
	p.failures, err = run.Run(w.ctx, plan, w.store, o)
	p.end()
	failures.countOthers(p.failures)
	return p, err
}

// adviseInterrupted turns a cancellation into the error of an interrupted verb, with advice such as
// finishedCellsStored. It returns any other error as it is.
func adviseInterrupted(err error, advice string) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; %s", errInterrupted, advice)
	}
	return err
}

// finishedCellsStored tells the user of an interrupted run how to continue.
const finishedCellsStored = "finished cells are stored, and the same command continues"

// computeAndLoad computes the cells of a plan and reads its results, which lack the cells that
// failed.
func (w *workbench) computeAndLoad(plan *experiment.Plan) (*run.Results, *progress, error) {
	p, err := w.computeCells(plan)
	if err != nil {
		return nil, nil, adviseInterrupted(err, finishedCellsStored)
	}
	r, err := run.LoadRecorded(w.store, plan)
	return r, p, err
}

// computeAndAnalyse computes the cells of a plan and analyses them. With the error of failed cells
// it also returns the analysis.
func (w *workbench) computeAndAnalyse(plan *experiment.Plan) (*analysis.Analysis, *progress,
	error) {
	w.printBeforePlay(plan)
	r, p, err := w.computeAndLoad(plan)
	if err != nil {
		return nil, nil, err
	}
	a, err := w.analyse(r)
	if err != nil {
		return nil, nil, err
	}
	return a, p, p.failedCells("; finished cells are stored")
}

// runFresh computes an experiment in a new temporary store, for verbs that must not use stored
// results: the code of an algorithm may have changed without its version.
func (e *env) runFresh(x *spec.Experiment, c *computeFlags) (*run.Results, error) {
	w := e.newWorkbench(c)
	defer w.host.Close()
	plan, err := w.planExperiment(x)
	if err != nil {
		return nil, err
	}
	if len(plan.Unmet) > 0 { // only how many: the summary names them
		fmt.Fprintln(e.stderr, unplayedText(plan))
	}
	remove, err := w.openTemporary()
	if err != nil {
		return nil, err
	}
	defer remove()
	p, err := w.computeCells(plan)
	if err != nil {
		return nil, err
	}
	if len(p.failures) > 0 {
		first, _, _ := strings.Cut(p.failures[0].Err.Error(), "\n")
		return nil, p.failedCells(", so nothing was compared; the first: " + first)
	}
	return run.LoadExperiment(w.store, x.Name)
}

// readResults reads the results of the named experiments, or of all that are not [run.IsInternal].
// It warns of damaged ones if others are left.
func (w *workbench) readResults(names []string) (all []*run.Results, damaged, err error) {
	all, damaged, err = run.LoadExperiments(w.store, names)
	w.warn(damaged)
	for _, r := range all {
		w.warn(r.DamagedCells())
	}
	return all, damaged, err
}

// openResults opens a store or an archive, and reads the results of the named experiment or,
// without a name, of the only one there. It returns an error for a metric that they lack. The error
// damaged is about the other records that it read.
func (e *env) openResults(f sourceFlags, name string, metrics ...algorithms.Metric) (w *workbench,
	r *run.Results, damaged, err error) {
	if w, err = e.openSource(f); err != nil {
		return nil, nil, nil, err
	}
	if name == "" {
		r, damaged, err = run.LoadOnly(w.store)
	} else {
		r, err = run.LoadExperiment(w.store, name)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	w.warn(damaged)
	w.warn(r.DamagedCells())
	return w, r, damaged, checkRecorded(metrics, r)
}

// openOther returns the experiments of another store or of an archive, to which nothing is written.
func (e *env) openOther(location path) ([]regression.Stored, error) {
	analyse := func(s *store.Store, r *run.Results) (*analysis.Analysis, error) {
		cache := e.analysisCache(s, r.Name+" of "+filepath.Clean(string(location)))
		cache.ReadOnly = true
		return analysis.Cached(e.ctx, e.catalog, r, cache)
	}
	return regression.OpenStored(string(location), analyse, e.warn)
}

// errDamagedRecords ends a verb that left out experiments whose records are damaged. The verb has
// named them in a warning.
var errDamagedRecords = errors.New("some experiments cannot be read; run them again to record " +
	"them anew")

// checkComplete returns the error of a verb whose results lack cells or leave out damaged records.
func (w *workbench) checkComplete(results []*run.Results, damaged error) error {
	missing, failed := 0, 0
	for _, r := range results {
		missing, failed = missing+r.Missing, failed+len(r.Failed)
	}
	switch {
	case missing > 0:
		return missingCellsError(w.store.Dir(), missing, failed, "these experiments", "run them again")
	case damaged != nil:
		return &failedError{errDamagedRecords}
	}
	return nil
}

// checkOneComplete returns the error of a named experiment whose results lack cells.
func checkOneComplete(r *run.Results) error {
	if r.Missing == 0 {
		return nil
	}
	return missingCellsError("the store", r.Missing, len(r.Failed), "experiment "+r.Name,
		"run it again")
}

// missingCellsError returns the error for cells that a store lacks, some or all of which failed,
// with the remedy.
func missingCellsError(store string, missing, failed int, owner, remedy string) error {
	text := fmt.Sprintf("%s lacks %s of %s", store, plural(missing, "cell"), owner)
	if failed == missing {
		return &failedError{errors.New(text + ", which failed; bench status says why")}
	}
	if failed > 0 {
		text += fmt.Sprintf(", of which %d failed", failed)
	}
	return &failedError{fmt.Errorf("%s; %s to compute what is missing", text, remedy)}
}

// unplayedText returns how many pairs of a plan are not played, and how many are played although
// the problem does not meet the assumptions.
func unplayedText(plan *experiment.Plan) string {
	var parts []string
	unplayed := len(plan.Unplayed())
	if unplayed > 0 {
		text := plural(unplayed, "pair") + " not played"
		if problem, fact, pairs := plan.MostUndeclared(); pairs > 0 {
			text += fmt.Sprintf(", %d of them since %s does not declare %s: give it in its facts, in "+
				"Python Facts(%s=…)", pairs, problem, fact, fact)
		}
		parts = append(parts, text)
	}
	if n := len(plan.Unmet) - unplayed; n > 0 {
		parts = append(parts, plural(n, "pair")+" played although the problem does not meet the "+
			"assumptions")
	}
	return fmt.Sprintf("%s: %s", plan.Experiment.Name, strings.Join(parts, ", "))
}

// printOthers names the algorithms for which the word others stands in the experiment.
func printOthers(w io.Writer, plan *experiment.Plan) {
	if specs := plan.Others(); len(specs) > 0 {
		fmt.Fprintf(w, "%s: others: %s, at their defaults\n", plan.Experiment.Name,
			strings.Join(specs, "; "))
	}
}

// printBeforePlay says, before a plan is played, what the user may want to change in the
// experiment: for which algorithms the word others stands, which pairs do not meet assumptions, and
// what the horizons leave without a result.
func (w *workbench) printBeforePlay(plan *experiment.Plan) {
	printOthers(w.stderr, plan)
	w.printUnmetCount(plan)
	w.warn(run.HorizonWarnings(plan, plan.Experiment.Horizon))
}

// printUnmetCount prints how many pairs of a plan do not meet assumptions; if there is only one, it
// names the pair.
func (e *env) printUnmetCount(plan *experiment.Plan) {
	switch n := len(plan.Unmet); {
	case n == 1:
		fmt.Fprintf(e.stderr, "%s: %s\n", unplayedText(plan), plan.Unmet[0])
	case n > 1:
		fmt.Fprintf(e.stderr, "%s; bench run --explain names them\n", unplayedText(plan))
	}
}

// printUnmetPairs prints the pairs of a plan whose problem does not meet the assumptions, with the
// reasons.
func (e *env) printUnmetPairs(plan *experiment.Plan) {
	if len(plan.Unmet) == 0 {
		return
	}
	fmt.Fprintf(e.stdout, "%s:\n", unplayedText(plan))
	for _, u := range plan.Unmet {
		fmt.Fprintf(e.stdout, "  %s\n", u)
	}
}

// programMB is the memory of the program itself, without games, in MB.
const programMB = 20

// printEstimate prints what a run is about to compute, and how long it takes.
func printEstimate(w io.Writer, name string, o run.RunEstimate) {
	fmt.Fprintf(w, "%s: %s, %d found in the store, %d to compute", name, plural(o.Cells, "cell"),
		o.Found, o.Cells-o.Found)
	if o.Time > 0 {
		fmt.Fprintf(w, ": about %s on %s, with about %d MB", roundDuration(o.Time),
			plural(o.Workers, "worker"), o.Memory>>20+programMB)
	}
	fmt.Fprintln(w)
}

// roundDuration writes an estimated time as precisely as an estimate deserves. The time is cut off
// at two million hours.
func roundDuration(d time.Duration) string {
	d = min(d, 2_000_000*time.Hour)
	switch {
	case d < time.Second:
		return "a second"
	case d < time.Minute-time.Second/2:
		return d.Round(time.Second).String()
	case d < time.Hour-time.Minute/2:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	return strings.TrimSuffix(d.Round(10*time.Minute).String(), "0s")
}
