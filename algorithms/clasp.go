package algorithms

import (
	"errors"
	"fmt"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var clasp = Algorithm{
	Name:  "clasp",
	Title: "CLASP",
	Doc: "projected gradient on the actions that satisfy the constraints of the last round, " +
		"with a bound of the squared violation",
	Reference: "Ferreira, Soares, Xavier, CLASP: an online learning algorithm for convex losses and " +
		"squared penalties, ICML 2026, arXiv:2601.16072, the update; its bounds are derived here",
	Definition: slices.Concat([]string{
		"With $C_t = {x : g_{t,j}(x) ≤ 0 for all j}$ and $y_t = x_t − η_t∂f_t(x_t)$,",
		"variant = joint: $x_{t+1} = Π_{D∩C_t}(y_t)$; variant = in-turn: $x_{t+1} = " +
			"Π_D(Π_{C_t}(y_t))$.",
		"losses = convex: $η_t = step/t^β$ with $β = beta$ and, by default, $step = Δ/G$, Δ being " +
			"the diameter of $D$ and $G$ the Lipschitz constant of the losses (lipschitz). losses = " +
			"strongly-convex: $η_t = 1/(σt)$ with $σ = curvature$.",
	}, startDefinition),
	Version:  3,
	Params:   CLASPParams{Variant: "joint", Beta: 0.5, Losses: "convex"},
	Feedback: FullInfo,
	UnitFree: true,
	Anytime:  true,
	Assumes:  []Assumption{RoundFeasible, CommonPoint},
	Solvers:  2,
	Cost: "one projection on the constraints of a round: O((m+n)n) a step of the active set where " +
		"they are affine, O(mn + q²) with q rows from 64 dimensions on; O(n) a step for one " +
		"separable in a box of 128 dimensions or more, else O(n³) a step",
	New: Typed(newCLASP),
}

// CLASPParams are the parameters of clasp.
//
// C_t is the intersection for all j. In turn, the projection on it does not know D,
// so that x_{t+1} may violate the constraints of round t.
//
// The rates are those of the paper's abstract; the constants are derived here (D).
// Let p_t = x_{t+1} = Π_S(y_t) with S = D∩C_t in the joint variant, and p_t = Π_S(y_t)
// with S = C_t in turn. Let G be the Lipschitz constant of the losses, L that of the
// constraints, u a point of X^min, d_t = ‖x_t − u‖² and s_t = ‖x_t − p_t‖. As u is
// in S, and the projection is firmly non-expansive,
//
//	‖p_t − u‖² ≤ ‖y_t − u‖² − ‖y_t − p_t‖²,
//
// and d_{t+1} ≤ ‖p_t − u‖², as u is in D. With the squares expanded, this is
//
//	d_{t+1} ≤ d_t − s_t² + 2η_t∂f_t(x_t)·(u − p_t).     (1)
//
// Regret. With u − p_t = (u − x_t) + (x_t − p_t) and 2η_tGs_t − s_t² ≤ η_t²G²,
// (1) is the inequality of projected gradient descent. Hence, as for [OGDParams],
//
//	Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ Δ²/(2η_t) + ½G²Σ_{τ≤t} η_τ     convex
//	                          ≤ ½G²/σ·(1 + ln t)               strongly convex.
//
// Violation. As g_{t,j}(p_t) ≤ 0, and by the subgradient at x_t, which is in D
// where p_t need not be, [g_{t,j}(x_t)]₊ ≤ Ls_t. In (1) u − p_t is at most Δ
// long in the joint variant, and at most ‖u − y_t‖ ≤ Δ + η_tG in turn. The sum of
// (1) over all rounds is
//
//	Σ_{τ≤t}Σ_j [g_{τ,j}(x_τ)]₊² ≤ mL²(Δ² + 2GΔΣ_{τ≤t} η_τ)                  joint
//	                            ≤ mL²(Δ² + 2GΔΣ_{τ≤t} η_τ + 2G²Σ_{τ≤t} η_τ²)   in turn.
//
// So regret is O(t^{max(β,1−β)}) and the squared violation O(t^{1−β}), both O(log t)
// where losses are strongly convex. The hard violation is at most √(mt) times the
// root of the squared one, O(t^{1−β/2}).
//
// If D∩C_t is empty, an error ends the game; in turn, only if C_t is empty or far from
// D. That no D∩C_t is empty does not bound the violation: if x ≤ 0 and x ≥ 1 take
// turns on [0, 1], the learner violates by 1 in every round but the first. The bound
// needs a point of X^min, of which a Slater point is the only declaration.
type CLASPParams struct {
	LossConstants
	Variant   string  `name:"variant" doc:"joint: projection on the intersection of the domain and the constraints; in-turn: on the constraints, then on the domain" enum:"joint,in-turn"`
	Beta      float64 `name:"beta" doc:"convex: β trades regret t^max(β,1−β) for squared violation t^(1−β)" above:"0" below:"1"`
	Step      float64 `name:"step" doc:"convex: steps are η_t = step/t^β; 0 takes Δ/G" min:"0"`
	Losses    string  `name:"losses" doc:"steps for convex losses, or for strongly convex ones, with regret and squared violation log t" enum:"convex,strongly-convex"`
	Curvature float64 `name:"curvature" doc:"strongly-convex: σ of the losses; 0 takes what the problem declares" min:"0"`
	FirstAction
}

// Claims returns O(t^{max(β,1−β)}) and O(t^{1−β}), or O(log t) twice, and the bounds of
// these steps.
func (p CLASPParams) Claims() []Claim {
	regret := Claim{Metric: RegretXMin, Exponent: max(p.Beta, 1-p.Beta),
		Formula: "Δ²/(2η_t) + ½G²Σ_{τ≤t} η_τ", Bound: provenBound(newCLASP, p, p.regretBound)}
	violation := Claim{Metric: SquaredViolation, Exponent: 1 - p.Beta,
		Formula: "mL²(Δ² + 2GΔΣ_{τ≤t} η_τ)", Bound: provenBound(newCLASP, p, p.violationBound)}
	if p.Losses == "strongly-convex" {
		regret.Exponent, regret.Log, regret.Note, regret.Formula = 0, 1, "if losses are strongly convex",
			"G²/(2σ)·(1 + ln t)"
		violation.Exponent, violation.Log = 0, 1
	}
	if p.Variant == "in-turn" {
		violation.Formula = "mL²(Δ² + 2GΔΣ_{τ≤t} η_τ + 2G²Σ_{τ≤t} η_τ²)"
	}
	return []Claim{regret, violation}
}

// regretBound returns the bound of the regret that Claims states, at the steps of the learner.
func (p CLASPParams) regretBound(l *claspLearner, k *boundInputs) func(t int) float64 {
	g, delta2 := k.lossLipschitz(), square(k.diameter())
	if p.Losses == "strongly-convex" {
		k.requireCurvature(1 / l.step)
		delta2 = 0 // strong convexity cancels this term at the steps 1/(σt)
	}
	return func(t int) float64 {
		return float64(delta2*vec.Pow(float64(t), l.decay)/(2*l.step)) +
			float64(g*g/2*l.step*powerSumBound(t, l.decay))
	}
}

// violationBound returns the bound of the violation that Claims states, at the steps of the
// learner.
func (p CLASPParams) violationBound(l *claspLearner, k *boundInputs) func(t int) float64 {
	k.requireNonemptyXMin()
	g, delta, unit := k.lossLipschitz(), k.diameter(),
		k.m()*square(k.constraintLipschitz())
	return func(t int) float64 {
		distances2 := float64(delta*delta) + float64(2*g*delta*l.step*powerSumBound(t, l.decay))
		if l.inTurn {
			distances2 += float64(2 * square(g*l.step) * powerSumBound(t, 2*l.decay))
		}
		return unit * distances2
	}
}

// claspLearner holds the action x_t, and the program that projects on the constraints.
type claspLearner struct {
	step, decay float64 // η_t = step/t^decay
	inTurn      bool
	t           int
	set         convex.Set
	x, y        []float64
	feasible
}

// newCLASP returns the learner at round 1, with steps Δ/G·t^{−β} by default, or 1/(σt) if losses
// are strongly convex.
func newCLASP(p CLASPParams, s Setup) (_ Learner, err error) {
	step, decay := p.Step, p.Beta
	switch {
	case p.Losses == "strongly-convex":
		sigma, err := lossCurvature(p.Curvature, s.Facts)
		if err != nil {
			return nil, err
		}
		step, decay = 1/sigma, 1
	case step == 0:
		k, err := p.proximalWeight(s, "step")
		if err != nil {
			return nil, err
		}
		step = 1 / k
	}
	x, err := p.Project(s.Set)
	return &claspLearner{
		step: step, decay: decay, inTurn: p.Variant == "in-turn", set: s.Set,
		x: x, y: make([]float64, s.Set.Dim()), feasible: newFeasible(s.Set),
	}, err
}

// Act implements [Learner].
func (l *claspLearner) Act(dst []float64) { copy(dst, l.x) }

// Observe implements [Learner].
func (l *claspLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	r.Loss.Subgrad(l.y, l.x)
	vec.AxpyTo(l.y, -l.step/vec.Pow(float64(l.t), l.decay), l.y, l.x)
	if l.program.Reset(); l.inTurn {
		l.program = convex.NewProgram(l.surroundingCube())
	}
	if err := l.constrain(r.Constraints); err != nil {
		return err
	}
	err := l.project(l.x, l.y)
	if errors.Is(err, convex.ErrEmpty) {
		return fmt.Errorf("no action satisfies the constraints of round %d", l.t)
	}
	if l.inTurn {
		l.set.Project(l.x, l.x)
	}
	return err
}

// surroundingCube returns a cube in place of ℝⁿ, because a program needs bounds. A point of
// D∩C_t is within Δ + ‖y_t − x_t‖ of y_t, so that Π_{C_t}(y_t) is inside the cube.
func (l *claspLearner) surroundingCube() *convex.Box {
	half := 2 * (l.set.Diameter() + vec.Dist(l.y, l.x))
	b := convex.Cube(len(l.y), -half, half)
	vec.Axpy(b.Lower, 1, l.y)
	vec.Axpy(b.Upper, 1, l.y)
	return b
}
