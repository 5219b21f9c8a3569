package convex

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPlantedAnswers moves solutions and multipliers away from the correct ones. The
// certificates of these wrong answers remain valid: their gaps are large.
func TestPlantedAnswers(t *testing.T) {
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
		curved := seed%2 == 1
		if curved {
			for range 3 {
				s.AddHinge(1, Lower(&SquaredDistance{Weight: 1 + r.Float64(), Center: vector(), Offset: -1}, n))
			}
			distance := NewForm(n)
			NewBasis(&Distance{Weight: 2, Center: vector(), Offset: -.5}).AddTo(distance, 1)
			s.AddHinge(1, distance)
		}
		prox := Prox{Weight: float64(r.IntN(2)), Center: make([]float64, n)}
		x := make([]float64, n)
		best, err := s.Minimize(x, prox)
		if err != nil || best.Relative() > 1e-9 {
			t.Fatalf("seed %d: %+v, %v", seed, best, err)
		}
		judge := func(what string, c Cert) {
			t.Helper()
			if loss := c.Value - best.Value; c.Gap < loss-1e-9 {
				t.Fatalf("seed %d, %s: %g above the least value, certified to %g", seed, what, loss, c.Gap)
			}
		}
		for _, far := range []float64{1e-6, 1e-3, .1, 10} {
			y := vector()
			for i := range y {
				y[i] = x[i] + float64(far*y[i])
			}
			s.set.Project(y, y)
			if !curved {
				judge("moved", s.rows.certify(y, s.set, s.smooth, prox))
				for k, i := range s.rows.active {
					if i >= s.rows.domainRows {
						s.rows.mu[k] = r.Float64() * s.rows.maxMultiplier(i)
					}
				}
				judge("moved, with other multipliers", s.rows.certify(y, s.set, s.smooth, prox))
				continue
			}
			b := s.prepareSQP(prox)
			if _, err := b.minimize(make([]float64, n), x); err != nil {
				t.Fatal(err)
			}
			value, _ := b.evaluate(y)
			judge("moved", Cert{Value: value, Gap: b.gap(y, value)})
			b.constant = 0
			for k := range b.inner { // those here are hinges of weight 1
				b.inner[k].lambda = r.Float64()
			}
			for _, tree := range b.trees { // but the norm's, which has its constant
				b.inner[tree.i].lambda = 0
			}
			value, _ = b.evaluate(y)
			gap := b.gap(y, value)
			judge("moved, with other multipliers", Cert{Value: value, Gap: gap})
			if far == 10 && math.Abs(value-best.Value) < 1e-12 {
				t.Logf("seed %d: nothing was moved", seed)
			}
		}
	}
}
