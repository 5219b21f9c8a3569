package cli

import (
	"context"
	"errors"
	"fmt"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/spec"
	"ocobench/problems"
)

// game is one game that a verb plays outside of any experiment.
type game struct {
	Contender harness.Contender // none if its Name is empty
	Arena     harness.Arena
	Stream    problems.Stream
	Seed      uint64
	Replicate int
	Horizon   int
}

// game prepares the game of an algorithm, or of none, on the stream.
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

// one resolves a SPEC, which may not sweep.
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

// checkAssumptions refuses a problem that does not meet the algorithm's
// assumptions, or warns of it where they are to be ignored.
func (g *game) checkAssumptions(e *env, ignore bool) error {
	unmet := g.Contender.Unmet(g.Stream.Facts())
	if len(unmet) == 0 {
		return nil
	}
	u := harness.Unmet{Algorithm: g.Contender.Spec, Problem: g.Arena.Spec, Assumptions: unmet}
	if !ignore {
		return fmt.Errorf("%s; to play all the same, say --ignore-assumptions", u)
	}
	fmt.Fprintf(e.stderr, "bench: warning: %s\n", u)
	return nil
}

// play plays it before the observers, and calls begin once it is clear that
// there will be a game.
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
	err := harness.Play(e.ctx, l, g.Stream, g.Horizon, observers...)
	switch {
	case errors.Is(err, context.Canceled):
		return errInterrupted
	case err != nil:
		return &failedError{fmt.Errorf("%s on %s: %w", who, g.Arena.Spec, err)}
	}
	return nil
}
