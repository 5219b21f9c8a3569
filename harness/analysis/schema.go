package analysis

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// The schema of a JSON text is a Go type: an object has all members of the struct that are not
// omitted where they are zero, and no other and none twice, in letters of the same case; no map
// is null; and every value has its kind. What encoding/json would leave at zero is an error.
//
// The text is read token by token, so that what it would take as a value of the type is
// allocated only once the whole is known to fit. A value of an archive then takes at most some
// fifteen times the bytes of its text, where `[{},{},…]` alone would take hundreds of times.

// fits returns an error, which says where, if a JSON text is not one of the type of v.
func fits[T any](data []byte) error {
	d := &schema{Decoder: json.NewDecoder(bytes.NewReader(data)),
		members: make(map[reflect.Type]map[string]member)}
	d.UseNumber()
	if err := d.value(reflect.TypeFor[T]()); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows its JSON")
	}
	return nil
}

// schema is what has not been read of a text.
type schema struct {
	*json.Decoder
	members map[reflect.Type]map[string]member // by name
	depth   int
}

// maxDepth is how deep values may lie in others. Those of analyses are about twelve deep.
const maxDepth = 50

// member is that of an object.
type member struct {
	index    int // among those of the object
	of       reflect.Type
	optional bool
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// value reads a value of a type.
func (d *schema) value(t reflect.Type) error {
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return explained(d.Decode(reflect.New(t).Interface()))
	}
	token, err := d.Token()
	if err != nil {
		return explained(err)
	}
	if d.depth++; d.depth > maxDepth {
		return fmt.Errorf("its values lie more than %d deep in others", maxDepth)
	}
	defer func() { d.depth-- }()
	return d.after(token, t)
}

// after reads what follows the first token of a value.
func (d *schema) after(token json.Token, t reflect.Type) error {
	switch t.Kind() {
	case reflect.Pointer:
		if token == nil {
			return nil
		}
		return d.after(token, t.Elem())
	case reflect.Slice:
		if token == nil {
			return nil
		}
		if token != json.Delim('[') {
			return expected("a list", token)
		}
		for k := 0; d.More(); k++ {
			if err := d.value(t.Elem()); err != nil {
				return within(strconv.Itoa(k), err)
			}
		}
	case reflect.Struct, reflect.Map:
		if token != json.Delim('{') {
			return expected("an object", token)
		}
		if err := d.object(t); err != nil {
			return err
		}
	default:
		return scalar(token, t)
	}
	_, err := d.Token() // the end of the list or the object
	return explained(err)
}

// object reads the members of an object.
func (d *schema) object(t reflect.Type) error {
	var known map[string]member
	if t.Kind() == reflect.Struct {
		known = d.membersOf(t)
	}
	seen := make(map[string]bool)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return explained(err)
		}
		name := token.(string)
		m, ok := known[name]
		switch {
		case seen[name]:
			return fmt.Errorf("%.40q is there twice", name)
		case known == nil:
			m.of = t.Elem()
		case !ok:
			return fmt.Errorf("%.40q is unknown", name)
		}
		seen[name] = true
		if err := d.value(m.of); err != nil {
			return within(name, err)
		}
	}
	missing, first := "", len(known)
	for name, m := range known {
		if !m.optional && !seen[name] && m.index < first {
			missing, first = name, m.index
		}
	}
	if first < len(known) {
		return fmt.Errorf("%q is missing", missing)
	}
	return nil
}

// membersOf returns the members of an object that is a struct, those of embedded structs too.
func (d *schema) membersOf(t reflect.Type) map[string]member {
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
				all[cmp.Or(name, f.Name)] = member{len(all), f.Type, strings.Contains(options, "omit")}
			}
		}
	}
	add(t)
	d.members[t] = all
	return all
}

// scalar returns an error if a token is no value of a type that is not composed of others.
func scalar(token json.Token, t reflect.Type) error {
	_, isString := token.(string)
	_, isBool := token.(bool)
	number, isNumber := token.(json.Number)
	var err error
	switch kind := t.Kind(); {
	case kind == reflect.String && !isString:
		return expected("a text", token)
	case kind == reflect.Bool && !isBool:
		return expected("true or false", token)
	case kind == reflect.String, kind == reflect.Bool:
		return nil
	case !isNumber:
		return expected("a number", token)
	case t.Kind() == reflect.Float64:
		_, err = strconv.ParseFloat(number.String(), 64)
	case t.Kind() == reflect.Int:
		_, err = strconv.ParseInt(number.String(), 10, strconv.IntSize)
	case t.Kind() == reflect.Uint64:
		_, err = strconv.ParseUint(number.String(), 10, 64)
	default:
		panic("analysis: no schema of " + t.String())
	}
	if err != nil {
		return expected("a number of its kind", token)
	}
	return nil
}

func expected(what string, token json.Token) error {
	found := fmt.Sprint(token)
	switch token := token.(type) {
	case nil:
		found = "null"
	case string:
		found = strconv.Quote(token)
	}
	return fmt.Errorf("found %.40s, expected %s", found, what)
}

// placed is an error of a part of a value.
type placed struct {
	path string
	err  error
}

func (e *placed) Error() string { return e.path + ": " + e.err.Error() }

// within puts the name of a part before the place of an error.
func within(name string, err error) error {
	name = fmt.Sprintf("%.40s", name)
	if p, ok := err.(*placed); ok {
		return &placed{name + "." + p.path, p.err}
	}
	return &placed{name, err}
}

// explained is the error of text that is no JSON.
func explained(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("its JSON is cut short")
	}
	return err
}
