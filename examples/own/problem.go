package main

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/problems"
)

// turning is the entry of the registry: what bench list says of the problem, and New, which starts
// a stream of its rounds.
var turning = problems.Problem{
	Name:      "turning",
	Doc:       "a half-plane that turns about the origin, under noisy linear losses on the unit disc",
	Reference: "none: an example of a problem of one's own",
	Version:   1,
	Params:    TurningParams{Margin: 0.3, Period: 50},
	New:       problems.Typed(newTurning),
}

// TurningParams holds the parameters of turning. A stream reveals on the unit disc,
// with θ_t = 2πt/period and u_t uniform on [−1, 1],
//
//	f_t(x) = −x_1 − u_tx_2,   g_t(x) = x_1cos θ_t + x_2sin θ_t − margin.
//
// X^max tends to the whole disc, X^min to a polygon about ‖x‖ ≤ margin.
type TurningParams struct {
	Margin float64 `name:"margin" doc:"distance of the half-plane's boundary from the origin" above:"0" max:"1"`
	Period int     `name:"period" doc:"rounds of a turn" min:"1" max:"1000000"`
}

// turningStream reveals the rounds. The embedded Instance implements all methods of a stream but
// Reveal.
type turningStream struct {
	problems.Instance
	p       TurningParams
	rng     *rand.Rand
	slopes  [2][]float64 // of the loss and the constraint
	loss, g convex.Affine
}

// newTurning starts a stream, and declares what is true of its rounds.
func newTurning(p TurningParams, rng *rand.Rand) (problems.Stream, error) {
	disc, err := convex.NewBall([]float64{0, 0}, 1)
	if err != nil {
		return nil, err
	}
	s := &turningStream{
		Instance: problems.Instance{
			Domain: disc,
			M:      1,
			Declared: convex.Facts{
				LossLipschitz: math.Sqrt2, LossRange: 2 * math.Sqrt2,
				ConstraintLipschitz: 1, ConstraintBound: 1 + p.Margin,
				Diameter: disc.Diameter(), Slater: p.Margin, Affine: true,
				Fixed: p.Period == 1, IID: p.Period == 1,
			},
		},
		p:      p,
		rng:    rng,
		slopes: [2][]float64{make([]float64, 2), make([]float64, 2)},
	}
	s.Round = convex.Round{Loss: &s.loss, Constraints: []convex.Func{&s.g}}
	s.turn(1)
	return s, nil
}

// Reveal implements [problems.Stream].
func (s *turningStream) Reveal(t int, _ []float64) *convex.Round {
	s.slopes[0][0], s.slopes[0][1] = -1, 1-float64(2*s.rng.Float64())
	s.loss = convex.Affine{A: s.slopes[0]}
	s.turn(t)
	return s.Show(s.Round.Loss, s.Round.Constraints)
}

// turn sets the constraint of round t.
func (s *turningStream) turn(t int) {
	theta := float64(2 * math.Pi * float64(t%s.p.Period) / float64(s.p.Period))
	s.slopes[1][0], s.slopes[1][1] = vec.Cos(theta), vec.Sin(theta)
	s.g = convex.Affine{A: s.slopes[1], B: -s.p.Margin}
}
