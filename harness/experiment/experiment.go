// Package experiment turns an experiment into cells, the units of work. Data go one way:
//
//  1. The uses of an experiment file ([spec.Experiment]) are looked up in a [Catalog] and become
//     algorithms and problems with parameters, one for every combination of swept values.
//  2. [Catalog.Plan] starts every algorithm on every problem once, to see whether the problem meets its
//     assumptions, and lays out the cells by horizon and replicate: a game plays one algorithm on one
//     stream of rounds; a hindsight solves for the best fixed actions on the same stream, and a moving
//     comparator for the best action of each round.
//  3. Every cell has a [store.Key], the hash of what determines its numbers. It contains the digest of
//     the opening, the first 64 rounds, which are played when the plan is made.
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
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Catalog is what experiments choose from.
type Catalog struct {
	Algorithms []algorithms.Algorithm
	Problems   []problems.Problem
}

// Contender is an algorithm with its parameters.
type Algorithm struct {
	algorithms.Algorithm
	Params any
	Spec   string   // canonical, defaults left out, swept parameters written
	Use    spec.Use // the same as it was written

	bindings
}

// Arena is a problem with its parameters.
type Problem struct {
	problems.Problem
	Params any
	Spec   string // canonical, defaults left out, swept parameters written
	Use    spec.Use

	apart         func(params any, rng *rand.Rand) (problems.Stream, error) // New, if it is combined
	deterministic bool                                                      // once it is planned

	open      map[string]string // the expressions, by parameter; nil once they are bound
	variables []string          // that they name
	played    string            // once they are bound, the SPEC with the numbers
	of        *Problem          // that a plan has bound
}

// One returns the only value that a use of an algorithm or a problem resolves to. It is an
// error if the use sweeps several.
func One[T any](u spec.Use, resolve func(spec.Use) ([]T, error)) (v T, err error) {
	all, err := resolve(u)
	switch {
	case err != nil:
		return v, err
	case len(all) != 1:
		return v, fmt.Errorf("%s: %d values are swept; give one", u.Pos.File, len(all))
	}
	return all[0], nil
}

// Entrants resolves the algorithms and the problems of an experiment, each in the order
// in which they are played. An entry with a label stands in place of the same one of the word
// all. The error names all that cannot be resolved.
func (c Catalog) Resolve(e *spec.Experiment) ([]Algorithm, []Problem, error) {
	var contenders []Algorithm
	var arenas []Problem
	var errs []error
	for _, u := range listed(e.Problems, c.Problems, describeProblem) {
		more, err := c.ResolveProblems(u)
		arenas, errs = append(arenas, more...), append(errs, err)
	}
	for _, u := range c.AlgorithmUses(e) {
		more, err := c.ResolveAlgorithms(u)
		contenders, errs = append(contenders, more...), append(errs, err)
	}
	contenders = labelled(e.Algorithms, contenders, func(a Algorithm) (spec.Use, string) {
		return a.Use, c.AlgorithmSpec(a.Spec)
	})
	arenas = labelled(e.Problems, arenas, func(a Problem) (spec.Use, string) {
		return a.Use, c.ProblemSpec(a.Spec)
	})
	return contenders, arenas, spec.Join(errs...)
}

// AlgorithmUses returns the uses of the algorithms of an experiment, with one for every algorithm in
// place of the word all.
func (c Catalog) AlgorithmUses(e *spec.Experiment) []spec.Use {
	return listed(e.Algorithms, c.Algorithms, describeAlgorithm)
}

// labelled leaves out those of the word all that are listed with a label too.
func labelled[E any](uses []spec.Use, all []E, same func(E) (u spec.Use, spec string)) []E {
	of := make(map[string]bool) // SPECs with a label
	for _, e := range all {
		u, text := same(e)
		of[text] = of[text] || u.Label != ""
	}
	return slices.DeleteFunc(all, func(e E) bool {
		u, text := same(e)
		return u.Label == "" && of[text] && slices.ContainsFunc(uses,
			func(one spec.Use) bool { return one.Name == spec.All && one.Pos == u.Pos })
	})
}

func describeAlgorithm(a algorithms.Algorithm) (name string, defaults any) {
	return a.Name, a.Params
}
func describeProblem(p problems.Problem) (name string, defaults any) { return p.Name, p.Params }

// listed replaces [spec.All] by a use of every entry that has no required
// parameter, in the order of the registry.
func listed[E any](uses []spec.Use, entries []E, describe func(E) (string, any)) (out []spec.Use) {
	for _, u := range uses {
		if u.Name != spec.All {
			out = append(out, u)
			continue
		}
		for _, e := range entries {
			name, defaults := describe(e)
			if !slices.ContainsFunc(spec.Describe(defaults), func(p spec.Param) bool { return p.Required }) {
				out = append(out, spec.Use{Name: name, Pos: u.Pos, Args: u.Args})
			}
		}
	}
	return out
}

// resolve looks u up among the entries of a registry and yields its entry
// with every combination of its parameters.
func resolve[E any](kind string, u spec.Use, entries []E, describe func(E) (string, any),
	yield func(e E, params any, text string, u spec.Use)) error {
	var names []string
	for _, e := range entries {
		name, defaults := describe(e)
		names = append(names, name)
		if name != u.Name {
			continue
		}
		uses, err := u.Expand(defaults)
		if err != nil {
			return err
		}
		swept := u.Swept(defaults)
		for _, u := range uses {
			params, _, err := u.Draft(defaults)
			if err != nil {
				return err
			}
			yield(e, params, u.FormatOpen(params, defaults, swept...), u)
		}
		return nil
	}
	err := spec.Unknown(kind, u.Name, names, u.Pos, "bench list "+kind+"s")
	var unknown *spec.Error
	if errors.As(err, &unknown) {
		unknown.Msg += fmt.Sprintf("; if it is of another program, say so with --external %s=COMMAND",
			u.Name)
		if kind == "algorithm" {
			unknown.Msg += fmt.Sprintf(", or --actions %s=FILE", u.Name)
		}
	}
	return err
}

// AlgorithmSpec returns the SPEC of an algorithm without any default. Tables and records
// write a swept parameter also where it has its default. Two SPECs may therefore name the
// same algorithm: they do if AlgorithmSpec returns the same for both. A SPEC that the
// catalog cannot read is returned as it is.
func (c Catalog) AlgorithmSpec(text string) string {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return text
	}
	return bare(text, u, feedbackSetting, c.Algorithms, describeAlgorithm, wordsOf(u)...)
}

// ProblemSpec is [Catalog.AlgorithmSpec] for problems.
func (c Catalog) ProblemSpec(text string) string {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return text
	}
	return bare(text, u, combineSetting, c.Problems, describeProblem)
}

// bare returns a use without any default, or the text if it cannot be read.
func bare[E any](text string, u spec.Use, s setting, entries []E,
	describe func(E) (string, any), words ...spec.Arg) string {
	params, of := s.split(withoutWords(u))
	chosen, err := of.Apply(s.own)
	if err != nil {
		return text
	}
	for _, e := range entries {
		if name, defaults := describe(e); name == u.Name {
			if draft, _, err := params.Draft(defaults); err == nil {
				return s.write(writeWords(params.FormatOpen(draft, defaults), words), chosen, nil)
			}
		}
	}
	return text
}

// Load reads the data that the parameters refer to, such as a file, and returns its
// fingerprint, or nothing where there is none. From then on all streams of the arena
// reveal what was read.
func (a *Problem) Load() (fingerprint string, err error) {
	params, fingerprint, err := problems.Load(a.Params)
	if err != nil {
		return "", fmt.Errorf("problem %s: %w", a.Spec, err)
	}
	a.Params = params
	return fingerprint, nil
}

// LoadAgain is [Problem.Load] for data that is loaded again elsewhere. What can be loaded only
// once is an error.
func (a *Problem) LoadAgain() (fingerprint string, err error) {
	if err := problems.Lasts(a.Params); err != nil {
		return "", fmt.Errorf("problem %s: %w", a.Spec, err)
	}
	return a.Load()
}

// Open is [Problem.Stream] after [Problem.Load].
func (a *Problem) Open(seed uint64, replicate int) (problems.Stream, error) {
	if _, err := a.Load(); err != nil {
		return nil, err
	}
	return a.Stream(seed, replicate)
}

// Stream starts the stream of a replicate. Its seed is hashed from the experiment's seed,
// the problem's name and the replicate: instances of one problem with different parameters
// draw the same random numbers, and the algorithm has no influence on them. A panic, and a
// [problems.FailedError], is a [game.CrashError]. Whoever starts a stream plays or closes
// it.
func (a Problem) Stream(seed uint64, replicate int) (s problems.Stream, err error) {
	return a.start(rand.New(NewSource(seed, a.Name, replicate, "stream")))
}

// start starts a stream with its random numbers.
func (a Problem) start(rng *rand.Rand) (s problems.Stream, err error) {
	defer func() {
		if v := recover(); v != nil {
			s, err = nil, fmt.Errorf("problem %s: %w", a.Spec, game.Panicked(v))
		}
	}()
	if len(a.open) > 0 {
		return nil, fmt.Errorf("problem %s: its expressions have no values", a.Spec)
	}
	s, err = a.New(a.Params, rng)
	var failed *problems.FailedError
	if errors.As(err, &failed) {
		err = &game.CrashError{Reason: failed.Reason}
	}
	if err != nil {
		return nil, fmt.Errorf("problem %s: %w", a.Spec, err)
	}
	return s, nil
}

// Learner starts the learner of a replicate on a stream. Its expressions have the values of
// the game. A panic, and an [algorithms.FailedError], is a [game.CrashError].
func (c Algorithm) Learner(s problems.Stream, seed uint64, replicate,
	horizon int) (l algorithms.Learner, err error) {
	defer func() {
		if v := recover(); v != nil {
			l, err = nil, fmt.Errorf("algorithm %s: %w", c.Spec, game.Panicked(v))
		}
	}()
	setup := SetupOf(s)
	setup.Horizon, setup.Replicate = horizon, replicate
	setup.Seed = NewSource(seed, c.Name, replicate, "algorithm").Uint64()
	if c, err = c.Bind(Variables(setup)); err != nil {
		return nil, err
	}
	if err := game.AffordLearner(c.Algorithm, setup.Set); err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", c.Spec, err)
	}
	l, err = c.Start(c.Params, setup)
	var failed *algorithms.FailedError
	if errors.As(err, &failed) {
		err = &game.CrashError{Reason: failed.Reason}
	}
	if err != nil {
		return nil, fmt.Errorf("algorithm %s: %w", c.Spec, err)
	}
	return l, nil
}

// setupOf is what a stream tells a learner.
func SetupOf(s problems.Stream) algorithms.Setup {
	return algorithms.Setup{Set: s.Set(), Constraints: s.Constraints(), Facts: s.Facts()}
}

// seedScheme names how seeds are derived; it is part of every identity.
const SeedScheme = "sha256-pcg-1"

// source derives a source of randomness from names.
func NewSource(seed uint64, name string, replicate int, use string) *rand.PCG {
	h := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%d\x00%s", SeedScheme, seed, name,
		replicate, use))
	return rand.NewPCG(binary.BigEndian.Uint64(h[:8]), binary.BigEndian.Uint64(h[8:16]))
}

// DerivedSeed derives a seed for another use. It differs from those of streams and
// learners.
func DerivedSeed(seed uint64, use string) uint64 { return NewSource(seed, "", 0, use).Uint64() }
