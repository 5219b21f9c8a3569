package convex

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/vec"
)

// randomPieces are affine functions on ℝⁿ.
func randomPieces(rng *rand.Rand, n, m int) (pieces []Func) {
	for range m {
		f := NewForm(n)
		for i := range f.Lin {
			f.Lin[i] = 2*rng.Float64() - 1
		}
		f.Const = 0.6*rng.Float64() - 0.3
		pieces = append(pieces, f)
	}
	return pieces
}

// gauss solves Az = b by elimination with pivots, and returns nil if A is singular.
func gauss(a [][]float64, b []float64) []float64 {
	n := len(b)
	for k := range n {
		p := k
		for i := k; i < n; i++ {
			if math.Abs(a[i][k]) > math.Abs(a[p][k]) {
				p = i
			}
		}
		if math.Abs(a[p][k]) < 1e-10 {
			return nil
		}
		a[k], a[p], b[k], b[p] = a[p], a[k], b[p], b[k]
		for i := range n {
			if i != k {
				f := a[i][k] / a[k][k]
				for j := k; j < n; j++ {
					a[i][j] -= f * a[k][j]
				}
				b[i] -= f * b[k]
			}
		}
	}
	for k := range n {
		b[k] /= a[k][k]
	}
	return b
}

// twinOfMax minimises w·max_j g_j + p‖x−z‖² over ℝⁿ: it tries every set S of pieces that may be
// largest. There x = z − (1/2p)Σ_S μ_j∇g_j with Σ_S μ_j = w, and the values on S are one v. These
// are |S|+1 equations; the answer has μ ≥ 0 and no piece above v.
func twinOfMax(pieces []Func, w, p float64, z []float64) []float64 {
	for set := 1; set < 1<<len(pieces); set++ {
		var of []*Form
		for j, g := range pieces {
			if set>>j&1 == 1 {
				of = append(of, g.(*Form))
			}
		}
		k := len(of)
		a, b := make([][]float64, k+1), make([]float64, k+1)
		for i := range a {
			a[i] = make([]float64, k+1)
		}
		for i, g := range of { // g_i(z) − (1/2p)Σ_j μ_j ∇g_i·∇g_j = v
			for j, h := range of {
				a[i][j] = vec.Dot(g.Lin, h.Lin) / (2 * p)
			}
			a[i][k], b[i], a[k][i] = 1, g.Value(z), 1
		}
		b[k] = w
		mu := gauss(a, b)
		if mu == nil || slices.Min(mu[:k]) < -1e-9*w {
			continue
		}
		x := slices.Clone(z)
		for j, g := range of {
			vec.Axpy(x, -mu[j]/(2*p), g.Lin)
		}
		if NewMax(len(z), pieces...).Value(x) <= mu[k]+1e-9 {
			return x
		}
	}
	return nil
}

// A sum with a maximum of affine functions, or with a hinge of it, is minimised exactly.
func TestMaximaHaveTheMinimumOfTheTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	for trial := range 300 {
		n, m := 2+rng.IntN(4), 2+rng.IntN(4)
		pieces := randomPieces(rng, n, m)
		w, p := math.Pow(10, 3*rng.Float64()-1), math.Pow(10, 3*rng.Float64()-1)
		z := make([]float64, n)
		for i := range z {
			z[i] = 2*rng.Float64() - 1
		}
		f := Lower(NewBasis(NewMax(n, pieces...)), n)
		s := NewSum(Cube(n, -1e4, 1e4))
		all := pieces
		if trial%2 == 0 {
			s.Add(w, f)
		} else {
			s.AddHinge(w, f)
			all = append(slices.Clone(pieces), NewForm(n))
		}
		want := twinOfMax(all, w, p, z)
		x := make([]float64, n)
		cert, err := s.Minimize(x, Prox{Weight: p, Center: z})
		if err != nil || want == nil {
			t.Fatalf("trial %d: %v, twin %v", trial, err, want)
		}
		if far := vec.Dist(x, want); far > 1e-9*(1+vec.Norm(want)) || !cert.Exact ||
			cert.Relative() > 1e-12 {
			t.Errorf("trial %d: n=%d m=%d w=%.3g p=%.3g: got %v, %.3g from the twin, %+v, want %v", trial, n,
				m, w, p, x, far, cert, want)
		}
	}
}

// Of equal pieces the first has the subgradient.
func TestFirstOfEqualPiecesHasTheSubgradient(t *testing.T) {
	m := NewMax(2, &Affine{A: []float64{0, 0}, B: 1}, &Affine{A: []float64{1, 0}},
		&Affine{A: []float64{0, 1}})
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{1, 1}, []float64{0, 0}}, {[]float64{2, 2}, []float64{1, 0}},
		{[]float64{2, 3}, []float64{0, 1}},
	} {
		g := make([]float64, 2)
		if m.Subgrad(g, c.x); !slices.Equal(g, c.want) {
			t.Errorf("at %v the subgradient is %v, want %v", c.x, g, c.want)
		}
	}
	nested := NewBasis(NewBasis(m)) // which a program does not split
	if !Lower(nested, 2).IsKinkedAfterSplit() {
		t.Error("a basis of a basis of a maximum is not kinked, want that it is")
	}
	if f := Lower(NewBasis(NewMax(2, NewBasis(m), m.Pieces[0])), 2); f.IsKinkedAfterSplit() {
		t.Error("a maximum that is split into affine functions is kinked, want that it is not")
	}
	if f := Lower(NewBasis(NewMax(2, nested, m.Pieces[0])), 2); !f.IsKinkedAfterSplit() {
		t.Error("a maximum with a kinked piece is not kinked, want that it is")
	}
	if v := NewMax(1, &Affine{A: []float64{1}}, &Affine{A: []float64{0}, B: math.NaN()}).Value(
		[]float64{3}); v == v {
		t.Errorf("the largest of 3 and NaN: got %v, want NaN", v)
	}
}

// A program has the bits of the one with the constraints of the pieces, and splits sums.
func TestProgramsSplitMaxima(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 3))
	for range 50 {
		whole, apart := NewProgram(Cube(3, -1, 1)), NewProgram(Cube(3, -1, 1))
		for range 4 {
			pieces := randomPieces(rng, 3, 3)
			whole.Constrain(Lower(NewBasis(NewMax(3, pieces...)), 3))
			for _, g := range pieces {
				apart.Constrain(Lower(g, 3))
			}
		}
		obj := randomPieces(rng, 3, 1)[0].(*Form)
		x, y := make([]float64, 3), make([]float64, 3)
		first, err1 := whole.Minimize(x, obj)
		second, err2 := apart.Minimize(y, obj)
		if !errors.Is(err1, err2) || first != second || !slices.Equal(x, y) {
			t.Errorf("got %v, %+v, error %v, want %v, %+v, error %v", x, first, err1, y, second, err2)
		}
	}
	// max(x, −1) + 2·max(y/2, (x − 1)/2) ≤ 1 is x + y ≤ 1, x ≤ 1, y ≤ 2 and x ≤ 3
	sum := NewForm(2)
	NewBasis(NewMax(2, &Affine{A: []float64{1, 0}}, &Affine{A: []float64{0, 0}, B: -1})).AddTo(sum, 1)
	NewBasis(NewMax(2, &Affine{A: []float64{0, .5}}, &Affine{A: []float64{.5, 0}, B: -.5})).AddTo(sum, 2)
	sum.Const = -1
	p := NewProgram(Cube(2, -3, 3))
	p.Constrain(sum)
	x := make([]float64, 2)
	sol, err := p.Minimize(x, &Form{Lin: []float64{-1, -2}})
	if err != nil || vec.Dist(x, []float64{-1, 2}) > 1e-12 || p.Len() != 4 {
		t.Errorf("%+v at %v with %d rows, %v; want (−1, 2) and 4 rows", sol, x, p.Len(), err)
	}
}

// A sum of many maxima is a constraint as it stands: its solutions are those of all its pieces.
func TestManyMaximaHaveTheMinimumOfTheirPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 4))
	for trial := range 40 {
		n := 1 + trial%3
		whole, apart := NewProgram(Cube(n, -1, 1)), NewProgram(Cube(n, -1, 1))
		sum := NewForm(n)
		sums := []*Form{NewForm(n)}
		for range 7 { // 2⁷ pieces
			pieces := randomPieces(rng, n, 2)
			NewBasis(NewMax(n, pieces...)).AddTo(sum, 1)
			var more []*Form
			for _, s := range sums {
				for _, g := range pieces {
					both := s.Clone()
					g.AddTo(both, 1)
					more = append(more, both)
				}
			}
			sums = more
		}
		level := 0.5 - 3*rng.Float64()
		sum.Const += level
		whole.Constrain(sum)
		for _, s := range sums {
			s.Const += level
			apart.Constrain(s)
		}
		obj := randomPieces(rng, n, 1)[0].(*Form)
		x, y := make([]float64, n), make([]float64, n)
		first, err1 := whole.Minimize(x, obj)
		second, err2 := apart.Minimize(y, obj)
		if !errors.Is(err1, err2) || math.Abs(first.Value-second.Value) > 1e-8 ||
			first.Residual > 1e-8 || !sum.IsKinkedAfterSplit() {
			t.Errorf("trial %d: got %v, %+v, error %v, want %v, %+v, error %v", trial, x, first, err1, y,
				second, err2)
		}
	}
}

// The change of a maximum is within its bounds, at all points of a grid.
func TestDifferencesOfMaximaAreWithinTheirBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 5))
	d := NewDifference(Cube(2, -1, 1))
	for range 30 {
		f := Lower(NewBasis(NewMax(2, randomPieces(rng, 2, 3)...)), 2)
		g := Lower(NewBasis(NewMax(2, randomPieces(rng, 2, 2+rng.IntN(2))...)), 2)
		least, most, exact := d.Bounds(f, g)
		if exact {
			t.Error("got exact bounds, want bounds")
		}
		for i := -10; i <= 10; i++ {
			for j := -10; j <= 10; j++ {
				x := []float64{float64(i) / 10, float64(j) / 10}
				if v := f.Value(x) - g.Value(x); v < least-1e-12 || v > most+1e-12 {
					t.Fatalf("at %v: got %v, want it in [%v, %v]", x, v, least, most)
				}
			}
		}
	}
}
