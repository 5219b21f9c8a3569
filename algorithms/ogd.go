package algorithms

import (
	"math"

	"ocobench/convex"
)

var ogd = Algorithm{
	Name:      "ogd",
	Title:     "Gradient descent",
	Doc:       "projected online gradient descent, which ignores the constraints: a baseline",
	Reference: "Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, 2003, Theorem 1",
	Version:   1,
	Params:    OGDParams{},
	Feedback:  FirstOrder,
	Anytime:   true,
	Claims:    OGDParams{}.Claims(),
	Cost:      "O(n) and a projection",
	New:       Typed(newOGD),
}

// OGDParams are the parameters of ogd, which plays
//
//	x_{t+1} = Π(x_t − step/√t · ∂f_t(x_t)),   x_1 = Π(x_0).
//
// Its regret against the whole domain is at most
//
//	Δ²/(2η_T) + ½G²Σ_t η_t ≤ Δ²√T/(2·step) + G²·step·(√T − ½) = O(√T),   η_t = step/√t,
//
// (3/2)GΔ√T at the default. Nothing bounds its violation.
type OGDParams struct {
	Step float64 `name:"step" doc:"steps are step/√t; 0 takes diameter/Lipschitz constant of the losses as the problem declares them, or 1" min:"0"`
	FirstAction
}

// Claims is O(√t) against the domain, and its bound.
func (p OGDParams) Claims() []Claim {
	return []Claim{{Metric: RegretDomain, Exponent: 0.5, Formula: gradientRegret, Bound: p.regret}}
}

// gradientRegret is the formula of gradientDescent.
const gradientRegret = "Δ²√t/(2·step) + G²·step·(√t − ½)"

func (p OGDParams) regret(s Setup) (func(t int) float64, error) {
	l, err := of[*ogdLearner](newOGD(p, s))
	if err != nil {
		return nil, err
	}
	k := known{Setup: s}
	return gradientDescent(k.diameter(), k.losses(0), l.step), k.err
}

type ogdLearner struct {
	Descent
	step float64
}

func newOGD(p OGDParams, s Setup) (Learner, error) {
	if p.Step == 0 {
		p.Step = 1
		if s.Facts.LossLipschitz > 0 && s.Set.Diameter() > 0 {
			p.Step = s.Set.Diameter() / s.Facts.LossLipschitz
		}
	}
	d, err := NewDescent(s, p.FirstAction)
	return &ogdLearner{d, p.Step}, err
}

// Observe implements [Learner].
func (l *ogdLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	l.Step(l.step / math.Sqrt(float64(l.T)))
	return nil
}
