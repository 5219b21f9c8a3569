package recorded

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/wire"
)

// This file looks for an action that satisfies the constraints of all rounds, with the largest
// margin that it finds. A margin that some action has is a fact, whether or not it is the largest.
// The search solves
//
//	min over x in D of max over (t, j) in W of g_{t,j}(x)
//
// for a working set W, which grows by the constraints that are largest at the last minimiser. The
// minimum bounds that over all constraints from below, and the largest constraint at the
// minimiser bounds it from above.

// The limits of the search.
const (
	maxSearchDim = 200  // in more dimensions no margin is computed
	maxPasses    = 40   // passes over rounds that are in memory
	maxReadings  = 3    // passes over rounds that are read from the file again each time
	maxAdded     = 16   // constraints that join the working set in a pass
	boundsMeet   = 1e-6 // relative distance at which the two bounds count as equal
)

// marginSearch holds the working set W and the bounds of a search for the largest margin.
type marginSearch struct {
	*Recording
	lower, upper float64 // of min over x of max over t, j of g_{t,j}(x)
	working      []convex.Func
	inWorking    map[convex.Func]bool
}

// search looks for the largest margin until done holds, or the bounds meet, or the limits of the
// search are reached. It returns an error if the rounds cannot be read again.
func (m *marginSearch) search(done func() bool) error {
	n := m.Domain.Dim()
	m.lower, m.upper, m.inWorking = math.Inf(-1), math.Inf(1), make(map[convex.Func]bool)
	x, passes := make([]float64, n), maxPasses
	m.Domain.Project(x, x)
	if m.file != nil {
		passes = maxReadings
	}
	for range passes {
		if err := m.addWorstConstraints(x); err != nil {
			return err
		}
		size := math.Abs(m.lower) + math.Abs(m.upper)
		if math.IsInf(m.upper, 1) || done() ||
			!math.IsInf(m.lower, -1) && m.upper-m.lower <= float64(boundsMeet*size) {
			return nil
		}
		sum := convex.NewSum(m.Domain)
		sum.Add(1, convex.NewBasis(convex.NewMax(n, m.working...)))
		cert, err := sum.Minimize(x, convex.Prox{})
		if err != nil { // numbers that are too large: what was found stays true
			return nil
		}
		m.lower = max(m.lower, cert.Value-cert.Gap)
	}
	return nil
}

// addWorstConstraints lowers the upper bound to the largest constraint at x, and adds the largest
// constraint of each of some blocks of rounds to the working set.
func (m *marginSearch) addWorstConstraints(x []float64) error {
	player, err := m.Play(0)
	if err != nil {
		return err
	}
	rounds, largest := m.Facts.Rounds, math.Inf(-1)
	if m.Fixed != nil {
		rounds = 1
	}
	blocks := min(rounds, maxAdded, len(x)+1)
	for b := range blocks {
		var worst convex.Func
		value := math.Inf(-1)
		blockLength := (b+1)*rounds/blocks - b*rounds/blocks
		for range blockLength {
			round, err := player.Next()
			if err != nil {
				return err
			}
			for _, g := range round.Constraints {
				v := g.Value(x)
				if math.IsNaN(v) {
					v = math.Inf(1)
				}
				if worst == nil || v > value {
					value, worst = v, g
					if m.file != nil {
						worst = convex.Lower(g, len(x)) // a copy: reading the next line overwrites g
					}
				}
			}
		}
		largest = max(largest, value)
		if !m.inWorking[worst] {
			m.inWorking[worst] = true
			m.working = append(m.working, worst)
		}
	}
	m.upper = min(m.upper, largest)
	return nil
}

// addMargin computes the facts slater and feasible that the first line does not declare. It
// returns an error if the declared margin is larger than that of any action.
func (r *Recording) addMargin(h *header) error {
	hasSlater, hasFeasible := h.declares("slater"), h.declares("feasible")
	declared := r.Facts.Slater
	if hasSlater && hasFeasible && declared == 0 || r.Domain.Dim() > maxSearchDim {
		return nil
	}
	tolerance := float64(1e-9 * r.Facts.ConstraintBound)
	m := marginSearch{Recording: r}
	// No action has the declared margin. The bound from below is that of a minimisation with an
	// accuracy of its own, for which a thousand tolerances are enough.
	isRefuted := func() bool {
		return hasSlater && declared > 0 && m.lower > -declared+float64(1000*tolerance)
	}
	err := m.search(func() bool {
		switch {
		case !hasSlater: // the largest margin is wanted
			return false
		case declared == 0: // only the fact feasible is wanted
			return m.upper <= tolerance
		}
		return declared > 0 && m.upper <= -declared || isRefuted()
	})
	if err != nil {
		return err
	}
	if isRefuted() {
		return fmt.Errorf("%s: facts: slater is declared as %v, and no action has a margin above %v "+
			"in every round; correct the fact, or leave it out", h.factsPlace, declared, max(0, -m.lower))
	}
	if !hasSlater && m.upper < -tolerance {
		r.Facts.Slater = -m.upper
	}
	if !hasFeasible {
		r.Facts.Feasible = m.upper <= tolerance
	}
	return nil
}

// addCurvature lowers the fact curvature to a modulus of strong convexity of the loss of the round.
// If the fact is declared, an affine or quadratic loss with a smaller one is a contradiction.
func (s *scanner) addCurvature(loss *wire.Function) {
	if loss.Quad != nil && s.lastLossMatrix != nil && &loss.Quad[0] == &s.lastLossMatrix[0] {
		return // the reader shares equal matrices, and this one was examined in an earlier round
	}
	s.lastLossMatrix = loss.Quad
	declared, n := s.header.facts.Curvature, len(s.center)
	switch {
	case s.header.declares("curvature"): // leastCurvature finds it up to 10⁻⁶
		if declared > 0 && loss.Other == nil && s.contradiction == "" &&
			leastCurvature(loss.Quad, n, declared) < float64(declared*(1-1e-6)) {
			s.contradiction = fmt.Sprintf("curvature is declared as %v, and the loss of round %d has less",
				declared, s.t)
		}
	case s.facts.Curvature == 0: // no loss can lower it
	case loss.Other != nil:
		s.facts.Curvature = s.curvature(loss.Other, s.facts.Curvature)
	default:
		s.facts.Curvature = leastCurvature(loss.Quad, n, s.facts.Curvature)
	}
}

// curvature returns a modulus of strong convexity of f from 0 to most. It may be less than the
// largest one.
func (s *scanner) curvature(f convex.Evaluator, most float64) float64 {
	n, sum := len(s.center), 0.0
	switch f := f.(type) {
	case *convex.Basis:
		if _, ok := s.basisCurvature[f]; !ok {
			s.basisCurvature[f] = s.curvature(convex.Describe(f), math.Inf(1))
		}
		sum = s.basisCurvature[f]
	case *convex.Single:
		return s.curvature(f.Of, most)
	case *convex.Shifted:
		return s.curvature(f.Base, most)
	case *convex.Quadratic:
		return leastCurvature(f.Q, n, most)
	case *convex.HalfSquaredDistance:
		sum = f.Weight
	case *convex.ElasticNet:
		sum = f.L2
	case *convex.Max:
		sum = most
		for _, piece := range f.Pieces {
			sum = min(sum, s.curvature(piece, sum))
		}
	case *convex.Form:
		sum = leastCurvature(nilIfZero(f.Quad), n, most)
		for _, t := range f.Terms {
			if t.Scale > 0 && sum < most {
				sum += float64(t.Scale * s.curvature(t.Basis, (most-sum)/t.Scale))
			}
		}
	case *convex.Composite:
		if f.Diag != nil {
			sum = max(0, slices.Min(f.Diag))
		}
		sum += leastCurvature(nilIfZero(f.Quad), n, most)
		for _, part := range f.Parts {
			if part.Scale > 0 && sum < most {
				sum += float64(part.Scale * s.curvature(part.Func, (most-sum)/part.Scale))
			}
		}
	}
	return min(sum, most)
}

// leastCurvature returns the least eigenvalue of the positive semidefinite n×n matrix q, or most
// if that is less; a nil matrix is 0. The result is exact for a diagonal matrix. For any other it
// is a lower bound, within 10⁻⁶ of the least entry on the diagonal. Time is O(n³).
func leastCurvature(q []float64, n int, most float64) float64 {
	if q == nil {
		return 0
	}
	shifted, zero := slices.Clone(q), make([]float64, n)
	scale, diagonal, high := 0.0, true, most
	for i, v := range q {
		scale = max(scale, math.Abs(v))
		if i%(n+1) == 0 {
			high = min(high, v)
		} else {
			diagonal = diagonal && v == 0
		}
	}
	if diagonal {
		return max(0, high)
	}
	// The test for semidefinite matrices allows for errors of 10⁻⁹ of the largest entry.
	slack := float64(4e-9 * scale)
	isBelow := func(sigma float64) bool { // whether q − sigma·I is positive semidefinite
		for i := range n {
			shifted[i*(n+1)] = q[i*(n+1)] - (sigma + slack)
		}
		_, err := convex.NewQuadratic(shifted, zero, 0)
		return err == nil
	}
	if high > 0 && isBelow(high) {
		return high
	}
	low := 0.0
	for range 20 { // 2⁻²⁰ < 10⁻⁶
		if middle := float64((low + high) / 2); isBelow(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
