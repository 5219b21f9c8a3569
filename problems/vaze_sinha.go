package problems

import (
	"math/rand/v2"

	"ocobench/convex"
)

var vazeSinha = Problem{
	Name:      "vaze-sinha",
	Doc:       "one loss cx² on [1, a] and one constraint x ≥ a/2, for ever: multipliers must climb to ca, and what they are fed with is violation",
	Reference: "Vaze, Sinha, O(√T) static regret and instance dependent constraint violation for constrained online convex optimization, NeurIPS 2025, Lemma 6",
	Version:   1,
	Params:    VazeSinhaParams{A: 4, C: 1},
	New:       Typed(func(p VazeSinhaParams, _ *rand.Rand) (Stream, error) { return newVazeSinha(p), nil }),
}

// VazeSinhaParams are the parameters of vaze-sinha. A stream reveals in every
// round, on D = [1, a],
//
//	f_t(x) = c·x²,   g_t(x) = a/2 − x.
//
// The best fixed action is a/2 over every comparator set, at a loss of ca²/4 a
// round, and its multiplier is ca: a method that weighs the constraint with
// what it has violated so far has to violate by what brings this multiplier,
// with the usual weights O(√T), although nothing is to be learnt but one
// fixed constraint.
//
// For the algorithm sinha-vaze this is exact. From x_1 = 1 it does not move
// before λe^{λQ} > 2c, for until then the gradient 2c − λe^{λQ} times β at 1 is
// not negative. With its λ = 1/(2√T), and Q = β·violation, β = 1/(2GΔ), it
// violates by a/2 − 1 a round for the whole game, or else by at least
//
//	4GΔ√T·log(4c√T),   G = max(1, 2ca), Δ = a − 1,
//
// in all, which is half of its upper bound 4GΔ√T·log(2(1+2T)), nearly. The queues
// of neely-yu and yu-neely-wei come to √T·ca, and their soft violation so to
// √T·ca + a/2 − 1. Nested projections violate once, by at most a/2 − 1.
type VazeSinhaParams struct {
	A float64 `name:"a" doc:"upper end a of the domain [1, a]; the constraint is x ≥ a/2" above:"2" max:"1e6"`
	C float64 `name:"c" doc:"factor c of the loss cx²" above:"0" max:"1e6"`
}

type vazeSinhaStream struct {
	Instance
}

func newVazeSinha(p VazeSinhaParams) *vazeSinhaStream {
	half := p.A / 2
	return &vazeSinhaStream{Instance{
		Domain: convex.Cube(1, 1, p.A),
		M:      1,
		Declared: convex.Facts{
			LossLipschitz: 2 * p.C * p.A, ConstraintLipschitz: 1,
			LossRange: p.C * (p.A - 1) * (p.A + 1), ConstraintBound: half,
			Diameter: p.A - 1, Slater: half, Curvature: 2 * p.C,
			Fixed: true, Affine: true, IID: true, KnownConstraints: true, KnownOptimum: true,
		},
		Round: convex.Round{
			Loss:        &convex.SquaredDistance{Weight: 2 * p.C, Center: []float64{0}},
			Constraints: []convex.Func{&convex.Affine{A: []float64{-1}, B: half}},
		},
	}}
}

// Reveal implements [Stream].
func (s *vazeSinhaStream) Reveal(int, []float64) convex.Round { return s.Round }
