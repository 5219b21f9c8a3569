package claims

import (
	"ocobench/convex"
	"ocobench/convex/vec"
)

// sums observes a game and adds up its losses, constraints and actions.
type sums struct {
	loss   float64   // Σ f_t(x_t)
	soft   float64   // Σ_j [Σ_t g_{t,j}(x_t)]₊
	hard   float64   // Σ_t Σ_j [g_{t,j}(x_t)]₊
	action []float64 // Σ x_t
	signed []float64 // Σ_t g_{t,j}(x_t)
}

// Round implements [game.Observer].
func (s *sums) Round(_ int, x []float64, r *convex.Round) error {
	if s.signed == nil {
		s.action, s.signed = make([]float64, len(x)), make([]float64, len(r.Constraints))
	}
	vec.Axpy(s.action, 1, x)
	s.loss += r.Loss.Value(x)
	s.soft = 0
	for j, g := range r.Constraints {
		v := g.Value(x)
		s.signed[j] += v
		s.soft += max(0, s.signed[j])
		s.hard += max(0, v)
	}
	return nil
}
