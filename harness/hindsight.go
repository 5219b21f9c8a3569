package harness

import (
	"errors"
	"fmt"
	"math"

	"ocobench/problems"
	"ocobench/problems/convex"
)

// Sets are the comparator sets of hindsight: X^min (feasible in every round),
// X̂^max (every prefix of the constraints sums to ≤ 0) and X^max (they sum to
// ≤ 0 in the end).
var Sets = []string{"xmin", "xhat", "xmax"}

// Best is the best fixed action over one comparator set after t rounds.
type Best struct {
	Set      string
	Empty    bool
	Value    float64 // Σ_{i≤t} f_i at the action
	Gap      float64 // bounds Value minus the least value
	Residual float64 // the largest violation of a constraint at the action
	Action   []float64
}

// Hindsight is the observer that accumulates rounds and solves for the best
// fixed actions. It does not look at the actions played.
type Hindsight struct {
	loss             *convex.Form
	cum              []*convex.Form
	round            *convex.Form
	xmin, xhat, xmax *convex.Program
	point            []float64 // of the domain
	rounds           int
	size             float64 // the largest constraint there
}

// NewHindsight returns the hindsight of a stream before its first round.
func NewHindsight(s problems.Stream) *Hindsight {
	n := s.Set().Dim()
	h := &Hindsight{
		loss:  convex.NewForm(n),
		round: convex.NewForm(n),
		xmin:  convex.NewProgram(s.Set()),
		xhat:  convex.NewProgram(s.Set()),
		xmax:  convex.NewProgram(s.Set()),
		point: make([]float64, n),
	}
	s.Set().Project(h.point, h.point)
	for range s.Constraints() {
		h.cum = append(h.cum, convex.NewForm(n))
	}
	return h
}

// Round implements [Observer].
func (h *Hindsight) Round(_ int, _ []float64, r convex.Round) error {
	if v := r.Loss.Value(h.point); !finite(v) {
		return fmt.Errorf("the loss is %v", v)
	}
	h.rounds++
	r.Loss.AddTo(h.loss, 1)
	for j, g := range r.Constraints {
		v := g.Value(h.point)
		if !finite(v) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
		h.size = max(h.size, math.Abs(v))
		h.round.Reset()
		g.AddTo(h.round, 1)
		h.xmin.Constrain(h.round)
		g.AddTo(h.cum[j], 1)
		h.xhat.Constrain(h.cum[j])
	}
	return nil
}

// unsolved is the relative gap, and the residual of an average constraint,
// from which on a solution is none.
const unsolved = 1e-6

// Solve returns the best fixed actions so far, one for each of [Sets].
func (h *Hindsight) Solve() ([]Best, error) {
	h.xmax.Reset()
	for _, g := range h.cum {
		h.xmax.Constrain(g)
	}
	var bests []Best
	for k, p := range []*convex.Program{h.xmin, h.xhat, h.xmax} {
		b := Best{Set: Sets[k], Action: make([]float64, h.loss.Dim())}
		sol, err := p.Minimize(b.Action, h.loss)
		switch {
		case errors.Is(err, convex.ErrEmpty):
			b.Empty = true
		case err != nil:
			return nil, fmt.Errorf("hindsight over %s: %w", b.Set, err)
		case sol.Relative() > unsolved || sol.Residual > float64(unsolved*float64(h.rounds)*(1+h.size)):
			return nil, fmt.Errorf("hindsight over %s is not solved: gap %.2g, residual %.2g", b.Set, sol.Gap, sol.Residual)
		case !finite(sol.Value):
			return nil, fmt.Errorf("hindsight over %s: the value is %v", b.Set, sol.Value)
		default:
			b.Value, b.Gap, b.Residual = sol.Value, sol.Gap, sol.Residual
		}
		bests = append(bests, b)
	}
	return bests, nil
}

// hindsightTrace is the observer that solves at the checkpoints.
type hindsightTrace struct {
	*Hindsight
	checkpoints
	rows [][]float64
}

// Round implements [Observer].
func (h *hindsightTrace) Round(t int, x []float64, r convex.Round) error {
	if err := h.Hindsight.Round(t, x, r); err != nil || !h.due(t) {
		return err
	}
	bests, err := h.Solve()
	if err != nil {
		return err
	}
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
	h.rows = append(h.rows, row)
	return nil
}

// hindsightColumns are the columns of a hindsight cell in n dimensions; all
// those of an empty set are NaN.
func hindsightColumns(n int) []string {
	cols := []string{colT}
	for _, s := range Sets {
		cols = append(cols, s+"_value", s+"_gap", s+"_residual")
		for i := range n {
			cols = append(cols, fmt.Sprintf("%s_x%d", s, i+1))
		}
	}
	return cols
}
