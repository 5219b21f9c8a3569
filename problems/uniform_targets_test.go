package problems

import (
	"math"
	"testing"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Losses are 3‖x − v‖² and constraints max(±x_i) − ½. The targets v are in [−1, 0]², with the mean
// −½ and the variance 1/12 in each coordinate, within four standard errors.
func TestUniformTargetsHaveTheirLaw(t *testing.T) {
	s := testInstance{"", uniformTargets, uniformTargets.Params}.stream(t, 1)
	const rounds = 20000
	var sum, squares [2]float64
	x := []float64{0.25, -0.5}
	for n := 1; n <= rounds; n++ {
		r := s.Reveal(n, nil)
		v := r.Loss.(*convex.HalfSquaredDistance).Center
		want := 3 * math.Pow(vec.Dist(x, v), 2)
		if got := r.Loss.Value(x); math.Abs(got-want) > 1e-12 || min(v[0], v[1]) < -1 ||
			max(v[0], v[1]) > 0 {
			t.Fatalf("round %d: the loss is %v, want %v with a target in [−1, 0]², not %v", n, got, want, v)
		}
		for i := range sum {
			sum[i], squares[i] = sum[i]+v[i], squares[i]+v[i]*v[i]
		}
		for j, want := range []float64{-0.25, -0.75, -1, 0} {
			if got := r.Constraints[j].Value(x); got != want {
				t.Fatalf("constraint %d is %v, want %v", j+1, got, want)
			}
		}
	}
	for i := range sum { // √(1/12/20000) and √((1/80 − 1/144)/20000)
		mean := sum[i] / rounds
		variance := squares[i]/rounds - mean*mean
		if math.Abs(mean+0.5) > 0.0082 || math.Abs(variance-1.0/12) > 0.0022 {
			t.Errorf("coordinate %d has the mean %v and the variance %v, want −½ and 1/12", i+1, mean,
				variance)
		}
	}
}

// The noise of CLASP's experiment, a normal one that is cut to [−1, 1], has the variance
// 1 − 2φ(1)/(2Φ(1)−1) = 0.29112, and slopes are in their range.
func TestClippedRegressionHasItsLaw(t *testing.T) {
	s := testInstance{"", regression, RegressionParams{Dim: 10, Samples: 4, Constraints: 4, Noise: 1,
		Clip: 1, Upper: 1, Slopes: 2}}.stream(t, 1)
	const draws = 40000
	squares, most := 0.0, 0.0
	for range draws {
		v := s.(*regressionStream).noise()
		squares, most = squares+v*v, max(most, math.Abs(v))
	}
	// four standard errors: the variance of a square is below 0.09
	if v := squares / draws; math.Abs(v-0.29112) > 0.006 || most > 1 || most < 0.999 {
		t.Errorf("the variance is %v, want 0.2911, and the largest %v, want just below 1", v, most)
	}
	largest := 0.0
	for n := 1; n <= 200; n++ {
		for _, g := range s.Reveal(n, nil).Constraints {
			for _, slope := range g.(*convex.Affine).A {
				if largest = max(largest, slope); slope < 0 || slope > 2 {
					t.Fatalf("a slope of %v, want one in [0, 2]", slope)
				}
			}
		}
	}
	if largest < 1.99 {
		t.Errorf("the largest slope is %v, want nearly 2", largest)
	}
}
