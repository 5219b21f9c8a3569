// Package spec decodes the input of users, the SPECs of the command line and the
// experiment files, into typed parameters. It refuses everything else, with the
// position, what was expected and a remedy.
//
// # Parameters
//
// An algorithm or a problem declares its parameters as a struct, and the defaults as
// a value of the struct:
//
//	type Params struct {
//		Gamma   float64   `name:"gamma" doc:"penalty weight" min:"0"`
//		Penalty string    `name:"penalty" doc:"what is penalised" enum:"average,per-round"`
//		Center  []float64 `name:"center" doc:"centre of the ball"`
//	}
//
// Every exported field has a name; doc, required:"true", enum (of a text) and
// the bounds min, max (inclusive), above and below (exclusive; of a number, an
// integer or each element of a list) are optional. A field is a bool, a
// string, an integer, a float64, a type with UnmarshalText and MarshalText
// (for unions such as 25 or adaptive; its tag type says what Describe calls
// it), or a list of these. Embedded structs are flattened. A struct may have
// Validate() error for conditions on several fields, and unexported fields without
// a name, which are no parameters. A struct that breaks these rules causes a panic.
//
// # Values
//
// Numbers are decimal and finite: no NaN, no infinity, no hexadecimal, no
// leading zero, no underscore. An integer may have an exponent but no point:
// 1e4 is an integer, 1.5 and 10.0 are not. Booleans are true and false. In an
// experiment file a number is not a text unless it is quoted, and a quoted
// number is not a number. A single value stands for a list of one. A list is
// never empty.
//
// # SPECs
//
// A SPEC is name or name:key=value,key=value. Only the first colon, and the first
// equals sign of each parameter, separate, so that paths may contain both. A value
// that contains a comma or a quote, or begins with a bracket, or begins or ends with
// a space, is written in double quotes, with the escapes of Go. A list is written as
// [1,2,3]. [Format] prints the canonical SPEC, which quotes a text with a bracket anywhere in it.
//
// # Experiments
//
// An experiment file is one YAML mapping with the keys of [Experiment]:
//
//	name: frequency
//	horizon: 10000            # or an increasing list
//	replicates: 30
//	problems:   [{use: decaying-frequency, c: [0.5, 0.6, 0.75]}]     # swept
//	algorithms: [{use: penalised-ftrl, gamma: 25}, {use: primal-dual, step: 5}]
//
// The word all, in place of the list or in it, stands for every problem or
// algorithm of the program that runs the experiment, in the order of its registry
// and with its defaults. A problem with required parameters is not among them.
//
//	algorithms: all
//	algorithms: [all, {use: primal-dual, step: 1}]
//
// The word others in a list stands for those that no other use of the list names.
//
//	algorithms: [{use: mine, step: 0.1}, {use: primal-dual, step: 5}, {use: others}]
//
// A parameter with a list of values is swept. A parameter that is itself a list is
// swept by a list of lists; see [Use.Expand]. Anchors, aliases, merge keys, tags,
// directives, several documents, tabs and repeated keys are refused.
//
// [Parse] and [ParseSpec] do not check names and parameters, since this package does
// not know the registries. The owner of a registry looks the name up, returns
// [Unknown] if it is not there, and decodes the parameters with [Use.Decode].
package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ocobench/internal/input"
)

// Use names an algorithm or a problem, with values of parameters.
type Use struct {
	Name string
	Pos  Pos // of the name
	Args []Arg
	// Label is shown in tables and figures in place of the SPEC, if it is not empty.
	Label string
}

// Arg pairs a parameter with its value.
type Arg struct {
	Key   string
	Pos   Pos // of the key
	Value Value
}

// Value holds a scalar, a list or a mapping as it was written.
type Value struct {
	Pos   Pos
	Text  string  // of a scalar, unquoted
	Items []Value // of a list
	Args  []Arg   // of a mapping

	kind valueKind
}

// valueKind says how a value was written.
type valueKind int

// The kinds before null are scalars.
const (
	bare    valueKind = iota // a scalar of the command line, of the parameter's type
	plain                    // an unquoted scalar of a file: true and 25 are not texts
	quoted                   // a text
	null                     // a key without a value
	list                     // Items
	mapping                  // Args
)

// String describes the value for a message.
func (v Value) String() string {
	switch v.kind {
	case quoted:
		return "the text " + strconv.Quote(shorten(v.Text))
	case null:
		return "no value"
	case list:
		if len(v.Items) == 0 {
			return "an empty list"
		}
		return "a list"
	case mapping:
		return "a mapping"
	}
	return shorten(v.Text)
}

// shorten returns s, or its beginning if it is too long for a message.
func shorten(s string) string { return input.Clip(s, 40) }

// nameSyntax matches names of experiments, algorithms and problems, which are file names too.
var nameSyntax = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// nameRule states, for messages, which texts are names.
const nameRule = " (" + nameCharacters + ")"

const nameCharacters = "a name has the characters a-z, 0-9, '.', '_' and '-', " +
	"a letter or digit first"

// folderRule states, for messages, which names can be folders on every system.
const folderRule = " (expected at most 100 characters, no dot at the end, and not con, nul or " +
	"another device of Windows)"

// experimentFault returns why an experiment cannot have a name, which must also be the name of a
// folder on every system, and the rule that it breaks; or "" if it can.
func experimentFault(name string) (fault, rule string) {
	switch {
	case !nameSyntax.MatchString(name):
		return "is not a name", nameRule
	case len(name) > 100 || strings.HasSuffix(name, ".") || deviceNames.MatchString(name):
		return "cannot name a folder", folderRule
	}
	return "", ""
}

// CheckExperimentName returns an error unless an experiment can have the name.
func CheckExperimentName(name string) error {
	if fault, rule := experimentFault(name); fault != "" {
		return fmt.Errorf("%q %s%s", shorten(name), fault, rule)
	}
	return nil
}

// deviceNames matches the names that Windows has for devices, with any ending.
var deviceNames = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// maxSpec limits the bytes of a SPEC.
const maxSpec = 1 << 16

// CheckName returns an error unless an algorithm or a problem can have the name.
func CheckName(name string) error {
	if u, err := ParseSpec(name); err != nil || u.Name != name || IsWord(name) {
		return fmt.Errorf("%q is not a name (%s, and is not %s or %s)", name, nameCharacters, All, Others)
	}
	return nil
}

// ParseSpec reads a SPEC of the command line, of at most 64 KiB.
func ParseSpec(text string) (Use, error) {
	uses, _, err := parseSpecs(text, "")
	if err != nil {
		return Use{}, err
	}
	return uses[0], nil
}

// ParseSpecs reads one or several SPECs with commas between them, of at most 64 KiB, and returns
// the text of each as well. What follows a comma is a parameter of the SPEC before it if it is
// key=value, and begins the next SPEC if it is a name or a name and a colon.
func ParseSpecs(text string) (uses []Use, texts []string, err error) {
	return parseSpecs(text, ",")
}

// parseSpecs reads SPECs with the separator in between, or one SPEC if that is "", and returns the
// text of each.
func parseSpecs(text, separator string) (uses []Use, texts []string, err error) {
	s := specScanner{text: text, quoted: strconv.Quote(input.Clip(text, 150)), separator: separator}
	if len(text) > maxSpec {
		return nil, nil, Errors{Pos{File: s.quoted}.errorAt("", "more than %d bytes", maxSpec)}
	}
	if !utf8.ValidString(text) {
		return nil, nil, Errors{s.pos().errorAt("", "not valid UTF-8")}
	}
	for more := true; more; {
		start := s.at
		var u Use
		var fault *Error
		if u, more, fault = s.readUse(); fault != nil {
			return nil, nil, Errors{fault}
		}
		uses = append(uses, u)
		texts = append(texts, strings.Trim(text[start:s.at], " ,"))
	}
	return uses, texts, nil
}

// specScanner reads SPECs from left to right.
type specScanner struct {
	text, quoted string
	at           int    // bytes read
	separator    string // the comma between SPECs, or "" if there is only one
}

// pos returns the position of the next character.
func (s *specScanner) pos() Pos {
	return Pos{File: s.quoted, Column: 1 + utf8.RuneCountInString(s.text[:s.at])}
}

// accept reads c if it comes next.
func (s *specScanner) accept(c byte) bool {
	if s.at < len(s.text) && s.text[s.at] == c {
		s.at++
		return true
	}
	return false
}

// readUntil reads up to any of the stops or the end, and trims spaces. It returns the position of
// the first character that is not a space.
func (s *specScanner) readUntil(stops string) (string, Pos) {
	s.skipSpaces()
	pos, rest := s.pos(), s.text[s.at:]
	if i := strings.IndexAny(rest, stops); i >= 0 {
		rest = rest[:i]
	}
	s.at += len(rest)
	return strings.TrimRight(rest, " "), pos
}

// skipSpaces reads spaces.
func (s *specScanner) skipSpaces() {
	for s.accept(' ') {
	}
}

// readUse reads one SPEC, and the comma after it; more reports whether another SPEC follows.
func (s *specScanner) readUse() (u Use, more bool, err *Error) {
	name, pos := s.readUntil(":" + s.separator)
	if name == "" {
		return Use{}, false, pos.errorAt(" (expected name or name:key=value,key=value)", "missing name")
	}
	if !nameSyntax.MatchString(name) {
		return Use{}, false, pos.errorAt(nameRule, "%q is not a name", shorten(name))
	}
	u = Use{Name: name, Pos: pos}
	if !s.accept(':') {
		return u, s.accept(','), nil
	}
	for {
		key, pos := s.readUntil("=,")
		if key == "" {
			return Use{}, false, pos.errorAt(" (expected key=value)", "missing parameter")
		}
		if !s.accept('=') {
			return Use{}, false, pos.errorAt(" (expected "+shorten(key)+"=value)",
				"parameter %q without a value", shorten(key))
		}
		if slices.ContainsFunc(u.Args, func(a Arg) bool { return a.Key == key }) {
			return Use{}, false, pos.errorAt(" (give it once)", "parameter %q given twice", shorten(key))
		}
		v, err := s.readValue(",")
		if err != nil {
			return Use{}, false, err
		}
		u.Args = append(u.Args, Arg{Key: key, Pos: pos, Value: v})
		s.skipSpaces()
		if s.at == len(s.text) {
			return u, false, nil
		}
		if !s.accept(',') {
			return Use{}, false, s.pos().errorAt(" (expected ',' or the end)", "unexpected %q", s.nextRune())
		}
		if s.separator != "" && !s.parameterFollows() {
			return u, true, nil
		}
	}
}

// parameterFollows reports whether key=value comes next.
func (s *specScanner) parameterFollows() bool {
	i := strings.IndexAny(s.text[s.at:], "=:,")
	return i >= 0 && s.text[s.at+i] == '='
}

// nextRune returns the next character.
func (s *specScanner) nextRune() rune {
	r, _ := utf8.DecodeRuneInString(s.text[s.at:])
	return r
}

// readValue reads a quoted text, a list, or any text up to the stops. Elements of lists, whose
// stops are different, are not lists themselves.
func (s *specScanner) readValue(stops string) (Value, *Error) {
	s.skipSpaces()
	pos := s.pos()
	switch {
	case strings.HasPrefix(s.text[s.at:], `"`):
		prefix, err := strconv.QuotedPrefix(s.text[s.at:])
		if err != nil {
			return Value{}, pos.errorAt(` (expected a closing ", and \" and \\ inside)`, "bad quoted value")
		}
		s.at += len(prefix)
		text, _ := strconv.Unquote(prefix)
		return Value{Pos: pos, Text: text, kind: quoted}, nil
	case stops == "," && s.accept('['):
		return s.readList(pos)
	}
	text, pos := s.readUntil(stops)
	if text == "" {
		return Value{}, pos.errorAt(` (an empty text is written "")`, "missing value")
	}
	return Value{Pos: pos, Text: text, kind: bare}, nil
}

// readList reads the rest of a list after its opening bracket.
func (s *specScanner) readList(pos Pos) (Value, *Error) {
	v := Value{Pos: pos, kind: list}
	s.skipSpaces()
	if s.accept(']') {
		return v, nil
	}
	for {
		item, err := s.readValue(",]")
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
		s.skipSpaces()
		if s.accept(']') {
			return v, nil
		}
		if !s.accept(',') {
			return Value{}, pos.errorAt(` (expected [value,value,…])`, "list without its ]")
		}
	}
}

// quoteSpec writes a text so that ParseSpec reads it back.
func quoteSpec(s string) string {
	printable := !strings.ContainsFunc(s,
		func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
	if s != "" && printable && !strings.ContainsAny(s, `,"[]`) && strings.TrimSpace(s) == s {
		return s
	}
	return strconv.Quote(s)
}
