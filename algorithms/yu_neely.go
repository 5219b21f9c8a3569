package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
)

var yuNeely = Algorithm{
	Name:  "yu-neely",
	Title: "Yu, Neely",
	Doc: "drift plus penalty for fixed constraints, with queues of at least the slack: " +
		"violation O(1) with a Slater point",
	Reference: "Yu, Neely, A low complexity algorithm with O(√T) regret and O(1) constraint " +
		"violations for online convex optimization with long term constraints, JMLR 21, 2020, " +
		"Algorithm 1",
	Definition: slices.Concat([]string{
		"$Q_t = max(−γg(x_t), Q_{t−1} + γg(x_t)),  Q_0 = 0$",
		"$x_{t+1} = argmin_{x∈D} ∂f_t(x_t)·x + Σ_j (Q_{t,j} + γg_j(x_t))γg_j(x) + α‖x − x_t‖²$",
		"with $γ = gamma$, by default $T^{1/4}$, and $α = alpha$, by default $½(β² + 1)√T$; $β = " +
			"beta$ is the Lipschitz constant of the vector $g = (g_1, …, g_m)$, by default $√m$ times " +
			"that of the constraints.",
	}, startDefinition, epochsDefinition),
	Version:  2,
	Params:   YuNeelyParams{},
	Feedback: FullInfo,
	Assumes: []Assumption{
		FixedConstraints,
		Undecided("a strictly feasible point; the violation is O(T^{1/4}) without"),
	},
	Solvers: 1,
	Cost: "one minimisation of Σ_k c_k g_k plus a quadratic over the domain: a projection where " +
		"constraints are affine",
	New: Typed(newYuNeely),
}

// YuNeelyParams are the parameters of yu-neely. All Q_t + γg(x_t) are ≥ 0: x_{t+1} is the
// solution of a convex program. The constraints of the round stand for g, which
// need not be known in advance.
//
// With G the Lipschitz constant of the losses and Δ the diameter, the regret
// is at most, for every z with g(z) ≤ 0 and α > ½γ²β²,
//
//	Σ_t f_t(x_t) − f_t(z) ≤ αΔ² + TG²/(4α − 2γ²β²) = ½((β²+1)Δ² + G²)√T,
//
// and Σ_t g_k(x_t) ≤ Q_{T,k}/γ, where with g(z) ≤ −ε for some z, Γ a bound of
// ‖g(x)‖ and F one of f_t(x)−f_t(y)
//
//	‖Q_T‖² ≤ (2γΓ + (F + G²/(4α − 2γ²β²))/(γε))² + 2αΔ² + γ²Γ² = O(γ²).
//
// Without z the queue is bounded by the regret, ‖Q_T‖² ≤ γ²Γ² + 2αΔ² + 2T(F +
// G²/(4α − 2γ²β²)): O(T^{1/4}) violation. With doubling, every epoch adds a
// constant to the violation: O(√T) regret and O(log T) violation.
type YuNeelyParams struct {
	Gamma float64 `name:"gamma" doc:"factor γ of the constraints; 0 takes T^{1/4}" min:"0"`
	Alpha float64 `name:"alpha" doc:"weight α of the proximal term; 0 takes ½(β²+1)√T" min:"0"`
	Beta  float64 `name:"beta" doc:"β, a Lipschitz constant of the vector (g_1, …, g_m); 0 takes √m times that of the constraints as the problem declares it" min:"0"`
	FirstAction
	Epochs
}

// Claims returns O(√T) and O(1), and the bounds of these weights.
func (p YuNeelyParams) Claims() []Claim {
	return noteStepsSetByHand([]Claim{
		{Metric: RegretXMin, Exponent: 0.5, Formula: "αΔ² + tG²/(4α − 2γ²β²), if 2α > γ²β²",
			Bound: provenBound(newYuNeely, p, p.regretBound)},
		{
			Metric: SoftViolation, Note: "with a Slater point; exponent 1/4 without",
			Formula: "√mq/γ, q² = γ²mB² + 2αΔ² + min((2γ√mB + (F + G²/(4α − 2γ²β²))/(γε))², 2t(F + G²/(4α " +
				"− 2γ²β²)))", Bound: provenBound(newYuNeely, p, p.violationBound),
		},
	}, p.Gamma, p.Alpha)
}

// boundTerms returns G²/(4α − 2γ²β²).
func (p YuNeelyParams) boundTerms(l *yuNeelyLearner, k *boundInputs) (drift float64) {
	beta, err := jointLipschitz(p.Beta, k.Setup, "alpha")
	k.require(err == nil, "%w", err)
	slope := float64(4*l.alpha) - float64(2*square(l.gamma*beta))
	k.require(slope > 0, "2α = %.3g is not more than γ²β² = %.3g", 2*l.alpha, square(l.gamma*beta))
	k.requireDiameter()
	return square(k.lossLipschitz()) / slope
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p YuNeelyParams) regretBound(l *yuNeelyLearner, k *boundInputs) func(t int) float64 {
	drift := p.boundTerms(l, k)
	return affineBound(l.alpha*square(k.diameter()), drift)
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p YuNeelyParams) violationBound(l *yuNeelyLearner, k *boundInputs) func(t int) float64 {
	drift := p.boundTerms(l, k)
	perRound := float64(k.lossRange() + drift)
	values := float64(l.gamma * math.Sqrt(k.m()) * k.constraintBound()) // bounds ‖g̃‖
	slaterBound2 := square(float64(2*values) + perRound/(l.gamma*k.slaterMargin()))
	common := square(values) + float64(2*l.alpha*square(k.diameter()))
	return func(t int) float64 {
		return math.Sqrt(k.m()*(common+min(slaterBound2, 2*perRound*float64(t)))) / l.gamma
	}
}

// yuNeelyLearner holds the action x_t and the queues Q_t.
type yuNeelyLearner struct {
	proximal
	gamma float64
	alpha float64
	queue []float64 // Q_t
	coef  []float64 // scratch: the weights of the constraints in a step
}

// newYuNeely returns the learner at round 1. The parameters gamma and alpha take their defaults
// where they are 0.
func newYuNeely(p YuNeelyParams, s Setup) (Learner, error) {
	T := float64(s.Horizon)
	if p.Gamma == 0 {
		p.Gamma = math.Sqrt(math.Sqrt(T))
	}
	if p.Alpha == 0 {
		beta, err := jointLipschitz(p.Beta, s, "alpha")
		if err != nil {
			return nil, err
		}
		p.Alpha = (float64(beta*beta) + 1) / 2 * math.Sqrt(T)
	}
	prox, err := newProximal(s, p.FirstAction)
	return &yuNeelyLearner{proximal: prox, gamma: p.Gamma, alpha: p.Alpha,
		queue: make([]float64, s.Constraints), coef: make([]float64, s.Constraints)}, err
}

// Observe implements [Learner].
func (l *yuNeelyLearner) Observe(_ []float64, r convex.Round) error {
	for k, g := range r.Constraints {
		v := float64(l.gamma * g.Value(l.x))
		l.queue[k] = max(-v, l.queue[k]+v)
		l.coef[k] = l.gamma * max(0, l.queue[k]+v) // ≥ 0 but for rounding
	}
	return l.move(r, l.coef, l.alpha)
}

// State implements [Stateful].
func (l *yuNeelyLearner) State() []State { return queueState(l.queue...) }
