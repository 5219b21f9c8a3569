package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var chen = Algorithm{
	Name:  "chen",
	Title: "Chen, Ling, Giannakis",
	Doc: "modified online saddle point (MOSP): a proximal step on the last round's " +
		"Lagrangian, constraints in full, after the multipliers have moved",
	Reference: "Chen, Ling, Giannakis, An online convex optimization approach to proactive network " +
		"resource allocation, IEEE Trans. Signal Processing 65, 2017, Theorems 1 and 2",
	Definition: slices.Concat([]string{
		"$λ_{t+1} = [λ_t + μ g_t(x_t)]₊,  λ_1 = 0$",
		"$x_{t+1} = argmin_{x∈D} ∂f_t(x_t)·x + λ_{t+1}·g_t(x) + ‖x − x_t‖²/(2α)$",
		"with $α = step$ and $μ = dual-step$, both $T^{−1/3}$ by default.",
	}, startDefinition, epochsDefinition),
	Version:  3,
	Params:   ChenParams{},
	Feedback: FullInfo,
	Assumes: []Assumption{
		Undecided("one point that is strictly feasible in every round, by more than constraints rise " +
			"from one round to the next"),
		Undecided("constraints that rise by O(T^{2/3}) in all"),
	},
	Solvers: 1,
	Cost: "one minimisation of Σ_j λ_j g_j plus a quadratic over the domain: a projection where " +
		"constraints are affine",
	New: Typed(newChen),
}

// ChenParams are the parameters of chen.
//
// Let r_t = max over x in D of ‖[g_{t+1}(x) − g_t(x)]₊‖ be the rise of the constraints
// after round t, M a bound of ‖g_t(x)‖, and λ̄ one of ‖λ_τ‖, τ ≤ t+1. The objective is
// 1/α-strongly convex, so that for every u in D and d_t = ‖u − x_t‖
//
//	f_t(x_t) − f_t(u) ≤ ½αG² + (d_t² − d_{t+1}²)/(2α) + λ_{t+1}·g_t(u) − λ_{t+1}·g_t(x_{t+1}),
//	−λ_{t+1}·g_t(x_{t+1}) ≤ λ̄r_t − λ_{t+1}·g_{t+1}(x_{t+1}) ≤ λ̄r_t + (‖λ_{t+1}‖² − ‖λ_{t+2}‖²)/(2μ) + ½μM²,
//
// the first because −∂f_t(x_t)·(x_{t+1} − x_t) ≤ ½αG² + ‖x_{t+1} − x_t‖²/(2α), the last
// from the update of λ. In the last round the left side is at most λ̄M. Sum over the
// rounds with points u_t that are feasible in theirs: λ_{t+1}·g_t(u_t) ≤ 0. As
// ‖u_t − x_t‖² − ‖u_{t−1} − x_t‖² ≤ 2Δ‖u_t − u_{t−1}‖,
//
//	Σ_{τ≤t} f_τ(x_τ) − f_τ(u_τ) ≤ Δ²/(2α) + (Δ/α)Σ_{1<τ≤t}‖u_τ − u_{τ−1}‖ + ½(αG² + μM²)t + ½μM² + λ̄(M + Σ_{τ<t} r_τ).
//
// With the best action of each round this bounds dynamic regret by their path length P_t,
// and with one u in X^min regret. If g_τ(z) ≤ −ε for one z and all τ, and ε > r̄, the
// largest r_τ with τ < t, then with u = z, where λ_{t+1}·g_t(z) ≤ −ε‖λ_{t+1}‖, the sum
// ‖λ_{t+1}‖²/(2μ) + d_t²/(2α) decreases while ‖λ_{t+1}‖ ≥ θ. Hence
//
//	λ̄² = (θ + μM)² + μΔ²/α,   θ = (F + ½αG² + ½μM²)/(ε − r̄),
//
// and ‖[Σ_{τ≤t} g_τ(x_τ)]₊‖ ≤ λ̄/μ = O(1/μ) = O(T^{1/3}). This is the case that is
// claimed: one Slater point for all rounds, λ̄ = O(1), and rises that sum to O(T^{2/3}).
// [Motion] has the sum of the rises of the single constraints, which is no less than r_t.
// The paper allows a Slater point for each round. Then Δ²/(2α) does not telescope and is
// added to F in θ: λ̄ = O(T^{1/3}), violation O(T^{2/3}), and a regret O(T^{2/3}) only if
// the rises sum to O(T^{1/3}). Constraints that rise by more than ε from one round to the
// next, as i.i.d. ones usually do, are covered by neither: there the last sum is linear.
// On shrinking, where no point is strictly feasible in all rounds, the slope of the
// violation between T = 10² and 10⁵ is 0.40 in place of ⅓.
type ChenParams struct {
	Step     float64 `name:"step" doc:"step α of the actions; 0 takes T^{−1/3}" min:"0"`
	DualStep float64 `name:"dual-step" doc:"step μ of the multipliers; 0 takes T^{−1/3}" min:"0"`
	FirstAction
	Epochs
}

// Claims returns O(T^{2/3}), with T^{1/3}P_T more for dynamic regret, and O(T^{1/3}), with
// one Slater point for all rounds, and the bounds of these steps.
func (p ChenParams) Claims() []Claim {
	const (
		common = "with one Slater point for all rounds, and rises of the constraints that sum to " +
			"O(T^{2/3})"
		constants = "M = √mB, λ̄² = (θ + μM)² + μΔ²/α, θ = (F + ½αG² + ½μM²)/(ε − r̄), r̄ the largest " +
			"rise of the constraints from one round to the next"
		regret = "½(αG² + μM²)t + ½μM² + λ̄(M + S_t), S_t the sum of the rises, " + constants
	)
	return noteStepsSetByHand([]Claim{
		{Metric: RegretXMin, Exponent: 2. / 3, Note: common, Formula: "Δ²/(2α) + " + regret,
			Moving: provenBound(newChen, p, p.regretBound)},
		{Metric: RegretDynamic, Growth: "t^(2/3) + t^(1/3) P_t", Note: common,
			Formula: "Δ²/(2α) + ΔP_t/α + " + regret, Moving: provenBound(newChen, p, p.dynamicBound)},
		{
			Metric: SoftViolation, Exponent: 1. / 3, Note: "with one Slater point for all rounds; " +
				"re-derived, O(T^{2/3}) with one for each round, the paper's",
			Formula: "√mλ̄/μ, " + constants, Moving: provenBound(newChen, p, p.violationBound),
		},
	}, p.Step, p.DualStep)
}

// boundTerms returns ½(αG² + μM²), and λ̄ as a function of r̄, which is +Inf unless r̄ < ε.
func (p ChenParams) boundTerms(l *chenLearner, k *boundInputs) (perRound float64,
	lambdaBar func(steepest float64) float64) {
	g, valueNorm, slater := k.lossLipschitz(), p.valueNorm(k), k.slaterMargin()
	perRound = float64((float64(l.alpha*g*g) + float64(l.mu*valueNorm*valueNorm)) / 2)
	thetaNumerator, initial := k.lossRange()+perRound, float64(l.mu/l.alpha*square(k.diameter()))
	return perRound, func(steepest float64) float64 {
		if !(steepest < slater) {
			return math.Inf(1)
		}
		return math.Sqrt(square(thetaNumerator/(slater-steepest)+float64(l.mu*valueNorm)) + initial)
	}
}

// valueNorm returns M, the bound of ‖g_t(x)‖.
func (ChenParams) valueNorm(k *boundInputs) float64 {
	return math.Sqrt(k.m()) * k.constraintBound()
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p ChenParams) regretBound(l *chenLearner, k *boundInputs) func(t int, m Motion) float64 {
	perRound, lambdaBar := p.boundTerms(l, k)
	valueNorm := p.valueNorm(k)
	unmoved := affineBound(square(k.diameter())/(2*l.alpha)+float64(l.mu*valueNorm*valueNorm/2),
		perRound)
	return func(t int, m Motion) float64 {
		return unmoved(t) + float64(lambdaBar(m.Steepest)*(valueNorm+m.Rise))
	}
}

// dynamicBound returns the bound of the dynamic regret that Claims states, at the steps of the
// learner.
func (p ChenParams) dynamicBound(l *chenLearner, k *boundInputs) func(t int, m Motion) float64 {
	regret := p.regretBound(l, k)
	perPath := k.diameter() / l.alpha
	return func(t int, m Motion) float64 { return regret(t, m) + float64(perPath*m.Path) }
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p ChenParams) violationBound(l *chenLearner, k *boundInputs) func(t int, m Motion) float64 {
	_, lambdaBar := p.boundTerms(l, k)
	root := math.Sqrt(k.m())
	return func(_ int, m Motion) float64 { return root * lambdaBar(m.Steepest) / l.mu }
}

// chenLearner holds the action x_t and the multipliers λ_t.
type chenLearner struct {
	proximal
	alpha  float64
	mu     float64
	lambda []float64
}

// newChen returns the learner at round 1, with steps T^{−1/3} where they are 0.
func newChen(p ChenParams, s Setup) (Learner, error) {
	step := vec.Pow(float64(s.Horizon), -1./3)
	if p.Step == 0 {
		p.Step = step
	}
	if p.DualStep == 0 {
		p.DualStep = step
	}
	prox, err := newProximal(s, p.FirstAction)
	return &chenLearner{proximal: prox, alpha: p.Step, mu: p.DualStep,
		lambda: make([]float64, s.Constraints)}, err
}

// Observe implements [Learner].
func (l *chenLearner) Observe(_ []float64, r convex.Round) error {
	for j, g := range r.Constraints {
		l.lambda[j] = max(0, l.lambda[j]+float64(l.mu*g.Value(l.x)))
	}
	return l.move(r, l.lambda, 1/(2*l.alpha))
}

// State implements [Stateful].
func (l *chenLearner) State() []State { return multiplierState(l.lambda...) }
