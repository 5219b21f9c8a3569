package stats

import "testing"

// The shapes of growth are told apart by bounds and not by estimates. The mean below
// grows like t^0.2, drifts, and has increments like those of a + b·t^p: whether it is
// an offset plus a power depends on the lower bound of p, and whether it is a
// logarithm on both bounds.
func TestVerdictsGoByBounds(t *testing.T) {
	const tolerance = 0.05
	estimate := func(lower, value, upper float64) Estimate {
		return Estimate{Value: value, Lower: lower, Upper: upper}
	}
	straight := estimate(-0.2, 0, 0.2)
	for _, c := range []struct {
		what                    string
		drift, increments, bend Estimate
		want                    Shape
	}{
		{"p is proven positive", estimate(0.1, 0.2, 0.3), estimate(0.06, 0.5, 1), straight, OffsetPower},
		{"p is estimated positive", estimate(0.1, 0.2, 0.3), estimate(0.04, 0.5, 1), straight, Transient},
		{"p is estimated positive, and the drift is small", estimate(0.01, 0.03, 0.04),
			estimate(0.04, 0.5, 1), straight, Power},
		{"p is 0 up to the tolerance", estimate(0.1, 0.2, 0.3), estimate(-0.1, 0.01, 0.04), straight,
			Logarithmic},
		{"p may be below the exponent of the mean on the other side", estimate(0.1, 0.2, 0.3),
			estimate(-0.25, 0.01, 0.04), straight, Transient},
		{"p is the exponent of the mean", estimate(0.1, 0.2, 0.3), estimate(0.06, 0.22, 0.4), straight,
			Power},
		{"the increments bend", estimate(0.1, 0.2, 0.3), estimate(0.06, 0.5, 1), estimate(0.06, 0.1, 0.2),
			Transient},
		{"the mean may not drift", estimate(-0.1, 0.2, 0.3), estimate(0.06, 0.5, 1), straight, Power},
	} {
		f := Fit{Exponent: 0.2, Lower: 0.15, Upper: 0.25, Drift: c.drift, Increments: c.increments}
		says := false
		of := shape{0.3, func() Estimate { return c.bend },
			func() bool { return says }}
		if got := f.shape(of, tolerance); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
		says = true
		if got := f.shape(of, tolerance); got != Transient {
			t.Errorf("%s, and it wavers: %s", c.what, got)
		}
	}
}
