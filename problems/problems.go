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
	"slices"

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

// Lookup returns the entry of that name, and whether there is one.
func Lookup(all []Problem, name string) (Problem, bool) {
	k := slices.IndexFunc(all, func(p Problem) bool { return p.Name == name })
	if k < 0 {
		return Problem{}, false
	}
	return all[k], true
}

// Typed adapts a constructor with typed parameters to the field New of a
// [Problem]. What it returns panics if its parameters are not of type P.
func Typed[P any](f func(p P, rng *rand.Rand) (Stream, error)) func(any, *rand.Rand) (Stream, error) {
	return func(params any, rng *rand.Rand) (Stream, error) {
		p, ok := params.(P)
		if !ok {
			panic(fmt.Sprintf("problems: parameters of type %T, want %T", params, p))
		}
		return f(p, rng)
	}
}

// Instance is what streams have in common, for embedding: all methods of a
// [Stream] but Reveal, and [Expecter].
type Instance struct {
	Domain   convex.Set
	M        int // the number of constraints
	Declared convex.Facts
	// Round is for the stream's own use: Reveal may fill it in and return it. With
	// Declared.Fixed, its constraints are those of every round from the beginning.
	Round convex.Round
}

// Set implements [Stream].
func (s *Instance) Set() convex.Set { return s.Domain }

// Constraints implements [Stream].
func (s *Instance) Constraints() int { return s.M }

// Facts implements [Stream].
func (s *Instance) Facts() convex.Facts { return s.Declared }

// Expectation implements [Expecter] for fixed constraints, which it returns. For
// others it returns nil.
func (s *Instance) Expectation() []convex.Func {
	if !s.Declared.Fixed {
		return nil
	}
	return s.Round.Constraints
}

// check panics unless x is an action, which an adaptive stream needs.
func (s *Instance) check(x []float64) {
	if len(x) != s.Domain.Dim() {
		panic(fmt.Sprintf("problems: an adaptive stream is shown %d coordinates of the action, want %d", len(x), s.Domain.Dim()))
	}
}
