package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var yi2020 = Algorithm{
	Name:  "yi-2020",
	Title: "Yi et al. 2020",
	Doc: "primal-dual dynamic mirror descent of one agent: decaying multipliers that are " +
		"updated with linearised constraints",
	Reference: "Yi, Li, Xie, Johansson, Distributed online convex optimization with time-varying " +
		"coupled inequality constraints, IEEE Trans. Signal Processing 68, 2020, Algorithm 1 with one " +
		"agent; the bounds re-derived",
	Definition: slices.Concat([]string{
		"$x_{t+1} = Π(x_t − α_{t+1}(∂f_t(x_t) + Σ_j q_{t,j}∂g_{t,j}(x_t)))$",
		"$q_{t+1} = [(1 − β_{t+1}γ_{t+1})q_t + γ_{t+1}(g_t(x_t) + ∂g_t(x_t)(x_{t+1} − x_t))]₊,  q_1 " +
			"= 0$",
		"with $α_t = α_0/t^κ$, $β_t = 1/t^κ$, $γ_t = 1/t^{1−κ}$, $κ = kappa$ and $α_0 = step$, by " +
			"default $Δ/G$, Δ being the diameter of $D$ and $G$ a bound of all subgradients " +
			"(lipschitz).",
	}, startDefinition),
	Version:  1,
	Params:   Yi2020Params{Kappa: 2. / 3},
	Feedback: FirstOrder,
	Anytime:  true,
	Cost:     "O(m·n) and a projection",
	New:      Typed(newYi2020),
}

// Yi2020Params are the parameters of yi-2020.
//
// With C a bound of ‖g_t(x_t) + ∂g_t(x_t)(x_{t+1}−x_t)‖ and z in X^min
//
//	Σ_t f_t(x_t) − f_t(z) + Σ_t s_t‖q_t‖² + ‖q_{T+1}‖²/(2γ_{T+1})
//	    ≤ ½G² Σ_t α_{t+1} + Δ²/(2α_{T+1}) + C² Σ_t γ_{t+1} =: E,
//	s_t = β_{t+1} − γ_{t+1}β_{t+1}² − ½(1/γ_{t+1} − 1/γ_t), about ½(1+κ)/t^κ
//	    ≥ c/(t+1)^κ,   c = ½(1 − (1−κ)2^κ) > 0,
//
// so that regret ≤ E = O(T^{κ ∨ 1−κ}). With F a bound of f_t(x)−f_t(y), q and
// what the linearisation leaves out are bounded by E + FT = O(T), and
//
//	Σ_t g_{t,j}(x_t) ≤ ‖q_{T+1}‖/γ_{T+1} + Σ_t (β_{t+1} + √m G²α_{t+1})‖q_t‖ + G² Σ_t α_{t+1} = O(T^{1−κ/2}).
//
// No Slater point is needed, and the rates hold for any α_0 > 0. The default
// balances the first two terms of E.
type Yi2020Params struct {
	Step  float64 `name:"step" doc:"α_0 of the steps α_t = α_0/t^κ; 0 takes diameter/G" min:"0"`
	Kappa float64 `name:"kappa" doc:"exponent κ of the steps" above:"0" below:"1"`
	LipschitzConstant
	FirstAction
}

// Claims returns O(t^{κ ∨ 1−κ}) and O(t^{1−κ/2}), and their bounds.
func (p Yi2020Params) Claims() []Claim {
	const derived = "re-derived"
	return []Claim{
		{Metric: RegretXMin, Exponent: max(p.Kappa, 1-p.Kappa), Note: derived,
			Formula: "E_t = ½G²Σ_{τ≤t} α_{τ+1} + Δ²/(2α_{t+1}) + C²Σ_{τ≤t} γ_{τ+1}, C = √mB, or √m(B+LΔ) " +
				"if constraints are not affine", Bound: provenBound(newYi2020, p, p.regretBound)},
		{Metric: SoftViolation, Exponent: 1 - float64(p.Kappa/2), Note: derived,
			Formula: "√(2m(E_t + Ft)/γ_{t+1}) + (1 + mL²α_0)√(mΣ_{τ≤t} τ^−κ·(E_t + Ft)/c) + mLGΣ_{τ≤t} " +
				"α_{τ+1}, c = ½(1 − (1−κ)2^κ)", Bound: provenBound(newYi2020, p, p.violationBound)},
	}
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p Yi2020Params) regretBound(l *yi2020Learner, k *boundInputs) func(t int) float64 {
	g, delta := k.lossLipschitz(), k.diameter()
	c := k.linearisedBound(0) // without a tightening
	return func(t int) float64 {
		diameterTerm := delta * delta * vec.Pow(float64(t+1), p.Kappa) / (2 * l.step)
		return float64(g*g*l.step/2*powerSumBound(t, p.Kappa)) + diameterTerm +
			float64(c*c*powerSumBound(t, 1-p.Kappa))
	}
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p Yi2020Params) violationBound(l *yi2020Learner, k *boundInputs) func(t int) float64 {
	regret := p.regretBound(l, k)
	k.requireNonemptyXMin()
	m, g, lip := k.m(), k.lossLipschitz(), k.constraintLipschitz()
	f := k.lossRange()
	c := (1 - float64((1-p.Kappa)*vec.Pow(2, p.Kappa))) / 2
	decayFactor := square(1+float64(m*lip*lip*l.step)) * m / c
	return func(t int) float64 {
		sum := powerSumBound(t, p.Kappa)
		potential := regret(t) + float64(f*float64(t))
		multiplierTerm := math.Sqrt(2 * m * potential * vec.Pow(float64(t+1), 1-p.Kappa))
		return multiplierTerm + math.Sqrt(decayFactor*sum*potential) + float64(m*lip*g*l.step*sum)
	}
}

// yi2020Learner holds the action x_t and the multipliers q_t.
type yi2020Learner struct {
	Descent
	step     float64
	kappa    float64
	q        []float64
	grads    []float64 // ∂g_j(x_t), m×n by rows
	values   []float64 // g_j(x_t)
	previous []float64 // x_t
}

// newYi2020 returns the learner at round 1, with α_0 = Δ/G if the parameter step is 0.
func newYi2020(p Yi2020Params, s Setup) (Learner, error) {
	n, m := s.Set.Dim(), s.Constraints
	if p.Step == 0 {
		g, err := p.G(s.Facts)
		if err != nil {
			return nil, err
		}
		p.Step = s.Set.Diameter() / g
	}
	d, err := NewDescent(s, p.FirstAction)
	return &yi2020Learner{
		Descent: d, step: p.Step, kappa: p.Kappa, q: make([]float64, m),
		grads: make([]float64, m*n), values: make([]float64, m), previous: make([]float64, n),
	}, err
}

// Observe implements [Learner].
func (l *yi2020Learner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	n, next := len(l.X), float64(l.T+1)
	beta := 1 / vec.Pow(next, l.kappa)
	gamma := 1 / vec.Pow(next, 1-l.kappa)
	copy(l.previous, l.X)
	for j, g := range r.Constraints {
		grad := l.grads[j*n : (j+1)*n]
		g.Subgrad(grad, l.X)
		l.values[j] = g.Value(l.X)
		vec.Axpy(l.Grad, l.q[j], grad)
	}
	l.Step(l.step * beta)
	moved := l.piece
	vec.SubTo(moved, l.X, l.previous)
	for j := range r.Constraints {
		linear := l.values[j] + vec.Dot(l.grads[j*n:(j+1)*n], moved)
		l.q[j] = max(0, float64((1-float64(beta*gamma))*l.q[j])+float64(gamma*linear))
	}
	return nil
}

// State implements [Stateful].
func (l *yi2020Learner) State() []State { return multiplierState(l.q...) }
