package problems

import (
	"math"
	"math/rand/v2"
	"slices"

	"ocobench/convex"
)

var conflicting = Problem{
	Name:  "conflicting",
	Title: "Conflicting constraints",
	Doc: "i.i.d. constraints, x_i ≤ 0.4 and rarely mean(x) ≥ 0.425, that no action satisfies " +
		"all; feasible in expectation",
	Reference: "synthetic; the setting is that of Yu, Neely, Wei, Online convex optimization with " +
		"stochastic constraints, NeurIPS 2017",
	Definition: slices.Concat([]string{
		"$D = [0, 1]^n$ with $n = dim$. In each round, independently,",
		"$g_t(x) = x_i − 0.4$ with probability $0.9/n$ for each $i$,",
		"$g_t(x) = 0.85 − (2/n)Σ_i x_i$ with probability 0.1.",
		"In the losses, $d = (1, …, 1)/√n$, $z = (½, …, ½)$ and $R = ½$:",
	}, lossesDefinition),
	Version: 1,
	Params:  ConflictingParams{Dim: 2, Losses: Losses{LossNoise: 1}},
	New:     Typed(newConflicting),
}

// ConflictingParams are the parameters of conflicting. X^min is empty once all n+1
// constraints have been revealed, because 0.85 − (2/n)·Σx ≥ 0.05 where Σx ≤ 0.4n. The expectation
//
//	E g_t(x) = (0.7/n)·Σx_i − 0.275
//
// is ≤ 0 for Σx ≤ 0.275n/0.7 ≈ 0.393n, with the Slater margin 0.275 at x = 0.
// The least expected linear loss of a round over X^E is −(0.275/0.7)·√n. X̂^max
// may be empty too, and is in about 22 of 100 instances with n = 2: no action
// satisfies a prefix with each constraint equally often, such as three
// different first rounds.
type ConflictingParams struct {
	Dim int `name:"dim" doc:"dimension n" min:"1" max:"1000"`
	Losses
}

// conflictingStream draws one of n+1 frozen constraints in every round, and a loss.
type conflictingStream struct {
	Instance
	rng    *rand.Rand
	losses *losses
	funcs  []convex.Func // the last one is the rare one
}

// newConflicting returns the stream at round 1.
func newConflicting(p ConflictingParams, rng *rand.Rand) (Stream, error) {
	const radius = 0.5
	n := float64(p.Dim)
	space := space{set: convex.Cube(p.Dim, 0, 1), n: p.Dim, center: make([]float64, p.Dim),
		reach: radius * math.Sqrt(n)}
	drift := make([]float64, p.Dim)
	rare := convex.Affine{A: make([]float64, p.Dim), B: 0.85}
	for i := range drift {
		space.center[i], drift[i], rare.A[i] = radius, 1/math.Sqrt(n), -2/n
	}
	s := &conflictingStream{
		Instance: Instance{
			Domain: space.set,
			M:      1,
			Declared: convex.Facts{
				ConstraintLipschitz: max(1, 2/math.Sqrt(n)), ConstraintBound: 1.15,
				Diameter: space.set.Diameter(), Feasible: true, Affine: true, IID: true,
			},
			Round: convex.Round{Constraints: make([]convex.Func, 1)},
		},
		rng:    rng,
		losses: newLosses(p.Losses, space, radius, drift),
	}
	p.Losses.declare(&s.Declared, space, radius)
	for i := range p.Dim {
		common := convex.Affine{A: make([]float64, p.Dim), B: -0.4}
		common.A[i] = 1
		s.funcs = append(s.funcs, convex.Freeze(&common))
	}
	s.funcs = append(s.funcs, convex.Freeze(&rare))
	return s, nil
}

// Reveal implements [Stream].
func (s *conflictingStream) Reveal(int, []float64) *convex.Round {
	n := len(s.funcs) - 1
	k := n
	if u := s.rng.Float64(); u < 0.9 { // then u/0.9 is uniform on [0, 1), and chooses a common one
		k = min(int(u/0.9*float64(n)), n-1)
	}
	s.Round.Constraints[0] = s.funcs[k]
	return s.Show(s.losses.draw(s.rng), s.Round.Constraints)
}

// Expectation implements [Expecter] by (0.7/n)·Σx_i − 0.275.
func (s *conflictingStream) Expectation() []convex.Func {
	mean := convex.Affine{A: make([]float64, s.Domain.Dim()), B: -0.275}
	for i := range mean.A {
		mean.A[i] = 0.7 / float64(len(mean.A))
	}
	return []convex.Func{&mean}
}
