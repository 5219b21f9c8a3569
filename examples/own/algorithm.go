package main

import (
	"fmt"
	"math"

	"ocobench/algorithms"
	"ocobench/convex"
)

// penaltyDescent is the entry of the registry: what bench list says of the algorithm, and New,
// which starts its learner.
var penaltyDescent = algorithms.Algorithm{
	Name: "penalty-descent",
	Doc:  "projected gradient descent on the losses plus ρ times the violation of the round",
	Reference: "Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, " +
		"2003, Theorem 1, for the losses f_t + ρΣ_j[g_{t,j}]₊",
	Version:  1,
	Params:   PenaltyDescentParams{Rho: 2},
	Feedback: algorithms.FirstOrder,
	UnitFree: true,
	Cost:     "O(m·n) and a projection",
	New:      algorithms.Typed(newPenaltyDescent),
}

// PenaltyDescentParams holds the parameters of penalty-descent, which plays
//
//	x_{t+1} = Π(x_t − η(∂f_t(x_t) + ρΣ_j ∂[g_{t,j}(x_t)]₊)),   x_1 = Π(x_0),   η = Δ/(G(1+mρ)√T),
//
// with Δ the diameter of D, m the number of constraints and G a Lipschitz constant of all losses
// and constraints. The penalty is 0 at every u in X^min, so that
//
//	Σ_t f_t(x_t) − f_t(u) + ρΣ_tΣ_j [g_{t,j}(x_t)]₊ ≤ GΔ(1+mρ)√T.
type PenaltyDescentParams struct {
	Rho float64 `name:"rho" doc:"weight ρ of the violation" min:"0"`
	algorithms.Constants
	algorithms.FirstAction
	algorithms.Epochs
}

// Claims returns the rate O(√T) of the regret against X^min, with its bound.
func (p PenaltyDescentParams) Claims() []algorithms.Claim {
	return []algorithms.Claim{{Metric: algorithms.RegretXMin, Exponent: 0.5, Formula: "GΔ(1+mρ)√T",
		Bound: p.regret}}
}

// regret returns the bound in a game. It is proven for steps with a G that is at least
// [convex.Facts.G], the larger of the Lipschitz constants of the losses and of the constraints.
func (p PenaltyDescentParams) regret(s algorithms.Setup) (func(t int) float64, error) {
	g, err := p.G(s.Facts)
	if err == nil && g < s.Facts.G() {
		err = fmt.Errorf("the parameter lipschitz is %v, and the problem declares %v", g, s.Facts.G())
	}
	// The conversion float64(…) rounds a product before it is added, as on every machine.
	bound := g * s.Set.Diameter() * (1 + float64(float64(s.Constraints)*p.Rho)) *
		math.Sqrt(float64(s.Horizon))
	return func(int) float64 { return bound }, err
}

// penaltyDescentLearner plays a game. The embedded Descent has the action X and its Act.
type penaltyDescentLearner struct {
	algorithms.Descent
	rho, eta float64
}

// newPenaltyDescent starts a learner with the step η of [PenaltyDescentParams].
func newPenaltyDescent(p PenaltyDescentParams, s algorithms.Setup) (algorithms.Learner, error) {
	d, err := algorithms.NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	g, err := p.G(s.Facts)
	if err != nil {
		return nil, err
	}
	slope := g * (1 + float64(float64(s.Constraints)*p.Rho))
	return &penaltyDescentLearner{d, p.Rho,
		s.Set.Diameter() / (slope * math.Sqrt(float64(s.Horizon)))}, nil
}

// Observe implements [algorithms.Learner]: it takes a step along the sum of the subgradients.
func (l *penaltyDescentLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	for j, g := range r.Constraints {
		switch v := g.Value(l.X); {
		case math.IsNaN(v):
			return fmt.Errorf("constraint %d is not a number", j+1)
		case v > 0:
			l.Add(l.rho, g)
		}
	}
	l.Step(l.eta)
	return nil
}
