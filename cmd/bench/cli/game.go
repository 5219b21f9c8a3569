package cli

import (
	"context"
	"errors"

	"ocobench/algorithms"
	"ocobench/harness"
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

// play plays it before the observers, and calls begin once it is clear that
// there will be a game.
func (g *game) play(e *env, begin func() error, observers ...harness.Observer) error {
	var l algorithms.Learner
	if g.Contender.Name != "" {
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
	if err != nil && !errors.Is(err, context.Canceled) {
		return &failedError{err}
	}
	return err
}
