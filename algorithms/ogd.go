package algorithms

import (
	"math"

	"ocobench/convex"
)

var ogd = Algorithm{
	Name:      "ogd",
	Doc:       "projected online gradient descent, which ignores the constraints: a baseline",
	Reference: "Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, 2003, Theorem 1",
	Version:   1,
	Params:    OGDParams{},
	Feedback:  FirstOrder,
	Anytime:   true,
	Claims:    []Claim{{Metric: RegretDomain, Exponent: 0.5}},
	Cost:      "O(n) and a projection",
	New:       Typed(newOGD),
}

// OGDParams are the parameters of ogd, which plays
//
//	x_{t+1} = Π(x_t − step/√t · ∂f_t(x_t)),   x_1 = Π(x_0).
//
// Its regret against the whole domain is O(√t). Nothing bounds its violation.
type OGDParams struct {
	Step float64 `name:"step" doc:"steps are step/√t; 0 takes diameter/Lipschitz constant of the losses as the problem declares them, or 1" min:"0"`
	FirstAction
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
