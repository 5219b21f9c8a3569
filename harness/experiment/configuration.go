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
//  2. [entryKind.resolveUse] returns a [Configuration] for every combination of values.
//  3. A parameter may be an expression, whose value [Configuration.bindExpressions] computes for a
//     game.

// Configuration holds how an entry of a registry is used: the part that an [Algorithm] and a
// [Problem] have in common.
type Configuration struct {
	Spec string   // canonical, defaults left out, swept parameters written
	Use  spec.Use // as it was written

	defaults any // of the parameters
	setting  setting

	open      map[string]string // the expressions, by parameter; nil once they are bound
	variables []string          // the names that the expressions contain, such as T
	played    string            // once expressions are bound, the SPEC with the numbers; or ""
	unbound   *Configuration    // what a plan made this one from, with expressions; nil without any
}

// setting describes the one key of a use that is no parameter of the entry: feedback of an
// algorithm, and combine of a problem. It may be swept. Unless it has its default, it stands in the
// SPEC after the parameters and is recorded with them.
type setting struct {
	key          string
	defaultValue any           // a struct of one field, which a use sets as it sets parameters
	options      []startOption // words that stand in place of a value of a parameter
}

// splitUse splits a use into one with the parameters of the entry, without start options, and
// ownUse, which has only the key of the setting, if it is written.
func (s setting) splitUse(u spec.Use) (params, ownUse spec.Use) {
	params, ownUse = u, u
	params.Args, ownUse.Args = nil, nil
	for _, a := range u.Args {
		switch {
		case a.Key == s.key:
			ownUse.Args = append(ownUse.Args, a)
		case s.startOptionOf(a) == nil:
			params.Args = append(params.Args, a)
		}
	}
	return params, ownUse
}

// forEachValue calls resolve for every value of the setting in a use, with the use of the
// parameters and with the setting as one argument, or none where it is not written. It returns the
// key of the setting if it is swept. If the setting is at fault, resolve is called once all the
// same, so that faults of the parameters are reported with it.
func (s setting) forEachValue(u spec.Use, resolve func(params spec.Use, chosen []spec.Arg) error) (
	swept []string, err error,
) {
	params, ownUse := s.splitUse(u)
	uses, settingErr := ownUse.Expand(s.defaultValue)
	if settingErr != nil {
		uses = []spec.Use{{Label: u.Label}}
	}
	for _, value := range uses {
		params.Label = value.Label
		if err = resolve(params, value.Args); err != nil {
			break // every value gives the same error of the parameters
		}
	}
	return ownUse.Swept(s.defaultValue), spec.Join(settingErr, err)
}

// appendTo returns a SPEC with the start options of a use and the chosen setting appended. The
// setting is left out if it is the default and not swept.
func (s setting) appendTo(text string, u spec.Use, chosen any, swept []string) string {
	add := func(assignment string) {
		separator := ","
		if !strings.Contains(text, ":") {
			separator = ":"
		}
		text += separator + assignment
	}
	for _, a := range s.startOptionsOf(u) {
		add(a.Key + "=" + s.startOptionOf(a).text)
	}
	_, value, written := strings.Cut(spec.Format(s.key, chosen, s.defaultValue, swept...), ":")
	if written {
		add(value)
	}
	return text
}

// entryKind holds what differs between algorithms and problems when uses are resolved and recorded
// entries selected.
type entryKind[E any] struct {
	name     string
	describe func(E) (name string, defaults any)
	setting  setting
}

// configured holds an entry of the registry with its parameters and the chosen value of the
// setting.
type configured[E any] struct {
	entry  E
	params any
	Configuration
	chosen any
}

// resolveUse looks a use up among the entries of a registry and returns its entry with every
// combination of its parameters, start options and setting.
func (k entryKind[E]) resolveUse(u spec.Use, entries []E) (out []configured[E], err error) {
	for _, split := range k.setting.splitStartOptions(u) {
		first, options := len(out), k.setting.startOptionsOf(split)
		swept, err := k.setting.forEachValue(split, func(params spec.Use, chosen []spec.Arg) error {
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
			_, ownUse := k.setting.splitUse(c.Use)
			if c.chosen, err = ownUse.Apply(k.setting.defaultValue); err != nil {
				return nil, err
			}
			c.Spec = k.setting.appendTo(c.Spec, c.Use, c.chosen, swept)
		}
	}
	return out, nil
}

// expandParameters looks up the entry that a use names, and yields it with every combination of the
// values of its parameters.
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
	params, ownUse := k.setting.splitUse(u)
	chosen, err := ownUse.Apply(k.setting.defaultValue)
	if err != nil {
		return text
	}
	for _, e := range entries {
		if name, defaults := k.describe(e); name == u.Name {
			if applied, _, err := params.ApplyClosed(defaults); err == nil {
				return k.setting.appendTo(params.FormatOpen(applied, defaults), u, chosen, nil)
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

// dropUnlabelled removes the entries that the word all brought in and that the experiment also
// lists with a label, so that there is one of each, with the label.
func dropUnlabelled[C any](uses []spec.Use, entries []C, configuration func(*C) *Configuration,
	canonical func(string) string) []C {
	labelled := make(map[string]bool) // by SPEC
	for i := range entries {
		c := configuration(&entries[i])
		text := canonical(c.Spec)
		labelled[text] = labelled[text] || c.Use.Label != ""
	}
	return slices.DeleteFunc(entries, func(entry C) bool {
		c := configuration(&entry)
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
		return v, sweptError(u, len(all))
	}
	return all[0], nil
}

// sweptError returns the error of a use that sweeps n values where only one may stand.
func sweptError(u spec.Use, n int) error {
	return fmt.Errorf("%s: %d values are swept; give one", u.Pos.File, n)
}

// bindExpressions computes the expressions for these values of their variables. It returns the
// parameters with the numbers, and sets the SPEC that a game is played with.
func (c *Configuration) bindExpressions(values map[string]float64) (params any, err error) {
	use, ownUse := c.setting.splitUse(c.Use)
	bound, err := use.Bind(c.defaults, values)
	if err != nil {
		return nil, err
	}
	if params, err = bound.Apply(c.defaults); err != nil {
		return nil, err
	}
	chosen, err := ownUse.Apply(c.setting.defaultValue)
	if err != nil {
		return nil, err
	}
	c.open = nil
	c.played = c.setting.appendTo(spec.Format(c.Use.Name, params, c.defaults), c.Use, chosen, nil)
	return params, nil
}

// Fixed returns an error, with the place, if a parameter is an expression.
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

// listedSpec returns the SPEC that the experiment lists, in which expressions stand as written.
func (c *Configuration) listedSpec() string {
	if c.unbound != nil {
		return c.unbound.Spec
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
	if len(members) == 0 { // the usual case, for which no JSON is parsed
		return text
	}
	all := make(map[string]json.RawMessage)
	err := json.Unmarshal([]byte(text), &all)
	for name, v := range members {
		if err == nil {
			all[name], err = json.Marshal(v)
		}
	}
	data, marshalErr := json.Marshal(all) // in the order of the keys
	if err = errors.Join(err, marshalErr); err != nil {
		panic("experiment: " + err.Error())
	}
	return string(data)
}
