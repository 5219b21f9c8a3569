package convex

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ocobench/convex/internal/quadprog"
	"ocobench/convex/internal/sqp"
)

// fewFrom runs f with rows of few numbers where a gradient has at most the part 1/share of its
// coordinates.
func fewFrom(share int, f func()) {
	defer func(was int) { sqp.Sizes.FewShare = was }(sqp.Sizes.FewShare)
	sqp.Sizes.FewShare = share
	f()
}

// rangeSpaceFrom runs f with the active rows alone factored from n dimensions on.
func rangeSpaceFrom(n int, f func()) {
	sizes := quadprog.Sizes
	defer func() { quadprog.Sizes = sizes }()
	quadprog.Sizes.RangeSpace, quadprog.Sizes.RangeSpaceDiagonal = n, n
	f()
}

// sparseGame is a sequence of minimisations over a box, with functions of single coordinates and
// hinges of affine bases with few numbers. Some games have a loss or a hinge whose Hessian is full.
type sparseGame struct {
	set    *Box
	losses []*Basis
	flows  []*Basis
	full   *Basis
	seed   uint64
}

func newSparseGame(seed uint64) (g sparseGame) {
	r := rand.New(rand.NewPCG(31, seed))
	n := 3 + r.IntN(10)
	g.seed, g.set = seed, &Box{make([]float64, n), make([]float64, n)}
	for i := range n {
		g.set.Upper[i] = 0.5 + r.Float64()
	}
	curves := []Curve{Exp{}, Softplus{}}
	for range 1 + r.IntN(2*n) {
		first := r.IntN(n)
		rate := make([]float64, 1+r.IntN(n-first))
		for k := range rate {
			rate[k] = 2*r.Float64() - 0.5
		}
		g.losses = append(g.losses, NewBasis(&Separable{curves[r.IntN(2)], 1, first, rate, r.NormFloat64()}))
	}
	for range 1 + r.IntN(n) {
		a := make([]float64, n)
		for range 1 + r.IntN(3) {
			a[r.IntN(n)] = r.NormFloat64()
		}
		g.flows = append(g.flows, NewBasis(&Affine{A: a}))
	}
	if r.IntN(3) == 0 {
		a := make([]float64, n)
		for i := range a {
			a[i] = r.NormFloat64()
		}
		g.full = NewBasis(&Ridge{Curve: Softplus{}, Weight: 1, A: a})
	}
	return g
}

// play returns the bits of all minimisers and certificates.
func (g sparseGame) play(t *testing.T) (bits []uint64) {
	r := rand.New(rand.NewPCG(32, g.seed))
	n := g.set.Dim()
	s := NewSum(g.set)
	s.SetGamma(5)
	x := make([]float64, n)
	quadratic := NewForm(n)
	for i := range n {
		quadratic.quadStorage()[i*n+i] = float64(r.IntN(2)) * r.Float64()
		quadratic.Lin[i] = r.NormFloat64()
	}
	for round := range 12 {
		s.Add(1, g.losses[r.IntN(len(g.losses))])
		s.Add(r.Float64(), quadratic)
		if g.full != nil && round > 5 {
			if r.IntN(2) == 0 {
				s.Add(1, g.full)
			} else {
				s.AddHinge(1, Lower(g.full, n))
			}
		}
		for _, flow := range g.flows {
			f := Lower(flow, n)
			f.Const = r.NormFloat64()
			s.AddHinge(1/float64(round+1), f)
		}
		cert, err := s.Minimize(x, Prox{Weight: math.Sqrt(float64(round + 1)), Center: make([]float64, n)})
		if err != nil || !(cert.Relative() <= 1e-9) {
			t.Errorf("game %d, round %d: got %+v, error %v, want a gap of 1e-9", g.seed, round, cert, err)
		}
		for _, v := range append(slices.Clone(x), cert.Value, cert.Gap) {
			bits = append(bits, math.Float64bits(v))
		}
	}
	return bits
}

// Models whose rows leave out what is 0 have the bits of those with whole rows, with either
// factorisation of the active rows.
func TestSparseModelsHaveTheBitsOfWholeOnes(t *testing.T) {
	for seed := range uint64(150) {
		g := newSparseGame(seed)
		for _, from := range []int{2, 1 << 30} {
			rangeSpaceFrom(from, func() {
				var sparse, whole []uint64
				fewFrom(1, func() { sparse = g.play(t) })
				fewFrom(math.MaxInt32, func() { whole = g.play(t) })
				if !slices.Equal(sparse, whole) {
					t.Errorf("game %d, range space from %d: got other bits of the sparse model, want those of "+
						"the whole", seed, from)
				}
			})
		}
	}
}

// The normal form of least squares has the bits of the sum entry by entry, in many dimensions too.
func TestLeastSquaresHaveTheBitsOfTheirEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, scale := range []float64{1, 0.3} {
		const n, rows = 37, 3
		f := &LeastSquares{make([]float64, n*rows), make([]float64, rows)}
		for i := range f.H {
			f.H[i] = r.NormFloat64() * float64(r.IntN(4))
		}
		form, want := NewForm(n), make([]float64, n*n)
		for i := range want {
			want[i] = float64(i%7) / 3
		}
		form.Quad = slices.Clone(want)
		f.AddTo(form, scale)
		for k := range rows {
			for i := range n {
				for j := range n {
					want[i*n+j] += float64(scale * float64(f.H[k*n+i]*f.H[k*n+j]))
				}
			}
		}
		if !slices.Equal(form.Quad, want) {
			t.Errorf("times %v: got %v, want %v", scale, form.Quad, want)
		}
	}
}
