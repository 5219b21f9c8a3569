// Package run computes the cells of a plan and reads them back.
//
//  1. [NewPlan] plans an experiment, whose learners start here or in the processes of a host.
//  2. [EstimateRun] says which cells the store has, and how long the others take.
//  3. [Run] computes the cells that the store does not have, on any number of workers and in any
//     order, and files each, or its failure, under its key. The same plan therefore gives the same
//     bytes for any number of workers, after any interruption, on any architecture.
//  4. [LoadExperiment] reads a record and its cells, and joins games with comparators: [Results].
//
// [NewTuning] chooses parameters by a run on another seed, [Replan] and [Replays] compute stored
// cells again, and [ListStore] lists what a store has.
package run

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"ocobench/harness/experiment"
	"ocobench/harness/run/process"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// A run enters the store, records the experiment, and makes sure of one cell after another
// on its workers: it looks for the cell, locks it, looks again, computes it, and files it
// or its failure. The record comes first, so that the cells of an interrupted run belong to
// an experiment.

// Options say how a plan is run.
type Options struct {
	// Host plays the cells; it is this process if it is nil.
	Host    *process.Host
	Workers int // at least 1
	// Shard and Shards select the cells Shard, Shard+Shards, … of [experiment.Plan.ShardOrder],
	// 1 ≤ Shard ≤ Shards; 0 and 0 select all.
	Shard, Shards int
	// Fresh computes all cells, and files them in place of what the store has.
	Fresh bool
	// Unrecorded leaves the store without a record of the experiment. No experiment then
	// refers to the cells, which [LoadPlan] reads. The store is not swept: the small
	// plans of a search would look at every file each time.
	Unrecorded bool
	// Progress, unless nil, is called, from one goroutine at a time, for every cell that is done:
	// found in the store, computed, or failed.
	Progress func(c *experiment.Cell, found bool, err error)
	// Forecast, unless nil, is told how long each cell took that was computed.
	Forecast *Forecast
	// Warn is called with what the user should know and need not act on.
	Warn func(error)
}

// chooseCells returns the cells of a plan that are run.
func (o Options) chooseCells(p *experiment.Plan) []*experiment.Cell {
	if o.Shards == 0 {
		return p.Cells
	}
	var cells []*experiment.Cell
	order := p.ShardOrder()
	for i := o.Shard - 1; i < len(order); i += o.Shards {
		cells = append(cells, order[i])
	}
	return cells
}

// Failure reports a cell that could not be computed.
type Failure struct {
	Cell *experiment.Cell
	Err  error
}

// Run computes the cells that the store does not have and records the
// experiment. A cell that fails does not keep others from running; the
// failures come back in the order of the plan. The error is for what stops
// the run: the context, or a store that cannot be written. Nothing is written
// where the store has the record and all cells.
//
// A cell that another process computes is left to it. Run comes back to such
// cells at the end, and computes those that the other did not finish. A failure
// that another process files during the run counts for both.
func Run(ctx context.Context, p *experiment.Plan, s *store.Store, o Options) ([]Failure, error) {
	var mu sync.Mutex
	warn := func(err error) {
		if o.Warn != nil {
			mu.Lock()
			defer mu.Unlock()
			o.Warn(err)
		}
	}
	leave, err := enterStore(ctx, s, warn)
	if err != nil {
		return nil, err
	}
	defer leave()
	e := cellRunner{host: o.Host, store: s, lock: s.Lock, fresh: o.Fresh, began: time.Now(),
		warn: warn}
	if !o.Unrecorded {
		if err := RecordPlan(p, s, warn); err != nil {
			return nil, err
		}
		if _, err := s.Sweep(); err != nil {
			return nil, &StoreError{err}
		}
	}
	cells := o.chooseCells(p)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, len(cells))
	idle := sync.OnceFunc(func() {
		warn(fmt.Errorf("another process on %s computes what is left; waiting for it", s.Dir()))
	})
	process.Queue(ctx, len(cells), max(1, o.Workers), idle, func(i int) (done bool) {
		began := time.Now()
		found, err := e.ensureCell(ctx, cells[i])
		took := time.Since(began)
		if errors.Is(err, store.ErrLocked) {
			return false
		}
		var broken *StoreError
		if errors.As(err, &broken) {
			cancel(err)
		}
		if ctx.Err() != nil {
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		errs[i] = err
		if o.Forecast != nil {
			if found || err != nil { // the forecast learns from computed cells only
				took = 0
			}
			o.Forecast.Finish(cells[i], took)
		}
		if o.Progress != nil {
			o.Progress(cells[i], found, err)
		}
		return true
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var failures []Failure
	for i, err := range errs {
		if err != nil {
			failures = append(failures, Failure{cells[i], err})
		}
	}
	return failures, nil
}

// enterStore tells other processes that this one computes cells of the store. It waits while
// another process removes cells. In a store that has no locks, or cannot be written, it
// does nothing.
func enterStore(ctx context.Context, s *store.Store, warn func(error)) (leave func(), err error) {
	for waits := 0; ; waits++ {
		leave, err := s.Enter()
		switch {
		case err == nil:
			return leave, nil
		case !errors.Is(err, store.ErrLocked):
			return func() {}, nil
		}
		if waits == 0 {
			warn(fmt.Errorf("another process removes cells of %s; waiting for it", s.Dir()))
		}
		select {
		case <-time.After(process.RetryPause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// StoreError reports an error of the store rather than of a cell, such as a full disk.
type StoreError struct{ Err error }

// Error implements error.
func (e *StoreError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the store.
func (e *StoreError) Unwrap() error { return e.Err }

// cellRunner computes cells that a store does not have whole.
type cellRunner struct {
	host  *process.Host
	store *store.Store
	fresh bool // compute cells that are found, too
	// lock is that of store; tests replace it.
	lock    func(store.Key) (unlock func(), err error)
	began   time.Time // failures filed since then, by any process, count for this run
	warn    func(error)
	noLocks sync.Once // warns once that the file system has no locks
}

// ensureCell makes sure that the store has one cell: it finds or computes it, or files its
// failure. The error is [store.ErrLocked] if another process computes the cell.
func (e *cellRunner) ensureCell(ctx context.Context, c *experiment.Cell) (found bool, err error) {
	if !e.fresh && isStored(e.store, c) {
		return true, nil
	}
	unlock, err := e.lockCell(c)
	if err != nil {
		return false, err
	}
	defer unlock()
	// Another process may have stored the cell before it was locked here.
	stored, err := e.mendStored(c)
	if err != nil {
		return false, err
	}
	if stored != nil && !e.fresh && !c.Lacks(stored.Columns) {
		return true, nil
	}
	if stored != nil {
		c = c.WithColumns(stored.Columns) // metrics that other experiments asked for stay in the cell
	}
	if failure, err := e.store.Failure(c.Key); err == nil && failure.At.After(e.began) {
		return false, errors.New(failure.Reason)
	}
	cell, err := Compute(ctx, e.host, c)
	if err != nil && ctx.Err() != nil {
		return false, err
	}
	if err != nil {
		return false, e.fileFailure(c, err)
	}
	if err := e.store.Put(c.Key, cell); err != nil {
		return false, &StoreError{err}
	}
	return false, nil
}

// lockCell locks a cell. Where there are no locks, it warns once and does nothing.
func (e *cellRunner) lockCell(c *experiment.Cell) (unlock func(), err error) {
	unlock, err = e.lock(c.Key)
	switch {
	case errors.Is(err, store.ErrLocked):
		return nil, err
	case errors.Is(err, errors.ErrUnsupported):
		e.noLocks.Do(func() {
			e.warn(fmt.Errorf("%w; other processes on this store may compute the same cells", err))
		})
		return func() {}, nil
	case err != nil:
		return nil, &StoreError{err}
	}
	return unlock, nil
}

// isStored reports whether a store has a cell, whole and with the columns that the plan needs.
func isStored(s *store.Store, c *experiment.Cell) bool {
	stored, err := s.Check(c.Key)
	return err == nil && !c.Lacks(stored.Columns)
}

// mendStored returns the stored cell without its numbers, or nil if the store has no whole copy of
// it. It sets damaged copies aside and warns of them.
func (e *cellRunner) mendStored(c *experiment.Cell) (*store.Cell, error) {
	stored, damaged, err := e.store.Mend(c.Key)
	then := fmt.Sprintf("computing %s again", c)
	if stored != nil && !e.fresh {
		then = fmt.Sprintf("another copy of %s is whole", c)
	}
	for _, d := range damaged {
		e.warn(d.Warning(then))
	}
	if err != nil {
		return nil, &StoreError{err}
	}
	return stored, nil
}

// fileFailure files the failure of a cell, and returns what is stored of its error.
func (e *cellRunner) fileFailure(c *experiment.Cell, err error) error {
	// The numbers of an earlier run are set aside, or they would be shown as if they could still be
	// computed. A packed cell stays, hidden by the failure.
	if e.store.Has(c.Key) {
		old := &store.DamagedError{Path: e.store.Path(c.Key), Reason: "it cannot be computed any more"}
		if err := setAside(e.store, old, "the failure takes its place", e.warn); err != nil {
			return &StoreError{err}
		}
	}
	if text := err.Error(); len(text) > input.MaxReason {
		err = &truncatedError{input.Cut(text), err}
	}
	if err := e.store.PutFailure(c.Key, err.Error()); err != nil {
		return &StoreError{err}
	}
	return err
}

// truncatedError shortens the text of an error to what is stored of it.
type truncatedError struct {
	text string
	err  error
}

// Error returns the shortened text.
func (e *truncatedError) Error() string { return e.text }

// Unwrap returns the whole error.
func (e *truncatedError) Unwrap() error { return e.err }

// setAside renames a file that must not be used any longer, and warns of it unless it was gone.
func setAside(s *store.Store, d *store.DamagedError, then string, warn func(error)) error {
	err := s.SetAside(d)
	if err == nil && d.SetAsideAs != "" {
		warn(d.Warning(then))
	}
	return err
}

// FailureKind returns the reason of a failure without what differs between failures of the same
// kind: the given names, and all numbers.
func FailureKind(reason string, names ...string) string {
	for _, name := range names {
		reason = strings.ReplaceAll(reason, name, "")
	}
	return numbersIn.ReplaceAllString(reason, "#")
}

// numbersIn matches numbers in a message.
var numbersIn = regexp.MustCompile(`-?[0-9][0-9.e+-]*`)

// RecordPlan records the experiment of a plan in the store, unless the store has the record. A
// damaged record is set aside, and warn is told. It is an error if the store has a record with an
// algorithm or a problem of another program that is not given now: it would be lost.
func RecordPlan(p *experiment.Plan, s *store.Store, warn func(error)) error {
	e, r := p.Experiment, p.Record()
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var damaged *store.DamagedError
	name := recordName(p)
	switch old, err := s.Experiment(name); {
	case err == nil && bytes.Equal(old.Data, data):
		return nil
	case err == nil:
		if err := checkDropped(p, s, old); err != nil {
			return err
		}
	case errors.As(err, &damaged):
		if err := setAside(s, damaged, fmt.Sprintf("recording experiment %s again", e.Name),
			warn); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, store.ErrNotFound):
		return err
	}
	return s.PutExperiment(name, data)
}

// recordName returns the name under which a plan is recorded.
func recordName(p *experiment.Plan) string { return cmp.Or(p.RecordAs, p.Experiment.Name) }

// CheckRecord returns the error of [RecordPlan] if the store has a record that would lose
// something.
func CheckRecord(p *experiment.Plan, s *store.Store) error {
	old, err := s.Experiment(recordName(p))
	if err != nil {
		return nil // nothing is recorded, or a damaged record, which is set aside
	}
	return checkDropped(p, s, old)
}

// checkDropped returns an error if a record has entries of other programs, or files of actions,
// that are not given now. It names all their flags.
func checkDropped(p *experiment.Plan, s *store.Store, old store.Record) error {
	var r experiment.Record
	if json.Unmarshal(old.Data, &r) != nil {
		return nil // a record that cannot be read loses nothing by being replaced
	}
	names, flags := p.Dropped(r)
	if names == nil {
		return nil
	}
	return fmt.Errorf("experiment %s in %s has %s, which this run would drop; give it again: %s, or "+
		"name another --store, or remove the record first: bench store rm %s", r.Name, s.Dir(),
		strings.Join(names, " and "), strings.Join(flags, " "), r.Name)
}
