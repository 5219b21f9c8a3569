package convex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPairKeepsItsEndsOnly: of the sums of two quadratic constraints a program keeps two, in the
// units in which they were added, and has the solution and the residual of one that keeps all.
func TestPairKeepsItsEndsOnly(t *testing.T) {
	const n = 5
	solve := func(seed uint64) (values, residuals []float64, most int) {
		r := rand.New(rand.NewPCG(seed, 9))
		bowl := func() *Basis {
			f := &Quadratic{Q: make([]float64, n*n), A: make([]float64, n), B: -0.3 - r.Float64()}
			for i := range n {
				f.Q[i*n+i], f.A[i] = 0.5+r.Float64(), 0.3*r.NormFloat64()
			}
			return NewBasis(f)
		}
		p, x := NewProgram(Cube(n, -2, 2)), make([]float64, n)
		first, second := bowl(), bowl()
		objective := NewForm(n)
		for i := range n {
			objective.Lin[i] = r.NormFloat64()
		}
		for round := range 4 {
			if round == 2 {
				p.Reset()
			}
			for range 6 {
				f, a, b := NewForm(n), first, second
				if r.IntN(2) == 0 {
					a, b = b, a
				}
				a.AddTo(f, 0.1+5*r.Float64())
				b.AddTo(f, 0.1+5*r.Float64())
				p.Constrain(f)
			}
			if round == 3 { // one with a constant is kept by itself
				f := NewForm(n)
				f.Const = 0.2
				first.AddTo(f, 1)
				second.AddTo(f, 1)
				p.Constrain(f)
			}
			sol, err := p.Minimize(x, objective)
			if err != nil || sol.Relative() > 1e-9 || sol.Residual > 1e-9 {
				t.Errorf("game %d: got %v, error %v, want a gap and a residual of 1e-9", seed, sol, err)
			}
			far := []float64{2, -2, 2, -2, 2} // every constraint is violated there
			values, residuals = append(values, sol.Value), append(residuals, p.residual(far))
			most = max(most, p.Len())
		}
		return values, residuals, most
	}
	restoreSizes(t)
	for seed := range uint64(200) {
		pairFrom = math.MaxInt
		want, worst, all := solve(seed)
		pairFrom = 2
		got, residuals, kept := solve(seed)
		if all != 13 || kept != 3 {
			t.Errorf("game %d: %d and %d constraints are kept, want 13 and 3", seed, all, kept)
		}
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-9 {
				t.Errorf("game %d: the value is %v, want %v", seed, got[k], want[k])
			}
			if math.Abs(residuals[k]-worst[k]) > 1e-12*max(1, worst[k]) {
				t.Errorf("game %d: the residual is %v, want %v", seed, residuals[k], worst[k])
			}
		}
	}
}

// A program forgets pairs of functions that do not return.
func TestProgramForgetsPairsThatDoNotReturn(t *testing.T) {
	restoreSizes(t)
	pairFrom = 2
	p := NewProgram(Cube(2, -1, 1))
	for range 5 {
		p.Reset()
		f := NewForm(2)
		for range 2 {
			NewBasis(&HalfSquaredDistance{Weight: 1, Center: make([]float64, 2)}).AddTo(f, 1)
		}
		p.Constrain(f)
		if len(p.pairs) > 2 || p.Len() != 1 {
			t.Errorf("got %d pairs and %d constraints, want at most 2 and 1", len(p.pairs), p.Len())
		}
	}
}
