package problems

import (
	"math/rand/v2"

	"ocobench/convex"
)

var alternating = Problem{
	Name:  "alternating",
	Title: "Alternating constraints",
	Doc: "x ≤ 1 and x ≤ 0 in turn on [0,1]: the averages allow x = 1/2, X^min only x = 0, and " +
		"the sets of single rounds grow again",
	Reference: "none in the literature: it parts sums of constraints from the constraints of " +
		"rounds, which Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints, Section 4.2, " +
		"sets beside each other",
	Definition: []string{
		"$D = [0, 1]$ and, with $s = swing$,",
		"$f_t(x) = −(1 + s)x,  g_t(x) = x − 1$ in odd rounds,",
		"$f_t(x) = −(1 − s)x,  g_t(x) = x$ in even rounds.",
	},
	Version: 1,
	Params:  AlternatingParams{Swing: 2},
	New: Typed(func(p AlternatingParams, _ *rand.Rand) (Stream, error) {
		return newAlternating(p), nil
	}),
}

// AlternatingParams are the parameters of alternating.
//
// From round 2 on X^min_t = {0} and X̂^max_t = [0, 1/2]. X^max_t is [0, 1/2] where t
// is even, and else [0, (t+1)/(2t)]. The losses sum to −tx, or to −(t+s)x where t is
// odd.
//
// A learner that follows the leader in the set of the last round alone plays 1 in even
// rounds and 0 in odd ones. With s > 1 it has the loss s−1 in every even round: a
// regret of (s−1)t/2 against X^min, and of st/2 against X^max. The proof of the rate √t
// needs only that sets which change are nested, and these sets are not.
type AlternatingParams struct {
	Swing float64 `name:"swing" doc:"s: the losses are −(1+s)x in odd rounds and −(1−s)x in even ones" min:"0" max:"1e6"`
}

// alternatingStream reveals two frozen rounds in turn.
type alternatingStream struct {
	Instance
	rounds [2]convex.Round // even, odd
}

// newAlternating returns the stream at round 1.
func newAlternating(p AlternatingParams) *alternatingStream {
	round := func(slope, limit float64) convex.Round {
		return convex.Round{
			Loss:        convex.Freeze(&convex.Affine{A: []float64{-slope}}),
			Constraints: []convex.Func{convex.Freeze(&convex.Affine{A: []float64{1}, B: -limit})},
		}
	}
	return &alternatingStream{
		Instance: Instance{
			Domain: convex.Cube(1, 0, 1),
			M:      1,
			Declared: convex.Facts{
				LossLipschitz: 1 + p.Swing, ConstraintLipschitz: 1, LossRange: 1 + p.Swing, ConstraintBound: 1,
				Diameter: 1,
				Feasible: true, Affine: true, Perturbed: true, Deterministic: true, KnownOptimum: true,
			},
		},
		rounds: [2]convex.Round{round(1-p.Swing, 0), round(1+p.Swing, 1)},
	}
}

// Reveal implements [Stream].
func (s *alternatingStream) Reveal(t int, _ []float64) *convex.Round {
	r := s.rounds[t%2]
	return s.Show(r.Loss, r.Constraints)
}
