package game

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// Moving observes a game and solves every round by itself: x*_t is the action of the domain that
// is feasible in round t and has the least loss in it. If there is more than one, it is the one
// of least norm, as exactly as [convex.Program.MinimizeLeastNorm] says. It depends on round t
// only. Every x*_t has a relative gap of at most 10⁻⁶. At x*_t no constraint exceeds
// 10⁻⁶·(c + max_j |g_{t,j}(z)|), where z is the point of the domain nearest to the origin, and c is
// the size of the constraints in the first round in which they are not all 0. A round that is
// solved less exactly is an error.
type Moving struct {
	// Value is Σ f_τ(x*_τ), Gap bounds how far Value is above the least such sum, and Residual is
	// the largest constraint at an x*_τ.
	Value, Gap, Residual float64
	// Empty is the first round that no action of the domain satisfies, or 0. From then on
	// all sums but Variation, Rise and Steepest are NaN.
	Empty             int
	algorithms.Motion // Path is that of x*_t; the others are changes of the constraints
	// Upper reports that Variation, Rise and Steepest are upper bounds, since the
	// constraints have changed by functions whose extreme values are not known exactly;
	// see [convex.Difference]. But for rounding they are never below what they bound.
	Upper bool

	opaque     bool // whether the stream is
	program    *convex.Program
	changes    *convex.Difference
	now, last  movingRound // this round and the one before
	nearOrigin []float64   // the point of the domain nearest to the origin
	gradient   []float64   // scratch
	diameter   float64     // of the domain
	// Every round is solved in these units.
	lossUnit, constraintUnit scaleUnit
}

// MarshalJSON implements [json.Marshaler]. From an empty round on there is no sum, and no
// path.
func (m *Moving) MarshalJSON() ([]byte, error) {
	type sums struct {
		Value    float64 `json:"value"`
		Gap      float64 `json:"gap"`
		Residual float64 `json:"residual"`
		Length   float64 `json:"path_length"`
	}
	var defined *sums // nil, and so left out, from an empty round on
	if m.Empty == 0 {
		defined = &sums{m.Value, m.Gap, m.Residual, m.Path}
	}
	return json.Marshal(struct {
		*sums
		Variation float64 `json:"constraint_variation"`
		Upper     bool    `json:"constraint_variation_is_upper_bound,omitempty"`
		Empty     int     `json:"empty,omitempty"` // the first round that is
	}{defined, m.Variation, m.Upper, m.Empty})
}

// movingRound holds a round and its best action.
type movingRound struct {
	loss        *convex.Form
	constraints []*convex.Form
	x           []float64
	convex.Solution
}

// ErrOpaqueMoving says that the moving comparator needs whole functions.
var ErrOpaqueMoving = errors.New("the functions of the problem are opaque: of its single rounds " +
	"there are no best actions, and so no dynamic regret, path length or constraint variation")

// newMovingRound returns memory for a round of a stream and its best action.
func newMovingRound(s problems.Stream) movingRound {
	n := s.Set().Dim()
	r := movingRound{loss: convex.NewForm(n), x: make([]float64, n)}
	for range s.Constraints() {
		r.constraints = append(r.constraints, convex.NewForm(n))
	}
	return r
}

// NewMoving returns the observer of a stream before its first round.
func NewMoving(s problems.Stream) *Moving {
	set := s.Set()
	m := &Moving{
		opaque:  s.Facts().Opaque,
		program: convex.NewProgram(set), changes: convex.NewDifference(set),
		now: newMovingRound(s), last: newMovingRound(s), nearOrigin: make([]float64, set.Dim()),
		gradient: make([]float64, set.Dim()), diameter: set.Diameter(),
	}
	set.Project(m.nearOrigin, m.nearOrigin)
	return m
}

// Round implements [Observer]. It allocates nothing if the losses are affine or quadratic and
// the constraints, fewer than 64, affine. A round that repeats the one before costs a
// comparison.
func (m *Moving) Round(t int, _ []float64, r *convex.Round) error {
	if m.opaque {
		return ErrOpaqueMoving
	}
	m.now, m.last = m.last, m.now
	now := &m.now
	now.loss.Reset()
	r.Loss.AddTo(now.loss, 1/m.lossUnit.updateUnit([]convex.Func{r.Loss}, m.nearOrigin, m.diameter,
		m.gradient))
	scale := 1 / m.constraintUnit.updateUnit(r.Constraints, m.nearOrigin, m.diameter, m.gradient)
	if v := now.loss.Value(m.nearOrigin); !isFinite(v) {
		return fmt.Errorf("the loss is %v", v)
	}
	unit := 1.0
	for j, g := range r.Constraints {
		now.constraints[j].Reset()
		g.AddTo(now.constraints[j], scale)
		v := now.constraints[j].Value(m.nearOrigin)
		if !isFinite(v) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
		unit = max(unit, 1+math.Abs(v))
	}
	moved := t == 1 || m.addVariation()
	if m.Empty > 0 {
		return nil
	}
	if moved || !now.loss.Equal(m.last.loss) {
		if err := m.solveRound(unit); errors.Is(err, convex.ErrEmpty) {
			m.Empty = t
			m.Value, m.Gap, m.Residual, m.Path = math.NaN(), math.NaN(), math.NaN(), math.NaN()
			return nil
		} else if err != nil {
			return err
		}
	} else {
		copy(now.x, m.last.x)
		now.Solution = m.last.Solution
	}
	m.Value += float64(now.Value * m.lossUnit.orOne())
	m.Gap += float64(now.Gap * m.lossUnit.orOne())
	m.Residual = max(m.Residual, float64(now.Residual*m.constraintUnit.orOne()))
	if t > 1 {
		m.Path += vec.Dist(now.x, m.last.x)
	}
	return nil
}

// solveRound finds the best action of this round. unit is the size of its constraints, to which the
// residual is relative.
func (m *Moving) solveRound(unit float64) (err error) {
	m.program.Reset()
	for _, g := range m.now.constraints {
		m.program.Constrain(g)
	}
	m.now.Solution, err = m.program.MinimizeLeastNorm(m.now.x, m.now.loss)
	switch sol := m.now.Solution; {
	case errors.Is(err, convex.ErrEmpty):
		return err
	case err != nil:
		return fmt.Errorf("the best action of the round: %w", err)
	case !isExact(sol, unit):
		return fmt.Errorf("the best action of the round is not found: gap %.2g, residual %.2g", sol.Gap,
			sol.Residual)
	case !isFinite(sol.Value):
		return fmt.Errorf("the loss of the best action of the round is %v", sol.Value)
	}
	return nil
}

// addVariation adds the change of the constraints since the last round, and reports whether they
// have changed.
func (m *Moving) addVariation() bool {
	largest, rise, moved := 0.0, 0.0, false
	for j, g := range m.now.constraints {
		if g.Equal(m.last.constraints[j]) {
			continue
		}
		moved = true
		least, most, exact := m.changes.Bounds(g, m.last.constraints[j])
		largest, rise = max(largest, most, -least), rise+max(0, most)
		m.Upper = m.Upper || !exact
	}
	unit := m.constraintUnit.orOne()
	m.Variation += float64(largest * unit)
	m.Rise += float64(rise * unit)
	m.Steepest = max(m.Steepest, float64(rise*unit))
	return moved
}
