package run

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/harness/store"
)

// Synthetic returns results that nobody played, whose metrics are known because they were chosen:
// every algorithm of the record on every problem of it, at every horizon. A value is that of a
// column at a round: of a game one of the metrics that a trace keeps, and of its comparator
// [game.ValueColumn] of a set. What is added has the magnitude 1 a round. Deterministic problems
// have one replicate. The cells of the record are replaced. O(cells · checkpoints).
func Synthetic(rec experiment.Record, value func(c experiment.RecordCell, column string,
	t int) float64) *Results {
	cells := make(planted)
	add := func(c experiment.RecordCell, columns []string) {
		c.Key = store.KeyOf(fmt.Append(nil, c))
		rec.Cells = append(rec.Cells, c)
		cell := &store.Cell{Kind: c.Kind, Columns: append([]string{game.TimeColumn}, columns...)}
		for _, t := range game.Checkpoints(c.Horizon) {
			row := []float64{float64(t)}
			for _, column := range columns {
				v := float64(t)
				if m, _ := game.MetricNamed(algorithms.Metric(column)); !m.Internal {
					v = value(c, column, t)
				}
				row = append(row, v)
			}
			cell.Rows = append(cell.Rows, row)
		}
		cells[c.Key] = cell
	}
	sets := []string{game.ValueColumn("xmin"), game.ValueColumn("xhat"), game.ValueColumn("xmax")}
	rec.Cells = nil
	for _, p := range rec.Problems {
		replicates := rec.Replicates
		if p.Deterministic {
			replicates = 1
		}
		for replicate := 1; replicate <= replicates; replicate++ {
			for _, horizon := range rec.Horizon {
				c := experiment.RecordCell{Kind: store.Hindsight, Problem: p.Spec, Replicate: replicate,
					Horizon: horizon}
				add(c, sets)
				c.Kind = store.Game
				for _, a := range rec.Algorithms {
					c.Algorithm = a.Spec
					add(c, game.TraceColumns()[1:])
				}
			}
		}
	}
	r, err := load(cells, rec)
	if err != nil {
		panic("run: " + err.Error()) // cells in memory can be read
	}
	return r
}

// planted are cells in memory.
type planted map[store.Key]*store.Cell

// Read implements [reader].
func (p planted) Read(key store.Key) (*store.Cell, string, error) { return p[key], "", nil }

// Failure implements [reader].
func (p planted) Failure(store.Key) (store.Failure, error) {
	return store.Failure{}, store.ErrNotFound
}
