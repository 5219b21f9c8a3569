package run

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/store"
)

// Replay compares a stored cell with the same cell computed again.
type Replay struct {
	Cell       *experiment.Cell
	Missing    error  // why the store does not have the cell; nil if it does
	Failed     bool   // the cell failed when it was computed again
	Difference string // see [Difference]
	Renamed    bool   // the cell has another key now: its identity has changed
}

// Replays compares the cells that a store has under these keys with those of the plan, which
// a second store has where they could be computed.
func Replays(p *experiment.Plan, old *store.Store, keys []store.Key,
	fresh *store.Store) (all []Replay, err error) {
	for i, cell := range p.Cells {
		r := Replay{Cell: cell, Renamed: keys[i] != cell.Key}
		recorded, err := old.Get(keys[i])
		if err != nil {
			r.Missing = err
			all = append(all, r)
			continue
		}
		replayed, err := fresh.Get(cell.Key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			r.Failed = true
		case err != nil:
			return nil, err
		default:
			r.Difference = Difference(recorded, replayed)
		}
		all = append(all, r)
	}
	return all, nil
}

// Difference says in which of its numbers a cell differs from another, or returns "" where all bits
// are the same in the columns that both have. A metric that only one of them has is no difference,
// if it is new or on request; any other column that is gone is one.
func Difference(was, is *store.Cell) string {
	if len(was.Rows) != len(is.Rows) {
		return fmt.Sprintf("it has %d rows, and had %d", len(is.Rows), len(was.Rows))
	}
	for j, name := range was.Columns {
		k := slices.Index(is.Columns, name)
		if k < 0 {
			if m, _ := game.MetricNamed(algorithms.Metric(name)); !m.OnRequest {
				return fmt.Sprintf("it has no column %s any more", name)
			}
			continue
		}
		for i := range was.Rows {
			u, v := was.Rows[i][j], is.Rows[i][k]
			if math.Float64bits(u) != math.Float64bits(v) && !(math.IsNaN(u) && math.IsNaN(v)) {
				return fmt.Sprintf("%s at t = %v is %v, and was %v", name, was.Rows[i][0], v, u)
			}
		}
	}
	return ""
}
