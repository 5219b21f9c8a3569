package wire

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ocobench/internal/input"
)

// This file reads objects whose members may come in any order although one needs another: the
// functions of an answer need its vectors, wherever these stand. [Reader.Decode] decodes the whole
// object into a struct of Values. Then [Reader.Enter] makes one Value after the other the text that
// is read.

// Value holds a member of an object that was decoded and is not interpreted yet. The zero Value
// stands for a member that the object does not have.
type Value struct {
	text []byte
	at   int // bytes of the object before it, for the columns of faults
}

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (v *Value) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	text, err := d.ReadValue()
	v.text, v.at = bytes.Clone(text), int(d.InputOffset())-len(text)
	return err
}

// IsGiven reports whether the object has the member.
func (v Value) IsGiven() bool { return v.text != nil }

// Decode begins another text, an object, and decodes it into a struct of Values. Members for which
// the struct has no field are ignored.
func (r *Reader) Decode(what string, object []byte, into any) {
	r.Reset(object)
	r.object, r.before = object, object[:0]
	if jsontext.Value(object).Kind() != '{' {
		r.expected(what, "an object {…}")
		return
	}
	if wrong, ok := errors.AsType[*input.JSONError](input.JSON(object, into)); ok {
		r.Fault(wrong.Offset, "%s: %v", what, wrong)
	}
}

// RequireValues records a fault, at the end of the object, unless all of these members are given.
func (r *Reader) RequireValues(what string, keys []string, members ...Value) {
	for k, v := range members {
		if !v.IsGiven() {
			r.Text, r.before = r.object, nil
			r.missing(len(r.object), what, keys[k], keys)
		}
	}
}

// Enter makes a member of the object that was decoded the text of the reader, and returns the
// reader.
func (r *Reader) Enter(v Value) *Reader {
	r.Text, r.At, r.before = v.text, 0, r.object[:v.at]
	return r
}

// missing records that an object lacks a key.
func (r *Reader) missing(at int, what, key string, required []string) {
	r.Fault(at, "%s: the key %q is missing (needed: %s)", what, key, strings.Join(required, ", "))
}
