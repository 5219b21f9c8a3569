// Package problems is the registry of generators of rounds for online convex
// optimisation with time-varying constraints.
//
// A generator is a pure function of its parameters and its own random stream:
// the same seed gives the same rounds to every algorithm, so that algorithms
// are compared on the same rounds. One problem is one file of this package and
// one line of [All]; somebody else's program passes a longer slice to
// cli.Main.
package problems

import (
	"fmt"
	"math/rand/v2"

	"ocobench/convex"
)

// Stream is one instance of a problem. Rounds are revealed in order, once
// each: t = 1, 2, 3, …
type Stream interface {
	// Set is the domain D of the actions.
	Set() convex.Set
	// Constraints is the number m of constraints in every round.
	Constraints() int
	// Facts is what the problem declares of itself.
	Facts() convex.Facts
	// Reveal returns round t. The round is valid until the next call. Only an
	// adaptive stream looks at x, the action x_t; others may be given nil.
	Reveal(t int, x []float64) convex.Round
}

// Expecter is implemented by streams that know what their constraints are on
// average: the set X^E = {x in D : E g_j(x) ≤ 0 for all j}.
type Expecter interface {
	// Expectation returns E g_{t,1}, …, E g_{t,m} where these are the same for
	// all t, or else what the averages of g_{t,j} over t tend to; nil where
	// neither is known. The functions do not change.
	Expectation() []convex.Func
}

// Problem is an entry of the registry.
type Problem struct {
	Name      string // as in a SPEC
	Doc       string // one sentence
	Reference string
	// Version rises with every change of the rounds; stored cells of older
	// versions are not used.
	Version int
	// Params is the struct of parameters at their defaults, or nil; see
	// package spec for its tags. Parameters that name a file implement
	// [Fingerprinter].
	Params any
	// New starts a stream. Params has the type of the field Params.
	New func(params any, rng *rand.Rand) (Stream, error)
}

// Fingerprinter is implemented by parameters that refer to something outside
// of the program, such as a file: the fingerprint of its contents is part of
// the identity of results.
type Fingerprinter interface {
	Fingerprint() (string, error)
}

// All is the registry.
var All = []Problem{
	decayingFrequency,
	shrinking,
	fixed,
	perturbed,
	family,
	iid,
	periodic,
	mannor,
	softGap,
	vazeSinha,
	yuNeelyLP,
	onlineQP,
	regression,
	jobScheduling,
	doublyStochastic,
	logistic,
	fogOffloading,
	gradualSlater,
	conflicting,
	portfolio,
	trace,
}

// build adapts a constructor with typed parameters to [Problem.New].
func build[P any](f func(p P, rng *rand.Rand) (Stream, error)) func(any, *rand.Rand) (Stream, error) {
	return func(params any, rng *rand.Rand) (Stream, error) { return f(params.(P), rng) }
}

// instance is what streams have in common.
type instance struct {
	set   convex.Set
	m     int
	facts convex.Facts
	round convex.Round
}

// Set implements [Stream].
func (s *instance) Set() convex.Set { return s.set }

// Constraints implements [Stream].
func (s *instance) Constraints() int { return s.m }

// Facts implements [Stream].
func (s *instance) Facts() convex.Facts { return s.facts }

// Expectation implements [Expecter]: constraints that do not change, which are
// those of the round from the beginning on.
func (s *instance) Expectation() []convex.Func {
	if !s.facts.Fixed {
		return nil
	}
	return s.round.Constraints
}

// look panics unless x is an action, which an adaptive stream looks at.
func (s *instance) look(x []float64) {
	if len(x) != s.set.Dim() {
		panic(fmt.Sprintf("problems: an adaptive stream is shown %d coordinates of the action, want %d", len(x), s.set.Dim()))
	}
}
