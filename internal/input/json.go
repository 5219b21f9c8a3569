package input

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

// JSON reads a JSON text into a value. Names of members are case-sensitive, a member that comes
// twice is an error, and null leaves a value as it is. A [time.Duration] is a number of
// nanoseconds, as encoding/json writes it. Members without a field are ignored, unless the options
// reject them. The error is a [JSONError] where the text is wrong.
func JSON(text []byte, into any, options ...json.Options) error {
	return InWords(json.Unmarshal(text, into, append(options, semantics)...))
}

// ReadJSON does what [JSON] does, for a text that is not in memory as a whole.
func ReadJSON(r io.Reader, into any) error {
	return InWords(json.UnmarshalRead(r, into, semantics))
}

// semantics keeps two rules of package encoding/json of the standard library: null leaves a value
// as it is, and a duration is a number of nanoseconds.
var semantics = json.JoinOptions(jsonv1.MergeWithLegacySemantics(true),
	jsonv1.FormatDurationAsNano(true))

// A JSONError says what is wrong with a JSON text, without names of types of Go.
type JSONError struct {
	Offset  int              // where in the text, in bytes
	Pointer jsontext.Pointer // leads to the value
	Reason  string
}

// Error returns the reason, after the names of the members and the numbers of the elements of lists
// that lead to the value.
func (e *JSONError) Error() string {
	var b strings.Builder
	for token := range e.Pointer.Tokens() {
		if k, err := strconv.Atoi(token); err == nil {
			token = "element " + strconv.Itoa(k+1)
		}
		b.WriteString(Clip(token, 40) + ": ")
	}
	return b.String() + e.Reason
}

// InWords turns an error of package json into a [JSONError]. It returns other errors as they are.
func InWords(err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		e := &JSONError{int(syntax.ByteOffset), syntax.JSONPointer, syntax.Err.Error()}
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			e.Reason, e.Pointer = "it is there twice", syntax.JSONPointer
		case errors.Is(err, io.ErrUnexpectedEOF):
			e.Reason, e.Pointer = "its JSON is cut short", ""
		}
		return e
	}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	e := &JSONError{Offset: int(semantic.ByteOffset), Pointer: semantic.JSONPointer}
	found, ok := jsonKinds[semantic.JSONKind]
	switch {
	case semantic.Err == json.ErrUnknownName:
		e.Reason = "it is unknown"
	case !ok || semantic.GoType == nil || reflect.PointerTo(semantic.GoType).Implements(unmarshaler):
		e.Reason = semantic.Err.Error()
	case semantic.JSONKind == '0' && len(semantic.JSONValue) > 0: // a number is shown itself
		found = Clip(string(semantic.JSONValue), 40)
		fallthrough
	default:
		e.Reason = fmt.Sprintf("found %s, expected %s", found, expected(semantic.GoType))
	}
	return e
}

// unmarshaler is the type of values that read their own JSON.
var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// jsonKinds describes the kinds of values.
var jsonKinds = map[jsontext.Kind]string{
	'[': "a list", '{': "an object",
	'f': "true or false", 't': "true or false",
	'n': "null", '0': "a number", '"': "a text",
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
