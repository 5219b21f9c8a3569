package algorithms

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
)

var ftrl = Algorithm{
	Name:  "ftrl",
	Title: "FTRL on the fixed set",
	Doc: "follow the regularised leader among the actions that satisfy the constraints of the " +
		"first round: a reference for fixed constraints",
	Reference: "McMahan, A survey of algorithms and analysis for adaptive online learning, JMLR 18, " +
		"2017, Theorem 1",
	Definition: slices.Concat([]string{
		"$x_{t+1} = argmin_{x∈S} κ√t‖x − x_0‖² + Σ_{i≤t} f_i(x),  S = {x ∈ D : g_{1,j}(x) ≤ 0 for " +
			"all j},$",
		"with $κ = kappa$, by default $G/(√2 Δ)$, $G$ the Lipschitz constant of the losses " +
			"(lipschitz) and Δ the diameter of $D$.",
	}, startDefinition),
	Version:  3,
	Params:   FTRLParams{},
	Feedback: FullInfo,
	UnitFree: true,
	Anytime:  true,
	Assumes:  []Assumption{FixedConstraints, WholeFunctions},
	Solvers:  3, // the losses, the leader, and the program of the feasible actions
	Cost:     "one minimisation of the losses plus a quadratic over m constraints",
	New:      Typed(newFTRL),
}

// FTRLParams are the parameters of ftrl.
//
// Round 1 is played before the constraints are seen; from then on they hold.
// For every u in S, and ρ the largest distance of a point of D from x_0 (D),
//
//	Σ_{τ≤t} f_τ(x_τ) − f_τ(u) ≤ κρ²√t + G²(1 + 2√t)/(4κ),
//
// (√2√t + 1/√8)GΔ at most at κ = G/(√2Δ), if x_0 is in D. Later constraints are not
// used; a value of theirs that is not finite is an error.
type FTRLParams struct {
	LossConstants
	Kappa float64 `name:"kappa" doc:"weight κ of the regulariser κ√t‖x−x0‖²; 0 takes G/(√2Δ)" min:"0"`
	FirstAction
}

// Claims returns O(√t) and O(1), and their bounds.
func (p FTRLParams) Claims() []Claim {
	return []Claim{
		{Metric: RegretXMin, Exponent: 0.5, Formula: "κρ²√t + G²(1 + 2√t)/(4κ)",
			Bound: provenBound(newFTRL, p, p.regretBound)},
		{Metric: HardViolation, Note: "that of round 1 alone", Formula: "mB", Bound: p.violationBound},
	}
}

// regretBound returns the bound of the regret that Claims states, at the learner's κ.
func (p FTRLParams) regretBound(l *ftrlLearner, k *boundInputs) func(t int) float64 {
	rho, err := firstActionReach(p.FirstAction, k.Set)
	k.require(err == nil, "%w", err)
	k.requireDiameter()
	return followTheLeaderBound(l.kappa, rho, k.lossLipschitz())
}

// violationBound returns the bound of the violation that Claims states, which no parameter changes.
func (p FTRLParams) violationBound(s Setup) (func(t int) float64, error) {
	k := boundInputs{Setup: s}
	k.require(s.Constraints > 0, "there are no constraints")
	return constantBound(k.m() * k.constraintBound()), k.err
}

// ftrlLearner holds the action x_t, the sum of the losses, and the program of the feasible actions.
type ftrlLearner struct {
	feasible
	kappa  float64
	t      int
	x      []float64
	center []float64
	losses *convex.Form
	leader *convex.Form // the losses and the regulariser
}

// newFTRL returns the learner at round 1, with the weight κ = G/(√2Δ) if the parameter is 0.
func newFTRL(p FTRLParams, s Setup) (Learner, error) {
	if p.Kappa == 0 {
		k, err := p.proximalWeight(s, "kappa")
		if err != nil {
			return nil, err
		}
		p.Kappa = k / math.Sqrt2
	}
	n := s.Set.Dim()
	l := &ftrlLearner{
		kappa: p.Kappa, feasible: newFeasible(s.Set),
		losses: convex.NewForm(n), leader: convex.NewForm(n),
	}
	var err error
	if l.center, err = p.Point(n); err != nil {
		return nil, err
	}
	l.x, err = p.Project(s.Set)
	return l, err
}

// Act implements [Learner].
func (l *ftrlLearner) Act(dst []float64) { copy(dst, l.x) }

// Observe implements [Learner].
func (l *ftrlLearner) Observe(_ []float64, r convex.Round) error {
	l.t++
	for j, g := range r.Constraints {
		if v := g.Value(l.x); math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("constraint %d is %v", j+1, v)
		}
	}
	if l.t == 1 {
		if err := l.constrain(r.Constraints); err != nil {
			return err
		}
	}
	r.Loss.AddTo(l.losses, 1)
	if !isFiniteForm(l.losses) {
		return fmt.Errorf("the losses so far are not finite")
	}
	l.leader.Reset()
	l.losses.AddTo(l.leader, 1)
	regulariser := convex.HalfSquaredDistance{
		Weight: 2 * l.kappa * math.Sqrt(float64(l.t)), Center: l.center,
	}
	regulariser.AddTo(l.leader, 1)
	s, err := l.program.Minimize(l.x, l.leader)
	if errors.Is(err, convex.ErrEmpty) {
		return &LackError{"an action that satisfies the constraints",
			"no action satisfies the constraints of the first round"}
	}
	l.cert = s.Cert
	return err
}
