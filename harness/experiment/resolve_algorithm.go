package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
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

var (
	ownFeedback     = feedback{"first-order"}
	feedbackSetting = setting{feedbackKey, ownFeedback}
)

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
//
// The words x0=random and doubling=warm take the place of a value
// ([algorithms.Algorithm.WithRandomStart], [algorithms.Algorithm.WithWarmEpochs]).
func (c Catalog) ResolveAlgorithms(u spec.Use) (out []Algorithm, err error) {
	for _, one := range variants(u) {
		of, err := c.contenders(withoutWords(one), wordsOf(one))
		if err != nil {
			return out, err
		}
		out = append(out, of...)
	}
	return out, nil
}

// contenders resolves a use without words, to which these belong.
func (c Catalog) contenders(u spec.Use, words []spec.Arg) (out []Algorithm, err error) {
	swept, err := feedbackSetting.each(u, func(params spec.Use, chosen []spec.Arg) error {
		return resolve("algorithm", params, c.Algorithms, describeAlgorithm,
			func(a algorithms.Algorithm, params any, text string, u spec.Use) {
				open := opened(u, a.Params)
				u.Args = slices.Concat(u.Args, words, chosen)
				out = append(out, Algorithm{Algorithm: a, Params: params, Spec: text, Use: u,
					bindings: open})
			})
	})
	if err != nil {
		return out, err
	}
	for k := range out {
		if err := out[k].applyWords(words); err != nil {
			return nil, err
		}
		if err := out[k].setFeedback(swept); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// setFeedback applies the setting of the use, if there is one.
func (c *Algorithm) setFeedback(swept []string) error {
	_, setting := feedbackSetting.split(c.Use)
	if len(setting.Args) == 0 {
		return nil
	}
	two, err := c.WithTwoPoint()
	if err != nil {
		return setting.Args[0].Pos.Refuse(fmt.Errorf("feedback: %w (expected at algorithms of "+
			"first-order feedback, FO, only)", err))
	}
	chosen, err := setting.Apply(ownFeedback)
	if err != nil {
		return err
	}
	if chosen != ownFeedback {
		c.Algorithm = two
	}
	c.Spec = feedbackSetting.write(c.Spec, chosen, swept)
	return nil
}

// Resolved prints all parameters, as [spec.Resolved] does, with expressions as texts, and the
// feedback where it is two-point. Equal contenders of one algorithm have equal bytes.
func (c Algorithm) Resolved() string {
	members := make(map[string]any)
	for _, a := range wordsOf(c.Use) {
		members[a.Key] = wordOf(a).text
	}
	if c.Feedback == algorithms.TwoPoint {
		members[feedbackKey] = algorithms.TwoPoint
	}
	for name, e := range c.open {
		members[name] = e
	}
	return withMembers(spec.Resolved(c.Params), members)
}

// twin reports whether two entrants are one algorithm with the same parameters, the one
// with two-point feedback and the other with first-order feedback.
func (e Entry) IsTwoPointOf(other Entry) bool {
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
func (c Catalog) Registered(e Entry) (algorithms.Algorithm, bool) {
	a, ok := algorithms.Lookup(c.Algorithms, e.Name)
	if ok && string(e.params()[feedbackKey]) == twoPointJSON {
		if two, err := a.WithTwoPoint(); err == nil {
			a = two
		}
	}
	return a, ok
}
