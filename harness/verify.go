package harness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ocobench/harness/host"
	"ocobench/harness/spec"
	"ocobench/harness/store"
)

// Replan plans a recorded experiment with the algorithms and problems that the
// program has now, for the host to compute. It returns the plan and, for each of
// its cells, the key that the cell has in the record, and how many other cells the
// record has, which the program does not plan any more. The error says what else the
// program does not have any more.
func (rec Record) Replan(ctx context.Context, h *host.Host, c Catalog) (p *Plan, keys []store.Key,
	gone int, err error) {
	e := &spec.Experiment{
		Name: rec.Name, Horizon: rec.Horizon, Replicates: rec.Replicates, Seed: rec.Seed,
		Window: rec.Window, Confidence: rec.Confidence, Assumptions: "check", Metrics: rec.Metrics,
	}
	// Either all pairs that do not meet assumptions were played, or none of them.
	for _, u := range rec.Unmet {
		if slices.ContainsFunc(rec.Cells, func(cell RecordCell) bool {
			return cell.Algorithm == u.Algorithm && cell.Problem == u.Problem
		}) {
			e.Assumptions = "ignore"
		}
	}
	for _, list := range []struct {
		entrants []Entrant
		into     *[]spec.Use
	}{{rec.Problems, &e.Problems}, {rec.Algorithms, &e.Algorithms}} {
		for _, entrant := range list.entrants {
			u, err := spec.ParseSpec(entrant.Spec)
			if err != nil {
				return nil, nil, 0, err
			}
			*list.into = append(*list.into, u)
		}
	}
	recorded, all := make(map[RecordCell]store.Key), make(map[store.Key]bool)
	for _, cell := range rec.Cells {
		key := cell.Key
		cell.Key = ""
		recorded[cell], all[key] = key, true
	}
	// Records of ocobench 0.1 have cells for every horizon.
	if p, err = c.plan(ctx, h, e, len(all) == len(rec.Cells)); err != nil {
		return nil, nil, 0, err
	}
	for i := range p.Arenas {
		p.Arenas[i].Spec = rec.Problems[i].Spec
	}
	for i := range p.Contenders {
		p.Contenders[i].Spec = rec.Algorithms[i].Spec
	}
	p.Cells = slices.DeleteFunc(p.Cells,
		func(cell *Cell) bool { return recorded[cell.record()] == "" })
	for _, cell := range p.Cells {
		keys = append(keys, recorded[cell.record()])
	}
	return p, keys, len(all) - len(keys), nil
}

// record is the cell as a record has it, without its key.
func (c *Cell) record() RecordCell {
	rec := RecordCell{Kind: c.Kind, Problem: c.Arena.name(), Replicate: c.Replicate,
		Horizon: c.Horizon}
	switch who := c.Contender; {
	case who == nil:
	case who.of != nil:
		rec.Algorithm, rec.Resolved = who.of.Spec, who.played
	default:
		rec.Algorithm = who.Spec
	}
	return rec
}

// Sample leaves k cells of a plan, evenly spaced, or all if k is 0 or there are no more. It
// returns their keys, of those that the cells have elsewhere.
func (p *Plan) Sample(k int, keys []store.Key) []store.Key {
	n := len(p.Cells)
	if k == 0 || k >= n {
		return keys
	}
	var cells []*Cell
	var sampled []store.Key
	for i := range k {
		cells, sampled = append(cells, p.Cells[i*n/k]), append(sampled, keys[i*n/k])
	}
	p.Cells = cells
	return sampled
}

// A Replay is a stored cell that was computed again.
type Replay struct {
	Cell       *Cell
	Missing    error  // why the store does not have it
	Failed     bool   // when it was computed again
	Difference string // [Difference]
	Renamed    bool   // it has another key by now
}

// Replays compares the cells that a store has under these keys with those of the plan, which
// a second store has where they could be computed.
func (p *Plan) Replays(old *store.Store, keys []store.Key, fresh *store.Store) (all []Replay,
	err error) {
	for i, cell := range p.Cells {
		r := Replay{Cell: cell, Renamed: keys[i] != cell.Key}
		was, err := old.Get(keys[i])
		if err != nil {
			r.Missing = err
			all = append(all, r)
			continue
		}
		is, err := fresh.Get(cell.Key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			r.Failed = true
		case err != nil:
			return nil, err
		default:
			r.Difference = Difference(was, is)
		}
		all = append(all, r)
	}
	return all, nil
}

// Difference says in which of its numbers a cell differs from another, or
// nothing where all bits are the same.
func Difference(was, is *store.Cell) string {
	if !slices.Equal(was.Columns, is.Columns) {
		return fmt.Sprintf("it has %d columns, and had %d others", len(is.Columns), len(was.Columns))
	}
	if len(was.Rows) != len(is.Rows) {
		return fmt.Sprintf("it has %d rows, and had %d", len(is.Rows), len(was.Rows))
	}
	for i, row := range is.Rows {
		for k, v := range row {
			if u := was.Rows[i][k]; math.Float64bits(u) != math.Float64bits(v) &&
				!(math.IsNaN(u) && math.IsNaN(v)) {
				return fmt.Sprintf("%s at t = %v is %v, and was %v", is.Columns[k], row[0], v, u)
			}
		}
	}
	return ""
}
