package problems

import (
	"math"
	"testing"
)

// The average of b_1, …, b_t is A·t^{−r}·cos(ω·log t), and b stays within the bound
// declared.
func TestDriftingAverage(t *testing.T) {
	for _, p := range []DriftingAverageParams{
		{Kind: "affine", Amplitude: 0.25, Rate: 0.5},
		{Kind: "affine", Amplitude: -0.3, Rate: 0.25, Turns: 1},
		{Kind: "quadratic", Amplitude: 0.2, Turns: 0.5},
	} {
		s, err := newDriftingAverage(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		least, sum := math.Inf(1), 0.
		for i := 1; i <= 1000; i++ {
			b := s.Reveal(i, nil).Constraints[0].Value([]float64{0}) // φ(0) = 0
			sum += b
			least = min(least, 2-b)
			want := p.Amplitude * math.Pow(float64(i), -p.Rate) *
				math.Cos(2*math.Pi*p.Turns*math.Log10(float64(i)))
			if got := sum / float64(i); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%+v: the average of %d rounds is %v, want %v", p, i, got, want)
			}
		}
		if declared := s.Facts().Slater; least < declared {
			t.Errorf("%+v: at −2 the margin is %v, declared is %v", p, least, declared)
		}
	}
}
