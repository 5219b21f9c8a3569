package convex

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

// Storage that is left alone where it is zero makes no difference to a bit, and takes less.
func TestSparseStorage(t *testing.T) {
	const n = 40
	defer func(was int) { sparse = was }(sparse)
	solve := func(from int) (bits []uint64) {
		sparse = from
		r := rand.New(rand.NewPCG(1, 2))
		vector := func() []float64 {
			v := make([]float64, n)
			for i := range v {
				if r.IntN(3) == 0 {
					v[i] = r.NormFloat64()
				}
			}
			return v
		}
		box, err := NewBox(slices.Repeat([]float64{-1}, n), slices.Repeat([]float64{2}, n))
		if err != nil {
			t.Fatal(err)
		}
		simplex, err := NewSimplex(n, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range []Set{box, simplex} {
			program, sum, x := NewProgram(set), NewSum(set), make([]float64, n)
			for range 3 { // storage that has had rows, and is used again
				program.Reset()
				sum.Reset()
				for range 30 {
					program.Constrain(&Form{Lin: vector(), Const: -1})
					sum.AddHinge(1, &Form{Lin: vector(), Const: r.NormFloat64()})
				}
				obj := &Form{Lin: vector()}
				if _, err := program.Minimize(x, obj); err != nil {
					t.Fatal(err)
				}
				for _, v := range x {
					bits = append(bits, math.Float64bits(v))
				}
				obj.AddTo(sum.smooth, 1)
				if _, err := sum.Minimize(x, Prox{Weight: 0.3, Center: vector()}); err != nil {
					t.Fatal(err)
				}
				for _, v := range x {
					bits = append(bits, math.Float64bits(v))
				}
			}
		}
		return bits
	}
	if dense, sparse := solve(n+1), solve(n); !slices.Equal(dense, sparse) {
		t.Error("the bits differ")
	}
}

// What a sum or a program allocates is foreseen, within a tenth: in a large box or simplex, once
// a solution is inside.
func TestMemory(t *testing.T) {
	const n = 800
	allocated := func(do func()) int64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	box, _ := NewBox(make([]float64, n), slices.Repeat([]float64{1}, n))
	ball, _ := NewBall(make([]float64, n), 1)
	simplex, _ := NewSimplex(n, 1)
	inside := Prox{Weight: 1, Center: slices.Repeat([]float64{1. / n}, n)}
	x := make([]float64, n)
	for _, set := range []Set{box, ball, simplex} {
		for what, do := range map[string]func(){
			"a sum": func() {
				if s := NewSum(set); set != Set(ball) {
					s.AddHinge(1, &Form{Const: -2, Lin: slices.Repeat([]float64{1. / n}, n)})
					s.Minimize(x, inside)
				}
			},
			"a program": func() {
				if p := NewProgram(set); set != Set(ball) {
					p.Constrain(&Form{Const: -2, Lin: slices.Repeat([]float64{1. / n}, n)})
					p.Project(x, inside.Center)
				}
			},
		} {
			got, want := allocated(do), Memory(set)
			if got > want+want/10 || got < want-want/10 {
				t.Errorf("%s over a %T allocates %d bytes, want %d", what, set, got, want)
			}
		}
	}
	interval, _ := NewBox([]float64{0}, []float64{1})
	if got := Memory(interval); got != 0 {
		t.Errorf("an interval takes %d bytes", got)
	}
}
