package problems

import (
	"math"
	"testing"

	"ocobench/convex"
)

// The comparators of alternating are as its documentation says, and so is the regret of
// whoever plays 1 in even rounds and 0 in odd ones.
func TestAlternatingComparators(t *testing.T) {
	for _, swing := range []float64{0, 0.5, 2} {
		s := instanceOf{"alternating", alternating, AlternatingParams{Swing: swing}}.stream(t, 1)
		loss, cum, played := convex.NewForm(1), convex.NewForm(1), 0.0
		xmin, xhat := convex.NewProgram(s.Set()), convex.NewProgram(s.Set())
		for i := 1; i <= 20; i++ {
			r := s.Reveal(i, nil)
			if i%2 == 0 {
				played += r.Loss.Value([]float64{1})
			}
			r.Loss.AddTo(loss, 1)
			r.Constraints[0].AddTo(cum, 1)
			xmin.Constrain(convex.Lower(r.Constraints[0], 1))
			xhat.Constrain(cum)
			xmax := convex.NewProgram(s.Set())
			xmax.Constrain(cum)
			n, slope, top := float64(i), float64(i), 0.5
			if i%2 == 1 {
				slope, top = n+swing, (n+1)/(2*n)
			}
			want := []float64{0, -slope / 2, -slope * top}
			if i == 1 {
				want = []float64{-slope, -slope, -slope}
			}
			for k, p := range []*convex.Program{xmin, xhat, xmax} {
				var x [1]float64
				if sol, err := p.Minimize(x[:], loss); err != nil || math.Abs(sol.Value-want[k]) > 1e-12*n {
					t.Errorf("swing %v, t = %d, set %d: the least loss is %v, %v, want %v", swing, i, k, sol.Value,
						err, want[k])
				}
			}
			if i%2 == 0 && played != (swing-1)*n/2 {
				t.Errorf("swing %v, t = %d: the loss is %v", swing, i, played)
			}
		}
	}
}
