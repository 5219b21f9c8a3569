package game

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// The functions of an opaque stream have no normal form that could be added up. Its hindsight asks
// the stream for sums of rounds at points instead, at the end of the game:
//
//  1. [opaqueHindsight.solveAll] evaluates a few points at all checkpoints, which give the units of
//     the functions, and then solves from the last checkpoint back. A point that is evaluated for
//     one checkpoint is known at some earlier ones too, where it makes cuts and shows curvature.
//  2. [opaqueHindsight.solveOver] solves over one comparator set at one checkpoint with
//     [convex.Sampled], which calls back for values and subgradients at points. All sets of a
//     checkpoint use the same points.
//  3. What is known at points, and the check that it is of convex functions: opaque_points.go.
//
// Over X^min and X̂^max a constraint is the maximum of many functions, its pieces: the constraints
// of single rounds over X^min, and sums of the first rounds over X̂^max. A sample names the piece
// that is largest at its point (Reached holds the number of the round, or 0 where the stream does
// not tell it) and has the values of pieces that other samples have named (Pieces). Where the
// method lacks the value of a piece at a point that was evaluated before, Refine asks the stream
// for that piece alone.

// opaqueHindsight solves for the best fixed actions of an opaque stream.
type opaqueHindsight struct {
	stream   problems.Evaluator
	set      convex.Set
	sets     []string      // the comparator sets
	expected []convex.Func // the constraints of X^E, or nil

	checkpoints []int // the numbers of rounds at the checkpoints
	points      []evaluatedPoint
	// excess holds, for each checkpoint, the largest amount by which a tangent of the sum of the
	// losses was above a value of that sum.
	excess []float64

	// All programs are of functions in these units, and solutions are scaled back.
	lossUnit, constraintUnit float64
}

// lookback is the number of earlier checkpoints for which a point is evaluated, too. Tests set it.
var lookback = 8

// A search ends at the gap opaqueAccuracy. Where it can get no further, its result still counts up
// to the gap opaqueMaxGap. Both are relative to the first loss or the value, whichever is larger.
const (
	opaqueAccuracy = 1e-7
	opaqueMaxGap   = 1e-6
)

// newOpaqueHindsight returns a hindsight of a stream that is an Evaluator.
func newOpaqueHindsight(s problems.Stream) *opaqueHindsight {
	e, ok := s.(problems.Evaluator)
	if !ok {
		panic("game: an opaque stream does not evaluate its rounds")
	}
	return &opaqueHindsight{stream: e, set: s.Set(), sets: comparatorSets(s),
		expected: expectedConstraints(s)}
}

// checkOpaqueOptions returns an error if options are set that opaque functions do not allow.
func (h *Hindsight) checkOpaqueOptions() error {
	if h.Window > 0 || h.BurnIn > 0 {
		return errors.New("the functions of the problem are opaque: there is no X_K, and X̂^max has " +
			"all prefixes; leave out the window and the burn-in")
	}
	return nil
}

// solveAll returns the best fixed actions of each checkpoint, whose rounds were revealed.
func (h *opaqueHindsight) solveAll(at []int) ([][]Best, error) {
	h.checkpoints, h.points, h.excess = at, nil, make([]float64, len(at))
	all := make([][]Best, len(at))
	if err := h.evaluateFirstPoints(); err != nil {
		return nil, err
	}
	for k := len(at) - 1; k >= 0; k-- {
		// The largest set first: its best action may also be the best one of smaller sets.
		for i := len(h.sets) - 1; i >= 0; i-- {
			b, err := h.solveOver(h.sets[i], k)
			if err != nil {
				return nil, fmt.Errorf("hindsight over %s of %d rounds: %w", h.sets[i], at[k], err)
			}
			all[k] = slices.Insert(all[k], 0, b)
		}
		// What is known at no earlier checkpoint is not needed again.
		h.points = slices.DeleteFunc(h.points, func(e evaluatedPoint) bool { return e.first >= k })
	}
	return all, nil
}

// evaluateFirstPoints evaluates the middle of the domain and two random points on the way from
// there to its boundary, at all checkpoints. The first mean loss in the middle that is not 0 gives
// the unit of losses, and the first constraint the unit of constraints. At the random points
// functions that are not convex may be found.
func (h *opaqueHindsight) evaluateFirstPoints() error {
	n := h.set.Dim()
	first, last, noPieces := 0, len(h.checkpoints)-1, pieceRequest{}
	middle := middleOf(h.set)
	if _, err := h.evaluateAt(middle, first, last, noPieces); err != nil {
		return err
	}
	size := func(o problems.Oracle) float64 {
		return math.Abs(o.Value) + float64(vec.Norm(o.Subgradient)*h.set.Diameter())
	}
	for k, s := range h.points[0].sums {
		if h.lossUnit == 0 {
			h.lossUnit = size(s.Loss) / float64(h.checkpoints[k])
		}
		if h.constraintUnit == 0 {
			for _, g := range s.Largest {
				h.constraintUnit = max(h.constraintUnit, size(g))
			}
		}
	}
	h.lossUnit = vec.PowerOfTwoBelow(h.lossUnit)
	h.constraintUnit = vec.PowerOfTwoBelow(h.constraintUnit)
	rng, direction := rand.New(rand.NewPCG(1, uint64(n))), make([]float64, n)
	for range 2 {
		for i := range direction {
			direction[i] = float64(2*float64(rng.Float64())) - 1
		}
		x := make([]float64, n)
		h.set.Support(x, direction)
		vec.SubTo(direction, x, middle)
		vec.AxpyTo(x, rng.Float64()/2, direction, middle)
		if _, err := h.evaluateAt(x, first, last, noPieces); err != nil {
			return err
		}
	}
	return nil
}

// middleOf returns the centre of a simplex or, for other sets, the midpoint of the two points that
// are farthest in the directions (1, …, 1) and (−1, …, −1): the centre of a box or a ball.
func middleOf(set convex.Set) []float64 {
	n := set.Dim()
	x, y := make([]float64, n), make([]float64, n)
	if _, ok := set.(*convex.Simplex); ok {
		set.Project(x, x)
		return x
	}
	set.Support(x, slices.Repeat([]float64{1}, n))
	set.Support(y, slices.Repeat([]float64{-1}, n))
	vec.AddTo(x, x, y)
	vec.Scale(x, 0.5)
	return x
}

// solveOver returns the best fixed action over a set after the rounds of checkpoint k. The program
// has the functions in their units, and the result has them as the stream does.
func (h *opaqueHindsight) solveOver(set string, k int) (Best, error) {
	p := convex.Sampled{Set: h.set, Accuracy: opaqueAccuracy,
		Evaluate: func(x []float64, pieces []convex.Piece) (convex.Sample, error) {
			e, err := h.evaluateAt(x, max(0, k-lookback), k, pieceRequest{set, pieces})
			if err != nil {
				return convex.Sample{}, err
			}
			return h.sampleAt(e, set, k), nil
		},
		Refine: func(x []float64, pieces []convex.Piece) ([]convex.Tangent, error) {
			return h.tangentsAt(x, pieceRequest{set, pieces})
		}}
	for i := range h.points {
		if e := &h.points[i]; e.hasSums(k) {
			p.Known = append(p.Known, h.sampleAt(e, set, k))
		}
	}
	b := Best{Set: set, Action: make([]float64, h.set.Dim())}
	sol, err := p.Minimize(b.Action)
	switch {
	case err == convex.ErrEmpty:
		b.Empty = true
		return b, nil
	case err != nil:
		return b, err
	case !(sol.Relative() <= opaqueMaxGap):
		return b, fmt.Errorf("after %d evaluations of its rounds the gap is %.2g of %.2g, more than "+
			"1e-6 of it", sol.Iterations, float64(sol.Gap*h.lossUnit),
			float64(max(1, math.Abs(sol.Value))*h.lossUnit))
	}
	b.Value = float64(sol.Value * h.lossUnit)
	// The lower bound of the optimum is made of tangents, which may be too high by the excess.
	b.Gap = float64(sol.Gap*h.lossUnit) + h.excess[k]
	b.Residual = float64(sol.Residual * h.constraintUnit)
	for i := range b.Action {
		b.Action[i] += 0 // turns −0 into 0, so that equal actions have equal bits
	}
	return b, nil
}

// sampleAt returns the values and subgradients that the program over a set has at an evaluated
// point after the rounds of checkpoint k, divided by the units.
func (h *opaqueHindsight) sampleAt(e *evaluatedPoint, set string, k int) convex.Sample {
	sums := e.sums[k-e.first]
	const onePiece = 0 // the loss is no maximum: no piece of it is named
	s := convex.Sample{X: e.x, Reached: []int{onePiece}}
	add := func(o problems.Oracle, unit float64) {
		s.Values = append(s.Values, o.Value/unit)
		s.Subgrads = append(s.Subgrads, dividedBy(o.Subgradient, unit))
	}
	add(sums.Loss, h.lossUnit)
	var constraints []problems.Oracle
	switch set {
	case "xmin": // every round satisfies them
		constraints = sums.Largest
	case "xhat": // every sum of first rounds does
		constraints = sums.Prefix
	case "xe": // their expectations do
		for _, f := range h.expected {
			g := make([]float64, len(e.x))
			f.Subgrad(g, e.x)
			constraints = append(constraints, problems.Oracle{Value: f.Value(e.x), Subgradient: g})
		}
	default: // X^max: the sum of all rounds does
		constraints = sums.Total
	}
	for _, o := range constraints {
		add(o, h.constraintUnit)
		s.Reached = append(s.Reached, o.Round)
	}
	// Pieces of later rounds may be known from a later checkpoint, but are none of this maximum.
	for _, p := range e.pieces[set] {
		if p.Number <= h.checkpoints[k] {
			s.Pieces = append(s.Pieces, h.tangent(p))
		}
	}
	return s
}

// tangent returns a piece as a tangent, divided by the unit of the constraints.
func (h *opaqueHindsight) tangent(p pieceAt) convex.Tangent {
	return convex.Tangent{Piece: p.Piece, Value: p.Value / h.constraintUnit,
		Subgrad: dividedBy(p.Subgradient, h.constraintUnit)}
}

// dividedBy returns a copy of a vector, divided by a power of two.
func dividedBy(x []float64, unit float64) []float64 {
	y := make([]float64, len(x))
	vec.Axpy(y, 1/unit, x)
	return y
}
