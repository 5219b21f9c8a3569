package game

import (
	"ocobench/convex"
	"ocobench/convex/vec"
)

// scaleUnit holds the power of two by which functions are divided before their sums are
// minimised, so that the tolerances of the kernel are relative to their size. Division by it
// rounds nothing. It is set by the first function that is not zero, to about its
// [convex.Magnitude] on the domain. The zero value is not set.
type scaleUnit struct {
	value float64      // 0 until it is set
	zero  *convex.Form // the zero function
	form  *convex.Form // scratch
}

// updateUnit returns the unit after it has seen the functions fs on a domain with the point x and
// this diameter. It is 1 as long as all functions were zero. gradient is scratch of the length of
// x.
func (u *scaleUnit) updateUnit(fs []convex.Func, x []float64, diameter float64,
	gradient []float64) float64 {
	if u.value != 0 {
		return u.value
	}
	if u.form == nil {
		u.zero, u.form = convex.NewForm(len(x)), convex.NewForm(len(x))
	}
	largest, isZero := 0.0, true
	for _, f := range fs {
		largest = max(largest, convex.Magnitude(f, x, diameter, gradient))
		u.form.Reset()
		f.AddTo(u.form, 1)
		isZero = isZero && u.form.Equal(u.zero)
	}
	if isZero {
		return 1
	}
	u.value = vec.PowerOfTwoBelow(largest)
	return u.value
}

// orOne returns the unit, or 1 if it is not set.
func (u *scaleUnit) orOne() float64 {
	if u.value == 0 {
		return 1
	}
	return u.value
}
