package problems

import (
	"math/rand/v2"

	"ocobench/convex"
)

var vazeSinha = Problem{
	Name:  "vaze-sinha",
	Title: "Vaze and Sinha, Lemma 6",
	Doc: "the loss cx² and the constraint x ≥ a/2 on [1, a] in every round: multipliers must " +
		"rise to ca, which takes violations",
	Reference: "Vaze, Sinha, O(√T) static regret and instance dependent constraint violation for " +
		"constrained online convex optimization, NeurIPS 2025, Lemma 6",
	Definition: []string{
		"$D = [1, a],  f_t(x) = c·x²,  g_t(x) = a/2 − x.$",
	},
	Version: 1,
	Params:  VazeSinhaParams{A: 4, C: 1},
	New: Typed(func(p VazeSinhaParams, _ *rand.Rand) (Stream, error) {
		return newVazeSinha(p), nil
	}),
}

// VazeSinhaParams are the parameters of vaze-sinha.
//
// The best fixed action over every comparator set is a/2, with a loss of ca²/4
// a round and the multiplier ca. A method whose multiplier is a function of its
// violation so far must therefore violate the constraint until the multiplier
// is ca, with the usual functions by O(√T), although the rounds are all the
// same.
//
// For the algorithm sinha-vaze this can be computed. From x_1 = 1 it does not
// move before λe^{λQ} > 2c, because until then the gradient at 1, β(2c −
// λe^{λQ}), is ≥ 0. With λ = 1/(2√T), Q = β·violation and β = 1/(2GΔ), it
// violates the constraint by a/2 − 1 in every round, or otherwise in all by at
// least
//
//	4GΔ√T·log(4c√T),   G = max(1, 2ca), Δ = a − 1,
//
// which is about half of its upper bound 4GΔ√T·log(2(1+2T)). The queues of
// neely-yu and yu-neely-wei rise to √T·ca, so that their soft violation is
// √T·ca + a/2 − 1. Nested projections violate the constraint once, by at most
// a/2 − 1.
type VazeSinhaParams struct {
	A float64 `name:"a" doc:"upper end a of the domain [1, a]; the constraint is x ≥ a/2" above:"2" max:"1e6"`
	C float64 `name:"c" doc:"factor c of the loss cx²" above:"0" max:"1e6"`
}

// vazeSinhaStream reveals the same frozen round every time.
type vazeSinhaStream struct {
	Instance
}

// newVazeSinha returns the stream at round 1.
func newVazeSinha(p VazeSinhaParams) *vazeSinhaStream {
	half := p.A / 2
	return &vazeSinhaStream{Instance{
		Domain: convex.Cube(1, 1, p.A),
		M:      1,
		Declared: convex.Facts{
			LossLipschitz: 2 * p.C * p.A, ConstraintLipschitz: 1,
			LossRange: p.C * (p.A - 1) * (p.A + 1), ConstraintBound: half,
			Diameter: p.A - 1, Slater: half, Curvature: 2 * p.C,
			Feasible: true, Fixed: true, Affine: true, IID: true, KnownConstraints: true,
			Deterministic: true, KnownOptimum: true,
		},
		Round: convex.Round{
			Loss:        convex.Freeze(&convex.HalfSquaredDistance{Weight: 2 * p.C, Center: []float64{0}}),
			Constraints: []convex.Func{convex.Freeze(&convex.Affine{A: []float64{-1}, B: half})},
		},
	}}
}

// Reveal implements [Stream].
func (s *vazeSinhaStream) Reveal(int, []float64) *convex.Round {
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
