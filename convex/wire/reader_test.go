package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ocobench/convex"
)

// TestIsNumber compares with encoding/json, on all short words and random
// longer ones.
func TestIsNumber(t *testing.T) {
	const alphabet = "+-.019eE"
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 200000 {
		n := i / 20000
		if i < 8*8*8*8 {
			n = 4
		}
		word := make([]byte, n)
		for k, rest := 0, i; k < n; k++ {
			word[k] = alphabet[rest%8]
			if rest /= 8; n != 4 {
				rest = rng.IntN(8)
			}
		}
		if got, want := isNumber(word), json.Valid(word); got != want {
			t.Fatalf("%q: %v, want %v", word, got, want)
		}
	}
}

// What a Writer writes is read again, to the last bit.
func TestReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var w Writer
	var r Reader
	for range 1000 {
		want := convex.NewForm(1 + rng.IntN(4))
		n := want.Dim()
		want.Const = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(60)-30))
		for i := range n {
			want.Lin[i] = rng.NormFloat64()
		}
		if rng.IntN(2) == 0 {
			want.Quad = make([]float64, n*n)
			for i := range n {
				want.Quad[i*n+i] = rng.Float64()
			}
		}
		w.Reset()
		w.Form(n, want)
		r.Reset(w.Line)
		f := r.Function("f", n)
		if r.Convex("f", &f); r.Err != nil {
			t.Fatalf("%s: %v", w.Line, r.Err)
		}
		got := convex.Lower(f.Func(), n)
		if got.Const != want.Const || !slices.Equal(got.Lin, want.Lin) ||
			!slices.Equal(got.Quad, want.Quad) {
			t.Fatalf("%s is read as %+v", w.Line, got)
		}
	}
	ball, err := convex.NewBall([]float64{0.1, -3}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []convex.Set{convex.Cube(2, -0.5, 1), ball} {
		w.Reset()
		w.Set(set)
		r.Reset(w.Line)
		if got := r.Set(); r.Err != nil || !reflect.DeepEqual(got, set) {
			t.Errorf("%s is read as %+v, %v", w.Line, got, r.Err)
		}
	}
}

// Members that are unknown are skipped by a reader that is open, and are else a fault.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		text string
		open bool
		want string
	}{
		{`{"wings":[{"lin":2}],"lin":[1,2],"feet":null}`, true, ""},
		{`{"lin":[1,2],"feet":null}`, false,
			`at 14: the form of f: unknown key "feet" (keys: const, lin, quad, diag, terms, opaque)`},
		{`{"wings":}`, true, "at 10: wings: found '}', expected a value of JSON"},
		{`{"wings":{"lin":[1,+Inf]}}`, true, "at 20: wings: found +Inf, "},
		{`{"opaque":true}`, true,
			`at 11: the form of f is opaque; write it out with "const", "lin", "quad" and "terms"`},
		{`{"lin":[1,2,3]}`, true, "at 8: lin in the form of f has length 3, expected 2, the dimension " +
			"of the domain"},
		{`{"quad":[[0,1],[1,0]]}`, true, "at 9: quad in the form of f: "},
	} {
		r := Reader{Place: "at ", Open: c.open}
		r.Reset([]byte(c.text))
		f := r.Function("f", 2)
		r.Convex("f", &f)
		switch {
		case c.want == "" && (r.Err != nil || !slices.Equal(f.Lin, []float64{1, 2})):
			t.Errorf("%s: %v, %v", c.text, f, r.Err)
		case c.want != "" && (r.Err == nil || !strings.HasPrefix(r.Err.Error(), c.want)):
			t.Errorf("%s: the error is %v, want %s", c.text, r.Err, c.want)
		}
	}
}

// BenchmarkForm reads a function.
func BenchmarkForm(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			f := convex.NewForm(n)
			for i := range f.Lin {
				f.Lin[i] = rng.NormFloat64()
			}
			f.Const = rng.NormFloat64()
			var w Writer
			w.Form(n, f)
			var r Reader
			b.ReportAllocs()
			b.SetBytes(int64(len(w.Line)))
			for b.Loop() {
				r.Reset(w.Line)
				if r.Function("the loss", n); r.Err != nil {
					b.Fatal(r.Err)
				}
			}
		})
	}
}
