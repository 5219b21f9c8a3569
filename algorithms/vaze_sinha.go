package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var vazeSinha = Algorithm{
	Name:  "vaze-sinha",
	Title: "Vaze, Sinha",
	Doc: "projected gradient on the actions that satisfy all constraints so far, a nested " +
		"sequence of sets",
	Reference: "Vaze, Sinha, O(√T) static regret and instance dependent constraint violation for " +
		"constrained online convex optimization, NeurIPS 2025, Algorithm 2",
	Definition: slices.Concat([]string{
		"With $S_t = {x ∈ D : g_{i,j}(x) ≤ 0 for all i ≤ t and j}$, $S_0 = D$ and $y_t = x_t − " +
			"η_t∂f_t(x_t)$,",
		"projections = twice: $x_{t+1} = Π_{S_t}(Π_{S_{t−1}}(y_t))$; projections = once: $x_{t+1} = " +
			"Π_{S_t}(y_t)$.",
		"losses = convex: $η_t = step/√t$ with, by default, $step = Δ/G$, Δ being the diameter of " +
			"$D$ and $G$ the Lipschitz constant of the losses (lipschitz). losses = strongly-convex: " +
			"$η_t = 1/(σt)$ with $σ = curvature$.",
	}, startDefinition),
	Version:  4,
	Params:   VazeSinhaParams{Projections: "twice", Losses: "convex"},
	Feedback: FullInfo,
	UnitFree: true,
	Anytime:  true,
	Assumes:  []Assumption{CommonPoint, WholeFunctions},
	Solvers:  2,
	Cost: "one or two projections on the constraints so far: O(1) on a line and for perturbed " +
		"constraints, O(n) a step for one separable in a box of 128 dimensions or more, else " +
		"O(t·m·n)",
	New: Typed(newVazeSinha),
}

// VazeSinhaParams are the parameters of vaze-sinha.
//
// arXiv:2605.21107 (2026) projects once. Its abstract claims O(√T) for
// regret and hard violation, and O(log T) for both where losses are σ-strongly
// convex. The bounds here (D) are for both numbers of projections and for every t.
//
// X^min is a subset of every S_t, so that no projection increases the distance to
// a point u of X^min. So, as in the proof of projected gradient descent ([OGDParams]),
//
//	convex           Σ_t f_t(x_t) − f_t(u) ≤ Δ²/(2η_T) + ½G²Σ_t η_t ≤ (3/2)GΔ√T
//	strongly convex  Σ_t f_t(x_t) − f_t(u) ≤ ½G²Σ_t 1/(σt) ≤ G²ln(Te)/(2σ).
//
// The violation of an action is at most the Lipschitz constant L of the
// constraints times its distance d_t from S_t. On a line, the segments from actions
// to S_t do not overlap, so that Σ_t d_t ≤ Δ. If every S_t is a box, the same holds
// in each coordinate, and Vaze and Sinha bound the violation by a constant if all
// are balls. In the plane arXiv:2603.20671 proves O(T^{1/3}) for two projections.
// If S_t is empty, an error ends the game.
//
// In n ≥ 2 dimensions let e_t = η_tG and E = Σ_t e_t, which is O(√T), or O(log T).
// First, a projection from y on a set with u brings it nearer to u by the square of
// its length r, ‖Πy−u‖² ≤ ‖y−u‖² − r². With d_t ≤ e_t + r_t and the range F of the
// losses,
//
//	Σ_t d_t ≤ E + √(T(Δ² + 2FΣ_t η_t + Σ_t e_t²)),
//
// which is O(T^{3/4}), or O(√(T log T)). Second,
//
//	Σ_t d_t ≤ 2(8n)^{(n+1)/2}(Δ + 3nE),
//
// which is of the order of E. The proof (D) is that of the finite length of self-contracted curves,
// with an allowance for gradient steps. Its aim is a function H_t on the unit ball whose mean falls
// by a share of d_t in every round, but for the allowance. As it cannot fall by more than Δ in all
// rounds, Σ_t d_t is bounded. The proof uses two facts. For s > t, x_s is in S_t, so that
// ‖x_s − x_t‖ ≥ d_t. For t < s < r, x_r is in all sets on which the steps from x_t to x_s project,
// so that of these steps only the gradients lead away from x_r:
//
//	‖x_s − x_r‖ ≤ ‖x_t − x_r‖ + E_{t,s},   E_{t,s} = Σ_{t≤τ<s} e_τ.
//
// For a round t, let v_s be the direction from x_t to x_s, for s > t. Call s near if E_{t,s} <
// ‖x_s − x_t‖/(2n), and far otherwise.
//
//  1. By the inequality, v_s·v_r ≥ −1/(2n) for all near s and r.
//  2. Let q be the shortest vector of the convex hull of the v_s of near s. Were q = 0, it would be
//     a convex combination of n+1 of them, whose square is positive by step 1. So it is one of at
//     most n, and ‖q‖² ≥ ρ² = 1/(2n). As q is the shortest vector, v_s·q/‖q‖ ≥ ρ for all near s.
//  3. For ξ in the unit ball, let H_t(ξ) = max_{s≥t} ξ·x_s − 3nE_{t,s}. For all ξ,
//     H_{t+1}(ξ) ≤ H_t(ξ) + 3ne_t. For ξ = −(1−ρ/2)q/‖q‖ + ζ with ‖ζ‖ ≤ ρ/2,
//     H_{t+1}(ξ) ≤ H_t(ξ) + 3ne_t − κd_t, where κ = ρ(1−ρ/2) − ‖ζ‖ is from 0 to ½, since all s > t
//     have ξ·(x_s − x_t) ≤ 3nE_{t,s} − κd_t. If s is near, ξ·(x_s − x_t) ≤ −κ‖x_s − x_t‖ by step 2.
//     If s is far, 3nE_{t,s} ≥ (3/2)‖x_s − x_t‖, and ξ·(x_s − x_t) ≤ ‖x_s − x_t‖.
//  4. These ξ are (ρ/2)^n of the ball, where the mean of κ is at least ρ/4. The mean of
//     H_1 − H_{T+1} over the ball is at most Δ. So (ρ/2)^n(ρ/4)Σ_t d_t ≤ Δ + 3nE.
//
// The bound of the registry is the smaller of the two. The second one has the rate,
// and is the smaller only at horizons beyond those of games. On the problem fixed in
// three dimensions neither number of projections violates anything but by rounding, and
// on iid the slope of the hard violation between T = 10² and 10⁵ is 0.01 for both, at
// 0.72 with two and 0.90 with one: these problems do not show the rate.
type VazeSinhaParams struct {
	LossConstants
	Projections string  `name:"projections" doc:"twice: before the round's constraints are taken up, and after; once: after" enum:"twice,once"`
	Losses      string  `name:"losses" doc:"convex: steps step/√t; strongly-convex: steps 1/(σt), with regret log t" enum:"convex,strongly-convex"`
	Step        float64 `name:"step" doc:"convex: steps are η_t = step/√t; 0 takes Δ/G" min:"0"`
	Curvature   float64 `name:"curvature" doc:"strongly-convex: σ of the losses; 0 takes what the problem declares" min:"0"`
	FirstAction
}

// Claims returns O(√t) twice, or O(log t) twice, and their bounds.
func (p VazeSinhaParams) Claims() []Claim {
	regret := Claim{Metric: RegretXMin, Exponent: 0.5, Formula: gradientDescentFormula,
		Bound: provenBound(newVazeSinha, p, p.regretBound)}
	violation := Claim{
		Metric: HardViolation, Exponent: 0.5,
		Note: "re-derived; constant on a line and where all sets are boxes",
		Formula: "mLΔ on a line, else mL·min(E + √(t(Δ² + 2FΣη + G²Ση²)), 2(8n)^((n+1)/2)(Δ + 3nE)), E " +
			"= GΣη", Bound: provenBound(newVazeSinha, p, p.violationBound),
	}
	switch {
	case p.Losses == "strongly-convex":
		regret.Exponent, regret.Log, regret.Note, regret.Formula = 0, 1, "if losses are strongly convex",
			"G²ln(te)/(2σ)"
		violation.Exponent, violation.Log = 0, 1
	case p.Projections == "twice":
		violation.Note = "re-derived; constant on a line and where all sets are boxes or balls, " +
			"t^(1/3) in the plane"
	}
	return []Claim{regret, violation}
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p VazeSinhaParams) regretBound(l *vazeSinhaLearner, k *boundInputs) func(t int) float64 {
	delta, g := k.diameter(), k.lossLipschitz()
	if l.sigma == 0 {
		return gradientDescentBound(delta, g, l.step)
	}
	k.requireCurvature(l.sigma)
	factor := g * g / (2 * l.sigma)
	return func(t int) float64 { return factor * powerSumBound(t, 1) }
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p VazeSinhaParams) violationBound(l *vazeSinhaLearner, k *boundInputs) func(t int) float64 {
	delta, g := k.diameter(), k.lossLipschitz()
	k.require(k.Constraints > 0, "there are no constraints")
	perDistance, n := k.m()*k.constraintLipschitz(), float64(k.Set.Dim())
	if n == 1 {
		return constantBound(perDistance * delta)
	}
	firstStep, decay := l.step, 0.5
	if l.sigma > 0 {
		firstStep, decay = 1/l.sigma, 1
	}
	lossRange := k.lossRange()
	distanceFactor := 2 * vec.Pow(8*n, (n+1)/2)
	return func(t int) float64 {
		steps := firstStep * powerSumBound(t, decay)
		moves := float64(g * steps)
		squares := float64(delta*delta) + float64(2*lossRange*steps) +
			float64(square(g*firstStep)*powerSumBound(t, 2*decay))
		return perDistance * min(moves+math.Sqrt(float64(float64(t)*squares)),
			float64(distanceFactor*(delta+float64(3*n*moves))))
	}
}

// vazeSinhaLearner holds the action x_t, and the program that projects on the constraints so far.
type vazeSinhaLearner struct {
	step  float64
	sigma float64 // strongly convex, else 0
	once  bool
	t     int
	x     []float64
	grad  []float64
	feasible
}

// newVazeSinha returns the learner at round 1, with steps Δ/(G√t) by default, or 1/(σt) if losses
// are strongly convex.
func newVazeSinha(p VazeSinhaParams, s Setup) (Learner, error) {
	sigma := 0.0
	switch {
	case p.Losses == "strongly-convex":
		var err error
		if sigma, err = lossCurvature(p.Curvature, s.Facts); err != nil {
			return nil, err
		}
	case p.Step == 0:
		k, err := p.proximalWeight(s, "step")
		if err != nil {
			return nil, err
		}
		p.Step = 1 / k
	}
	x, err := p.Project(s.Set)
	return &vazeSinhaLearner{
		step: p.Step, sigma: sigma, once: p.Projections == "once", x: x,
		grad: make([]float64, s.Set.Dim()), feasible: newFeasible(s.Set),
	}, err
}

// Act implements [Learner].
func (l *vazeSinhaLearner) Act(dst []float64) { copy(dst, l.x) }

// Observe implements [Learner].
func (l *vazeSinhaLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	r.Loss.Subgrad(l.grad, l.x)
	step := l.step / math.Sqrt(float64(l.t))
	if l.sigma > 0 {
		step = 1 / (l.sigma * float64(l.t))
	}
	vec.Axpy(l.x, -step, l.grad)
	if !l.once {
		if err := l.move(); err != nil {
			return err
		}
	}
	if err := l.constrain(r.Constraints); err != nil {
		return err
	}
	return l.move()
}

// move moves x to the nearest action that satisfies all constraints so far. It returns a
// [LackError] if there is none.
func (l *vazeSinhaLearner) move() error {
	err := l.project(l.x, l.x)
	if errors.Is(err, convex.ErrEmpty) {
		return &LackError{CommonPoint.Name,
			fmt.Sprintf("no action satisfies the constraints of rounds 1 to %d", l.t)}
	}
	return err
}
