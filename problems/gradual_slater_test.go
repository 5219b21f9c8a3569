package problems

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// TestGradualSlater compares the noise with its law, and the targets with
// their clock; X^min is empty in the end exactly if margin < noise; and the
// best action over X^E is margin/n by hand, at a loss that is known.
func TestGradualSlater(t *testing.T) {
	const rounds = 3000 // a multiple of both periods
	for _, margin := range []float64{0.7, 0.5, 0.3, 0.1, 0} {
		p := gradualSlater.Params.(GradualSlaterParams)
		p.Margin = margin
		s := instanceOf{"", gradualSlater, p}.stream(t, 2)
		zero := make([]float64, p.Dim)
		x := make([]float64, p.Dim)
		everywhere, expected, loss := convex.NewProgram(s.Set()), convex.NewProgram(s.Set()),
			convex.NewForm(p.Dim)
		var values []float64
		for i := 1; i <= rounds; i++ {
			r := s.Reveal(i, nil)
			v := r.Constraints[0].Value(zero)
			if math.Abs(v+margin) > p.Noise {
				t.Fatalf("margin %v, round %d: g(0) = %v", margin, i, v)
			}
			values = append(values, v)
			everywhere.Constrain(convex.Lower(r.Constraints[0], p.Dim))
			r.Loss.AddTo(loss, 1)
			if want := []float64{0.8, 0.2}[(i-1)/30%2]; r.Loss.(*convex.HalfSquaredDistance).Center[i%p.Dim] != want {
				t.Fatalf("round %d: the target is not %v", i, want)
			}
		}
		if mean, se := vec.Sum(values)/rounds, p.Noise/math.Sqrt(3*rounds); math.Abs(mean+margin) > 5*se {
			t.Errorf("margin %v: g(0) has the mean %v", margin, mean)
		}
		_, err := everywhere.Minimize(x, convex.NewForm(p.Dim))
		if errors.Is(err, convex.ErrEmpty) != (margin < p.Noise) {
			t.Errorf("margin %v: X^min has the error %v", margin, err)
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

// TestTargetsCircleByHand holds the circling minimiser to the numbers of the program of Yu, Lee and
// Lee: in the plane it starts at (0.8, 0.5), is a quarter further after a quarter of a period, and
// its mean over a period is (½, ½).
func TestTargetsCircleByHand(t *testing.T) {
	s := newGradualSlater(GradualSlaterParams{Dim: 2, Margin: 0.1, Noise: 0.7, Period: 40,
		Targets: "circle"}, rand.New(rand.NewPCG(1, 1)))
	mean := make([]float64, 2)
	for round := 1; round <= 40; round++ {
		s.Reveal(round, nil)
		c := s.center
		want := map[int][]float64{1: {0.8, 0.5}, 11: {0.5, 0.8}, 21: {0.2, 0.5}, 31: {0.5, 0.2}}[round]
		for i := range c {
			if mean[i] += c[i] / 40; want != nil && math.Abs(c[i]-want[i]) > 1e-12 {
				t.Errorf("round %d: %v, want %v", round, c, want)
			}
		}
	}
	if math.Abs(mean[0]-0.5) > 1e-12 || math.Abs(mean[1]-0.5) > 1e-12 {
		t.Errorf("the mean over a period is %v, want (½, ½)", mean)
	}
}
