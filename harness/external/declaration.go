package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/internal/input"
)

// declaration holds what a program says of itself in answer to initialize. Only the protocol and
// the name are required.
type declaration struct {
	Protocol   int                 `json:"protocol"`
	Role       string              `json:"role"`
	Name       string              `json:"name"`
	Version    int                 `json:"version"`
	Doc        string              `json:"doc"`
	Reference  string              `json:"reference"`
	Title      string              `json:"title"`
	Definition []string            `json:"definition"` // sentences with formulas between dollar signs
	Feedback   algorithms.Feedback `json:"feedback"`
	Terms      bool                `json:"terms"`
	Packed     bool                `json:"packed"`
	Anytime    bool                `json:"anytime"`
	Draws      bool                `json:"draws"`
	Parameters []parameter         `json:"parameters"`
	Claims     []struct {
		Metric   algorithms.Metric `json:"metric"`
		Exponent float64           `json:"exponent"`
		Log      float64           `json:"log"`
		Note     string            `json:"note"`
		Bound    string            `json:"bound"`
		Expected bool              `json:"expected"`
	} `json:"claims"`
	Assumes []string `json:"assumes"`
	State   []string `json:"state"` // names of what it shows of itself

	Instance jsontext.Value `json:"instance"`
	// Unknown holds the members that the protocol does not have. They are only compared with those
	// of other processes of the program.
	Unknown map[string]any `json:",unknown"`

	// Set by check:
	params  any
	claims  []algorithms.Claim
	assumes []algorithms.Assumption
}

// parameter describes a declared parameter. One without a default is required.
type parameter struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Default json.RawMessage `json:"default"`
	Doc     string          `json:"doc"`
	Min     *float64        `json:"min"`
	Above   *float64        `json:"above"`
	Max     *float64        `json:"max"`
	Below   *float64        `json:"below"`
	Enum    []string        `json:"enum"`
}

// decodeDeclaration decodes the answer to initialize: a declaration, which check has to interpret,
// and the instance of a problem, nil if there is none.
func decodeDeclaration(result []byte) (d declaration, instance jsontext.Value, err error) {
	d = declaration{Role: learnerRole, Version: 1, Feedback: algorithms.FirstOrder}
	if err = input.JSON(result, &d); err != nil {
		err = fmt.Errorf("initialize is answered by %s: %w", clipAnswer(result), err)
	}
	instance, d.Instance = d.Instance, nil
	return d, instance, err
}

// The roles of programs.
const (
	learnerRole = "learner"
	problemRole = "problem"
)

// feedbackClasses lists the feedback that a program may declare.
var feedbackClasses = []algorithms.Feedback{
	algorithms.FirstOrder, algorithms.FirstOrderPlus, algorithms.FullInfo,
}

// maxDeclared limits the parameters, the claims, the assumptions, and the values of an enum that a
// program may declare.
const maxDeclared = 1000

// check interprets the declaration, and returns an error if it is incomplete or contradicts itself.
func (d *declaration) check() (err error) {
	for _, list := range []struct {
		key   string
		count int
	}{{"parameters", len(d.Parameters)}, {"claims", len(d.Claims)}, {"assumes", len(d.Assumes)},
		{"state", len(d.State)}, {"definition", len(d.Definition)}} {
		if list.count > maxDeclared {
			return fmt.Errorf("%q has %d elements, expected at most %d", list.key, list.count, maxDeclared)
		}
	}
	switch {
	case d.Protocol != Protocol:
		return fmt.Errorf(`"protocol" is %d, and this program speaks %d`, d.Protocol, Protocol)
	case d.Name == "":
		return errors.New(`"name" is missing`)
	case d.Role != learnerRole && d.Role != problemRole:
		return fmt.Errorf(`unknown "role" %q (expected %s or %s)`, d.Role, learnerRole, problemRole)
	case d.Version < 0:
		return fmt.Errorf(`"version" is %d (expected an integer ≥ 0)`, d.Version)
	case d.Role == learnerRole && !slices.Contains(feedbackClasses, d.Feedback):
		return fmt.Errorf(`unknown "feedback" %q (expected FO, FO+ or FI)`, d.Feedback)
	}
	for _, text := range []*string{&d.Name, &d.Title, &d.Doc, &d.Reference} {
		*text = oneLine(*text)
	}
	d.Definition = slices.Clone(d.Definition) // [Program.firstAnswer] has the same slice
	for k, sentence := range d.Definition {
		if strings.Count(sentence, "$")%2 != 0 {
			return fmt.Errorf(`"definition" has a dollar sign without its second: %q`, oneLine(sentence))
		}
		d.Definition[k] = oneLine(sentence)
	}
	if d.params, err = structOf(d.Parameters); err != nil {
		return err
	}
	if d.Role == problemRole { // the rest is for learners
		return nil
	}
	for k, name := range d.State {
		switch {
		case !algorithms.IsStateName(name):
			return fmt.Errorf(`%q of "state" is no name (a name has letters and digits, and '_' between `+
				`them)`, name)
		case slices.Contains(d.State[:k], name):
			return fmt.Errorf(`"state" has %q twice`, name)
		}
	}
	if d.claims, err = d.claimsAt(d.params); err != nil {
		return err
	}
	for _, kind := range [][]algorithms.Metric{
		algorithms.Regrets, algorithms.DynamicRegrets, algorithms.Violations,
	} {
		claimed := slices.DeleteFunc(slices.Clone(d.claims),
			func(c algorithms.Claim) bool { return !slices.Contains(kind, c.Metric) })
		if len(claimed) > 1 {
			return fmt.Errorf("claims about %s and about %s, and there may be one about a regret, one "+
				"about the dynamic regret and one about a violation", claimed[0].Metric, claimed[1].Metric)
		}
	}
	for _, words := range d.Assumes {
		k := slices.IndexFunc(algorithms.Assumptions,
			func(a algorithms.Assumption) bool { return a.Name == words })
		if k >= 0 {
			d.assumes = append(d.assumes, algorithms.Assumptions[k])
		} else {
			d.assumes = append(d.assumes, algorithms.Undecided(oneLine(words)))
		}
	}
	whole := algorithms.WholeFunctions // with full information the protocol sends functions as forms
	if d.Feedback == algorithms.FullInfo && !slices.Contains(d.Assumes, whole.Name) {
		d.assumes = append(d.assumes, whole)
	}
	return nil
}

// claimsAt returns the claims with their bounds at the given parameters.
func (d *declaration) claimsAt(params any) (claims []algorithms.Claim, err error) {
	numbers := make(map[string]float64)
	for i, p := range d.Parameters {
		if v := reflect.ValueOf(params).Field(i); v.CanFloat() {
			numbers[p.Name] = v.Float()
		} else if v.CanInt() {
			numbers[p.Name] = float64(v.Int())
		}
	}
	for _, c := range d.Claims {
		if !slices.Contains(claimableMetrics(), string(c.Metric)) {
			return nil, fmt.Errorf("a claim about the unknown metric %q (metrics: %s)", c.Metric,
				strings.Join(claimableMetrics(), ", "))
		}
		claim := algorithms.Claim{
			Metric: c.Metric, Exponent: c.Exponent, Log: c.Log, Note: oneLine(c.Note),
			Expected: c.Expected, Formula: oneLine(c.Bound),
		}
		if claim.Formula == "" {
			claim.NoBound = "the program declares none"
		} else if claim.Bound, err = experiment.ReadBound(claim.Formula, numbers); err != nil {
			return nil, fmt.Errorf("the bound of %s: %w", c.Metric, err)
		}
		claims = append(claims, claim)
	}
	return claims, nil
}

// oneLine returns a text on one line, without characters that a terminal might interpret.
func oneLine(text string) string { return input.Message(strings.Join(strings.Fields(text), " ")) }

// claimableMetrics returns the names of the metrics that a claim may be about.
func claimableMetrics() (names []string) {
	for _, m := range slices.Concat(algorithms.Regrets, algorithms.DynamicRegrets,
		algorithms.Violations) {
		names = append(names, string(m))
	}
	return names
}

// parameterTypes maps the types of parameters in the protocol to those of Go.
var parameterTypes = map[string]reflect.Type{
	"number":  reflect.TypeFor[float64](),
	"integer": reflect.TypeFor[int64](),
	"boolean": reflect.TypeFor[bool](),
	"string":  reflect.TypeFor[string](),
	"numbers": reflect.TypeFor[[]float64](),
}

// parameterName matches names of parameters of other programs.
var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)

// structOf returns a struct with a field for each parameter, set to its default and with the tags
// that package spec reads. It is nil if there are no parameters.
func structOf(params []parameter) (any, error) {
	var fields []reflect.StructField
	values := make([]reflect.Value, len(params))
	for i, p := range params {
		t := parameterTypes[p.Type]
		switch {
		case !parameterName.MatchString(p.Name) ||
			slices.Contains([]string{"use", "label", "feedback", "combine"}, p.Name):
			return nil, fmt.Errorf("%q is not the name of a parameter (a name has letters, digits, '.', "+
				"'_' and '-', a letter first, and is none of use, label, feedback and combine)", p.Name)
		case slices.ContainsFunc(params[:i], func(q parameter) bool { return q.Name == p.Name }):
			return nil, fmt.Errorf("two parameters %q", p.Name)
		case t == nil:
			return nil, fmt.Errorf("parameter %s has the unknown type %q (expected number, integer, "+
				"boolean, string or numbers)", p.Name, p.Type)
		}
		tag, err := p.structTag()
		if err == nil {
			values[i], err = p.defaultValue(t)
		}
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", p.Name, err)
		}
		fields = append(fields, reflect.StructField{Name: "P" + strconv.Itoa(i), Type: t, Tag: tag})
	}
	if fields == nil {
		return nil, nil
	}
	s := reflect.New(reflect.StructOf(fields)).Elem()
	for i, v := range values {
		s.Field(i).Set(v)
	}
	return s.Interface(), nil
}

// isRequired reports whether a parameter has no default, and must be given.
func (p *parameter) isRequired() bool { return p.Default == nil || string(p.Default) == "null" }

// structTag returns the tag of the field of the parameter, as package spec reads it.
func (p *parameter) structTag() (reflect.StructTag, error) {
	tag := fmt.Sprintf("name:%q doc:%q", p.Name, oneLine(p.Doc))
	if p.isRequired() {
		tag += ` required:"true"`
	}
	for _, bound := range []struct {
		name string
		at   *float64
	}{{"min", p.Min}, {"above", p.Above}, {"max", p.Max}, {"below", p.Below}} {
		if bound.at == nil {
			continue
		}
		if p.Type == "boolean" || p.Type == "string" {
			return "", fmt.Errorf("%q is of numbers", bound.name)
		}
		text, err := json.Marshal(*bound.at)
		if err != nil {
			return "", err
		}
		tag += fmt.Sprintf(" %s:%q", bound.name, text)
	}
	if p.Enum != nil {
		if p.Type != "string" || len(p.Enum) == 0 || len(p.Enum) > maxDeclared ||
			slices.ContainsFunc(p.Enum, func(v string) bool {
				return v == "" || strings.Contains(v, ",") || !utf8.ValidString(v)
			}) {
			return "", errors.New(`"enum" is a list of strings, at most 1000, of a parameter ` +
				`that is a string, without commas`)
		}
		tag += fmt.Sprintf(" enum:%q", strings.Join(p.Enum, ","))
	}
	return reflect.StructTag(tag), nil
}

// defaultValue returns the default of the parameter as a value of its type.
func (p *parameter) defaultValue(t reflect.Type) (reflect.Value, error) {
	v := reflect.New(t).Elem()
	if p.isRequired() {
		return v, nil
	}
	expected := "a " + p.Type
	switch p.Type {
	case "integer":
		expected = "an integer"
	case "numbers":
		expected = "a list of numbers"
	}
	if p.Type == "numbers" && bytes.Contains(p.Default, []byte("null")) ||
		json.Unmarshal(p.Default, v.Addr().Interface()) != nil {
		return v, fmt.Errorf("the default %s is not %s", clipAnswer(p.Default), expected)
	}
	var numbers []float64
	switch p.Type {
	case "number":
		numbers = []float64{v.Float()}
	case "integer":
		numbers = []float64{float64(v.Int())}
	case "numbers":
		numbers = v.Interface().([]float64)
	case "string":
		if p.Enum != nil && !slices.Contains(p.Enum, v.String()) {
			return v, fmt.Errorf("the default %q is not one of %s", v.String(), strings.Join(p.Enum, ", "))
		}
	}
	for _, x := range numbers {
		if p.Min != nil && x < *p.Min || p.Max != nil && x > *p.Max || p.Above != nil && x <= *p.Above ||
			p.Below != nil && x >= *p.Below {
			return v, fmt.Errorf("the default %s is out of its range", clipAnswer(p.Default))
		}
	}
	return v, nil
}
