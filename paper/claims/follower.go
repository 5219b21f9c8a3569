package claims

import (
	"ocobench/convex"
	"ocobench/problems"
)

// follower is a learner that follows the regularised leader on objectives that a check defines:
// after round t, add adds to the sum what the round contributes, and the next action minimises the
// sum plus weight(t)·‖x‖² over the domain.
type follower struct {
	sum    *convex.Sum
	x      []float64
	t      int
	add    func(t int, r convex.Round, sum *convex.Sum)
	weight func(t int) float64 // of ‖x‖²
	// again may change the sum after a minimisation, such as raise γ, and reports whether it did;
	// then the sum is minimised again. If nil, the sum is minimised once a round.
	again func(sum *convex.Sum, x []float64) bool
}

// newFollower returns a follower on the domain of a stream. Its first action is the projection of
// 0.
func newFollower(s problems.Stream, weight func(int) float64,
	add func(int, convex.Round, *convex.Sum)) *follower {
	f := &follower{sum: convex.NewSum(s.Set()), x: make([]float64, s.Set().Dim()), add: add,
		weight: weight}
	s.Set().Project(f.x, f.x)
	return f
}

// Act implements [algorithms.Learner].
func (f *follower) Act(dst []float64) { copy(dst, f.x) }

// Observe implements [algorithms.Learner].
func (f *follower) Observe(_ []float64, r convex.Round) error {
	f.t++
	f.add(f.t, r, f.sum)
	for {
		if _, err := f.sum.Minimize(f.x, convex.Prox{
			Weight: f.weight(f.t), Center: make([]float64, len(f.x)),
		}); err != nil {
			return err
		}
		if f.again == nil || !f.again(f.sum, f.x) {
			return nil
		}
	}
}

// leaderBound bounds the regret of FTRL with the regulariser √t‖x−x_0‖², x_1 = x_0, where
// ‖x−x_0‖ ≤ ρ on the domain and the functions are L-Lipschitz, against any point u of the domain.
// The proof is in ftrl_regret.yaml, where u is called y.
//
//	Σ_{i≤t} F_i(x_i) − F_i(u) ≤ ρ²√t + L²(1 + 2√t)/4.
func leaderBound(t int, rho, lipschitz float64) float64 {
	root := sqrt(t)
	return float64(rho*rho*root) + float64(lipschitz*lipschitz*(1+float64(2*root))/4)
}
