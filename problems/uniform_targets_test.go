package problems

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestUniformTargets computes f_t = 3‖x − v_t‖² and max(±x_i) − ½ from the rounds: the second
// differences of the loss are 2·3, its minimiser is the target, which is in [−1, 0]², has the mean
// −½ and the variance 1/12 in each coordinate.
func TestUniformTargets(t *testing.T) {
	s, err := newUniformTargets(uniformTargets.Params.(UniformTargetsParams),
		rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 20000
	var sum, squares [2]float64
	for n := 1; n <= rounds; n++ {
		r := s.Reveal(n, nil)
		for i := range sum {
			x := []float64{0.25, -0.5}
			middle := r.Loss.Value(x)
			x[i] += 0.5
			up := r.Loss.Value(x)
			x[i]--
			down := r.Loss.Value(x)
			if curve := (up + down - 2*middle) / 0.25; math.Abs(curve-6) > 1e-9 {
				t.Fatalf("round %d: the second difference is %v, want 6", n, curve)
			}
			v := x[i] + 0.5 - (up-down)/6 // up − down is 6·(x − v)
			if v < -1 || v > 0 {
				t.Fatalf("round %d: the target is at %v", n, v)
			}
			sum[i] += v
			squares[i] += v * v
		}
		x := []float64{0.25, -0.5}
		for j, want := range []float64{-0.25, -0.75, -1, 0} {
			if got := r.Constraints[j].Value(x); got != want {
				t.Fatalf("constraint %d is %v, want %v", j+1, got, want)
			}
		}
	}
	for i := range sum {
		mean := sum[i] / rounds
		variance := squares[i]/rounds - mean*mean
		// four standard errors, √(1/12/20000) and √((1/80 − 1/144)/20000)
		if math.Abs(mean+0.5) > 0.0082 || math.Abs(variance-1.0/12) > 0.0022 {
			t.Errorf("coordinate %d has the mean %v and the variance %v", i+1, mean, variance)
		}
	}
}

// TestRegressionClip holds the noise of CLASP's experiment, a normal one that is cut to [−1, 1], to
// its variance 1 − 2φ(1)/(2Φ(1)−1) = 0.29112, and the slopes and the domain to their ranges.
func TestRegressionClip(t *testing.T) {
	s, err := newRegression(RegressionParams{Dim: 10, Samples: 4, Constraints: 4, Noise: 1, Clip: 1,
		Upper: 1, Slopes: 2}, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
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
			one, zero := make([]float64, 10), make([]float64, 10)
			for i := range one {
				one[i] = 1
				slope := g.Value(one) - g.Value(zero)
				if largest = max(largest, slope); slope < 0 || slope > 2 {
					t.Fatalf("a slope of %v", slope)
				}
				one[i] = 0
			}
		}
	}
	if largest < 1.99 {
		t.Errorf("the largest slope is %v, want nearly 2", largest)
	}
}
