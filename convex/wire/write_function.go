package wire

import (
	"reflect"
	"slices"
	"strconv"

	"ocobench/convex"
)

// This file writes functions, in the notation of the package. A function is written one level
// after the other: [Writer.membersOf] returns the members of its FORM. Each term among them is a
// name, a function of one of the kinds of [kindOf], or a FORM again.

// Functions writes the member "functions" with these bases on ℝⁿ, and reports whether there are
// any. From there on, also in later lines, the writer refers to them by their names. A basis that
// is known by its values only is left out, and gets no name.
func (w *Writer) Functions(n int, bases []*convex.Basis) bool {
	w.n, w.names = n, make(map[*convex.Basis]string)
	start := len(w.Line)
	for _, b := range bases {
		before := len(w.Line)
		if len(w.names) == 0 {
			w.Text(`"functions":{`)
		} else {
			w.Text(",")
		}
		name := "f" + strconv.Itoa(len(w.names)+1)
		w.Text(`"` + name + `":`)
		if w.names[b] != "" || !w.writeForm(b) {
			w.Line = w.Line[:before]
			continue
		}
		w.names[b] = name
	}
	if len(w.Line) == start {
		return false
	}
	w.Text("}")
	return true
}

// Form writes a function on ℝⁿ as a FORM. For one that is known by its values only it writes
// {"opaque":true}, and returns false.
func (w *Writer) Form(n int, f convex.Func) bool {
	start, err := len(w.Line), w.Err
	if w.n = n; w.Plain {
		f = w.expand(f)
	}
	if f != nil && w.writeForm(f) {
		return true
	}
	w.Line, w.Err = append(w.Line[:start], `{"opaque":true}`...), err
	return false
}

// maxExpanded is how many bases a writer keeps in expanded.
const maxExpanded = 1 << 12

// expand returns f as a form without terms, or nil if f has no such form.
func (w *Writer) expand(f convex.Func) convex.Func {
	if w.expanded == nil {
		w.expanded = make(map[*convex.Basis]*convex.Form)
	}
	form := convex.Lower(f, w.n)
	terms := form.Terms
	form.Terms = nil
	for _, term := range terms {
		plain, known := w.expanded[term.Basis]
		if !known {
			plain, _ = term.Basis.Expand(w.n)
			if len(w.expanded) > maxExpanded { // most are of one round, and do not come back
				clear(w.expanded)
			}
			w.expanded[term.Basis] = plain
		}
		if plain == nil {
			return nil
		}
		plain.AddTo(form, term.Scale)
	}
	return form
}

// members holds the members of a FORM.
type members struct {
	constant        float64
	lin, diag, quad []float64
	terms           []term
}

// term is a multiple of a function, which is written as a FORM if asForm is true.
type term struct {
	scale  float64
	of     convex.Evaluator
	asForm bool
}

// oneTerm returns f as a sum of one term.
func oneTerm(f convex.Evaluator) []term { return []term{{scale: 1, of: f}} }

// membersOf returns the members of the FORM of a function; ok is false if it cannot be written.
func (w *Writer) membersOf(f convex.Evaluator) (m members, ok bool) {
	if w.nameOf(f) != "" {
		return members{terms: oneTerm(f)}, true
	}
	switch g := convex.Describe(f).(type) {
	case nil:
		return w.membersOfNormalForm(f)
	case *convex.Affine:
		m.constant, m.lin = g.B, g.A
	case *convex.Quadratic:
		m.constant, m.lin = g.B, g.A
		w.setMatrix(&m, g.Q)
	case *convex.Form:
		m.constant, m.lin = g.Const, g.Lin
		w.setMatrix(&m, g.Quad)
		for _, t := range g.Terms {
			m.terms = append(m.terms, term{scale: t.Scale, of: t.Basis})
		}
	case *convex.Shifted:
		return w.membersOfShifted(g)
	case *convex.Composite:
		m.constant, m.lin, m.diag = g.Const, g.Lin, nilIfZero(g.Diag)
		// A reader makes the same matrix of a diagonal without terms. Beside terms it keeps the diagonal,
		// whose sums are rounded otherwise, so that the matrix is written, unless there are too many
		// dimensions for one.
		if m.diag == nil && (len(g.Parts) == 0 || w.n > MaxQuadratic) {
			w.setMatrix(&m, g.Quad)
		} else {
			m.quad = nilIfZero(g.Quad)
		}
		for _, p := range g.Parts {
			m.terms = append(m.terms, term{scale: p.Scale, of: p.Func})
		}
	case *convex.Distance:
		m.constant, m.terms = g.Offset, oneTerm(&convex.Distance{Weight: g.Weight, Center: g.Center})
	case *convex.HalfSquaredDistance:
		m.constant = g.Offset
		m.terms = oneTerm(&convex.HalfSquaredDistance{Weight: g.Weight, Center: g.Center})
	case *convex.ElasticNet:
		m.constant, m.terms = g.Offset, oneTerm(&convex.ElasticNet{L1: g.L1, L2: g.L2})
	default:
		m.terms = oneTerm(g)
	}
	m.lin = nilIfZero(m.lin)
	return m, true
}

// membersOfNormalForm returns the members of the normal form of a function that [convex.Describe]
// does not know; ok is false if the function is known by its values only.
func (w *Writer) membersOfNormalForm(f convex.Evaluator) (m members, ok bool) {
	switch f := f.(type) {
	case *convex.Single:
	case *convex.Basis:
		if form, ok := f.Expand(w.n); ok {
			return w.membersOf(form)
		}
	case convex.Func:
		return w.membersOf(convex.Lower(f, w.n))
	}
	return m, false
}

// setMatrix sets the quadratic part of m, which has none, to the matrix q, or to its diagonal if q
// has no other entries. Plain functions have no diagonal.
func (w *Writer) setMatrix(m *members, q []float64) {
	if m.quad = nilIfZero(q); m.quad == nil || w.n == 1 || w.Plain {
		return
	}
	diag := make([]float64, w.n)
	for i := range w.n {
		for j, v := range q[i*w.n : (i+1)*w.n] {
			if v != 0 && i != j || v < 0 {
				return
			}
		}
		diag[i] = q[i*w.n+i]
	}
	m.quad, m.diag = nil, diag
}

// membersOfShifted returns the members of a function plus a number. If the function is affine, a
// ridge or a separable function, the number is its constant; all others become a term, as FORMs of
// their own.
func (w *Writer) membersOfShifted(g *convex.Shifted) (m members, ok bool) {
	baseAsForm := w.nameOf(g.Base) == ""
	if baseAsForm {
		if m, ok = w.membersOf(g.Base); !ok {
			return m, false
		}
		if m.constant == 0 && m.quad == nil && m.diag == nil &&
			(len(m.terms) == 0 || len(m.terms) == 1 && m.lin == nil && isCurved(m.terms[0])) {
			m.constant = g.Shift
			return m, true
		}
	}
	return members{constant: g.Shift, terms: []term{{1, g.Base, baseAsForm}}}, true
}

// isCurved reports whether a term is a ridge or a separable function.
func isCurved(t term) bool {
	key := keyOf(kindOf(convex.Describe(t.of)), t.scale)
	return key == "ridge" || key == "separable"
}

// nameOf returns the name of a basis, and "" for all else.
func (w *Writer) nameOf(f convex.Evaluator) string {
	b, _ := f.(*convex.Basis)
	return w.names[b]
}

// keyOf returns the key that a term of this scale writes its function with, or "" if the function
// has to be a FORM.
func keyOf(k kind, scale float64) string {
	if k.weight != nil && scale != 1 || k.offset != nil && *k.offset != 0 {
		return ""
	}
	return k.key
}

// writeForm writes a function as a FORM, and reports whether it can be written. If not, what is
// written is of no use.
func (w *Writer) writeForm(f convex.Evaluator) bool {
	m, ok := w.membersOf(f)
	if !ok {
		return false
	}
	sep := "{"
	member := func(key string) {
		w.Text(sep + `"` + key + `":`)
		sep = ","
	}
	if m.constant != 0 {
		member("const")
		w.Number(m.constant)
	}
	if m.lin != nil {
		member("lin")
		w.writeVector(m.lin)
	}
	if m.quad != nil {
		member("quad")
		w.writeList(w.n, func(i int) bool {
			w.Numbers(m.quad[i*w.n : (i+1)*w.n])
			return true
		})
	}
	if m.diag != nil {
		member("diag")
		w.writeVector(m.diag)
	}
	if len(m.terms) > 0 {
		member("terms")
		ok = w.writeList(len(m.terms), func(k int) bool { return w.writeTerm(m.terms[k]) })
	}
	if sep == "{" {
		w.Text(sep)
	}
	w.Text("}")
	return ok
}

// writeTerm writes {"scale":s,"of":FUNC}, and reports whether it can be written.
func (w *Writer) writeTerm(t term) (ok bool) {
	name, key, scale := w.nameOf(t.of), "", t.scale
	var f convex.Evaluator
	var k kind
	if name == "" && !t.asForm {
		f = convex.Describe(t.of)
		k = kindOf(f)
		if key = keyOf(k, scale); key != "" && k.weight != nil {
			scale = *k.weight
		}
	}
	w.Text("{")
	if scale != 1 {
		w.Text(`"scale":`)
		w.Number(scale)
		w.Text(",")
	}
	w.Text(`"of":`)
	switch ok = true; {
	case name != "":
		w.JSON(name)
	case key == "":
		w.Text(`{"form":`)
		ok = w.writeForm(t.of)
		w.Text("}")
	default:
		w.Text(`{"` + key + `":`)
		ok = w.writeKind(f, k.fields)
		w.Text("}")
	}
	w.Text("}")
	return ok
}

// writeKind writes a function by its fields, without its weight, and reports whether it can be
// written.
func (w *Writer) writeKind(f convex.Evaluator, fields []field) bool {
	if m, ok := f.(*convex.Max); ok {
		return w.writeList(len(m.Pieces), func(k int) bool { return w.writeForm(m.Pieces[k]) })
	}
	sep, ok := "{", true
	for _, m := range fields {
		if !m.required && reflect.ValueOf(m.value).Elem().IsZero() {
			continue
		}
		w.Text(sep + `"` + m.key + `":`)
		sep = ","
		ok = w.writeField(m.value) && ok
	}
	if sep == "{" {
		w.Text(sep)
	}
	w.Text("}")
	return ok
}

// writeField writes the value of a field, and reports whether it can be written.
func (w *Writer) writeField(value any) bool {
	switch v := value.(type) {
	case *convex.Curve:
		k := slices.Index(curves, *v)
		if k < 0 {
			return false
		}
		w.JSON(curveNames[k])
	case *float64:
		w.Number(*v)
	case *nonNegative:
		w.Number(float64(*v))
	case *int:
		w.Int(*v)
	case *[]float64:
		w.writeVector(*v)
	case *list:
		w.writeDense(*v)
	case *matrix:
		return w.writeList(len(*v)/w.n, func(k int) bool {
			w.writeVector((*v)[k*w.n : (k+1)*w.n])
			return true
		})
	}
	return true
}

// writeList writes a list of elements, and reports whether all can be written.
func (w *Writer) writeList(count int, element func(k int) bool) bool {
	ok := true
	w.Text("[")
	for k := range count {
		if k > 0 {
			w.Text(",")
		}
		ok = ok && element(k)
	}
	w.Text("]")
	return ok
}

// writeVector writes a vector as a list, or by its entries that are not zero if that is shorter.
func (w *Writer) writeVector(xs []float64) {
	if w.Plain || !sparseIsShorter(xs) {
		w.writeDense(xs)
		return
	}
	var at []int
	for i, x := range xs {
		if x != 0 {
			at = append(at, i)
		}
	}
	w.Text(`{"at":`)
	w.writeList(len(at), func(k int) bool {
		w.Int(at[k])
		return true
	})
	w.Text(`,"is":`)
	w.writeList(len(at), func(k int) bool {
		w.Number(xs[at[k]])
		return true
	})
	w.Text("}")
}

// writeDense writes a vector as a list.
func (w *Writer) writeDense(xs []float64) {
	if w.Packed && len(xs) >= PackedFrom {
		w.noMinus = w.noMinus[:0]
		for _, x := range xs {
			w.noMinus = append(w.noMinus, x+0) // + 0 makes −0 into 0
		}
		w.writePacked(w.noMinus)
		return
	}
	w.writeList(len(xs), func(i int) bool {
		w.Number(xs[i] + 0) // + 0 makes −0 into 0
		return true
	})
}

// sparseIsShorter reports whether a vector takes fewer bytes as its entries that are not zero, with
// their indices, than as a list.
func sparseIsShorter(xs []float64) bool {
	const frameLength = len(`{"at":,"is":[]}`)
	extra, digits, next := frameLength, 1, 10
	for i, x := range xs {
		if i == next {
			digits, next = digits+1, 10*next
		}
		if x == 0 {
			extra -= len("0,")
		} else {
			extra += digits + len(",")
		}
	}
	return extra < 0
}

// nilIfZero returns xs, or nil if all of them are zero.
func nilIfZero(xs []float64) []float64 {
	if !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 }) {
		return nil
	}
	return xs
}
