package algorithms

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var polyakFeasibility = Algorithm{
	Name:  "polyak-feasibility",
	Title: "Hutchinson, Alizadeh",
	Doc: "gradient descent on the losses, then a Polyak step on the linearised constraint: no " +
		"violation in any round",
	Reference: "Hutchinson, Alizadeh, Constrained online convex optimization with Polyak " +
		"feasibility steps, ICML 2025, Algorithm 1; its bounds are derived here",
	Definition: slices.Concat([]string{
		"With $g = max_j g_j$, $s_t = ∂g(x_t)$ and $y_t = x_t − η∂f_t(x_t)$,",
		"$x_{t+1} = Π(y_t − [g(x_t) + s_t·(y_t − x_t) + ρ]₊ s_t/‖s_t‖²)$",
		"with $ρ = tightening$, by default $ϵ/(2√(1 + T/T_0))$, and $η = step$, by default $(1 − " +
			"κ)ρ/(LG)$, where $T_0 = 2ΔL/((1 − κ)ϵ)$, $κ = √(1 − σ²/L²)$ and $σ = sigma$, by default " +
			"$ϵ/(2Δ)$. $G$ and $L$ are the Lipschitz constants of losses and constraints (lipschitz), " +
			"ϵ is the margin of a Slater point (slater) and Δ the diameter of $D$.",
	}, startDefinition, epochsDefinition),
	Version:  1,
	Params:   PolyakFeasibilityParams{},
	Feedback: FirstOrder,
	UnitFree: true,
	Assumes: []Assumption{FixedConstraints, SlaterPoint,
		Undecided("a first action with g(x_1) ≤ −ρ, which round 1 checks")},
	Cost: "O(m·n) and a projection",
	New:  Typed(newPolyakFeasibility),

	feasibleStart: true, // x_1 must be strictly feasible: no random x0
}

// PolyakFeasibilityParams are the parameters of polyak-feasibility.
//
// The update of Definition is x_{t+1} = Π(Π_{H_t}(y_t)), where the half-space H_t = {x : g(x_t) +
// s_t·(x − x_t) ≤ −ρ} contains K_ρ = {x in D : g(x) ≤ −ρ}. The paper projects on a ball with {g ≤
// 0} inside; here D, which need not contain it, takes the place of the ball.
//
// Let G and L be the Lipschitz constants of losses and constraints, F the range of
// the losses, ϵ the margin of a Slater point z in D, ρ < ϵ, and σ such that for x in D
//
//	dist(x, K_ρ) ≤ [g(x) + ρ]₊/σ.     (1)
//
// With κ = √(1 − σ²/L²), the default is
//
//	σ = ϵ/(2Δ),   T_0 = 2ΔL/((1−κ)ϵ),   ρ = ϵ/(2√(1 + T/T_0)),   η = (1−κ)ρ/(LG).
//
// The paper has ρ and η of the order of 1/√T, and the same η for a given ρ. Its figures (bench
// claims --of hutchinson-alizadeh) have ρ = 1/√T and η = (1−√½)·¼/√T. This is a quarter
// of the η above for κ = √½ and LG = 1. κ = √½ means σ = L/√2, which holds for a box in the plane,
// but follows from no declared fact. On uniform-targets at T = 20,000 the regret is
// then 267 and the default's 4283; sigma=sqrt(1/2) alone has 685. Here, for large T,
// ρ minimises the bound of the regret with F = GΔ and without the middle term. The
// proofs are derived here with constants (D).
//
// σ. Let g(x) > −ρ. By convexity x + λ(z−x) with λ = (g(x)+ρ)/(g(x)+ϵ) is in
// K_ρ, and λ‖z−x‖ ≤ (g(x)+ρ)Δ/(ϵ−ρ). So σ = (ϵ−ρ)/Δ satisfies (1), and the default
// does where ρ ≤ ϵ/2. The declared facts prove no larger one. In ℝⁿ one affine
// constraint a·x ≤ b would have σ = ‖a‖, but D is in the way: with D = [0, 1]² and
// x_1 ≤ x_2/100, the origin is 100ρ from K_ρ. The parameter sigma takes a larger σ,
// which then is an assumption.
//
// No violation. Let d_t = dist(x_t, K_ρ). The step from x_t without the loss, to
// Π_{H_t}(x_t), reduces the squared distance from the nearest point of K_ρ by
// [g(x_t)+ρ]₊²/‖s_t‖² ≥ σ²d_t²/L². Projections do not expand, so the loss adds at
// most ηG:
//
//	d_{t+1} ≤ κd_t + ηG.
//
// If g(x_1) ≤ −ρ, then d_1 = 0, d_t ≤ ηG/(1−κ), and g(x_t) ≤ −ρ + Ld_t ≤ −ρ +
// LηG/(1−κ), which is ≤ 0 at the default.
//
// The start is checked in round 1, when the learner first sees g: a game from an
// x_1 with g(x_1) > −ρ ends with an error. Rounds with other constraints are not
// noticed.
//
// Regret. For v in K_ρ the projections do not increase ‖y_t − v‖, so that the
// regret against v is that of gradient descent, Δ²/(2η) + ½G²ηt. For u in X^min,
// v = u + (ρ/ϵ)(z − u) is in K_ρ, and costs at most Fρ/ϵ a round more:
//
//	Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ Δ²/(2η) + ½G²ηt + Fρt/ϵ = O(√T).
//
// At the default the first and the last term are at most GΔ(T_0/2 + √(T_0T)), and the
// middle one is less than they. As 1−κ ≥ σ²/(2L²), T_0 is at most 16(ΔL/ϵ)³: at
// horizons that are shorter, the regret may grow like t.
type PolyakFeasibilityParams struct {
	Lipschitz  float64 `name:"lipschitz" doc:"G and L: bounds the norms of all subgradients; 0 takes what the problem declares of losses and of constraints" min:"0"`
	Slater     float64 `name:"slater" doc:"ϵ: a point of the domain has g_j ≤ −ϵ for all j; 0 takes what the problem declares" min:"0"`
	Sigma      float64 `name:"sigma" doc:"σ bounds distances from the tightened feasible set by [g(x)+ρ]₊/σ, at most L; 0 takes ϵ/(2Δ), which does if ρ ≤ ϵ/2" min:"0"`
	Tightening float64 `name:"tightening" doc:"ρ: constraints are tightened by it; 0 takes ϵ/(2√(1 + T(1−κ)ϵ/(2ΔL))), κ = √(1−σ²/L²), and the published figures have 1/sqrt(T)" min:"0"`
	Step       float64 `name:"step" doc:"step η of the losses; 0 takes (1−κ)ρ/(LG), and the published figures have (1-sqrt(1/2))*0.25/sqrt(T)" min:"0"`
	FirstAction
	Epochs
}

// constants returns the constant that the parameters state, or 0, for [provenBound].
func (p PolyakFeasibilityParams) constants() convex.Facts {
	return convex.Facts{LossLipschitz: p.Lipschitz, ConstraintLipschitz: p.Lipschitz}
}

// Claims returns O(√T) and no violation, and the bounds of these steps.
func (p PolyakFeasibilityParams) Claims() []Claim {
	return noteStepsSetByHand([]Claim{
		{Metric: RegretXMin, Exponent: 0.5, Formula: "Δ²/(2η) + ½G²ηt + Fρt/ϵ",
			Bound: provenBound(newPolyakFeasibility, p, p.regretBound)},
		{Metric: MaxViolation, Note: "none in any round", Formula: "0",
			Bound: provenBound(newPolyakFeasibility, p, p.violationBound)},
	}, p.Tightening, p.Step)
}

// marginAboveTightening returns the declared margin ϵ, and requires that it exceeds the tightening
// ρ.
func (p PolyakFeasibilityParams) marginAboveTightening(l *polyakFeasibilityLearner,
	k *boundInputs) (margin float64) {
	margin = k.slaterMargin()
	k.require(l.rho < margin, "the tightening ρ = %.3g is not less than the margin %.3g of the "+
		"declared Slater point", l.rho, margin)
	return margin
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p PolyakFeasibilityParams) regretBound(l *polyakFeasibilityLearner,
	k *boundInputs) func(t int) float64 {
	margin := p.marginAboveTightening(l, k)
	g := k.lossLipschitz()
	perRound := float64(g*g*l.eta/2) + k.lossRange()*l.rho/margin
	return affineBound(square(k.diameter())/(2*l.eta), perRound)
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p PolyakFeasibilityParams) violationBound(l *polyakFeasibilityLearner,
	k *boundInputs) func(t int) float64 {
	margin := p.marginAboveTightening(l, k)
	g, lip := k.lossLipschitz(), k.constraintLipschitz()
	sigma := (margin - l.rho) / k.diameter()
	maxStep := contractionFactor(sigma, lip) * l.rho / (lip * g)
	k.require(l.eta <= maxStep*roundingSlack, "the step η = %.3g exceeds %.3g, up to which no "+
		"violation is proven from what the problem declares", l.eta, maxStep)
	return constantBound(0)
}

// contractionFactor returns 1−κ = 1 − √(1 − σ²/L²) without cancellation, and 1 for σ ≥ L.
func contractionFactor(sigma, lipschitz float64) float64 {
	q := square(min(1, sigma/lipschitz))
	return q / (1 + math.Sqrt(1-q))
}

// polyakFeasibilityLearner holds the action x_t, the tightening ρ and the step η.
type polyakFeasibilityLearner struct {
	Descent
	rho, eta float64
	slope    []float64 // s_t
}

// newPolyakFeasibility returns the learner at round 1. The tightening and the step take their
// defaults where they are 0, for which the constants L, G and ϵ have to be known.
func newPolyakFeasibility(p PolyakFeasibilityParams, s Setup) (Learner, error) {
	d, err := NewDescent(s, p.FirstAction)
	if err != nil {
		return nil, err
	}
	margin, err := Declared(p.Slater, s.Facts.Slater, "Slater margin", "slater")
	if err != nil {
		return nil, err
	}
	l := &polyakFeasibilityLearner{Descent: d, rho: p.Tightening, eta: p.Step,
		slope: make([]float64, len(d.X))}
	if l.rho > 0 && l.eta > 0 {
		return l, nil
	}
	lip, err := Declared(p.Lipschitz, s.Facts.ConstraintLipschitz,
		"Lipschitz constant of its constraints", "lipschitz, or tightening and step")
	if err != nil {
		return nil, err
	}
	delta, sigma := s.Set.Diameter(), p.Sigma
	if sigma == 0 {
		if !(l.rho <= margin/2) {
			return nil, fmt.Errorf("the tightening ρ = %.3g is more than half of the Slater margin %.3g; "+
				"set sigma or step", l.rho, margin)
		}
		sigma = margin / (2 * delta)
	}
	rate := contractionFactor(sigma, lip)
	if l.rho == 0 {
		relativeHorizon := float64(s.Horizon) * rate * margin / (2 * delta * lip) // T/T_0
		l.rho = margin / (2 * math.Sqrt(1+relativeHorizon))
	}
	if l.eta == 0 {
		g, err := Declared(p.Lipschitz, s.Facts.LossLipschitz, "Lipschitz constant of its losses",
			"lipschitz or step")
		if err != nil {
			return nil, err
		}
		l.eta = rate * l.rho / (lip * g)
	}
	return l, nil
}

// checkFirst returns an error unless max_j g_j(x_1), which is value, is at most −ρ. Inspect calls
// it before a game, for the plan of an experiment, and Observe in round 1.
func (l *polyakFeasibilityLearner) checkFirst(value float64) error {
	if value <= -l.rho {
		return nil
	}
	return &LackError{
		What: fmt.Sprintf("a first action with max_j g_j(x_1) ≤ %.3g (it is %.3g; set x0)", -l.rho,
			value),
		Reason: fmt.Sprintf("the first action has max_j g_j(x_1) = %.3g, and has to have at most −ρ = "+
			"%.3g: set x0 to an action that is strictly feasible", value, -l.rho),
	}
}

// Inspect implements [Inspector].
func (l *polyakFeasibilityLearner) Inspect(r convex.Round) error {
	if g, value := l.Largest(r.Constraints); g != nil {
		return l.checkFirst(value)
	}
	return nil
}

// Observe implements [Learner].
func (l *polyakFeasibilityLearner) Observe(_ []float64, r convex.Round) error {
	l.Begin(r.Loss)
	if g, value := l.Largest(r.Constraints); g != nil {
		if l.T == 1 {
			if err := l.checkFirst(value); err != nil {
				return err
			}
		}
		g.Subgrad(l.slope, l.X)
		// g(x_t) + s_t·(y_t − x_t) + ρ, with y_t − x_t = −η∂f_t(x_t)
		excess := value + l.rho - float64(l.eta*vec.Dot(l.slope, l.Grad))
		if !(excess <= 0) { // or not a number
			norm := vec.Dot(l.slope, l.slope)
			if norm == 0 {
				return fmt.Errorf("no action has max_j g_j(x) ≤ −ρ = %.3g: the subgradient at an action with "+
					"%.3g is 0", -l.rho, value)
			}
			vec.Axpy(l.X, -excess/norm, l.slope)
		}
	}
	l.Step(l.eta) // from x_t to y_t, and the projection
	return nil
}
