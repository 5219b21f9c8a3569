package problems

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ocobench/convex"
)

var uniformTargets = Problem{
	Name:  "uniform-targets",
	Title: "Uniform targets",
	Doc: "squared distances from uniformly random targets, in a ball, with the fixed constraints " +
		"of a box inside",
	Reference: "Hutchinson, Alizadeh, Constrained online convex optimization with Polyak " +
		"feasibility steps, ICML 2025, the experiment",
	Definition: []string{
		"$D$ is the ball $‖x‖ ≤ radius$ in $ℝ^n$, $n = dim$, and",
		"$f_t(x) = weight·‖x − v_t‖²$ with $v_t$ uniform on $[low, high]^n$, independent.",
		"The $2n$ constraints of every round are $g_{2i−1}(x) = x_i − half$ and $g_{2i}(x) = −x_i − " +
			"half$ for $i = 1, …, n$.",
	},
	Version: 1,
	Params:  UniformTargetsParams{Dim: 2, Radius: 1, Half: 0.5, Weight: 3, Low: -1, High: 0},
	New:     Typed(newUniformTargets),
}

// UniformTargetsParams are the parameters of uniform-targets. The constraints leave the box
// [−half, half]^n, whose corners are in the ball for half·√n ≤ radius. The best fixed action is
// then the mean of the targets, with each coordinate moved to the nearest one in the box: with the
// defaults it is near a corner.
type UniformTargetsParams struct {
	Dim    int     `name:"dim" doc:"dimension n" min:"1" max:"1000"`
	Radius float64 `name:"radius" doc:"of the ball D" above:"0" max:"1e6"`
	Half   float64 `name:"half" doc:"half the side of the box, its Slater margin; at most the radius" above:"0" max:"1e6"`
	Weight float64 `name:"weight" doc:"of the squared distance" above:"0" max:"1e6"`
	Low    float64 `name:"low" doc:"the least coordinate of a target" min:"-1e6" max:"1e6"`
	High   float64 `name:"high" doc:"the largest coordinate of a target" min:"-1e6" max:"1e6"`
}

// Validate implements the check across parameters of package spec.
func (p UniformTargetsParams) Validate() error {
	switch {
	case p.Low > p.High:
		return fmt.Errorf("low %v is more than high %v: lower low, or raise high", p.Low, p.High)
	case p.Half > p.Radius:
		return fmt.Errorf("half %v is more than radius %v: lower half, or raise radius", p.Half, p.Radius)
	}
	return nil
}

// uniformTargetsStream draws the target v_t in every round. The constraints are fixed.
type uniformTargetsStream struct {
	Instance
	rng    *rand.Rand
	p      UniformTargetsParams
	target []float64 // v_t
	loss   convex.HalfSquaredDistance
}

// newUniformTargets returns the stream at round 1.
func newUniformTargets(p UniformTargetsParams, rng *rand.Rand) (Stream, error) {
	ball, err := convex.NewBall(make([]float64, p.Dim), p.Radius)
	if err != nil {
		return nil, err
	}
	far := p.Radius + float64(max(math.Abs(p.Low), math.Abs(p.High))*math.Sqrt(float64(p.Dim)))
	s := &uniformTargetsStream{
		Instance: Instance{
			Domain: ball,
			M:      2 * p.Dim,
			Declared: convex.Facts{
				LossLipschitz: 2 * p.Weight * far, LossRange: p.Weight * far * far,
				ConstraintLipschitz: 1, ConstraintBound: p.Radius + p.Half,
				Diameter: ball.Diameter(), Slater: p.Half, Curvature: 2 * p.Weight,
				Feasible: true, Fixed: true, Affine: true, IID: true, KnownConstraints: true,
			},
		},
		rng:    rng,
		p:      p,
		target: make([]float64, p.Dim),
	}
	s.Round.Loss = &s.loss
	for i := range p.Dim {
		for _, sign := range []float64{1, -1} {
			g := &convex.Affine{A: make([]float64, p.Dim), B: -p.Half}
			g.A[i] = sign
			s.Round.Constraints = append(s.Round.Constraints, convex.Freeze(g))
		}
	}
	return s, nil
}

// Reveal implements [Stream].
func (s *uniformTargetsStream) Reveal(int, []float64) *convex.Round {
	for i := range s.target {
		s.target[i] = uniform(s.rng, s.p.Low, s.p.High)
	}
	s.loss = convex.HalfSquaredDistance{Weight: 2 * s.p.Weight, Center: s.target}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
