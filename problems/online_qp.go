package problems

import (
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var onlineQP = Problem{
	Name:  "online-qp",
	Title: "Online QP",
	Doc: "online quadratic (or linear) programming: three fixed constraints in the unit " +
		"square, and losses whose mean changes with time",
	Reference: "Yi, Li, Yang, Xie, Chai, Johansson, Regret and cumulative constraint violation " +
		"analysis for online convex optimization with long term constraints, ICML 2021, the experiments",
	Definition: slices.Concat([]string{
		"$D = [0, 1]²$. $A ∈ [0.1, 0.5]^{3×2}$ and $b ∈ [0, 0.3]³$ are drawn once, uniformly; " +
			"$g_t(x) = Ax − b$.",
		"By loss, $f_t(x) = ‖x − θ_t‖² + 20θ_t·x$ (quadratic) or $f_t(x) = θ_t·x$ (linear), with " +
			"$θ_t = c_t$:",
	}, costsDefinition),
	Version: 1,
	Params:  OnlineQPParams{Loss: "quadratic", Costs: Costs{Period: 5000}},
	New:     Typed(newOnlineQP),
}

// OnlineQPParams are the parameters of online-qp. The quadratic loss is ‖x+9θ_t‖² − 80‖θ_t‖²,
// where θ_t are the [Costs] of Yu and Neely. Papers that use this problem keep
// their horizon of 5000 rounds. As A > 0, the origin satisfies the constraints
// with the largest margin, the smallest b_j.
type OnlineQPParams struct {
	Loss string `name:"loss" doc:"quadratic: ‖x−θ_t‖² + 20θ_t·x; linear: θ_t·x" enum:"quadratic,linear"`
	Costs
}

// onlineQPStream draws θ_t in every round. The constraints are fixed.
type onlineQPStream struct {
	Instance
	costs   costs
	theta   []float64 // θ_t
	center  []float64 // −9θ_t
	linear  convex.Affine
	squared convex.HalfSquaredDistance
}

// newOnlineQP draws A and b, and returns the stream at round 1.
func newOnlineQP(p OnlineQPParams, rng *rand.Rand) (Stream, error) {
	const n, m = 2, 3
	s := &onlineQPStream{
		Instance: Instance{
			Domain: convex.Cube(n, 0, 1),
			M:      m,
			Declared: convex.Facts{Slater: math.Inf(1), Feasible: true, Fixed: true, Affine: true,
				KnownConstraints: true},
		},
		theta:  make([]float64, n),
		center: make([]float64, n),
	}
	for range m {
		g := &convex.Affine{A: []float64{uniform(rng, 0.1, 0.5), uniform(rng, 0.1, 0.5)},
			B: -uniform(rng, 0, 0.3)}
		s.Declared.ConstraintLipschitz = max(s.Declared.ConstraintLipschitz, vec.Norm(g.A))
		s.Declared.ConstraintBound = max(s.Declared.ConstraintBound, -g.B, vec.Sum(g.A)+g.B)
		s.Declared.Slater = min(s.Declared.Slater, -g.B)
		s.Round.Constraints = append(s.Round.Constraints, convex.Freeze(g))
	}
	s.costs = newCosts(p.Costs, rng)
	s.Declared.Diameter = s.Domain.Diameter()
	switch maxTheta := s.costs.bound; p.Loss {
	case "quadratic":
		// The gradient is 2x + 18θ, coordinate by coordinate.
		s.Declared.LossLipschitz = (2 + float64(18*maxTheta)) * math.Sqrt(n)
		s.Declared.LossRange = (1 + float64(18*maxTheta)) * n
		s.Declared.Curvature = 2
		s.Round.Loss = &s.squared
	case "linear":
		s.Declared.LossLipschitz = maxTheta * math.Sqrt(n)
		s.Declared.LossRange = maxTheta * n
		s.Round.Loss = &s.linear
	}
	return s, nil
}

// Reveal implements [Stream].
func (s *onlineQPStream) Reveal(t int, _ []float64) *convex.Round {
	s.costs.draw(s.theta, t)
	for i, v := range s.theta {
		s.center[i] = -9 * v
	}
	s.linear = convex.Affine{A: s.theta}
	s.squared = convex.HalfSquaredDistance{
		Weight: 2, Center: s.center, Offset: -80 * vec.Dot(s.theta, s.theta),
	}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
