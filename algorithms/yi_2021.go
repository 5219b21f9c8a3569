package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var yi2021 = Algorithm{
	Name:  "yi-2021",
	Title: "Yi et al. 2021",
	Doc: "a proximal step with hinge penalties of fixed constraints, whose weights grow with " +
		"the violation so far",
	Reference: "Yi, Li, Yang, Xie, Chai, Johansson, Regret and cumulative constraint violation " +
		"analysis for online convex optimization with long term constraints, ICML 2021, Algorithm 1, " +
		"Theorem 1",
	Definition: slices.Concat([]string{
		"$q_t = q_{t−1} + γ[g(x_t)]₊,  q_0 = 0$",
		"$x_{t+1} = argmin_{x∈D} α∂f_t(x_t)·x + αγ(q_t + γ[g(x_t)]₊)·[g(x)]₊ + ‖x − x_t‖²$",
		"with $α = alpha0/T^c$, by default $alpha0 = Δ/G$, and $γ = gamma0/√α$, by default $gamma0 = " +
			"1/(√2 β)$. $G$ is the Lipschitz constant of the losses (lipschitz), Δ the diameter of " +
			"$D$, and $β = beta$ the Lipschitz constant of the vector $g = (g_1, …, g_m)$, by default " +
			"$√m$ times that of the constraints.",
	}, startDefinition, epochsDefinition),
	Version:  4,
	Params:   Yi2021Params{C: 0.5},
	Feedback: FullInfo,
	Assumes:  []Assumption{FixedConstraints},
	Solvers:  1,
	Cost:     "one minimisation of m hinges plus a quadratic over the domain",
	New:      Typed(newYi2021),
}

// Yi2021Params are the parameters of yi-2021. The learner takes the constraints of the round for g.
// With γ_0 ≤ 1/(√2β), G the Lipschitz constant of the losses and F their range (D), at every t ≤ T,
// for every u with g(u) ≤ 0,
//
//	Σ_{τ≤t} f_τ(x_τ) − f_τ(u) + ½‖q_{t+1}‖² ≤ C_t = ⅓αG²t + Δ²/α
//
// and Σ_{τ≤t}[g_j(x_τ)]₊ = q_{t,j}/γ, at most √(2α(Ft + C_t))/γ_0: regret
// O(T^{max(c,1−c)}), violation O(T^{(1−c)/2}). In the proof, the penalty of step t is
// q_t·v_{t+1} + v_t·v_{t+1} with v_t = γ[g(x_t)]₊. It equals ½‖q_{t+1}‖² − ½‖q_t‖² + ½‖v_t‖² −
// ½‖v_{t+1}−v_t‖², and the last term is at most ¼‖x_{t+1}−x_t‖²/α.
type Yi2021Params struct {
	LossConstants
	C      float64 `name:"c" doc:"trades regret T^max(c,1−c) for violation T^((1−c)/2)" above:"0" below:"1"`
	Alpha0 float64 `name:"alpha0" doc:"steps are α = alpha0/T^c; 0 takes Δ/G" min:"0"`
	Gamma0 float64 `name:"gamma0" doc:"factors of the constraints are γ = gamma0/√α; 0 takes the theorem's largest, 1/(√2β)" min:"0"`
	Beta   float64 `name:"beta" doc:"β, a Lipschitz constant of the vector (g_1, …, g_m); 0 takes √m times that of the constraints as the problem declares it" min:"0"`
	FirstAction
	Epochs
}

// Claims returns the rates that the theorem claims at these parameters, and the
// bounds.
func (p Yi2021Params) Claims() []Claim {
	return []Claim{
		{Metric: RegretXMin, Exponent: max(p.C, 1-p.C), Formula: "C_t = ⅓αG²t + Δ²/α",
			Bound: provenBound(newYi2021, p, p.regretBound)},
		{Metric: HardViolation, Exponent: (1 - p.C) / 2, Formula: "√(2m(Ft + C_t))/γ",
			Bound: provenBound(newYi2021, p, p.violationBound)},
	}
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p Yi2021Params) regretBound(l *yi2021Learner, k *boundInputs) func(t int) float64 {
	g, delta := k.lossLipschitz(), k.diameter()
	if k.Constraints > 0 {
		beta, err := jointLipschitz(p.Beta, k.Setup, "gamma0")
		k.require(err == nil, "%w", err)
		gamma0 := l.gamma * math.Sqrt(l.alpha)
		k.require(gamma0*beta <= roundingSlack/math.Sqrt2,
			"γ_0 = %.3g is more than 1/(√2β) = %.3g", gamma0, 1/(math.Sqrt2*beta))
	}
	return affineBound(delta*delta/l.alpha, l.alpha*g*g/3)
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p Yi2021Params) violationBound(l *yi2021Learner, k *boundInputs) func(t int) float64 {
	regret := p.regretBound(l, k)
	k.requireNonemptyXMin()
	return violationFromRegret(constantBound(2*k.m()/(l.gamma*l.gamma)), regret,
		k.lossRange())
}

// yi2021Learner holds the action x_t and the sums q_t of violations.
type yi2021Learner struct {
	proximal
	alpha float64
	gamma float64
	q     []float64
	coef  []float64 // scratch: the weights of the constraints in a step
}

// newYi2021 returns the learner at round 1. The parameters alpha0 and gamma0 take their defaults
// where they are 0.
func newYi2021(p Yi2021Params, s Setup) (Learner, error) {
	if p.Alpha0 == 0 {
		k, err := p.proximalWeight(s, "alpha0")
		if err != nil {
			return nil, err
		}
		p.Alpha0 = 1 / k
	}
	if p.Gamma0 == 0 {
		beta, err := jointLipschitz(p.Beta, s, "gamma0")
		if err != nil {
			return nil, err
		}
		p.Gamma0 = 1 / (math.Sqrt2 * beta)
	}
	alpha := p.Alpha0 / vec.Pow(float64(s.Horizon), p.C)
	step, err := newProximal(s, p.FirstAction)
	return &yi2021Learner{
		proximal: step, alpha: alpha, gamma: p.Gamma0 / math.Sqrt(alpha),
		q: make([]float64, s.Constraints), coef: make([]float64, s.Constraints),
	}, err
}

// Observe implements [Learner].
func (l *yi2021Learner) Observe(_ []float64, r convex.Round) error {
	for j, g := range r.Constraints {
		v := float64(l.gamma * max(0, g.Value(l.x)))
		l.q[j] += v
		l.coef[j] = l.gamma * (l.q[j] + v)
	}
	return l.moveRectified(r, l.coef, 1/l.alpha)
}

// State implements [Stateful].
func (l *yi2021Learner) State() []State { return multiplierState(l.q...) }
