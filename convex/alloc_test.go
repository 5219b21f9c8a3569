package convex_test

import (
	"math/rand/v2"
	"testing"

	"ocobench/convex"
)

// Repeated minimisation of affine hinges, and of hinges of
// features, allocates nothing.
func TestRepeatedMinimisationAllocatesNothing(t *testing.T) {
	for name, set := range map[string]convex.Set{
		"line": convex.Cube(1, -1, 1), "box": convex.Cube(3, -1, 1), "ball": ball(1, 0, 0, 0),
		"simplex": simplex(3, 1),
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []string{"affine", "curved", "family"} {
				if name == "line" && kind == "family" {
					continue
				}
				d := draw{rand.New(rand.NewPCG(1, 2)), "normal"}
				n := set.Dim()
				s := convex.NewSum(set)
				var bases []*convex.Basis
				switch kind {
				case "curved":
					s.Add(1, &convex.HalfSquaredDistance{Weight: 1, Center: d.vector(n)})
				case "family":
					bases = append(d.bases(n, 4, nil), convex.NewBasis(
						&convex.HalfSquaredDistance{Weight: 1, Center: d.vector(n)}))
				}
				for range 50 {
					f := convex.NewForm(n)
					for _, b := range bases {
						b.AddTo(f, d.Float64())
					}
					s.AddHinge(1, f)
					s.AddHinge(1, convex.Lower(&convex.Affine{A: d.vector(n), B: d.number()}, n))
				}
				x, prox := make([]float64, n), convex.Prox{Weight: 1, Center: make([]float64, n)}
				g := 1.0
				round := func() {
					g = 3 - g
					s.SetGamma(g)
					if _, err := s.Minimize(x, prox); err != nil {
						t.Fatal(err)
					}
				}
				for range 10 {
					round()
				}
				if a := testing.AllocsPerRun(50, round); a != 0 {
					t.Errorf("%s: got %v allocations a minimisation, want 0", kind, a)
				}
			}
		})
	}
}
