package wire

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
)

// This file writes lines of functions with one writer, and reads them with one reader: what is read
// has the bits of what was written, and a basis that comes back is the one that it was.

// maker makes random functions on ℝⁿ, from few vectors and bases that come back.
type maker struct {
	*rand.Rand
	n       int
	vectors [][]float64
	bases   []*convex.Basis
}

// vector is often one of a few, or a multiple, and sometimes sparse.
func (m *maker) vector(n int) []float64 {
	v := make([]float64, n)
	switch m.IntN(4) {
	case 0:
		v[m.IntN(n)] = m.NormFloat64()
		return v
	case 1:
		for i := range v {
			v[i] = m.NormFloat64()
		}
		return v
	}
	c := []float64{1, -3, 0.1}[m.IntN(3)]
	for i, x := range m.vectors[m.IntN(len(m.vectors))][:n] {
		v[i] = float64(c * x)
	}
	return v
}

// number is often 0 or 1.
func (m *maker) number() float64 { return []float64{0, 1, 1, 3 * m.Float64()}[m.IntN(4)] }

func (m *maker) diagonal() []float64 {
	d := make([]float64, m.n)
	for i := range d {
		d[i] = m.number()
	}
	d[0]++
	return d
}

// matrix is ddᵀ + a diagonal, or a diagonal.
func (m *maker) matrix() []float64 {
	q, d := make([]float64, m.n*m.n), m.vector(m.n)
	if m.IntN(2) == 0 {
		clear(d)
	}
	for i := range m.n {
		for j := range m.n {
			q[i*m.n+j] = float64(d[i] * d[j])
		}
		q[i*m.n+i] += m.number()
	}
	q[0]++ // a matrix of zeros is written as none
	return q
}

func (m *maker) curve() convex.Curve { return curves[1+m.IntN(2)] }

// evaluator is a function that is known by its kind.
func (m *maker) evaluator() convex.Evaluator {
	first := m.IntN(m.n)
	switch m.IntN(4) {
	case 0:
		return &convex.Ridge{Curve: m.curve(), Weight: m.number(), A: m.vector(m.n), B: m.number()}
	case 1:
		return &convex.Separable{Curve: m.curve(), Weight: m.number(), First: first,
			Rate: m.vector(m.n - first), Offset: m.number()}
	case 2:
		return &convex.ElasticNet{L1: m.number(), L2: m.number(), Offset: m.number()}
	}
	pieces := []*convex.Form{m.form(), m.form()}
	return &convex.Max{Pieces: pieces}
}

func (m *maker) form() *convex.Form {
	return &convex.Form{Const: m.number(), Lin: m.vector(m.n)}
}

// function is any function; depth bounds those in it.
func (m *maker) function(depth int) convex.Func {
	kinds := 7
	if depth > 0 {
		kinds = 11
	}
	switch m.IntN(kinds) {
	case 0:
		return &convex.Affine{A: m.vector(m.n), B: m.number()}
	case 1:
		return &convex.Quadratic{Q: m.matrix(), A: m.vector(m.n), B: m.number()}
	case 2:
		return &convex.SquaredDistance{Weight: m.number(), Center: m.vector(m.n), Offset: m.number()}
	case 3:
		return &convex.LeastSquares{H: slices.Concat(m.vector(m.n), m.vector(m.n)),
			Y: []float64{m.number(), 2}}
	case 4:
		first := m.IntN(m.n)
		return &convex.Linear{First: first, A: m.vector(m.n - first)}
	case 5:
		return m.bases[m.IntN(len(m.bases))]
	case 6:
		return &convex.Single{Of: m.evaluator()}
	case 7:
		if m.IntN(3) == 0 {
			ridge := &convex.Ridge{Curve: m.curve(), Weight: m.number(), A: m.vector(m.n)}
			return &convex.Shifted{Shift: m.number(), Base: &convex.Composite{Lin: m.vector(m.n),
				Parts: []convex.Part{{Scale: 1, Func: &convex.Single{Of: ridge}}}}}
		}
		return &convex.Shifted{Base: m.function(depth - 1), Shift: m.number()}
	}
	c := &convex.Composite{Const: m.number()}
	if m.IntN(2) == 0 {
		c.Lin = m.vector(m.n)
	}
	if m.IntN(2) == 0 {
		c.Diag = m.diagonal()
	}
	if m.IntN(4) == 0 {
		c.Quad = m.matrix()
	}
	parts := 1 + m.IntN(2)
	if c.Lin == nil && c.Diag == nil && c.Quad == nil {
		parts = 2 // with one part it is that function, shifted
	}
	for range parts {
		c.Parts = append(c.Parts, convex.Part{Scale: m.number(), Func: m.function(depth - 1)})
	}
	return c
}

// link is a writer, and a reader of the lines that it writes.
type link struct {
	w Writer
	r Reader
}

// send writes a line of functions on ℝⁿ, and returns them as they are read.
func (l *link) send(t *testing.T, n int, fs ...convex.Func) (read []convex.Func) {
	t.Helper()
	l.w.Reset()
	forms := l.w.Describe(n, fs...)
	l.w.Text("{")
	if l.w.Functions() {
		l.w.Text(",")
	}
	if l.w.Vectors() {
		l.w.Text(",")
	}
	l.w.Text(`"line":[`)
	for i, form := range forms {
		if i > 0 {
			l.w.Text(",")
		}
		l.w.Form(form)
	}
	l.w.Text("]}")
	l.r.Reset(l.w.Line)
	l.r.ForgetVectors()
	l.r.Object("the line", []string{"functions", "vectors", "line"}, func(key string) {
		switch key {
		case "functions":
			l.r.Functions(n)
		case "vectors":
			l.r.Vectors(n)
		default:
			l.r.Array(key, func(int) {
				if f := l.r.Function("f", n); l.r.Err == nil {
					read = append(read, f.Func(nil))
				}
			})
		}
	})
	if l.w.Err != nil || l.r.Err != nil || len(read) != len(fs) {
		t.Fatalf("%.2000s: %v, %v, %d functions of %d", l.w.Line, l.w.Err, l.r.Err, len(read), len(fs))
	}
	return read
}

// The values, the subgradients and the normal form of a function that is read are those of the one
// that was written, bit for bit, and bases are the same from line to line.
func TestFunctionsReadBack(t *testing.T) {
	const n = 5
	m := &maker{Rand: rand.New(rand.NewPCG(1, 2)), n: n}
	for range 3 {
		m.vectors = append(m.vectors, []float64{m.NormFloat64(), m.NormFloat64(), m.NormFloat64(),
			m.NormFloat64(), m.NormFloat64()})
	}
	for range 3 {
		m.bases = append(m.bases, convex.NewBasis(m.evaluator()))
	}
	l := new(link)
	l.r.Domain = convex.Cube(n, -1, 1)
	known := make(map[*convex.Basis]*convex.Basis)
	shared := 0
	for range 1500 {
		fs := make([]convex.Func, 3)
		for i := range fs {
			fs[i] = m.function(2)
		}
		for i, g := range l.send(t, n, fs...) {
			compare(t, m, fs[i], g, string(l.w.Line))
			written, read := convex.Lower(fs[i], n), convex.Lower(g, n)
			if !convex.Equal(written, read) {
				t.Fatalf("%s: the normal form of function %d is another one:\n%+v\n%+v", l.w.Line, i,
					written, read)
			}
			for k, term := range written.Terms {
				if !slices.Contains(m.bases, term.Basis) {
					continue
				}
				b := read.Terms[k].Basis
				if old := known[term.Basis]; old != nil && old != b {
					t.Fatalf("%s: a basis that comes back is another one", l.w.Line)
				}
				known[term.Basis] = b
			}
		}
		if len(l.w.vectors) > 0 && l.r.vectors != nil {
			shared++
		}
	}
	if shared == 0 || len(known) != len(m.bases) {
		t.Errorf("%d lines share vectors, %d bases of %d were read", shared, len(known), len(m.bases))
	}
}

// compare compares two functions at random points.
func compare(t *testing.T, m *maker, f, g convex.Func, line string) {
	t.Helper()
	x, a, b := make([]float64, m.n), make([]float64, m.n), make([]float64, m.n)
	for range 2 {
		for i := range x {
			x[i] = 2*m.Float64() - 1
		}
		f.Subgrad(a, x)
		g.Subgrad(b, x)
		if u, v := f.Value(x), g.Value(x); u != v || !slices.Equal(a, b) {
			t.Fatalf("%s: at %v the value and the slope are %v and %v, and are read as %v and %v", line, x,
				u, a, v, b)
		}
	}
}

// Bases that are too many lose their names, those first that were used longest ago, but none that
// the line uses; and a line that cannot be written defines nothing.
func TestNamesOfManyBases(t *testing.T) {
	const n = maxNamed / 2 // two bases have names
	bases, slope := make([]*convex.Basis, 3), make([]float64, n)
	for k := range bases {
		slope[k] = 1
		bases[k] = convex.NewBasis(&convex.Affine{A: slices.Clone(slope), B: float64(10 * k)})
		slope[k] = 0
	}
	var l link
	x := make([]float64, n)
	x[0], x[1], x[2] = 1, 2, 3
	for i, line := range [][]int{{0}, {1}, {2}, {0}, {1}, {1, 0}, {1, 2}, {1, 2, 0}, {0, 1, 2}, {2, 1, 0}} {
		var fs []convex.Func
		for _, k := range line {
			fs = append(fs, bases[k])
		}
		for j, f := range l.send(t, n, fs...) {
			if got, want := f.Value(x), float64(10*line[j]+line[j]+1); got != want {
				t.Errorf("line %d: basis %d has the value %v, want %v", i, line[j], got, want)
			}
		}
	}

	l = link{}
	hinge := convex.NewBasis(&convex.Affine{A: []float64{1, 2}, B: 3})
	l.w.Form(l.w.Describe(2, hinge)[0])
	l.w.Number(math.NaN())
	if f := l.send(t, 2, hinge)[0]; f.Value([]float64{1, 1}) != 6 {
		t.Errorf("the basis is read as %+v", f)
	}
}

// What is no function is refused, with its place. The bounds of coordinates are those of the box.
func TestFaultsOfFunctions(t *testing.T) {
	for text, want := range map[string]string{
		`{"lin":{"at":[1,1],"is":[2,3]}}`:                                          "the index 1 in lin",
		`{"lin":{"at":[2],"is":[2]}}`:                                              "the index 2 in lin",
		`{"lin":{"at":[0],"is":[2,3]}}`:                                            "1 indices and 2 numbers",
		`{"terms":[{"of":{"squares":{"rows":[[1,0]],"y":[]}}}]}`:                   "1 rows and 0 numbers",
		`{"terms":[{"of":{"squares":{"rows":[[1,0]],"y":[1,2]}}}]}`:                "1 rows and 2 numbers",
		`{"terms":[{"of":{"elasticnet":{"l1":-1}}}]}`:                              "l1 of elasticnet in the form of f is -1",
		`{"terms":[{"of":{"elasticnet":{"l2":-1}}}]}`:                              "l2 of elasticnet in the form of f is -1",
		`{"terms":[{"of":{"linear":{"first":1,"a":[1,1]}}}]}`:                      "reach beyond the 2 coordinates",
		`{"terms":[{"of":{"separable":{"curve":"neglog","rate":[1],"first":1}}}]}`: "the argument of −log is from -3 to 4",
		`{"terms":[{"scale":-1,"of":{"form":{"diag":[1,0]}}}]}`:                    "has the scale -1",
	} {
		var r Reader
		r.Domain, _ = convex.NewBox([]float64{-1, -3}, []float64{2, 4})
		r.Reset([]byte(text))
		if r.Function("f", 2); r.Err == nil || !strings.Contains(r.Err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", text, r.Err, want)
		}
		lower, upper := r.Bounds()
		if !slices.Equal(lower, []float64{-1, -3}) || !slices.Equal(upper, []float64{2, 4}) {
			t.Fatalf("the bounds are %v and %v", lower, upper)
		}
	}
}

// The weights and the constant of a FORM within a term are its own. Values at (1, 1), by hand.
func TestFormsInTerms(t *testing.T) {
	const square = `{"form":{"const":5,"terms":[{"scale":2,"of":{"squareddistance":{"center":[0,0]}}}]}}`
	for text, want := range map[string]float64{
		`{"terms":[{"of":` + square + `}]}`:                                                        7,
		`{"terms":[{"scale":3,"of":` + square + `}]}`:                                              21,
		`{"const":1,"terms":[{"of":` + square + `}]}`:                                              8,
		`{"terms":[{"scale":-2,"of":{"form":{"const":1,"lin":[1,2]}}}]}`:                           -8,
		`{"lin":[1,0],"diag":[2,0],"quad":[[4,0],[0,2]],"terms":[{"of":{"elasticnet":{"l1":1}}}]}`: 1 + 1 + 3 + 2,
	} {
		var r Reader
		r.Reset([]byte(text))
		if f := r.Function("f", 2); r.Err != nil || f.Func(nil).Value([]float64{1, 1}) != want {
			t.Errorf("%s: %v, want %v", text, r.Err, want)
		}
	}
}

// Sums of affine functions are affine, and nothing else that is written with terms.
func TestIsAffine(t *testing.T) {
	for text, want := range map[string]bool{
		`{"const":1,"lin":[1,2]}`: true,
		`{"diag":[1,0]}`:          false,
		`{"const":1,"terms":[{"of":{"linear":{"a":[1]}}},{"of":{"form":{"lin":[1,2]}}}]}`: true,
		`{"diag":[1,0],"terms":[{"of":{"linear":{"a":[1]}}}]}`:                            false,
		`{"quad":[[1,0],[0,0]],"terms":[{"of":{"linear":{"a":[1]}}}]}`:                    false,
		`{"lin":[1,0],"terms":[{"of":{"elasticnet":{"l1":1}}}]}`:                          false,
		`{"const":1,"terms":[{"of":{"max":[{"lin":[1,2]}]}}]}`:                            false,
	} {
		var r Reader
		r.Reset([]byte(text))
		if f := r.Function("f", 2); r.Err != nil || f.IsAffine(r.Content) != want {
			t.Errorf("%s: %v, want affine: %v", text, r.Err, want)
		}
	}
}
