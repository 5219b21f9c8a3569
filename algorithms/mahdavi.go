package algorithms

import (
	"cmp"
	"math"
	"slices"

	"ocobench/convex"
)

var mahdavi = Algorithm{
	Name:  "mahdavi",
	Title: "Mahdavi, Jin, Yang",
	Doc: "gradient descent on the Lagrangian with damped multipliers: the first algorithm for " +
		"long-term constraints",
	Reference: "Mahdavi, Jin, Yang, Trading regret for efficiency: online convex optimization with " +
		"long term constraints, JMLR 13, 2012, Algorithm 1",
	Definition: slices.Concat([]string{
		"$x_{t+1} = Π(x_t − η(∂f_t(x_t) + Σ_j λ_{t,j}∂g_{t,j}(x_t)))$",
		"$λ_{t+1} = [λ_t + η(g_t(x_t) − ηδλ_t)]₊,  λ_1 = 0$",
		"with $η = step$, by default $R²/(a√T)$, $a = R√((m + 1)G² + 2mB²)$, and $δ = damping$, by " +
			"default $2(m + 1)G²$. $G$ bounds all subgradients (lipschitz), $B$ all $|g_{t,j}|$ " +
			"(bound), and $R$ the distances of points of $D$ from $x_1$ (radius).",
	}, startDefinition, epochsDefinition),
	Version:  1,
	Params:   MahdaviParams{},
	Feedback: FirstOrder,
	UnitFree: true,
	Assumes: []Assumption{Undecided("T ≥ 8R², so that the damping outweighs the squares of its own " +
		"steps")},
	Cost: "O(m·n) and a projection",
	New:  Typed(newMahdavi),
}

// MahdaviParams are the parameters of mahdavi. The paper has D in a ball of radius R about x_1 = 0.
//
// The paper has one g for all rounds, which its proof does not need. With the
// signed sums S_j = Σ_{τ≤t} g_{τ,j}(x_τ), any steps with (m+1)G² + 2δ²η² ≤ δ, at
// every t ≤ T and for every u in X^min,
//
//	Σ_{τ≤t} (f_τ(x_τ) − f_τ(u)) + Σ_j [S_j]₊²/(2(δηt + 1/η)) ≤ C_t = R²/(2η) + ηt((m+1)G² + 2mB²)/2.
//
// The theorem's steps satisfy the condition if 8(m+1)G²η² ≤ 1, and C_T = a√T.
// Regret is at most C_t and, losses having the range F, Σ_j [S_j]₊² at most
// 2(δηt + 1/η)(Ft + C_t), which is O(T^{3/2}).
//
// The violation is linear in T until the multiplier, which increases by at most
// ηB in a round, is as large as that of the best action. On decaying-frequency, where B =
// 10, this takes T ≈ 10⁴, so that the experiment rates measures a slope of 1 up
// to 10⁵. Beyond, the violation over √T is 234, 247 and 250 at T = 10⁵, 10⁶ and
// 10⁷.
type MahdaviParams struct {
	Constants
	Epochs
	Radius  float64 `name:"radius" doc:"R bounds the distances of the domain's points from x_1; 0 takes the largest of them" min:"0"`
	Step    float64 `name:"step" doc:"step η of both updates; 0 takes the theorem's R²/(a√T)" min:"0"`
	Damping float64 `name:"damping" doc:"damping δ of the multipliers; 0 takes the theorem's 2(m+1)G²" min:"0"`
	FirstAction
}

// Claims returns O(√T) and O(T^{3/4}), and the bounds of these steps.
func (p MahdaviParams) Claims() []Claim {
	return noteStepsSetByHand([]Claim{
		{Metric: RegretXMin, Exponent: 0.5, Formula: "C_t = R²/(2η) + ηt((m+1)G² + 2mB²)/2",
			Bound: provenBound(newMahdavi, p, p.regretBound)},
		{Metric: SoftViolation, Exponent: 0.75, Formula: "√(2m(δηt + 1/η)(Ft + C_t))",
			Bound: provenBound(newMahdavi, p, p.violationBound)},
	}, p.Step, p.Damping)
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p MahdaviParams) regretBound(l *mahdaviLearner, k *boundInputs) func(t int) float64 {
	m, g, b, r := k.m(), k.largerLipschitz(), k.constraintBound(), k.radiusFrom(l.X)
	squares := float64((m + 1) * g * g)
	k.require(squares+float64(2*square(l.delta*l.eta)) <= l.delta*roundingSlack,
		"the damping δ = %.3g is less than (m+1)G² + 2δ²η²: the horizon is too short, or a step set "+
			"by hand too long", l.delta)
	return affineBound(r*r/(2*l.eta), l.eta*(squares+float64(2*m*b*b))/2)
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p MahdaviParams) violationBound(l *mahdaviLearner, k *boundInputs) func(t int) float64 {
	regret := p.regretBound(l, k)
	k.requireNonemptyXMin()
	return violationFromRegret(affineBound(2*k.m()/l.eta, 2*k.m()*l.delta*l.eta), regret,
		k.lossRange())
}

// mahdaviLearner holds the action x_t and the damped multipliers λ_t.
type mahdaviLearner struct {
	Descent
	lambda     []float64
	eta, delta float64
}

// newMahdavi returns the learner at round 1. The step and the damping are the theorem's where the
// parameters are 0.
func newMahdavi(p MahdaviParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	l := &mahdaviLearner{Descent: d, lambda: make([]float64, s.Constraints), eta: p.Step,
		delta: p.Damping}
	m := float64(s.Constraints)
	if l.delta == 0 {
		g, err := p.G(s.Facts)
		if err != nil {
			return nil, err
		}
		l.delta = 2 * (m + 1) * g * g
	}
	if l.eta == 0 {
		g, b, err := p.lossAndConstraint(s.Facts)
		if err != nil {
			return nil, err
		}
		aOverR := math.Sqrt(float64((m+1)*g*g) + float64(2*m*b*b)) // a/R
		radius := cmp.Or(p.Radius, convex.LargestDistance(s.Set, d.X))
		l.eta = radius / (aOverR * math.Sqrt(float64(s.Horizon)))
	}
	return l, nil
}

// Observe implements [Learner].
func (l *mahdaviLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	for j, g := range r.Constraints {
		lambda := l.lambda[j]
		l.Add(lambda, g)
		l.lambda[j] = dampedMultiplier(lambda, l.eta, l.delta, g.Value(l.X))
	}
	l.Step(l.eta)
	return nil
}

// State implements [Stateful].
func (l *mahdaviLearner) State() []State { return multiplierState(l.lambda...) }

// dampedMultiplier returns [λ + η(g − ηδλ)]₊, the step of a damped multiplier.
func dampedMultiplier(lambda, eta, delta, g float64) float64 {
	return max(0, lambda+float64(eta*(g-float64(eta*delta*lambda))))
}
