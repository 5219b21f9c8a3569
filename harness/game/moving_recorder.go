package game

import (
	"fmt"
	"slices"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// Columns of the table of a moving comparator: the sum of the best losses, bounds of its error and
// of the violation of the best actions, and the fields of [algorithms.Motion].
const (
	colValue     = "value"
	colGap       = "gap"
	colResidual  = "residual"
	colPath      = "path"
	colVariation = "variation"
	colRise      = "rise"
	colSteepest  = "steepest"
)

// movingColumns lists the columns of the table of a moving comparator.
var movingColumns = []string{TimeColumn, colValue, colGap, colResidual, colPath, colVariation,
	colRise, colSteepest}

// movingRecorder keeps the sums of the moving comparator at the checkpoints. From the first round
// that no action satisfies, all sums over its actions are NaN.
type movingRecorder struct {
	*Moving
	checkpoints
	rows [][]float64
}

// NewMovingRecorder returns the recorder of [Moving] at checkpoints that increase.
func NewMovingRecorder(s problems.Stream, at []int) Recorder {
	return &movingRecorder{Moving: NewMoving(s), checkpoints: checkpoints{at}}
}

// MovingColumns returns the columns of [NewMovingRecorder].
func MovingColumns() []string { return slices.Clone(movingColumns) }

// Round implements [Observer].
func (m *movingRecorder) Round(t int, x []float64, r *convex.Round) error {
	if err := m.Moving.Round(t, x, r); err != nil || !m.isDue(t) {
		return err
	}
	if m.Empty == 0 && !isFinite(m.Value) {
		return fmt.Errorf("the sum of the least losses of the rounds is %v", m.Value)
	}
	m.rows = append(m.rows, []float64{float64(t), m.Value, m.Gap, m.Residual, m.Path, m.Variation,
		m.Rise, m.Steepest})
	return nil
}

// Motion returns how far the rounds have moved up to each checkpoint of the game, or nil
// where that is not measured.
func (g *Game) Motion() []algorithms.Motion {
	path, variation := g.Moving.Column(colPath), g.Moving.Column(colVariation)
	rise, steepest := g.Moving.Column(colRise), g.Moving.Column(colSteepest)
	if path == nil || len(path) != len(g.T()) {
		return nil
	}
	all := make([]algorithms.Motion, len(path))
	for k := range all {
		all[k] = algorithms.Motion{Path: path[k], Variation: variation[k], Rise: rise[k],
			Steepest: steepest[k]}
	}
	return all
}

// Kept implements [Recorder].
func (m *movingRecorder) Kept() ([]string, [][]float64) { return movingColumns, m.rows }
