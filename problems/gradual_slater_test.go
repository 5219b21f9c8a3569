package problems

import (
	"errors"
	"math"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// The noise has its law. X^min is empty in the end exactly if margin < noise, and the best action
// over X^E is margin/n by hand, at a loss that is known.
func TestGradualSlaterSetsFollowTheMargin(t *testing.T) {
	const rounds = 3000 // a multiple of both periods
	for _, margin := range []float64{0.7, 0.5, 0.3, 0.1, 0} {
		p := gradualSlater.Params.(GradualSlaterParams)
		p.Margin = margin
		s := testInstance{"", gradualSlater, p}.stream(t, 2)
		zero := make([]float64, p.Dim)
		x := make([]float64, p.Dim)
		everywhere, expected, loss := convex.NewProgram(s.Set()), convex.NewProgram(s.Set()),
			convex.NewForm(p.Dim)
		var values []float64
		for i := 1; i <= rounds; i++ {
			r := s.Reveal(i, nil)
			v := r.Constraints[0].Value(zero)
			if math.Abs(v+margin) > p.Noise {
				t.Fatalf("margin %v, round %d: got g(0) = %v, want %v ± %v", margin, i, v, -margin,
					p.Noise)
			}
			values = append(values, v)
			everywhere.Constrain(convex.Lower(r.Constraints[0], p.Dim))
			r.Loss.AddTo(loss, 1)
		}
		if mean, se := vec.Sum(values)/rounds, p.Noise/math.Sqrt(3*rounds); math.Abs(mean+margin) > 5*se {
			t.Errorf("margin %v: got mean %v of g(0), want %v", margin, mean, -margin)
		}
		_, err := everywhere.Minimize(x, convex.NewForm(p.Dim))
		if errors.Is(err, convex.ErrEmpty) != (margin < p.Noise) {
			t.Errorf("margin %v: got error %v of X^min, want it empty only for margins below the noise",
				margin, err)
		}
		expected.Constrain(convex.Lower(s.(*gradualSlaterStream).Expectation()[0], p.Dim))
		sol, err := expected.Minimize(x, loss)
		if err != nil {
			t.Fatal(err)
		}
		best := margin / float64(p.Dim)
		want := rounds * float64(p.Dim) / 4 * ((best-0.8)*(best-0.8) + (best-0.2)*(best-0.2))
		if math.Abs(sol.Value-want) > 1e-9*want {
			t.Errorf("margin %v: the best action over X^E is %v at %v, want %v", margin, x, sol.Value, want)
		}
	}
}
