package algorithms

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var sun = Algorithm{
	Name:  "sun",
	Title: "Sun, Dey, Kapoor",
	Doc: "mirror descent on the Lagrangian with a damped multiplier of the largest " +
		"constraint, for constraints chosen by an adversary",
	Reference: "Sun, Dey, Kapoor, Safety-aware algorithms for adversarial contextual bandit, ICML " +
		"2017, the mirror descent update for full information; its constants re-derived",
	Definition: slices.Concat([]string{
		"With $g_t = max_j g_{t,j}$, the subgradient of the largest, and $D_R$ the Bregman " +
			"divergence of $R$,",
		"$x_{t+1} = argmin_{x∈D} μ(∂f_t(x_t) + λ_t∂g_t(x_t))·x + D_R(x, x_t)$",
		"$λ_{t+1} = [λ_t + μ(g_t(x_t) − μδλ_t)]₊,  λ_1 = 0$",
		"mirror = euclidean: $R(x) = ½‖x‖²$, $α = 1$, $𝓑 = ½max_{x∈D} ‖x − x_1‖²$; mirror = entropy, " +
			"for the simplex $Σ_i x_i = s$: $R(x) = Σ_i x_i ln x_i$, $α = 1/s$, $𝓑 = s·ln n$ and $x_1 " +
			"= (s/n, …, s/n)$; or $𝓑 = breadth$.",
		"$μ = step$, by default $√(𝓑/(T(B² + G²/α)))$, and $δ = damping$, by default $4G²/α$; $G$ " +
			"bounds all subgradients (lipschitz), in the dual norm, and $B$ all $|g_{t,j}|$ (bound).",
	}, startDefinition, epochsDefinition),
	Version:  1,
	Params:   SunParams{Mirror: "euclidean"},
	Feedback: FirstOrder,
	UnitFree: true,
	Assumes: []Assumption{Undecided("T ≥ 16𝓑, so that the damping outweighs the squares of its own " +
		"steps")},
	Cost: "O(m·n) and a projection, or n exponentials",
	New:  Typed(newSun),
}

// SunParams are the parameters of sun. R is α-strongly convex in some norm, in whose dual norm G
// bounds subgradients. The constants of steps and bounds are re-derived (D). With S = Σ_{τ≤t}
// g_τ(x_τ), if G²/α + μ²δ² ≤ δ/2, which is δμ² ≤ 1/4 with the default damping, at every t ≤ T and
// for every u in X^min,
//
//	Σ_{τ≤t} (f_τ(x_τ) − f_τ(u)) + [S]₊²/(2(δμt + 1/μ)) ≤ C_t = 𝓑/μ + μt(B² + G²/α),
//
// which is 2√(𝓑T(B² + G²/α)) at T. In the bounds 𝓑 is the largest divergence, whatever the
// parameter breadth says, and F the range of the losses; the soft violation adds up m constraints,
// of which each is at most g_t.
//
// With mirror=euclidean this is the algorithm mahdavi with one constraint, the
// largest, and η = μ. The steps, dampings and bounds are the same.
//
// As for [MahdaviParams], the violation is linear in T until the multiplier is as large
// as that of the best action.
type SunParams struct {
	Constants
	Epochs
	Mirror  string  `name:"mirror" doc:"map of the mirror descent: half the squared norm, or on a simplex the negative entropy, which starts in the middle" enum:"euclidean,entropy"`
	Breadth float64 `name:"breadth" doc:"𝓑 bounds the Bregman divergences of the domain's points from x_1; 0 takes the largest of them" min:"0"`
	Step    float64 `name:"step" doc:"step μ of both updates; 0 takes the theorem's √(𝓑/(T(B²+G²/α)))" min:"0"`
	Damping float64 `name:"damping" doc:"damping δ of the multiplier; 0 takes the theorem's 4G²/α" min:"0"`
	FirstAction
}

// Claims returns O(√T) and O(T^{3/4}), and the bounds of these steps.
func (p SunParams) Claims() []Claim {
	const derived = "re-derived"
	return noteStepsSetByHand([]Claim{
		{Metric: RegretXMin, Exponent: 0.5, Note: derived, Formula: "C_t = 𝓑/μ + μt(B² + G²/α)",
			Bound: provenBound(newSun, p, p.regretBound)},
		{Metric: SoftViolation, Exponent: 0.75, Note: derived, Formula: "m√(2(δμt + 1/μ)(Ft + C_t))",
			Bound: provenBound(newSun, p, p.violationBound)},
	}, p.Step, p.Damping)
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p SunParams) regretBound(l *sunLearner, k *boundInputs) func(t int) float64 {
	g, b := k.largerLipschitz(), k.constraintBound()
	k.requireDiameter() // otherwise 𝓑 and the step are 0
	squares := g * g / l.modulus
	k.require(squares+square(l.mu*l.delta) <= l.delta/2*roundingSlack, "half the damping δ = %.3g is "+
		"less than G²/α + μ²δ²: the horizon is too short, or a step set by hand too long", l.delta)
	return affineBound(l.breadth/l.mu, l.mu*(float64(b*b)+squares))
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p SunParams) violationBound(l *sunLearner, k *boundInputs) func(t int) float64 {
	regret := p.regretBound(l, k)
	k.requireNonemptyXMin()
	return scaledBound(k.m(), violationFromRegret(affineBound(2/l.mu, 2*l.delta*l.mu), regret,
		k.lossRange()))
}

// sunLearner holds the action x_t and the damped multiplier λ_t.
type sunLearner struct {
	Descent
	breadth           float64   // the largest divergence from x_1
	modulus           float64   // α, of the strong convexity of the mirror map
	lambda, mu, delta float64   // the multiplier, the step and the damping
	scale             float64   // s, the sum of the simplex's coordinates; 0 with the euclidean map
	logs              []float64 // logarithms of the coordinates, up to a common constant
}

// newSun returns the learner at round 1. The step and the damping take their defaults where they
// are 0.
func newSun(p SunParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	radius := convex.LargestDistance(s.Set, d.X)
	l := &sunLearner{Descent: d, breadth: radius * radius / 2, modulus: 1, mu: p.Step,
		delta: p.Damping}
	if p.Mirror == "entropy" {
		simplex, ok := s.Set.(*convex.Simplex)
		if !ok {
			return nil, fmt.Errorf("mirror=entropy needs a simplex as domain; set mirror=euclidean")
		}
		if len(p.X0) > 0 {
			return nil, fmt.Errorf("mirror=entropy starts in the middle of the simplex; leave x0 out")
		}
		n := len(l.X)
		l.scale, l.logs = simplex.Scale, make([]float64, n)
		l.mirror()
		l.breadth, l.modulus = simplex.Scale*vec.Log(float64(n)), 1/simplex.Scale
	}
	if l.mu > 0 && l.delta > 0 {
		return l, nil
	}
	g, b, err := p.lossAndConstraint(s.Facts)
	if err != nil {
		return nil, err
	}
	if l.mu == 0 {
		squares := float64(b*b) + float64(g*g)/l.modulus
		l.mu = math.Sqrt(cmp.Or(p.Breadth, l.breadth) / (float64(s.Horizon) * squares))
	}
	if l.delta == 0 {
		l.delta = 4 * g * g / l.modulus
	}
	return l, nil
}

// Observe implements [Learner].
func (l *sunLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	g := l.AddLargest(l.lambda, r.Constraints)
	if l.scale > 0 {
		vec.Axpy(l.logs, -l.mu, l.Grad)
		l.mirror()
	} else {
		l.Step(l.mu)
	}
	l.lambda = dampedMultiplier(l.lambda, l.mu, l.delta, g)
	return nil
}

// State implements [Stateful].
func (l *sunLearner) State() []State { return multiplierState(l.lambda) }

// mirror sets x to the point of the simplex whose coordinates have the logarithms logs, up to a
// common constant. It first subtracts the largest of them, so that no exponential overflows.
func (l *sunLearner) mirror() {
	largest := math.Inf(-1)
	for _, v := range l.logs {
		largest = max(largest, v)
	}
	for i := range l.logs {
		l.logs[i] -= largest
		l.X[i] = vec.Exp(l.logs[i])
	}
	vec.Scale(l.X, l.scale/vec.Sum(l.X))
}
