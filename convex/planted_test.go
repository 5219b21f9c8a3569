package convex

import (
	"math/rand/v2"
	"testing"
)

// The certificate of a point that was moved away from the minimiser bounds its loss, for hinges of
// features and of a basis.
func TestCertificatesHoldAtOtherPoints(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(8, seed))
		n := 2 + r.IntN(3)
		vector := func() []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = r.NormFloat64()
			}
			return x
		}
		s := NewSum(Cube(n, -1, 1))
		s.Add(1, &Affine{A: vector()})
		for range 5 {
			s.AddHinge(1, Lower(&Affine{A: vector(), B: r.NormFloat64()}, n))
		}
		for range 3 {
			s.AddHinge(1, Lower(&HalfSquaredDistance{Weight: 1 + r.Float64(), Center: vector(), Offset: -1}, n))
		}
		distance := NewForm(n)
		NewBasis(&Distance{Weight: 2, Center: vector(), Offset: -.5}).AddTo(distance, 1)
		s.AddHinge(1, distance)
		prox := Prox{Weight: float64(r.IntN(2)), Center: make([]float64, n)}
		x := make([]float64, n)
		best, err := s.Minimize(x, prox)
		if err != nil || best.Relative() > 1e-9 {
			t.Fatalf("seed %d: %+v, %v", seed, best, err)
		}
		for _, far := range []float64{1e-6, 1e-3, .1, 10} {
			y := vector()
			for i := range y {
				y[i] = x[i] + float64(far*y[i])
			}
			s.set.Project(y, y)
			b := s.prepareSQP(prox)
			if _, err := b.Minimize(make([]float64, n), x); err != nil {
				t.Fatal(err)
			}
			value, _ := b.Evaluate(y)
			if gap, loss := b.Gap(y, value), value-best.Value; gap < loss-1e-9 {
				t.Errorf("seed %d: %g above the least value, certified to %g", seed, loss, gap)
			}
			if far == 10 && value-best.Value < 1e-3 {
				t.Errorf("seed %d: a point far away has the value %v, want more than %v", seed, value,
					best.Value)
			}
		}
	}
}
