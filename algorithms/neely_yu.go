package algorithms

import "slices"

var neelyYu = Algorithm{
	Name:  "neely-yu",
	Title: "Neely, Yu",
	Doc: "drift plus penalty for arbitrary constraints with a common Slater point: the update " +
		"of yu-neely-wei",
	Reference: "Neely, Yu, Online convex optimization with time-varying constraints, " +
		"arXiv:1702.04783, 2017, the algorithm and its Theorem for a common Slater point",
	Definition: slices.Concat(driftPlusPenaltyDefinition, startDefinition, epochsDefinition),
	Version:    1,
	Params:     NeelyYuParams{},
	Feedback:   FirstOrder,
	Assumes:    []Assumption{SlaterPoint},
	Cost:       "O(m·n) and a projection",
	New: Typed(func(p NeelyYuParams, s Setup) (Learner, error) {
		return newDriftPlusPenalty(p.DriftPlusPenaltyParams, s)
	}),
}

// NeelyYuParams are the parameters of neely-yu. Both bounds of
// [DriftPlusPenaltyParams] hold in every game.
type NeelyYuParams struct{ DriftPlusPenaltyParams }

// Claims returns O(√T) twice, and the bounds of these weights.
func (p NeelyYuParams) Claims() []Claim { return p.claims(RegretXMin, inEveryGame) }
