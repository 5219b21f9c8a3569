package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomVector returns n numbers of [-1, 1), drawn portably.
func randomVector(r *rand.Rand, n int) []float64 {
	a := make([]float64, n)
	for i := range a {
		a[i] = uniform(r, 1)
	}
	return a
}

// bigDist is the dumb twin of Dist, and of Norm where b is zero.
func bigDist(a, b []float64) *big.Float {
	sum := newBig()
	for i := range a {
		d := newBig().Sub(exact(a[i]), exact(b[i]))
		sum.Add(sum, d.Mul(d, d))
	}
	return sum.Sqrt(sum)
}

// TestSumsHaveTheDocumentedOrder compares with the documented formula, bit for bit.
func TestSumsHaveTheDocumentedOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 70 {
		a, b := randomVector(r, n), randomVector(r, n)
		var dot, sum, dist [4]float64
		for i := range a {
			dot[i%4] += float64(a[i] * b[i])
			sum[i%4] += a[i]
			dist[i%4] += float64((a[i] - b[i]) * (a[i] - b[i]))
		}
		total := func(s [4]float64) float64 { return (s[0] + s[1]) + (s[2] + s[3]) }
		if got, want := Dot(a, b), total(dot); got != want {
			t.Errorf("n=%d: Dot = %v, want %v", n, got, want)
		}
		if got, want := Sum(a), total(sum); got != want {
			t.Errorf("n=%d: Sum = %v, want %v", n, got, want)
		}
		if got, want := Norm(a), math.Sqrt(Dot(a, a)); got != want {
			t.Errorf("n=%d: Norm = %v, want %v", n, got, want)
		}
		if got, want := Dist(a, b), math.Sqrt(total(dist)); got != want {
			t.Errorf("n=%d: Dist = %v, want %v", n, got, want)
		}
	}
}

// TestNormsNeitherOverflowNorUnderflow scales vectors to where squares overflow, underflow or are
// subnormal.
func TestNormsNeitherOverflowNorUnderflow(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for e := -1060; e <= 1021; e++ {
		n := 1 + r.IntN(10)
		a, b := randomVector(r, n), randomVector(r, n)
		Scale(a, math.Ldexp(1, e))
		Scale(b, math.Ldexp(1, e))
		if err := ulps(Norm(a), bigDist(a, make([]float64, n))); err > 3 {
			t.Errorf("Norm(%v): off by %.1f ulp, want at most 3", a, err)
		}
		if err := ulps(Dist(a, b), bigDist(a, b)); err > 3 {
			t.Errorf("Dist(%v, %v): off by %.1f ulp, want at most 3", a, b, err)
		}
	}
	inf, nan, big := math.Inf(1), math.NaN(), math.MaxFloat64
	for _, c := range []struct {
		a    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{0, 0}, 0},
		{[]float64{3, -4}, 5},
		{[]float64{3 * 0x1p-1070, 4 * 0x1p-1070}, 5 * 0x1p-1070},
		{[]float64{3 * 0x1p1020, 4 * 0x1p1020}, 5 * 0x1p1020},
		{[]float64{big}, big},
		{[]float64{big, big}, inf},
		{[]float64{1, -inf}, inf},
		{[]float64{inf, inf}, inf},
		{[]float64{1, nan}, nan},
		{[]float64{nan, inf}, nan},
		{[]float64{inf, big, 0, 0, nan}, nan},
	} {
		if got := Norm(c.a); canonical(got) != canonical(c.want) {
			t.Errorf("Norm(%v) = %v, want %v", c.a, got, c.want)
		}
		if got := Dist(c.a, make([]float64, len(c.a))); canonical(got) != canonical(c.want) {
			t.Errorf("Dist(%v, 0) = %v, want %v", c.a, got, c.want)
		}
	}
	if got := Dist([]float64{big / 2, 1}, []float64{-big / 2, 1}); got != big {
		t.Errorf("Dist = %v, want %v", got, big)
	}
	if got := Dist([]float64{big, 0x1p-1074}, []float64{big, 0}); got != 0x1p-1074 {
		t.Errorf("Dist = %v, want %v", got, 0x1p-1074)
	}
}

// TestElementwiseFunctionsWorkInPlace checks the functions that write to a vector, apart and in
// place.
func TestElementwiseFunctionsWorkInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for n := range 20 {
		x, y := randomVector(r, n), randomVector(r, n)
		alpha := uniform(r, 3)
		for _, c := range []struct {
			name string
			f    func(dst, x, y []float64) // dst is y where they must be one
			want func(x, y float64) float64
		}{
			{"Axpy", func(_, x, y []float64) { Axpy(y, alpha, x) },
				func(x, y float64) float64 { return float64(alpha*x) + y }},
			{"Scale", func(_, _, y []float64) { Scale(y, alpha) },
				func(_, y float64) float64 { return alpha * y }},
			{"AxpyTo", func(dst, x, y []float64) { AxpyTo(dst, alpha, x, y) },
				func(x, y float64) float64 { return float64(alpha*x) + y }},
			{"AddTo", func(dst, x, y []float64) { AddTo(dst, x, y) },
				func(x, y float64) float64 { return x + y }},
			{"SubTo", func(dst, x, y []float64) { SubTo(dst, x, y) },
				func(x, y float64) float64 { return x - y }},
		} {
			want := make([]float64, n)
			for i := range want {
				want[i] = c.want(x[i], y[i])
			}
			check := func(where string, got []float64) {
				t.Helper()
				if !slices.Equal(got, want) {
					t.Errorf("%s %s: %v, want %v", c.name, where, got, want)
				}
			}
			inPlace := slices.Clone(y)
			c.f(inPlace, x, inPlace)
			check("in y", inPlace)
			if c.name == "Axpy" || c.name == "Scale" {
				continue
			}
			apart := make([]float64, n)
			c.f(apart, x, y)
			check("apart", apart)
			inPlace = slices.Clone(x)
			c.f(inPlace, inPlace, y)
			check("in x", inPlace)
		}
	}
}

func TestDifferentLengthsPanic(t *testing.T) {
	two, three := make([]float64, 2), make([]float64, 3)
	for name, f := range map[string]func(a, b []float64){
		"Dot":         func(a, b []float64) { Dot(a, b) },
		"Dist":        func(a, b []float64) { Dist(a, b) },
		"Axpy":        func(a, b []float64) { Axpy(a, 1, b) },
		"AxpyTo x":    func(a, b []float64) { AxpyTo(a, 1, b, a) },
		"AxpyTo y":    func(a, b []float64) { AxpyTo(a, 1, a, b) },
		"AddTo left":  func(a, b []float64) { AddTo(a, b, a) },
		"AddTo right": func(a, b []float64) { AddTo(a, a, b) },
		"SubTo left":  func(a, b []float64) { SubTo(a, b, a) },
		"SubTo right": func(a, b []float64) { SubTo(a, a, b) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range [][2][]float64{{two, three}, {three, two}, {nil, two}} {
				func() {
					defer func() {
						if got := recover(); got != "vec: length mismatch" {
							t.Errorf("%d and %d: got panic %v, want vec: length mismatch", len(c[0]), len(c[1]), got)
						}
					}()
					f(c[0], c[1])
				}()
			}
		})
	}
}

func TestNothingAllocates(t *testing.T) {
	a, b := make([]float64, 100), make([]float64, 100)
	if n := testing.AllocsPerRun(10, func() {
		Axpy(a, 1, b)
		AxpyTo(a, 1, a, b)
		AddTo(a, a, b)
		SubTo(a, a, b)
		Scale(a, 2)
		sink = Dot(a, b) + Sum(a) + Norm(a) + Dist(a, b)
		sink += Exp(a[0]) + Log(2+a[0]) + Pow(2, a[0]) + Sin(a[0]) + Cos(a[0])
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

// AxpyLong has the bits of Axpy at every length and for every number, and panics where it does.
func TestAxpyLongHasTheBitsOfAxpy(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, 0x1p-1074}
	draw := func() float64 {
		if r.IntN(6) == 0 {
			return special[r.IntN(len(special))]
		}
		return r.NormFloat64() * math.Exp(20*r.NormFloat64())
	}
	for n := range 150 {
		for range 20 {
			x, want := make([]float64, n), make([]float64, n)
			for i := range x {
				x[i], want[i] = draw(), draw()
			}
			got, alpha := slices.Clone(want), draw()
			Axpy(want, alpha, x)
			AxpyLong(got, alpha, x)
			for i := range got {
				if canonical(got[i]) != canonical(want[i]) {
					t.Fatalf("n = %d, alpha = %v, coordinate %d: %v, want %v", n, alpha, i, got[i], want[i])
				}
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("vectors of different lengths: got no panic, want one")
		}
	}()
	AxpyLong(make([]float64, 40), 1, make([]float64, 41))
}
