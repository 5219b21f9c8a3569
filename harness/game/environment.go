package game

import (
	"fmt"

	"ocobench/convex"
	"ocobench/problems"
)

// Environment plays the rounds of a stream one by one, with actions that the caller gives. [Play]
// plays it with a learner.
type Environment struct {
	stream    problems.Stream
	fallible  problems.Fallible // the stream, or nil
	set       convex.Set
	horizon   int
	played    int
	observers []Observer
}

// NewEnvironment returns the environment before its first round. It is an error if the
// stream ends before the horizon.
func NewEnvironment(s problems.Stream, horizon int, observers ...Observer) (*Environment, error) {
	if err := CheckRounds(s, horizon); err != nil {
		return nil, err
	}
	fallible, _ := s.(problems.Fallible)
	return &Environment{stream: s, fallible: fallible, set: s.Set(), horizon: horizon,
		observers: observers}, nil
}

// Close closes the stream, if it is an [io.Closer].
func (e *Environment) Close() { Close(e.stream) }

// Horizon returns the number of rounds that the environment plays.
func (e *Environment) Horizon() int { return e.horizon }

// Played returns the number of rounds so far.
func (e *Environment) Played() int { return e.played }

// Check returns an error if x is not an action of the domain; see [problems.CheckAction].
func (e *Environment) Check(x []float64) error { return problems.CheckAction(e.set, x) }

// Step plays the next round with an action that [Environment.Check] accepts, or with
// nil, which only adaptive streams refuse. It shows the round to the observers, and returns it; it
// is valid until the next call. It is an error to step after the horizon.
func (e *Environment) Step(x []float64) (convex.Round, error) {
	if e.played >= e.horizon {
		return convex.Round{}, fmt.Errorf("the game is over after round %d", e.horizon)
	}
	e.played++
	round := e.stream.Reveal(e.played, x)
	if e.fallible != nil && e.fallible.Err() != nil {
		return *round, e.fallible.Err()
	}
	for _, o := range e.observers {
		if err := o.Round(e.played, x, round); err != nil {
			return *round, err
		}
	}
	return *round, nil
}
