package convex_test

import (
	"fmt"

	"ocobench/convex"
)

// Penalised FTRL after two rounds on the unit square. The losses are x + y, and the
// constraints x + 2y ≥ 1 in the first round and 2x + y ≥ 1 in the second, as
// penalties with the weight γ = 10. The regulariser is 1.5‖x‖².
func Example() {
	s := convex.NewSum(convex.Cube(2, 0, 1))
	s.SetGamma(10)
	for _, g := range []convex.Func{
		&convex.Affine{A: []float64{-1, -2}, B: 1},
		&convex.Affine{A: []float64{-2, -1}, B: 1},
	} {
		s.Add(1, &convex.Affine{A: []float64{1, 1}})
		s.AddHinge(1, convex.Lower(g, 2))
	}
	x := make([]float64, 2)
	cert, err := s.Minimize(x, convex.Prox{Weight: 1.5, Center: []float64{0, 0}})
	fmt.Printf("%.4f value %.4f certified %v %v\n", x, cert.Value, cert.Relative() < 1e-12, err)
	// Output:
	// [0.3333 0.3333] value 1.6667 certified true <nil>
}

// The best fixed action in hindsight minimises the accumulated loss over the points
// that satisfy the constraints of all rounds.
func ExampleProgram() {
	p := convex.NewProgram(convex.Cube(2, 0, 1))
	p.Constrain(convex.Lower(&convex.Affine{A: []float64{-1, -2}, B: 1}, 2))
	p.Constrain(convex.Lower(&convex.Affine{A: []float64{-2, -1}, B: 1}, 2))
	loss := convex.Lower(&convex.Affine{A: []float64{1, 1}}, 2)
	x := make([]float64, 2)
	sol, err := p.Minimize(x, loss)
	fmt.Printf("%.4f value %.4f residual %.0e %v\n", x, sol.Value, sol.Residual, err)

	p.Constrain(convex.Lower(&convex.Affine{A: []float64{1, 0}, B: -.25}, 2))
	p.Constrain(convex.Lower(&convex.Affine{A: []float64{0, 1}, B: -.25}, 2))
	_, err = p.Minimize(x, loss)
	fmt.Println(err)
	// Output:
	// [0.3333 0.3333] value 0.6667 residual 0e+00 <nil>
	// no point of the domain satisfies the constraints
}

// A constraint with additive perturbations is one basis and a constant. Its hinges
// are stored in one tree, for any number of rounds.
func ExampleBasis() {
	disc := convex.NewBasis(&convex.Distance{Weight: 1, Center: []float64{0, 0}})
	s := convex.NewSum(convex.Cube(2, -1, 1))
	s.Add(1, &convex.Affine{A: []float64{-1, -1}})
	for _, radius := range []float64{.7, .6, .5} {
		s.AddHinge(1, convex.Lower(&convex.Shifted{Base: disc, Shift: -radius}, 2))
	}
	x := make([]float64, 2)
	cert, err := s.Minimize(x, convex.Prox{})
	// The gradient of the loss has norm √2, and that of each positive hinge has
	// norm 1. Thus the smallest radius is exceeded, and the next one is attained.
	fmt.Printf("%.4f distance %.4f certified %v %v\n", x, disc.Value(x), cert.Relative() < 1e-9, err)
	// Output:
	// [0.4243 0.4243] distance 0.6000 certified true <nil>
}
