package convex

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"ocobench/convex/internal/quadprog"
)

// heldGame draws a box or a simplex, and vectors.
type heldGame struct {
	r   *rand.Rand
	set Set
}

func newHeldGame(seed uint64) heldGame {
	r := rand.New(rand.NewPCG(seed, 3))
	n := 6 + r.IntN(12)
	if seed%2 == 0 {
		return heldGame{r, &Simplex{n, 1 + r.Float64()}}
	}
	box := &Box{make([]float64, n), make([]float64, n)}
	for i := range n {
		box.Lower[i] = float64(r.IntN(3)) - 1
		box.Upper[i] = box.Lower[i] + float64(r.IntN(4)) // sometimes one point
	}
	return heldGame{r, box}
}

func (g heldGame) vector() []float64 {
	v := make([]float64, g.set.Dim())
	for i := range v {
		v[i] = g.r.NormFloat64()
	}
	return v
}

// TestMemoryGrowsLikeTheSupport: where no quadratic part is, nothing n×n is allocated. A linear
// loss on a simplex takes memory in proportion to n, and the order of the factorisation is that of
// the support.
func TestMemoryGrowsLikeTheSupport(t *testing.T) {
	const rounds = 20
	allocated := func(n int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		simplex := &Simplex{n, 1}
		sum, program, x := NewSum(simplex), NewProgram(simplex), make([]float64, n)
		r := rand.New(rand.NewPCG(7, 8))
		losses, center := NewForm(n), make([]float64, n)
		for k := range rounds {
			loss, row := &Affine{A: make([]float64, n)}, NewForm(n)
			for i := range n {
				loss.A[i], row.Lin[i] = r.NormFloat64(), r.Float64()
			}
			row.Const = -0.45
			loss.AddTo(losses, 1)
			sum.Add(1, loss)
			sum.AddHinge(1, row)
			prox := Prox{Weight: math.Sqrt(float64(k + 1)), Center: center}
			if _, err := sum.Minimize(x, prox); err != nil {
				t.Fatal(err)
			}
			program.Constrain(row)
			if _, err := program.Minimize(x, losses); err != nil {
				t.Fatal(err)
			}
			if most := max(len(sum.rows.Free()), len(program.rows.Free())); most == 0 || most > n/4 {
				t.Errorf("n = %d, round %d: %d coordinates are free, want at most a quarter", n, k+1, most)
			}
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	small, large := allocated(1000), allocated(4000)
	if large > 5*small {
		t.Errorf("got %.3g MB in 4000 dimensions, want at most 5 times the %.3g MB in 1000", large/1e6,
			small/1e6)
	}
	if large > 8*4000*4000 {
		t.Errorf("got %.3g MB in 4000 dimensions, want at most the %.3g MB of a matrix", large/1e6,
			8*4000.0*4000/1e6)
	}
}

// TestModelsHaveOneMinimumWithHeldCoordinates: sums of ridges with curved hinges, and programs of
// them with curved constraints, have the same minimisers whether SQP holds coordinates or not.
// Each round adds a loss, so that Hessians are kept, and now and then a constraint.
func TestModelsHaveOneMinimumWithHeldCoordinates(t *testing.T) {
	play := func(seed uint64) (values []float64, held int) {
		g := newHeldGame(2*seed + seed/2%2)
		n := g.set.Dim()
		var curve Curve = Softplus{}
		if _, ok := g.set.(*Simplex); ok {
			curve = NegLog{}
		}
		bases := make([]*Basis, 2)
		for k := range bases {
			q, a := make([]float64, n*n), make([]float64, n)
			for i := range n {
				q[i*n+i] = 1 + g.r.Float64()
				a[i] = 0.1 * g.r.NormFloat64()
			}
			inside := make([]float64, n)
			g.set.Project(inside, inside)
			f := &Quadratic{Q: q, A: a}
			f.B = -0.5 - f.Value(inside)
			bases[k] = NewBasis(f)
		}
		sum, program := NewSum(g.set), NewProgram(g.set)
		x, losses, mean := make([]float64, n), NewForm(n), NewForm(n)
		for k := range 12 {
			f := &Ridge{Curve: curve, Weight: 3, A: g.vector(), B: 1}
			for i := range f.A {
				f.A[i] *= 0.1 + float64(i%4)/4
				if curve == (NegLog{}) {
					f.A[i] = 0.1 * math.Abs(f.A[i])
				}
			}
			loss := NewBasis(f)
			sum.Add(1, loss)
			loss.AddTo(losses, 1)
			(&Affine{A: g.vector()}).AddTo(losses, 0.5)
			bases[g.r.IntN(2)].AddTo(mean, 1)
			sum.AddHinge(1/float64(k+1), mean)
			prox := Prox{Weight: 0.1 * math.Sqrt(float64(k)), Center: make([]float64, n)}
			cert, err := sum.Minimize(x, prox)
			if err != nil || cert.Relative() > 1e-9 {
				t.Errorf("game %d, sum %d: got %v, error %v, want a gap of 1e-9", seed, k, cert, err)
			}
			values = append(values, cert.Value)
			if k%3 == 0 {
				program.Reset()
				program.Constrain(mean)
			}
			sol, err := program.Minimize(x, losses)
			if err != nil || sol.Relative() > 1e-9 || sol.Residual > 1e-9 {
				t.Errorf("game %d, program %d: got %v, error %v, want a gap and a residual of 1e-9", seed, k,
					sol, err)
			}
			values = append(values, sol.Value)
			for _, p := range []*quadprog.Solver{sum.rows, program.rows} {
				if p.Free() != nil {
					held++
				}
			}
		}
		return values, held
	}
	restoreSizes(t)
	const games = 120
	total := 0
	for _, large := range []int{4, 1000} {
		for seed := range uint64(games) {
			holdFrom(math.MaxInt, 1000, 0.75)
			want, _ := play(seed)
			holdFrom(4, large, 0.4)
			got, held := play(seed)
			total += held
			for k, v := range got {
				if math.Abs(v-want[k]) > 1e-9*max(1, math.Abs(want[k])) {
					t.Errorf("game %d, value %d: %v, want %v", seed, k, v, want[k])
				}
			}
		}
	}
	if total < 8*games {
		t.Errorf("got %d solutions of %d games that hold coordinates, want at least %d", total, 2*games,
			8*games)
	}
}
