package external

import (
	"encoding/json"
	"slices"
	"strings"

	"ocobench/convex/wire"
	"ocobench/harness/game"
	"ocobench/problems"
)

// A problem of another program may declare a comparator. The instance names its set, and the call
// hindsight asks for its action and value after t rounds.

// hindsightKeys lists the members of an answer to hindsight.
var hindsightKeys = []string{"value", "x"}

// readDeclared reads the set over which the problem declares its comparator.
func (s *stream) readDeclared(hasExpectation bool) {
	r := &s.reader
	at := r.At
	if r.Skip("hindsight"); r.Err != nil {
		return
	}
	text := r.Text[at:r.At]
	sets := append(slices.Clone(game.Sets), "xe", problems.OwnSet)
	if json.Unmarshal(text, &s.declaredSet) != nil || !slices.Contains(sets, s.declaredSet) {
		r.Fault(at, "hindsight is %s, expected one of %s", clipAnswer(text), strings.Join(sets, ", "))
	} else if s.declaredSet == "xe" && !hasExpectation {
		r.Fault(at, `hindsight is "xe", and the "expectation" of the constraints is missing`)
	}
}

// DeclaredSet implements [problems.Declarer].
func (s *stream) DeclaredSet() string { return s.declaredSet }

// Hindsight implements [problems.Declarer]. It asks the process.
func (s *stream) Hindsight(t int, action []float64) (value float64, err error) {
	s.call("hindsight", s.program.options.Timeout, func(w *wire.Writer) {
		w.Text(`"t":`)
		w.Int(t)
	}, func() {
		r := &s.reader
		given := r.Object("the answer", hindsightKeys, func(key string) {
			if key == "value" {
				value = r.Number("value")
				return
			}
			copy(action, r.Numbers("x", nil, len(action)))
		})
		r.Require("the answer", given, hindsightKeys, hindsightKeys...)
	})
	return value, s.err
}
