package wire

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
	"ocobench/internal/errtest"
)

// unknown is known by its values only.
type unknown struct{}

func (unknown) Value([]float64) float64  { return 7 }
func (unknown) Subgrad(dst, _ []float64) { clear(dst) }

// A function is written by its value and its subgradient at the action, and by the
// whole of it where that is asked for. These are worked by hand.
func TestFunctionsAreWrittenAsByHand(t *testing.T) {
	quadratic, err := convex.NewQuadratic([]float64{2, 0, 0, 4}, []float64{0, -1}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	var w Writer
	for _, c := range []struct {
		f          convex.Func
		form       bool
		want, fail string
	}{
		{f: &convex.Affine{A: []float64{1, -2}, B: 0.25}, want: `{"value":-0.75,"subgradient":[1,-2]}`},
		{f: &convex.Affine{A: []float64{1, -2}, B: 0.25}, form: true,
			want: `{"value":-0.75,"subgradient":[1,-2],"form":{"const":0.25,"lin":[1,-2]}}`},
		// x₁² + 2x₂² − x₂ + ½ at (1, 1)
		{f: quadratic, form: true, want: `{"value":2.5,"subgradient":[2,3],"form":{"const":0.5,"lin":[0,-1],"diag":[2,4]}}`},
		{f: &convex.Affine{A: []float64{1, 1}, B: math.Inf(1)}, form: true,
			fail: "+Inf is not a number of JSON"},
		// 2‖x − (1, 0)‖ at (1, 1); and a sound one after an error
		{f: convex.NewBasis(&convex.Distance{Weight: 2, Center: []float64{1, 0}}), form: true,
			want: `{"value":2,"subgradient":[0,2],"form":{"terms":[{"scale":2,"of":{"distance":{"center":[1,0]}}}]}}`},
		{f: convex.NewBasis(unknown{}), form: true,
			want: `{"value":7,"subgradient":[0,0],"form":{"opaque":true}}`},
		{f: convex.NewBasis(&convex.Distance{Weight: 2, Center: []float64{1, 0}}),
			want: `{"value":2,"subgradient":[0,2]}`},
	} {
		w.Reset()
		w.Seen(c.f, []float64{1, 1}, c.form)
		got, err := string(w.Line), w.Err
		if c.fail != "" {
			errtest.Contains(t, err, c.fail, "%s", got)
		} else if err != nil || got != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
}

// A reader that knows no terms gets matrices, lists and what is opaque.
func TestPlainFormsAreWrittenAsByHand(t *testing.T) {
	w := Writer{Plain: true}
	norm := &convex.Distance{Weight: 2, Center: []float64{1, 0}}
	for _, c := range []struct {
		f    convex.Func
		want string
	}{
		// ½(x₁ + x₂ − 3)² = 4.5 − 3(x₁ + x₂) + ½(x₁ + x₂)²
		{&convex.LeastSquares{H: []float64{1, 1}, Y: []float64{3}},
			`{"const":4.5,"lin":[-3,-3],"quad":[[1,1],[1,1]]}`},
		{&convex.Shifted{Base: convex.NewBasis(&convex.HalfSquaredDistance{Weight: 2, Center: []float64{1, 0}}),
			Shift: 3}, `{"const":4,"lin":[-2,0],"quad":[[2,0],[0,2]]}`},
		// three times ½·2‖x − (1, 0)‖²
		{&convex.Composite{Parts: []convex.Part{{Scale: 3, Func: convex.NewBasis(
			&convex.HalfSquaredDistance{Weight: 2, Center: []float64{1, 0}})}}},
			`{"const":3,"lin":[-6,0],"quad":[[6,0],[0,6]]}`},
		{convex.NewBasis(norm), `{"opaque":true}`},
		{&convex.Single{Of: norm}, `{"opaque":true}`},
	} {
		w.Reset()
		w.Form(2, c.f)
		if got := string(w.Line); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// A vector is written as a list or by its entries that are not zero: as the shorter of both, up to
// a character.
func TestVectorsAreShort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		xs := make([]float64, 1+rng.IntN(300))
		share := rng.Float64()
		var at, is, list []string
		for i := range xs {
			if rng.Float64() < share {
				xs[i] = float64(1 + rng.IntN(2000))
				at, is = append(at, fmt.Sprint(i)), append(is, fmt.Sprint(xs[i]))
			}
			list = append(list, fmt.Sprint(xs[i]))
		}
		w := Writer{n: len(xs)}
		w.writeVector(xs)
		sparse := `{"at":[` + strings.Join(at, ",") + `],"is":[` + strings.Join(is, ",") + `]}`
		dense := "[" + strings.Join(list, ",") + "]"
		if got := string(w.Line); got != sparse && got != dense ||
			len(got) > min(len(sparse), len(dense))+1 {
			t.Fatalf("%s: got %s of %d characters, want the shorter form", dense, got, len(got))
		}
	}
}

// A set is written so, and read again.
func TestSetsAreWrittenAndReadAgain(t *testing.T) {
	simplex, err := convex.NewSimplex(2, 3)
	if err != nil {
		t.Fatal(err)
	}
	ball, err := convex.NewBall([]float64{0, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for want, set := range map[string]convex.Set{
		`{"box":{"lower":[-1,-1],"upper":[1,1]}}`: convex.Cube(2, -1, 1),
		`{"ball":{"center":[0,1],"radius":2}}`:    ball,
		`{"simplex":{"dim":2,"scale":3}}`:         simplex,
	} {
		t.Run(want, func(t *testing.T) {
			var w Writer
			if w.Set(set); w.Err != nil || string(w.Line) != want {
				t.Errorf("%s, %v; want %s", w.Line, w.Err, want)
			}
			var r Reader
			r.Reset(w.Line)
			if got := r.Set(); r.Err != nil || !reflect.DeepEqual(got, set) {
				t.Errorf("%s: got %+v, error %v, want %+v", w.Line, got, r.Err, set)
			}
		})
	}
}

// The error of a writer is the first one, whatever is written after it.
func TestFirstErrorStays(t *testing.T) {
	faults := []func(w *Writer){
		func(w *Writer) { w.Number(math.NaN()) },
		func(w *Writer) { w.Numbers([]float64{1, math.Inf(1)}) },
		func(w *Writer) { w.Number(math.Inf(-1)) },
		func(w *Writer) { w.JSON(func() {}) },
		func(w *Writer) { w.JSON(math.Inf(1)) },
	}
	for i, first := range faults {
		var alone Writer
		if first(&alone); alone.Err == nil {
			t.Fatalf("fault %d: got no error, want one", i)
		}
		for k, second := range faults {
			var w Writer
			w.Number(0.5)
			first(&w)
			w.JSON("sound")
			second(&w)
			w.Number(2)
			if w.Err == nil || w.Err.Error() != alone.Err.Error() {
				t.Errorf("after the fault %d and the fault %d the error is %v, want %v", i, k, w.Err, alone.Err)
			}
			if w.Reset(); w.Err != nil {
				t.Errorf("after a reset: got error %v, want none", w.Err)
			}
		}
	}
}

// A packed vector is read as it was written, to the last bit, and what is no vector of the right
// length is refused.
func TestPackedVectorsReadBack(t *testing.T) {
	want := &convex.Affine{B: 2, A: []float64{1, -2.5, 1e-300, math.MaxFloat64, 0.1, 3, 4, 1. / 3}}
	n := len(want.A)
	w := Writer{Packed: true}
	w.Form(n, want)
	if w.Err != nil || !strings.Contains(string(w.Line), `"lin":{"f64":"`) {
		t.Fatalf("got %s, error %v, want a packed vector", w.Line, w.Err)
	}
	read := func(text string) (*convex.Affine, error) {
		r := Reader{Packed: true}
		r.Reset([]byte(text))
		f := r.Function("it", n)
		if r.Err != nil {
			return nil, r.Err
		}
		return f.Func().(*convex.Affine), nil
	}
	line := string(w.Line)
	got, err := read(line)
	if err != nil || got.B != want.B || !slices.Equal(got.A, want.A) {
		t.Errorf("%s: got %v, error %v, want %v", line, got, err, want)
	}
	w.Reset()
	if w.Numbers([]float64{1, 2, 3, 4, 5, 6, 7, math.Inf(1)}); w.Err == nil {
		t.Errorf("an infinite number: got %s, want an error", w.Line)
	}
	bits := func(v float64, n int) string {
		var b []byte
		for range n {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	for name, text := range map[string]string{
		"short": bits(1, n-1), "long": bits(1, n+1), "empty": "", "no base64": "*", "infinite": bits(
			math.Inf(1), n), "no number": bits(math.NaN(), n),
	} {
		t.Run(name, func(t *testing.T) {
			if f, err := read(`{"lin":{"f64":"` + text + `"}}`); err == nil {
				t.Errorf("got %v, want an error", f)
			}
		})
	}
	for _, text := range []string{`{"lin":{"f64":"`, `{"lin":{"f64":"` + bits(1, n),
		`{"lin":{"f64":"` + bits(1, n) + `","is":[]}}`} {
		if f, err := read(text); err == nil {
			t.Errorf("%s: got %v, want an error", text, f)
		}
	}
	r := Reader{}
	r.Reset([]byte(line))
	if r.Function("it", n); r.Err == nil {
		t.Error("a packed vector in a file: got no error, want one")
	}
}
