package spec

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A struct of parameters is turned into fields once ([fieldsOf]), which checks its tags.
// The fields then serve in both directions: decode reads values of a user into the struct
// and collects every fault, and format prints them, as parts of a SPEC, of JSON or of YAML.
// What is printed reads back as the same value.

// Param describes one parameter, for help texts and for bench list --json.
type Param struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`    // number, integer, text, boolean, list of numbers, …
	Default  string   `json:"default"` // as in a SPEC; "" if there is none
	Required bool     `json:"required,omitempty"`
	Doc      string   `json:"doc"`
	Range    string   `json:"range,omitempty"` // such as "≥ 0 and < 1"
	Enum     []string `json:"enum,omitempty"`
}

// Describe lists the parameters of p, a struct of parameters (or a pointer to
// one) whose values are the defaults. A nil p has no parameters. It panics if a
// default is not a valid value.
func Describe(p any) []Param {
	fields, v := fieldsOf(p)
	params := make([]Param, len(fields))
	for i, f := range fields {
		params[i] = f.Param
		if f.Required {
			continue
		}
		d := f.formatValue(v.FieldByIndex(f.index), quoteSpec)
		if err := f.readsBack(d); err != nil {
			panic(fmt.Sprintf("spec: bad default in %v: %v", v.Type(), err))
		}
		params[i].Default = d
	}
	return params
}

// Format prints the canonical SPEC of p: the required parameters and those that
// differ from defaults, in the order of the fields, with numbers in shortest
// round-trip form. The parameters named in swept are always written. ParseSpec, and
// Decode into a copy of defaults, return p. The only exception is an empty list where
// the default is not empty, since a SPEC has no empty lists.
func Format(name string, p, defaults any, swept ...string) string {
	fields, v := fieldsOf(p)
	_, d := fieldsOf(defaults)
	if len(fields) > 0 && v.Type() != d.Type() {
		panic(fmt.Sprintf("spec: Format of %v with defaults of %v", v.Type(), d.Type()))
	}
	var args []string
	for _, f := range fields {
		text := f.formatValue(v.FieldByIndex(f.index), quoteSpec)
		if f.Required || slices.Contains(swept, f.Name) ||
			text != f.formatValue(d.FieldByIndex(f.index), quoteSpec) {
			args = append(args, f.Name+"="+text)
		}
	}
	if len(args) == 0 {
		return name
	}
	return name + ":" + strings.Join(args, ",")
}

// Resolved prints all parameters of p, defaults included, as a JSON object
// with sorted keys and numbers in shortest round-trip form: equal parameters have
// equal bytes. Identities of cells contain it. The texts stand in place of the values of
// parameters, or are further members.
func Resolved(p any, texts map[string]string) string {
	fields, v := fieldsOf(p)
	values := make(map[string]string)
	for _, f := range fields {
		values[f.Name] = f.formatValue(v.FieldByIndex(f.index), quoteJSON)
	}
	for name, text := range texts {
		values[name] = quoteJSON(text)
	}
	var members []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		members = append(members, quoteJSON(name)+":"+values[name])
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Decode sets the parameters of u in into, a pointer to a struct with the defaults.
// The error names every fault; into is then unchanged.
func (u Use) Decode(into any) error {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("spec: Decode into %T, want a pointer to a struct", into))
	}
	return u.decode("parameter", v.Elem(), nil).sortedOrNil()
}

// Apply returns a copy of defaults, a struct of parameters, with the parameters of u.
// It is Decode for defaults in an interface. Nil defaults have no parameters.
func (u Use) Apply(defaults any) (any, error) {
	if defaults == nil {
		var none struct{}
		return nil, u.Decode(&none)
	}
	_, d := fieldsOf(defaults)
	p := reflect.New(d.Type())
	p.Elem().Set(d)
	if err := u.Decode(p.Interface()); err != nil {
		return nil, err
	}
	return p.Elem().Interface(), nil
}

// decode sets the parameters of u in into, a struct, except those named in open: expressions, whose
// numbers are not known yet, so that the parameters are not validated together either. The errors
// call a parameter by noun. into is unchanged if there are errors.
func (u Use) decode(noun string, into reflect.Value, open []string) Errors {
	fields, _ := fieldsOf(into.Interface())
	p := reflect.New(into.Type()).Elem()
	p.Set(into)
	var errs Errors
	given := map[string]bool{}
	for _, a := range u.Args {
		if len(errs) >= maxErrors {
			break
		}
		f, err := findField(noun, fields, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		given[f.Name] = true
		if slices.Contains(open, f.Name) {
			continue
		}
		v := reflect.New(f.typ).Elem()
		if faults := f.decodeValue(a.Value, v); len(faults) > 0 {
			errs = append(errs, faults...)
			continue
		}
		p.FieldByIndex(f.index).Set(v)
	}
	var missing, expected []string
	for _, f := range fields {
		if f.Required && !given[f.Name] {
			missing = append(missing, f.Name)
			expected = append(expected, f.Name+": "+f.expected())
		}
	}
	if len(missing) > 0 {
		errs = append(errs, u.Pos.errorAt(" (expected "+strings.Join(expected, ", ")+")", "missing %s %s",
			noun, strings.Join(missing, ", ")))
	}
	if len(errs) > 0 {
		return errs
	}
	if c, ok := p.Addr().Interface().(interface{ Validate() error }); ok && len(open) == 0 {
		if err := c.Validate(); err != nil {
			return Errors{u.Pos.errorAt("", "%s: %v", u.Name, err)}
		}
	}
	into.Set(p)
	return nil
}

// findField returns the field that an argument sets, or the error that names the known ones.
func findField(noun string, fields []field, a Arg) (field, *Error) {
	for _, f := range fields {
		if f.Name == a.Key {
			return f, nil
		}
	}
	return field{}, Unknown(noun, a.Key, fieldNames(fields), a.Pos)
}

// fieldNames returns the names of fields.
func fieldNames(fields []field) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return names
}

// field describes a parameter of a struct.
type field struct {
	Param
	index  []int
	typ    reflect.Type
	isList bool
	elem   reflect.Type // of the elements if typ is a list, otherwise typ

	min, max, above, below *float64
}

var (
	unmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	marshaler   = reflect.TypeFor[encoding.TextMarshaler]()
)

// fieldCache holds the fields of the types of structs that were read: a []field by reflect.Type.
var fieldCache sync.Map

// fieldsOf returns the parameters of p, a struct or a pointer to one, and the struct. The slice of
// parameters is shared by all callers and must not be changed.
func fieldsOf(p any) ([]field, reflect.Value) {
	if p == nil {
		return nil, reflect.ValueOf(struct{}{})
	}
	v := reflect.ValueOf(p)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		panic(fmt.Sprintf("spec: parameters %T are not a struct", p))
	}
	if fields, ok := fieldCache.Load(v.Type()); ok {
		return fields.([]field), v
	}
	var fields []field
	for _, sf := range reflect.VisibleFields(v.Type()) {
		name, ok := sf.Tag.Lookup("name")
		switch {
		case sf.Anonymous && sf.Type.Kind() == reflect.Struct && !ok:
			continue // its fields are listed themselves
		case !sf.IsExported() && !sf.Anonymous && !ok:
			continue // it is no parameter
		case !sf.IsExported() || !ok || name == "" || strings.ContainsAny(name, " :=,\"[]") ||
			name == "use" || name == "label": // keys that every use has in an experiment file
			panic(fmt.Sprintf("spec: field %s of %v needs to be exported and have a name tag", sf.Name,
				v.Type()))
		case slices.ContainsFunc(fields, func(f field) bool { return f.Name == name }):
			panic(fmt.Sprintf("spec: %v has two parameters %q", v.Type(), name))
		}
		fields = append(fields, newField(v.Type(), sf))
	}
	fieldCache.Store(v.Type(), fields)
	return fields, v
}

// newField reads the tags of a field of a struct of parameters. It panics if they are wrong, which
// is a mistake in the program.
func newField(owner reflect.Type, sf reflect.StructField) field {
	f := field{index: sf.Index, typ: sf.Type, elem: sf.Type}
	f.Name, f.Doc, f.Required = sf.Tag.Get("name"), sf.Tag.Get("doc"), sf.Tag.Get("required") == "true"
	if f.typ.Kind() == reflect.Slice && !isText(f.typ) {
		f.isList, f.elem = true, f.typ.Elem()
	}
	f.Type = typeName(f.elem)
	if f.Type == "" {
		panic(fmt.Sprintf("spec: field %s of %v has the unsupported type %v", sf.Name, owner, sf.Type))
	}
	if enum := sf.Tag.Get("enum"); enum != "" {
		if f.elem.Kind() != reflect.String || isText(f.elem) {
			panic(fmt.Sprintf("spec: field %s of %v has a tag enum and is not a text", sf.Name, owner))
		}
		f.Enum = strings.Split(enum, ",")
	}
	var ranges []string
	for _, bound := range []struct {
		tag, sign string
		to        **float64
	}{{"min", "≥", &f.min}, {"above", ">", &f.above}, {"max", "≤", &f.max}, {"below", "<", &f.below}} {
		text, ok := sf.Tag.Lookup(bound.tag)
		if !ok && bound.tag == "min" && isUnsigned(f.elem) {
			text, ok = "0", true
		}
		if !ok {
			continue
		}
		b, err := parseNumber(text)
		if err != nil || f.Type != "number" && f.Type != "integer" {
			panic(fmt.Sprintf("spec: field %s of %v has a bad tag %s:%q", sf.Name, owner, bound.tag, text))
		}
		*bound.to = &b
		ranges = append(ranges, bound.sign+" "+text)
	}
	f.Range = strings.Join(ranges, " and ")
	if f.isList {
		f.Type = "list of " + f.Type + "s"
	}
	if text, ok := sf.Tag.Lookup("type"); ok {
		f.Type = text
	}
	return f
}

// isText reports whether values of t have UnmarshalText and MarshalText.
func isText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(unmarshaler) && p.Implements(marshaler)
}

// isUnsigned reports whether t is an unsigned integer type.
func isUnsigned(t reflect.Type) bool {
	return reflect.Uint <= t.Kind() && t.Kind() <= reflect.Uint64
}

// isInteger reports whether t is an integer type.
func isInteger(t reflect.Type) bool {
	return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64
}

// typeName returns the name that a type of parameter has for users, or "" if it is none.
func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Use](): // of the lists of an [Experiment]
		return "use"
	case isText(t), t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case isInteger(t):
		return "integer"
	case t.Kind() == reflect.Float64:
		return "number"
	}
	return ""
}

// expected describes the values of the field: "a list of numbers ≥ 0".
func (f field) expected() string {
	if len(f.Enum) > 0 && !f.isList {
		return "one of " + strings.Join(f.Enum, ", ")
	}
	return withArticle(f.Type, f.Range)
}

// expectedElement describes the elements of the field: "a number ≥ 0".
func (f field) expectedElement() string {
	switch {
	case !f.isList:
		return f.expected()
	case len(f.Enum) > 0:
		return "one of " + strings.Join(f.Enum, ", ")
	}
	return withArticle(typeName(f.elem), f.Range)
}

// withArticle returns a type with its article and its bounds.
func withArticle(typ, bounds string) string {
	article := "a "
	if strings.HasPrefix(typ, "integer") {
		article = "an "
	}
	return strings.TrimSpace(article + typ + " " + bounds)
}

// decodeValue sets into, of f's type, to the value.
func (f field) decodeValue(v Value, into reflect.Value) Errors {
	switch {
	case !f.isList:
		return f.decodeElement(v, into)
	case v.kind == list && len(v.Items) == 0:
		return Errors{v.Pos.errorAt(" (expected "+f.expected()+")", "%s: empty list", f.Name)}
	case v.kind != list:
		v = Value{Pos: v.Pos, Items: []Value{v}, kind: list}
	}
	var errs Errors
	s := reflect.MakeSlice(f.typ, len(v.Items), len(v.Items))
	for i, item := range v.Items {
		if errs = append(errs, f.decodeElement(item, s.Index(i))...); len(errs) >= maxErrors {
			break
		}
	}
	into.Set(s)
	return errs
}

// decodeElement sets into, of f's element type, to the value. Lists of an [Experiment] have
// elements of type Use; those of parameters are scalars.
func (f field) decodeElement(v Value, into reflect.Value) Errors {
	if f.elem == reflect.TypeFor[Use]() {
		return decodeUse(f.Name, v, into)
	}
	if err := f.decodeScalar(v, into); err != nil {
		return Errors{err}
	}
	return nil
}

// decodeScalar sets into, of a scalar type, to the value.
func (f field) decodeScalar(v Value, into reflect.Value) *Error {
	fail := func(format string, args ...any) *Error {
		return v.Pos.errorAt(" (expected "+f.expectedElement()+")", "%s: %s", f.Name,
			fmt.Sprintf(format, args...))
	}
	switch {
	case !isScalar(v):
		return fail("found %v", v)
	case isText(f.elem):
		// The type parses its numbers itself, and may be more lenient than parseNumber. What is refused
		// for all numbers is therefore refused here.
		if fault := numberFault(v.Text); v.kind != quoted && fault != nil {
			return fail("%v", fault)
		}
		if err := into.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(
			[]byte(v.Text)); err != nil {
			return fail("%v", err)
		}
	case f.elem.Kind() == reflect.String:
		return f.decodeText(v, into)
	case v.kind == quoted:
		return fail("found %v", v)
	case f.elem.Kind() == reflect.Bool:
		if v.Text != "true" && v.Text != "false" {
			return v.Pos.errorAt(" (expected true or false)", "%s: %q is not a boolean", f.Name,
				shorten(v.Text))
		}
		into.SetBool(v.Text == "true")
	case isInteger(f.elem):
		digits, err := parseInteger(v.Text)
		if err != nil {
			return fail("%v", err)
		}
		approx, _ := strconv.ParseFloat(digits, 64)
		if !f.inRange(approx) {
			return fail("%s is out of range", shorten(v.Text))
		}
		if isUnsigned(f.elem) {
			n, err := strconv.ParseUint(digits, 10, f.elem.Bits())
			if err != nil {
				return fail("%s does not fit in %d bits", shorten(v.Text), f.elem.Bits())
			}
			into.SetUint(n)
		} else {
			n, err := strconv.ParseInt(digits, 10, f.elem.Bits())
			if err != nil {
				return fail("%s does not fit in %d bits", shorten(v.Text), f.elem.Bits())
			}
			into.SetInt(n)
		}
	default:
		x, err := parseNumber(v.Text)
		if err != nil {
			return fail("%v", err)
		}
		if !f.inRange(x) {
			return fail("%s is out of range", shorten(v.Text))
		}
		into.SetFloat(x)
	}
	return nil
}

// decodeText sets into, a string, to the value.
func (f field) decodeText(v Value, into reflect.Value) *Error {
	expected := " (expected " + f.expectedElement() + ")"
	switch {
	case v.kind == plain && (numberSyntax.MatchString(v.Text) || notFinite.MatchString(v.Text) ||
		boolSyntax.MatchString(v.Text)):
		return v.Pos.errorAt(fmt.Sprintf(" (as a text it is written %q)", shorten(v.Text)),
			"%s: %s is not a text", f.Name, shorten(v.Text))
	case !utf8.ValidString(v.Text):
		return v.Pos.errorAt(expected, "%s: not valid UTF-8", f.Name)
	case len(f.Enum) > 0 && !slices.Contains(f.Enum, v.Text):
		if near := nearestName(v.Text, f.Enum); near != "" {
			expected = fmt.Sprintf("; did you mean %q?", near) + expected
		}
		return v.Pos.errorAt(expected, "%s: unknown value %q", f.Name, shorten(v.Text))
	}
	into.SetString(v.Text)
	return nil
}

// inRange reports whether a number is within the bounds of the field.
func (f field) inRange(x float64) bool {
	return (f.min == nil || x >= *f.min) && (f.max == nil || x <= *f.max) &&
		(f.above == nil || x > *f.above) && (f.below == nil || x < *f.below)
}

// formatValue prints a value of the field, with its texts as quote writes them: quoteSpec for a
// SPEC, quoteJSON for JSON, quoteYAML for an experiment file.
func (f field) formatValue(v reflect.Value, quote func(string) string) string {
	format := func(v reflect.Value) string {
		s, quotable := f.formatScalar(v)
		if quotable {
			return quote(s)
		}
		return s
	}
	if !f.isList {
		return format(v)
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = format(v.Index(i))
	}
	return "[" + strings.Join(items, ",") + "]"
}

// readsBack returns an error if a formatted value cannot be read back. It allows the empty
// list, which only a default may be.
func (f field) readsBack(text string) error {
	if f.isList && text == "[]" {
		return nil
	}
	u, err := ParseSpec("default:" + f.Name + "=" + text)
	if err != nil {
		return err
	}
	return f.decodeValue(u.Args[0].Value, reflect.New(f.typ).Elem()).sortedOrNil()
}

// formatScalar prints a scalar without quotes. quotable reports whether it is a text, which may
// need them.
func (f field) formatScalar(v reflect.Value) (s string, quotable bool) {
	switch {
	case isText(f.elem):
		p := reflect.New(f.elem)
		p.Elem().Set(v)
		b, err := p.Interface().(encoding.TextMarshaler).MarshalText()
		if err != nil {
			panic(fmt.Sprintf("spec: parameter %s: %v", f.Name, err))
		}
		return string(b), true
	case v.Kind() == reflect.String:
		return v.String(), true
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), false
	case isUnsigned(v.Type()):
		return strconv.FormatUint(v.Uint(), 10), false
	case isInteger(v.Type()):
		return strconv.FormatInt(v.Int(), 10), false
	}
	x := v.Float()
	if math.IsNaN(x) || math.IsInf(x, 0) {
		panic(fmt.Sprintf("spec: parameter %s is %v", f.Name, x))
	}
	return formatNumber(x), false
}

// formatNumber prints a finite number in shortest round-trip form, as JSON does. −0
// is printed as 0.
func formatNumber(x float64) string {
	if x == 0 {
		return "0"
	}
	b, err := json.Marshal(x)
	if err != nil {
		panic("spec: " + err.Error())
	}
	return string(b)
}

// quoteJSON returns a text as JSON.
func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("spec: " + err.Error())
	}
	return string(b)
}
