package wire

import (
	"container/list"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/convex"
)

// This file writes functions. [Writer.Describe] looks at all functions of a line first. It makes a
// tree of forms and terms of each, in which every [convex.Basis] is a name. Bases that have no name
// yet get one, and [Writer.Functions] writes their definitions. Vectors that occur twice in a line,
// or again multiplied by a number, are written once by [Writer.Vectors]. Then [Writer.Form] writes
// the functions. Names of bases stay from line to line. Where bases become too many, the one that
// was used longest ago loses its name to another one: a later definition replaces an earlier one.

// Form is a function on ℝⁿ as it is written:
//
//	FORM  {"const":c,"lin":VEC,"quad":[[…],…],"diag":VEC,"terms":[{"scale":s,"of":FUNC},…]},
//	      which is Σ_k s_k·FUNC_k(x) + lin·x + const + ½Σ_i diag_i x_i² + ½xᵀ quad x
//	FUNC  {"ridge":{"curve":C,"a":VEC,"b":b}}                φ(a·x + b), C being neglog, softplus or exp
//	      {"separable":{"curve":C,"first":i,"rate":VEC,"offset":b}}   Σ_k φ(rate_k x_{i+k} + b)
//	      {"squares":{"rows":[VEC,…],"y":VEC}}               ½Σ_k (rows_k·x − y_k)²
//	      {"distance":{"center":VEC}}                        ‖x − center‖
//	      {"squareddistance":{"center":VEC}}                 ½‖x − center‖²
//	      {"elasticnet":{"l1":a,"l2":b}}                     a‖x‖₁ + ½b‖x‖²
//	      {"linear":{"first":i,"a":VEC}}                     Σ_k a_k x_{i+k}
//	      {"max":[FORM,…]}                                   the largest of these
//	      {"form":FORM}                                      that function
//	      "name"                                             a function of "functions"
//	VEC   […], {"at":[i,…],"is":[v,…]}, the rest zero, "name" of a vector, or
//	      {"of":"name","times":c,"over":d}, which is c·name/d
//
// In a function of a [Row], a number may be "name", or {"of":"name","times":c,"plus":d}, which is
// c·name + d, of a number of the row.
//
// Absent members are zero, and an absent scale is 1. Indices are from 0. A function that is known
// by its values only is {"opaque":true}.
type Form struct {
	opaque    bool
	constant  float64
	lin, diag vector
	quad      []float64
	n         int
	terms     []term
}

// Opaque reports whether the function is known by its values only.
func (f *Form) Opaque() bool { return f.opaque }

// IsQuadratic reports whether the form has a matrix of its own, which is not in a term.
func (f *Form) IsQuadratic() bool { return f.quad != nil || f.diag.is != nil }

// term is a multiple of a function, which is a name or has one of the other members.
type term struct {
	scale float64
	name  string
	kind  string // the key of the function
	curve string
	a     vector // a, rate or center
	first int
	b     float64 // b or offset
	rows  []vector
	y     []float64
	l1    float64
	l2    float64
	forms []*Form // the pieces of max, or the one of form
}

// vector is a vector, and its number among the shared ones of the line, from 1 on.
type vector struct {
	is     []float64
	shared int
}

// sharedVector is a vector of the line.
type sharedVector struct {
	is    []float64
	count int
	of    int     // the vector that it is a multiple of, or 0
	times float64 // and the factor
	name  string
}

// named is a basis that has a name.
type named struct {
	basis *convex.Basis
	name  string
	size  int // numbers in its definition
	line  int // the line that it was used in last
}

// definition is a function that the line defines.
type definition struct {
	basis *convex.Basis
	name  string
	form  *Form
}

const (
	maxNamed       = 1 << 22 // numbers in the definitions of all bases that have names
	sharedLength   = 4       // shorter vectors are not shared
	sharedText     = 40      // bytes; shorter vectors are not shared
	sharedMultiple = 16      // vectors of a line that are compared up to a factor
)

// Describe returns the functions of a line on ℝⁿ, ready to be written. The definitions that they
// need are written by [Writer.Functions] and [Writer.Vectors].
func (w *Writer) Describe(n int, fs ...convex.Func) []*Form {
	w.line++
	w.n, w.defined, w.vectors = n, w.defined[:0], w.vectors[:0]
	forms := make([]*Form, len(fs))
	for i, f := range fs {
		if w.Plain {
			forms[i] = w.expand(f)
			continue
		}
		forms[i] = w.describe(f)
		forms[i].visit(w.intern)
	}
	count := 0
	for i := range w.vectors {
		v := &w.vectors[i]
		if v.of == 0 && v.count > 1 && w.length(v.is) >= sharedText {
			count++
			v.name = vectorName(count)
		}
	}
	return forms
}

// vectorName is a, b, …, z, v27, …
func vectorName(k int) string {
	if k <= 26 {
		return string(rune('a' + k - 1))
	}
	return "v" + strconv.Itoa(k)
}

// length is the length of the text of numbers.
func (w *Writer) length(xs []float64) int {
	before := len(w.Line)
	w.Numbers(xs)
	length := len(w.Line) - before
	w.Line = w.Line[:before]
	return length
}

// visit calls see with all vectors of n numbers or more or less.
func (f *Form) visit(see func(*vector)) {
	see(&f.lin)
	see(&f.diag)
	for i := range f.terms {
		t := &f.terms[i]
		see(&t.a)
		for k := range t.rows {
			see(&t.rows[k])
		}
		for _, g := range t.forms {
			g.visit(see)
		}
	}
}

// intern looks a vector up among those of the line.
func (w *Writer) intern(v *vector) {
	if len(v.is) < sharedLength {
		return
	}
	for i := range w.vectors {
		if u := &w.vectors[i]; slices.Equal(u.is, v.is) {
			v.shared = i + 1
			u.count++
			if u.of > 0 {
				w.vectors[u.of-1].count++
			}
			return
		}
	}
	add := sharedVector{is: v.is, count: 1}
	if len(w.vectors) < sharedMultiple {
		for i := range w.vectors {
			if u := &w.vectors[i]; u.of == 0 {
				if c, ok := multiple(v.is, u.is); ok {
					add.of, add.times = i+1, c
					u.count++
					break
				}
			}
		}
	}
	w.vectors = append(w.vectors, add)
	v.shared = len(w.vectors)
}

// multiple returns c with v = c·u, rounded, and whether there is one.
func multiple(v, u []float64) (c float64, ok bool) {
	if len(v) != len(u) {
		return 0, false
	}
	k := slices.IndexFunc(u, func(x float64) bool { return x != 0 })
	if k < 0 {
		return 0, false
	}
	c = v[k] / u[k]
	for i, x := range u {
		if float64(c*x) != v[i] {
			return 0, false
		}
	}
	return c, c != 0 && !math.IsInf(c, 0)
}

// expand is a function without terms, or an opaque one.
func (w *Writer) expand(f convex.Func) *Form {
	if w.plain == nil {
		w.plain = make(map[*convex.Basis]*convex.Form)
	}
	form := convex.Lower(f, w.n)
	terms := form.Terms
	form.Terms = nil
	for _, term := range terms {
		plain, known := w.plain[term.Basis]
		if !known {
			plain, _ = term.Basis.Expand(w.n)
			if len(w.plain) > 1<<12 { // of functions of one round
				clear(w.plain)
			}
			w.plain[term.Basis] = plain
		}
		if plain == nil {
			return &Form{opaque: true}
		}
		plain.AddTo(form, term.Scale)
	}
	return &Form{n: w.n, constant: form.Const, lin: vector{is: nonzero(form.Lin)},
		quad: nonzero(form.Quad)}
}

// describe makes the tree of a function.
func (w *Writer) describe(f convex.Evaluator) *Form {
	form := &Form{n: w.n}
	if b, ok := f.(*convex.Basis); ok {
		form.add(w.basis(1, b))
		return form
	}
	switch g := convex.Describe(f).(type) {
	case *convex.Affine:
		form.constant, form.lin.is = g.B, nonzero(g.A)
	case *convex.Quadratic:
		form.constant, form.lin.is = g.B, nonzero(g.A)
		form.matrix(g.Q, true)
	case *convex.Form:
		form.constant, form.lin.is = g.Const, nonzero(g.Lin)
		form.matrix(g.Quad, true)
		for _, t := range g.Terms {
			form.add(w.basis(t.Scale, t.Basis))
		}
	case *convex.Shifted:
		w.shifted(form, g)
	case *convex.Composite:
		form.constant, form.lin.is, form.diag.is = g.Const, nonzero(g.Lin), nonzero(g.Diag)
		form.matrix(g.Quad, len(g.Parts) == 0 && form.diag.is == nil)
		for _, p := range g.Parts {
			form.add(w.part(p.Scale, p.Func))
		}
	case nil:
		if lowered, ok := f.(convex.Func); ok { // its normal form is another way to compute it
			if _, opaque := f.(*convex.Single); !opaque {
				return w.describe(convex.Lower(lowered, w.n))
			}
		}
		form.opaque = true
	default:
		t, offset, ok := w.function(g)
		if form.opaque = !ok; ok {
			form.add(t, true)
			form.constant = offset
		}
	}
	return form
}

// add adds a term, or makes the form opaque.
func (f *Form) add(t term, ok bool) {
	if f.terms = append(f.terms, t); !ok {
		f.opaque = true
	}
}

// matrix sets the quadratic part. A matrix that is diagonal is written as its diagonal where it is
// read as a matrix again: beside terms, a diagonal is one, whose sums are rounded otherwise.
func (f *Form) matrix(q []float64, alone bool) {
	if nonzero(q) == nil {
		return
	}
	if !alone && f.n <= MaxQuadratic {
		f.quad = q
		return
	}
	for i := range f.n {
		for j, v := range q[i*f.n : (i+1)*f.n] {
			if v != 0 && i != j || v < 0 {
				f.quad = q
				return
			}
		}
	}
	if f.n == 1 {
		f.quad = q
		return
	}
	f.diag.is = make([]float64, f.n)
	for i := range f.diag.is {
		f.diag.is[i] = q[i*f.n+i]
	}
}

// shifted writes a function plus a number. With an affine function it is one.
func (w *Writer) shifted(form *Form, g *convex.Shifted) {
	if b, ok := g.Base.(*convex.Basis); ok {
		form.constant = g.Shift
		form.add(w.basis(1, b))
		return
	}
	base := w.describe(g.Base)
	if base.constant == 0 {
		*form = *base
		if form.constant = g.Shift; !base.IsQuadratic() && len(base.terms) == 0 {
			return
		}
		if len(base.terms) == 1 && base.lin.is == nil && !base.IsQuadratic() {
			if k := base.terms[0].kind; k == "ridge" || k == "separable" {
				return
			}
		}
	}
	*form = Form{n: w.n, constant: g.Shift, opaque: base.opaque}
	form.add(term{scale: 1, kind: "form", forms: []*Form{base}}, true)
}

// part is a part of a composite function.
func (w *Writer) part(scale float64, f convex.Func) (term, bool) {
	if b, ok := f.(*convex.Basis); ok {
		return w.basis(scale, b)
	}
	if g := convex.Describe(f); g != nil {
		if t, offset, ok := w.function(g); ok && offset == 0 {
			if t.scale == 1 && unweighted(t.kind) || scale == 1 {
				t.scale = float64(t.scale * scale)
				return t, true
			}
		}
	}
	inner := w.describe(f)
	return term{scale: scale, kind: "form", forms: []*Form{inner}}, !inner.opaque
}

// unweighted reports whether functions of a kind have no weight of their own: then the scale of a
// term is not their weight.
func unweighted(kind string) bool {
	return slices.Contains([]string{"squares", "elasticnet", "linear", "max"}, kind)
}

// function returns a function that is a single term, with its offset, and whether it is one.
func (w *Writer) function(f convex.Evaluator) (t term, offset float64, ok bool) {
	switch f := f.(type) {
	case *convex.Ridge:
		t = term{scale: f.Weight, kind: "ridge", a: vector{is: f.A}, b: f.B}
		t.curve, ok = curveName(f.Curve)
		return t, 0, ok
	case *convex.Separable:
		t = term{scale: f.Weight, kind: "separable", a: vector{is: f.Rate}, first: f.First, b: f.Offset}
		t.curve, ok = curveName(f.Curve)
		return t, 0, ok
	case *convex.LeastSquares:
		t = term{scale: 1, kind: "squares", y: f.Y}
		for row := range slices.Chunk(f.H, w.n) {
			t.rows = append(t.rows, vector{is: row})
		}
		return t, 0, len(t.rows) == len(f.Y)
	case *convex.Distance:
		return term{scale: f.Weight, kind: "distance", a: vector{is: f.Center}}, f.Offset, true
	case *convex.SquaredDistance:
		return term{scale: f.Weight, kind: "squareddistance", a: vector{is: f.Center}}, f.Offset, true
	case *convex.ElasticNet:
		return term{scale: 1, kind: "elasticnet", l1: f.L1, l2: f.L2}, f.Offset, true
	case *convex.Linear:
		return term{scale: 1, kind: "linear", a: vector{is: f.A}, first: f.First}, 0, true
	case *convex.Max:
		t, ok = term{scale: 1, kind: "max"}, true
		for _, p := range f.Pieces {
			piece := w.describe(p)
			t.forms = append(t.forms, piece)
			ok = ok && !piece.opaque
		}
		return t, 0, ok
	}
	return term{}, 0, false
}

// basis is a multiple of a basis by its name, which it gets if it has none.
func (w *Writer) basis(scale float64, b *convex.Basis) (t term, ok bool) {
	if w.names == nil {
		w.names, w.recent = make(map[*convex.Basis]*list.Element), list.New()
	}
	if e, ok := w.names[b]; ok {
		known := e.Value.(*named)
		known.line = w.line
		w.recent.MoveToFront(e)
		return term{scale: scale, name: known.name}, true
	}
	var form *Form
	if of := convex.Describe(b); of != nil {
		form = w.describe(of)
	} else if lowered, ok := b.Expand(w.n); ok {
		form = w.describe(lowered)
	}
	if form == nil || form.opaque {
		return term{}, false
	}
	size := len(form.quad)
	form.visit(func(v *vector) { size += len(v.is) })
	name := w.freeName(size)
	w.names[b] = w.recent.PushFront(&named{b, name, size, w.line})
	w.defined = append(w.defined, definition{b, name, form})
	return term{scale: scale, name: name}, true
}

// freeName is a name for a basis: that of the one that was used longest ago if there are too many.
func (w *Writer) freeName(size int) string {
	w.sizes += size
	var name string
	for w.sizes > maxNamed {
		last := w.recent.Back()
		if last == nil || last.Value.(*named).line == w.line {
			break
		}
		old := w.recent.Remove(last).(*named)
		delete(w.names, old.basis)
		w.sizes -= old.size
		name = old.name
	}
	if name == "" {
		w.count++
		name = "f" + strconv.Itoa(w.count)
	}
	return name
}

// forget takes the names back that a line defined which could not be written.
func (w *Writer) forget() {
	for _, d := range w.defined {
		if e := w.names[d.basis]; e != nil {
			w.sizes -= w.recent.Remove(e).(*named).size
			delete(w.names, d.basis)
		}
	}
	w.defined = w.defined[:0]
}

// curveName is the name of a curve.
func curveName(c convex.Curve) (string, bool) {
	for i, known := range curves {
		if c == known {
			return curveNames[i], true
		}
	}
	return "", false
}

var (
	curves     = []convex.Curve{convex.NegLog{}, convex.Softplus{}, convex.Exp{}}
	curveNames = []string{"neglog", "softplus", "exp"}
)

// Functions writes the member "functions" with the definitions that the line needs, and reports
// whether there are any.
func (w *Writer) Functions() bool {
	for i, d := range w.defined {
		if i == 0 {
			w.Text(`"functions":{`)
		} else {
			w.Text(",")
		}
		w.JSON(d.name)
		w.Text(":")
		w.Form(d.form)
	}
	if len(w.defined) == 0 {
		return false
	}
	w.Text("}")
	return true
}

// Vectors writes the member "vectors" with the vectors that functions of the line share, and
// reports whether there are any.
func (w *Writer) Vectors() bool {
	some := false
	for _, v := range w.vectors {
		if v.name == "" {
			continue
		}
		if !some {
			w.Text(`"vectors":{`)
		} else {
			w.Text(",")
		}
		some = true
		w.Text(`"` + v.name + `":`)
		w.numbers(v.is)
	}
	if some {
		w.Text("}")
	}
	return some
}

// vector writes a VEC.
func (w *Writer) vector(v vector) {
	if v.shared > 0 {
		u := &w.vectors[v.shared-1]
		if u.name != "" {
			w.Text(`"` + u.name + `"`)
			return
		}
		if u.of > 0 && w.vectors[u.of-1].name != "" {
			w.Text(`{"of":"` + w.vectors[u.of-1].name + `","times":`)
			w.Number(u.times)
			w.Text("}")
			return
		}
	}
	w.numbers(v.is)
}

// numbers writes a vector as a list, or by its entries that are not zero if that is shorter.
func (w *Writer) numbers(xs []float64) {
	if !w.Plain && len(xs) == w.n && sparse(xs) {
		w.Text(`{"at":[`)
		sep := ""
		for i, x := range xs {
			if x != 0 {
				w.Text(sep)
				w.Int(i)
				sep = ","
			}
		}
		w.Text(`],"is":[`)
		sep = ""
		for _, x := range xs {
			if x != 0 {
				w.Text(sep)
				w.Number(x)
				sep = ","
			}
		}
		w.Text("]}")
		return
	}
	w.Text("[")
	sep := ""
	for _, x := range xs {
		w.Text(sep)
		if x == 0 { // −0 is 0
			x = 0
		}
		w.Number(x)
		sep = ","
	}
	w.Text("]")
}

// sparse reports whether a vector is shorter by its entries that are not zero.
func sparse(xs []float64) bool {
	const frame = len(`{"at":,"is":[]}`)
	longer, digits, next := frame, 1, 10
	for i, x := range xs {
		if i == next {
			digits, next = digits+1, 10*next
		}
		if x == 0 {
			longer -= len("0,")
		} else {
			longer += digits + len(",")
		}
	}
	return longer < 0
}

// Form writes a function. For one that is known by its values only it writes {"opaque":true}, and
// returns false.
func (w *Writer) Form(f *Form) bool {
	if f.opaque {
		w.Text(`{"opaque":true}`)
		return false
	}
	w.Text("{")
	sep := ""
	member := func(key string) {
		w.Text(sep + `"` + key + `":`)
		sep = ","
	}
	if f.constant != 0 {
		member("const")
		w.Number(f.constant)
	}
	if f.lin.is != nil {
		member("lin")
		w.vector(f.lin)
	}
	if f.quad != nil {
		member("quad")
		sep := "[" // of rows
		for row := range slices.Chunk(f.quad, f.n) {
			w.Text(sep)
			w.Numbers(row)
			sep = ","
		}
		w.Text("]")
	}
	if f.diag.is != nil {
		member("diag")
		w.vector(f.diag)
	}
	if len(f.terms) > 0 {
		member("terms")
		sep := "["
		for i := range f.terms {
			w.Text(sep)
			w.term(&f.terms[i])
			sep = ","
		}
		w.Text("]")
	}
	w.Text("}")
	return true
}

func (w *Writer) term(t *term) {
	w.Text("{")
	if t.scale != 1 {
		w.Text(`"scale":`)
		w.Number(t.scale)
		w.Text(",")
	}
	w.Text(`"of":`)
	if t.name != "" {
		w.JSON(t.name)
		w.Text("}")
		return
	}
	w.Text(`{"` + t.kind + `":`)
	number := func(key string, v float64) {
		if v != 0 {
			w.Text(`,"` + key + `":`)
			w.Number(v)
		}
	}
	switch t.kind {
	case "ridge":
		w.Text(`{"curve":"` + t.curve + `","a":`)
		w.vector(t.a)
		number("b", t.b)
		w.Text("}")
	case "separable":
		w.Text(`{"curve":"` + t.curve + `"`)
		number("first", float64(t.first))
		w.Text(`,"rate":`)
		w.vector(t.a)
		number("offset", t.b)
		w.Text("}")
	case "squares":
		w.Text(`{"rows":[`)
		sep := ""
		for _, row := range t.rows {
			w.Text(sep)
			w.vector(row)
			sep = ","
		}
		w.Text(`],"y":`)
		w.Numbers(t.y)
		w.Text("}")
	case "distance", "squareddistance":
		w.Text(`{"center":`)
		w.vector(t.a)
		w.Text("}")
	case "elasticnet":
		w.Text(`{"l1":`)
		w.Number(t.l1)
		number("l2", t.l2)
		w.Text("}")
	case "linear":
		w.Text(`{"a":`)
		w.vector(t.a)
		number("first", float64(t.first))
		w.Text("}")
	case "max":
		sep := "["
		for _, f := range t.forms {
			w.Text(sep)
			w.Form(f)
			sep = ","
		}
		w.Text("]")
	case "form":
		w.Form(t.forms[0])
	default:
		panic(fmt.Sprintf("wire: a function of the kind %q", t.kind))
	}
	w.Text("}}")
}

// nonzero returns xs, or nil if all of them are zero.
func nonzero(xs []float64) []float64 {
	if !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 }) {
		return nil
	}
	return xs
}
