// Package algorithms is the registry of learners for online convex
// optimisation with time-varying constraints.
//
// A learner plays x_t and is then shown the round: a loss f_t and constraints
// g_{t,j}(x) ≤ 0. It sees nothing else of the problem but what the problem
// declares ([Setup]). One algorithm is one file of this package and one line
// of [All]; somebody else's program passes a longer slice to cli.Main.
package algorithms

import (
	"ocobench/convex"
)

// Learner plays one game. It owns its state and nothing else: it may not keep
// slices or functions it was handed.
type Learner interface {
	// Act writes the action x_t to dst. Asking twice gives the same answer.
	Act(dst []float64)
	// Observe ends round t: x is the action played and r what was revealed.
	// It is called once a round, after Act. An error ends the game.
	Observe(x []float64, r convex.Round) error
}

// Certified is a learner whose actions come from a minimisation.
type Certified interface {
	Learner
	// Cert certifies the action that Act writes.
	Cert() convex.Cert
}

// Setup is what a learner knows before the first round.
type Setup struct {
	Set         convex.Set
	Constraints int // m
	Facts       convex.Facts
	// Horizon is the number of rounds T for an algorithm that is not anytime,
	// and 0 for one that is.
	Horizon int
	// Seed is the learner's own, apart from the problem's, for algorithms
	// that draw.
	Seed uint64
}

// Algorithm is an entry of the registry.
type Algorithm struct {
	Name      string // as in a SPEC
	Doc       string // one sentence
	Reference string // where the update and its theorem stand
	// Version rises with every change of what the algorithm plays; stored
	// games of older versions are not used.
	Version int
	// Params is the struct of parameters at their defaults, or nil; see
	// package spec for its tags.
	Params any
	// Feedback is what the algorithm looks at.
	Feedback Feedback
	// Anytime tells that it does not know the horizon, so that its trace at T
	// is the beginning of the one at 2T.
	Anytime bool
	// Claims are the rates at the default parameters, of one regret and one
	// violation at most; see [Algorithm.ClaimsOf].
	Claims  []Claim
	Assumes []Assumption // of the problem
	Cost    string       // of a round
	// New starts a game. Params has the type of the field Params.
	New func(params any, s Setup) (Learner, error)
}

// Feedback is what an algorithm looks at in a round.
type Feedback string

const (
	FirstOrder     Feedback = "FO"  // values and subgradients at x_t
	FirstOrderPlus Feedback = "FO+" // and the values g_t(x_{t+1})
	FullInfo       Feedback = "FI"  // whole functions
)

// Metric names what a claim bounds: the regret against a set of fixed actions,
// or a notion of violation. The table of metrics in package harness says how
// each is measured.
type Metric string

const (
	RegretXMin   Metric = "regret_xmin"   // against actions that are feasible in every round
	RegretXHat   Metric = "regret_xhat"   // against actions for which every prefix of the constraints sums to ≤ 0
	RegretXMax   Metric = "regret_xmax"   // against actions for which the constraints sum to ≤ 0
	RegretXE     Metric = "regret_xe"     // against actions for which the constraints are ≤ 0 in expectation
	RegretDomain Metric = "regret_domain" // against all actions of the domain

	SoftViolation    Metric = "violation_soft"    // Σ_j [Σ_t g_{t,j}(x_t)]₊
	HardViolation    Metric = "violation_hard"    // Σ_t Σ_j [g_{t,j}(x_t)]₊
	PenaltyViolation Metric = "violation_penalty" // Σ_t Σ_j [(1/t) Σ_{i≤t} g_{i,j}(x_t)]₊
	SquaredViolation Metric = "violation_squared" // Σ_t Σ_j [g_{t,j}(x_t)]₊²
	MaxViolation     Metric = "violation_max"     // max_{t,j} [g_{t,j}(x_t)]₊
)

// Regrets and Violations are the metrics that claims may name.
var (
	Regrets    = []Metric{RegretXMin, RegretXHat, RegretXMax, RegretXE, RegretDomain}
	Violations = []Metric{SoftViolation, HardViolation, PenaltyViolation, SquaredViolation, MaxViolation}
)

// Claim is a claimed rate: metric = O(t^Exponent · (log t)^Log).
type Claim struct {
	Metric   Metric  `json:"metric"`
	Exponent float64 `json:"exponent"`
	Log      float64 `json:"log,omitempty"`
	Note     string  `json:"note,omitempty"`
}

// All is the registry.
var All = []Algorithm{
	penalisedFTRL,
	primalDual,
	primalDualAverage,
	ogd,
	yuNeelyWei,
	neelyYu,
	yuNeely,
	valls,
	liakopoulos,
	chen,
	yi2020,
	guo,
	coldq,
	yi2021,
	sinhaVaze,
	yuLeeLee,
	vazeSinha,
	ftrl,
	mahdavi,
	mahdaviZeroViolation,
	mahdaviMirrorProx,
	jenatton,
	sun,
	castiglioni,
}

// build adapts a constructor with typed parameters to [Algorithm.New].
func build[P any](f func(p P, s Setup) (Learner, error)) func(any, Setup) (Learner, error) {
	return func(params any, s Setup) (Learner, error) { return f(params.(P), s) }
}

// start returns Π(point), the point of the domain to start from; a single
// number stands for all coordinates, and none for the origin.
func (s Setup) start(point []float64) ([]float64, error) {
	x := make([]float64, s.Set.Dim())
	if err := spread(x, point); err != nil {
		return nil, err
	}
	s.Set.Project(x, x)
	return x, nil
}
