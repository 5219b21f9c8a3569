package harness

import (
	"context"
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
func (rec Record) Replan(ctx context.Context, h *host.Host, c Catalog) (p *Plan, keys []store.Key, gone int, err error) {
	e := &spec.Experiment{
		Name: rec.Name, Horizon: rec.Horizon, Replicates: rec.Replicates, Seed: rec.Seed,
		Window: rec.Window, Confidence: rec.Confidence, Assumptions: "check", Metrics: rec.Metrics,
	}
	// Pairs that do not meet assumptions were played, or none of them.
	for _, u := range rec.Unmet {
		if slices.ContainsFunc(rec.Cells, func(cell RecordCell) bool { return cell.Algorithm == u.Algorithm && cell.Problem == u.Problem }) {
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
	p.Cells = slices.DeleteFunc(p.Cells, func(cell *Cell) bool { return recorded[cell.record()] == "" })
	for _, cell := range p.Cells {
		keys = append(keys, recorded[cell.record()])
	}
	return p, keys, len(all) - len(keys), nil
}

// record is the cell as a record has it, without its key.
func (c *Cell) record() RecordCell {
	rec := RecordCell{Kind: c.Kind, Problem: c.Arena.Spec, Replicate: c.Replicate, Horizon: c.Horizon}
	if c.Contender != nil {
		rec.Algorithm = c.Contender.Spec
	}
	return rec
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
			if u := was.Rows[i][k]; math.Float64bits(u) != math.Float64bits(v) && !(math.IsNaN(u) && math.IsNaN(v)) {
				return fmt.Sprintf("%s at t = %v is %v, and was %v", is.Columns[k], row[0], v, u)
			}
		}
	}
	return ""
}
