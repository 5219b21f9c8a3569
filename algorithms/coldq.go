package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
)

var coldq = Algorithm{
	Name:  "coldq",
	Title: "COLDQ",
	Doc: "constrained online learning with doubly-bounded queues: a proximal step with hinge " +
		"penalties of the constraints, whose weights are at least εT",
	Reference: "Wang, Yan, Liu, Doubly-bounded queue for constrained online learning: keeping pace " +
		"with dynamics of both loss and constraint, AAAI 2025, Algorithm 1",
	Definition: slices.Concat([]string{
		"$Q_t = max((1 − η)Q_{t−1} + [g_t(x_t)]₊, εT),  Q_1 = εT$",
		"$x_{t+1} = argmin_{x∈D} ∂f_t(x_t)·x + Σ_j Q_{t,j}[g_{t,j}(x)]₊ + α_t‖x − x_t‖²$",
		"with $α_t = alpha·√t$, $alpha = G/Δ$ by default, $ε = epsilon$, by default $B/2$, and $η = " +
			"eta$, by default $1/T$; $G$ is the Lipschitz constant of the losses (lipschitz), Δ the " +
			"diameter of $D$ and $B$ a bound of $|g_{t,j}|$.",
	}, startDefinition, epochsDefinition),
	Version:  4,
	Params:   COLDQParams{},
	Feedback: FullInfo,
	Assumes:  []Assumption{CommonPoint},
	Solvers:  1,
	Cost:     "one minimisation of m hinges plus a quadratic over the domain",
	New:      Typed(newCOLDQ),
}

// COLDQParams are the parameters of coldq. Let a be the parameter alpha, and G the Lipschitz
// constant of the losses. The default a = G/Δ is ours; alpha=1 gives the authors' steps. Queues are
// at most max(ε, B)T. The objective is 2α_t-strongly convex (D): for every u with g_t(u) ≤ 0, as in
// [GuoParams],
//
//	f_t(x_t) − f_t(u) + Σ_j Q_{t,j}[g_{t,j}(x_{t+1})]₊ ≤ G²/(4α_t) + α_t(‖u − x_t‖² − ‖u − x_{t+1}‖²).
//
// Sum over the rounds τ ≤ t with points u_τ that are feasible in theirs. Since
// α_τ‖u_τ − x_τ‖² − α_{τ−1}‖u_{τ−1} − x_τ‖² ≤ (α_τ − α_{τ−1})Δ² + 2Δα_{τ−1}‖u_τ − u_{τ−1}‖,
//
//	Σ_τ f_τ(x_τ) − f_τ(u_τ) + Σ_τΣ_j Q_{τ,j}[g_{τ,j}(x_{τ+1})]₊ ≤ C_t + 2aΔ√t Σ_{τ>1}‖u_τ − u_{τ−1}‖,   C_t = (G²/(2a) + aΔ²)√t,
//
// which is (3/2)GΔ√t + 2G√t P_t at the default with the best action of each round: dynamic regret
// O(√t(1 + P_t)). An a of the order G/√(Δ² + ΔP_T), which nobody knows beforehand, makes it O(√(T(1
// + P_T))). With one u in X^min the regret is at most C_t. As Q ≥ εT and the left sum of losses is
// at least −Ft, F the range of the losses,
//
//	Σ_τΣ_j [g_{τ,j}(x_τ)]₊ ≤ Σ_j[g_{1,j}(x_1)]₊ + (Ft + C_t)/(εT) + S_t,   S_t = Σ_{1<τ≤t}Σ_j max over x in D of [g_{τ,j}(x) − g_{τ−1,j}(x)]₊,
//
// with 2aΔ√t P_t added to C_t where X^min may be empty. The rise S_t is at most mV_t. It
// is linear in T where constraints alternate or are drawn anew in each round, and then
// the bound is the mBt that no learner exceeds.
type COLDQParams struct {
	LossConstants
	Alpha   float64 `name:"alpha" doc:"weights of the proximal term are α_t = alpha·√t; 0 takes G/Δ, which is the paper's 1 in units of these" min:"0"`
	Epsilon float64 `name:"epsilon" doc:"ε: queues are at least εT; 0 takes half of the bound B of the constraints, for the theorem's 0 < ε < B" min:"0"`
	Eta     float64 `name:"eta" doc:"fraction η by which the queue decays in a round; 0 takes 1/T" min:"0" max:"1"`
	FirstAction
	Epochs
}

// Claims returns O(√T), O(√T(1 + P_T)) for dynamic regret and O(1 + V_T), and the bounds of
// these weights.
func (p COLDQParams) Claims() []Claim {
	return []Claim{
		{Metric: RegretXMin, Exponent: 0.5, Note: scaledSteps, Formula: "C_t = (G²/(2a) + aΔ²)√t",
			Bound: provenBound(newCOLDQ, p, p.regretBound)},
		{Metric: RegretDynamic, Growth: "√t(1 + P_t)", Note: scaledSteps,
			Formula: "C_t + 2aΔ√t P_t, C_t = (G²/(2a) + aΔ²)√t",
			Moving:  provenBound(newCOLDQ, p, p.dynamicBound)},
		{
			Metric: HardViolation, Growth: "1 + V_t", Note: "constant where constraints are fixed, and no " +
				"more than any play keeps where they change in each round",
			Formula: "min(mBt, mB + (Ft + C_t)/(εT) + S_t), S_t the sum of the rises of the constraints; " +
				"C_t + 2aΔ√t P_t in place of C_t without a point that is feasible in all rounds",
			Moving: provenBound(newCOLDQ, p, p.violationBound),
		},
	}
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p COLDQParams) regretBound(l *coldqLearner, k *boundInputs) func(t int) float64 {
	return proximalRegret(k.lossLipschitz(), k.diameter(), l.alpha)
}

// dynamicBound returns the bound of the dynamic regret that Claims states, at the steps of the
// learner.
func (p COLDQParams) dynamicBound(l *coldqLearner, k *boundInputs) func(t int, m Motion) float64 {
	static := p.regretBound(l, k)
	perPath := sqrtBound(2 * l.alpha * k.Set.Diameter())
	return func(t int, m Motion) float64 { return static(t) + float64(perPath(t)*m.Path) }
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p COLDQParams) violationBound(l *coldqLearner, k *boundInputs) func(t int, m Motion) float64 {
	k.require(k.Constraints > 0, "there are no constraints")
	perRound, lossRange := k.m()*k.constraintBound(), k.lossRange()
	regret := p.dynamicBound(l, k)
	return func(t int, m Motion) float64 {
		if k.Facts.Slater > 0 { // one point is feasible in all rounds
			m.Path = 0
		}
		b := perRound + (float64(lossRange*float64(t))+regret(t, m))/l.lowest + m.Rise
		// b is NaN if no action is feasible in some round.
		if trivial := perRound * float64(t); !(b < trivial) {
			return trivial
		}
		return b
	}
}

// coldqLearner holds the action x_t and the queues Q_t ≥ εT.
type coldqLearner struct {
	proximal
	t      int
	alpha  float64
	keep   float64 // 1−η
	lowest float64 // εT
	queue  []float64
}

// newCOLDQ returns the learner at round 1. The parameters alpha, epsilon and eta take their
// defaults where they are 0.
func newCOLDQ(p COLDQParams, s Setup) (_ Learner, err error) {
	l := &coldqLearner{alpha: p.Alpha, queue: make([]float64, s.Constraints)}
	if l.alpha == 0 {
		if l.alpha, err = p.proximalWeight(s, "alpha"); err != nil {
			return nil, err
		}
	}
	if p.Epsilon, err = Declared(p.Epsilon, s.Facts.ConstraintBound/2, "bound of its constraints",
		"epsilon"); err != nil {
		return nil, err
	}
	T := float64(s.Horizon)
	if p.Eta == 0 {
		p.Eta = 1 / T
	}
	l.keep, l.lowest = 1-p.Eta, p.Epsilon*T
	l.proximal, err = newProximal(s, p.FirstAction)
	return l, err
}

// Observe implements [Learner].
func (l *coldqLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	for j, g := range r.Constraints {
		if l.t == 1 { // Q_1 = εT, whatever g_1(x_1) is
			l.queue[j] = l.lowest
			continue
		}
		l.queue[j] = max(float64(l.keep*l.queue[j])+max(0, g.Value(l.x)), l.lowest)
	}
	return l.moveRectified(r, l.queue, l.alpha*math.Sqrt(float64(l.t)))
}

// State implements [Stateful].
func (l *coldqLearner) State() []State { return queueState(l.queue...) }
