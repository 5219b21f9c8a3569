package external

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/convex/wire"
	"ocobench/internal/input"
	"ocobench/problems/recorded"
)

// learner plays one game by the calls of a process.
type learner struct {
	session
	edit          func(call []byte) []byte // rewrites a call before it is sent, as reorder does
	n             int                      // the dimension
	horizon       int                      // 0 for a learner that is anytime
	nextAction    []float64                // in the round to come; empty if it has to be asked for
	isActionShown bool                     // Act has written the action
	seesForms     bool                     // the learner sees forms
	seesAhead     bool                     // the learner also sees the constraints at the next action
	aheadValues   []float64                // the constraints of the last round at it, if seesAhead
	state         []algorithms.State       // as it was shown last

	writer wire.Writer
}

// Act implements [algorithms.Learner]. A second call in a round asks the process again.
func (l *learner) Act(dst []float64) {
	if l.isActionShown {
		l.nextAction = l.nextAction[:0]
	}
	l.isActionShown = true
	if l.askNextAction(); l.err == nil {
		copy(dst, l.nextAction)
		return
	}
	for i := range dst { // NaN, so that an unnoticed error cannot pass for an action
		dst[i] = math.NaN()
	}
}

// askNextAction asks the process for the next action, unless it is known.
func (l *learner) askNextAction() {
	if l.err == nil && len(l.nextAction) == 0 {
		if l.call("ask", []byte("{}")); l.err == nil && len(l.nextAction) == 0 {
			l.fail(`ask is answered without "x", expected %s`, l.expectedAnswer())
		}
	}
}

// Observe implements [algorithms.Learner].
func (l *learner) Observe(x []float64, r convex.Round) error {
	if l.err != nil {
		return l.err
	}
	l.t++
	l.isActionShown = false
	w := &l.writer
	w.Reset()
	w.Text(`{"t":`)
	w.Int(l.t)
	w.Text(`,"x":`)
	w.Numbers(x)
	w.Text(",")
	recorded.WriteSeen(w, r, x, l.seesForms)
	if l.seesAhead && l.t > 1 {
		w.Text(`,"ahead":`)
		w.Numbers(l.aheadValues)
	}
	w.Text("}")
	if w.Err != nil {
		return fmt.Errorf("the round cannot be told: %w", w.Err)
	}
	l.nextAction = l.nextAction[:0]
	l.call("tell", w.Line)
	// The next action is asked for now, while the functions of the round are still valid.
	if l.seesAhead {
		l.aheadValues = l.aheadValues[:0]
		if l.t == l.horizon { // there is no next action
			return l.err
		}
		l.askNextAction()
		for _, g := range r.Constraints {
			if l.err == nil {
				l.aheadValues = append(l.aheadValues, g.Value(l.nextAction))
			}
		}
	}
	return l.err
}

// State implements [algorithms.Stateful]. It asks the process for the numbers. Before the first
// round they are NaN, and also where the call fails; Err then says why.
func (l *learner) State() []algorithms.State {
	for _, s := range l.state {
		s.Values[0] = math.NaN()
	}
	if l.t == 0 || len(l.state) == 0 || l.err != nil || l.process == nil {
		return l.state
	}
	l.request("state", []byte("{}"), l.program.options.Timeout, func(text []byte) error {
		var answer struct {
			State map[string]*float64 `json:"state"`
		}
		if err := input.JSON(text, &answer); err != nil {
			return err
		}
		for _, s := range l.state {
			v := answer.State[s.Name]
			if v == nil {
				l.fail(`state is answered by %s, without the number %q, which "state" declares`,
					clipAnswer(text), s.Name)
				return nil
			}
			s.Values[0] = *v
		}
		return nil
	})
	return l.state
}

// call calls a method whose result may have the next action.
func (l *learner) call(method string, params []byte) {
	l.record.addCall(method, params)
	l.request(method, l.edit(params), l.program.options.Timeout, func(text []byte) error {
		answer := struct {
			X *numbers `json:"x"`
		}{(*numbers)(&l.nextAction)}
		if err := input.JSON(text, &answer); err != nil {
			return fmt.Errorf("%w; expected %s", err, l.expectedAnswer())
		}
		if answer.X == nil { // "x":null
			l.nextAction = l.nextAction[:0]
		}
		return nil
	})
	if l.err == nil && len(l.nextAction) != 0 && len(l.nextAction) != l.n {
		l.fail("%s is answered by an action with %d numbers, and the domain has %d dimensions", method,
			len(l.nextAction), l.n)
	}
	l.record.addAnswer(l.nextAction)
	if isComparedIn(l.t) {
		l.compare(&l.record, l.t)
	}
}

// expectedAnswer describes an answer that has an action.
func (l *learner) expectedAnswer() string { return fmt.Sprintf(`{"x":[…]} with %d numbers`, l.n) }

// numbers holds a list of numbers that refuses null in JSON, which encoding/json reads as 0.
type numbers []float64

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (x *numbers) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	*x = (*x)[:0]
	if d.PeekKind() != '[' {
		value, err := d.ReadValue()
		return cmp.Or(err, fmt.Errorf("the action is %s", clipAnswer(value)))
	}
	d.ReadToken()
	for d.PeekKind() != ']' {
		item, err := d.ReadValue()
		if err != nil {
			return err
		}
		v, err := strconv.ParseFloat(string(item), 64)
		if err != nil {
			return fmt.Errorf("coordinate %d of the action is %s, no number of 64 bits", len(*x)+1,
				clipAnswer(item))
		}
		*x = append(*x, v)
	}
	_, err := d.ReadToken()
	return err
}
