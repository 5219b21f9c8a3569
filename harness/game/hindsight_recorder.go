package game

import (
	"fmt"
	"math"

	"ocobench/convex"
	"ocobench/problems"
)

// hindsightRecorder solves for the best fixed actions at the checkpoints, and asks for those that
// the problem declares.
type hindsightRecorder struct {
	*Hindsight
	checkpoints
	columns   []string
	rows      [][]float64
	lastBests []Best // the best actions of the last checkpoint

	// An opaque stream is solved at all checkpoints when the last one is reached. Until then these
	// are kept: the checkpoints, and the declared comparators there.
	reachedRounds []int
	declaredRows  [][]float64
}

// NewHindsightRecorder returns the recorder of [Hindsight] at checkpoints that increase.
func NewHindsightRecorder(s problems.Stream, at []int) Recorder {
	return newHindsightRecorder(s, at)
}

// newHindsightRecorder returns a recorder that solves at these checkpoints.
func newHindsightRecorder(s problems.Stream, at []int) *hindsightRecorder {
	h := &hindsightRecorder{Hindsight: NewHindsight(s), checkpoints: checkpoints{at},
		columns: hindsightColumns(comparatorSets(s), s.Set().Dim())}
	if h.declarer != nil {
		h.columns = append(h.columns, declaredColumns(s.Set().Dim())...)
	}
	return h
}

// Round implements [Observer].
func (h *hindsightRecorder) Round(t int, x []float64, r *convex.Round) (err error) {
	if err := h.Hindsight.Round(t, x, r); err != nil || !h.isDue(t) {
		return err
	}
	var declared []float64
	if h.declarer != nil {
		if declared, err = h.queryDeclared(); err != nil {
			return err
		}
	}
	if h.opaque != nil {
		h.reachedRounds, h.declaredRows = append(h.reachedRounds, t), append(h.declaredRows, declared)
		if len(h.at) > 0 { // checkpoints are still to come
			return nil
		}
		return h.solveOpaque()
	}
	bests, err := h.Solve()
	if err != nil {
		return err
	}
	return h.addRow(t, bests, declared)
}

// solveOpaque solves at all checkpoints, when the last one is reached.
func (h *hindsightRecorder) solveOpaque() error {
	all, err := h.opaque.solveAll(h.reachedRounds)
	if err != nil {
		return err
	}
	for k, bests := range all {
		if err := h.addRow(h.reachedRounds[k], bests, h.declaredRows[k]); err != nil {
			return err
		}
	}
	return nil
}

// addRow adds the row of a checkpoint: its best actions, and the declared comparator, which is nil
// if there is none.
func (h *hindsightRecorder) addRow(t int, bests []Best, declared []float64) error {
	h.lastBests = bests
	row := []float64{float64(t)}
	for _, b := range bests {
		if b.Empty {
			b.Value, b.Gap, b.Residual = math.NaN(), math.NaN(), math.NaN()
			for i := range b.Action {
				b.Action[i] = math.NaN()
			}
		}
		row = append(row, b.Value, b.Gap, b.Residual)
		row = append(row, b.Action...)
	}
	if h.declarer != nil {
		if err := h.checkDeclared(t, declared, bests); err != nil {
			return err
		}
		row = append(row, declared...)
	}
	h.rows = append(h.rows, row)
	return nil
}

// Kept implements [Recorder].
func (h *hindsightRecorder) Kept() ([]string, [][]float64) { return h.columns, h.rows }

// hindsightColumns returns the columns of a hindsight over sets in n dimensions. The numbers of an
// empty set are NaN.
func hindsightColumns(sets []string, n int) []string {
	cols := []string{TimeColumn}
	for _, s := range sets {
		cols = append(cols, ValueColumn(s), s+"_gap", s+"_residual")
		for i := range n {
			cols = append(cols, ActionColumn(s, i+1))
		}
	}
	return cols
}

// ValueColumn returns the name of the column of a hindsight with the value of the best action over
// a set.
func ValueColumn(set string) string { return set + "_value" }

// ActionColumn returns the name of the column of a hindsight with coordinate i, from 1, of the best
// action over a set.
func ActionColumn(set string, i int) string { return fmt.Sprintf("%s_x%d", set, i) }
