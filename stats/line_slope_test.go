package stats

import (
	"fmt"
	"math"
	"testing"
)

// Through y = −½x + (ε, −ε, −ε, ε) at x = 0, 1, 2, 3 the slope is −½, since the noise is
// orthogonal to 1 and to x. The residuals are the noise: se² = (4ε²/2)/5, and the quantile of
// Student's distribution with two degrees of freedom is t_{0.975} = 4.302653.
func TestFitLineSlopeByHand(t *testing.T) {
	const eps = 0.01
	x := []float64{0, 1, 2, 3}
	var y []float64
	for k, v := range []float64{eps, -eps, -eps, eps} {
		y = append(y, -0.5*x[k]+v)
	}
	s := FitLineSlope(x, y)
	if se := math.Sqrt(2 * eps * eps / 5); math.Abs(s.Value+0.5) > 1e-12 ||
		math.Abs(s.StdErr-se) > 1e-12 ||
		math.Abs(s.HalfWidth(0.95)-4.302652729911275*se) > 1e-9 {
		t.Errorf("%+v, ± %v, want −½ with the error %v", s, s.HalfWidth(0.95), se)
	}
}

// The values 1, 2, 3 have the mean 2 and the standard error 1/√3: Student's statistic is
// 2√3 = 3.46, between the quantiles 2.92 at level 0.1 and 4.30 at level 0.05.
func TestMeanDiffersByHand(t *testing.T) {
	v := []float64{1, 2, 3}
	if !MeanDiffers(v, 0.1) || MeanDiffers(v, 0.05) {
		t.Errorf("level 0.1: %v, level 0.05: %v, want true and false", MeanDiffers(v, 0.1),
			MeanDiffers(v, 0.05))
	}
}

func ExampleFitLineSlope() {
	fmt.Println(FitLineSlope([]float64{0, 1, 2}, []float64{1, 3, 5}).Value)
	// Output: 2
}
