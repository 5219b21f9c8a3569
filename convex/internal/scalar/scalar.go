// Package scalar minimises convex functions of one variable.
//
// [Piecewise] is a sum of hinges w·max(0, ½qx² + ax + b), a piecewise quadratic function that is
// stored by its breakpoints: adding a hinge and finding the minimiser of the sum and a parabola
// cost O(log t) with t hinges, and the minimiser is exact. [Bisect] minimises any convex function
// by values and slopes, about 50 evaluations. [SublevelEnd] finds an end of a sublevel set.
// [Breakpoints] also holds hinges s·φ(x) + c of one function φ on ℝⁿ, which are piecewise linear
// in u = φ(x).
package scalar

import "math"

// SlopeGap bounds f(x) − min f over [lo, hi] for every convex f with slope g at x.
func SlopeGap(x, g, lo, hi float64) float64 {
	switch {
	case g > 0:
		return float64(g * (x - lo))
	case g < 0:
		return float64(-g * (hi - x))
	}
	return 0
}

// Bisect minimises a convex function over [lo, hi] by bisection with the sign of its slope; at
// returns its value and a subgradient. It stops when the tangents at the ends of the interval prove
// that the gap is at most accuracy, or at rounding, after about 50 evaluations. It returns the
// better end of the interval that is left, its value, a bound on how far that is above the least
// value, and the number of evaluations.
func Bisect(at func(x float64) (value, slope float64), lo, hi, accuracy float64) (x, value,
	gap float64, evaluations int) {
	// A minimiser is between a and b, and the tangents at a and b are lower bounds.
	a, b := lo, hi
	va, ga := at(a)
	vb, gb := at(b)
	evaluations = 2
	lower := func() float64 {
		switch {
		case ga >= 0:
			return va
		case gb <= 0:
			return vb
		}
		// The tangents meet at a + m, up to rounding.
		m := min(max(0, (vb-va-float64(gb*(b-a)))/(ga-gb)), b-a)
		return min(va, vb, max(va+float64(ga*m), vb-float64(gb*(b-a-m))))
	}
	for ga < 0 && gb > 0 && min(va, vb)-lower() > max(accuracy, float64(1e-15*max(1, math.Abs(va)))) {
		m := a + float64((b-a)/2)
		if m <= a || m >= b {
			break
		}
		evaluations++
		if vm, gm := at(m); gm > 0 {
			b, vb, gb = m, vm, gm
		} else {
			a, va, ga = m, vm, gm
		}
	}
	x, value = a, min(va, vb)
	if vb < va || ga < 0 && gb <= 0 {
		x = b
	}
	return x, value, max(0, value-lower()), evaluations
}

// SublevelEnd returns the end of the set where a convex function is ≤ 0, between a point inside of
// the set and one outside, by bisection up to rounding.
func SublevelEnd(value func(x float64) float64, inside, outside float64) float64 {
	for {
		m := inside + float64((outside-inside)/2)
		if m == inside || m == outside {
			return inside
		}
		if value(m) <= 0 {
			inside = m
		} else {
			outside = m
		}
	}
}
