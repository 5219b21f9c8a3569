package problems

import (
	"math"
	"math/rand/v2"

	"ocobench/convex"
)

var softGap = Problem{
	Name:  "soft-gap",
	Title: "Soft gap",
	Doc: "frequencies converge at the rate 1/√t, yet the soft violation of Penalised FTRL is " +
		"linear while its penalty violation stays bounded",
	Reference: "none in the literature: it parts the violation of the Introduction from that of " +
		"Theorem 2 in Leith, Iosifidis, Penalised FTRL With Time-Varying Constraints",
	Definition: []string{
		"$D = [−1, 1]$. The rounds depend on the actions: with $b = margin$,",
		"$f_t(x) = r_t x,  g_t(x) = s_t x − b,$",
		"$s_t = 1$ where $x_t ≥ −10^{−12}$, else $−1$, and $s_t = 0$ in the first opening rounds; " +
			"$r_t = ±1$ with $r_1 = 1$: for $W = Σ_{i<t} r_i$, $r_t = −r_{t−1}$ where $r_{t−1}W ≥ √t$, " +
			"else $r_t = r_{t−1}$.",
		"walls of the constraints $g_{t,2}(x) = x − ¾$ and $g_{t,3}(x) = −x − ¾$ are in every round.",
	},
	Version: 1,
	Params:  SoftGapParams{Margin: 0.05},
	New:     Typed(newSoftGap),
}

// SoftGapParams are the parameters of soft-gap. W oscillates between ±√t, and so does
// follow the leader, regularised by κ√t·x²: without a penalty x_{t+1} =
// −W/(2κ√t), for κ ≥ ½. The signs s_t oscillate too, |Σ_{i≤t} s_i| = O(√t), so
// that frequencies converge at the rate 1/√t, and the sum of h_i(x_i) = max(0,
// (Σ_{k≤i} s_k)x_i/i − b) stays bounded. But g_t(x_t) = |x_t| − b: the soft
// violation of any learner is max(0, Σ_i |x_i| − bt), about (1/(4κ) − b)t for
// follow the leader. A penalty only delays this: with κ = 1, b = 0.05 and γ =
// 25 it is .06t at t = 10⁴ and .15t at 10⁶, and tends to .2t. With κ = 1, b =
// 0.05, at t = 40000,
//
//	γ                             0      1      5     25
//	soft violation             8003   7443   6181   3794
//	penalty violation           .59    .28    .21    .21
//	regret against D = X^max    232    225    214    201.
//
// The actions of a deterministic learner can be computed beforehand, so that
// against each such learner there is an oblivious sequence of the same rounds.
// X^min_t is [−b, b] once both signs have been revealed. X^max_t is |x| ≤
// bt/|Σ_{i≤t} s_i|, in the end D.
//
// With opening = n, the first n rounds reveal g_t(x) = −b in place of s_t·x − b. The
// signs come in runs of about 2√t, so that with b = 0.05, κ = 1 and n = 2000 the average
// of g is negative on all of D in every round: h_i = 0, and X̂^max = X^max = D. With
// walls = 2, every round also has the constraints x ≤ ¾ and −x ≤ ¾, which follow the
// leader satisfies by itself. X̂^max is then [−¾, ¾], and at either end all prefixes of
// one of them are active. The paper's conditions are met, and the soft violation is
// linear all the same.
//
// Where W = 0 the minimiser is 0 up to rounding errors, which must not decide the
// rounds: the sign of x ≥ −1e-12 is +1.
type SoftGapParams struct {
	Margin  float64 `name:"margin" doc:"b: the constraints are sx − b with s = ±1" above:"0" below:"1"`
	Opening int     `name:"opening" doc:"n: so many first rounds have the constraint −b" min:"0" max:"1000000000"`
	Walls   int     `name:"walls" doc:"1 adds the constraint x ≤ ¾ in every round, and 2 also −x ≤ ¾" min:"0" max:"2"`
}

// softGapWall is the largest |x| that the walls allow.
const softGapWall = 0.75

// softGapStream chooses the sign of the constraint by the action, and the sign of the loss by its
// sum so far.
type softGapStream struct {
	Instance
	margin  float64
	opening int
	r       float64      // r_{t−1}
	sum     float64      // Σ_{i<t} r_i
	slopes  [2][]float64 // of the loss and the constraint
	loss, g convex.Affine
}

// newSoftGap returns the stream at round 1.
func newSoftGap(p SoftGapParams, _ *rand.Rand) (Stream, error) {
	bound := 1 + p.Margin
	if p.Walls > 0 {
		bound = max(bound, 1+softGapWall)
	}
	s := &softGapStream{
		Instance: Instance{
			Domain: convex.Cube(1, -1, 1),
			M:      1 + p.Walls,
			Declared: convex.Facts{
				LossLipschitz: 1, ConstraintLipschitz: 1, LossRange: 2, ConstraintBound: bound,
				Diameter: 2, Slater: p.Margin, // at 0
				Feasible: true, Affine: true, Adaptive: true, Deterministic: true,
			},
		},
		margin:  p.Margin,
		opening: p.Opening,
		r:       1,
		slopes:  [2][]float64{{0}, {0}},
	}
	walls := []convex.Func{
		convex.Freeze(&convex.Affine{A: []float64{1}, B: -softGapWall}),
		convex.Freeze(&convex.Affine{A: []float64{-1}, B: -softGapWall}),
	}
	s.Round = convex.Round{Loss: &s.loss, Constraints: append([]convex.Func{&s.g}, walls[:p.Walls]...)}
	return s, nil
}

// Reveal implements [Stream].
func (s *softGapStream) Reveal(t int, x []float64) *convex.Round {
	s.checkAction(x)
	if s.r*s.sum >= math.Sqrt(float64(t)) {
		s.r = -s.r
	}
	s.sum += s.r
	sign := 1.0
	switch {
	case t <= s.opening:
		sign = 0
	case x[0] < -1e-12:
		sign = -1
	}
	s.slopes[0][0], s.slopes[1][0] = s.r, sign
	s.loss = convex.Affine{A: s.slopes[0]}
	s.g = convex.Affine{A: s.slopes[1], B: -s.margin}
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
