package game

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// The hindsight of an opaque stream knows of its functions what was evaluated at points: sums of
// rounds at checkpoints, and pieces of the maxima that are constraints. Of two values of one
// function, each has to be at least that of the tangent at the other point.

// evaluatedPoint holds the values of sums of rounds at a point, for successive checkpoints.
type evaluatedPoint struct {
	x      []float64
	first  int               // the index of the first of these checkpoints
	sums   []problems.Sums   // by checkpoint
	pieces map[string]pieces // over the sets xmin and xhat
}

// hasSums reports whether the sums at the checkpoint with this index are known.
func (e *evaluatedPoint) hasSums(checkpoint int) bool {
	return e.first <= checkpoint && checkpoint < e.first+len(e.sums)
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

// addPiece adds a piece over a set, unless it is known, or the stream did not say at which round it
// is.
func (e *evaluatedPoint) addPiece(set string, p convex.Piece, at problems.Oracle) {
	if k, ok := e.pieces[set].search(p); !ok && p.Number > 0 {
		e.pieces[set] = slices.Insert(e.pieces[set], k, pieceAt{p, at})
	}
}

// pieceRequest holds the pieces over a set that are asked for at a point. The zero value asks for
// none.
type pieceRequest struct {
	set    string
	pieces []convex.Piece
}

// evaluateAt asks the stream for the sums at the point x at the checkpoints with the indices first
// to last, and for the asked pieces. It adds the point, and compares it with the others: functions
// that are found not to be convex are an error.
func (h *opaqueHindsight) evaluateAt(x []float64, first, last int, asked pieceRequest) (
	*evaluatedPoint, error) {
	e := evaluatedPoint{x: x, first: first, pieces: map[string]pieces{}}
	var err error
	if e.sums, err = h.requestSums(&e, h.checkpoints[first:last+1], asked); err != nil {
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

// tangentsAt returns the asked pieces at a point that was evaluated before.
func (h *opaqueHindsight) tangentsAt(x []float64, asked pieceRequest) (
	all []convex.Tangent, err error) {
	set := asked.set
	e := &h.points[slices.IndexFunc(h.points,
		func(e evaluatedPoint) bool { return slices.Equal(e.x, x) })]
	unknown := asked.pieces
	if set == "xhat" { // its pieces are sums of first rounds: the point has those of its checkpoints
		unknown = nil
		for _, p := range asked.pieces {
			if k, ok := slices.BinarySearch(h.checkpoints, p.Number); ok && e.hasSums(k) {
				e.addPiece(set, p, e.sums[k-e.first].Total[p.Of-1])
			} else {
				unknown = append(unknown, p)
			}
		}
	}
	if unknown != nil {
		if _, err := h.requestSums(e, nil, pieceRequest{set, unknown}); err != nil {
			return nil, err
		}
	}
	for i := range h.points {
		a := &h.points[i]
		if err := checkPieceTangents(a, e, chordOf(a.x, e.x), set); err != nil {
			return nil, err
		}
	}
	for _, p := range asked.pieces {
		k, _ := e.pieces[set].search(p)
		all = append(all, h.tangent(e.pieces[set][k]))
	}
	return all, nil
}

// requestSums asks the stream for sums at a point, and returns those of the first rounds[k] rounds
// for each k. It adds pieces to the point: those that are asked for, and those at which the maxima
// of the sums are reached.
func (h *opaqueHindsight) requestSums(e *evaluatedPoint, rounds []int, asked pieceRequest) (
	[]problems.Sums, error) {
	var single []int // the rounds whose constraints are pieces over X^min
	summed := slices.Clone(rounds)
	for _, p := range asked.pieces {
		if asked.set == "xmin" {
			single = append(single, p.Number)
		} else {
			summed = append(summed, p.Number)
		}
	}
	single, summed = distinctNumbers(single), distinctNumbers(summed)
	allSums, allSingle, err := h.stream.Evaluate(summed, single, e.x)
	if err != nil {
		return nil, err
	}
	sumsOf := func(rounds int) problems.Sums { return allSums[slices.Index(summed, rounds)] }
	for _, p := range asked.pieces {
		if asked.set == "xmin" {
			e.addPiece(asked.set, p, allSingle[slices.Index(single, p.Number)][p.Of-1])
		} else {
			e.addPiece(asked.set, p, sumsOf(p.Number).Total[p.Of-1])
		}
	}
	var sums []problems.Sums
	for _, t := range rounds {
		s := sumsOf(t)
		sums = append(sums, s)
		for j := range s.Largest {
			e.addPiece("xmin", convex.Piece{Of: j + 1, Number: s.Largest[j].Round}, s.Largest[j])
			e.addPiece("xhat", convex.Piece{Of: j + 1, Number: s.Prefix[j].Round}, s.Prefix[j])
		}
	}
	return sums, nil
}

// distinctNumbers sorts numbers and returns each of them once.
func distinctNumbers(numbers []int) []int {
	slices.Sort(numbers)
	return slices.Compact(numbers)
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
