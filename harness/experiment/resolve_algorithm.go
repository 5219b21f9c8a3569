package experiment

import (
	"encoding/json"
	"fmt"
	"maps"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
)

// feedbackKey names the key of the use of an algorithm that says what it sees of a round. It is
// no parameter of the algorithm, and no parameter has this name.
const feedbackKey = "feedback"

// twoPointJSON stands for two-point feedback among recorded parameters.
const twoPointJSON = `"` + string(algorithms.TwoPoint) + `"`

// feedbackSetting holds the value of feedbackKey. Its tags describe it as those of parameters do.
type feedbackSetting struct {
	Feedback string `name:"feedback" doc:"first-order: values and subgradients at the action; two-point: two values of each function beside it" enum:"first-order,two-point"`
}

// ownFeedback is the default of the setting: the feedback that the algorithm has by itself.
var ownFeedback = feedbackSetting{"first-order"}

// algorithmKind holds what a use of an algorithm may set: its parameters, feedback, and the words
// of startOptions.
var algorithmKind = entryKind[algorithms.Algorithm]{
	name:     "algorithm",
	describe: func(a algorithms.Algorithm) (string, any) { return a.Name, a.Params },
	setting:  setting{key: feedbackKey, defaultValue: ownFeedback, options: startOptions},
}

// Parameters describes what may be set in the use of an algorithm: its parameters, and
// the feedback where it is a choice.
func Parameters(a algorithms.Algorithm) []spec.Param {
	params := spec.Describe(a.Params)
	if a.Feedback == algorithms.FirstOrder {
		params = append(params, spec.Describe(ownFeedback)...)
	}
	return params
}

// IsOwnFeedback reports whether a parameter is the choice of feedback, at its default.
func IsOwnFeedback(p spec.Param) bool {
	return p.Name == feedbackKey && p.Default == ownFeedback.Feedback
}

// ResolveAlgorithms resolves the use of an algorithm: one, or one for each combination of swept
// parameters.
//
// The key feedback=two-point gives an algorithm of first-order feedback two values of
// each function in its place ([algorithms.Algorithm.WithTwoPoint]). It may be swept.
//
// The words x0=random and doubling=warm take the place of a value
// ([algorithms.Algorithm.WithRandomStart], [algorithms.Algorithm.WithWarmEpochs]).
func (c Catalog) ResolveAlgorithms(u spec.Use) ([]Algorithm, error) {
	all, err := algorithmKind.resolveUse(u, c.Algorithms)
	if err != nil {
		return nil, err
	}
	var out []Algorithm
	for _, r := range all {
		a := Algorithm{Algorithm: r.entry, Params: r.params, Configuration: r.Configuration}
		if err := a.applyStartOptions(); err != nil {
			return nil, err
		}
		if err := a.applyFeedback(r.chosen.(feedbackSetting)); err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// applyStartOptions makes the algorithm start as the words of its use say.
func (a *Algorithm) applyStartOptions() error {
	for _, arg := range a.setting.startOptionsOf(a.Use) {
		changed, err := a.setting.startOptionOf(arg).apply(a.Algorithm)
		if err != nil {
			return arg.Value.Pos.Refuse(fmt.Errorf("%s: %s: %w", arg.Key, arg.Value.Text, err))
		}
		a.Algorithm = changed
	}
	return nil
}

// applyFeedback gives the algorithm the chosen feedback. A use that has the key, with any value, is
// refused if the algorithm has no choice of feedback.
func (a *Algorithm) applyFeedback(chosen feedbackSetting) error {
	_, feedback := a.setting.splitUse(a.Use)
	if len(feedback.Args) == 0 {
		return nil
	}
	two, err := a.WithTwoPoint()
	if err != nil {
		return feedback.Args[0].Pos.Refuse(fmt.Errorf("feedback: %w (expected at algorithms of "+
			"first-order feedback, FO, only)", err))
	}
	if chosen != ownFeedback {
		a.Algorithm = two
	}
	return nil
}

// Resolved prints all parameters, as [spec.Resolved] does, with expressions as texts, and the
// feedback where it is two-point. Two uses of an algorithm are the same if this text is.
func (a Algorithm) Resolved() string {
	texts := a.texts()
	if a.Feedback == algorithms.TwoPoint {
		texts[feedbackKey] = string(algorithms.TwoPoint)
	}
	return spec.Resolved(a.Params, texts)
}

// IsTwoPointOf reports whether two entries are one algorithm with the same parameters, the first
// with two-point feedback and the other with first-order feedback.
func (e Entry) IsTwoPointOf(other Entry) bool {
	params := e.allParams()
	if e.Name != other.Name || string(params[feedbackKey]) != twoPointJSON {
		return false
	}
	params[feedbackKey] = other.allParams()[feedbackKey]
	return string(params[feedbackKey]) != twoPointJSON &&
		maps.EqualFunc(params, other.allParams(),
			func(a, b json.RawMessage) bool { return string(a) == string(b) })
}

// Registered returns the entry of a recorded algorithm, with the feedback that it had.
func (c Catalog) Registered(e Entry) (algorithms.Algorithm, bool) {
	a, ok := algorithms.Lookup(c.Algorithms, e.Name)
	if ok && string(e.allParams()[feedbackKey]) == twoPointJSON {
		if two, err := a.WithTwoPoint(); err == nil {
			a = two
		}
	}
	return a, ok
}
