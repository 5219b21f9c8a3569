package scalar

import (
	"math"
	"testing"
)

// For every convex f with slope g at x, f(x) − min f over [lo, hi] is at most the
// fall of the tangent to the end that it falls to; an affine f attains it.
func TestSlopeGapOfSuboptimalPoints(t *testing.T) {
	square := func(x float64) float64 { return x * x }
	for _, c := range []struct {
		what         string
		x, g, lo, hi float64
		gap, least   float64
		value        func(x float64) float64
		attained     bool
	}{
		{what: "3x at 2", x: 2, g: 3, lo: -1, hi: 2, gap: 9,
			value: func(x float64) float64 { return 3 * x }, least: -3, attained: true},
		{what: "−3x at −1", x: -1, g: -3, lo: -1, hi: 2, gap: 9,
			value: func(x float64) float64 { return -3 * x }, least: -6, attained: true},
		{what: "x² at 1", x: 1, g: 2, lo: -1, hi: 2, gap: 4, value: square},
		{what: "x² at −½", x: -0.5, g: -1, lo: -1, hi: 2, gap: 2.5, value: square},
		{what: "|x| at its kink", x: 0, g: 0, lo: -1, hi: 2, gap: 0, value: math.Abs, attained: true},
	} {
		t.Run(c.what, func(t *testing.T) {
			suboptimal := c.value(c.x) - c.least
			got := SlopeGap(c.x, c.g, c.lo, c.hi)
			if got != c.gap || got < suboptimal || c.attained && got != suboptimal {
				t.Errorf("the gap is %v, want %v; the point is suboptimal by %v", got, c.gap, suboptimal)
			}
		})
	}
}

// x² ≤ 2 ends at √2 up to rounding, from either side.
func TestSublevelEndIsTheRoot(t *testing.T) {
	for _, outside := range []float64{3, -3} {
		got := SublevelEnd(func(x float64) float64 { return x*x - 2 }, 0, outside)
		if want := math.Copysign(math.Sqrt2, outside); math.Abs(got-want) > 1e-15 || got*got > 2 {
			t.Errorf("towards %v the end is %v, want %v from inside", outside, got, want)
		}
	}
}
