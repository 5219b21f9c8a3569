package algorithms

import (
	"errors"
	"math"

	"ocobench/convex"
)

var coldq = Algorithm{
	Name:      "coldq",
	Title:     "COLDQ",
	Doc:       "constrained online learning with doubly-bounded queues: a proximal step with hinge penalties of the constraints, whose weights are at least εT",
	Reference: "Wang, Yan, Liu, Doubly-bounded queue for constrained online learning: keeping pace with dynamics of both loss and constraint, AAAI 2025, Algorithm 1",
	Version:   2,
	Params:    COLDQParams{},
	Feedback:  FullInfo,
	Claims:    COLDQParams{}.Claims(),
	Assumes:   []Assumption{Undecided("a point feasible in every round")},
	Cost:      "one minimisation of m hinges plus a quadratic over the domain",
	New:       Typed(newCOLDQ),
}

// COLDQParams are the parameters of coldq, which plays, from x_1 = Π(x_0) and
// Q_1 = εT,
//
//	Q_t     = max((1−η)Q_{t−1} + [g_t(x_t)]₊, εT),   t > 1
//	x_{t+1} = argmin over x in D of  ∂f_t(x_t)·x + Σ_j Q_{t,j}[g_{t,j}(x)]₊ + α_t‖x − x_t‖²,
//
// α_t = a√t, η = 1/T. The default a = G/Δ, with G the Lipschitz constant of the
// losses, is ours: alpha=1 gives the authors' steps. Queues are at most max(ε,
// B)T. With F the range of the losses (D), at every t ≤ T and for every u in X^min,
//
//	Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ C_t = (G²/(2a) + aΔ²)√t
//	Σ_{τ≤t}Σ_j [g_{τ,j}(x_τ)]₊ ≤ Σ_j[g_{1,j}(x_1)]₊ + (Ft + C_t)/(εT) + Σ_{1<τ≤t}Σ_j max over x in D of [g_{τ,j}(x) − g_{τ−1,j}(x)]₊,
//
// as in [GuoParams]; C_t = (3/2)GΔ√t at the default. The last sum, the increase of the
// constraints, is linear in T where they alternate or are drawn anew in each
// round. A violation O(T) is no more than what any learner has. The paper also
// bounds dynamic regret.
type COLDQParams struct {
	LossConstants
	Alpha   float64 `name:"alpha" doc:"weights of the proximal term are α_t = alpha·√t; 0 takes G/Δ, which is the paper's 1 in units of these" min:"0"`
	Epsilon float64 `name:"epsilon" doc:"ε: queues are at least εT; 0 takes half of the bound B of the constraints, for the theorem's 0 < ε < B" min:"0"`
	Eta     float64 `name:"eta" doc:"fraction η by which the queue decays in a round; 0 takes 1/T" min:"0" max:"1"`
	FirstAction
	Epochs
}

// Claims are O(√T) and O(T), and the bounds of these weights.
func (p COLDQParams) Claims() []Claim {
	return []Claim{
		{Metric: RegretXMin, Exponent: 0.5, Note: scaledSteps, Formula: "C_t = (G²/(2a) + aΔ²)√t", Bound: p.regret},
		{
			Metric: HardViolation, Exponent: 1, Note: "trivial; t^V where constraints rise by O(t^V) in all, constant where they are fixed",
			Formula: "mBt, and for fixed constraints mB + (Ft + C_t)/(εT)", Bound: p.violation,
		},
	}
}

func (p COLDQParams) regret(s Setup) (func(t int) float64, error) {
	l, err := of[*coldqLearner](newCOLDQ(p, s))
	if err != nil {
		return nil, err
	}
	k := known{Setup: s}
	return proximalRegret(k.losses(p.Lipschitz), k.diameter(), l.alpha), k.err
}

func (p COLDQParams) violation(s Setup) (func(t int) float64, error) {
	k := known{Setup: s}
	k.demand(s.Constraints > 0, "there are no constraints")
	whole := k.m() * k.bound(0)
	if k.err != nil || !s.Facts.Fixed {
		return line(0, whole), k.err
	}
	regret, err := p.regret(s)
	if err != nil {
		return nil, err
	}
	l, err := of[*coldqLearner](newCOLDQ(p, s))
	span := k.span(0, k.losses(p.Lipschitz))
	k.slater()
	return func(t int) float64 {
		return min(whole*float64(t), whole+(float64(span*float64(t))+regret(t))/l.lowest)
	}, errors.Join(k.err, err)
}

type coldqLearner struct {
	rectified
	t      int
	alpha  float64
	keep   float64 // 1−η
	lowest float64 // εT
	queue  []float64
}

func newCOLDQ(p COLDQParams, s Setup) (_ Learner, err error) {
	l := &coldqLearner{alpha: p.Alpha, queue: make([]float64, s.Constraints)}
	if l.alpha == 0 {
		if l.alpha, err = p.stiffness(s, "alpha"); err != nil {
			return nil, err
		}
	}
	if p.Epsilon, err = Declared(p.Epsilon, s.Facts.ConstraintBound/2, "bound of its constraints", "epsilon"); err != nil {
		return nil, err
	}
	T := float64(s.Horizon)
	if p.Eta == 0 {
		p.Eta = 1 / T
	}
	l.keep, l.lowest = 1-p.Eta, p.Epsilon*T
	l.rectified, err = newRectified(s, p.FirstAction)
	return l, err
}

// Observe implements [Learner].
func (l *coldqLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	for j, g := range r.Constraints {
		if l.t == 1 {
			l.queue[j] = l.lowest
			continue
		}
		l.queue[j] = max(float64(l.keep*l.queue[j])+max(0, g.Value(l.x)), l.lowest)
	}
	return l.move(r, l.queue, l.alpha*math.Sqrt(float64(l.t)))
}
