package diagnosis

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Motion measures how far the rounds move, by the path length P_T of their best actions and the
// variation V_T of the constraints, which bounds of dynamic regret contain. It has no verdict.
// With x*_t the action of D that is feasible in round t and has the least loss in it
// ([game.Moving]),
//
//	P_t = Σ_{τ≤t} ‖x*_τ − x*_{τ−1}‖,   V_t = Σ_{τ≤t} max over x in D and j of |g_{τ,j}(x) − g_{τ−1,j}(x)|.
type Motion struct {
	// Paths is the number of replicates that were solved: 1 if they all move alike, and 0 if a round
	// was not solved.
	Paths int `json:"paths"`
	// Empty is the first round that no action of D satisfies, in the first replicate that has one, and
	// Empties is the number of replicates that have one. There is no path length then.
	Empty   int `json:"empty,omitempty"`
	Empties int `json:"empties,omitempty"`
	// Unsolved says why there is neither path length nor variation.
	Unsolved  string `json:"unsolved,omitempty"`
	Path      Total  `json:"path_length"`
	Variation Total  `json:"constraint_variation"`
}

// Total describes a sum over rounds that never decreases, and how its mean over replicates grows in
// the last two decades. If there is one path, the ends of the interval are the exponents of the two
// decades. The verdict is empty.
type Total struct {
	Exponent
	Last     *float64 `json:"value,omitempty"` // at T, the mean over the replicates
	Constant bool     `json:"constant"`        // nothing is added in the window
	AtMost   bool     `json:"at_most"`         // it is an upper bound of the sum
}

// roundSolver observes a replicate, solves every round by itself, and sums the motion of the
// rounds.
type roundSolver struct {
	checkpoints     []int
	moving          *game.Moving
	path, variation []float64 // at the checkpoints
	err             error     // of the first round that was not solved
}

// newRoundSolver returns a solver of single rounds of a stream.
func newRoundSolver(m *measurement, s problems.Stream) *roundSolver {
	return &roundSolver{checkpoints: m.checkpoints, moving: game.NewMoving(s)}
}

// Round implements [game.Observer]. After a round that is not solved it does nothing: there is no
// path length then, and the other measurements go on.
func (o *roundSolver) Round(t int, x []float64, r *convex.Round) error {
	if o.err != nil {
		return nil
	}
	if o.err = o.moving.Round(t, x, r); o.err == nil && t == o.checkpoints[len(o.path)] {
		o.path, o.variation = append(o.path, o.moving.Path), append(o.variation, o.moving.Variation)
	}
	return nil
}

// hasSameMotion reports whether two replicates have the same motion. From an empty round on the
// path is NaN, and the variation never is.
func (o *roundSolver) hasSameMotion(p *roundSolver) bool {
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	return slices.EqualFunc(o.path, p.path, same) && slices.Equal(o.variation, p.variation)
}

// measureMotion plays the other replicates whose rounds are solved one by one, and measures how the
// sums grow. Unless it is told how many, there are others up to 10 dimensions only.
func (m *measurement) measureMotion(first *roundSolver) (Motion, error) {
	moves := m.Moves
	if moves == 0 && m.set.Dim() <= 10 {
		moves = min(10, m.Replicates)
	}
	// Only the first one if moves is at most 1, or if the second moves like it.
	all, err := playReplicates(m, moves, first, newRoundSolver, (*roundSolver).hasSameMotion)
	if err != nil {
		return Motion{}, err
	}
	d := Motion{Paths: len(all)}
	var paths, variations [][]float64
	upper := false
	for _, o := range all {
		if o.err != nil {
			return Motion{Unsolved: o.err.Error()}, nil
		}
		if o.moving.Empty > 0 {
			if d.Empties++; d.Empty == 0 {
				d.Empty = o.moving.Empty
			}
		}
		paths, variations = append(paths, o.path), append(variations, o.variation)
		upper = upper || o.moving.Upper
	}
	if d.Empties == 0 {
		d.Path = m.fitTotal(paths)
	}
	d.Variation = m.fitTotal(variations)
	d.Variation.AtMost = upper
	return d, nil
}

// fitTotal fits the mean of rows, one for each replicate, over the last two decades.
func (m *measurement) fitTotal(rows [][]float64) Total {
	from, last := max(1, m.Horizon/100), len(m.checkpoints)-1
	t := Total{Exponent: growthExponent(m.checkpoints, rows, from, m.Horizon), Constant: true}
	mean, allZero := 0.0, true
	for _, row := range rows {
		mean += row[last] / float64(len(rows))
		allZero = allZero && row[last] == 0
		for k, at := range m.checkpoints {
			t.Constant = t.Constant && (at < from || row[k] == row[last])
		}
	}
	t.Last, t.Zero = finiteOrNil(mean), allZero
	return t
}
