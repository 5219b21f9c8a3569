package experiment

import (
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/experiment/spec"
)

// startOption describes a word that stands in place of the value of a parameter and changes how an
// algorithm starts: x0=random and doubling=warm. It is taken out of the use before the parameters
// are resolved, stands in the SPEC after them, and is recorded as the value of the parameter.
type startOption struct {
	key, text string
	apply     func(algorithms.Algorithm) (algorithms.Algorithm, error)
}

// startOptions lists the start options of algorithms, in the order in which they are applied.
var startOptions = []startOption{
	{"doubling", "warm", algorithms.Algorithm.WithWarmEpochs},
	{"x0", "random", algorithms.Algorithm.WithRandomStart},
}

// startOptionOf returns the start option that an argument sets, or nil if its value is an ordinary
// one.
func (s setting) startOptionOf(a spec.Arg) *startOption {
	k := slices.IndexFunc(s.options, func(o startOption) bool {
		return o.key == a.Key && o.text == strings.TrimSpace(a.Value.Text) && a.Value.Items == nil
	})
	if k < 0 {
		return nil
	}
	return &s.options[k]
}

// startOptionsOf returns the arguments of a use that set start options, in the order of s.options.
func (s setting) startOptionsOf(u spec.Use) (all []spec.Arg) {
	for _, o := range s.options {
		for _, a := range u.Args {
			if option := s.startOptionOf(a); option != nil && option.key == o.key {
				all = append(all, a)
			}
		}
	}
	return all
}

// splitStartOptions returns a use for each value of a list that contains a start option, since
// these are no values of the parameter: doubling=[true,warm] is doubling=[true] and doubling=warm.
func (s setting) splitStartOptions(u spec.Use) []spec.Use {
	for i, a := range u.Args {
		items := a.Value.Items
		isOption := func(v spec.Value) bool {
			return s.startOptionOf(spec.Arg{Key: a.Key, Value: v}) != nil
		}
		if !slices.ContainsFunc(items, isOption) {
			continue
		}
		var all []spec.Use
		for _, item := range items {
			single := u
			single.Args = slices.Clone(u.Args)
			if isOption(item) {
				single.Args[i].Value = item
			} else {
				single.Args[i].Value.Items = []spec.Value{item}
			}
			all = append(all, s.splitStartOptions(single)...)
		}
		return all
	}
	return []spec.Use{u}
}
