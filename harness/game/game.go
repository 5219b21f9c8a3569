// Package game plays learners on streams of rounds and measures what they do.
//
//  1. [Play] is the loop: the learner acts, the stream reveals the round, observers see both, and
//     the learner observes the round. [Environment] does the same step by step.
//  2. Recorders are observers that keep rows of numbers at log-spaced [Checkpoints]: [NewTrace] the
//     [Metrics] of the actions, [NewHindsightRecorder] the best fixed actions of every comparator
//     set, each with a certificate, and [NewMovingRecorder] the best action of each round.
//  3. A [Game] joins their tables: regret is the loss of the actions less the best value.
//
// Nothing here knows experiments, seeds or stores.
package game

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/problems"
)

// Observer watches a game. Round is called in every round, after the action was played and
// before the learner sees the round. The action x and the round r are valid during the
// call, and must not be changed. An error ends the game.
type Observer interface {
	Round(t int, x []float64, r *convex.Round) error
}

// Play plays a learner on a stream for horizon rounds, and closes both where they are an
// [io.Closer], however the game ends. A nil learner plays nothing: x is nil, which adaptive streams
// refuse. A panic of a round is an error of the game, a [CrashError]: in a sweep it must not end
// other games.
//
// Of several errors one is returned. A failure of a [problems.Fallible] stream comes first, since
// what fails after it, such as a learner that panics at NaN, is its consequence; then comes what
// ended the rounds; and an error of closing, reported for the last round, comes last.
func Play(ctx context.Context, l algorithms.Learner, s problems.Stream, horizon int,
	observers ...Observer) (err error) {
	defer func() {
		for _, player := range []any{l, s} {
			if closeErr := Close(player); closeErr != nil && err == nil {
				err = fmt.Errorf("round %d: %w", horizon, closeErr)
			}
		}
	}()
	e, err := NewEnvironment(s, horizon, observers...)
	if err != nil {
		return err
	}
	if l == nil && s.Facts().Adaptive {
		// The caller has decided that nobody plays by this fact of the problem with another seed.
		return errors.New("the rounds depend on the actions, and nobody plays; the fact adaptive has " +
			"to be the same for every seed")
	}
	last, err := playRounds(ctx, l, e)
	if e.fallible != nil && e.fallible.Err() != nil {
		return fmt.Errorf("round %d: %w", last, e.fallible.Err())
	}
	return err
}

// playRounds plays all rounds of the environment with a learner, which may be nil. It returns the
// last round that was begun, and the error that ended the rounds before the horizon; a panic is
// such an error.
func playRounds(ctx context.Context, l algorithms.Learner, e *Environment) (t int, err error) {
	t = 1
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("round %d: %w", t, Panicked(p))
		}
	}()
	var x []float64
	if l != nil {
		x = make([]float64, e.set.Dim())
	}
	tolerance := problems.Tolerance(e.set)
	fallibleLearner, _ := l.(algorithms.Fallible)
	counter := counterOf(ctx)
	learned := learnedObservers(e.observers)
	for ; t <= e.horizon; t++ {
		// Progress is published, and cancellation checked, in these rounds only.
		if t < countingStep || t%countingStep == 0 {
			counter.round.Store(int64(t))
			if ctx.Err() != nil {
				return t, ctx.Err()
			}
		}
		if l != nil {
			l.Act(x)
			if fallibleLearner != nil && fallibleLearner.Err() != nil {
				return t, fmt.Errorf("round %d: %w", t, fallibleLearner.Err())
			}
			if !(e.set.Residual(x) <= tolerance) { // also if it is NaN
				return t, fmt.Errorf("round %d: %w", t, e.Check(x))
			}
		}
		round, err := e.Step(x)
		if err != nil {
			return t, fmt.Errorf("round %d: %w", t, err)
		}
		if l != nil {
			if err := l.Observe(x, round); err != nil {
				return t, fmt.Errorf("round %d: %w", t, err)
			}
			for _, o := range learned {
				if err := o.Learned(t); err != nil {
					return t, fmt.Errorf("round %d: %w", t, err)
				}
			}
		}
	}
	return e.horizon, nil
}

// Close closes a learner or a stream that is an [io.Closer], and returns its error. [Play] calls
// it. A learner or stream that is started and not played must be closed by the caller.
func Close(player any) error {
	if c, ok := player.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// isFinite reports whether v is neither infinite nor NaN, for both of which v − v is NaN.
func isFinite(v float64) bool { return v-v == 0 }

// CheckRounds returns an error if the stream ends before the horizon.
func CheckRounds(s problems.Stream, horizon int) error {
	return CheckHorizon(s.Facts().Rounds, horizon)
}

// CheckHorizon returns an error if a problem with this number of rounds, which is 0 if it has no
// end, ends before the horizon.
func CheckHorizon(rounds, horizon int) error {
	if rounds > 0 && horizon > rounds {
		return fmt.Errorf("the problem ends after round %d, before the horizon %d; lower the horizon",
			rounds, horizon)
	}
	return nil
}
