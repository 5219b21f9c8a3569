package algorithms

import "ocobench/convex"

var ogd = Algorithm{
	Name:      "ogd",
	Doc:       "projected online gradient descent, blind to the constraints: the sanity floor",
	Reference: "Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, 2003, Theorem 1",
	Version:   1,
	Params:    OGDParams{},
	Feedback:  FirstOrder,
	Anytime:   true,
	Claims:    []Claim{{Metric: RegretDomain, Exponent: 0.5}},
	Cost:      "O(n) and a projection",
	New:       build(newOGD),
}

// OGDParams are the parameters of ogd.
type OGDParams struct {
	Step float64   `name:"step" doc:"steps are step/√t; 0 takes diameter/Lipschitz constant of the losses as the problem declares them, or 1" min:"0"`
	X0   []float64 `name:"x0" doc:"first action, projected; one number stands for all coordinates, default the origin"`
}

// OGD plays x_{t+1} = Π(x_t − step/√t · ∂f_t(x_t)), x_1 = Π(x_0). Against the
// whole domain its regret is O(√t); its violation grows as the constraints
// please.
type OGD struct{ descent }

func newOGD(p OGDParams, s Setup) (Learner, error) {
	if p.Step == 0 {
		p.Step = 1
		if s.Facts.LossLipschitz > 0 && s.Set.Diameter() > 0 {
			p.Step = s.Set.Diameter() / s.Facts.LossLipschitz
		}
	}
	d, err := newDescent(s, p.Step, p.X0)
	return &OGD{d}, err
}

// Observe implements [Learner].
func (l *OGD) Observe(_ []float64, r convex.Round) error {
	l.move(l.begin(r.Loss))
	return nil
}
