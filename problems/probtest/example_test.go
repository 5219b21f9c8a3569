package probtest_test

import (
	"fmt"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/problems"
	"ocobench/problems/probtest"
)

// drifting is somebody's stream: its slope grows beyond what it declares.
type drifting struct{ f, g convex.Affine }

func (*drifting) Set() convex.Set  { return convex.Cube(1, 0, 1) }
func (*drifting) Constraints() int { return 1 }
func (*drifting) Facts() convex.Facts {
	return convex.Facts{LossLipschitz: 1, Diameter: 1, Affine: true}
}
func (s *drifting) Reveal(t int, _ []float64) convex.Round {
	s.f = convex.Affine{A: []float64{1 + 0.01*float64(t)}}
	s.g = convex.Affine{A: []float64{1}, B: -0.5}
	return convex.Round{Loss: &s.f, Constraints: []convex.Func{&s.g}}
}

func ExampleBroken() {
	p := problems.Problem{
		Name: "drifting", Doc: "a slope that grows", Reference: "none", Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) { return new(drifting), nil },
	}
	fmt.Println(probtest.Broken(p, nil))
	// Output:
	// [lipschitz allocations]
}
