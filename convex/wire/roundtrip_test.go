package wire

import (
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
		return &convex.HalfSquaredDistance{Weight: m.number(), Center: m.vector(m.n), Offset: m.number()}
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

// readBack returns functions on ℝⁿ as they are read again, after a first line with these bases, and
// the lines.
func readBack(t *testing.T, n int, bases []*convex.Basis, fs ...convex.Func) (read []convex.Func,
	of []*convex.Basis, lines string) {
	t.Helper()
	var w Writer
	w.Text("{")
	w.Functions(n, bases)
	w.Text("}")
	var r Reader
	r.Domain = convex.Cube(n, -1, 1)
	r.Reset(w.Line)
	r.Object("the first line", []string{"functions"}, func(string) { r.Functions(n) })
	lines = string(w.Line)
	for _, f := range fs {
		if w.Reset(); r.Err == nil && w.Form(n, f) {
			lines += "\n" + string(w.Line)
			r.Reset(w.Line)
			g := r.Function("f", n)
			read = append(read, g.Func())
		}
	}
	if w.Err != nil || r.Err != nil || len(read) != len(fs) || len(r.Bases()) != len(bases) {
		t.Fatalf("%.2000s: got errors %v, %v, %d functions, want %d, %d bases, want %d", lines, w.Err,
			r.Err, len(read), len(fs), len(r.Bases()), len(bases))
	}
	return read, r.Bases(), lines
}

// The values, the subgradients and the normal form of a function that is read are those of the
// one that was written, bit for bit, and a basis is the same one wherever it is used. Without
// names, the values and the subgradients are the same.
func TestFunctionsReadBack(t *testing.T) {
	const n = 5
	m := &maker{Rand: rand.New(rand.NewPCG(1, 2)), n: n}
	for range 3 {
		m.vectors = append(m.vectors, []float64{m.NormFloat64(), m.NormFloat64(), m.NormFloat64(),
			m.NormFloat64(), m.NormFloat64()})
		m.bases = append(m.bases, convex.NewBasis(m.evaluator()))
	}
	used := 0
	for range 500 {
		fs := make([]convex.Func, 9)
		for i := range fs {
			fs[i] = m.function(2)
		}
		read, bases, lines := readBack(t, n, m.bases, fs...)
		inline, _, _ := readBack(t, n, nil, fs...)
		for i, g := range read {
			compare(t, m, fs[i], g, lines)
			compare(t, m, fs[i], inline[i], lines)
			written, again := convex.Lower(fs[i], n), convex.Lower(g, n)
			if !convex.Equal(written, again) {
				t.Fatalf("%s: function %d: got the normal form\n%+v\nwant\n%+v", lines, i, again, written)
			}
			for k, term := range written.Terms {
				if b := slices.Index(m.bases, term.Basis); b >= 0 {
					if used++; again.Terms[k].Basis != bases[b] {
						t.Fatalf("%s: got another basis %d in function %d, want that of the file", lines, b+1, i+1)
					}
				}
			}
		}
	}
	if used < 100 {
		t.Errorf("got bases used %d times, want at least 100", used)
	}
}

// Vectors are written by their entries that are not zero, where a function has one number for each
// coordinate, and read as they were.
func TestSparseFunctionsReadBack(t *testing.T) {
	const n = 40
	m := &maker{Rand: rand.New(rand.NewPCG(3, 4)), n: n}
	a, rate := make([]float64, n), make([]float64, n)
	a[7], rate[30] = 2, -0.5
	fs := []convex.Func{
		&convex.Affine{A: a}, &convex.Linear{A: a}, &convex.LeastSquares{H: a, Y: []float64{1}},
		&convex.HalfSquaredDistance{Weight: 1, Center: a},
		&convex.Single{Of: &convex.Ridge{Curve: convex.Exp{}, Weight: 2, A: a}},
		&convex.Single{Of: &convex.Separable{Curve: convex.Softplus{}, Weight: 1, Rate: rate}},
	}
	read, _, lines := readBack(t, n, nil, fs...)
	if got := strings.Count(lines, `{"at":[7],"is":[2]}`); got != 4 {
		t.Errorf("%d vectors are sparse, want 4: %s", got, lines)
	}
	for i, g := range read {
		compare(t, m, fs[i], g, lines)
	}
}

// Of bases, one that is known by its values only and one that comes twice are left out.
func TestUnwritableAndRepeatedBasesAreLeftOut(t *testing.T) {
	var w Writer
	line := convex.NewBasis(&convex.Affine{A: []float64{1, 2}, B: 3})
	if w.Functions(2, []*convex.Basis{convex.NewBasis(unknown{}), line, line}); w.Err != nil ||
		string(w.Line) != `"functions":{"f1":{"const":3,"lin":[1,2]}}` {
		t.Errorf("got bases %s, error %v, want f1 with a constant and a vector", w.Line, w.Err)
	}
	if w.Reset(); w.Functions(2, nil) || len(w.Line) > 0 {
		t.Errorf("no bases: got %s, want nothing", w.Line)
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
			t.Fatalf("%s: at %v: got value %v and slope %v read back, want %v and %v", line, x, v, b, u, a)
		}
	}
}

// What is no function is refused, with its place. The bounds of coordinates are those of the box.
func TestFaultyFunctionsAreRefusedWithTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"lin":{"at":[1,1],"is":[2,3]}}`: "the index 1 in lin",
		`{"lin":{"at":[2],"is":[2]}}`:     "the index 2 in lin",
		`{"lin":{"at":[0]}}`:              `the key "is" is missing`,
		`{"lin":"a"}`:                     `found the text "a", expected a list`,
		`{"terms":[{"of":{"squareddistance":{"center":[0,0]}}}]}`:                  "the notation of functions has changed",
		`{"lin":{"at":[0],"is":[2,3]}}`:                                            "1 indices and 2 numbers",
		`{"terms":[{"of":{"halfsquares":{"rows":[[1,0]],"y":[]}}}]}`:               "1 rows and 0 numbers",
		`{"terms":[{"of":{"halfsquares":{"rows":[[1,0]],"y":[1,2]}}}]}`:            "1 rows and 2 numbers",
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
			t.Fatalf("got bounds %v and %v, want [-1 -3] and [2 4]", lower, upper)
		}
	}
}

// The weights and the constant of a FORM within a term are its own. Values at (1, 1), by hand.
func TestFormsInTermsKeepTheirWeights(t *testing.T) {
	const square = `{"form":{"const":5,"terms":[{"scale":2,"of":{"halfsquareddistance":{"center":[0,0]}}}]}}`
	for text, want := range map[string]float64{
		`{"terms":[{"of":` + square + `}]}`:                                                        7,
		`{"terms":[{"scale":3,"of":` + square + `}]}`:                                              21,
		`{"const":1,"terms":[{"of":` + square + `}]}`:                                              8,
		`{"terms":[{"scale":-2,"of":{"form":{"const":1,"lin":[1,2]}}}]}`:                           -8,
		`{"lin":[1,0],"diag":[2,0],"quad":[[4,0],[0,2]],"terms":[{"of":{"elasticnet":{"l1":1}}}]}`: 1 + 1 + 3 + 2,
	} {
		var r Reader
		r.Reset([]byte(text))
		if f := r.Function("f", 2); r.Err != nil || f.Func().Value([]float64{1, 1}) != want {
			t.Errorf("%s: %v, want %v", text, r.Err, want)
		}
	}
}

// Sums of affine functions are affine, and nothing else that is written with terms.
func TestSumsOfAffineFunctionsAreAffine(t *testing.T) {
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
		if f := r.Function("f", 2); r.Err != nil || f.IsAffine() != want {
			t.Errorf("%s: %v, want affine: %v", text, r.Err, want)
		}
	}
}
