package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/convex"
	"ocobench/internal/input"
)

// This file reads functions. A function becomes one of the exported types of package convex, the
// same as the one that was written ([convex.Describe]), so that its bits are the same. It has to be
// convex, and finite on the domain if there is one: a weight is at least 0, a matrix positive
// semidefinite, and the argument of −log stays positive.

// Members of the objects of the notation, in the order in which they are written.
var (
	formKeys   = []string{"const", "lin", "quad", "diag", "terms", "opaque"}
	termKeys   = []string{"scale", "of"}
	sparseKeys = []string{"at", "is"}
)

// The limits of the notation.
const (
	maxDepth = 20  // functions in functions
	maxRows  = 1e6 // samples of one function
)

// functionReader holds what a [Reader] knows of functions.
type functionReader struct {
	// Domain is where functions have to be finite; nil leaves that unknown.
	Domain convex.Set
	// Where is added to the name of a function in faults of its terms, such as " of round 3".
	Where   string
	trusted bool // the texts were read before: matrices and arguments are not checked again

	named  map[string]*convex.Basis
	bases  []*convex.Basis        // the named ones, in the order in which they were read
	affine map[*convex.Basis]bool // whether a named basis is affine
	depth  int                    // how many functions contain the one that is being read

	zeros        []float64 // the linear part of all functions without one
	lower, upper []float64 // bounds of the coordinates of the domain, see Bounds
	// The buffers of LinearRange.
	maximiser, minusA []float64
}

// Again returns a reader for texts that r has read before. It knows the names that r knows, and
// does not check that functions are convex and finite.
func (r *Reader) Again() (again Reader) {
	again.functionReader = functionReader{Domain: r.Domain, trusted: true, named: r.named,
		affine: r.affine}
	return again
}

// Bases returns the functions that have names, in the order in which they were read.
func (r *Reader) Bases() []*convex.Basis { return r.bases }

// Function is a function as it was read: Other, or if that is nil Const + Lin·x + ½xᵀ Quad x, where
// Lin and Quad are nil if they are zero.
type Function struct {
	Const     float64
	Lin, Quad []float64
	Other     convex.Func

	affine      bool      // whether Other is affine
	n, matrixAt int       // the dimension, and the offset of quad in the text
	zeros       []float64 // n zeros that functions share and nobody may change, or nil
}

// Func returns the function, which refers to the numbers.
func (f *Function) Func() convex.Func {
	if f.Other != nil {
		return f.Other
	}
	lin := f.Lin
	if lin == nil {
		if lin = f.zeros; lin == nil {
			lin = make([]float64, f.n)
		}
	}
	var of convex.Func = &convex.Affine{A: lin, B: f.Const}
	if f.Quad != nil {
		of = &convex.Quadratic{Q: f.Quad, A: lin, B: f.Const}
	}
	if f.Lin == nil && f.zeros != nil { // others share the zeros, so that nobody may change them
		return convex.Freeze(of)
	}
	return of
}

// IsAffine reports whether the function is affine.
func (f *Function) IsAffine() bool { return f.affine || f.Other == nil && f.Quad == nil }

// Equal reports whether two functions that were read are the same, number by number.
func (f *Function) Equal(g *Function) bool {
	if f.Other != nil || g.Other != nil {
		return f.Other != nil && g.Other != nil && convex.Equal(f.Other, g.Other)
	}
	return f.Const == g.Const && slices.Equal(f.Lin, g.Lin) && slices.Equal(f.Quad, g.Quad)
}

// isAffine reports whether a function that was read is affine.
func (r *Reader) isAffine(f convex.Evaluator) bool {
	switch f := f.(type) {
	case *convex.Basis:
		return r.affine[f]
	case *convex.Shifted:
		return r.isAffine(f.Base)
	case *convex.Composite:
		return f.Diag == nil && f.Quad == nil && !slices.ContainsFunc(f.Parts,
			func(p convex.Part) bool { return !r.isAffine(p.Func) })
	}
	switch convex.Describe(f).(type) {
	case *convex.Affine, *convex.Linear:
		return true
	}
	return false
}

// Function reads a function on ℝⁿ in the notation of [Form]; after a fault it is of no use. It does
// not check that the matrix of a function without terms is positive semidefinite, which costs
// O(n³): that is left to [Reader.CheckConvex].
func (r *Reader) Function(what string, n int) Function {
	what = "the form of " + what
	if len(r.zeros) != n {
		r.zeros = make([]float64, n)
	}
	p := formReader{r: r, what: what, Function: Function{n: n, zeros: r.zeros}}
	if r.depth++; r.depth > maxDepth {
		r.Fault(r.At, "%s has more than %d functions in each other", what, maxDepth)
	}
	defer func() { r.depth-- }()
	r.Object(what, formKeys, p.readMember)
	if r.Err == nil {
		p.build()
		p.affine = p.Other != nil && r.isAffine(p.Other)
	}
	return p.Function
}

// formReader holds the members of a FORM while it is read.
type formReader struct {
	r    *Reader
	what string
	Function
	diag       []float64
	terms      []convex.Part
	evaluators []convex.Evaluator // the functions of the terms, nil for a FORM
}

// readMember reads the value of a key of a function.
func (p *formReader) readMember(key string) {
	r, at, what := p.r, p.r.At, p.what
	switch key {
	case "const":
		p.Const = r.Number("const in " + what)
	case "lin":
		p.Lin = nilIfZero(r.readVector("lin in "+what, p.n))
	case "quad":
		p.matrixAt = at
		if p.n > MaxQuadratic {
			r.Fault(at, "quad in %s: a function in %d dimensions is quadratic, expected at most %d", what,
				p.n, MaxQuadratic)
		}
		p.Quad = nilIfZero(r.readMatrix("quad in "+what, nil, p.n))
	case "diag":
		p.diag = r.readVector("diag in "+what, p.n)
		if i := slices.IndexFunc(p.diag, func(v float64) bool { return v < 0 }); i >= 0 {
			r.Fault(at, "diag in %s: entry %d is %v, expected numbers ≥ 0, or the function is not convex",
				what, i, p.diag[i])
		}
		p.diag = nilIfZero(p.diag)
	case "terms":
		r.Array("terms in "+what, func(int) { p.readTerm() })
	case "opaque":
		if !r.acceptWord("true") && r.Err == nil {
			r.Fault(at, "opaque in %s: found %s, expected true; leave it out for a function that is "+
				"written out", what, r.describeNext())
		}
		const members = `write it out with "const", "lin", "quad" and "terms"`
		if r.Open {
			r.Fault(at, `%s is opaque; `+members, what)
		}
		r.Fault(at, `%s is opaque: only its value and a subgradient at the recorded x are known, so that it cannot be replayed; `+members+`, or use the problem that generated it`, what)
	}
}

// readTerm reads {"scale":s,"of":FUNC}.
func (p *formReader) readTerm() {
	r, what := p.r, p.what
	if r.depth == 1 {
		what += r.Where
	}
	at, scale := r.At, 1.0
	var of convex.Evaluator
	isForm := false // a FORM, whose weights and constant are its own
	given := r.Object("a term in "+what, termKeys, func(key string) {
		if key == "scale" {
			scale = r.Number("scale in " + p.what)
		} else {
			of, isForm = r.readFunc(what, p.n)
		}
	})
	r.Require("a term in "+what, given, termKeys, "of")
	if r.Err != nil {
		return
	}
	if scale < 0 && !r.isAffine(of) {
		r.Fault(at, "a term in %s has the scale %v, expected a number ≥ 0, or the function is not convex",
			what, scale)
	}
	f, ok := of.(convex.Func)
	if !ok {
		f = &convex.Single{Of: of}
	}
	if isForm {
		of = nil
	}
	if weight := kindOf(of).weight; weight != nil {
		*weight, scale = scale, 1
	}
	p.terms = append(p.terms, convex.Part{Scale: scale, Func: f})
	p.evaluators = append(p.evaluators, of)
}

// build makes the function of the members: one term and a constant; or, without terms, the numbers,
// where a diagonal becomes a matrix unless there are too many dimensions for one; or a composite
// function.
func (p *formReader) build() {
	if len(p.terms) == 1 && p.terms[0].Scale == 1 && p.Lin == nil && p.Quad == nil && p.diag == nil {
		p.Other = p.buildSingle()
		return
	}
	if len(p.terms) == 0 && p.n <= MaxQuadratic {
		if p.Quad == nil && p.diag != nil {
			p.Quad = make([]float64, p.n*p.n)
		}
		for i, d := range p.diag {
			p.Quad[i*p.n+i] += d
		}
		return
	}
	if len(p.terms) == 0 && p.diag == nil {
		return
	}
	p.r.CheckConvex(p.what, &p.Function)
	p.Other = &convex.Composite{Const: p.Const, Lin: p.Lin, Diag: p.diag, Quad: p.Quad, Parts: p.terms}
}

// buildSingle returns the function that consists of one term plus a constant. A function that has
// an offset takes the constant as its offset.
func (p *formReader) buildSingle() convex.Func {
	c, f := p.Const, p.terms[0].Func
	if offset := kindOf(p.evaluators[0]).offset; offset != nil {
		*offset = c
		return f
	}
	if c != 0 {
		return &convex.Shifted{Base: f, Shift: c}
	}
	return f
}

// readFunc reads a FUNC, with the weight 1, and reports whether it is a FORM.
func (r *Reader) readFunc(what string, n int) (f convex.Evaluator, isForm bool) {
	at := r.At
	if name, ok := r.acceptString(); ok {
		if b := r.named[name]; b != nil {
			return b, false
		}
		r.Fault(at, `%s: there is no function %q; "functions" of the first line, or of the `+
			`instance, has to define it`, what, input.Clip(name, 40))
		return nil, false
	}
	count := 0
	r.Object("a function in "+what, funcKeys, func(key string) {
		count++
		switch key {
		case "max":
			f = r.readMax(what, n)
		case "form":
			f, isForm = r.readInnerForm(what, n), true
		default:
			f = r.readKind(key, what, n)
		}
	})
	if r.Err == nil && count != 1 {
		r.Fault(at, "a function in %s has %d members, expected one of %s", what, count,
			strings.Join(funcKeys, ", "))
	}
	return f, isForm
}

// readInnerForm reads a FORM within another one, and checks it.
func (r *Reader) readInnerForm(what string, n int) convex.Func {
	f := r.Function(strings.TrimPrefix(what, "the form of "), n)
	r.CheckConvex(what, &f)
	f.zeros = nil
	return f.Func()
}

// readKind reads a function that has fields.
func (r *Reader) readKind(key, what string, n int) convex.Evaluator {
	at, in, f := r.At, key+" in "+what, newFunction[key]()
	fields := kindOf(f).fields
	var keys, needed []string
	for _, m := range fields {
		keys = append(keys, m.key)
		if m.required {
			needed = append(needed, m.key)
		}
	}
	given := r.Object(in, keys, func(key string) {
		r.readField(fields[slices.Index(keys, key)], in, what, n)
	})
	if r.Require(in, given, keys, needed...); r.Err == nil {
		r.checkFunc(at, f, in, what, n)
	}
	return f
}

// readField reads the value of a field of the function that messages call in.
func (r *Reader) readField(m field, in, what string, n int) {
	at, of := r.At, m.key+" of "+in
	switch v := m.value.(type) {
	case *convex.Curve:
		*v = r.readCurve(what)
	case *float64:
		*v = r.Number(of)
	case *nonNegative:
		if *v = nonNegative(r.Number(of)); *v < 0 {
			r.Fault(at, "%s is %v, expected a number ≥ 0, or the function is not convex", of, *v)
		}
	case *int:
		*v = r.Integer(of, 0, n-1, ", an index of a coordinate from 0")
	case *[]float64:
		*v = r.readVector(of, n)
	case *list:
		*v = r.Numbers(of, nil, AnyLength)
	case *matrix:
		r.Array(of, func(k int) {
			if (k+1)*n > maxRows*MaxQuadratic {
				r.Fault(at, "%s has more than %d rows", in, k)
			}
			*v = append(*v, r.readVector("row "+strconv.Itoa(k+1)+" of "+in, n)...)
		})
	}
}

// checkFunc records a fault unless the fields of a function fit together, and it is finite on the
// domain.
func (r *Reader) checkFunc(at int, f convex.Evaluator, in, what string, n int) {
	checked := r.Domain != nil && !r.trusted
	switch f := f.(type) {
	case *convex.Linear:
		r.checkReach(at, in, "a", f.First, len(f.A), n)
	case *convex.LeastSquares:
		if rows := len(f.H) / n; rows != len(f.Y) {
			r.Fault(at, "%s has %d rows and %d numbers y, expected as many", in, rows, len(f.Y))
		}
	case *convex.Ridge:
		if checked {
			least, most := r.LinearRange(f.A)
			r.checkFinite(at, what, f.Curve, least+f.B, most+f.B)
		}
	case *convex.Separable:
		if r.checkReach(at, in, "rate", f.First, len(f.Rate), n); r.Err != nil || !checked {
			return
		}
		lower, upper := r.Bounds()
		for k, rate := range f.Rate {
			u, v := float64(rate*lower[f.First+k]), float64(rate*upper[f.First+k])
			r.checkFinite(at, what, f.Curve, min(u, v)+f.Offset, max(u, v)+f.Offset)
		}
	}
}

// checkReach records a fault unless a vector of this length, which begins at coordinate first, ends
// in n dimensions.
func (r *Reader) checkReach(at int, in, key string, first, length, n int) {
	if first+length > n {
		r.Fault(at, "%s: first %d and %s of length %d reach beyond the %d coordinates of the domain",
			in, first, key, length, n)
	}
}

// readMax reads the pieces of a [convex.Max].
func (r *Reader) readMax(what string, n int) convex.Evaluator {
	at, m := r.At, &convex.Max{}
	r.Array("max in "+what, func(int) {
		if f := r.readInnerForm(what, n); r.Err == nil {
			m.Pieces = append(m.Pieces, convex.Lower(f, n))
		}
	})
	if r.Err == nil && len(m.Pieces) == 0 {
		r.Fault(at, "max in %s is empty, expected at least one function", what)
	}
	return m
}

// readCurve reads the name of a curve.
func (r *Reader) readCurve(what string) convex.Curve {
	at := r.At
	name, ok := r.acceptString()
	if !ok {
		r.faultExpected("curve in "+what, "one of "+strings.Join(curveNames, ", ")+", in quotes")
		return convex.Exp{}
	}
	if k := slices.Index(curveNames, name); k >= 0 {
		return curves[k]
	}
	r.Fault(at, "curve in %s: unknown curve %q (curves: %s)", what, input.Clip(name, 40),
		strings.Join(curveNames, ", "))
	return convex.Exp{}
}

// checkFinite records a fault unless the curve is finite from least to most. It is convex, so that
// the ends decide.
func (r *Reader) checkFinite(at int, what string, curve convex.Curve, least, most float64) {
	if _, log := curve.(convex.NegLog); log && !(least > 0) {
		r.Fault(at, "%s: the argument of −log is from %v to %v on the domain, expected > 0 everywhere",
			what, least, most)
	}
	for _, u := range []float64{least, most} {
		if v := curve.Value(u); v-v != 0 {
			r.Fault(at, "%s: the function is %v where its argument is %v, expected finite values on the "+
				"domain", what, v, u)
		}
	}
}

// LinearRange returns the least and the largest a·x on the domain.
func (r *Reader) LinearRange(a []float64) (least, most float64) {
	r.maximiser = slices.Grow(r.maximiser[:0], len(a))[:len(a)]
	most = r.Domain.Support(r.maximiser, a)
	r.minusA = r.minusA[:0]
	for _, v := range a {
		r.minusA = append(r.minusA, -v)
	}
	return -r.Domain.Support(r.maximiser, r.minusA), most
}

// Bounds returns the least and the largest value of each coordinate in the domain.
func (r *Reader) Bounds() (lower, upper []float64) {
	if r.lower == nil {
		e := make([]float64, r.Domain.Dim())
		for i := range e {
			e[i] = 1
			least, most := r.LinearRange(e)
			r.lower, r.upper = append(r.lower, least), append(r.upper, most)
			e[i] = 0
		}
	}
	return r.lower, r.upper
}

// readVector reads a VEC of n numbers, or a list if n is [AnyLength].
func (r *Reader) readVector(what string, n int) []float64 {
	r.skipSpace()
	at := r.At
	if n == AnyLength || r.At >= len(r.Text) || r.Text[r.At] != '{' {
		return r.Numbers(what, nil, n)
	}
	if v, ok := r.readPacked(what, n); ok {
		return v
	}
	var index []int
	var is []float64
	r.Require(what, r.Object(what, sparseKeys, func(key string) {
		if key == "is" {
			is = r.Numbers(what, nil, AnyLength)
			return
		}
		last := -1
		r.Array("at of "+what, func(int) {
			at := r.At
			i := r.Integer("an index in "+what, 0, math.MaxInt32, "")
			if r.Err == nil && (i <= last || i >= n) {
				r.Fault(at, "the index %d in %s, expected increasing indices from 0, less than %d", i, what, n)
			}
			last = i
			index = append(index, i)
		})
	}), sparseKeys, sparseKeys...)
	if r.Err == nil && len(index) != len(is) {
		r.Fault(at, "%s has %d indices and %d numbers, expected as many", what, len(index), len(is))
	}
	if r.Err != nil {
		return nil
	}
	v := make([]float64, n)
	for k, i := range index {
		v[i] = is[k]
	}
	return v
}

// readPacked reads a packed vector of n numbers; ok is false if what comes next is none.
func (r *Reader) readPacked(what string, n int) (v []float64, ok bool) {
	const begin, end = `{"f64":"`, `"}`
	rest, ok := bytes.CutPrefix(r.Text[r.At:], []byte(begin))
	if !r.Packed || !ok {
		return nil, false
	}
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	bits, err := base64.StdEncoding.Strict().AppendDecode(nil, text)
	after := len(begin) + len(text)
	if err != nil || len(bits) != 8*n || !bytes.HasPrefix(r.Text[r.At+after:], []byte(end)) {
		r.Fault(r.At, "%s is packed, expected the base64 of %d bytes, 8 for each dimension of the domain",
			what, 8*n)
		return nil, true
	}
	v = make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(bits[8*i:]))
		if v[i]-v[i] != 0 {
			r.Fault(r.At, "%s is packed and has %v, expected finite numbers", what, v[i])
			return nil, true
		}
	}
	r.At += after + len(end)
	return v, true
}

// Functions reads the member "functions" of a first line or message, which replaces all that was
// read before: functions on ℝⁿ by their names.
func (r *Reader) Functions(n int) {
	r.named, r.affine, r.bases = make(map[string]*convex.Basis), make(map[*convex.Basis]bool), nil
	if !r.accept('{') {
		r.faultExpected("functions", "an object {…}")
		return
	}
	r.readElements("functions", "} of the object", func(int) {
		at := r.At
		name, ok := r.acceptString()
		switch {
		case !ok:
			r.faultExpected("functions", "a name in quotes")
		case r.named[name] != nil:
			r.Fault(at, "functions: the name %q comes twice; keep one", input.Clip(name, 40))
		case !r.accept(':'):
			r.faultExpected("functions", "a colon after the name")
		default:
			r.skipSpace()
			f := r.readInnerForm("the function "+strconv.Quote(input.Clip(name, 40)), n)
			if r.Err != nil {
				return
			}
			var of convex.Evaluator = f
			if s, ok := f.(*convex.Single); ok {
				of = s.Of
			}
			b := convex.NewBasis(of)
			r.named[name], r.affine[b] = b, r.isAffine(of)
			r.bases = append(r.bases, b)
		}
	})
}
