package problems

import (
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var yuNeelyLP = Problem{
	Name:  "yu-neely-lp",
	Title: "Online LP",
	Doc: "online linear programming: three fixed constraints in the plane, and costs whose " +
		"mean changes with time",
	Reference: "Yu, Neely, A low complexity algorithm with O(√T) regret and O(1) constraint " +
		"violations for online convex optimization with long term constraints, JMLR 21, 2020, the " +
		"experiment",
	Definition: slices.Concat([]string{
		"$D = [−1, 1]²$. $A ∈ [0, 1]^{3×2}$ and $b ∈ [0, 2]³$ are drawn once, uniformly;",
		"$f_t(x) = c_t·x,  g_t(x) = Ax − b.$",
	}, costsDefinition),
	Version: 1,
	Params:  YuNeelyLPParams{Costs: Costs{Period: 5000}},
	New:     Typed(newYuNeelyLP),
}

// YuNeelyLPParams are the parameters of yu-neely-lp. As A ≥ 0 and b ≥ 0, the corner (−1, −1)
// satisfies the constraints with the largest margin.
type YuNeelyLPParams struct {
	Costs
}

// yuNeelyLPStream draws the costs c_t in every round. The constraints are fixed.
type yuNeelyLPStream struct {
	Instance
	costs costs
	cost  []float64 // of the round
	loss  convex.Affine
}

// newYuNeelyLP draws A and b, and returns the stream at round 1.
func newYuNeelyLP(p YuNeelyLPParams, rng *rand.Rand) (Stream, error) {
	const n, m = 2, 3
	s := &yuNeelyLPStream{
		Instance: Instance{
			Domain: convex.Cube(n, -1, 1),
			M:      m,
			Declared: convex.Facts{Slater: math.Inf(1), Feasible: true, Fixed: true, Affine: true,
				KnownConstraints: true},
		},
		cost: make([]float64, n),
	}
	for range m {
		g := &convex.Affine{A: []float64{rng.Float64(), rng.Float64()}, B: -uniform(rng, 0, 2)}
		margin := vec.Sum(g.A) - g.B // −g at the corner (−1, −1), where g is smallest
		s.Declared.ConstraintLipschitz = max(s.Declared.ConstraintLipschitz, vec.Norm(g.A))
		s.Declared.ConstraintBound = max(s.Declared.ConstraintBound, margin)
		s.Declared.Slater = min(s.Declared.Slater, margin)
		s.Round.Constraints = append(s.Round.Constraints, convex.Freeze(g))
	}
	s.Round.Loss = &s.loss
	s.costs = newCosts(p.Costs, rng)
	s.Declared.Diameter = s.Domain.Diameter()
	s.Declared.LossLipschitz = s.costs.bound * math.Sqrt(n)
	s.Declared.LossRange = s.costs.bound * (2 * n)
	return s, nil
}

// Reveal implements [Stream].
func (s *yuNeelyLPStream) Reveal(t int, _ []float64) *convex.Round {
	s.costs.draw(s.cost, t)
	s.loss = convex.Affine{A: s.cost}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
