package spec

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// YAML returns the experiment as a file that [Parse] reads back: the keys that differ
// from the defaults, and the values of parameters as they were written.
func (e *Experiment) YAML() string {
	fields, v := fieldsOf(e)
	_, d := fieldsOf(Defaults())
	var b strings.Builder
	for _, f := range fields {
		value := v.FieldByIndex(f.index)
		if f.elem == reflect.TypeFor[Use]() {
			if value.Len() > 0 {
				fmt.Fprintf(&b, "%s:\n", f.Name)
			}
			for i := range value.Len() {
				fmt.Fprintf(&b, "  - %s\n", value.Index(i).Interface().(Use))
			}
			continue
		}
		text := f.formatValue(value, quoteYAML)
		if f.Required || text != f.formatValue(d.FieldByIndex(f.index), quoteYAML) {
			fmt.Fprintf(&b, "%s: %s\n", f.Name, text)
		}
	}
	return b.String()
}

// String prints the use as in an experiment file.
func (u Use) String() string {
	if IsWord(u.Name) {
		return u.Name
	}
	text := "{use: " + u.Name
	if u.Label != "" {
		text += ", label: " + strconv.Quote(u.Label)
	}
	if len(u.Args) > 0 {
		text += ", " + argsYAML(u.Args)
	}
	return text + "}"
}

// yaml returns a value as YAML that reads back as the same value.
func (v Value) yaml() string {
	switch v.kind {
	case quoted:
		return strconv.Quote(v.Text)
	case null:
		return "null"
	case list:
		items := make([]string, len(v.Items))
		for i, item := range v.Items {
			items[i] = item.yaml()
		}
		return "[" + strings.Join(items, ", ") + "]"
	case mapping:
		return "{" + argsYAML(v.Args) + "}"
	}
	if plainYAML.MatchString(v.Text) {
		return v.Text
	}
	return quoteYAML(v.Text)
}

// argsYAML prints parameters as members of a mapping.
func argsYAML(args []Arg) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = quoteYAML(a.Key) + ": " + a.Value.yaml()
	}
	return strings.Join(out, ", ")
}

// plainYAML matches scalars that need no quotes within brackets. nameYAML matches
// texts among them, apart from reserved words.
var (
	plainYAML    = regexp.MustCompile(`^[-+]?(\.?[0-9]|[A-Za-z])[A-Za-z0-9._/+-]*$`)
	nameYAML     = regexp.MustCompile(`^[a-z][A-Za-z0-9._/-]*$`)
	reservedYAML = regexp.MustCompile(`(?i)^(null|true|false|yes|no|y|n|on|off|nan|inf|infinity)$`)
)

// quoteYAML returns a text as YAML, in quotes if it needs them. All escapes of Go are escapes of
// YAML.
func quoteYAML(text string) string {
	if nameYAML.MatchString(text) && !reservedYAML.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
