// Package wire writes sets and functions as JSON, and reads them: in recorded rounds, and in the
// messages of other programs. docs/protocol.md has the notation of functions: a FORM has the
// members const, lin, quad, diag and terms, a term is a multiple of a FUNC, and vectors (VEC) are
// lists, dense or sparse.
//
// The first line of a file, or the first message of a problem, may have a member "functions",
// {"name":FORM,…}, with bases: functions that are used in several rounds. A name stands for one
// [convex.Basis], wherever it is used; all others are functions of their own.
//
// A function that is read has the values, the subgradients and the normal form of the one that
// was written, bit for bit, with two exceptions. The normal form of a basis without a name has
// what the basis is made of in its place. Of a [convex.Form] with terms, only the normal form is
// the same: its values are added up in another order. A function that is known by its values only
// is {"opaque":true}.
package wire

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/convex"
)

// Writer appends JSON to a line. The zero value is an empty line.
type Writer struct {
	Line []byte
	// Err is the first error since the last Reset, such as that of a number that is
	// not finite. The line is then of no use.
	Err error

	// Plain writes functions for readers that know no terms: with the members const, lin and quad,
	// as lists, or as opaque.
	Plain bool
	// Packed writes lists of [PackedFrom] numbers or more as {"f64":"…"}, see [Writer.Numbers].
	Packed bool

	n        int                            // the dimension of functions
	names    map[*convex.Basis]string       // of the bases that Functions wrote
	expanded map[*convex.Basis]*convex.Form // bases as forms without terms, nil where there is none

	// The buffers of Subgradient, writeDense and writePacked.
	grad    []float64
	noMinus []float64 // a vector with 0 for −0
	bits    []byte
}

// Reset begins an empty line.
func (w *Writer) Reset() { w.Line, w.Err = w.Line[:0], nil }

// Text writes s as it is.
func (w *Writer) Text(s string) { w.Line = append(w.Line, s...) }

// Int writes an integer.
func (w *Writer) Int(v int) { w.Line = strconv.AppendInt(w.Line, int64(v), 10) }

// JSON writes v as encoding/json does.
func (w *Writer) JSON(v any) {
	b, err := json.Marshal(v)
	w.Err = cmp.Or(w.Err, err)
	w.Line = append(w.Line, b...)
}

// Number writes x in shortest round-trip form, as encoding/json does.
func (w *Writer) Number(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		w.Err = cmp.Or(w.Err, fmt.Errorf("%v is not a number of JSON", x))
		return
	}
	format, size := byte('f'), math.Abs(x)
	if size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	w.Line = strconv.AppendFloat(w.Line, x, format, -1, 64)
}

// PackedFrom is the length from which on a list of numbers is packed.
const PackedFrom = 8

// Numbers writes a list of numbers, or a packed one: their bits in base64, eight bytes a number,
// the lowest byte first. Numbers as text are most of what a round with another program costs.
func (w *Writer) Numbers(xs []float64) {
	if w.Packed && len(xs) >= PackedFrom {
		w.writePacked(xs)
		return
	}
	w.Text("[")
	for i, x := range xs {
		if i > 0 {
			w.Text(",")
		}
		w.Number(x)
	}
	w.Text("]")
}

// writePacked writes a packed list of numbers.
func (w *Writer) writePacked(xs []float64) {
	w.bits = w.bits[:0]
	for _, x := range xs {
		if x-x != 0 {
			w.Number(x) // is refused
		}
		w.bits = binary.LittleEndian.AppendUint64(w.bits, math.Float64bits(x))
	}
	w.Text(`{"f64":"`)
	w.Line = base64.StdEncoding.AppendEncode(w.Line, w.bits)
	w.Text(`"}`)
}

// Set writes a domain:
//
//	{"box":{"lower":[…],"upper":[…]}}, {"ball":{"center":[…],"radius":r}} or
//	{"simplex":{"dim":n,"scale":s}}
func (w *Writer) Set(set convex.Set) {
	switch d := set.(type) {
	case *convex.Box:
		w.Text(`{"box":{"lower":`)
		w.Numbers(d.Lower)
		w.Text(`,"upper":`)
		w.Numbers(d.Upper)
	case *convex.Ball:
		w.Text(`{"ball":{"center":`)
		w.Numbers(d.Center)
		w.Text(`,"radius":`)
		w.Number(d.Radius)
	case *convex.Simplex:
		w.Text(`{"simplex":{"dim":`)
		w.Int(d.N)
		w.Text(`,"scale":`)
		w.Number(d.Scale)
	default:
		w.Err = cmp.Or(w.Err, fmt.Errorf("a domain of type %T cannot be written", d))
	}
	w.Text("}}")
}

// Subgradient writes the subgradient of f at x.
func (w *Writer) Subgradient(f convex.Func, x []float64) {
	w.grad = slices.Grow(w.grad[:0], len(x))[:len(x)]
	f.Subgrad(w.grad, x)
	w.Numbers(w.grad)
}

// Seen writes what a player sees of a function at its action x,
//
//	{"value":v,"subgradient":[…]}
//
// or with a form also the member "form", a FORM.
func (w *Writer) Seen(f convex.Func, x []float64, form bool) {
	w.Text(`{"value":`)
	w.Number(f.Value(x))
	w.Text(`,"subgradient":`)
	w.Subgradient(f, x)
	if form {
		w.Text(`,"form":`)
		w.Form(len(x), f)
	}
	w.Text("}")
}
