package convex

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/vec"
)

// anyForms returns a function that draws many kinds of hinges on ℝⁿ: of bases (also
// equal, affine and constant ones), with quadratic parts of their own, and affine;
// new ones, running averages, repeated ones, multiples, and zero.
func anyForms(r *rand.Rand, n int) func() *Form {
	number := func() float64 { return float64(r.IntN(5) - 2) }
	if r.IntN(2) == 0 {
		number = r.NormFloat64
	}
	vector := func() []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = number()
		}
		return x
	}
	quadratic := func() *Quadratic {
		f := &Quadratic{Q: make([]float64, n*n), A: vector(), B: number() - .5}
		for range r.IntN(n + 1) {
			v := vector()
			for i := range n {
				vec.Axpy(f.Q[i*n:(i+1)*n], v[i], v)
			}
		}
		return f
	}
	var bases []*Basis
	same := quadratic()
	for range 1 + r.IntN(7) {
		switch r.IntN(6) {
		case 0:
			bases = append(bases, NewBasis(same))
		case 1:
			bases = append(bases, NewBasis(&Affine{A: vector(), B: number()}))
		case 2:
			bases = append(bases, NewBasis(hidden{quadratic()}))
		case 3:
			bases = append(bases, NewBasis(&Affine{A: make([]float64, n), B: number()}))
		default:
			bases = append(bases, NewBasis(quadratic()))
		}
	}
	cum, count, last := NewForm(n), 0.0, NewForm(n)
	kinds := 1 + r.IntN(6)
	return func() *Form {
		h := NewForm(n)
		switch r.IntN(kinds) {
		case 0:
			bases[r.IntN(len(bases))].AddTo(cum, 1)
			count++
			cum.AddTo(h, 1/count)
		case 1:
			for _, b := range bases {
				b.AddTo(h, float64(r.IntN(3)))
			}
			h.Const += number()
		case 2:
			quadratic().AddTo(h, 1)
		case 3:
			(&Affine{A: vector(), B: number()}).AddTo(h, 1)
		case 4:
			last.AddTo(h, float64(r.IntN(3)))
		case 5:
			last.AddTo(h, 1)
			h.Const += 1e-9 * number()
		}
		last = h.Clone()
		return h
	}
}

// Hinges of features have the values and the subgradients of their forms, before and after features
// are added.
func TestFeaturesEqualForms(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 1))
	for trial := range 200 {
		n := 2 + r.IntN(4)
		f, next := newFeatureHinges(Cube(n, -2, 2)), anyForms(r, n)
		var forms []*Form
		x, g, want, one := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		for range 20 {
			h := next()
			forms = append(forms, h)
			if !f.addHinge(2, h) {
				t.Fatal("too many bases")
			}
			for i := range x {
				x[i] = 4*r.Float64() - 2
			}
			sum, size := 0.0, 1.0
			clear(want)
			for _, h := range forms {
				v := 2 * h.Value(x)
				sum += max(0, v)
				h.Subgrad(one, x)
				size += abs(v) + 2*vec.Norm(one)
				if v > 0 {
					vec.Axpy(want, 2, one)
				}
			}
			if got := f.Value(x); abs(got-sum) > 1e-12*size {
				t.Fatalf("trial %d: %d hinges sum to %v at %v, want %v", trial, len(forms), got, x, sum)
			}
			f.NonaffineSubgrad(g, x)
			rows := f.AffineRows(quadprog.New(Cube(n, -2, 2).domain(), n))
			for i := rows.First(); i < rows.Len(); i++ {
				if a, b, _ := rows.Row(i); vec.Dot(a, x)+b > 0 {
					vec.Axpy(g, 1, a)
				}
			}
			if d := vec.Dist(g, want); d > 1e-10*size {
				t.Fatalf("trial %d: %d hinges have the subgradient %v at %v, want %v", trial, len(forms), g, x,
					want)
			}
		}
	}
}

// The hinges of a constraint that does not change are merged, for every form.
func TestFeaturesMerge(t *testing.T) {
	f := &Quadratic{Q: []float64{2, .3, .3, 1}, A: []float64{.1, -.7}, B: -.4}
	b, c := NewBasis(f), NewBasis(&HalfSquaredDistance{Weight: 1, Center: []float64{.3, .1}})
	for name, g := range map[string]Func{
		"quadratic": f, "bases": &Form{Lin: []float64{.1, .3}, Const: -.3,
			Terms: []Term{{b, .3}, {c, .7}}},
	} {
		s, cum := NewSum(Cube(2, -1, 1)), NewForm(2)
		x := make([]float64, 2)
		for round := 1; round <= 500; round++ {
			g.AddTo(cum, 1)
			s.AddHinge(1/float64(round), cum)
			s.Add(1, &Affine{A: []float64{-.2, .1}})
			cert, err := s.Minimize(x, Prox{1, []float64{1, 1}})
			if err != nil || cert.Relative() > 1e-9 {
				t.Fatalf("%s, round %d: %+v, %v", name, round, cert, err)
			}
		}
		if rows := s.features.Len(); rows != 1 {
			t.Errorf("%s: %d hinges for 500 multiples of one, want 1", name, rows)
		}
	}

	// A second constraint that changes does not prevent this.
	s, cum, random := NewSum(Cube(2, -1, 1)), NewForm(2), NewForm(2)
	r := rand.New(rand.NewPCG(35, 1))
	for round := 1; round <= 200; round++ {
		for _, h := range []struct {
			cum *Form
			g   Func
		}{{random, &HalfSquaredDistance{Weight: r.Float64(), Center: []float64{r.Float64(), 0}}}, {cum, f}} {
			h.g.AddTo(h.cum, 1)
			s.AddHinge(1/float64(round), h.cum)
		}
	}
	if rows := s.features.Len(); rows != 201 {
		t.Errorf("%d hinges for 200 hinges and 200 multiples of one, want 201", rows)
	}
}

// Hinges are complete if there are more bases than features may have.
func TestFeaturesOverflow(t *testing.T) {
	r := rand.New(rand.NewPCG(34, 1))
	defer func(size int) { maxCoefficients = size }(maxCoefficients)
	maxCoefficients = 2000
	for _, opaque := range []bool{false, true} {
		t.Run(fmt.Sprintf("opaque=%v", opaque), func(t *testing.T) {
			s, cum := NewSum(Cube(2, -1, 1)), NewForm(2)
			var forms []*Form
			for round := range 128 {
				f := &HalfSquaredDistance{Weight: 1, Center: []float64{r.Float64(), r.Float64()}, Offset: -.3}
				if opaque {
					NewBasis(hidden{f}).AddTo(cum, 1)
				} else {
					NewBasis(f).AddTo(cum, 1)
				}
				s.AddHinge(1/float64(round+1), cum)
				forms = append(forms, cum.Clone())
			}
			s.Add(1, &Affine{A: []float64{-40, -40}})
			x := make([]float64, 2)
			cert, err := s.Minimize(x, Prox{1, make([]float64, 2)})
			if err != nil || cert.Relative() > 1e-9 {
				t.Fatalf("%+v, %v", cert, err)
			}
			want := 0.0
			for i, f := range forms {
				want += max(0, f.Value(x)) / float64(i+1)
			}
			if got := s.Hinges(x); abs(got-want) > 1e-12*want || want == 0 {
				t.Errorf("the hinges sum to %v, want %v", got, want)
			}
			if rest := len(s.others); opaque != (rest > 0) {
				t.Errorf("%d other hinges", rest)
			}
			if cells := len(s.features.bases) * s.features.Len(); cells > maxCoefficients {
				t.Errorf("a table of %d numbers", cells)
			}
		})
	}
}
