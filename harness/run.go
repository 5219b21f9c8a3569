package harness

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"ocobench/algorithms"
	"ocobench/harness/host"
	"ocobench/harness/spec"
	"ocobench/harness/store"
	"ocobench/internal/input"
)

// A run enters the store, records the experiment, and makes sure of one cell after another
// on its workers: it looks for the cell, locks it, looks again, computes it, and files it
// or its failure. The record comes first, so that the cells of an interrupted run belong to
// an experiment.

// Options say how a plan is run.
type Options struct {
	Workers int // at least 1
	// Shard and Shards select the cells Shard, Shard+Shards, … of the plan,
	// 1 ≤ Shard ≤ Shards; 0 and 0 select all.
	Shard, Shards int
	// Keys, unless nil, are those of the cells that are run, in place of a shard.
	Keys map[store.Key]bool
	// Fresh computes all cells, and files them in place of what the store has.
	Fresh bool
	// Unrecorded leaves the store without a record of the experiment. No experiment then
	// refers to the cells, which [Plan.Results] reads. The store is not swept: the small
	// plans of a search would look at every file each time.
	Unrecorded bool
	// Progress is called, from one goroutine at a time, for every cell that is done: found
	// in the store, computed, or failed.
	Progress func(c *Cell, found bool, err error)
	// Warn is called with what the user should know and need not act on.
	Warn func(error)
}

// cells are the cells of a plan that are run.
func (o Options) cells(p *Plan) []*Cell {
	var cells []*Cell
	switch {
	case o.Keys != nil:
		for _, c := range p.Cells {
			if o.Keys[c.Key] {
				cells = append(cells, c)
			}
		}
		return cells
	case o.Shards == 0:
		return p.Cells
	}
	for i := o.Shard - 1; i < len(p.Cells); i += o.Shards {
		cells = append(cells, p.Cells[i])
	}
	return cells
}

// Failure is a cell that could not be computed.
type Failure struct {
	Cell *Cell
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
func (p *Plan) Run(ctx context.Context, s *store.Store, o Options) ([]Failure, error) {
	var mu sync.Mutex
	warn := func(err error) {
		if o.Warn != nil {
			mu.Lock()
			defer mu.Unlock()
			o.Warn(err)
		}
	}
	leave, err := enter(ctx, s, warn)
	if err != nil {
		return nil, err
	}
	defer leave()
	e := ensurer{store: s, lock: s.Lock, fresh: o.Fresh, began: time.Now(), warn: warn}
	if !o.Unrecorded {
		if err := p.Record(s, warn); err != nil {
			return nil, err
		}
		if _, err := s.Sweep(); err != nil {
			return nil, &StoreError{err}
		}
	}
	cells := o.cells(p)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, len(cells))
	idle := sync.OnceFunc(func() {
		warn(fmt.Errorf("another process on %s computes what is left; waiting for it", s.Dir()))
	})
	host.Queue(ctx, len(cells), max(1, o.Workers), idle, func(i int) (done bool) {
		found, err := e.ensure(ctx, cells[i])
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

// enter tells other processes that this one computes cells of the store. It waits while
// another process removes cells. In a store that has no locks, or cannot be written, it
// does nothing.
func enter(ctx context.Context, s *store.Store, warn func(error)) (leave func(), err error) {
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
		case <-time.After(host.Interval):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// StoreError is an error of the store rather than of a cell, such as that of a full disk.
type StoreError struct{ Err error }

// Error implements error.
func (e *StoreError) Error() string { return e.Err.Error() }

func (e *StoreError) Unwrap() error { return e.Err }

// ensurer makes sure that a store has cells that are not damaged.
type ensurer struct {
	store   *store.Store
	fresh   bool // compute what is found, too
	lock    func(store.Key) (unlock func(), err error)
	began   time.Time
	warn    func(error)
	noLocks sync.Once
}

// ensure makes sure of one cell. The error is [store.ErrLocked] if another process
// computes it.
func (e *ensurer) ensure(ctx context.Context, c *Cell) (found bool, err error) {
	if found, _, _, err := e.look(c); found || err != nil {
		return found, err
	}
	unlock, err := e.lock(c.Key)
	switch {
	case errors.Is(err, store.ErrLocked):
		return false, err
	case errors.Is(err, errors.ErrUnsupported):
		e.noLocks.Do(func() {
			e.warn(fmt.Errorf("%w; other processes on this store may compute the same cells", err))
		})
	case err != nil:
		return false, &StoreError{err}
	default:
		defer unlock()
	}
	found, damaged, whole, err := e.look(c) // another process may have put it before the lock
	if found || err != nil {
		return found, err
	}
	if failure, err := e.store.Failure(c.Key); err == nil && failure.At.After(e.began) {
		return false, errors.New(failure.Reason)
	}
	if damaged != nil {
		then := fmt.Sprintf("computing %s again", c)
		if whole != nil {
			then = fmt.Sprintf("a pack has %s, too", c)
		}
		if err := setAside(e.store, damaged, then, e.warn); err != nil {
			return false, &StoreError{err}
		}
		if whole != nil { // a file of its own goes before all copies
			if err := e.store.Put(c.Key, whole); err != nil {
				return false, &StoreError{err}
			}
			return true, nil
		}
	}
	cell, err := c.Compute(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return false, err
	case err != nil:
		if e.fresh && e.store.Has(c.Key) { // or its numbers would be shown as today's
			old := &store.DamagedError{Path: e.store.Path(c.Key), Reason: "it cannot be computed any more"}
			if err := setAside(e.store, old, "the failure takes its place", e.warn); err != nil {
				return false, &StoreError{err}
			}
		}
		if text := err.Error(); len(text) > input.MaxReason {
			err = &longError{input.Cut(text), err}
		}
		if err := e.store.PutFailure(c.Key, err.Error()); err != nil {
			return false, &StoreError{err}
		}
		return false, err
	}
	if err := e.store.Put(c.Key, cell); err != nil {
		return false, &StoreError{err}
	}
	return false, nil
}

// longError is the error of a cell, cut to what is stored of it.
type longError struct {
	text string
	err  error
}

func (e *longError) Error() string { return e.text }

func (e *longError) Unwrap() error { return e.err }

// look reports whether the store has a cell, or what is damaged there, with the cell if there is
// a whole copy.
func (e *ensurer) look(c *Cell) (found bool, damaged *store.DamagedError, whole *store.Cell,
	err error) {
	err = e.store.Check(c.Key)
	switch {
	case err == nil:
		return !e.fresh, nil, nil, nil
	case errors.As(err, &damaged):
		if !e.fresh {
			whole, _ = e.store.Get(c.Key)
		}
		return false, damaged, whole, nil
	case errors.Is(err, store.ErrNotFound):
		return false, nil, nil, nil
	default:
		return false, nil, nil, &StoreError{err}
	}
}

// setAside sets a damaged file aside, and says so.
func setAside(s *store.Store, d *store.DamagedError, then string, warn func(error)) error {
	name, err := s.SetAside(d)
	if err == nil && name != "" {
		warn(fmt.Errorf("%s is damaged (%s) and set aside as %s; %s", d.Path, d.Reason,
			filepath.Base(name), then))
	}
	return err
}

// Record is what the store remembers of an experiment: enough to read its
// results without its specification.
type Record struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Seed        uint64    `json:"seed"`
	Replicates  int       `json:"replicates"`
	Horizon     []int     `json:"horizon"`
	Window      float64   `json:"window"`
	Confidence  float64   `json:"confidence"`
	Algorithms  []Entrant `json:"algorithms"`
	Problems    []Entrant `json:"problems"`
	Unmet       []Unmet   `json:"unmet,omitempty"`
	TuningSeed  uint64    `json:"tuning_seed,omitempty"` // if algorithms are tuned
	// those of the key metrics: see Measured
	Metrics []string `json:"metrics,omitempty"`
	// the SPEC of the key baseline
	Baseline string       `json:"baseline,omitempty"`
	Cells    []RecordCell `json:"cells"`
}

// Entrant is an algorithm or a problem of a recorded experiment.
type Entrant struct {
	Spec  string `json:"spec"`
	Label string `json:"label,omitempty"` // is shown in place of the SPEC
	Name  string `json:"name"`
	// Flag gave it to the program, where it is of another program or of a file of actions.
	Flag string `json:"flag,omitempty"`
	// FullName is the title that the registry has of the name, such as "Penalised FTRL". An
	// analysis has it, a record does not.
	FullName string          `json:"full_name,omitempty"`
	Params   json.RawMessage `json:"params"` // all of them, defaults included
	// Of a problem: no random number is drawn, and one replicate is all there is.
	Deterministic bool `json:"deterministic,omitempty"`
	// Of a problem: its parameters depend on the horizon, so that a longer game does not continue a
	// shorter one.
	Indexed bool `json:"indexed,omitempty"`
	// Of an algorithm:
	Draws   bool               `json:"draws,omitempty"` // random numbers
	Tuned   string             `json:"tuned,omitempty"` // the grid that it was chosen from
	Anytime bool               `json:"anytime,omitempty"`
	Claims  []algorithms.Claim `json:"claims,omitempty"`
	// What the registry says, which an analysis has and a record does not: the feedback
	// that an algorithm uses and what it assumes, or what is true of the rounds of a
	// problem, such as "fixed constraints".
	Doc      string              `json:"doc,omitempty"`
	Feedback algorithms.Feedback `json:"feedback,omitempty"`
	Assumes  []string            `json:"assumes,omitempty"`
	Facts    []string            `json:"facts,omitempty"`
	// Source is the store that an algorithm is from, where an analysis shows two.
	Source string `json:"source,omitempty"`
}

// Title is the label, or the SPEC where there is none.
func (e Entrant) Title() string {
	if e.Label != "" {
		return e.Label
	}
	return e.Spec
}

// Param returns a parameter as it is shown, or "": a text as it is, in quotes with escapes only
// where it has characters that cannot be printed, and anything else as it stands in JSON.
func (e Entrant) Param(name string) string {
	value := e.params()[name]
	var text string
	var texts []string
	if json.Unmarshal(value, &text) == nil {
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return strconv.Quote(text)
		}
		return text
	} else if json.Unmarshal(value, &texts) != nil || len(texts) == 0 {
		return string(value)
	}
	for i, text := range texts {
		texts[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// params are the parameters and the settings, which are recorded where they are not the
// defaults.
func (e Entrant) params() map[string]json.RawMessage {
	params := map[string]json.RawMessage{
		feedbackKey: json.RawMessage(strconv.Quote(ownFeedback.Feedback)),
		combineKey:  json.RawMessage(strconv.Quote(ownCombination.Combine)),
	}
	if json.Unmarshal(e.Params, &params) != nil {
		return nil
	}
	return params
}

// Varying returns the names of the parameters in which some of the entrants
// differ, in order.
func Varying(entrants []Entrant) []string {
	values := make(map[string]string)
	differ := make(map[string]bool)
	for i, e := range entrants {
		for name, v := range e.params() {
			if i > 0 && values[name] != string(v) {
				differ[name] = true
			}
			values[name] = string(v)
		}
	}
	return slices.Sorted(maps.Keys(differ))
}

// RecordCell is a cell of a recorded experiment at one of its horizons, in the order of
// the plan. A cell that serves several horizons is recorded for each of them.
type RecordCell struct {
	Kind      string    `json:"kind"`
	Algorithm string    `json:"algorithm,omitempty"` // SPEC
	Resolved  string    `json:"resolved,omitempty"`  // with the numbers of its expressions
	Problem   string    `json:"problem"`             // SPEC
	Replicate int       `json:"replicate"`
	Horizon   int       `json:"horizon"`
	Key       store.Key `json:"key"`
}

// Digest identifies the cells of a plan, in any order.
func (p *Plan) Digest() string {
	var keys []store.Key
	for _, c := range p.Cells {
		keys = append(keys, c.Key)
	}
	return digestOf(keys)
}

// WayOf is the reason of a failure without what tells it from failures of the same kind: these
// names, and all numbers.
func WayOf(reason string, names ...string) string {
	for _, name := range names {
		reason = strings.ReplaceAll(reason, name, "")
	}
	return numbersIn.ReplaceAllString(reason, "#")
}

var numbersIn = regexp.MustCompile(`[0-9][0-9.e+-]*`)

// Chosen reports whether the metrics that an experiment names are those that are shown. Where
// it names only such on request that are no violations, they are shown beside the usual ones.
func Chosen(metrics []string) bool {
	return slices.ContainsFunc(metrics, func(name string) bool {
		return !slices.Contains(spec.OnRequest, name) ||
			slices.Contains(algorithms.Violations, algorithms.Metric(name))
	})
}

// Measured returns the metrics of the table that the experiment has. Those on request are
// there if it names them, and dynamic regret also if a claim is about it. Shown are those
// that it names, beside the usual ones if all are on request ([Chosen]).
func (r Record) Measured() []Metric {
	asked := func(m Metric) bool { return slices.Contains(r.Metrics, string(m.Name)) }
	metrics := Select(func(m Metric) bool {
		claimed := func(e Entrant) bool {
			return slices.ContainsFunc(e.Claims, func(c algorithms.Claim) bool { return c.Metric == m.Name })
		}
		return !m.Internal && (!m.OnRequest || asked(m) || slices.ContainsFunc(r.Algorithms, claimed))
	})
	usual := !Chosen(r.Metrics)
	for i, m := range metrics {
		metrics[i].Shown = usual && m.Shown || asked(m)
	}
	return metrics
}

// Digest identifies the cells of a recorded experiment, in any order.
func (r Record) Digest() string {
	var keys []store.Key
	for _, c := range r.Cells {
		keys = append(keys, c.Key)
	}
	return digestOf(keys)
}

// Base is the record of an experiment that names no metrics and no baseline.
func (r Record) Base() Record {
	r.Metrics, r.Baseline = nil, ""
	return r
}

// FitsSum is the digest of all that fits of the experiment depend on: of [Record.Base], and other
// than its [Record.Sum].
func (r Record) FitsSum() store.Key { return store.KeyOf([]byte("fits " + r.Base().Sum())) }

// Sum is the digest of all that the record says.
func (r Record) Sum() store.Key {
	data, err := json.Marshal(r)
	if err != nil {
		panic("harness: " + err.Error()) // it was JSON, or becomes some
	}
	return store.KeyOf(data)
}

func digestOf(keys []store.Key) string {
	slices.Sort(keys)
	keys = slices.Compact(keys)
	var all []byte
	for _, k := range keys {
		all = append(all, k...)
	}
	return string(store.KeyOf(all))[:16]
}

// record is the record of the plan.
func (p *Plan) record() Record {
	e := p.Experiment
	r := Record{
		Name: e.Name, Description: e.Description, Seed: e.Seed, Replicates: e.Replicates,
		Horizon: e.Horizon, Window: e.Window, Confidence: e.Confidence, Unmet: p.Unmet,
		TuningSeed: e.TuningSeed, Metrics: e.Metrics, Baseline: p.baseline,
	}
	for _, c := range p.Contenders {
		tuned := ""
		if u, ok := p.Tuned[c.Spec]; ok {
			tuned = u.String()
		}
		r.Algorithms = append(r.Algorithms, Entrant{
			Tuned: tuned, Spec: c.Spec, Label: c.Use.Label, Name: c.Name, Flag: c.Flag,
			Params:  json.RawMessage(c.Resolved()),
			Anytime: c.anytime(), Draws: c.Draws, Claims: p.claims(c),
		})
	}
	for _, a := range p.Arenas {
		r.Problems = append(r.Problems, Entrant{
			Spec: a.Spec, Label: a.Use.Label, Name: a.Name, Flag: a.Flag,
			Params:        json.RawMessage(a.Resolved()),
			Deterministic: a.deterministic, Indexed: a.indexed(),
		})
	}
	for _, entry := range p.Entries {
		rc := entry.record()
		rc.Horizon, rc.Key = entry.At, entry.Key
		r.Cells = append(r.Cells, rc)
	}
	return r
}

// Record records the experiment in the store, unless the store has the record. A damaged
// record is set aside, and warn is told. It is an error if the store has a record with an
// algorithm or a problem of another program that is not given now: it would be lost.
func (p *Plan) Record(s *store.Store, warn func(error)) error {
	e, r := p.Experiment, p.record()
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var damaged *store.DamagedError
	name := cmp.Or(p.RecordAs, e.Name)
	switch old, err := s.Experiment(name); {
	case err == nil && bytes.Equal(old.Data, data):
		return nil
	case err == nil:
		if err := p.keeps(s, old); err != nil {
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

// Keeps returns the error of [Plan.Record] if the store has a record that would lose something.
func (p *Plan) Keeps(s *store.Store) error {
	old, err := s.Experiment(cmp.Or(p.RecordAs, p.Experiment.Name))
	if err != nil {
		return nil // nothing is recorded, or a damaged record, which is set aside
	}
	return p.keeps(s, old)
}

// keeps returns an error if a record has entries of other programs, or files of actions, that
// are not given now. It names all their flags.
func (p *Plan) keeps(s *store.Store, old store.Record) error {
	var r Record
	if json.Unmarshal(old.Data, &r) != nil {
		return nil // what cannot be read is no loss
	}
	var names, flags []string
	for k, entrants := range [][]Entrant{r.Algorithms, r.Problems} {
		for _, e := range entrants {
			if e.Flag != "" && !slices.Contains(p.names[k], e.Name) && !slices.Contains(flags, e.Flag) {
				names, flags = append(names, e.Name), append(flags, e.Flag)
			}
		}
	}
	if names == nil {
		return nil
	}
	return fmt.Errorf("experiment %s in %s has %s, which this run would drop; give it again: %s, or "+
		"name another --store, or remove the record first: bench store rm %s", r.Name, s.Dir(),
		strings.Join(names, " and "), strings.Join(flags, " "), r.Name)
}
