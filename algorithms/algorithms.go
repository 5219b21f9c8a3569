// Package algorithms is the registry of learners for online convex
// optimisation with time-varying constraints.
//
// A learner plays x_t and is then shown the round: a loss f_t and constraints
// g_{t,j}(x) ≤ 0. Apart from that it sees only what the problem declares ([Setup]).
// The field Definition of each [Algorithm] states the update, and bench list NAME prints it. The
// documentation of each type of parameters, such as [ChenParams], has what is proven of it.
//
// # Notation
//
// D is the domain, Π the projection on it, Δ its diameter, and ∂f a subgradient.
// T is the horizon, m the number of constraints, and [v]₊ = max(0, v). Bounds
// marked (D) are derived in this package where the paper states another one, or
// none with constants.
//
// # How to add an algorithm
//
// It takes two edits. The first is a file:
//
//	package algorithms
//
//	var penalty = Algorithm{
//		Name:      "penalty",
//		Doc:       "projected gradient descent on the losses plus a quadratic penalty",
//		Reference: "Author, Title, Year, Algorithm 1",
//		Definition: []string{
//			"$x_{t+1} = Π(x_t − η(∂f_t(x_t) + ρΣ_j [g_{t,j}(x_t)]₊∂g_{t,j}(x_t)))$",
//			"with $η = 1/√T$ and $ρ = rho$.",
//		},
//		Version:  1,
//		Params:   PenaltyParams{Rho: 10},
//		Feedback: FirstOrder,
//		Claims:   []Claim{{Metric: RegretXMin, Exponent: 0.5, NoBound: "the paper has no constants"}},
//		Cost:     "O(m·n) and a projection",
//		New:      Typed(newPenalty),
//	}
//
//	// PenaltyParams are the parameters of penalty.
//	type PenaltyParams struct {
//		Rho float64 `name:"rho" doc:"weight ρ of the penalty" min:"0"`
//		FirstAction
//		Epochs
//	}
//
//	type penaltyLearner struct {
//		Descent
//		rho, eta float64
//	}
//
//	func newPenalty(p PenaltyParams, s Setup) (Learner, error) {
//		d, err := NewDescent(s, p.FirstAction)
//		return &penaltyLearner{d, p.Rho, 1 / math.Sqrt(float64(s.Horizon))}, err
//	}
//
//	// Observe implements [Learner].
//	func (l *penaltyLearner) Observe(_ []float64, r convex.Round) error {
//		l.Begin(r.Loss)
//		for _, g := range r.Constraints {
//			l.Add(l.rho*max(0, g.Value(l.X)), g)
//		}
//		l.Step(l.eta)
//		return nil
//	}
//
// The second is the line penalty in [All]. Package algtest then checks the laws
// that every learner keeps. In a program of your own both edits are in your
// module, and its main passes append(slices.Clip(algorithms.All), penalty) to
// cli.Main. The directory examples/own is such a module.
package algorithms

import (
	"fmt"
	"slices"

	"ocobench/convex"
)

// Learner plays one game. It owns its state and nothing else: it may neither keep
// nor change the slices and functions that it is given.
type Learner interface {
	// Act writes the action x_t to dst. Asking twice gives the same answer.
	Act(dst []float64)
	// Observe ends round t: x is the action that was played, and r the round that
	// was revealed. It is called once a round, after Act. An error ends the game.
	Observe(x []float64, r convex.Round) error
}

// Certified is a learner whose actions come from a minimisation.
type Certified interface {
	Learner
	// Cert certifies the action that Act writes.
	Cert() convex.Cert
}

// certOf returns the certificate of a learner, zero if it is not certified.
func certOf(l Learner) convex.Cert {
	if c, ok := l.(Certified); ok {
		return c.Cert()
	}
	return convex.Cert{}
}

// Fallible is a learner whose Act can fail, such as one of another program. A
// learner that holds resources is an [io.Closer] too: the game closes it at its
// end.
type Fallible interface {
	Learner
	// Err is nil until Act has failed. What Act then writes is not an action.
	Err() error
}

// FailedError is the error of a learner that cannot start, although parameters and problem are
// valid. Its games fail. Any other error of a start is a fault of the parameters or of the problem,
// which is bad input.
type FailedError struct{ Reason string }

// Error implements error.
func (e *FailedError) Error() string { return e.Reason }

// LackError is the error of a learner that finds only when it starts, or in a round, that the
// problem lacks what the algorithm assumes. If that is at the start or in one of the first rounds,
// the pair is not played, as if Assumes had said so.
type LackError struct {
	What   string // such as "a declared Slater margin, or the parameter slater"
	Reason string
}

// Error implements error.
func (e *LackError) Error() string { return e.Reason }

// Inspector is a learner that assumes something about the first round. Inspect returns a
// [LackError] if the round r is not as the learner assumes, and changes nothing.
type Inspector interface {
	Learner
	Inspect(r convex.Round) error
}

// Setup is what a learner knows before the first round.
type Setup struct {
	Set         convex.Set
	Constraints int // m
	Facts       convex.Facts
	// Horizon is the number of rounds T. A learner that is anytime is given 0, see
	// [Algorithm.Start].
	Horizon int
	// Replicate is the number of the game among those of an experiment, from 1; 0
	// stands for 1. It is for recorded actions, which differ between replicates. A
	// learner that computes its actions uses the Seed instead.
	Replicate int
	// Seed is for algorithms that draw random numbers. It is not the seed of the problem.
	Seed uint64
}

// Algorithm is an entry of the registry.
type Algorithm struct {
	Name      string // as in a SPEC
	Title     string // the display name in figures and in LaTeX; if empty, the Name
	Doc       string // one sentence
	Reference string // the paper, and the place of the update or its theorem in it
	// Definition states the update, and what every parameter does, by its name. Each element is a
	// sentence, with formulas in Unicode between dollar signs, and scripts as in TeX, such as
	// "$x_{t+1} = Π(x_t)$". A sentence that is one formula is displayed in LaTeX.
	Definition []string
	// Version increases with every change of the actions. Stored games of older
	// versions are not used.
	Version int
	// Fingerprint identifies code that the Version does not cover, such as the
	// command of another program. It is part of the identity of stored games.
	Fingerprint string
	// Flag is the flag of the command line that the entry is from, such as
	// "--external mine='python3 mine.py'". It is empty for an entry of a registry.
	Flag string
	// Params is the struct of parameters at their defaults, or nil; see
	// package spec for its tags.
	Params any
	// Feedback is what the algorithm uses of a round.
	Feedback Feedback
	// Anytime says that the learner does not use the horizon, so that its trace
	// at T is the beginning of the one at 2T. The parameters of any other
	// algorithm should embed [Epochs]. One that is anytime at some parameters only
	// gives them the method HorizonFree() bool, see [Algorithm.AnytimeWith].
	Anytime bool
	// UnitFree says that at the default parameters the learner plays the same actions, up to rounding,
	// if losses, constraints and what the problem declares of them are multiplied by one number.
	// Steps and weights of any other are for one unit only.
	UnitFree bool
	// Draws says that the learner draws random numbers from Setup.Seed, or has actions
	// for each Setup.Replicate. The games of any other learner are the same on every
	// seed if the rounds are.
	Draws bool
	// Claims are the rates of an algorithm whose parameters have no method Claims() []Claim, of one
	// regret, one dynamic regret and one violation at most. Read them by [Algorithm.ClaimsOf].
	Claims []Claim
	// ClaimsAt, unless nil, takes the place of the method Claims of parameters that have none.
	ClaimsAt func(params any) []Claim
	Assumes  []Assumption // of the problem
	Cost     string       // of a round
	// Solvers is how many times [convex.Memory] a learner takes: once for each [convex.Sum] and
	// [convex.Program] that it holds, and for each [convex.Form] of all losses.
	Solvers int
	// New makes a learner; params has the type of the field Params. Only
	// [Algorithm.Start] calls it, once a game, or once an epoch with doubling.
	New func(params any, s Setup) (Learner, error)

	drawnStartClaims func(params any) []Claim // the claims of [Algorithm.WithRandomStart], else nil
	warm             bool                     // of [Algorithm.WithWarmEpochs]
	feasibleStart    bool                     // x_1 must be strictly feasible, and is not drawn
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
	clasp,
	polyakFeasibility,
	ftrl,
	mahdavi,
	mahdaviZeroViolation,
	mahdaviMirrorProx,
	jenatton,
	sun,
	castiglioni,
}

// Lookup returns the algorithm with a name. The second result is false if all has none.
func Lookup(all []Algorithm, name string) (Algorithm, bool) {
	k := slices.IndexFunc(all, func(a Algorithm) bool { return a.Name == name })
	if k < 0 {
		return Algorithm{}, false
	}
	return all[k], true
}

// Typed adapts a constructor with typed parameters to the field New of an
// [Algorithm]. The function that it returns panics if its parameters are not of type P.
func Typed[P any](f func(p P, s Setup) (Learner, error)) func(any, Setup) (Learner, error) {
	return func(params any, s Setup) (Learner, error) {
		p, ok := params.(P)
		if !ok {
			panic(fmt.Sprintf("algorithms: parameters of type %T, want %T", params, p))
		}
		return f(p, s)
	}
}
