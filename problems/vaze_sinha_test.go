package problems

import (
	"math"
	"testing"

	"ocobench/convex"
)

// TestVazeSinha: the best fixed action is a/2, at ca²/4 a round; with the
// multiplier ca it is the minimiser of the Lagrangian, and with a smaller one it
// is not.
func TestVazeSinha(t *testing.T) {
	for _, p := range []VazeSinhaParams{{A: 2.5, C: 0.1}, {A: 4, C: 1}, {A: 100, C: 1000}} {
		s := newVazeSinha(p)
		x := make([]float64, 1)
		program, loss := convex.NewProgram(s.Set()), convex.NewForm(1)
		for i := 1; i <= 100; i++ {
			r := s.Reveal(i, nil)
			r.Loss.AddTo(loss, 1)
			program.Constrain(convex.Lower(r.Constraints[0], 1))
		}
		sol, err := program.Minimize(x, loss)
		if want := 100 * p.C * p.A * p.A / 4; err != nil || math.Abs(sol.Value-want) > 1e-9*want ||
			math.Abs(x[0]-p.A/2) > 1e-9*p.A {
			t.Errorf("%+v: the best action is %v at %v (%v), want %v at %v", p, x[0], sol.Value, err, p.A/2,
				want)
		}
		for _, share := range []float64{1, 0.9} {
			lagrangian := convex.Lower(s.Round.Loss, 1)
			s.Round.Constraints[0].AddTo(lagrangian, share*p.C*p.A)
			if _, err := convex.NewProgram(s.Set()).Minimize(x, lagrangian); err != nil ||
				math.Abs(x[0]-max(1, share*p.A/2)) > 1e-6*p.A {
				t.Errorf("%+v: %v of the multiplier brings %v (%v)", p, share, x[0], err)
			}
		}
	}
}
