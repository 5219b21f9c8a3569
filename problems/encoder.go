package problems

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/convex"
)

// Encoder writes domains and functions as JSON, one at a time, for whoever plays the
// rounds of a stream one by one.
type Encoder struct{ encoder }

// NewEncoder returns an encoder for n dimensions.
func NewEncoder(n int) *Encoder { return &Encoder{newEncoder(n)} }

// Domain returns the DOMAIN of [RoundWriter].
func (e *Encoder) Domain(d convex.Set) (json.RawMessage, error) {
	e.domain(d)
	return e.flush()
}

// Func returns what a player sees of a function at its action x,
//
//	{"value":v,"subgradient":[…]}
//
// or with form also the member "form", the FORM of [RoundWriter]. It is an error if
// a number is not finite.
func (e *Encoder) Func(f convex.Func, x []float64, form bool) (json.RawMessage, error) {
	e.text(`{"value":`)
	e.number(f.Value(x))
	e.text(`,"subgradient":`)
	f.Subgrad(e.grad, x)
	e.numbers(e.grad)
	if form {
		e.text(`,"form":`)
		if e.lower(f) {
			e.written()
		} else {
			e.text(`{"opaque":true}`)
		}
	}
	e.text("}")
	return e.flush()
}

// flush returns the line, and begins another.
func (e *Encoder) flush() (json.RawMessage, error) {
	line, err := e.line, e.err
	e.line, e.err = nil, nil
	if err != nil {
		return nil, err
	}
	return line, nil
}

// encoder appends to a line of JSON, in n dimensions.
type encoder struct {
	n     int
	line  []byte
	form  *convex.Form
	plain map[*convex.Basis]*convex.Form // bases written out, nil where impossible
	grad  []float64
	err   error // what cannot be written
}

func newEncoder(n int) encoder {
	return encoder{n: n, form: convex.NewForm(n), grad: make([]float64, n), plain: map[*convex.Basis]*convex.Form{}}
}

// domain appends DOMAIN.
func (e *encoder) domain(set convex.Set) {
	switch d := set.(type) {
	case *convex.Box:
		e.text(`{"box":{"lower":`)
		e.numbers(d.Lower)
		e.text(`,"upper":`)
		e.numbers(d.Upper)
	case *convex.Ball:
		e.text(`{"ball":{"center":`)
		e.numbers(d.Center)
		e.text(`,"radius":`)
		e.number(d.Radius)
	case *convex.Simplex:
		e.text(`{"simplex":{"dim":`)
		e.line = strconv.AppendInt(e.line, int64(d.N), 10)
		e.text(`,"scale":`)
		e.number(d.Scale)
	default:
		e.err = cmp.Or(e.err, fmt.Errorf("a domain of type %T", d))
	}
	e.text("}}")
}

// written appends the FORM that e.form holds.
func (e *encoder) written() {
	e.text("{")
	sep := ""
	if e.form.Const != 0 {
		e.text(`"const":`)
		e.number(e.form.Const)
		sep = ","
	}
	if !zero(e.form.Lin) {
		e.text(sep + `"lin":`)
		e.numbers(e.form.Lin)
		sep = ","
	}
	if !zero(e.form.Quad) {
		e.text(sep + `"quad":`)
		sep = "["
		for row := range slices.Chunk(e.form.Quad, e.n) {
			e.text(sep)
			e.numbers(row)
			sep = ","
		}
		e.text("]")
	}
	e.text("}")
}

// lower sets e.form to f with its bases expanded, and tells whether that is
// possible.
func (e *encoder) lower(f convex.Func) bool {
	e.form.Reset()
	f.AddTo(e.form, 1)
	terms := e.form.Terms
	e.form.Terms = nil
	for _, term := range terms {
		plain, known := e.plain[term.Basis]
		if !known {
			if form, ok := term.Basis.Expand(e.n); ok {
				plain = form
			}
			e.plain[term.Basis] = plain
		}
		if plain == nil {
			return false
		}
		plain.AddTo(e.form, term.Scale)
	}
	return true
}

func (e *encoder) text(s string) { e.line = append(e.line, s...) }

func (e *encoder) quote(s string) {
	b, err := json.Marshal(s)
	e.err = cmp.Or(e.err, err)
	e.line = append(e.line, b...)
}

func (e *encoder) numbers(xs []float64) {
	before := byte('[')
	for _, x := range xs {
		e.line = append(e.line, before)
		e.number(x)
		before = ','
	}
	e.text("]")
}

// number writes x in shortest round-trip form, as encoding/json does.
func (e *encoder) number(x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		e.err = cmp.Or(e.err, fmt.Errorf("%v is not a number of JSON", x))
		return
	}
	format, size := byte('f'), math.Abs(x)
	if size != 0 && (size < 1e-6 || size >= 1e21) {
		format = 'e'
	}
	e.line = strconv.AppendFloat(e.line, x, format, -1, 64)
}
