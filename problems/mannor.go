package problems

import (
	"math/rand/v2"

	"ocobench/convex"
)

var mannor = Problem{
	Name:  "mannor",
	Title: "Mannor et al.",
	Doc: "an adversary against which no learner has o(t) regret against X^max and o(t) " +
		"violation",
	Reference: "Mannor, Tsitsiklis, Yu, Online learning with sample path constraints, JMLR 10, " +
		"2009, Proposition 4",
	Definition: []string{
		"$D = [0, 1]$. The rounds depend on the actions: a round is of column 1 or of column 2,",
		"$f_t(x) = −x,  g_t(x) = −1$ (column 1),",
		"$f_t(x) = 1 − 2x,  g_t(x) = 2x − 1$ (column 2).",
		"Stage A is column 2, once and then while the mean of $x_1, …, x_{t−1}$ exceeds threshold. " +
			"Stage $B$ is column 1 for as many rounds as stage A had. Then stage A begins again.",
	},
	Version: 1,
	Params:  MannorParams{Threshold: 0.75},
	New:     Typed(newMannor),
}

// MannorParams are the parameters of mannor. An action x is the probability of the first of
// two actions of a matrix game. θ is the threshold.
//
// Where q is the frequency of column 2 among t rounds, Σ_i g_i(x)/t = 2qx − 1
// and Σ_i f_i(x)/t = q − (1+q)x. So X^max_t = [0, min(1, 1/(2q))], and the
// least mean loss over it, which is minus the reward-in-hindsight of the paper,
// is
//
//	−r*(q),   r*(q) = 1 where q ≤ ½,   r*(q) = ½ + 1/(2q) − q where q ≥ ½.
//
// At the end of a stage B, q = ½: the best action of X^max_t is 1, and its mean
// loss −1. The learner has a larger loss. Let S be Σ_i x_i, S_2 the same sum
// over column 2, and n the length of stage A, which ends because S ≤ θ(t−n) +
// n. The losses sum to t/2 − S − S_2. For n = 1, use S_2 ≤ t/2. For n > 1 the
// mean was above θ before the second round of stage A, so that S_2 ≤ (t−2n)/2 +
// θn + 1 − θ. In both cases
//
//	regret against X^max_t ≥ (1−θ)(t−1):
//
// about t/4 for θ = ¾, more than the t/8 of the paper's proof, which uses S_2 ≤ t/2
// and n ≤ t/2. A learner avoids this only if a stage A never ends; then Σ_{i≤t}
// g_i(x_i) ≥ (2θ−1)t − O(1). X̂^max_t and X^min_t are [0, ½] from the first
// round on, with the least mean loss (q−1)/2. Learners that use averages of the
// constraints, such as Penalised FTRL, follow the columns into ever longer
// stages: their soft violation oscillates between 0 and about .15t.
type MannorParams struct {
	Threshold float64 `name:"threshold" doc:"θ: the adversary plays column 2 until the mean of the actions is at most θ; the paper has 3/4" above:"0.5" below:"1"`
}

// mannorStream chooses between two frozen rounds by the actions so far.
type mannorStream struct {
	Instance
	threshold float64
	column1   convex.Round
	column2   convex.Round
	sum       float64 // Σ_{i<t} x_i
	length    int     // of the stage A that goes on or was the last, or 0 when stage B ends
	left      int     // rounds of stage B to come
}

// newMannor returns the stream at round 1.
func newMannor(p MannorParams, _ *rand.Rand) (Stream, error) {
	column := func(f, g convex.Affine) convex.Round {
		return convex.Round{Loss: convex.Freeze(&f), Constraints: []convex.Func{convex.Freeze(&g)}}
	}
	return &mannorStream{
		Instance: Instance{
			Domain: convex.Cube(1, 0, 1),
			M:      1,
			Declared: convex.Facts{
				LossLipschitz: 2, ConstraintLipschitz: 2, LossRange: 2, ConstraintBound: 1,
				Diameter: 1, Slater: 1, // at 0
				Feasible: true, Affine: true, Adaptive: true, Deterministic: true, KnownOptimum: true,
			},
		},
		threshold: p.Threshold,
		column1:   column(convex.Affine{A: []float64{-1}}, convex.Affine{A: []float64{0}, B: -1}),
		column2:   column(convex.Affine{A: []float64{-2}, B: 1}, convex.Affine{A: []float64{2}, B: -1}),
	}, nil
}

// Reveal implements [Stream].
func (s *mannorStream) Reveal(t int, x []float64) *convex.Round {
	s.checkAction(x)
	stageA := s.left == 0 && (s.length == 0 || s.sum > float64(s.threshold*float64(t-1)))
	s.sum += x[0]
	if stageA {
		s.length++
		return s.Show(s.column2.Loss, s.column2.Constraints)
	}
	if s.left == 0 {
		s.left = s.length
	}
	if s.left--; s.left == 0 {
		s.length = 0
	}
	return s.Show(s.column1.Loss, s.column1.Constraints)
}
