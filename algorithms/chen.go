package algorithms

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var chen = Algorithm{
	Name:      "chen",
	Title:     "Chen, Ling, Giannakis",
	Doc:       "modified online saddle point (MOSP): a proximal step on the last round's Lagrangian, constraints in full, after the multipliers have moved",
	Reference: "Chen, Ling, Giannakis, An online convex optimization approach to proactive network resource allocation, IEEE Trans. Signal Processing 65, 2017, Theorems 1 and 2",
	Version:   2,
	Params:    ChenParams{},
	Feedback:  FullInfo,
	Claims:    ChenParams{}.Claims(),
	Assumes: []Assumption{
		Undecided("one point that is strictly feasible in every round, by more than constraints rise from one round to the next"),
		Undecided("constraints that rise by O(T^{2/3}) in all"),
	},
	Cost: "one minimisation of Σ_j λ_j g_j plus a quadratic over the domain: a projection where constraints are affine",
	New:  Typed(newChen),
}

// ChenParams are the parameters of chen, which plays, from x_1 = Π(x_0) and λ_1
// = 0,
//
//	λ_{t+1} = [λ_t + μ g_t(x_t)]₊
//	x_{t+1} = argmin over x in D of  ∂f_t(x_t)·x + λ_{t+1}·g_t(x) + ‖x − x_t‖²/(2α),      α = μ = T^{−1/3}.
//
// With V_t = max_x ‖[g_{t+1}(x) − g_t(x)]₊‖, the increase of the constraints, V̄
// the largest of them, M a bound of ‖g_t(x)‖, and λ̄ one of ‖λ_t‖,
//
//	Σ_t f_t(x_t) − f_t(z) ≤ Δ²/(2α) + ½(αG² + μM²)T + ½μM² + λ̄(M + Σ_{t<T} V_t)
//
// for every z in X^min. For a comparator that moves, such as the best action of
// each round, add Δ/α times the length of its path: that is the paper's dynamic
// regret. If g_t(z) ≤ −ε for one z, all t, and ε > V̄,
//
//	‖λ_t‖² ≤ (θ + μM)² + μΔ²/α,   θ = (F + ½αG² + ½μM²)/(ε − V̄),
//
// and ‖[Σ_t g_t(x_t)]₊‖ ≤ ‖λ_{T+1}‖/μ = O(1/μ) = O(T^{1/3}). This is the case
// that is claimed: one Slater point for all rounds, λ̄ = O(1), and increases that
// sum to O(T^{2/3}). The paper allows a Slater point for each round. Then Δ²/(2α)
// does not telescope and is added to F in θ: λ̄ = O(T^{1/3}), violation O(T^{2/3}),
// and a regret O(T^{2/3}) only if the increases sum to O(T^{1/3}). Constraints
// that change by more than ε from one round to the next, as i.i.d. ones usually
// do, are covered by neither: there the last sum is linear. On shrinking, where no
// point is strictly feasible in all rounds, the slope of the violation between T =
// 10² and 10⁵ is 0.40 in place of ⅓.
type ChenParams struct {
	Step     float64 `name:"step" doc:"step α of the actions; 0 takes T^{−1/3}" min:"0"`
	DualStep float64 `name:"dual-step" doc:"step μ of the multipliers; 0 takes T^{−1/3}" min:"0"`
	FirstAction
	Epochs
}

// Claims are O(T^{2/3}) and O(T^{1/3}) with one Slater point for all rounds, and
// the bounds of these steps for fixed constraints.
func (p ChenParams) Claims() []Claim {
	const common = "with one Slater point for all rounds"
	return byHand([]Claim{
		{
			Metric: RegretXMin, Exponent: 2. / 3, Note: common + "; dynamic too, if the best actions of rounds move by O(T^{1/3}) in all",
			Formula: "Δ²/(2α) + ½(αG² + μM²)t + ½μM² + λ̄M, M = √mB, λ̄² = (θ + μM)² + μΔ²/α, θ = (F + ½αG² + ½μM²)/ε, for fixed constraints", Bound: p.regret,
		},
		{
			Metric: SoftViolation, Exponent: 1. / 3, Note: common + "; re-derived, O(T^{2/3}) with one for each round, the paper's",
			Formula: "√mλ̄/μ, for fixed constraints", Bound: p.violation,
		},
	}, p.Step, p.DualStep)
}

// start returns the learner, ½(αG² + μM²) and λ̄.
func (p ChenParams) start(s Setup) (l *chenLearner, each, top float64, k *known) {
	l, err := of[*chenLearner](newChen(p, s))
	k = &known{s, err}
	if err != nil {
		return nil, 0, 0, k
	}
	k.demand(s.Facts.Fixed, "the problem does not declare by how much its constraints rise from round to round")
	g, values := k.losses(0), math.Sqrt(k.m())*k.bound(0)
	each = float64((float64(l.alpha*g*g) + float64(l.mu*values*values)) / 2)
	theta := (k.span(0, g) + each) / k.slater()
	return l, each, math.Sqrt(square(theta+float64(l.mu*values)) + float64(l.mu/l.alpha*square(k.diameter()))), k
}

func (p ChenParams) regret(s Setup) (func(t int) float64, error) {
	l, each, top, k := p.start(s)
	if k.err != nil {
		return nil, k.err
	}
	values := math.Sqrt(k.m()) * k.bound(0)
	return line(square(k.diameter())/(2*l.alpha)+float64(l.mu*values*values/2)+float64(top*values), each), nil
}

func (p ChenParams) violation(s Setup) (func(t int) float64, error) {
	l, _, top, k := p.start(s)
	if k.err != nil {
		return nil, k.err
	}
	return constant(math.Sqrt(k.m()) * top / l.mu), nil
}

type chenLearner struct {
	proximal
	alpha  float64
	mu     float64
	lambda []float64
}

func newChen(p ChenParams, s Setup) (Learner, error) {
	step := vec.Pow(float64(s.Horizon), -1./3)
	if p.Step == 0 {
		p.Step = step
	}
	if p.DualStep == 0 {
		p.DualStep = step
	}
	prox, err := newProximal(s, p.FirstAction)
	return &chenLearner{proximal: prox, alpha: p.Step, mu: p.DualStep, lambda: make([]float64, s.Constraints)}, err
}

// Observe implements [Learner].
func (l *chenLearner) Observe(_ []float64, r convex.Round) error {
	for j, g := range r.Constraints {
		l.lambda[j] = max(0, l.lambda[j]+float64(l.mu*g.Value(l.x)))
	}
	return l.move(r, l.lambda, 1/(2*l.alpha))
}
