package algorithms

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var guo = Algorithm{
	Name:      "guo",
	Doc:       "rectified online optimisation (RECOO): a proximal step with hinge penalties of the constraints, whose weights grow",
	Reference: "Guo, Liu, Wei, Ying, Online convex optimization with hard constraints: towards the best of two worlds and beyond, NeurIPS 2022, Algorithm 1",
	Version:   2,
	Params:    GuoParams{Gamma: 1, Eta: 1, Epsilon: 0.01},
	Feedback:  FullInfo,
	Anytime:   true,
	Claims: []Claim{
		{Metric: RegretXMin, Exponent: 0.5},
		{Metric: HardViolation, Exponent: 0.75, Note: "constant where constraints are fixed"},
	},
	Assumes: []Assumption{Undecided("a point feasible in every round")},
	Cost:    "one minimisation of m hinges plus a quadratic over the domain",
	New:     Typed(newGuo),
}

// GuoParams are the parameters of guo, which plays, from x_1 = Π(x_0) and the
// queues Q_0 = 0,
//
//	Q_t     = max(Q_{t−1} + γ_t[g_t(x_t)]₊, η_t)
//	x_{t+1} = argmin over x in D of  ∂f_t(x_t)·x + γ_t Σ_j Q_{t,j}[g_{t,j}(x)]₊ + α_t‖x − x_t‖²,
//
// α_t = (G/Δ)√t, γ_t = t^{1/2+ε}, η_t = √t. With G the Lipschitz constant of the
// losses, F their range and L that of the constraints, one step costs, for
// every u in X^min and d_t = ‖u − x_t‖²,
//
//	f_t(x_t) − f_t(u) + γ_tΣ_jQ_{t,j}[g_{t,j}(x_{t+1})]₊ ≤ G²/(4α_t) + α_t(d_t − d_{t+1}).
//
// Hence (D), with constants and for all T, Σ_t f_t(x_t) − f_t(u) ≤ (3/2)GΔ√T;
// and as γ_tQ_{t,j} ≥ t^{1+ε}, the violation of the round that was just seen is
//
//	Σ_tΣ_j [g_{t,j}(x_{t+1})]₊ ≤ H_T = (F + GΔ/4)Σ_t t^{−1−ε} + GΔ.
//
// Where constraints are fixed this is the hard violation of all rounds but the
// first. Otherwise the steps add mLΣ‖x_{t+1}−x_t‖ to it, that is
//
//	Σ_tΣ_j [g_{t,j}(x_t)]₊ ≤ H_T + mL √(Σ_t 1/α_t · 2(FT + 2GΔ√T)) = O(T^{3/4}).
//
// The bounds do not depend on how Q grows, but on η_t alone. H_T tends to a
// constant of the order of 1/ε, which is 100 by default. At the horizons of
// experiments it is (F + GΔ/4) ln T.
type GuoParams struct {
	LossConstants
	Alpha   float64 `name:"alpha" doc:"weights of the proximal term are α_t = alpha·√t; 0 takes G/Δ, which is the paper's 1 in units of these" min:"0"`
	Gamma   float64 `name:"gamma" doc:"factors of the constraints are γ_t = gamma·t^(1/2+epsilon)" above:"0"`
	Eta     float64 `name:"eta" doc:"queues are at least η_t = eta·√t" above:"0"`
	Epsilon float64 `name:"epsilon" doc:"exponent by which γ_t exceeds √t" above:"0"`
	FirstAction
}

type guoLearner struct {
	rectified
	p     GuoParams
	t     int
	queue []float64
	coef  []float64
}

func newGuo(p GuoParams, s Setup) (_ Learner, err error) {
	if p.Alpha == 0 {
		if p.Alpha, err = p.stiffness(s, "alpha"); err != nil {
			return nil, err
		}
	}
	step, err := newRectified(s, p.FirstAction)
	return &guoLearner{rectified: step, p: p, queue: make([]float64, s.Constraints), coef: make([]float64, s.Constraints)}, err
}

// Observe implements [Learner].
func (l *guoLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	t := float64(l.t)
	gamma, eta := l.p.Gamma*vec.Pow(t, 0.5+l.p.Epsilon), l.p.Eta*math.Sqrt(t)
	for j, g := range r.Constraints {
		l.queue[j] = max(l.queue[j]+float64(gamma*max(0, g.Value(l.x))), eta)
		l.coef[j] = gamma * l.queue[j]
	}
	return l.move(r, l.coef, l.p.Alpha*math.Sqrt(t))
}
