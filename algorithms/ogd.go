package algorithms

import (
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var ogd = Algorithm{
	Name:  "ogd",
	Title: "Gradient descent",
	Doc:   "projected online gradient descent, which ignores the constraints: a baseline",
	Reference: "Zinkevich, Online convex programming and generalized infinitesimal gradient ascent, " +
		"2003, Theorem 1",
	Definition: slices.Concat([]string{
		"$x_{t+1} = Π(x_t − (step/√t)∂f_t(x_t))$",
		"with $step = Δ/G$ by default, Δ the diameter of $D$ and $G$ the Lipschitz constant of the " +
			"losses.",
	}, startDefinition),
	Version:  1,
	Params:   OGDParams{},
	Feedback: FirstOrder,
	UnitFree: true,
	Anytime:  true,
	Cost:     "O(n) and a projection",
	New:      Typed(newOGD),
}

// OGDParams are the parameters of ogd.
//
// Its regret against the whole domain is at most
//
//	Δ²/(2η_T) + ½G²Σ_t η_t ≤ Δ²√T/(2·step) + G²·step·(√T − ½) = O(√T),   η_t = step/√t,
//
// (3/2)GΔ√T at the default. Nothing bounds its violation.
//
// With two-point feedback y_t takes the place of x_t, in the notation of [Algorithm.WithTwoPoint]:
// p_t is the estimated gradient, c the centre and r the radius of the inscribed ball, and
// κ = d²/(d−1). Let x_u = c + (1−ξ_t)(u − c), for u in D. By the bound above, in expectation,
//
//	Σ_t f̃_t(x_t) − f̃_t(x_u) ≤ Σ_t E p_t·(y_t − u) ≤ Δ²√T/(2·step) + κG²·step·(√T − ½),
//
// since f̃_t(c + (1−ξ_t)(y − c)) is convex in y, and p_t has, given the rounds before, the
// expectation of its gradient at y_t. Further f_t(x_t) ≤ f̃_t(x_t) and f̃_t(x_u) ≤ f_t(x_u) + Gδ_t
// ≤ f_t(u) + ξ_t F + Gδ_t, where F bounds the range of the losses. Σ_t ξ_t ≤ ln(T+1) gives
//
//	E Σ_t f_t(x_t) − f_t(u) ≤ Δ²√T/(2·step) + κG²·step·(√T − ½) + (F + Gr)ln(T+1),
//
// (3/2)√κGΔ√T + (F + Gr)ln(T+1) at the default, if the losses do not depend on the
// directions: u may then be the best action in hindsight.
type OGDParams struct {
	Step float64 `name:"step" doc:"steps are step/√t; 0 takes diameter/Lipschitz constant of the losses as the problem declares them, or 1" min:"0"`
	FirstAction
}

// Claims returns O(√t) against the domain, and its bound.
func (p OGDParams) Claims() []Claim {
	return []Claim{{Metric: RegretDomain, Exponent: 0.5, Formula: gradientDescentFormula,
		Bound: provenBound(newOGD, p, p.regretBound)}}
}

// TwoPointClaims returns O(√t) in expectation against the domain, and its bound.
func (p OGDParams) TwoPointClaims() []Claim {
	return []Claim{{
		Metric: RegretDomain, Exponent: 0.5, Note: "in expectation", Expected: true,
		Formula: "Δ²√t/(2·step) + κG²·step·(√t − ½) + (F + Gr)ln(t+1), κ = d²/(d−1)",
		Bound:   p.twoPointRegret,
	}}
}

// twoPointRegret returns the bound of the regret with two-point feedback.
func (p OGDParams) twoPointRegret(s Setup) (func(t int) float64, error) {
	ball, err := inscribedBall(s.Set)
	if err != nil {
		return nil, err
	}
	start := func(p OGDParams, s Setup) (Learner, error) { return newOGD(p, ball.innerSetup(s)) }
	return provenBound(start, p, func(l *ogdLearner, k *boundInputs) func(t int) float64 {
		g := k.lossLipschitz()
		steps := gradientDescentBound(k.diameter(), math.Sqrt(ball.secondMoment())*g, l.step)
		shrinking := k.lossRange() + float64(g*ball.radius)
		return func(t int) float64 { return steps(t) + float64(shrinking*vec.Log(float64(t)+1)) }
	})(s)
}

// gradientDescentFormula is the formula of gradientDescentBound.
const gradientDescentFormula = "Δ²√t/(2·step) + G²·step·(√t − ½)"

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p OGDParams) regretBound(l *ogdLearner, k *boundInputs) func(t int) float64 {
	return gradientDescentBound(k.diameter(), k.lossLipschitz(), l.step)
}

// ogdLearner holds the action x_t.
type ogdLearner struct {
	Descent
	step float64
}

// newOGD returns the learner at round 1. If the parameter step is 0, it is Δ/G, or 1 if these are
// not known.
func newOGD(p OGDParams, s Setup) (Learner, error) {
	if p.Step == 0 {
		p.Step = 1
		if s.Facts.LossLipschitz > 0 && s.Set.Diameter() > 0 {
			p.Step = s.Set.Diameter() / s.Facts.LossLipschitz
		}
	}
	d, err := NewDescent(s, p.FirstAction)
	return &ogdLearner{d, p.Step}, err
}

// Observe implements [Learner].
func (l *ogdLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	l.Step(l.step / math.Sqrt(float64(l.T)))
	return nil
}
