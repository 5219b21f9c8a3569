package game

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// Recorder observes a game and keeps rows of numbers.
type Recorder interface {
	Observer
	// Kept returns the rows so far, a row a checkpoint.
	Kept() (columns []string, rows [][]float64)
}

// traceRecorder observes a game and keeps its metrics at the checkpoints, the trace. Apart from the
// rows its memory is constant.
type traceRecorder struct {
	checkpoints
	metrics   []Metric             // the columns of the trace, apart from the round
	certified algorithms.Certified // the learner, or nil
	sums      []*convex.Form       // Σ_{i≤t} g_{i,j}
	signed    []float64            // Σ_t g_{t,j}(x_t)

	// The values after the last round, which the functions read of [Metrics] return.
	loss, total, soft, running, hard, penalty, squared, largest, gap float64
	ccv, norm, movement                                              float64
	losses, constraints, actions                                     magnitude

	previousAction []float64 // the action of the round before; nil where no metric was requested
	gradient       []float64 // scratch
	rows           [][]float64
}

// magnitude sums over the rounds the size of the numbers that were added. It measures rounds 1,
// 2, 4, 8, …, and counts every round as the largest one measured so far.
type magnitude struct {
	sum, largest float64
}

// addRound adds the largest size so far as the size of a round.
func (m *magnitude) addRound() { m.sum += m.largest }

// newTraceRecorder returns the recorder of a game with m constraints in n dimensions, which also
// keeps the requested metrics.
func newTraceRecorder(l algorithms.Learner, n, m int, at []int,
	requested ...algorithms.Metric) *traceRecorder {
	rec := &traceRecorder{checkpoints: checkpoints{at}, metrics: traceMetrics(requested),
		signed: make([]float64, m), gradient: make([]float64, n)}
	if len(requested) > 0 {
		rec.previousAction = make([]float64, n)
	}
	rec.certified, _ = l.(algorithms.Certified)
	for range m {
		rec.sums = append(rec.sums, convex.NewForm(n))
	}
	return rec
}

// accumulate adds g to the sum of constraint j, and returns the values of g and of the sum at x.
// The sum is NaN once a function was opaque.
func (rec *traceRecorder) accumulate(j int, g convex.Func, x []float64) (value, sum float64) {
	if problems.IsOpaque(g) {
		rec.sums[j] = nil
	}
	if rec.sums[j] == nil {
		return g.Value(x), math.NaN()
	}
	return rec.sums[j].Accumulate(g, x)
}

// NewTrace returns the recorder of the metrics of a game, the requested ones included, at
// checkpoints that increase.
func NewTrace(l algorithms.Learner, s problems.Stream, at []int,
	requested ...algorithms.Metric) Recorder {
	rec := newTraceRecorder(l, s.Set().Dim(), s.Constraints(), at, requested...)
	if states := stateMetrics(requested); len(states) > 0 {
		return &stateRecorder{rec, l, states}
	}
	return rec
}

// TraceColumns returns the columns of [NewTrace].
func TraceColumns(requested ...algorithms.Metric) []string {
	return append(traceColumns(traceMetrics(requested)), stateColumns(stateMetrics(requested))...)
}

// Round implements [Observer].
func (rec *traceRecorder) Round(t int, x []float64, r *convex.Round) error {
	loss := r.Loss.Value(x)
	if !isFinite(loss) {
		return fmt.Errorf("the loss is %v", loss)
	}
	rec.loss += loss
	soft, total, largest, squares := 0.0, 0.0, 0.0, 0.0
	for j, g := range r.Constraints {
		v, sum := rec.accumulate(j, g, x)
		if !isFinite(v) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
		s := rec.signed[j] + v
		rec.signed[j] = s
		total += s
		if s > 0 {
			soft += s
		}
		if v > 0 {
			rec.hard += v
			rec.squared += float64(v * v)
			squares += float64(v * v)
			largest = max(largest, v)
		}
		if !(sum <= 0) { // or NaN
			rec.penalty += sum / float64(t)
		}
	}
	rec.addMagnitudes(t, x, r)
	rec.total, rec.soft = total, soft
	rec.largest = max(rec.largest, largest)
	if rec.previousAction != nil {
		rec.ccv += largest
		rec.norm += math.Sqrt(squares)
		if t > 1 {
			rec.movement += vec.Dist(x, rec.previousAction)
		}
		copy(rec.previousAction, x)
	}
	if soft > rec.running {
		rec.running = soft
	}
	if rec.certified != nil {
		rec.gap = max(rec.gap, rec.certified.Cert().Relative())
	}
	if rec.isDue(t) {
		row := []float64{float64(t)}
		for _, m := range rec.metrics {
			row = append(row, m.read(rec))
		}
		rec.rows = append(rec.rows, row)
	}
	return nil
}

// addMagnitudes adds the magnitudes of the round's losses, constraints and action, against which
// rounding errors are judged. In rounds 1, 2, 4, 8, … it evaluates every function once more, with
// its subgradient.
func (rec *traceRecorder) addMagnitudes(t int, x []float64, r *convex.Round) {
	if t&(t-1) == 0 {
		norm, sum := vec.Norm(x), 0.0
		for _, g := range r.Constraints {
			sum += convex.Magnitude(g, x, norm, rec.gradient)
		}
		rec.constraints.largest = max(rec.constraints.largest, sum)
		rec.losses.largest = max(rec.losses.largest, convex.Magnitude(r.Loss, x, norm, rec.gradient))
		rec.actions.largest = max(rec.actions.largest, norm)
	}
	rec.losses.addRound()
	rec.constraints.addRound()
	rec.actions.addRound()
}

// Kept implements [Recorder].
func (rec *traceRecorder) Kept() ([]string, [][]float64) {
	return traceColumns(rec.metrics), rec.rows
}
