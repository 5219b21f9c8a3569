// Package experiment turns an experiment into cells, the units of work. Data go one way:
//
//  1. The uses of an experiment file ([spec.Experiment]) are looked up in a [Catalog] and become
//     algorithms and problems with parameters, one for every combination of swept values.
//  2. [Catalog.Plan] starts every algorithm on every problem once, to see whether the problem meets
//     its assumptions, and lays out the cells by horizon and replicate: a game plays one algorithm
//     on one stream of rounds; a hindsight solves for the best fixed actions on the same stream,
//     and a moving comparator for the best action of each round.
//  3. Every cell has a [store.Key], the hash of what determines its numbers. It contains the digest
//     of the opening, the first 64 rounds, which are played when the plan is made.
//  4. [Plan.Record] returns what a store remembers of the experiment.
//
// [Cell.Play] computes a cell. Which cells are computed, where and in which order is the matter of
// package run: results do not depend on it.
package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Catalog lists the algorithms and problems that experiments choose from.
type Catalog struct {
	Algorithms []algorithms.Algorithm
	Problems   []problems.Problem
}

// Algorithm holds an algorithm with its parameters.
type Algorithm struct {
	algorithms.Algorithm
	Params any
	Configuration
}

// isExternal reports whether the algorithm is of another program, or of a file of actions: only
// these have a fingerprint of their code.
func (a *Algorithm) isExternal() bool { return a.Fingerprint != "" }

// Problem holds a problem with its parameters.
type Problem struct {
	problems.Problem
	Params any
	Configuration

	// separate starts the stream before its constraints are combined; nil if they are not.
	separate func(params any, rng *rand.Rand) (problems.Stream, error)
	// deterministic and declares are known once a plan has started the stream: whether it draws
	// nothing, and the comparator set over which it declares a best action ([Entry.Declares]).
	deterministic bool
	declares      string
}

// isExternal reports whether the problem is of another program: only these come from a flag.
func (p *Problem) isExternal() bool { return p.Flag != "" }

// Resolve resolves the algorithms and the problems of an experiment, each in the order in which
// they are played. An entry with a label replaces the same entry that the word all brought in. The
// error names all entries that cannot be resolved.
func (c Catalog) Resolve(e *spec.Experiment) ([]Algorithm, []Problem, error) {
	var algorithms []Algorithm
	var problems []Problem
	var errs []error
	for _, u := range problemKind.expandAll(e.Problems, c.Problems) {
		more, err := c.ResolveProblems(u)
		problems, errs = append(problems, more...), append(errs, err)
	}
	for _, u := range c.AlgorithmUses(e) {
		more, err := c.ResolveAlgorithms(u)
		algorithms, errs = append(algorithms, more...), append(errs, err)
	}
	algorithms = dropUnlabelled(e.Algorithms, algorithms, c.AlgorithmSpec)
	problems = dropUnlabelled(e.Problems, problems, c.ProblemSpec)
	return algorithms, problems, spec.Join(errs...)
}

// AlgorithmUses returns the uses of the algorithms of an experiment, in which one use for each
// algorithm replaces the words all and others.
func (c Catalog) AlgorithmUses(e *spec.Experiment) []spec.Use {
	return algorithmKind.expandAll(e.Algorithms, c.Algorithms)
}

// AlgorithmSpec returns the SPEC of an algorithm without any default. Tables and records
// write a swept parameter also where it has its default. Two SPECs may therefore name the
// same algorithm: they do if AlgorithmSpec returns the same for both. A SPEC that the
// catalog cannot read is returned as it is.
func (c Catalog) AlgorithmSpec(text string) string {
	return algorithmKind.canonicalSpec(text, c.Algorithms)
}

// ProblemSpec returns the SPEC of a problem without any default. Two SPECs name the same problem
// if ProblemSpec returns the same for both. A SPEC that the catalog cannot read is returned as it
// is.
func (c Catalog) ProblemSpec(text string) string {
	return problemKind.canonicalSpec(text, c.Problems)
}

// Load reads the data that the parameters refer to, such as a file, and returns their fingerprint,
// or "" without any data. From then on all streams of the problem reveal what was read.
func (p *Problem) Load() (fingerprint string, err error) {
	params, fingerprint, err := problems.Load(p.Params)
	if err != nil {
		return "", fmt.Errorf("problem %s: %w", p.Spec, err)
	}
	p.Params = params
	return fingerprint, nil
}

// LoadReloadable reads the data like [Problem.Load], for data that is loaded again elsewhere.
// Data that can be loaded only once, such as a pipe, is an error.
func (p *Problem) LoadReloadable() (fingerprint string, err error) {
	if err := problems.CheckReloadable(p.Params); err != nil {
		return "", fmt.Errorf("problem %s: %w", p.Spec, err)
	}
	return p.Load()
}

// Open loads the data of the problem and starts a stream; see [Problem.Load] and
// [Problem.Stream].
func (p *Problem) Open(seed uint64, replicate int) (problems.Stream, error) {
	if _, err := p.Load(); err != nil {
		return nil, err
	}
	return p.Stream(seed, replicate)
}

// Stream starts the stream of a replicate. Its seed is hashed from the experiment's seed,
// the problem's name and the replicate: instances of one problem with different parameters
// draw the same random numbers, and the algorithm has no influence on them. A panic, and a
// [problems.FailedError], is a [game.CrashError]. Whoever starts a stream plays or closes
// it.
func (p Problem) Stream(seed uint64, replicate int) (s problems.Stream, err error) {
	return p.startStream(rand.New(NewSource(seed, p.Name, replicate, "stream")))
}

// startStream starts a stream that draws from rng, and turns a panic into a [game.CrashError].
func (p Problem) startStream(rng *rand.Rand) (s problems.Stream, err error) {
	defer func() {
		if v := recover(); v != nil {
			s, err = nil, fmt.Errorf("problem %s: %w", p.Spec, game.Panicked(v))
		}
	}()
	if len(p.open) > 0 {
		return nil, fmt.Errorf("problem %s: its expressions have no values", p.Spec)
	}
	s, err = p.New(p.Params, rng)
	var failed *problems.FailedError
	if errors.As(err, &failed) {
		err = &game.CrashError{Reason: failed.Reason}
	}
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", p.Spec, err)
	}
	return s, nil
}

// Learner starts the learner of a replicate on a stream. Its expressions have the values of
// the game. A panic, and an [algorithms.FailedError], is a [game.CrashError].
func (a Algorithm) Learner(s problems.Stream, seed uint64, replicate,
	horizon int) (l algorithms.Learner, err error) {
	defer func() {
		if v := recover(); v != nil {
			l, err = nil, fmt.Errorf("algorithm %s: %w", a.Spec, game.Panicked(v))
		}
	}()
	setup := SetupOf(s)
	setup.Horizon, setup.Replicate = horizon, replicate
	setup.Seed = NewSource(seed, a.Name, replicate, "algorithm").Uint64()
	if a, err = a.Bind(Variables(setup)); err != nil {
		return nil, err
	}
	if err := game.AffordLearner(a.Algorithm, setup.Set); err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", a.Spec, err)
	}
	l, err = a.Start(a.Params, setup)
	var failed *algorithms.FailedError
	if errors.As(err, &failed) {
		err = &game.CrashError{Reason: failed.Reason}
	}
	if err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", a.Spec, err)
	}
	return l, nil
}

// SetupOf returns what a stream tells a learner.
func SetupOf(s problems.Stream) algorithms.Setup {
	return algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts()}
}

// SeedScheme names how seeds are derived; it is part of every identity.
const SeedScheme = "sha256-pcg-1"

// NewSource returns a source of randomness that is hashed from its arguments: the use separates the
// random numbers of the stream, of the algorithm, and of everything else.
func NewSource(seed uint64, name string, replicate int, use string) *rand.PCG {
	h := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%d\x00%s", SeedScheme, seed, name,
		replicate, use))
	return rand.NewPCG(binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:16]))
}

// DerivedSeed returns a seed for a use that is neither a stream nor a learner, such as a
// permutation test. It differs from all of theirs.
func DerivedSeed(seed uint64, use string) uint64 { return NewSource(seed, "", 0, use).Uint64() }
