package claims

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/game"
	"ocobench/problems"
)

// Lab starts and plays the games of checks. Several checks may use it at once.
type Lab struct {
	Context context.Context
	Catalog experiment.Catalog
	// Quick asks for fewer repetitions. Verdicts should stay the same.
	Quick bool
	// Experiment returns the analysis of an experiment that comes with the program.
	Experiment func(name string) (*analysis.Analysis, error)
}

// Repeat returns n, the number of repetitions, or a fifth of it, at least 1, if the lab is quick.
func (l *Lab) Repeat(n int) int {
	if l.Quick {
		return max(1, n/5)
	}
	return n
}

// Rand returns a source of random numbers that depends on the name only.
func (l *Lab) Rand(name string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(h.Sum64(), 0))
}

// Stream starts a stream of a problem by its SPEC, with seed 1 as bench play has it.
func (l *Lab) Stream(problem string, replicate int) (problems.Stream, error) {
	p, err := resolveOne(problem, l.Catalog.ResolveProblems)
	if err != nil {
		return nil, err
	}
	return p.Stream(1, replicate)
}

// Learner starts an algorithm, by its SPEC, on a stream, with seed 1 as bench play has it.
func (l *Lab) Learner(algorithm string, s problems.Stream, replicate, horizon int) (
	algorithms.Learner, error) {
	a, err := resolveOne(algorithm, l.Catalog.ResolveAlgorithms)
	if err != nil {
		return nil, err
	}
	return a.Learner(s, 1, replicate, horizon)
}

// Play plays an algorithm on a problem, both by their SPECs, even where the algorithm's assumptions
// are not met. It starts the stream itself; an observer that needs the stream, such as hindsight,
// is made with a second one, from [Lab.Stream].
func (l *Lab) Play(algorithm, problem string, replicate, horizon int,
	observers ...game.Observer) error {
	s, err := l.Stream(problem, replicate)
	if err != nil {
		return err
	}
	if err := l.PlayOn(algorithm, s, replicate, horizon, observers...); err != nil {
		return fmt.Errorf("%s on %s: %w", algorithm, problem, err)
	}
	return nil
}

// PlayOn plays an algorithm, by its SPEC, on a stream that has revealed nothing yet.
func (l *Lab) PlayOn(algorithm string, s problems.Stream, replicate, horizon int,
	observers ...game.Observer) error {
	learner, err := l.Learner(algorithm, s, replicate, horizon)
	if err != nil {
		return err
	}
	return l.PlayLearner(learner, s, horizon, observers...)
}

// PlayLearner plays a learner on a stream, both of which the check has made.
func (l *Lab) PlayLearner(learner algorithms.Learner, s problems.Stream, horizon int,
	observers ...game.Observer) error {
	return game.Play(l.Context, learner, s, horizon, observers...)
}

// resolveOne resolves a SPEC that has one value of each parameter.
func resolveOne[T any](text string, resolve func(spec.Use) ([]T, error)) (v T, err error) {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return v, err
	}
	all, err := resolve(u)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%s has several values of a parameter", text)
	}
	if err != nil {
		return v, err
	}
	return all[0], nil
}
