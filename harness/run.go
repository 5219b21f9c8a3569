package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"ocobench/algorithms"
	"ocobench/harness/spec"
	"ocobench/harness/store"
)

// Options say how a plan is run.
type Options struct {
	Workers int // at least 1
	// Shard and Shards select the cells Shard, Shard+Shards, … of the plan,
	// 1 ≤ Shard ≤ Shards; 0 and 0 select all.
	Shard, Shards int
	// Fresh computes all cells, and files them in place of what the store has.
	Fresh bool
	// Progress is told, from one goroutine at a time, of every cell that is
	// there: found in the store, computed, or failed.
	Progress func(c *Cell, found bool, err error)
	// Warn is told of what the user should know and need not act on.
	Warn func(error)
}

// Failure is a cell that could not be computed.
type Failure struct {
	Cell *Cell
	Err  error
}

// Run computes the cells that the store does not have and records the
// experiment. A cell that fails does not keep others from running; the
// failures come back in the order of the plan. The error is for what stops
// the run: the context, or a store that cannot be written.
func (p *Plan) Run(ctx context.Context, s *store.Store, o Options) ([]Failure, error) {
	if _, err := s.Sweep(); err != nil {
		return nil, err
	}
	if err := p.record(s); err != nil {
		return nil, err
	}
	cells := p.Cells
	if o.Shards > 0 {
		cells = nil
		for i := o.Shard - 1; i < len(p.Cells); i += o.Shards {
			cells = append(cells, p.Cells[i])
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	errs := make([]error, len(cells))
	var mu sync.Mutex
	var wg sync.WaitGroup
	next := make(chan int)
	for range max(1, o.Workers) {
		wg.Go(func() {
			for i := range next {
				found, err := ensure(ctx, s, cells[i], o.Fresh, func(err error) {
					if o.Warn != nil {
						mu.Lock()
						defer mu.Unlock()
						o.Warn(err)
					}
				})
				var broken *storeError
				if errors.As(err, &broken) {
					cancel(err)
				}
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				errs[i] = err
				if o.Progress != nil {
					o.Progress(cells[i], found, err)
				}
				mu.Unlock()
			}
		})
	}
feed:
	for i := range cells {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
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

// storeError is an error of the store rather than of a cell.
type storeError struct{ error }

func (e *storeError) Unwrap() error { return e.error }

// ensure makes sure that the store has the cell, whole.
func ensure(ctx context.Context, s *store.Store, c *Cell, fresh bool, warn func(error)) (found bool, err error) {
	var damaged *store.DamagedError
	switch _, err := s.Get(c.Key); {
	case err == nil && !fresh:
		return true, nil
	case err == nil:
	case errors.As(err, &damaged):
		warn(fmt.Errorf("%s is damaged (%s); computing %s again", damaged.Path, damaged.Reason, c))
	case !errors.Is(err, store.ErrNotFound):
		return false, &storeError{err}
	}
	cell, err := c.Compute(ctx)
	if err != nil {
		return false, err
	}
	if err := s.Put(c.Key, cell); err != nil {
		return false, &storeError{err}
	}
	return false, nil
}

// Record is what the store remembers of an experiment: enough to read its
// results without its specification.
type Record struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"`
	Seed        uint64       `json:"seed"`
	Replicates  int          `json:"replicates"`
	Horizon     []int        `json:"horizon"`
	Window      float64      `json:"window"`
	Confidence  float64      `json:"confidence"`
	Algorithms  []Entrant    `json:"algorithms"`
	Problems    []Entrant    `json:"problems"`
	Unmet       []Unmet      `json:"unmet,omitempty"`
	TuningSeed  uint64       `json:"tuning_seed,omitempty"` // if algorithms are tuned
	Cells       []RecordCell `json:"cells"`
}

// Entrant is an algorithm or a problem of a recorded experiment.
type Entrant struct {
	Spec   string          `json:"spec"`
	Name   string          `json:"name"`
	Params json.RawMessage `json:"params"` // all of them, defaults included
	// Of an algorithm:
	Tuned   string             `json:"tuned,omitempty"` // the grid that it was chosen from
	Anytime bool               `json:"anytime,omitempty"`
	Claims  []algorithms.Claim `json:"claims,omitempty"`
}

// Param returns a parameter as it stands in JSON, or "".
func (e Entrant) Param(name string) string {
	var params map[string]json.RawMessage
	if json.Unmarshal(e.Params, &params) != nil {
		return ""
	}
	return string(params[name])
}

// Varying returns the names of the parameters in which some of the entrants
// differ, in order.
func Varying(entrants []Entrant) []string {
	values := make(map[string]string)
	differ := make(map[string]bool)
	for i, e := range entrants {
		var params map[string]json.RawMessage
		if json.Unmarshal(e.Params, &params) != nil {
			continue
		}
		for name, v := range params {
			if i > 0 && values[name] != string(v) {
				differ[name] = true
			}
			values[name] = string(v)
		}
	}
	return slices.Sorted(maps.Keys(differ))
}

// RecordCell is a cell of a recorded experiment, in the order of the plan.
type RecordCell struct {
	Kind      string    `json:"kind"`
	Algorithm string    `json:"algorithm,omitempty"` // SPEC
	Problem   string    `json:"problem"`             // SPEC
	Replicate int       `json:"replicate"`
	Horizon   int       `json:"horizon"`
	Key       store.Key `json:"key"`
}

func (p *Plan) record(s *store.Store) error {
	e := p.Experiment
	r := Record{
		Name: e.Name, Description: e.Description, Seed: e.Seed, Replicates: e.Replicates,
		Horizon: e.Horizon, Window: e.Window, Confidence: e.Confidence, Unmet: p.Unmet, TuningSeed: e.TuningSeed,
	}
	for _, c := range p.Contenders {
		tuned := ""
		if u, ok := p.Tuned[c.Spec]; ok {
			tuned = u.String()
		}
		r.Algorithms = append(r.Algorithms, Entrant{
			Tuned: tuned, Spec: c.Spec, Name: c.Name, Params: json.RawMessage(spec.Resolved(c.Params)),
			Anytime: c.AnytimeWith(c.Params), Claims: c.ClaimsOf(c.Params),
		})
	}
	for _, a := range p.Arenas {
		r.Problems = append(r.Problems, Entrant{Spec: a.Spec, Name: a.Name, Params: json.RawMessage(spec.Resolved(a.Params))})
	}
	for _, c := range p.Cells {
		rc := c.record()
		rc.Key = c.Key
		r.Cells = append(r.Cells, rc)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.PutExperiment(e.Name, data)
}
