package problems

import (
	"math/rand/v2"

	"ocobench/convex"
	"ocobench/convex/vec"
)

var pinned = Problem{
	Name:  "pinned",
	Title: "Pinned comparator",
	Doc: "the first round pins X̂^max to one point, at which every prefix is active, while " +
		"the threshold of a second constraint swings for ever",
	Reference: "none in the literature: it meets the penalty growth condition of Leith, Iosifidis, " +
		"Penalised FTRL With Time-Varying Constraints, with t_ε = 1, and its Theorems 1 and 2 fail",
	Definition: []string{
		"$D = [−1, 1]$ and $f_t(x) = −4x$. The first of two constraints is",
		"$g_{1,1}(x) = x + ½,  g_{2,1}(x) = −3x − 3/2,  g_{t,1}(x) = −x − ½$ from round 3 on,",
		"and the second one, with $r_t = ¾ + ¼sin(2π·log t/log 10)$, is",
		"$g_{t,2}(x) = x − b_t,  b_t = t·r_t − (t − 1)r_{t−1}.$",
	},
	Version: 1,
	Params:  PinnedParams{},
	New:     func(any, *rand.Rand) (Stream, error) { return newPinned(), nil },
}

// PinnedParams are the parameters of pinned, which has none. With ω = 2π/log 10, r_t has one
// period a decade.
//
// So the averages of the first constraint are x + ½ in round 1 and −x − ½ from then
// on, and those of the second are x − r_t. Then X̂^max_t = {−½}, where all t averages
// of the first constraint are 0, and z = 0 has averages ≤ −½ from round 2 on: the
// paper's condition on the growth of the penalty is met with t_ε = 1, every η < ½
// and β = η.
// X^min_1 = [−1, −½], and X^min_t = {−½} from then on, for b_t ≥ ¾ − ¼√(1+ω²) = 0.02:
// b_t is the mean of the derivative of s·r_s over [t−1, t]. X^max_t = [−½, r_t] for t ≥ 2.
//
// Follow the leader with the penalty γΣh_i does not stay at −½: the hinge of round 1 has
// the weight γ, and the losses −4x push the action away. It tends to the point below
// which a share 4/γ of all r_i so far lies. As that share is positive, and r_t is at
// its minimum once a period, the penalty violation is linear, for every γ > 4: about
// 0.02t with γ = 13.
type PinnedParams struct{}

// pinnedStream reveals the pinning constraint and the bound b_t of the second one.
type pinnedStream struct {
	Instance
	pin     [3]convex.Func // g_{1,1}, g_{2,1}, and g_{t,1} from round 3 on
	sum     float64        // (t−1)·r_{t−1}
	slope   []float64      // 1, the slope of g_{t,2}
	bounded convex.Affine  // g_{t,2}
}

// newPinned returns the stream at round 1.
func newPinned() *pinnedStream {
	affine := func(a, b float64) convex.Func {
		return convex.Freeze(&convex.Affine{A: []float64{a}, B: b})
	}
	s := &pinnedStream{
		Instance: Instance{
			Domain: convex.Cube(1, -1, 1),
			M:      2,
			Declared: convex.Facts{
				LossLipschitz: 4, ConstraintLipschitz: 3, LossRange: 8, ConstraintBound: 4.5,
				Diameter: 2, Feasible: true, Affine: true, Deterministic: true,
			},
		},
		pin:   [3]convex.Func{affine(1, 0.5), affine(-3, -1.5), affine(-1, -0.5)},
		slope: make([]float64, 1),
	}
	s.Round = convex.Round{Loss: affine(-4, 0), Constraints: []convex.Func{nil, &s.bounded}}
	return s
}

// Reveal implements [Stream].
func (s *pinnedStream) Reveal(t int, _ []float64) *convex.Round {
	n := float64(t)
	sum := float64(n * (0.75 + float64(0.25*vec.Sin(float64(decadeFrequency*vec.Log(n))))))
	s.slope[0] = 1
	s.bounded = convex.Affine{A: s.slope, B: s.sum - sum}
	s.sum = sum
	s.Round.Constraints[0] = s.pin[min(t, 3)-1]
	return s.Show(s.Round.Loss, s.Round.Constraints)
}
