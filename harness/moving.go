package harness

import (
	"errors"
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// Moving is the observer that solves every round by itself: x*_t is the action of the
// domain that is feasible in round t and has the least loss in it.
type Moving struct {
	// Value is Σ f_τ(x*_τ), Gap bounds it less the least such sum, and Residual is the
	// largest constraint at an x*_τ.
	Value, Gap, Residual float64
	// Empty is the first round that no action of the domain satisfies, or 0. From then on
	// all sums but Variation, Rise and Steepest are NaN.
	Empty int
	algorithms.Motion
	// Upper tells that Variation, Rise and Steepest are upper bounds, since the
	// constraints have changed by functions whose extreme values are not known exactly;
	// see [convex.Difference]. But for rounding they are never below what they bound.
	Upper bool

	set      convex.Set
	program  *convex.Program
	loss     *convex.Form
	now, old []*convex.Form // the constraints of this round, and of the one before
	changes  *convex.Difference
	x, last  []float64
}

// NewMoving returns the observer of a stream before its first round.
func NewMoving(s problems.Stream) *Moving {
	n := s.Set().Dim()
	m := &Moving{
		set: s.Set(), program: convex.NewProgram(s.Set()), loss: convex.NewForm(n), changes: convex.NewDifference(s.Set()),
		x: make([]float64, n), last: make([]float64, n),
	}
	for range s.Constraints() {
		m.now, m.old = append(m.now, convex.NewForm(n)), append(m.old, convex.NewForm(n))
	}
	return m
}

// Round implements [Observer].
func (m *Moving) Round(t int, _ []float64, r convex.Round) error {
	m.now, m.old = m.old, m.now
	m.x, m.last = m.last, m.x
	m.loss.Reset()
	r.Loss.AddTo(m.loss, 1)
	m.program.Reset()
	for j, g := range r.Constraints {
		m.now[j].Reset()
		g.AddTo(m.now[j], 1)
		m.program.Constrain(m.now[j])
	}
	if t > 1 {
		m.move()
	}
	if m.Empty > 0 {
		return nil
	}
	sol, err := m.program.Minimize(m.x, m.loss)
	switch {
	case errors.Is(err, convex.ErrEmpty):
		m.Empty = t
		m.Value, m.Gap, m.Residual, m.Path = math.NaN(), math.NaN(), math.NaN(), math.NaN()
		return nil
	case err != nil:
		return fmt.Errorf("the best action of the round: %w", err)
	}
	m.Value += sol.Value
	m.Gap += sol.Gap
	m.Residual = max(m.Residual, sol.Residual)
	if t > 1 {
		m.Path += vec.Dist(m.x, m.last)
	}
	return nil
}

// move adds what the constraints have changed by since the last round.
func (m *Moving) move() {
	largest, rise := 0.0, 0.0
	for j := range m.now {
		least, most, exact := m.changes.Bounds(m.now[j], m.old[j])
		largest, rise = max(largest, most, -least), rise+max(0, most)
		m.Upper = m.Upper || !exact
	}
	m.Variation += largest
	m.Rise += rise
	m.Steepest = max(m.Steepest, rise)
}
