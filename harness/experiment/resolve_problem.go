package experiment

import (
	"encoding/json"
	"slices"
	"strings"

	"ocobench/harness/experiment/spec"
	"ocobench/problems"
)

// Some keys of a use are no parameters of its entry: feedback of an algorithm, and combine of a
// problem. They may be swept, stand in the SPEC after the parameters unless they have their
// defaults, and are recorded with the parameters where they have not.

// setting is such a key with its default, a struct of one field.
type setting struct {
	key string
	own any
}

// split splits a use into that of the entry and that of the setting.
func (s setting) split(u spec.Use) (params, of spec.Use) {
	params, of = u, u
	params.Args, of.Args = nil, nil
	for _, a := range u.Args {
		if a.Key == s.key {
			of.Args = append(of.Args, a)
		} else {
			params.Args = append(params.Args, a)
		}
	}
	return params, of
}

// each resolves the use of an entry with every value of the setting, which is one argument, or
// none where the use does not say it. It also returns the key if it is swept. If the setting is
// at fault, the parameters are looked at all the same.
func (s setting) each(u spec.Use, resolve func(params spec.Use, chosen []spec.Arg) error) (
	swept []string, err error,
) {
	params, of := s.split(u)
	uses, settingErr := of.Expand(s.own)
	if settingErr != nil {
		uses = []spec.Use{{Label: u.Label}}
	}
	for _, one := range uses {
		params.Label = one.Label
		if err = resolve(params, one.Args); err != nil {
			break // the others have the same error
		}
	}
	return of.Swept(s.own), spec.Join(settingErr, err)
}

// write adds the setting to a SPEC, unless it is the default and not swept.
func (s setting) write(text string, chosen any, swept []string) string {
	_, value, written := strings.Cut(spec.Format(s.key, chosen, s.own, swept...), ":")
	switch {
	case !written:
		return text
	case strings.Contains(text, ":"):
		return text + "," + value
	}
	return text + ":" + value
}

// withMembers adds members to an object of JSON.
func withMembers(text string, more map[string]any) string {
	if len(more) == 0 { // as of most, for each cell of a plan
		return text
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		panic("harness: " + err.Error())
	}
	for name, v := range more {
		data, err := json.Marshal(v)
		if err != nil {
			panic("harness: " + err.Error())
		}
		members[name] = data
	}
	data, err := json.Marshal(members) // in the order of the keys
	if err != nil {
		panic("harness: " + err.Error())
	}
	return string(data)
}

// combineKey is the key of the use of a problem that makes one constraint of all.
const combineKey = "combine"

// combination is the setting of a problem.
type combination struct {
	Combine string `name:"combine" doc:"none: m constraints; max: one, the largest of them, max_j g_{t,j}(x) ≤ 0" enum:"none,max"`
}

var (
	ownCombination = combination{"none"}
	combineSetting = setting{combineKey, ownCombination}
)

// ProblemParameters describes what may be set in the use of a problem: its parameters, and
// whether its constraints are combined.
func ProblemParameters(p problems.Problem) []spec.Param {
	return append(spec.Describe(p.Params), spec.Describe(ownCombination)...)
}

// Arenas resolves the use of a problem, like [Catalog.ResolveAlgorithms]. Expressions in its parameters
// have their values from [Problem.Bind].
//
// The key combine=max makes one constraint of all, whoever plays and whatever is computed of the
// rounds ([problems.Problem.Combined]). It may be swept.
func (c Catalog) ResolveProblems(u spec.Use) (out []Problem, err error) {
	swept, err := combineSetting.each(u, func(params spec.Use, chosen []spec.Arg) error {
		return resolve("problem", params, c.Problems, describeProblem,
			func(p problems.Problem, params any, text string, u spec.Use) {
				a := Problem{Problem: p, Params: params, Spec: text}
				if open, variables := u.Open(p.Params); len(open) > 0 {
					a.open, a.variables = open, variables
				}
				u.Args = append(slices.Clip(u.Args), chosen...)
				a.Use = u
				out = append(out, a)
			})
	})
	if err != nil {
		return out, err
	}
	for k := range out {
		if err := out[k].combine(swept); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// combine applies the setting of the use, if there is one.
func (a *Problem) combine(swept []string) error {
	_, setting := combineSetting.split(a.Use)
	chosen, err := setting.Apply(ownCombination)
	if err != nil {
		return err
	}
	if chosen != ownCombination {
		a.apart, a.Problem = a.Problem.New, a.Problem.Combined()
	}
	a.Spec = combineSetting.write(a.Spec, chosen, swept)
	return nil
}

// Resolved prints all parameters, see [spec.Resolved], with expressions as texts, and that
// constraints are combined where they are.
func (a Problem) Resolved() string {
	members := make(map[string]any)
	for name, e := range a.open {
		members[name] = e
	}
	if a.apart != nil {
		members[combineKey] = "max"
	}
	return withMembers(spec.Resolved(a.Params), members)
}
