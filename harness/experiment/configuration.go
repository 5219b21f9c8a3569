package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ocobench/harness/experiment/spec"
)

// Algorithms and problems get their parameters in the same steps:
//
//  1. A use names an entry of a registry and its parameters, of which some may have lists of
//     values. Beside these it may have a setting, which is no parameter of the entry: feedback of
//     an algorithm, and combine of a problem; and start options, which stand in place of a value.
//  2. kind.resolve returns a [Configuration] for every combination of values.
//  3. A parameter may be an expression, whose value [Configuration.bindExpressions] computes for a
//     game.

// Configuration holds how an entry of a registry is used: the part that an [Algorithm] and a
// [Problem] have in common.
type Configuration struct {
	Spec string   // canonical, defaults left out, swept parameters written
	Use  spec.Use // the same as it was written

	defaults any // of the parameters
	setting  setting

	open      map[string]string // the expressions, by parameter; nil once they are bound
	variables []string          // that the expressions name
	played    string            // once they are bound, the SPEC with the numbers
	of        *Configuration    // that a plan has bound
}

// setting describes a key of a use that is no parameter of the entry, with its default, a struct
// of one field. It may be swept, stands in the SPEC after the parameters unless it has its
// default, and is recorded with the parameters where it has not.
type setting struct {
	key     string
	own     any
	options []startOption // of the parameters
}

// splitUse splits a use into that of the entry, without start options, and that of the setting.
func (s setting) splitUse(u spec.Use) (params, of spec.Use) {
	params, of = u, u
	params.Args, of.Args = nil, nil
	for _, a := range u.Args {
		switch {
		case a.Key == s.key:
			of.Args = append(of.Args, a)
		case s.startOptionOf(a) == nil:
			params.Args = append(params.Args, a)
		}
	}
	return params, of
}

// forEachValue resolves the use of an entry with every value of the setting, which is one argument,
// or none where the use does not have it. It also returns the key if it is swept. If the setting is
// at fault, the parameters are looked at all the same.
func (s setting) forEachValue(u spec.Use, resolve func(params spec.Use, chosen []spec.Arg) error) (
	swept []string, err error,
) {
	params, of := s.splitUse(u)
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

// appendTo adds the start options of a use and the setting to a SPEC; the setting unless it is the
// default and not swept.
func (s setting) appendTo(text string, u spec.Use, chosen any, swept []string) string {
	add := func(more string) {
		separator := ","
		if !strings.Contains(text, ":") {
			separator = ":"
		}
		text += separator + more
	}
	for _, a := range s.startOptionsOf(u) {
		add(a.Key + "=" + s.startOptionOf(a).text)
	}
	if _, value, written := strings.Cut(spec.Format(s.key, chosen, s.own, swept...), ":"); written {
		add(value)
	}
	return text
}

// entryKind holds what differs between resolving algorithms and resolving problems.
type entryKind[E any] struct {
	name     string
	describe func(E) (name string, defaults any)
	setting  setting
}

// configured holds an entry with its parameters and a value of the setting.
type configured[E any] struct {
	entry  E
	params any
	Configuration
	chosen any
}

// resolveUse looks a use up among the entries of a registry and returns its entry with every
// combination of its parameters, start options and setting.
func (k entryKind[E]) resolveUse(u spec.Use, entries []E) (out []configured[E], err error) {
	for _, one := range k.setting.splitStartOptions(u) {
		first, options := len(out), k.setting.startOptionsOf(one)
		swept, err := k.setting.forEachValue(one, func(params spec.Use, chosen []spec.Arg) error {
			return k.expandParameters(params, entries, func(c configured[E]) {
				c.Use.Args = slices.Concat(c.Use.Args, options, chosen)
				out = append(out, c)
			})
		})
		if err != nil {
			return out, err
		}
		for i := range out[first:] {
			c := &out[first+i]
			_, of := k.setting.splitUse(c.Use)
			if c.chosen, err = of.Apply(k.setting.own); err != nil {
				return nil, err
			}
			c.Spec = k.setting.appendTo(c.Spec, c.Use, c.chosen, swept)
		}
	}
	return out, nil
}

// expandParameters looks a use of parameters up and yields its entry with every combination of
// their values.
func (k entryKind[E]) expandParameters(u spec.Use, entries []E, yield func(configured[E])) error {
	var names []string
	for _, e := range entries {
		name, defaults := k.describe(e)
		names = append(names, name)
		if name != u.Name {
			continue
		}
		uses, err := u.Expand(defaults)
		if err != nil {
			return err
		}
		swept := u.Swept(defaults)
		for _, u := range uses {
			params, _, err := u.ApplyClosed(defaults)
			if err != nil {
				return err
			}
			c := configured[E]{entry: e, params: params, Configuration: Configuration{Use: u,
				Spec: u.FormatOpen(params, defaults, swept...), defaults: defaults, setting: k.setting}}
			if expressions, variables := u.Open(defaults); len(expressions) > 0 {
				c.open, c.variables = expressions, variables
			}
			yield(c)
		}
		return nil
	}
	err := spec.UnknownEntry(k.name, u.Name, names, u.Pos, "bench list "+k.name+"s")
	if k.name == "algorithm" {
		err.Msg += fmt.Sprintf(", or --actions %s=FILE", u.Name)
	}
	return err
}

// canonicalSpec returns a SPEC without any default, or the text if it cannot be read.
func (k entryKind[E]) canonicalSpec(text string, entries []E) string {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return text
	}
	params, of := k.setting.splitUse(u)
	chosen, err := of.Apply(k.setting.own)
	if err != nil {
		return text
	}
	for _, e := range entries {
		if name, defaults := k.describe(e); name == u.Name {
			if draft, _, err := params.ApplyClosed(defaults); err == nil {
				return k.setting.appendTo(params.FormatOpen(draft, defaults), u, chosen, nil)
			}
		}
	}
	return text
}

// expandAll replaces [spec.All] and [spec.Others] by uses of the entries that they stand for and
// that have no required parameter, in the order of the registry.
func (k entryKind[E]) expandAll(uses []spec.Use, entries []E) (out []spec.Use) {
	for _, u := range uses {
		if !spec.IsWord(u.Name) {
			out = append(out, u)
			continue
		}
		for _, e := range entries {
			name, defaults := k.describe(e)
			if u.Name == spec.Others && slices.ContainsFunc(uses,
				func(other spec.Use) bool { return other.Name == name }) {
				continue
			}
			if !slices.ContainsFunc(spec.Describe(defaults), func(p spec.Param) bool { return p.Required }) {
				out = append(out, spec.Use{Name: name, Pos: u.Pos, Args: u.Args})
			}
		}
	}
	return out
}

// dropUnlabelled leaves out those of the word all that are listed with a label too.
func dropUnlabelled[C any](uses []spec.Use, all []C, configuration func(*C) *Configuration,
	canonical func(string) string) []C {
	labelled := make(map[string]bool) // by SPEC
	for i := range all {
		c := configuration(&all[i])
		text := canonical(c.Spec)
		labelled[text] = labelled[text] || c.Use.Label != ""
	}
	return slices.DeleteFunc(all, func(one C) bool {
		c := configuration(&one)
		return c.Use.Label == "" && labelled[canonical(c.Spec)] && slices.ContainsFunc(uses,
			func(u spec.Use) bool { return u.Name == spec.All && u.Pos == c.Use.Pos })
	})
}

// One returns the only value that a use of an algorithm or a problem resolves to. It is an
// error if the use sweeps several.
func One[T any](u spec.Use, resolve func(spec.Use) ([]T, error)) (v T, err error) {
	all, err := resolve(u)
	switch {
	case err != nil:
		return v, err
	case len(all) != 1:
		return v, fmt.Errorf("%s: %d values are swept; give one", u.Pos.File, len(all))
	}
	return all[0], nil
}

// bindExpressions gives numbers to the expressions and returns the parameters.
func (c *Configuration) bindExpressions(values map[string]float64) (params any, err error) {
	use, of := c.setting.splitUse(c.Use)
	bound, err := use.Bind(c.defaults, values)
	if err != nil {
		return nil, err
	}
	if params, err = bound.Apply(c.defaults); err != nil {
		return nil, err
	}
	chosen, err := of.Apply(c.setting.own)
	if err != nil {
		return nil, err
	}
	c.open = nil
	c.played = c.setting.appendTo(spec.Format(c.Use.Name, params, c.defaults), c.Use, chosen, nil)
	return params, nil
}

// Fixed returns an error if a parameter is an expression.
func (c *Configuration) Fixed() error {
	params, _ := c.setting.splitUse(c.Use)
	_, err := params.Apply(c.defaults)
	return err
}

// PlayedAs returns the SPEC with which a game is started, where expressions have their values.
func (c *Configuration) PlayedAs() string {
	if c.played != "" {
		return c.played
	}
	return c.Spec
}

// listedSpec returns the SPEC with which the experiment lists it, where expressions stand as they
// are.
func (c *Configuration) listedSpec() string {
	if c.of != nil {
		return c.of.Spec
	}
	return c.Spec
}

// resolvedWith prints all parameters, see [spec.Resolved], with expressions and start options as
// texts, and with more members.
func (c *Configuration) resolvedWith(params any, members map[string]any) string {
	for _, a := range c.setting.startOptionsOf(c.Use) {
		members[a.Key] = c.setting.startOptionOf(a).text
	}
	for name, e := range c.open {
		members[name] = e
	}
	text := spec.Resolved(params)
	if len(members) == 0 { // as of most, for each cell of a plan
		return text
	}
	all := make(map[string]json.RawMessage)
	err := json.Unmarshal([]byte(text), &all)
	for name, v := range members {
		if err == nil {
			all[name], err = json.Marshal(v)
		}
	}
	data, more := json.Marshal(all) // in the order of the keys
	if err = errors.Join(err, more); err != nil {
		panic("experiment: " + err.Error())
	}
	return string(data)
}
