package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var valls = Algorithm{
	Name:  "valls",
	Title: "Valls et al.",
	Doc: "primal-dual proximal gradient for perturbed constraints g + b_t: a proximal step on " +
		"the Lagrangian, multipliers updated with the constraint at the next action",
	Reference: "Valls, Iosifidis, Leith, Tassiulas, Online convex optimization with perturbed " +
		"constraints: optimal rates against stronger benchmarks, AISTATS 2020, the primal-dual " +
		"proximal gradient algorithm and its Theorem; the update re-derived",
	Definition: slices.Concat([]string{
		"For $g_t = g + b_t$, with $b_t$ a constant of the round,",
		"$x_{t+1} = argmin_{x∈D} ∂f_t(x_t)·x + λ_t·g(x) + ‖x − x_t‖²/(2α_t)$",
		"$λ_{t+1} = [λ_t + α_t(g(x_{t+1}) + b_t)]₊,  λ_1 = 0,  α_t = α_0/t^ε$",
		"with $ε = epsilon$ and $α_0 = step$, by default $Δ/√(2(G² + mB²))$, Δ being the diameter of " +
			"$D$, $G$ the Lipschitz constant of the losses and $B$ the bound of the constraints.",
	}, startDefinition),
	Version:  3,
	Params:   VallsParams{Epsilon: 0.5},
	Feedback: FullInfo,
	UnitFree: true,
	Anytime:  true,
	Assumes: []Assumption{
		Perturbed,
		Undecided("multipliers that stay bounded, as with a point strictly feasible in every round"),
	},
	Solvers: 1,
	Cost: "one minimisation of Σ_j λ_j g_j plus a quadratic over the domain: a projection where " +
		"constraints are affine",
	New: Typed(newValls),
}

// VallsParams are the parameters of valls. The learner is shown g_t = g + b_t alone, and minimises
// with g_t in place of g. The minimiser is the same, since b_t is a constant. For every z in D,
// with the Lipschitz constant G of the losses and C ≥ ‖g_t(x)‖,
//
//	Σ_t f_t(x_t) − f_t(z) ≤ Δ²/(2α_T) + ½(G²+C²) Σ_t α_t + max_t ‖λ_t‖²/(2α_T) + Σ_t λ_t·(g(z) + b_t),
//
// and, as Σ_t g(x_t) − g(x_{t+1}) telescopes,
//
//	Σ_t g_j(x_t) + b_{t,j} ≤ λ_{T+1,j}/α_T + g_j(x_1) − g_j(x_{T+1}).
//
// The comparators are the points where the last sum of the first bound is
// small. In {g + max b ≤ 0} = X^min it is ≤ 0. In {g + average of b ≤ 0} =
// X^max it is at most
//
//	Σ_t λ_t·(b_t − b̄),
//
// which is a martingale, O(√T), if the perturbations are independent. In
// general it is at most C Σ_t α_t ‖Σ_{i≤t} b_i − b̄‖, because the multipliers
// depend on the perturbations. This is O(√T) where partial sums are bounded, as
// with a period. Where they grow as √t the bound is linear, and so is the
// regret: on the problem perturbed with noise=drift and amplitude=0.8, regret
// against X^max is about 0.03·T, and with noise=adversarial it grows about as
// t^0.85, while against X^min it is negative in both. Regret should therefore
// be read against both sets.
//
// If g(z) + b_t ≤ −s for one z and all t, multipliers are bounded by
//
//	‖λ_t‖² ≤ (θ + α_1C)² + Δ²,   θ = (F + ½α_1(G²+C²))/s.
//
// The default α_0 minimises the first two terms of the regret bound at ε = 1/2.
type VallsParams struct {
	Step    float64 `name:"step" doc:"α_0 of the steps α_t = α_0/t^ε; 0 takes diameter/√(2(G²+mB²)) of the Lipschitz constant G of the losses and the bound B of the constraints" min:"0"`
	Epsilon float64 `name:"epsilon" doc:"exponent ε of the steps" min:"0" below:"1"`
	FirstAction
}

// Claims returns O(t^ε ∨ t^{1−ε}) and O(t^ε), and the bounds with a Slater point.
func (p VallsParams) Claims() []Claim {
	return []Claim{
		{
			Metric: RegretXMin, Exponent: max(p.Epsilon, 1-p.Epsilon), Note: "re-derived; the same " +
				"against xmax for independent or periodic perturbations, not for drifting ones",
			Formula: "(Δ² + λ̄²)/(2α_t) + ½(G²+C²)Σ_{τ≤t} α_τ, C = √mB, λ̄² = (θ + α_1C)² + Δ², θ = (F + " +
				"½α_1(G²+C²))/s with the Slater margin s", Bound: provenBound(newValls, p, p.regretBound),
		},
		{Metric: SoftViolation, Exponent: p.Epsilon, Note: "re-derived", Formula: "√mλ̄/α_t + mLΔ",
			Bound: provenBound(newValls, p, p.violationBound)},
	}
}

// boundTerms returns ½(G²+C²) and λ̄².
func (p VallsParams) boundTerms(l *vallsLearner, k *boundInputs) (squares, lambda2 float64) {
	g, c := k.lossLipschitz(), math.Sqrt(k.m())*k.constraintBound()
	squares = (float64(g*g) + float64(c*c)) / 2
	theta := (k.lossRange() + float64(l.step*squares)) / k.slaterMargin()
	return squares, square(theta+float64(l.step*c)) + square(k.diameter())
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p VallsParams) regretBound(l *vallsLearner, k *boundInputs) func(t int) float64 {
	squares, lambda2 := p.boundTerms(l, k)
	initial := (square(k.diameter()) + lambda2) / (2 * l.step)
	return func(t int) float64 {
		return float64(initial*vec.Pow(float64(t), p.Epsilon)) +
			float64(squares*l.step*powerSumBound(t, p.Epsilon))
	}
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p VallsParams) violationBound(l *vallsLearner, k *boundInputs) func(t int) float64 {
	_, lambda2 := p.boundTerms(l, k)
	multiplierTerm := math.Sqrt(k.m()*lambda2) / l.step
	telescoped := k.m() * k.constraintLipschitz() * k.diameter()
	return func(t int) float64 {
		return float64(multiplierTerm*vec.Pow(float64(t), p.Epsilon)) + telescoped
	}
}

// vallsLearner holds the action x_t and the multipliers λ_t.
type vallsLearner struct {
	proximal
	step    float64
	epsilon float64
	lambda  []float64
	t       int
}

// newValls returns the learner at round 1. If the parameter step is 0, it is Δ/√(2(G² + mB²)), or 1
// on a domain of one point.
func newValls(p VallsParams, s Setup) (Learner, error) {
	if p.Step == 0 {
		g, err := Declared(0, s.Facts.LossLipschitz, "Lipschitz constant of its losses", "step")
		if err != nil {
			return nil, err
		}
		b := 0.0
		if s.Constraints > 0 {
			b, err = Declared(0, s.Facts.ConstraintBound, "bound of its constraints", "step")
			if err != nil {
				return nil, err
			}
		}
		p.Step = s.Set.Diameter() /
			math.Sqrt(2*(float64(g*g)+float64(float64(s.Constraints)*b*b)))
	}
	if p.Step == 0 {
		p.Step = 1 // the domain is a point
	}
	prox, err := newProximal(s, p.FirstAction)
	return &vallsLearner{proximal: prox, step: p.Step, epsilon: p.Epsilon,
		lambda: make([]float64, s.Constraints)}, err
}

// Observe implements [Learner].
func (l *vallsLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	alpha := l.step / vec.Pow(float64(l.t), l.epsilon)
	if err := l.move(r, l.lambda, 1/(2*alpha)); err != nil {
		return err
	}
	for j, g := range r.Constraints {
		l.lambda[j] = max(0, l.lambda[j]+float64(alpha*g.Value(l.x)))
	}
	return nil
}

// State implements [Stateful].
func (l *vallsLearner) State() []State { return multiplierState(l.lambda...) }
