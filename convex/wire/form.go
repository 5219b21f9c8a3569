package wire

import (
	"slices"
	"strconv"

	"ocobench/convex"
)

// This file writes functions, in the notation of the package. A function is looked at one level
// after the other: [Writer.members] says which members its FORM has, and every term is a name, a
// function of the list, or a FORM again.

// Functions writes the member "functions" with these bases on ℝⁿ, and reports whether there are
// any. From there on, also in later ones, the writer refers to them by their names. Those that are
// known by their values only have none.
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
		if w.names[b] != "" || !w.form(b) {
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
	if f != nil && w.form(f) {
		return true
	}
	w.Line, w.Err = append(w.Line[:start], `{"opaque":true}`...), err
	return false
}

// expand returns a function without terms, or nil if there is none.
func (w *Writer) expand(f convex.Func) convex.Func {
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

// term is a multiple of a function, which is written as a FORM if it is whole.
type term struct {
	scale float64
	of    convex.Evaluator
	whole bool
}

// single returns f as a sum of one term.
func single(f convex.Evaluator) []term { return []term{{scale: 1, of: f}} }

// members returns those of a function, and whether it can be written.
func (w *Writer) members(f convex.Evaluator) (m members, ok bool) {
	if w.nameOf(f) != "" {
		return members{terms: single(f)}, true
	}
	switch g := convex.Describe(f).(type) {
	case nil:
		return w.lowered(f)
	case *convex.Affine:
		m.constant, m.lin = g.B, g.A
	case *convex.Quadratic:
		m.constant, m.lin = g.B, g.A
		w.matrix(&m, g.Q, true)
	case *convex.Form:
		m.constant, m.lin = g.Const, g.Lin
		w.matrix(&m, g.Quad, true)
		for _, t := range g.Terms {
			m.terms = append(m.terms, term{scale: t.Scale, of: t.Basis})
		}
	case *convex.Shifted:
		return w.shifted(g)
	case *convex.Composite:
		m.constant, m.lin, m.diag = g.Const, g.Lin, nonzero(g.Diag)
		w.matrix(&m, g.Quad, len(g.Parts) == 0 && m.diag == nil)
		for _, p := range g.Parts {
			m.terms = append(m.terms, term{scale: p.Scale, of: p.Func})
		}
	case *convex.Distance:
		m.constant, m.terms = g.Offset, single(&convex.Distance{Weight: g.Weight, Center: g.Center})
	case *convex.HalfSquaredDistance:
		m.constant = g.Offset
		m.terms = single(&convex.HalfSquaredDistance{Weight: g.Weight, Center: g.Center})
	case *convex.ElasticNet:
		m.constant, m.terms = g.Offset, single(&convex.ElasticNet{L1: g.L1, L2: g.L2})
	default:
		m.terms = single(g)
	}
	m.lin = nonzero(m.lin)
	return m, true
}

// lowered returns the members of the normal form of a function that does not say what it is made
// of.
func (w *Writer) lowered(f convex.Evaluator) (m members, ok bool) {
	switch f := f.(type) {
	case *convex.Single:
	case *convex.Basis:
		if form, ok := f.Expand(w.n); ok {
			return w.members(form)
		}
	case convex.Func:
		return w.members(convex.Lower(f, w.n))
	}
	return m, false
}

// matrix sets the quadratic part. A matrix that is diagonal is written as its diagonal where it is
// read as a matrix again: beside terms, a diagonal is one, whose sums are rounded otherwise.
func (w *Writer) matrix(m *members, q []float64, alone bool) {
	if m.quad = nonzero(q); m.quad == nil || w.n == 1 || w.Plain || !alone && w.n <= MaxQuadratic {
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

// shifted returns the members of a function plus a number. With an affine function, a ridge or a
// separable function it is one; all others are FORMs of their own.
func (w *Writer) shifted(g *convex.Shifted) (m members, ok bool) {
	whole := w.nameOf(g.Base) == ""
	if whole {
		if m, ok = w.members(g.Base); !ok {
			return m, false
		}
		if m.constant == 0 && m.quad == nil && m.diag == nil &&
			(len(m.terms) == 0 || len(m.terms) == 1 && m.lin == nil && isCurved(m.terms[0])) {
			m.constant = g.Shift
			return m, true
		}
	}
	return members{constant: g.Shift, terms: []term{{1, g.Base, whole}}}, true
}

// isCurved reports whether a term is a ridge or a separable function.
func isCurved(t term) bool {
	key, _ := kindOf(t.scale, convex.Describe(t.of))
	return key == "ridge" || key == "separable"
}

// nameOf returns the name of a basis, and "" for all else.
func (w *Writer) nameOf(f convex.Evaluator) string {
	b, _ := f.(*convex.Basis)
	return w.names[b]
}

// kindOf returns the key of a function that is no FORM in a term of this scale, and the scale that
// is written; "" for all others. The weight of a function that has one is the scale of its term.
func kindOf(scale float64, f convex.Evaluator) (key string, written float64) {
	weighted := func(key string, weight, offset float64) (string, float64) {
		if scale != 1 || offset != 0 {
			return "", 0
		}
		return key, weight
	}
	switch f := f.(type) {
	case *convex.Ridge:
		return weighted("ridge", f.Weight, 0)
	case *convex.Separable:
		return weighted("separable", f.Weight, 0)
	case *convex.Distance:
		return weighted("distance", f.Weight, f.Offset)
	case *convex.HalfSquaredDistance:
		return weighted("halfsquareddistance", f.Weight, f.Offset)
	case *convex.ElasticNet:
		if f.Offset == 0 {
			return "elasticnet", scale
		}
	case *convex.LeastSquares:
		return "halfsquares", scale
	case *convex.Linear:
		return "linear", scale
	case *convex.Max:
		return "max", scale
	}
	return "", 0
}

// form writes a function as a FORM, and reports whether it can be written; else what is written is
// of no use.
func (w *Writer) form(f convex.Evaluator) bool {
	m, ok := w.members(f)
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
		w.vector(m.lin)
	}
	if m.quad != nil {
		member("quad")
		w.list(w.n, func(i int) bool {
			w.Numbers(m.quad[i*w.n : (i+1)*w.n])
			return true
		})
	}
	if m.diag != nil {
		member("diag")
		w.vector(m.diag)
	}
	if len(m.terms) > 0 {
		member("terms")
		ok = w.list(len(m.terms), func(k int) bool { return w.term(m.terms[k]) })
	}
	if sep == "{" {
		w.Text(sep)
	}
	w.Text("}")
	return ok
}

// term writes {"scale":s,"of":FUNC}, and reports whether it can be written.
func (w *Writer) term(t term) (ok bool) {
	name, key, scale := w.nameOf(t.of), "", t.scale
	var f convex.Evaluator
	if name == "" && !t.whole {
		f = convex.Describe(t.of)
		if k, s := kindOf(scale, f); k != "" {
			key, scale = k, s
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
		ok = w.form(t.of)
		w.Text("}")
	default:
		w.Text(`{"` + key + `":`)
		ok = w.function(f)
		w.Text("}")
	}
	w.Text("}")
	return ok
}

// function writes the members of a function that is no FORM, without its weight, and reports
// whether it can be written.
func (w *Writer) function(f convex.Evaluator) (ok bool) {
	sep := "{"
	key := func(key string) {
		w.Text(sep + `"` + key + `":`)
		sep = ","
	}
	number := func(name string, v float64) {
		if v != 0 {
			key(name)
			w.Number(v)
		}
	}
	vector := func(name string, v []float64) {
		key(name)
		w.vector(v)
	}
	curve := func(c convex.Curve) {
		k := slices.Index(curves, c)
		if ok = k >= 0; ok {
			key("curve")
			w.JSON(curveNames[k])
		}
	}
	switch ok = true; f := f.(type) {
	case *convex.Ridge:
		curve(f.Curve)
		vector("a", f.A)
		number("b", f.B)
	case *convex.Separable:
		curve(f.Curve)
		number("first", float64(f.First))
		key("rate")
		w.dense(f.Rate)
		number("offset", f.Offset)
	case *convex.LeastSquares:
		key("rows")
		ok = w.list(len(f.Y), func(k int) bool {
			w.vector(f.H[k*w.n : (k+1)*w.n])
			return true
		})
		key("y")
		w.Numbers(f.Y)
	case *convex.Distance:
		vector("center", f.Center)
	case *convex.HalfSquaredDistance:
		vector("center", f.Center)
	case *convex.ElasticNet:
		key("l1")
		w.Number(f.L1)
		number("l2", f.L2)
	case *convex.Linear:
		key("a")
		w.dense(f.A)
		number("first", float64(f.First))
	case *convex.Max:
		return w.list(len(f.Pieces), func(k int) bool { return w.form(f.Pieces[k]) })
	}
	w.Text("}")
	return ok
}

// list writes a list of elements, and reports whether all can be written.
func (w *Writer) list(count int, element func(k int) bool) bool {
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

var (
	curves     = []convex.Curve{convex.NegLog{}, convex.Softplus{}, convex.Exp{}}
	curveNames = []string{"neglog", "softplus", "exp"}
)

// vector writes a vector as a list, or by its entries that are not zero if that is shorter.
func (w *Writer) vector(xs []float64) {
	if w.Plain || !sparse(xs) {
		w.dense(xs)
		return
	}
	var at []int
	for i, x := range xs {
		if x != 0 {
			at = append(at, i)
		}
	}
	w.Text(`{"at":`)
	w.list(len(at), func(k int) bool {
		w.Int(at[k])
		return true
	})
	w.Text(`,"is":`)
	w.list(len(at), func(k int) bool {
		w.Number(xs[at[k]])
		return true
	})
	w.Text("}")
}

// dense writes a vector as a list.
func (w *Writer) dense(xs []float64) {
	if w.Packed && len(xs) >= PackedFrom {
		w.zeros = w.zeros[:0]
		for _, x := range xs {
			w.zeros = append(w.zeros, x+0)
		}
		w.packed(w.zeros)
		return
	}
	w.list(len(xs), func(i int) bool {
		w.Number(xs[i] + 0) // + 0 makes −0 into 0
		return true
	})
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

// nonzero returns xs, or nil if all of them are zero.
func nonzero(xs []float64) []float64 {
	if !slices.ContainsFunc(xs, func(x float64) bool { return x != 0 }) {
		return nil
	}
	return xs
}
