// Package problems is the registry of generators of rounds for online convex
// optimisation with time-varying constraints.
//
// A generator is a pure function of its parameters and of its own random stream.
// The same seed gives the same rounds to every algorithm, so that comparisons are
// paired. The field Definition of each [Problem] states the rounds, and bench list NAME prints
// it. The documentation of each type of parameters, such as [FixedParams], has what follows.
//
// # Notation
//
// D is the domain of dimension n, m the number of constraints, and T the
// horizon. After t rounds, X^min is the set of actions that are feasible in
// every round, X̂^max of those for which every prefix of the constraints sums
// to ≤ 0, and X^max of those for which the constraints sum to ≤ 0. X^E has
// constraints ≤ 0 in expectation.
//
// # How to add a problem
//
// It takes two edits. The first is a file:
//
//	package problems
//
//	var sliding = Problem{
//		Name:      "sliding",
//		Title:     "Sliding constraint",
//		Doc:       "x ≤ b_t with a uniformly random b_t",
//		Reference: "Author, Title, Year, the experiment",
//		Definition: []string{
//			"$X = [0, 1]$, $f_t(x) = −x$, $g_t(x) = x − b_t$, with $b_t$ uniform on $[margin, 1]$",
//		},
//		Version: 1,
//		Params:  SlidingParams{Margin: 0.1},
//		New:     Typed(newSliding),
//	}
//
//	// SlidingParams are the parameters of sliding.
//	type SlidingParams struct {
//		Margin float64 `name:"margin" doc:"the least b_t" above:"0" below:"1"`
//	}
//
//	type slidingStream struct {
//		Instance
//		rng    *rand.Rand
//		margin float64
//		x      convex.Func
//		g      convex.Shifted
//	}
//
//	func newSliding(p SlidingParams, rng *rand.Rand) (Stream, error) {
//		s := &slidingStream{
//			Instance: Instance{
//				Domain: convex.Cube(1, 0, 1),
//				M:      1,
//				Declared: convex.Facts{
//					LossLipschitz: 1, LossRange: 1, ConstraintLipschitz: 1, ConstraintBound: 1,
//					Diameter: 1, Slater: p.Margin, Affine: true, Perturbed: true, IID: true,
//				},
//			},
//			rng: rng, margin: p.Margin, x: convex.Freeze(&convex.Affine{A: []float64{1}}),
//		}
//		s.Round = convex.Round{
//			Loss:        convex.Freeze(&convex.Affine{A: []float64{-1}}),
//			Constraints: []convex.Func{&s.g},
//		}
//		return s, nil
//	}
//
//	// Reveal implements [Stream].
//	func (s *slidingStream) Reveal(int, []float64) *convex.Round {
//		b := s.margin + float64((1-s.margin)*s.rng.Float64())
//		s.g = convex.Shifted{Base: s.x, Shift: -b}
//		return s.Show(s.Round.Loss, s.Round.Constraints)
//	}
//
// A learner must not be able to change the rounds to come. So functions that stay
// the same are frozen, Reveal writes every other function whole, and [Instance.Show]
// writes the list of the constraints anew.
//
// The second is the line sliding in [All]. Package probtest then checks the
// laws that every problem keeps, the facts that it declares among them. A
// product that is added to something is rounded by float64, so that the rounds
// have the same bits on every architecture. In a program of your own both edits
// are in your module, and its main passes append(slices.Clip(problems.All),
// sliding) to cli.Main. The directory examples/own is such a module.
package problems

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"ocobench/convex"
)

// Stream is one instance of a problem. Rounds are revealed in order, once
// each: t = 1, 2, 3, …
type Stream interface {
	// Set is the domain D of the actions, a copy for the caller.
	Set() convex.Set
	// Constraints is the number m of constraints in every round.
	Constraints() int
	// Facts is what the problem declares of itself.
	Facts() convex.Facts
	// Reveal returns round t. The round is valid until the next call. Only an
	// adaptive stream uses x, the action x_t. Others may be given nil. Whatever
	// the caller writes to the round, the rounds to come are the same.
	Reveal(t int, x []float64) *convex.Round
}

// Fallible is a stream whose Reveal can fail, such as one of another program. A stream
// that holds resources is an [io.Closer] too: the game closes it at its end.
type Fallible interface {
	Stream
	// Err is nil until Reveal has failed, or an evaluation of a function of an [Evaluator]. What
	// Reveal then returns is not a round.
	Err() error
}

// FailedError is the error of a stream that cannot start, although its parameters are valid. Its
// cells fail. Any other error of a start is a fault of the parameters, which is bad input.
type FailedError struct{ Reason string }

// Error implements error.
func (e *FailedError) Error() string { return e.Reason }

// Expecter is implemented by streams that know the averages of their constraints,
// and so the set X^E = {x in D : E g_j(x) ≤ 0 for all j}.
type Expecter interface {
	// Expectation returns E g_{t,1}, …, E g_{t,m} where these are the same for
	// all t, or else the limits of the averages of g_{t,j} over t. It returns nil
	// where neither is known. The functions do not change, and share no memory
	// with the rounds.
	Expectation() []convex.Func
}

// Declarer is implemented by streams that know a best fixed action themselves, such as one that
// their authors have computed. It is shown as declared, beside what the program certifies.
type Declarer interface {
	Stream
	// DeclaredSet returns the comparator set over which the action is the best one: xmin, xhat, xmax
	// or xe; own for a set that is none of these; or "" for a stream that declares none.
	DeclaredSet() string
	// Hindsight writes the action after t rounds, which have been revealed, and returns the sum of
	// their losses there.
	Hindsight(t int, action []float64) (value float64, err error)
}

// OwnSet is the name of a declared comparator set that is none of the certified ones.
const OwnSet = "own"

// Sharer is implemented by streams whose rounds share functions. A file of rounds names these
// functions in its first line. A named function is the same one wherever it is used, so that
// algorithms add up its multiples; all others are written and read anew in every round.
type Sharer interface {
	// Bases returns the functions.
	Bases() []*convex.Basis
}

// BasesOf returns the functions that the rounds of a stream share.
func BasesOf(s Stream) []*convex.Basis {
	if s, ok := s.(Sharer); ok {
		return s.Bases()
	}
	return nil
}

// Problem is an entry of the registry.
type Problem struct {
	Name      string // as in a SPEC
	Title     string // the display name in figures and in LaTeX; if empty, the Name
	Doc       string // one sentence
	Reference string
	// Definition states the rounds, in sentences: the domain, f_t, g_t, distributions, and what
	// every parameter does, by its name. Formulas stand between dollar signs and are written in
	// Unicode as in "$f_t(x) = −2x$ on $X = [−10, 10]$": scripts as in TeX, √(…).
	// A sentence that is one formula is displayed in LaTeX.
	Definition []string
	// Version increases with every change of the rounds. Stored cells of older
	// versions are not used.
	Version int
	// Fingerprint identifies code that the Version does not cover, such as the
	// command of another program. It is part of the identity of stored cells.
	Fingerprint string
	// Flag is the flag of the command line that the entry is from. It is empty for an entry
	// of a registry.
	Flag string
	// Params is the struct of parameters at their defaults, or nil; see
	// package spec for its tags. Parameters that name a file implement [Loader].
	Params any
	// New starts a stream; params has the type of the field Params.
	New func(params any, rng *rand.Rand) (Stream, error)
}

// Loader is implemented by parameters that refer to data outside of the program,
// such as a file.
type Loader interface {
	// Load reads the data, once. It returns the parameters with the data in
	// unexported fields, and a fingerprint of the data, which is part of the
	// identity of results. Streams that New starts with these parameters reveal
	// this data, even if the file changes later. Several goroutines may use the
	// parameters.
	Load() (params any, fingerprint string, err error)
}

// ReloadChecker is implemented by parameters whose data may be readable only once, such as a pipe.
type ReloadChecker interface {
	// CheckReloadable returns an error if the data can be read only once. It reads nothing.
	CheckReloadable() error
}

// CheckReloadable returns an error if the data of these parameters can be read only once. An
// experiment loads parameters again, in other processes and at other times.
func CheckReloadable(params any) error {
	if p, ok := params.(ReloadChecker); ok {
		return p.CheckReloadable()
	}
	return nil
}

// Load loads parameters that implement [Loader]. It returns others as they are, without a
// fingerprint.
func Load(params any) (loaded any, fingerprint string, err error) {
	if l, ok := params.(Loader); ok {
		return l.Load()
	}
	return params, "", nil
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
	alternating,
	pinned,
	regimeSwitch,
	driftingAverage,
	schedule,
	drifting,
	uniformTargets,
	trace,
}

// Lookup returns the problem with a name. The second result is false if all has none.
func Lookup(all []Problem, name string) (Problem, bool) {
	k := slices.IndexFunc(all, func(p Problem) bool { return p.Name == name })
	if k < 0 {
		return Problem{}, false
	}
	return all[k], true
}

// Typed adapts a constructor with typed parameters to the field New of a [Problem]. The function
// that it returns checks the parameters first: it panics if they are not of type P, and returns an
// error if their method Validate does, or if a text is none of its tag enum. So f may rely on both.
func Typed[P any](f func(p P, rng *rand.Rand) (Stream, error)) func(any, *rand.Rand) (Stream,
	error) {
	return func(params any, rng *rand.Rand) (Stream, error) {
		p, ok := params.(P)
		if !ok {
			panic(fmt.Sprintf("problems: parameters of type %T, want %T", params, p))
		}
		if err := checkParams(p); err != nil {
			return nil, err
		}
		return f(p, rng)
	}
}

// checkParams returns the error of the method Validate of parameters, or else an error that names
// the first text that is none of its tag enum.
func checkParams(params any) error {
	if p, ok := params.(interface{ Validate() error }); ok {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	v := reflect.ValueOf(params)
	for _, f := range reflect.VisibleFields(v.Type()) {
		enum, text := f.Tag.Get("enum"), v.FieldByIndex(f.Index).String()
		if enum != "" && !slices.Contains(strings.Split(enum, ","), text) {
			return fmt.Errorf("%s: unknown value %q (expected one of %s)", f.Tag.Get("name"), text,
				strings.ReplaceAll(enum, ",", ", "))
		}
	}
	return nil
}

// Instance holds what streams have in common, for embedding: it has all methods of a [Stream]
// except Reveal, and implements [Expecter] and [Sharer].
type Instance struct {
	Domain   convex.Set
	M        int // the number of constraints
	Declared convex.Facts
	// Round is for the stream's own use: Reveal may fill it in. With
	// Declared.Fixed, its constraints are those of every round from the beginning.
	Round convex.Round
	// Shared are the functions that rounds share.
	Shared []*convex.Basis

	shown convex.Round
	list  []convex.Func // the constraints of shown
}

// Show returns a round whose list of constraints is written anew by every call, so that a learner
// cannot change the list of the next round. It copies no functions: a stream freezes them
// ([convex.Freeze]), or writes them whole in every round.
func (s *Instance) Show(loss convex.Func, constraints []convex.Func) *convex.Round {
	if len(s.list) != len(constraints) {
		s.list = make([]convex.Func, len(constraints))
	}
	if len(constraints) == 1 { // a branch is faster than a call of copy
		s.list[0] = constraints[0]
	} else {
		copy(s.list, constraints)
	}
	// Set field by field: a literal of the round would be copied to shown, in every round.
	s.shown.Loss, s.shown.Constraints = loss, s.list
	return &s.shown
}

// Set implements [Stream]. It returns a copy of Domain.
func (s *Instance) Set() convex.Set { return s.Domain.Clone() }

// Constraints implements [Stream].
func (s *Instance) Constraints() int { return s.M }

// Facts implements [Stream].
func (s *Instance) Facts() convex.Facts { return s.Declared }

// Bases implements [Sharer].
func (s *Instance) Bases() []*convex.Basis { return s.Shared }

// share adds those of the functions that are bases to Shared.
func (s *Instance) share(fs ...convex.Func) {
	for _, f := range fs {
		if b, ok := f.(*convex.Basis); ok {
			s.Shared = append(s.Shared, b)
		}
	}
}

// Expectation implements [Expecter] by the normal forms of fixed constraints. It returns nil for
// others.
func (s *Instance) Expectation() []convex.Func {
	if !s.Declared.Fixed {
		return nil
	}
	means := make([]convex.Func, len(s.Round.Constraints))
	for j, g := range s.Round.Constraints {
		means[j] = convex.Lower(g, s.Domain.Dim())
	}
	return means
}

// checkAction panics unless x has the dimension of the domain: an adaptive stream needs the action.
func (s *Instance) checkAction(x []float64) {
	if len(x) != s.Domain.Dim() {
		panic(fmt.Sprintf("problems: an adaptive stream is shown %d coordinates of the action, want %d",
			len(x), s.Domain.Dim()))
	}
}
