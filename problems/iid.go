package problems

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var iid = Problem{
	Name:  "iid",
	Title: "I.i.d. constraints",
	Doc: "i.i.d. affine constraints and i.i.d. linear losses in n dimensions, feasible in " +
		"expectation",
	Reference: "Yu, Neely, Wei, Online convex optimization with stochastic constraints, NeurIPS " +
		"2017, the setting",
	Definition: slices.Concat(spaceDefinition, []string{
		"$m = constraints$ slopes $ā_1, …, ā_m$ near $d$ are drawn once. In each round, all " +
			"independent,",
		"$g_{t,j}(x) = a_{t,j}·(x − z) + b_{t,j},  a_{t,j} = ā_j + spread·u_{t,j},$",
		"with $u_{t,j}$ uniform on $[−1, 1]^n$ and $b_{t,j}$ on $[margin − 2·slack, −margin]$, so " +
			"that $E g_{t,j}(x) = ā_j·(x − z) − slack$;",
		"$f_t(x) = −(d + loss-noise·v_t)·x$ with $v_t$ uniform on $[−1, 1]^n/√n$.",
		"With direction = fixed (in place of random), $f_t(x) = −x_1·cos(angle) − x_2·sin(angle)$, " +
			"the angle in degrees.",
	}),
	Version: 1,
	Params: IIDParams{
		Space:       Space{Dim: 2, Set: "box", Radius: 1},
		Constraints: 1,
		Slack:       0.25,
		Margin:      0.1,
		Spread:      0.5,
		LossNoise:   1,
		Direction:   "random",
	},
	New: Typed(newIID),
}

// IIDParams are the parameters of iid. In expectation g_j is ā_j·(x−z) − slack, whose boundary is
// inside the domain in the direction of d if slack < h/√2 (h as in [Shapes]).
// With margin > 0 the centre z is feasible in every round and X^min is not
// empty. With margin < 0 and spread ≥ 1 it is empty from some round on, almost
// surely: the supremum is
//
//	sup g_{t,j}(z+y) = ā_j·y + spread·‖y‖₁ − margin ≥ (spread−1)‖y‖₁ − margin > 0.
//
// Then sooner or later a single round is empty, too. With y in D − z and weights λ ≥ 0 of
// sum 1, the minimax theorem swaps the worst slopes and the best action,
//
//	max_u min_y max_j g_j(z+y) = max_λ min_y Σ_j λ_j·sup g_j(z+y) = min_y max_j sup g_j(z+y).
//
// So each round has a feasible action, whatever is drawn, only if one action is feasible
// in all of them. Every round is declared to be feasible where z is that action, or z − h·d.
//
// The slopes of every round are drawn anew. Constraints drawn independently from
// finitely many functions are family with draw=iid.
//
// A fixed direction changes the losses and not the constraints. So the best fixed
// actions at all angles trace the boundaries of the sets of one seed.
type IIDParams struct {
	Space
	Constraints int     `name:"constraints" doc:"number of constraints m" min:"1" max:"1000"`
	Slack       float64 `name:"slack" doc:"Slater margin in expectation: the centre z of the domain has E g_{t,j}(z) = −slack" above:"0" max:"1e6"`
	Margin      float64 `name:"margin" doc:"the worst round has g_{t,j}(z) = −margin; at most slack, where g_{t,j}(z) is no longer random; below 0, X^min may become empty" min:"-1e6" max:"1e6"`
	Spread      float64 `name:"spread" doc:"size, in each coordinate, of the noise of the slopes a_{t,j}, whose mean has length 1" min:"0" max:"1e6"`
	LossNoise   float64 `name:"loss-noise" doc:"size of the noise of the losses, whose mean has size 1" min:"0" max:"1e6"`
	Direction   string  `name:"direction" doc:"direction of the losses: random, or fixed at the angle, for figures of the sets" enum:"random,fixed"`
	Angle       float64 `name:"angle" doc:"in degrees, with direction=fixed: the loss is −(cos angle)x_1 − (sin angle)x_2" min:"-360" max:"360"`
}

// Validate implements the check across parameters of package spec.
func (p IIDParams) Validate() error {
	switch err := p.Space.Validate(); {
	case err != nil:
		return err
	case p.Margin > p.Slack:
		return fmt.Errorf("margin %v is more than slack %v: the worst round cannot be better than the "+
			"mean; raise slack or lower margin", p.Margin, p.Slack)
	case p.Direction == "fixed" && p.Dim < 2:
		return fmt.Errorf("direction=fixed needs two coordinates: give dim=2 or more")
	}
	return nil
}

// iidStream draws the slopes and constants of all constraints in every round, and a loss.
type iidStream struct {
	Instance
	rng       *rand.Rand
	space     space
	slopes    [][]float64 // ā_j
	p         IIDParams
	losses    *losses
	fixedLoss convex.Func // the loss of every round with direction=fixed, else nil
	drawn     [][]float64 // a_{t,j}
	g         []convex.Affine
}

// newIID draws the drift and the mean slopes ā_j, and returns the stream at round 1.
func newIID(p IIDParams, rng *rand.Rand) (Stream, error) {
	space, err := p.Space.newSpace()
	if err != nil {
		return nil, err
	}
	drift := space.drawDirection(rng)
	s := &iidStream{
		Instance: Instance{
			Domain: space.set,
			M:      p.Constraints,
			Declared: convex.Facts{
				Diameter: space.set.Diameter(), Slater: max(0, p.Margin),
				Affine: true, Perturbed: p.Spread == 0, Fixed: p.Spread == 0 && p.Margin == p.Slack, IID: true,
			},
		},
		rng:    rng,
		space:  space,
		p:      p,
		losses: newLosses(Losses{LossNoise: p.LossNoise}, space, p.Radius, drift),
		g:      make([]convex.Affine, p.Constraints),
	}
	Losses{LossNoise: p.LossNoise}.declare(&s.Declared, space, p.Radius)
	if p.Direction == "fixed" {
		a := make([]float64, p.Dim)
		a[0] = -vec.Cos(p.Angle * (math.Pi / 180))
		a[1] = -vec.Sin(p.Angle * (math.Pi / 180))
		s.fixedLoss = convex.Freeze(&convex.Affine{A: a})
		s.Declared.LossLipschitz = vec.Norm(a)
		s.Declared.LossRange = s.Declared.LossLipschitz * s.Declared.Diameter
	}
	worst := make([]float64, p.Dim)
	for j := range s.g {
		a := space.drawNear(drift, rng)
		for i, v := range a {
			worst[i] = math.Abs(v) + p.Spread
		}
		s.slopes = append(s.slopes, a)
		s.Declared.ConstraintLipschitz = max(s.Declared.ConstraintLipschitz, vec.Norm(worst))
		s.drawn = append(s.drawn, make([]float64, p.Dim))
		s.Round.Constraints = append(s.Round.Constraints, &s.g[j])
	}
	s.Declared.Feasible = p.Margin >= 0 || s.feasible(space.pointBehind(drift))
	s.Declared.ConstraintBound = max(math.Abs(p.Margin), float64(2*p.Slack)-p.Margin) +
		float64(s.Declared.ConstraintLipschitz*space.reach)
	return s, nil
}

// feasible reports whether x satisfies every constraint that can be drawn.
func (s *iidStream) feasible(x []float64) bool {
	y := make([]float64, len(x))
	vec.SubTo(y, x, s.space.center)
	size := 0.0
	for _, v := range y {
		size += math.Abs(v)
	}
	return !slices.ContainsFunc(s.slopes,
		func(a []float64) bool { return vec.Dot(a, y)+float64(s.p.Spread*size) > s.p.Margin })
}

// Reveal implements [Stream].
func (s *iidStream) Reveal(int, []float64) *convex.Round {
	for j := range s.g {
		a := s.drawn[j]
		drawNoisy(a, s.slopes[j], s.p.Spread, s.rng)
		b := uniform(s.rng, s.p.Margin-float64(2*s.p.Slack), -s.p.Margin) - vec.Dot(a, s.space.center)
		s.g[j] = convex.Affine{A: a, B: b}
	}
	loss := s.losses.draw(s.rng)
	if s.fixedLoss != nil {
		loss = s.fixedLoss
	}
	return s.Show(loss, s.Round.Constraints)
}

// drawNoisy writes to dst mean + spread·u, with u uniform on [−1, 1]^n.
func drawNoisy(dst, mean []float64, spread float64, rng *rand.Rand) {
	dst = dst[:len(mean)]
	for i, v := range mean {
		dst[i] = v + float64(spread*centredUniform(rng))
	}
}

// Expectation implements [Expecter]: ā_j·(x−z) − slack.
func (s *iidStream) Expectation() []convex.Func {
	means := make([]convex.Func, len(s.slopes))
	for j, a := range s.slopes {
		means[j] = &convex.Affine{A: slices.Clone(a), B: -vec.Dot(a, s.space.center) - s.p.Slack}
	}
	return means
}
