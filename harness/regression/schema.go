package regression

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ocobench/internal/input"
)

// A JSON text is checked against a Go type, its schema, before it is decoded. An object must have
// every member of the struct, except those with the option omitempty, each once, and no unknown
// member. A map must not be null. Decoding alone would leave a missing member at zero.
//
// The check also limits memory: decoding then takes at most some fifteen times the bytes of the
// text, where a text such as `[{},{},…]` would take hundreds of times.

// checkComplete returns an error if an object of a JSON text lacks a member of its type, or is
// null.
func checkComplete(data []byte, t reflect.Type) error {
	d := &schemaChecker{Decoder: jsontext.NewDecoder(bytes.NewBuffer(data)),
		members: make(map[reflect.Type]map[string]member)}
	return d.checkValue(t)
}

// schemaChecker reads a JSON text and compares it with Go types.
type schemaChecker struct {
	*jsontext.Decoder
	members map[reflect.Type]map[string]member // by name
}

// maxDepth limits the nesting of values. Those of analyses lie about twelve deep.
const maxDepth = 50

// member describes a member of an object.
type member struct {
	name     string
	index    int // among those of the object
	of       reflect.Type
	optional bool
}

// unmarshaler is the type of values that read their own JSON.
var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// checkValue reads a value of a type. It skips a value of another kind, apart from null.
func (d *schemaChecker) checkValue(t reflect.Type) error {
	kind := d.PeekKind()
	for t.Kind() == reflect.Pointer && kind != 'n' {
		t = t.Elem()
	}
	isObject := t.Kind() == reflect.Struct || t.Kind() == reflect.Map
	switch {
	case d.StackDepth() > maxDepth:
		return d.errorAt("its values lie more than %d deep in others", maxDepth)
	case reflect.PointerTo(t).Implements(unmarshaler):
	case isObject && kind == 'n':
		d.ReadToken()
		return d.errorAt("found null, expected an object")
	case isObject && kind == '{':
		return d.checkObject(t)
	case t.Kind() == reflect.Slice && kind == '[':
		d.ReadToken()
		for d.PeekKind() != ']' {
			if err := d.checkValue(t.Elem()); err != nil {
				return err
			}
		}
		_, err := d.ReadToken()
		return err
	}
	return input.InWords(d.SkipValue())
}

// errorAt returns an error that points to the last value that was read.
func (d *schemaChecker) errorAt(format string, args ...any) error {
	return &input.JSONError{Pointer: d.StackPointer(), Reason: fmt.Sprintf(format, args...)}
}

// checkObject reads an object, and returns an error for an unknown or a missing member.
func (d *schemaChecker) checkObject(t reflect.Type) error {
	d.ReadToken()
	var known map[string]member
	if t.Kind() == reflect.Struct {
		known = d.membersOf(t)
	}
	seen := make(map[string]bool)
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return input.InWords(err)
		}
		name := token.String()
		of := known[name].of
		switch {
		case known == nil:
			of = t.Elem()
		case of == nil:
			return d.errorAt("it is unknown")
		}
		seen[name] = true
		if err := d.checkValue(of); err != nil {
			return err
		}
	}
	d.ReadToken()
	missing := member{index: len(known)}
	for name, m := range known {
		if !m.optional && !seen[name] && m.index < missing.index {
			missing = m
		}
	}
	if missing.index < len(known) {
		return d.errorAt("%q is missing", missing.name)
	}
	return nil
}

// membersOf returns the members of an object that is a struct, those of embedded structs too.
func (d *schemaChecker) membersOf(t reflect.Type) map[string]member {
	all, ok := d.members[t]
	if ok {
		return all
	}
	all = make(map[string]member)
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		for k := range t.NumField() {
			f := t.Field(k)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous && name == "":
				add(f.Type)
			case f.IsExported() && name != "-":
				name = cmp.Or(name, f.Name)
				all[name] = member{name, len(all), f.Type, strings.Contains(options, "omit")}
			}
		}
	}
	add(t)
	d.members[t] = all
	return all
}
