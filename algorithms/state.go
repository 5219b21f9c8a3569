package algorithms

import "regexp"

// State is a quantity inside a learner, such as its multipliers: one number, or one for each
// constraint.
type State struct {
	Name   string    // see [IsStateName]
	Values []float64 // as many all game long
}

// IsStateName reports whether a text may be the name of a [State]: letters and digits, with _
// between them, such as queue.
func IsStateName(text string) bool { return stateName.MatchString(text) }

var stateName = regexp.MustCompile(`^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$`)

// Stateful is a learner that shows its inner quantities.
type Stateful interface {
	Learner
	// State returns the quantities as they are after the last round that was observed, or before the
	// first one. Their names and lengths stay the same. It changes nothing, and what it returns is
	// valid until the learner observes the next round.
	State() []State
}

// StateOf returns the state of a learner, or nil if it shows none.
func StateOf(l Learner) []State {
	if s, ok := l.(Stateful); ok {
		return s.State()
	}
	return nil
}

// multiplierState returns the state of a learner that weighs the constraints by multipliers.
func multiplierState(lambda ...float64) []State { return []State{{"multiplier", lambda}} }

// queueState returns the state of a learner that weighs the constraints by virtual queues.
func queueState(q ...float64) []State { return []State{{"queue", q}} }
