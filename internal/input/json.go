package input

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// JSON of other programs is read here, and nowhere else. encoding/json takes a member for a
// field if their names differ only by case, and its errors name types of Go. So objects are
// read as maps, member by member, and each field is filled from the member that has exactly
// its name; what is wrong is said in terms of JSON. All that has no names is left to
// encoding/json.

// JSON reads a JSON text into a value as [json.Unmarshal] does, but for the names of members,
// which are case-sensitive, and for its errors, which name the place, what was found there and
// what was expected. Names of fields are those of their tags. Members without a field are
// ignored, and a member that comes twice has its last value.
func JSON(text []byte, into any) error {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return err
	}
	return fill(whole, reflect.ValueOf(into).Elem())
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// fill reads a valid text into a value.
func fill(text json.RawMessage, v reflect.Value) error {
	named := false // there are names in the text
	switch t := v.Type(); {
	case reflect.PointerTo(t).Implements(unmarshaler):
	case t.Kind() == reflect.Struct:
		named = true
	case t.Kind() == reflect.Slice:
		named = t.Elem().Kind() == reflect.Struct
	case t.Kind() == reflect.Pointer && string(text) != "null":
		if v.IsNil() {
			v.Set(reflect.New(t.Elem()))
		}
		return fill(text, v.Elem())
	}
	switch {
	case !named:
		return InWords(json.Unmarshal(text, v.Addr().Interface()))
	case v.Kind() == reflect.Slice:
		return fillList(text, v)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return InWords(err)
	}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if member, ok := members[name]; ok && name != "" {
			if err := fill(member, v.Field(i)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// fillList reads a valid text into a slice of structs.
func fillList(text json.RawMessage, v reflect.Value) error {
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return InWords(err)
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		if err := fill(item, list.Index(i)); err != nil {
			return fmt.Errorf("element %d: %w", i+1, err)
		}
	}
	v.Set(list)
	return nil
}

// InWords is an error of package json without names of types of Go.
func InWords(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	found := wrong.Value
	if kind, literal, ok := strings.Cut(found, " "); ok && kind == "number" {
		found = Clip(literal, 40)
	} else if words := jsonKinds[found]; words != "" {
		found = words
	}
	return fmt.Errorf("found %s, expected %s", found, expected(wrong.Type))
}

// jsonKinds are what package json calls the kinds of values.
var jsonKinds = map[string]string{
	"array": "a list", "bool": "true or false", "number": "a number", "object": "an object",
	"string": "a text",
}

// expected describes the values that fit into a type.
func expected(t reflect.Type) string {
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return expected(t.Elem())
	case kind == reflect.String:
		return "a text"
	case kind == reflect.Bool:
		return "true or false"
	case reflect.Int <= kind && kind <= reflect.Uint64:
		return "an integer"
	case kind == reflect.Float64:
		return "a finite number"
	case t == reflect.TypeFor[[]float64](), t == reflect.TypeFor[[]*float64]():
		return "a list of finite numbers"
	case kind == reflect.Slice:
		return "a list"
	}
	return "an object"
}
