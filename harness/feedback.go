package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/spec"
)

// feedbackKey is the key of the use of an algorithm that says what it sees of a round.
// It is no parameter of the algorithm, and no parameter has this name.
const feedbackKey = "feedback"

// twoPointJSON is two-point feedback among recorded parameters.
const twoPointJSON = `"` + string(algorithms.TwoPoint) + `"`

// feedback is the setting of an algorithm of first-order feedback.
type feedback struct {
	Feedback string `name:"feedback" doc:"first-order: values and subgradients at the action; two-point: two values of each function beside it" enum:"first-order,two-point"`
}

var ownFeedback = feedback{"first-order"}

// Parameters describes what may be set in the use of an algorithm: its parameters, and
// the feedback where it is a choice.
func Parameters(a algorithms.Algorithm) []spec.Param {
	params := spec.Describe(a.Params)
	if a.Feedback == algorithms.FirstOrder {
		params = append(params, spec.Describe(ownFeedback)...)
	}
	return params
}

// Contenders resolves the use of an algorithm: one contender, or one for each
// combination of swept parameters.
//
// The key feedback=two-point gives an algorithm of first-order feedback two values of
// each function in its place ([algorithms.Algorithm.WithTwoPoint]). It may be swept.
func (c Catalog) Contenders(u spec.Use) (out []Contender, err error) {
	params, setting := splitFeedback(u)
	uses, settingErr := setting.Expand(ownFeedback)
	if settingErr != nil {
		uses = []spec.Use{{Label: u.Label}} // finds the faults of the parameters
	}
	swept := setting.Swept(ownFeedback)
	for _, s := range uses {
		params.Label = s.Label
		err = resolve("algorithm", params, c.Algorithms, describeAlgorithm,
			func(a algorithms.Algorithm, params any, text string, u spec.Use) {
				u.Args = append(slices.Clip(u.Args), s.Args...)
				out = append(out, Contender{Algorithm: a, Params: params, Spec: text, Use: u,
					bindings: opened(u, a.Params)})
			})
		if err != nil {
			break // the others have the same error
		}
	}
	if err := spec.Join(settingErr, err); err != nil || len(setting.Args) == 0 {
		return out, err
	}
	for k := range out {
		if err := out[k].setFeedback(setting.Args[0], swept); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// splitFeedback splits a use into that of the algorithm and that of the setting.
func splitFeedback(u spec.Use) (params, setting spec.Use) {
	params, setting = u, u
	params.Args, setting.Args = nil, nil
	for _, a := range u.Args {
		if a.Key == feedbackKey {
			setting.Args = append(setting.Args, a)
		} else {
			params.Args = append(params.Args, a)
		}
	}
	return params, setting
}

// setFeedback applies the setting that is the last of the arguments of the use.
func (c *Contender) setFeedback(given spec.Arg, swept []string) error {
	two, err := c.WithTwoPoint()
	if err != nil {
		return given.Pos.Refuse(fmt.Errorf("feedback: %w (expected at algorithms of first-order "+
			"feedback, FO, only)", err))
	}
	_, setting := splitFeedback(c.Use)
	chosen, err := setting.Apply(ownFeedback)
	if err != nil {
		return err
	}
	if chosen != ownFeedback {
		c.Algorithm = two
	}
	c.Spec = withFeedback(c.Spec, chosen, swept)
	return nil
}

// withFeedback adds a setting to a SPEC, unless it is the default and not swept.
func withFeedback(text string, chosen any, swept []string) string {
	_, setting, written := strings.Cut(spec.Format(feedbackKey, chosen, ownFeedback, swept...), ":")
	switch {
	case !written:
		return text
	case strings.Contains(text, ":"):
		return text + "," + setting
	}
	return text + ":" + setting
}

// Resolved prints all parameters, as [spec.Resolved] does, with expressions as texts, and the
// feedback where it is two-point. Equal contenders of one algorithm have equal bytes.
func (c Contender) Resolved() string {
	text := spec.Resolved(c.Params)
	if c.Feedback != algorithms.TwoPoint && len(c.open) == 0 {
		return text
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		panic("harness: " + err.Error())
	}
	if c.Feedback == algorithms.TwoPoint {
		members[feedbackKey] = json.RawMessage(twoPointJSON)
	}
	for name, e := range c.open {
		quoted, err := json.Marshal(e)
		if err != nil {
			panic("harness: " + err.Error())
		}
		members[name] = quoted
	}
	data, err := json.Marshal(members) // in the order of the keys
	if err != nil {
		panic("harness: " + err.Error())
	}
	return string(data)
}

// twin reports whether two entrants are one algorithm with the same parameters, the one
// with two-point feedback and the other with first-order feedback.
func (e Entrant) twin(other Entrant) bool {
	params := e.params()
	if e.Name != other.Name || string(params[feedbackKey]) != twoPointJSON {
		return false
	}
	params[feedbackKey] = other.params()[feedbackKey]
	return string(params[feedbackKey]) != twoPointJSON &&
		maps.EqualFunc(params, other.params(),
			func(a, b json.RawMessage) bool { return string(a) == string(b) })
}

// Registered returns the entry of a recorded algorithm, with the feedback that it had.
func (c Catalog) Registered(e Entrant) (algorithms.Algorithm, bool) {
	a, ok := algorithms.Lookup(c.Algorithms, e.Name)
	if ok && string(e.params()[feedbackKey]) == twoPointJSON {
		if two, err := a.WithTwoPoint(); err == nil {
			a = two
		}
	}
	return a, ok
}
