package claims

import (
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/harness/game"
	"ocobench/harness/game/averages"
	"ocobench/problems"
)

// This file holds the observers of the games of checks. Three add up: [sums] what was played,
// [penaltyObserver] the penalty of the paper, and [line], in a file of its own, both on a line.
// Three call a function: [roundObserver] with every round, [atTwoRounds] after two of them, and
// [compareEvery] with what has been played so far and the best actions in hindsight. Observers are
// called in the order in which they are given.

// sums observes a game and adds up its losses, constraints and actions.
type sums struct {
	loss   float64   // Σ f_t(x_t)
	soft   float64   // Σ_j [Σ_t g_{t,j}(x_t)]₊
	hard   float64   // Σ_t Σ_j [g_{t,j}(x_t)]₊
	action []float64 // Σ x_t
	signed []float64 // Σ_t g_{t,j}(x_t)
}

// Round implements [game.Observer].
func (s *sums) Round(_ int, x []float64, r *convex.Round) error {
	if s.signed == nil {
		s.action, s.signed = make([]float64, len(x)), make([]float64, len(r.Constraints))
	}
	vec.Axpy(s.action, 1, x)
	s.loss += r.Loss.Value(x)
	s.soft = 0
	for j, g := range r.Constraints {
		v := g.Value(x)
		s.signed[j] += v
		s.soft += max(0, s.signed[j])
		s.hard += max(0, v)
	}
	return nil
}

// penaltyObserver observes a game and sums up the penalty of the paper,
//
//	h_t(x) = Σ_j max(0, G_t^{(j)}(x)/t),   G_t^{(j)} = Σ_{i≤t} g_i^{(j)}.
//
// Its method [averages.Running.Hinges] evaluates h_t after round t, and Value one average.
type penaltyObserver struct {
	averages.Running         // G_t^{(j)}, from round 1 on
	penalty          float64 // Σ_{i≤t} h_i(x_i)
	// weighted is Σ_{i≤t} (1/i) Σ_j max(0, g_i^{(j)}(x_i)). It bounds penalty where every x_i is in
	// X̂^max_{i−1}: there the average to i−1 is ≤ 0, so that round i alone adds, with its weight 1/i.
	weighted float64
}

// Round implements [game.Observer].
func (a *penaltyObserver) Round(t int, x []float64, r *convex.Round) error {
	if t == 1 {
		a.Running = *averages.New(len(x), len(r.Constraints))
	}
	if err := a.Running.Round(t, x, r); err != nil {
		return err
	}
	for _, g := range r.Constraints {
		a.weighted += max(0, g.Value(x)) / float64(t)
	}
	a.penalty += a.Hinges(x)
	return nil
}

// A roundObserver is called with every round of a game.
type roundObserver func(t int, x []float64, r *convex.Round)

// Round implements [game.Observer].
func (f roundObserver) Round(t int, x []float64, r *convex.Round) error {
	f(t, x, r)
	return nil
}

// atTwoRounds returns an observer that calls measure with 0 after round early, and with 1 after
// round late.
func atTwoRounds(early, late int, measure func(k int)) roundObserver {
	return func(t int, _ []float64, _ *convex.Round) {
		if k := slices.Index([]int{early, late}, t); k >= 0 {
			measure(k)
		}
	}
}

// The indices of the first three comparators that hindsight returns, and [compareEvery] passes on:
// the best actions over X^min, X̂^max and X^max.
const overXMin, overXHatMax, overXMax = 0, 1, 2

// compareEvery returns an observer that calls look, after every so many rounds, with the sums of
// what has been played and the best action in hindsight over each set of the stream.
func compareEvery(s problems.Stream, every int,
	look func(t int, played *sums, best []game.Best)) game.Observer {
	return &comparison{hindsight: game.NewHindsight(s), every: every, look: look}
}

// comparison is the observer of [compareEvery]. In a game without actions, x is nil and the sums
// stay 0.
type comparison struct {
	sums
	hindsight *game.Hindsight
	every     int
	look      func(t int, played *sums, best []game.Best)
}

// Round implements [game.Observer].
func (c *comparison) Round(t int, x []float64, r *convex.Round) error {
	if err := c.hindsight.Round(t, x, r); err != nil {
		return err
	}
	if x != nil {
		if err := c.sums.Round(t, x, r); err != nil {
			return err
		}
	}
	if t%c.every != 0 {
		return nil
	}
	best, err := c.hindsight.Solve()
	if err == nil {
		c.look(t, &c.sums, best)
	}
	return err
}
