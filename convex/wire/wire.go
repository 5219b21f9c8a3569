// Package wire writes sets and functions as JSON: in recorded rounds, and in the
// messages of other programs. docs/protocol.md has the notation.
package wire

import (
	"cmp"
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

	form  *convex.Form
	grad  []float64
	plain map[*convex.Basis]*convex.Form // bases written out, nil where impossible
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

// Numbers writes a list of numbers.
func (w *Writer) Numbers(xs []float64) {
	w.Text("[")
	for i, x := range xs {
		if i > 0 {
			w.Text(",")
		}
		w.Number(x)
	}
	w.Text("]")
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
// or with form also the member "form", see [Writer.Form].
func (w *Writer) Seen(f convex.Func, x []float64, form bool) {
	w.Text(`{"value":`)
	w.Number(f.Value(x))
	w.Text(`,"subgradient":`)
	w.Subgradient(f, x)
	if form {
		w.Text(`,"form":`)
		w.Form(f, len(x))
	}
	w.Text("}")
}

// Form writes a function on ℝⁿ,
//
//	{"const":c,"lin":[…],"quad":[[…],…]}, which is c + lin·x + ½xᵀ quad x,
//
// without the members that are zero. For a function that is neither affine nor
// quadratic it writes {"opaque":true}, and returns false.
func (w *Writer) Form(f convex.Func, n int) bool {
	if !w.lower(f, n) {
		w.Text(`{"opaque":true}`)
		return false
	}
	w.Text("{")
	sep := ""
	if w.form.Const != 0 {
		w.Text(`"const":`)
		w.Number(w.form.Const)
		sep = ","
	}
	if !zero(w.form.Lin) {
		w.Text(sep + `"lin":`)
		w.Numbers(w.form.Lin)
		sep = ","
	}
	if !zero(w.form.Quad) {
		w.Text(sep + `"quad":`)
		sep = "["
		for row := range slices.Chunk(w.form.Quad, n) {
			w.Text(sep)
			w.Numbers(row)
			sep = ","
		}
		w.Text("]")
	}
	w.Text("}")
	return true
}

// lower sets w.form to f with its bases expanded, and reports whether that is
// possible.
func (w *Writer) lower(f convex.Func, n int) bool {
	if w.form == nil || len(w.form.Lin) != n {
		w.form, w.plain = convex.NewForm(n), make(map[*convex.Basis]*convex.Form)
	}
	w.form.Reset()
	f.AddTo(w.form, 1)
	terms := w.form.Terms
	w.form.Terms = nil
	for _, term := range terms {
		plain, known := w.plain[term.Basis]
		if !known {
			if form, ok := term.Basis.Expand(n); ok {
				plain = form
			}
			w.plain[term.Basis] = plain
		}
		if plain == nil {
			return false
		}
		plain.AddTo(w.form, term.Scale)
	}
	return true
}

func zero(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 })
}
