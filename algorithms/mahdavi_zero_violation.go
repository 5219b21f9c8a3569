package algorithms

import (
	"cmp"
	"math"
	"slices"

	"ocobench/convex"
)

var mahdaviZeroViolation = Algorithm{
	Name:  "mahdavi-zero-violation",
	Title: "Mahdavi et al., zero violation",
	Doc: "mahdavi on the largest constraint plus a margin that vanishes with the horizon: no " +
		"violation at the horizon, at the cost of a larger regret",
	Reference: "Mahdavi, Jin, Yang, Trading regret for efficiency: online convex optimization with " +
		"long term constraints, JMLR 13, 2012, Theorem 8",
	Definition: slices.Concat([]string{
		"With $g_t = max_j g_{t,j}$ and the subgradient of the largest,",
		"$x_{t+1} = Π(x_t − η(∂f_t(x_t) + λ_t∂g_t(x_t)))$",
		"$λ_{t+1} = [λ_t + η(g_t(x_t) + γ − ηδλ_t)]₊,  λ_1 = 0$",
		"with $η = R²/(a√T)$, $a = R√(2G² + 6B²)$, $δ = 4G²$ and $γ = margin$, by default, by " +
			"margin-rule, derived: $γ = min(b·T^{−1/4}, B)$, $b² = 2(F + a/√T)(δR²/a + a/R²)$; paper: " +
			"$γ = b·T^{−1/4}$, $b² = 4F(δR²/a + a/R²)$.",
		"$G$ bounds all subgradients (lipschitz), $B$ all $|g_{t,j}|$ (bound), $F$ the range of the " +
			"losses (loss-range), and $R$ the distances of points of $D$ from $x_1$ (radius).",
	}, startDefinition, epochsDefinition),
	Version:  1,
	Params:   MahdaviZeroViolationParams{MarginRule: "derived"},
	Feedback: FirstOrder,
	UnitFree: true,
	Assumes: []Assumption{
		SlaterPoint,
		Undecided("T so large that γ is at most the margin of the Slater point, and T ≥ 12R²"),
	},
	Cost: "O(m·n) and a projection",
	New:  Typed(newMahdaviZeroViolation),
}

// MahdaviZeroViolationParams are the parameters of mahdavi-zero-violation.
//
// At every t ≤ T and for every u with g_τ(u) ≤ −γ in all rounds, if 2G² + 3δ²η²
// ≤ δ, which is 24G²η² ≤ 1,
//
//	Σ_{τ≤t} (f_τ(x_τ) − f_τ(u)) + [Σ_{τ≤t} (g_τ(x_τ) + γ)]₊²/(2(δηt + 1/η)) ≤ C_t = R²/(2η) + ηt(2G² + 3B² + 3γ²)/2,
//
// with C_T ≤ a√T if γ ≤ B; in C_t, R is the largest distance from x_1, whatever the parameter
// radius says. The first sum is at least −Ft, hence
//
//	Σ_{t≤T} g_t(x_t) ≤ √(2(δηT + 1/η)(FT + C_T)) − γT,
//
// which is at most 0 with the derived margin, unless that is B, and with the
// paper's if F ≥ a/√T. With a Slater point of margin s ≥ γ, some u is within a
// loss of Fγ/s a round of any point of X^min: regret is at most C_t + Fγt/s =
// O(T^{3/4}).
//
// The b of the paper, as it is printed, is defined in terms of itself. Its proof
// gives the one above. The derived one (D), which is the default, is the
// least for which the proof holds at every T. Where γ > s nothing is proven. As b
// is large, this may be the case up to millions of rounds. The paper has one g
// for all rounds, and in place of the Slater point a lower bound of ‖∇g‖ on
// the boundary.
//
// The margin is nearly a multiple of T^{−1/4} only where that is less than B. On the
// problem fixed in three dimensions the slope of the regret is
// 0.93 between T = 10² and 10⁵, and 0.75 [0.72, 0.79] between 10⁴ and 10⁶.
type MahdaviZeroViolationParams struct {
	Constants
	Epochs
	LossRange  float64 `name:"loss-range" doc:"F bounds |f_t(x)−f_t(y)| on the domain; 0 takes what the problem declares" min:"0"`
	Radius     float64 `name:"radius" doc:"R bounds the distances of the domain's points from x_1; 0 takes the largest of them" min:"0"`
	Margin     float64 `name:"margin" doc:"γ is added to the constraints; 0 takes the margin of margin-rule" min:"0"`
	MarginRule string  `name:"margin-rule" doc:"γ where margin is 0: derived, the least min(b·T^(−1/4), B) for which the proof holds; or the paper's b·T^(−1/4)" enum:"derived,paper"`
	FirstAction
}

// constants returns the constants that the parameters state, or 0, for [provenBound].
func (p MahdaviZeroViolationParams) constants() convex.Facts {
	stated := p.Constants.constants()
	stated.LossRange = p.LossRange
	return stated
}

// Claims returns O(T^{3/4}) and no violation, and the bounds of this margin.
func (p MahdaviZeroViolationParams) Claims() []Claim {
	note := "the margin is re-derived"
	if p.MarginRule == "paper" {
		note = "the margin is the paper's"
	}
	return noteStepsSetByHand([]Claim{
		{Metric: RegretXMin, Exponent: 0.75, Note: note,
			Formula: "C_t + Fγt/s, C_t = R²/(2η) + ηt(2G² + 3B² + 3γ²)/2, if γ ≤ s",
			Bound:   provenBound(newMahdaviZeroViolation, p, p.regretBound)},
		{Metric: SoftViolation, Exponent: 0,
			Note:    "none, once the margin γ is below that of the Slater point",
			Formula: "m[√(2(δηT + 1/η)(FT + C_T)) − γT]₊ at T, if γ ≤ s",
			Bound:   provenBound(newMahdaviZeroViolation, p, p.violationBound)},
	}, p.Margin)
}

// boundTerms returns the bound C_t of the regret against the points with margin γ. It requires that
// the damping is large enough and that the Slater point has this margin.
func (p MahdaviZeroViolationParams) boundTerms(l *mahdaviZeroViolationLearner,
	k *boundInputs) func(t int) float64 {
	g, b, r := k.largerLipschitz(), k.constraintBound(), k.radiusFrom(l.X)
	k.require(float64(2*g*g)+float64(3*square(l.delta*l.eta)) <= l.delta*roundingSlack,
		"the damping δ = %.3g is less than 2G² + 3δ²η²: the horizon is too short", l.delta)
	slater := k.slaterMargin()
	k.require(l.margin <= slater, "the margin γ = %.3g is more than that of the Slater point, %.3g",
		l.margin, slater)
	return affineBound(r*r/(2*l.eta),
		l.eta*(float64(2*g*g)+float64(3*b*b)+float64(3*l.margin*l.margin))/2)
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p MahdaviZeroViolationParams) regretBound(l *mahdaviZeroViolationLearner,
	k *boundInputs) func(t int) float64 {
	c := p.boundTerms(l, k)
	rate := k.lossRange() * l.margin / k.slaterMargin()
	return func(t int) float64 { return c(t) + float64(rate*float64(t)) }
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p MahdaviZeroViolationParams) violationBound(l *mahdaviZeroViolationLearner,
	k *boundInputs) func(t int) float64 {
	c := p.boundTerms(l, k)
	shifted := violationFromRegret(affineBound(2/l.eta, 2*l.delta*l.eta), c,
		k.lossRange())
	return func(t int) float64 {
		if t != k.Horizon { // γ makes up for the violation at the end of the game only
			return math.Inf(1)
		}
		// The soft violation adds up m constraints, of which each is at most g_t.
		return k.m() * max(0, shifted(t)-float64(l.margin*float64(t)))
	}
}

// mahdaviZeroViolationLearner holds the action x_t and the damped multiplier λ_t.
type mahdaviZeroViolationLearner struct {
	Descent
	lambda, eta, delta, margin float64 // the multiplier, the step η, the damping δ and the margin γ
}

// newMahdaviZeroViolation returns the learner at round 1. If the parameter margin is 0, γ is
// computed by the parameter margin-rule.
func newMahdaviZeroViolation(p MahdaviZeroViolationParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	g, bound, err := p.lossAndConstraint(s.Facts)
	if err != nil {
		return nil, err
	}
	rootT := math.Sqrt(float64(s.Horizon))
	radius := cmp.Or(p.Radius, convex.LargestDistance(s.Set, d.X))
	aOverR := math.Sqrt(float64(2*g*g) + float64(6*bound*bound))
	l := &mahdaviZeroViolationLearner{Descent: d, eta: radius / (aOverR * rootT), delta: 4 * g * g,
		margin: p.Margin}
	if l.margin == 0 {
		span, err := lossRange(p.LossRange, s.Facts)
		if err != nil {
			return nil, err
		}
		marginFactor := 2 * (span + float64(radius*aOverR)/rootT) // b²/(δR²/a + a/R²)
		if p.MarginRule == "paper" {
			marginFactor, bound = 4*span, math.Inf(1) // the paper does not limit γ by B
		}
		margin2 := marginFactor * (l.delta*radius/aOverR + aOverR/radius) / rootT // γ² = b²/√T
		l.margin = min(math.Sqrt(margin2), bound)
	}
	return l, nil
}

// Observe implements [Learner].
func (l *mahdaviZeroViolationLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	g := l.AddLargest(l.lambda, r.Constraints)
	l.Step(l.eta)
	l.lambda = dampedMultiplier(l.lambda, l.eta, l.delta, g+l.margin)
	return nil
}

// State implements [Stateful].
func (l *mahdaviZeroViolationLearner) State() []State { return multiplierState(l.lambda) }
