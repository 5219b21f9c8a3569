package problems

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
)

var shrinking = Problem{
	Name:  "shrinking",
	Title: "Shrinking constraint",
	Doc: "x ≤ 1/√t on [0,1]: the constraint of the paper's Introduction, for which X^min and " +
		"X̂^max differ",
	Reference: "Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Introduction",
	Definition: []string{
		"$D = [0, 1],  f_t(x) = −x,  g_t(x) = x − 1/√t.$",
	},
	Version: 1,
	Params:  ShrinkingParams{},
	New:     func(any, *rand.Rand) (Stream, error) { return newShrinking(), nil },
}

// ShrinkingParams are the parameters of shrinking, which has none.
// The comparators are
//
//	X^min_t = [0, 1/√t],   X̂^max_t = X^max_t = [0, (1/t) Σ_{k≤t} k^{−1/2}] ≈ [0, 2/√t].
//
// For X^max the paper's Introduction has [0, 1], which is wrong.
type ShrinkingParams struct{}

// shrinkingStream writes the constraint x ≤ 1/√t in every round.
type shrinkingStream struct {
	Instance
	slope []float64 // of the constraint
	g     convex.Affine
}

// newShrinking returns the stream at round 1.
func newShrinking() *shrinkingStream {
	s := &shrinkingStream{
		Instance: Instance{
			Domain: convex.Cube(1, 0, 1),
			M:      1,
			Declared: convex.Facts{LossLipschitz: 1, ConstraintLipschitz: 1, LossRange: 1,
				ConstraintBound: 1, Diameter: 1, Feasible: true, Affine: true, Perturbed: true,
				Deterministic: true, KnownOptimum: true},
		},
		slope: make([]float64, 1),
	}
	s.Round = convex.Round{Loss: convex.Freeze(&convex.Affine{A: []float64{-1}}),
		Constraints: []convex.Func{&s.g}}
	return s
}

// Reveal implements [Stream].
func (s *shrinkingStream) Reveal(t int, _ []float64) *convex.Round {
	s.slope[0] = 1
	s.g = convex.Affine{A: s.slope, B: -1 / math.Sqrt(float64(t))}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
