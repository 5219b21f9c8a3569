package cli

import (
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/problems"
)

// game is a game that a verb plays outside of an experiment.
type game struct {
	Contender harness.Contender // no algorithm plays if the Name is empty
	Arena     harness.Arena
	Stream    problems.Stream
	Seed      uint64
	Replicate int
	Horizon   int
}

// game prepares a game on the stream, with an algorithm or without.
func (f *streamFlags) game(e *env, algorithm use) (*game, error) {
	g := &game{Seed: uint64(f.Seed), Replicate: int(f.Replicate), Horizon: int(f.Horizon)}
	var err error
	if g.Arena, err = one("--problem", f.Problem, e.catalog.Arenas); err != nil {
		return nil, err
	}
	if algorithm.Name != "" {
		if g.Contender, err = one("--algorithm", algorithm, e.catalog.Contenders); err != nil {
			return nil, err
		}
	}
	if _, err := g.Arena.Load(); err != nil {
		return nil, err
	}
	g.Stream, err = g.Arena.Stream(g.Seed, g.Replicate)
	return g, err
}

// one resolves a SPEC, and returns an error if it is swept.
func one[T any](flag string, u use, resolve func(spec.Use) ([]T, error)) (v T, err error) {
	all, err := resolve(u.Use)
	switch {
	case err != nil:
		return v, fmt.Errorf("%s: %w", flag, err)
	case len(all) != 1:
		return v, fmt.Errorf("%s: %s: %d values are swept; give one", flag, u.Pos.File, len(all))
	}
	return all[0], nil
}

// checkAssumptions returns an error if the problem does not meet the assumptions of
// the algorithm. If ignore is true, it prints a warning instead.
func (g *game) checkAssumptions(e *env, ignore bool) error {
	unmet := g.Contender.Unmet(g.Stream.Facts())
	if len(unmet) == 0 {
		return nil
	}
	u := harness.Unmet{Algorithm: g.Contender.Spec, Problem: g.Arena.Spec, Assumptions: unmet}
	if !ignore {
		return fmt.Errorf("%s; play nevertheless with --ignore-assumptions", u)
	}
	fmt.Fprintf(e.stderr, "bench: warning: %s\n", u)
	return nil
}

// play plays the game with the observers. It calls begin before the first round, if
// the game can start.
func (g *game) play(e *env, begin func() error, observers ...harness.Observer) error {
	who := "hindsight"
	var l algorithms.Learner
	if g.Contender.Name != "" {
		who = g.Contender.Spec
		var err error
		if l, err = g.Contender.Learner(g.Stream, g.Seed, g.Replicate, g.Horizon); err != nil {
			return err
		}
	}
	if err := harness.CheckRounds(g.Stream, g.Horizon); err != nil {
		return err
	}
	if err := begin(); err != nil {
		return err
	}
	if err := harness.Play(e.ctx, l, g.Stream, g.Horizon, observers...); err != nil {
		return &failedError{fmt.Errorf("%s on %s: %w", who, g.Arena.Spec, err)}
	}
	return nil
}
