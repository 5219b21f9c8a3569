package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ocobench/harness/experiment/spec"
)

// Algorithms and problems get their parameters in the same way. A use names an entry of a registry,
// and its keys are of three kinds:
//
//   - Parameters of the entry. A list of values is swept, and a value may be an expression.
//   - Start options: words in place of the value of a parameter, such as x0=random.
//   - The setting, which is no parameter of any entry: feedback of an algorithm, combine of a
//     problem.
//
// [entryKind.resolveUse] takes them apart and returns an entry with its [Configuration] for every
// combination of values. [Configuration.bindExpressions] later computes the expressions for a game.
// In a SPEC the parameters stand first, then the start options, then the setting.

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
	chosen any
	Configuration
}

// find returns the entry with this name and the defaults of its parameters. ok is false if there is
// none.
func (k entryKind[E]) find(name string, entries []E) (entry E, defaults any, ok bool) {
	for _, e := range entries {
		if known, params := k.describe(e); known == name {
			return e, params, true
		}
	}
	return entry, nil, false
}

// unknown returns the error of a use that names no entry.
func (k entryKind[E]) unknown(u spec.Use, entries []E) error {
	var names []string
	for _, e := range entries {
		name, _ := k.describe(e)
		names = append(names, name)
	}
	err := spec.UnknownEntry(k.name, u.Name, names, u.Pos, "bench list "+k.name+"s")
	if k.name == "algorithm" {
		err.Msg += fmt.Sprintf(", or --actions %s=FILE", u.Name)
	}
	return err
}

// resolveUse looks a use up among the entries of a registry and returns its entry with every
// combination of its start options, setting and parameters: the start options vary slowest, then
// the setting. Faults of the setting and of the parameters are reported together.
func (k entryKind[E]) resolveUse(u spec.Use, entries []E) (out []configured[E], err error) {
	entry, defaults, known := k.find(u.Name, entries)
	for _, split := range k.setting.splitStartOptions(u) {
		params, ownUse := k.setting.splitUse(split)
		settings, settingErr := ownUse.Expand(k.setting.defaultValue)
		if settingErr != nil {
			settings = []spec.Use{{Label: u.Label}}
		}
		for _, setting := range settings {
			params.Label = setting.Label
			uses, err := params.Expand(defaults)
			if !known {
				err = k.unknown(u, entries)
			}
			if err := spec.Join(settingErr, err); err != nil {
				return out, err
			}
			chosen, err := setting.Apply(k.setting.defaultValue)
			if err != nil {
				return out, err
			}
			for _, use := range uses {
				c := configured[E]{entry: entry, chosen: chosen,
					Configuration: Configuration{Use: use, defaults: defaults, setting: k.setting}}
				if c.params, _, err = use.ApplyClosed(defaults); err != nil {
					return out, err
				}
				c.open, c.variables = use.Open(defaults)
				c.Spec = k.setting.appendTo(use.FormatOpen(c.params, defaults, params.Swept(defaults)...),
					split, chosen, ownUse.Swept(k.setting.defaultValue))
				c.Use.Args = slices.Concat(use.Args, k.setting.startOptionsOf(split), setting.Args)
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// canonicalSpec returns a SPEC without any default, or the text if it cannot be read.
func (k entryKind[E]) canonicalSpec(text string, entries []E) string {
	u, err := spec.ParseSpec(text)
	if err != nil {
		return text
	}
	_, defaults, known := k.find(u.Name, entries)
	params, ownUse := k.setting.splitUse(u)
	chosen, settingErr := ownUse.Apply(k.setting.defaultValue)
	applied, _, err := params.ApplyClosed(defaults)
	if !known || settingErr != nil || err != nil {
		return text
	}
	return k.setting.appendTo(params.FormatOpen(applied, defaults), u, chosen, nil)
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
func dropUnlabelled[C interface{ configuration() Configuration }](uses []spec.Use, entries []C,
	canonical func(string) string) []C {
	labelled := make(map[string]bool) // by SPEC
	for _, entry := range entries {
		if c := entry.configuration(); c.Use.Label != "" {
			labelled[canonical(c.Spec)] = true
		}
	}
	return slices.DeleteFunc(entries, func(entry C) bool {
		c := entry.configuration()
		return c.Use.Label == "" && labelled[canonical(c.Spec)] && slices.ContainsFunc(uses,
			func(u spec.Use) bool { return u.Name == spec.All && u.Pos == c.Use.Pos })
	})
}

// configuration returns the part that algorithms and problems have in common.
func (c Configuration) configuration() Configuration { return c }

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

// texts returns the start options and the expressions, by parameter, as they are recorded in place
// of values.
func (c *Configuration) texts() map[string]string {
	texts := make(map[string]string)
	for _, a := range c.setting.startOptionsOf(c.Use) {
		texts[a.Key] = c.setting.startOptionOf(a).text
	}
	maps.Copy(texts, c.open)
	return texts
}
