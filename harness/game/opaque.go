package game

import (
	"cmp"
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
// the stream for sums of rounds at points, at the end of the game and from the last checkpoint
// back: a point that is evaluated for one checkpoint is known at some earlier ones too, where it
// makes cuts and shows curvature. All sets of a checkpoint use the same points.
//
// Over X^min and X̂^max the constraints are maxima over rounds. Where the stream tells at which
// round one is reached, that piece of the maximum is evaluated at other points too.

// opaqueHindsight solves for the best fixed actions of an opaque stream.
type opaqueHindsight struct {
	stream      problems.Evaluator
	set         convex.Set
	sets        []string
	expected    []convex.Func // the constraints of X^E, or nil
	diameter    float64
	checkpoints []int // the numbers of rounds at the checkpoints
	points      []evaluatedPoint
	// excess holds, for each checkpoint, how far a tangent of the sum of the losses was at most above
	// a value of that sum.
	excess []float64

	lossUnit, constraintUnit float64
}

// evaluatedPoint holds the values of sums of rounds at a point, for successive checkpoints.
type evaluatedPoint struct {
	x      []float64
	first  int               // the index of the first of these checkpoints
	sums   []problems.Sums   // by checkpoint
	pieces map[string]pieces // over the sets xmin and xhat
}

// pieces holds values at one point of functions whose maximum is a constraint of a set: over X^min
// the constraints of single rounds, and over X̂^max sums of the first rounds. They are ordered by
// the number of the round, or of rounds, then by constraint.
type pieces []pieceAt

// pieceAt is a piece with its value and subgradient at a point.
type pieceAt struct {
	convex.Piece
	problems.Oracle
}

// search returns the index of a piece, or the index at which it has to be inserted and false.
func (p pieces) search(q convex.Piece) (int, bool) {
	return slices.BinarySearchFunc(p, q, func(a pieceAt, q convex.Piece) int {
		return cmp.Or(cmp.Compare(a.Number, q.Number), cmp.Compare(a.Of, q.Of))
	})
}

// hasSums reports whether the sums at the checkpoint with this index are known.
func (e *evaluatedPoint) hasSums(checkpoint int) bool {
	return e.first <= checkpoint && checkpoint < e.first+len(e.sums)
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
		expected: expectedConstraints(s), diameter: s.Set().Diameter()}
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
			all[k] = append([]Best{b}, all[k]...)
		}
		h.dropPoints(k)
	}
	return all, nil
}

// evaluateFirstPoints evaluates the middle of the domain and two random points on the way from
// there to its boundary, at all checkpoints. The first mean loss in the middle that is not 0 gives
// the unit of losses, and the first constraint the unit of constraints. At the random points
// functions that are not convex may be found.
func (h *opaqueHindsight) evaluateFirstPoints() error {
	n, last := h.set.Dim(), len(h.checkpoints)-1
	middle := middleOf(h.set)
	if _, err := h.evaluateAt(middle, last, last, "", nil); err != nil {
		return err
	}
	size := func(o problems.Oracle) float64 {
		return math.Abs(o.Value) + float64(vec.Norm(o.Subgradient)*h.diameter)
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
		if _, err := h.evaluateAt(x, last, last, "", nil); err != nil {
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

// solveOver returns the best fixed action over a set after the rounds of checkpoint k.
func (h *opaqueHindsight) solveOver(set string, k int) (Best, error) {
	p := convex.Sampled{Set: h.set, Accuracy: opaqueAccuracy,
		Evaluate: func(x []float64, pieces []convex.Piece) (convex.Sample, error) {
			e, err := h.evaluateAt(x, k, lookback, set, pieces)
			if err != nil {
				return convex.Sample{}, err
			}
			return h.sampleAt(e, set, k), nil
		},
		Refine: func(x []float64, pieces []convex.Piece) ([]convex.Tangent, error) {
			return h.tangentsAt(x, set, pieces)
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
	b.Value, b.Gap = float64(sol.Value*h.lossUnit), float64(sol.Gap*h.lossUnit)+h.excess[k]
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
	s := convex.Sample{X: e.x, Reached: []int{0}}
	add := func(o problems.Oracle, unit float64) {
		s.Values = append(s.Values, o.Value/unit)
		s.Subgrads = append(s.Subgrads, dividedBy(o.Subgradient, unit))
	}
	add(sums.Loss, h.lossUnit)
	constraints := sums.Total
	switch set {
	case "xmin":
		constraints = sums.Largest
	case "xhat":
		constraints = sums.Prefix
	case "xe":
		constraints = nil
		for _, f := range h.expected {
			g := make([]float64, len(e.x))
			f.Subgrad(g, e.x)
			constraints = append(constraints, problems.Oracle{Value: f.Value(e.x), Subgradient: g})
		}
	}
	for _, o := range constraints {
		add(o, h.constraintUnit)
		s.Reached = append(s.Reached, o.Round)
	}
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

// evaluateAt asks the stream for the sums at the point x at checkpoint k and at this number of
// earlier ones, and for the asked pieces over a set, of which there may be none. It compares them
// with those at the other points: functions that are found not to be convex are an error.
func (h *opaqueHindsight) evaluateAt(x []float64, k, earlier int, set string,
	asked []convex.Piece) (*evaluatedPoint, error) {
	e := evaluatedPoint{x: x, first: max(0, k-earlier), pieces: map[string]pieces{}}
	var err error
	if e.sums, err = h.requestSums(&e, h.checkpoints[e.first:k+1], set, asked); err != nil {
		return nil, err
	}
	for i := range h.points {
		if err := h.checkTangents(&h.points[i], &e); err != nil {
			return nil, err
		}
	}
	h.points = append(h.points, e)
	return &h.points[len(h.points)-1], nil
}

// tangentsAt returns the asked pieces over a set at a point that was evaluated before.
func (h *opaqueHindsight) tangentsAt(x []float64, set string, asked []convex.Piece) (
	all []convex.Tangent, err error) {
	e := &h.points[slices.IndexFunc(h.points,
		func(e evaluatedPoint) bool { return slices.Equal(e.x, x) })]
	unknown := asked
	if set == "xhat" { // its pieces are sums of first rounds: the point has those of its checkpoints
		unknown = nil
		for _, p := range asked {
			if k, ok := slices.BinarySearch(h.checkpoints, p.Number); ok && e.hasSums(k) {
				e.addPiece(set, p, e.sums[k-e.first].Total[p.Of-1])
			} else {
				unknown = append(unknown, p)
			}
		}
	}
	if unknown != nil {
		if _, err := h.requestSums(e, nil, set, unknown); err != nil {
			return nil, err
		}
	}
	for i := range h.points {
		a := &h.points[i]
		if err := checkPieceTangents(a, e, chordOf(a.x, e.x), set); err != nil {
			return nil, err
		}
	}
	for _, p := range asked {
		k, _ := e.pieces[set].search(p)
		all = append(all, h.tangent(e.pieces[set][k]))
	}
	return all, nil
}

// requestSums asks the stream for sums at a point, and returns those of the first rounds[k] rounds
// for each k. It adds pieces to the point: those that are asked for, over a set, and those at which
// the maxima of the sums are reached.
func (h *opaqueHindsight) requestSums(e *evaluatedPoint, rounds []int, set string,
	asked []convex.Piece) ([]problems.Sums, error) {
	var numbers, single []int
	for _, p := range asked {
		numbers = append(numbers, p.Number)
	}
	if set == "xmin" {
		slices.Sort(numbers)
		single, numbers = slices.Compact(numbers), nil
	}
	numbers = append(numbers, rounds...)
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	all, singles, err := h.stream.Evaluate(numbers, single, e.x)
	if err != nil {
		return nil, err
	}
	for _, p := range asked {
		if k, ok := slices.BinarySearch(single, p.Number); ok {
			e.addPiece(set, p, singles[k][p.Of-1])
		} else {
			k, _ := slices.BinarySearch(numbers, p.Number)
			e.addPiece(set, p, all[k].Total[p.Of-1])
		}
	}
	var sums []problems.Sums
	for k, s := range all {
		if _, ok := slices.BinarySearch(rounds, numbers[k]); !ok {
			continue
		}
		sums = append(sums, s)
		for j := range s.Largest {
			e.addPiece("xmin", convex.Piece{Of: j + 1, Number: s.Largest[j].Round}, s.Largest[j])
			e.addPiece("xhat", convex.Piece{Of: j + 1, Number: s.Prefix[j].Round}, s.Prefix[j])
		}
	}
	return sums, nil
}

// addPiece adds a piece over a set, unless it is known, or the stream did not say at which round it
// is.
func (e *evaluatedPoint) addPiece(set string, p convex.Piece, at problems.Oracle) {
	if k, ok := e.pieces[set].search(p); !ok && p.Number > 0 {
		e.pieces[set] = slices.Insert(e.pieces[set], k, pieceAt{p, at})
	}
}

// opaqueTolerance limits how far a value may be below a tangent, relative to the size of the
// numbers involved: subgradients that were computed by differences are wrong near kinks. The excess
// of the losses is added to the gap.
const opaqueTolerance = 1e-5

// checkTangents returns an error unless every function that is known at both points has values at
// least those of its tangent at the other point.
func (h *opaqueHindsight) checkTangents(a, b *evaluatedPoint) error {
	ab := chordOf(a.x, b.x)
	for k := max(a.first, b.first); a.hasSums(k) && b.hasSums(k); k++ {
		atA, atB := a.sums[k-a.first], b.sums[k-b.first]
		excess, err := ab.tangentExcess(atA.Loss, atB.Loss)
		if err != nil {
			return fmt.Errorf("the sum of the losses of %d rounds %w", h.checkpoints[k], err)
		}
		h.excess[k] = max(h.excess[k], excess)
		for j := range atA.Total {
			for _, f := range []struct {
				what     string
				atA, atB problems.Oracle
			}{{"sum", atA.Total[j], atB.Total[j]}, {"largest", atA.Largest[j], atB.Largest[j]},
				{"largest sum", atA.Prefix[j], atB.Prefix[j]}} {
				if _, err := ab.tangentExcess(f.atA, f.atB); err != nil {
					return fmt.Errorf("the %s of constraint %d of %d rounds %w", f.what, j+1,
						h.checkpoints[k], err)
				}
			}
		}
	}
	for _, set := range []string{"xmin", "xhat"} {
		if err := checkPieceTangents(a, b, ab, set); err != nil {
			return err
		}
	}
	return nil
}

// checkPieceTangents does for the pieces over a set what checkTangents does for sums, along the
// chord of the two points.
func checkPieceTangents(a, b *evaluatedPoint, ab chord, set string) error {
	for _, p := range a.pieces[set] {
		k, ok := b.pieces[set].search(p.Piece)
		if !ok {
			continue
		}
		_, err := ab.tangentExcess(p.Oracle, b.pieces[set][k].Oracle)
		switch {
		case err != nil && set == "xhat":
			return fmt.Errorf("the sum of constraint %d of %d rounds %w", p.Of, p.Number, err)
		case err != nil:
			return fmt.Errorf("constraint %d of round %d %w", p.Of, p.Number, err)
		}
	}
	return nil
}

// chord joins two points at which functions were evaluated.
type chord struct {
	x, y, d []float64 // d = y − x
}

// chordOf returns the chord of two points.
func chordOf(x, y []float64) chord {
	d := make([]float64, len(x))
	vec.SubTo(d, y, x)
	return chord{x, y, d}
}

// tangentExcess returns how far the tangent of a function at one of the two points is above its
// value at the other one. If that is more than rounding, it returns an error whose text continues
// after the name of the function.
func (c chord) tangentExcess(atX, atY problems.Oracle) (excess float64, err error) {
	fromX := atX.Value + vec.Dot(atX.Subgradient, c.d)
	fromY := atY.Value - vec.Dot(atY.Subgradient, c.d)
	excess = max(0, fromX-atY.Value, fromY-atX.Value)
	if excess == 0 {
		return 0, nil
	}
	size := math.Abs(atX.Value) + math.Abs(atY.Value) +
		float64(max(vec.Norm(atX.Subgradient), vec.Norm(atY.Subgradient))*vec.Norm(c.d))
	if excess <= float64(opaqueTolerance*size) {
		return excess, nil
	}
	at, other, tangent, found, there := c.x, c.y, fromX, atX, atY.Value
	if fromY-atX.Value > fromX-atY.Value {
		at, other, tangent, found, there = c.y, c.x, fromY, atY, atX.Value
	}
	return 0, fmt.Errorf("is not convex, or a subgradient of it is wrong: it is %v with the "+
		"subgradient %v at %v, so at least %v at %v, but it is %v there", found.Value,
		found.Subgradient, at, tangent, other, there)
}

// dropPoints drops the points whose sums are known at no checkpoint before k.
func (h *opaqueHindsight) dropPoints(k int) {
	kept := h.points[:0]
	for _, e := range h.points {
		if e.first < k {
			kept = append(kept, e)
		}
	}
	clear(h.points[len(kept):])
	h.points = kept
}
