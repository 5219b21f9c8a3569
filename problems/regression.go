package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var regression = Problem{
	Name:  "regression",
	Title: "Regression",
	Doc: "online least squares with random affine constraints in every round, so that X^min " +
		"shrinks to the origin",
	Reference: "Yi, Li, Yang, Xie, Chai, Johansson, Regret and cumulative constraint violation " +
		"analysis for distributed online constrained convex optimization, IEEE TAC 68, 2023, the " +
		"experiment, for one agent",
	Definition: []string{
		"$D = [0, upper]^n$ with $n = dim$, $m = constraints$ and, all independent,",
		"$f_t(x) = ½‖H_t x − y_t‖²,  y_t = H_t·(1, …, 1) + noise·ν_t,$",
		"$g_t(x) = A_t x − b_t,$",
		"with $H_t$ uniform on $[−1, 1]^{r×n}$ for $r = samples$, $A_t$ on $[0, slopes]^{m×n}$, " +
			"$b_t$ on $[0, 1]^m$, and $ν_t$ standard normal in $ℝ^r$. With $clip > 0$, entries of " +
			"$ν_t$ beyond clip in size are drawn again.",
	},
	Version: 1,
	Params:  RegressionParams{Dim: 10, Samples: 4, Constraints: 2, Noise: 1, Upper: 5, Slopes: 1},
	New:     Typed(newRegression),
}

// RegressionParams are the parameters of regression. In expectation the loss is
// ½r(‖x−(1, …, 1)‖²/3 + σ²), σ² being the variance of an entry of the noise, and every constraint
// is (slopes·Σx_i − 1)/2. The experiment of CLASP
// (Ferreira, Soares, Xavier, ICML 2026) has upper=1, slopes=2, clip=1 and as its only constraint
// the largest of constraints=4. The origin is feasible in every round, but
// without a margin. As b_t is arbitrarily near 0 in some rounds, X^min_t
// shrinks to the origin: by round t each coordinate is at most min
// b_{i,j}/a_{i,j} over the mt constraints so far, which is about 2/mt with the defaults.
//
// The noise needs no clip for a bound, because a draw has |ν| ≤ 8.58. With the defaults
// this makes the declared Lipschitz constant 20 % larger than without noise.
// The constant is attained where all entries of H_t are near 1, and is about
// ten times a typical value.
type RegressionParams struct {
	Dim         int     `name:"dim" doc:"dimension n" min:"1" max:"1000"`
	Samples     int     `name:"samples" doc:"rows r of H_t, the samples of a round" min:"1" max:"1000"`
	Constraints int     `name:"constraints" doc:"number of constraints m" min:"1" max:"1000"`
	Noise       float64 `name:"noise" doc:"standard deviation σ of the noise of the samples" min:"0" max:"1e6"`
	Clip        float64 `name:"clip" doc:"noise beyond clip·σ is drawn again; 0: never" min:"0" max:"1e6"`
	Upper       float64 `name:"upper" doc:"the domain is [0, upper]^n" above:"0" max:"1e6"`
	Slopes      float64 `name:"slopes" doc:"the slopes of the constraints are uniform on [0, slopes]" above:"0" max:"1e6"`
}

// Validate implements the check across parameters of package spec.
func (p RegressionParams) Validate() error {
	if p.Clip > 0 && p.Clip < 0.01 {
		return fmt.Errorf("clip %v: nearly all noise would be drawn again; give 0.01 or more, or 0, or "+
			"lower noise", p.Clip)
	}
	return nil
}

// regressionStream draws H_t, y_t, A_t and b_t in every round.
type regressionStream struct {
	Instance
	rng  *rand.Rand
	p    RegressionParams
	h, y []float64   // H_t and y_t
	a    [][]float64 // the rows of A_t
	loss convex.LeastSquares
	g    []convex.Affine
}

// newRegression returns the stream at round 1.
func newRegression(p RegressionParams, rng *rand.Rand) (Stream, error) {
	n, r, maxNoise := float64(p.Dim), float64(p.Samples), maxNormal
	if p.Clip > 0 {
		maxNoise = min(maxNoise, p.Clip)
	}
	// At x in D, an entry of H_t x − y_t = H_t(x − (1, …, 1)) − noise·ν_t is at most:
	residual := float64(n*max(p.Upper-1, 1)) + float64(p.Noise*maxNoise)
	s := &regressionStream{
		Instance: Instance{
			Domain: convex.Cube(p.Dim, 0, p.Upper),
			M:      p.Constraints,
			Declared: convex.Facts{
				LossLipschitz: math.Sqrt(n) * r * residual, LossRange: r * residual * residual / 2,
				ConstraintLipschitz: p.Slopes * math.Sqrt(n), ConstraintBound: max(1, p.Slopes*p.Upper*n),
				Feasible: true, Affine: true, IID: true,
			},
		},
		rng: rng,
		p:   p,
		h:   make([]float64, p.Samples*p.Dim),
		y:   make([]float64, p.Samples),
		g:   make([]convex.Affine, p.Constraints),
	}
	s.Declared.Diameter = s.Domain.Diameter()
	s.Round.Loss = &s.loss
	for j := range s.g {
		s.a = append(s.a, make([]float64, p.Dim))
		s.Round.Constraints = append(s.Round.Constraints, &s.g[j])
	}
	return s, nil
}

// Expectation implements [Expecter]: m times (slopes·Σx_i − 1)/2.
func (s *regressionStream) Expectation() []convex.Func {
	a := slices.Repeat([]float64{s.p.Slopes / 2}, s.Domain.Dim())
	return slices.Repeat([]convex.Func{&convex.Affine{A: a, B: -0.5}}, s.M)
}

// Reveal implements [Stream].
func (s *regressionStream) Reveal(int, []float64) *convex.Round {
	n := s.Domain.Dim()
	for k := range s.y {
		h := s.h[k*n : (k+1)*n]
		for i := range h {
			h[i] = centredUniform(s.rng)
		}
		s.y[k] = vec.Sum(h) + float64(s.p.Noise*s.noise())
	}
	s.loss = convex.LeastSquares{H: s.h, Y: s.y}
	for j, a := range s.a {
		for i := range a {
			a[i] = s.p.Slopes * s.rng.Float64()
		}
		s.g[j] = convex.Affine{A: a, B: -s.rng.Float64()}
	}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}

// noise draws an entry of ν_t, again if it is beyond clip.
func (s *regressionStream) noise() float64 {
	v := normal(s.rng)
	if s.p.Clip == 0 {
		return v
	}
	for !(math.Abs(v) <= s.p.Clip) {
		v = normal(s.rng)
	}
	return v
}
