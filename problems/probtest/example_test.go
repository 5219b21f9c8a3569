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
func (s *drifting) Reveal(t int, _ []float64) *convex.Round {
	s.f = convex.Affine{A: []float64{1 + 0.01*float64(t)}}
	s.g = convex.Affine{A: []float64{1}, B: -0.5}
	return &convex.Round{Loss: &s.f, Constraints: []convex.Func{&s.g}}
}

// Laws can be checked one by one; [Run] checks all of them in a test.
func Example() {
	p := problems.Problem{
		Name: "drifting", Doc: "a slope that grows", Reference: "none", Version: 1,
		New: func(any, *rand.Rand) (problems.Stream, error) { return new(drifting), nil },
	}
	for _, law := range probtest.Laws {
		if law.Name == "lipschitz" || law.Name == "affine" {
			fmt.Printf("%s: %v\n", law.Name, law.Check(p))
		}
	}
	// Output:
	// lipschitz: seed 0, round 1: the loss has a subgradient of length 1.01 at [0], declared is 1
	// affine: <nil>
}
