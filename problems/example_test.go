package problems_test

import (
	"fmt"
	"math/rand/v2"

	"ocobench/problems"
)

// A stream reveals its rounds one after the other. The same seed gives the
// same rounds, whoever plays.
func Example() {
	p, _ := problems.Lookup(problems.All, "perturbed")
	params := p.Params.(problems.PerturbedParams)
	params.Noise = "adversarial"
	s, err := p.New(params, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		fmt.Println(err)
		return
	}
	x := make([]float64, s.Set().Dim()) // the centre of the box
	for t := 1; t <= 4; t++ {
		round := s.Reveal(t, x)
		fmt.Printf("round %d: g(0) = %.2f\n", t, round.Constraints[0].Value(x))
	}
	// Output:
	// round 1: g(0) = -0.05
	// round 2: g(0) = -0.45
	// round 3: g(0) = -0.45
	// round 4: g(0) = -0.05
}
