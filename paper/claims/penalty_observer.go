package claims

import (
	"ocobench/convex"
	"ocobench/harness/game/averages"
)

// penaltyObserver observes a game and sums up the penalty of the paper,
//
//	h_t(x) = Σ_j max(0, G_t^{(j)}(x)/t),   G_t^{(j)} = Σ_{i≤t} g_i^{(j)}.
//
// Its method [averages.Running.Hinges] evaluates h_t after round t, and Value one average.
type penaltyObserver struct {
	averages.Running         // G_t^{(j)}, from round 1 on
	penalty          float64 // Σ_{i≤t} h_i(x_i)
	// weighted is Σ_{i≤t} (1/i) Σ_j max(0, g_i^{(j)}(x_i)). It bounds penalty where every x_i is in
	// X̂^max_{i−1}: there the average to i−1 is ≤ 0, so that round i alone adds, with its weight 1/i.
	weighted float64
}

// Round implements [game.Observer].
func (a *penaltyObserver) Round(t int, x []float64, r *convex.Round) error {
	if t == 1 {
		a.Running = *averages.New(len(x), len(r.Constraints))
	}
	if err := a.Running.Round(t, x, r); err != nil {
		return err
	}
	for _, g := range r.Constraints {
		a.weighted += max(0, g.Value(x)) / float64(t)
	}
	a.penalty += a.Hinges(x)
	return nil
}
