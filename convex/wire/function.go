package wire

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/convex"
	"ocobench/internal/input"
)

// This file reads functions in the notation of [Form]. A function becomes one of the exported types
// of package convex, the same as the one that was written ([convex.Describe]), so that its bits are
// the same. The names of "functions" stay known until a later line defines them anew, those of
// "vectors" until the next line. A function of a name is one [convex.Basis], wherever it is used;
// all others are functions of their own.
//
// A function has to be convex, and finite on the domain if there is one: a weight is at least 0, a
// matrix positive semidefinite, and the argument of −log stays positive.

// Members of the objects of the notation, in the order in which they are written.
var (
	formKeys = []string{"const", "lin", "quad", "diag", "terms", "opaque"}
	termKeys = []string{"scale", "of"}
	funcKeys = []string{"ridge", "separable", "squares", "distance", "squareddistance",
		"elasticnet", "linear", "max", "form"}
	ridgeKeys     = []string{"curve", "a", "b"}
	separableKeys = []string{"curve", "first", "rate", "offset"}
	squaresKeys   = []string{"rows", "y"}
	centerKeys    = []string{"center"}
	elasticKeys   = []string{"l1", "l2"}
	linearKeys    = []string{"first", "a"}
	sparseKeys    = []string{"at", "is", "of", "times", "over"}
	numberKeys    = []string{"of", "times", "plus"}
)

// The limits of the notation.
const (
	maxDepth = 20  // functions in functions
	maxRows  = 1e6 // samples of one function
)

// functions is what a [Reader] knows of functions.
type functions struct {
	// Domain is where functions have to be finite; nil leaves that unknown.
	Domain convex.Set
	// Where is added to the name of a function in faults of its terms, such as " of round 3".
	Where string
	// Trusted: matrices and arguments are not looked at again, as this text was read before.
	Trusted bool

	named   map[string]*convex.Basis
	content map[*convex.Basis]convex.Evaluator // of those that have names
	vectors map[string][]float64
	numbers map[string]float64 // nil but in a row
	depth   int

	lower, upper []float64 // of coordinates of the domain
	at, slope    []float64
}

// Forget forgets the names of functions and vectors.
func (r *Reader) Forget() { r.named, r.content, r.vectors, r.numbers = nil, nil, nil, nil }

// Content returns the function of a basis that has a name, as it was read; it must not be changed.
func (r *Reader) Content(b *convex.Basis) convex.Evaluator { return r.content[b] }

// ForgetVectors forgets the names of vectors and of the numbers of a row, at the end of a line.
func (r *Reader) ForgetVectors() {
	clear(r.vectors)
	r.numbers = nil
}

// Function is a function as it was read. One without terms is its numbers, of which the vectors are
// nil where they are zero; every other one is Other.
type Function struct {
	Const     float64
	Lin, Quad []float64
	Other     convex.Func

	n, matrixAt int
}

// Func returns the function. It refers to the numbers, and to those of zeros, n of them, if that is
// not nil.
func (f *Function) Func(zeros []float64) convex.Func {
	if f.Other != nil {
		return f.Other
	}
	lin, frozen := f.Lin, false
	if lin == nil {
		if lin, frozen = zeros, true; zeros == nil {
			lin, frozen = make([]float64, f.n), false
		}
	}
	var of convex.Func = &convex.Affine{A: lin, B: f.Const}
	if f.Quad != nil {
		of = &convex.Quadratic{Q: f.Quad, A: lin, B: f.Const}
	}
	if frozen {
		return convex.Freeze(of)
	}
	return of
}

// Equal reports whether two functions that were read are the same, number by number.
func (f *Function) Equal(g *Function) bool {
	if f.Other != nil || g.Other != nil {
		return f.Other != nil && g.Other != nil && convex.Equal(f.Other, g.Other)
	}
	return f.Const == g.Const && slices.Equal(f.Lin, g.Lin) && slices.Equal(f.Quad, g.Quad)
}

// IsAffine reports whether the function is affine. Content looks into a basis that was read, see
// [Reader.Content].
func (f *Function) IsAffine(content func(*convex.Basis) convex.Evaluator) bool {
	if f.Other == nil {
		return f.Quad == nil
	}
	return isAffine(f.Other, content)
}

func isAffine(f convex.Evaluator, content func(*convex.Basis) convex.Evaluator) bool {
	switch f := f.(type) {
	case *convex.Affine, *convex.Linear:
		return true
	case *convex.Basis:
		return isAffine(content(f), content)
	case *convex.Shifted:
		return isAffine(f.Base, content)
	case *convex.Composite:
		return f.Diag == nil && f.Quad == nil && !slices.ContainsFunc(f.Parts,
			func(p convex.Part) bool { return !isAffine(p.Func, content) })
	}
	return false
}

// Function reads a function on ℝⁿ in the notation of [Form]; after a fault it is of no use. It does
// not check that the matrix of a function without terms is positive semidefinite, which costs
// O(n³): that is left to [Reader.Convex].
func (r *Reader) Function(what string, n int) Function {
	what = "the form of " + what
	p := parts{r: r, what: what, Function: Function{n: n}}
	if r.depth++; r.depth > maxDepth {
		r.Fault(r.At, "%s has more than %d functions in each other", what, maxDepth)
	}
	defer func() { r.depth-- }()
	r.Object(what, formKeys, p.member)
	if r.Err == nil {
		p.make()
	}
	return p.Function
}

// parts are the members of a form.
type parts struct {
	r    *Reader
	what string
	Function
	diag       []float64
	terms      []convex.Part
	evaluators []convex.Evaluator // those of the terms, nil where the function is a FORM
}

func (p *parts) member(key string) {
	r, at, what := p.r, p.r.At, p.what
	switch key {
	case "const":
		p.Const = r.Number("const in " + what)
	case "lin":
		p.Lin = nonzero(r.vector("lin in "+what, p.n))
	case "quad":
		p.matrixAt = at
		if p.n > MaxQuadratic {
			r.Fault(at, "quad in %s: a function in %d dimensions is quadratic, expected at most %d", what,
				p.n, MaxQuadratic)
		}
		p.Quad = nonzero(r.matrix("quad in "+what, nil, p.n))
	case "diag":
		p.diag = r.vector("diag in "+what, p.n)
		if i := slices.IndexFunc(p.diag, func(v float64) bool { return v < 0 }); i >= 0 {
			r.Fault(at, "diag in %s: entry %d is %v, expected numbers ≥ 0, or the function is not convex",
				what, i, p.diag[i])
		}
		p.diag = nonzero(p.diag)
	case "terms":
		r.Array("terms in "+what, func(int) { p.term() })
	case "opaque":
		if !r.literal("true") && r.Err == nil {
			r.Fault(at, "opaque in %s: found %s, expected true; leave it out for a function that is "+
				"written out", what, r.found())
		}
		const members = `write it out with "const", "lin", "quad" and "terms"`
		if r.Open {
			r.Fault(at, `%s is opaque; `+members, what)
		}
		r.Fault(at, `%s is opaque: only its value and a subgradient at the recorded x are known, so that it cannot be replayed; `+members+`, or use the problem that generated it`, what)
	}
}

// term reads {"scale":s,"of":FUNC}.
func (p *parts) term() {
	r, what := p.r, p.what
	if r.depth == 1 {
		what += r.Where
	}
	at, scale := r.At, 1.0
	var of convex.Evaluator
	whole := false // a FORM, whose weights and constant are its own
	given := r.Object("a term in "+what, termKeys, func(key string) {
		if key == "scale" {
			scale = r.Number("scale in " + p.what)
		} else {
			of, whole = r.evaluator(what, p.n)
		}
	})
	r.Require("a term in "+what, given, termKeys, "of")
	if r.Err != nil {
		return
	}
	if scale < 0 && !isAffine(of, r.Content) {
		r.Fault(at, "a term in %s has the scale %v, expected a number ≥ 0, or the function is not convex",
			what, scale)
	}
	f, ok := of.(convex.Func)
	if !ok {
		f = &convex.Single{Of: of}
	}
	if whole {
		of = nil
	}
	switch f := of.(type) {
	case *convex.Ridge:
		f.Weight, scale = scale, 1
	case *convex.Separable:
		f.Weight, scale = scale, 1
	case *convex.Distance:
		f.Weight, scale = scale, 1
	case *convex.SquaredDistance:
		f.Weight, scale = scale, 1
	}
	p.terms = append(p.terms, convex.Part{Scale: scale, Func: f})
	p.evaluators = append(p.evaluators, of)
}

// make makes the function of its parts.
func (p *parts) make() {
	if len(p.terms) == 1 && p.terms[0].Scale == 1 && p.Lin == nil && p.Quad == nil && p.diag == nil {
		p.Other = p.single()
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
	p.r.Convex(p.what, &p.Function)
	p.Other = &convex.Composite{Const: p.Const, Lin: p.Lin, Diag: p.diag, Quad: p.Quad, Parts: p.terms}
}

// single returns the function that is a term plus a constant.
func (p *parts) single() convex.Func {
	c, f := p.Const, p.terms[0].Func
	switch e := p.evaluators[0].(type) {
	case *convex.Distance:
		e.Offset = c
		return f
	case *convex.SquaredDistance:
		e.Offset = c
		return e
	case *convex.ElasticNet:
		e.Offset = c
		return f
	}
	if c != 0 {
		return &convex.Shifted{Base: f, Shift: c}
	}
	return f
}

// evaluator reads a FUNC, with the weight 1, and reports whether it is a FORM.
func (r *Reader) evaluator(what string, n int) (f convex.Evaluator, whole bool) {
	at := r.At
	if name, ok := r.string(); ok {
		if b := r.named[name]; b != nil {
			return b, false
		}
		r.Fault(at, `%s: there is no function %q; "functions" of the first line, or of a line up to here, has to define it`,
			what, input.Clip(name, 40))
		return nil, false
	}
	count := 0
	r.Object("a function in "+what, funcKeys, func(key string) {
		count++
		switch key {
		case "ridge":
			f = r.ridge(what, n)
		case "separable":
			f = r.separable(what, n)
		case "squares":
			f = r.squares(what, n)
		case "distance":
			f = &convex.Distance{Weight: 1, Center: r.center(key, what, n)}
		case "squareddistance":
			f = &convex.SquaredDistance{Weight: 1, Center: r.center(key, what, n)}
		case "elasticnet":
			f = r.elasticNet(what)
		case "linear":
			f = r.linear(what, n)
		case "max":
			f = r.max(what, n)
		case "form":
			f, whole = r.inner(what, n), true
		}
	})
	if r.Err == nil && count != 1 {
		r.Fault(at, "a function in %s has %d members, expected one of %s", what, count,
			strings.Join(funcKeys, ", "))
	}
	return f, whole
}

// inner reads a FORM within another one, and checks it.
func (r *Reader) inner(what string, n int) convex.Func {
	f := r.Function(strings.TrimPrefix(what, "the form of "), n)
	r.Convex(what, &f)
	return f.Func(nil)
}

// kind reads the members of a function of some kind, of which some are required.
func (r *Reader) kind(what string, keys []string, member func(key string), required ...string) {
	r.Require(what, r.Object(what, keys, member), keys, required...)
}

func (r *Reader) ridge(what string, n int) convex.Evaluator {
	at, f := r.At, &convex.Ridge{Weight: 1}
	r.kind("ridge in "+what, ridgeKeys, func(key string) {
		switch key {
		case "curve":
			f.Curve = r.curve(what)
		case "a":
			f.A = r.vector("a of ridge in "+what, n)
		case "b":
			f.B = r.Number("b of ridge in " + what)
		}
	}, "curve", "a")
	if r.Err == nil && r.Domain != nil && !r.Trusted {
		least, most := r.Reach(f.A)
		r.finite(at, what, f.Curve, least+f.B, most+f.B)
	}
	return f
}

func (r *Reader) separable(what string, n int) convex.Evaluator {
	at, f := r.At, &convex.Separable{Weight: 1}
	r.kind("separable in "+what, separableKeys, func(key string) {
		switch key {
		case "curve":
			f.Curve = r.curve(what)
		case "first":
			f.First = r.Integer("first of separable in "+what, 0, n-1, ", an index of a coordinate from 0")
		case "rate":
			f.Rate = r.vector("rate of separable in "+what, -1)
		case "offset":
			f.Offset = r.Number("offset of separable in " + what)
		}
	}, "curve", "rate")
	r.fits(at, "separable in "+what, "rate", f.First, len(f.Rate), n)
	if r.Err == nil && r.Domain != nil && !r.Trusted {
		lower, upper := r.Bounds()
		for k, rate := range f.Rate {
			u, v := float64(rate*lower[f.First+k]), float64(rate*upper[f.First+k])
			r.finite(at, what, f.Curve, min(u, v)+f.Offset, max(u, v)+f.Offset)
		}
	}
	return f
}

func (r *Reader) squares(what string, n int) convex.Evaluator {
	at, f, rows := r.At, &convex.LeastSquares{}, 0
	r.kind("squares in "+what, squaresKeys, func(key string) {
		if key == "y" {
			f.Y = r.Numbers("y of squares in "+what, nil, -1)
			return
		}
		r.Array("rows of squares in "+what, func(k int) {
			if rows++; rows*n > maxRows*MaxQuadratic {
				r.Fault(at, "squares in %s has more than %d rows", what, k)
			}
			f.H = append(f.H, r.vector("row "+strconv.Itoa(k+1)+" of squares in "+what, n)...)
		})
	}, squaresKeys...)
	if r.Err == nil && rows != len(f.Y) {
		r.Fault(at, "squares in %s has %d rows and %d numbers y, expected as many", what, rows, len(f.Y))
	}
	return f
}

func (r *Reader) center(key, what string, n int) (center []float64) {
	r.kind(key+" in "+what, centerKeys, func(string) {
		center = r.vector("center of "+key+" in "+what, n)
	}, centerKeys...)
	return center
}

func (r *Reader) elasticNet(what string) convex.Evaluator {
	f := &convex.ElasticNet{}
	r.Object("elasticnet in "+what, elasticKeys, func(key string) {
		at, v := r.At, r.Number(key+" of elasticnet in "+what)
		if v < 0 {
			r.Fault(at, "%s of elasticnet in %s is %v, expected a number ≥ 0, or the function is not convex",
				key, what, v)
		}
		if key == "l1" {
			f.L1 = v
		} else {
			f.L2 = v
		}
	})
	return f
}

func (r *Reader) linear(what string, n int) convex.Evaluator {
	at, f := r.At, &convex.Linear{}
	r.kind("linear in "+what, linearKeys, func(key string) {
		if key == "first" {
			f.First = r.Integer("first of linear in "+what, 0, n-1, ", an index of a coordinate from 0")
		} else {
			f.A = r.vector("a of linear in "+what, -1)
		}
	}, "a")
	r.fits(at, "linear in "+what, "a", f.First, len(f.A), n)
	return f
}

// fits records a fault unless coordinates from first on are some of n.
func (r *Reader) fits(at int, what, key string, first, count, n int) {
	if r.Err == nil && first+count > n {
		r.Fault(at, "%s: first %d and %s of length %d reach beyond the %d coordinates of the domain",
			what, first, key, count, n)
	}
}

func (r *Reader) max(what string, n int) convex.Evaluator {
	at, m := r.At, &convex.Max{}
	r.Array("max in "+what, func(int) {
		if f := r.inner(what, n); r.Err == nil {
			m.Pieces = append(m.Pieces, convex.Lower(f, n))
		}
	})
	if r.Err == nil && len(m.Pieces) == 0 {
		r.Fault(at, "max in %s is empty, expected at least one function", what)
	}
	return m
}

func (r *Reader) curve(what string) convex.Curve {
	at := r.At
	name, ok := r.string()
	if !ok {
		r.expected("curve in "+what, "one of "+strings.Join(curveNames, ", ")+", in quotes")
		return convex.Exp{}
	}
	if k := slices.Index(curveNames, name); k >= 0 {
		return curves[k]
	}
	r.Fault(at, "curve in %s: unknown curve %q (curves: %s)", what, input.Clip(name, 40),
		strings.Join(curveNames, ", "))
	return convex.Exp{}
}

// finite records a fault unless the curve is finite from least to most.
func (r *Reader) finite(at int, what string, curve convex.Curve, least, most float64) {
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

// Reach returns the least and the largest a·x on the domain.
func (r *Reader) Reach(a []float64) (least, most float64) {
	r.at = slices.Grow(r.at[:0], len(a))[:len(a)]
	most = r.Domain.Support(r.at, a)
	r.slope = r.slope[:0]
	for _, v := range a {
		r.slope = append(r.slope, -v)
	}
	return -r.Domain.Support(r.at, r.slope), most
}

// Bounds returns the least and the largest value of each coordinate in the domain.
func (r *Reader) Bounds() (lower, upper []float64) {
	if r.lower == nil {
		e := make([]float64, r.Domain.Dim())
		for i := range e {
			e[i] = 1
			least, most := r.Reach(e)
			r.lower, r.upper = append(r.lower, least), append(r.upper, most)
			e[i] = 0
		}
	}
	return r.lower, r.upper
}

// vector reads a VEC of n numbers, or of any number if n < 0.
func (r *Reader) vector(what string, n int) []float64 {
	r.space()
	at := r.At
	if name, ok := r.string(); ok {
		return slices.Clone(r.vectorNamed(at, what, name, n))
	}
	if r.At >= len(r.Text) || r.Text[r.At] != '{' {
		return r.Numbers(what, nil, n)
	}
	var index []int
	var is []float64
	var of string
	ofAt, times, over := 0, 1.0, 1.0
	given := r.Object(what, sparseKeys, func(key string) {
		switch key {
		case "at":
			index = r.indices(what, r.length(n))
		case "is":
			is = r.Numbers(what, nil, -1)
		case "of":
			ofAt = r.At
			var ok bool
			if of, ok = r.string(); !ok {
				r.expected("of in "+what, "the name of a vector")
			}
		case "times":
			times = r.Number("times in " + what)
		case "over":
			over = r.Number("over in " + what)
		}
	})
	const sparse, multiple = 1 | 2, 4
	switch {
	case r.Err != nil:
		return nil
	case given == sparse && len(index) == len(is):
		v := make([]float64, r.length(n))
		for k, i := range index {
			v[i] = is[k]
		}
		return v
	case given == sparse:
		r.Fault(at, "%s has %d indices and %d numbers, expected as many", what, len(index), len(is))
	case given&multiple != 0 && given&sparse == 0:
		v := slices.Clone(r.vectorNamed(ofAt, what, of, n))
		for i, x := range v {
			switch v[i] = float64(times*x) / over; {
			case v[i]-v[i] != 0:
				r.Fault(at, "%s: entry %d is %v, expected a finite number", what, i, v[i])
			case v[i] == 0: // −0 is 0
				v[i] = 0
			}
		}
		return v
	default:
		r.Fault(at, `%s is an object, expected {"at":[…],"is":[…]} or {"of":NAME,"times":c,"over":d}`, what)
	}
	return nil
}

// length is the length of a sparse vector.
func (r *Reader) length(n int) int {
	if n < 0 && r.Domain != nil {
		return r.Domain.Dim()
	}
	return max(n, 0)
}

// indices reads increasing indices below n.
func (r *Reader) indices(what string, n int) (index []int) {
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
	return index
}

// vectorNamed returns a vector of the line.
func (r *Reader) vectorNamed(at int, what, name string, n int) []float64 {
	v, ok := r.vectors[name]
	switch {
	case r.Err != nil:
	case !ok && r.numbers != nil:
		r.Fault(at, `%s: there is no vector %q; "row" has to name it, with its length`, what,
			input.Clip(name, 40))
	case !ok:
		r.Fault(at, `%s: there is no vector %q; "vectors" of the line has to have it`, what,
			input.Clip(name, 40))
	case n >= 0 && len(v) != n:
		r.Fault(at, "%s has length %d, expected %d, the dimension of the domain", what, len(v), n)
	}
	return v
}

// Vectors reads the member "vectors" of a line: vectors by their names.
func (r *Reader) Vectors(n int) {
	r.entries("vectors", func(name string) {
		v := r.vector("the vector "+strconv.Quote(input.Clip(name, 40)), -1)
		if r.vectors == nil {
			r.vectors = make(map[string][]float64)
		}
		r.vectors[name] = v
	})
}

// Functions reads the member "functions": functions on ℝⁿ by their names, in the notation of
// [Form]. A name that is known is from now on another function.
func (r *Reader) Functions(n int) {
	r.entries("functions", func(name string) {
		f := r.inner("the function "+strconv.Quote(input.Clip(name, 40)), n)
		if r.Err != nil {
			return
		}
		var of convex.Evaluator = f
		if s, ok := f.(*convex.Single); ok {
			of = s.Of
		}
		if r.named == nil {
			r.named = make(map[string]*convex.Basis)
			r.content = make(map[*convex.Basis]convex.Evaluator)
		}
		delete(r.content, r.named[name])
		b := convex.NewBasis(of)
		r.named[name], r.content[b] = b, of
	})
}

// entries reads an object whose keys are names, each at most once.
func (r *Reader) entries(what string, entry func(name string)) {
	seen := make(map[string]bool)
	if !r.next('{') {
		r.expected(what, "an object {…}")
		return
	}
	r.elements(what, "} of the object", func(int) {
		at := r.At
		name, ok := r.string()
		switch {
		case !ok:
			r.expected(what, "a name in quotes")
		case seen[name]:
			r.Fault(at, "%s: the name %q comes twice; keep one", what, input.Clip(name, 40))
		case !r.next(':'):
			r.expected(what, "a colon after the name")
		default:
			r.space()
			seen[name] = true
			entry(name)
		}
	})
}
