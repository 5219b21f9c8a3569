package report

import (
	"math"
	"testing"

	"ocobench/harness/analysis"
)

// What is below 1e-12 of its scale prints as 0, and no more than that.
func TestRounding(t *testing.T) {
	for _, c := range []struct {
		value, half float64
		want        string
	}{
		{3, 1e-13, "3.00 ± 0"}, {34.04, 1e-12, "34.0 ± 0"}, {-1e-15, 2, "0 ± 2.0"},
		{1e-15, 2e-15, "1.00·10⁻¹⁵ ± 2.0·10⁻¹⁵"}, {99368, 1e-8, "99368 ± 0"},
		{5, 0.02, "5.000 ± 0.020"}, {0, 0, "0 ± 0"},
	} {
		e := analysis.Estimate{Value: analysis.Number(c.value), Lower: analysis.Number(c.value - c.half),
			Upper: analysis.Number(c.value + c.half)}
		if got := plusMinus(e).Plain; got != c.want {
			t.Errorf("%v ± %v is %q, want %q", c.value, c.half, got, c.want)
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		v     float64
		scale []float64
		want  float64
	}{
		{1e-13, []float64{1}, 0}, {-1e-13, []float64{0.5, -1}, 0}, {2e-12, []float64{1}, 2e-12},
		{1e-13, nil, 1e-13}, {1e-13, []float64{inf}, 1e-13}, {5, []float64{math.NaN(), 1}, 5},
	} {
		if got := rounded(c.v, c.scale...); got != c.want {
			t.Errorf("%v of the scale %v is %v, want %v", c.v, c.scale, got, c.want)
		}
	}
	if got := actionText([]float64{1, 3e-17, -0.5}); got != "1 0 -0.5" {
		t.Errorf("the action is %q", got)
	}
	if got := coordinates([]float64{-4e-16, 2}); got != "0 2" {
		t.Errorf("the point is %q", got)
	}
	if got := small(3e-15) + " " + small(0); got != "3.0·10⁻¹⁵ 0" {
		t.Errorf("the gaps are %q", got)
	}
}
