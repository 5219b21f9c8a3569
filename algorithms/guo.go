package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var guo = Algorithm{
	Name:  "guo",
	Title: "Guo et al.",
	Doc: "rectified online optimisation (RECOO): a proximal step with hinge penalties of the " +
		"constraints, whose weights grow",
	Reference: "Guo, Liu, Wei, Ying, Online convex optimization with hard constraints: towards the " +
		"best of two worlds and beyond, NeurIPS 2022, Algorithm 1",
	Definition: slices.Concat([]string{
		"$Q_t = max(Q_{t−1} + γ_t[g_t(x_t)]₊, η_t),  Q_0 = 0$",
		"$x_{t+1} = argmin_{x∈D} ∂f_t(x_t)·x + γ_t Σ_j Q_{t,j}[g_{t,j}(x)]₊ + α_t‖x − x_t‖²$",
		"with $γ_t = gamma·t^{1/2+ε}$, $ε = epsilon$, $η_t = eta·√t$ and $α_t = alpha·√t$, $alpha = " +
			"G/Δ$ by default, $G$ the Lipschitz constant of the losses (lipschitz) and Δ the diameter " +
			"of $D$.",
	}, startDefinition),
	Version:  4,
	Params:   GuoParams{Gamma: 1, Eta: 1, Epsilon: 0.01},
	Feedback: FullInfo,
	Anytime:  true,
	Assumes:  []Assumption{CommonPoint},
	Solvers:  1,
	Cost: "one minimisation of m hinges plus a quadratic over the domain: O(mn + q²) a step " +
		"of the active set with q rows where they are affine, O(n) a step for one separable in a box " +
		"of 128 dimensions or more, else O(n³) a step",
	New: Typed(newGuo),
}

// scaledSteps is the note of claims about weights α_t = a√t.
const scaledSteps = "the default scales the weights α_t by G/Δ; alpha=1 gives the paper's"

// GuoParams are the parameters of guo. Let a be the parameter alpha. The default a = G/Δ is ours,
// and a = 1 the authors'. With the Lipschitz constants G of the losses and L of the constraints,
// and the range F of the losses, one step costs, for every u in X^min and d_t = ‖u − x_t‖²,
//
//	f_t(x_t) − f_t(u) + γ_tΣ_jQ_{t,j}[g_{t,j}(x_{t+1})]₊ ≤ G²/(4α_t) + α_t(d_t − d_{t+1}).
//
// Hence (D), with constants and for all T, Σ_t f_t(x_t) − f_t(u) ≤ C_T = (G²/(2a)
// + aΔ²)√T, (3/2)GΔ√T at the default; and as γ_tQ_{t,j} ≥ γηt^{1+ε}, the
// violation of the round that was just seen is
//
//	Σ_tΣ_j [g_{t,j}(x_{t+1})]₊ ≤ H_T = ((F + G²/(4a))Σ_t t^{−1−ε} + aΔ²)/(γη).
//
// Where constraints are fixed this is the hard violation of all rounds but the
// first. Otherwise the steps add mLΣ‖x_{t+1}−x_t‖ to it, that is
//
//	Σ_tΣ_j [g_{t,j}(x_t)]₊ ≤ H_T + mL √(Σ_t 1/α_t · 2(FT + (G²/a + aΔ²)√T)) = O(T^{3/4}).
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

// Claims returns O(√t) and O(t^{3/4}), and the bounds of these weights.
func (p GuoParams) Claims() []Claim {
	return []Claim{
		{Metric: RegretXMin, Exponent: 0.5, Note: scaledSteps, Formula: "(G²/(2a) + aΔ²)√t",
			Bound: provenBound(newGuo, p, p.regretBound)},
		{
			Metric: HardViolation, Exponent: 0.75,
			Note: "constant where constraints are fixed; " + scaledSteps,
			Formula: "H_t + mL√(4√t/a·(Ft + (G²/a + aΔ²)√t)), H_t = ((F + G²/(4a))(1 + (1−t^−ε)/ε) + " +
				"aΔ²)/(γη); H_t + mB for fixed constraints", Bound: provenBound(newGuo, p, p.violationBound),
		},
	}
}

// proximalRegret bounds the regret of proximal steps with the weights α_t =
// alpha·√t by Σ_t G²/(4α_t) + α_TΔ².
func proximalRegret(g, delta, alpha float64) func(t int) float64 {
	return sqrtBound(float64(g*g/(2*alpha)) + float64(alpha*delta*delta))
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p GuoParams) regretBound(l *guoLearner, k *boundInputs) func(t int) float64 {
	return proximalRegret(k.lossLipschitz(), k.diameter(), l.p.Alpha)
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p GuoParams) violationBound(l *guoLearner, k *boundInputs) func(t int) float64 {
	g, lip, b, delta, a := k.lossLipschitz(), k.constraintLipschitz(),
		k.constraintBound(), k.diameter(), l.p.Alpha
	f := k.lossRange()
	k.requireNonemptyXMin()
	fixed := k.Facts.Fixed
	return func(t int) float64 {
		T := float64(t)
		queueTerm := (float64((f+g*g/(4*a))*powerSumBound(t, 1+p.Epsilon)) + float64(a*delta*delta)) /
			(p.Gamma * p.Eta)
		root := math.Sqrt(T)
		moved := math.Sqrt(4 * root / a * (float64(f*T) + float64((g*g/a+float64(a*delta*delta))*root)))
		bound := queueTerm + float64(k.m()*lip*moved)
		if fixed {
			bound = min(bound, queueTerm+float64(k.m()*b))
		}
		return bound
	}
}

// guoLearner holds the action x_t and the queues Q_t.
type guoLearner struct {
	proximal
	p     GuoParams
	t     int
	queue []float64 // Q_t
	coef  []float64 // scratch: the weights of the constraints in a step
}

// newGuo returns the learner at round 1, with alpha = G/Δ if the parameter is 0.
func newGuo(p GuoParams, s Setup) (_ Learner, err error) {
	if p.Alpha == 0 {
		if p.Alpha, err = p.proximalWeight(s, "alpha"); err != nil {
			return nil, err
		}
	}
	step, err := newProximal(s, p.FirstAction)
	return &guoLearner{proximal: step, p: p, queue: make([]float64, s.Constraints),
		coef: make([]float64, s.Constraints)}, err
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
	return l.moveRectified(r, l.coef, l.p.Alpha*math.Sqrt(t))
}

// State implements [Stateful].
func (l *guoLearner) State() []State { return queueState(l.queue...) }
