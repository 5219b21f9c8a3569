package claims

import (
	"slices"

	"ocobench/convex"
	"ocobench/problems"
)

// This file holds what streams have in common that a check defines itself.

// scripted is a stream whose rounds a function returns.
type scripted struct {
	problems.Instance
	reveal func(t int, x []float64) *convex.Round
}

// Reveal implements [problems.Stream].
func (s *scripted) Reveal(t int, x []float64) *convex.Round { return s.reveal(t, x) }

// newScripted returns a stream of m constraints that declares nothing of itself.
func newScripted(domain convex.Set, m int,
	reveal func(t int, x []float64) *convex.Round) *scripted {
	return &scripted{problems.Instance{Domain: domain, M: m}, reveal}
}

// newFixedLine returns a stream on [lower, upper] with the constraint g in every round, and with
// linear losses whose slope may depend on the round and on the action.
func newFixedLine(lower, upper float64, g convex.Evaluator,
	slope func(t int, x float64) float64) *scripted {
	s := newScripted(convex.Cube(1, lower, upper), 1, nil)
	s.Declared = convex.Facts{Fixed: true}
	s.Round.Constraints = []convex.Func{convex.NewBasis(g)}
	s.reveal = func(t int, x []float64) *convex.Round {
		at := 0. // x is nil for hindsight and facts, which do not look at the loss
		if x != nil {
			at = x[0]
		}
		return s.Show(affine(0, slope(t, at)), s.Round.Constraints)
	}
	return s
}

// affine returns the function shift + slope·x.
func affine(shift float64, slope ...float64) *convex.Affine {
	return &convex.Affine{A: slope, B: shift}
}

// withConstraint reveals the rounds of a stream with one more constraint, the same in every round,
// at the index at of the list.
type withConstraint struct {
	problems.Stream
	g  convex.Func
	at int
}

// Constraints implements [problems.Stream].
func (s withConstraint) Constraints() int { return s.Stream.Constraints() + 1 }

// Reveal implements [problems.Stream].
func (s withConstraint) Reveal(t int, x []float64) *convex.Round {
	r := s.Stream.Reveal(t, x)
	return &convex.Round{Loss: r.Loss,
		Constraints: slices.Insert(slices.Clone(r.Constraints), s.at, s.g)}
}
