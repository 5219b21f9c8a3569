package averages

import (
	"math"

	"ocobench/convex"
	"ocobench/convex/vec"
)

// Deepest returns the minimiser over the set of max_j f_j, and the negative of the
// minimum, to about 10 digits. Let
//
//	v(s) = min over x in the set of Σ_j max(0, f_j(x) − s).
//
// The minimum of max_j f_j is the least s with v(s) = 0. v is convex, and its slope at s is at
// least minus the number of j with f_j(x) ≥ s at the minimiser x. Newton's method with this slope
// increases s from a lower bound to the minimum.
func Deepest(set convex.Set, fs []*convex.Form) (z []float64, margin float64, err error) {
	fs, unit := inUnit(set, fs)
	n := set.Dim()
	z = make([]float64, n)
	mean := convex.NewSum(set)
	for _, f := range fs {
		mean.Add(1/float64(len(fs)), f)
	}
	cert, err := mean.Minimize(z, convex.Prox{})
	if err != nil {
		return nil, 0, err
	}
	largestAt := func(x []float64) float64 {
		v := math.Inf(-1)
		for _, f := range fs {
			v = max(v, f.Value(x))
		}
		return v
	}
	least, x := largestAt(z), make([]float64, n) // least is max_j f_j(z)
	// The mean of the functions is at most their maximum, so that its minimum is a lower bound of s. A
	// single function is its own mean, and z is its minimiser already.
	for s := cert.Value - cert.Gap; len(fs) > 1; {
		const accuracy = 1e-10
		if least-s <= float64(accuracy*max(1, math.Abs(least))) {
			break
		}
		sum := convex.NewSum(set)
		for _, f := range fs {
			g := f.Clone()
			g.Const -= s
			sum.AddHinge(1, g)
		}
		cert, err := sum.Minimize(x, convex.Prox{})
		if err != nil {
			return nil, 0, err
		}
		if v := largestAt(x); v < least {
			least = v
			copy(z, x)
		}
		active := 0.0
		for _, f := range fs { // a function that is active up to rounding may have a multiplier, too
			if f.Value(x) > s-float64(1e-9*max(1, math.Abs(s))) {
				active++
			}
		}
		rise := (cert.Value - cert.Gap) / max(1, active) // a lower bound of v(s), over minus the slope
		if rise <= float64(accuracy/10*max(1, math.Abs(least))) {
			break
		}
		s += rise
	}
	return z, -float64(least * unit), nil
}

// inUnit returns functions divided by a power of two of about their size on the set, and this
// number: the tolerances of minimisations are for functions of about 1.
func inUnit(set convex.Set, fs []*convex.Form) (scaled []*convex.Form, unit float64) {
	x, g, size := make([]float64, set.Dim()), make([]float64, set.Dim()), 0.0
	set.Project(x, x)
	for _, f := range fs {
		size = max(size, convex.Magnitude(f, x, set.Diameter(), g))
	}
	unit = vec.PowerOfTwoBelow(size)
	for _, f := range fs {
		scaled = append(scaled, Scaled(f, 1/unit))
	}
	return scaled, unit
}

// Threshold returns the least γ at which the minimiser over the set of the loss plus
// γ Σ_j max(0, f_j) satisfies all f_j ≤ 0, to six digits: the largest multiplier of the
// constrained problem. It returns nil if there is no such γ.
func Threshold(set convex.Set, loss *convex.Form, fs []*convex.Form) (*float64, error) {
	scaled, lossUnit := inUnit(set, []*convex.Form{loss})
	fs, unit := inUnit(set, fs)
	sum := convex.NewSum(set)
	sum.Add(1, scaled[0])
	size := 0.0
	x := make([]float64, set.Dim())
	set.Project(x, x)
	for _, f := range fs {
		size = max(size, math.Abs(f.Value(x)))
		sum.AddHinge(1, f)
	}
	size = max(size, 1e-9) // positive, if all functions are 0 at x
	isEnough := func(gamma float64) (bool, error) {
		sum.SetGamma(gamma)
		_, err := sum.Minimize(x, convex.Prox{})
		return sum.Hinges(x) <= float64(1e-8*size), err
	}
	// γ is between lo, which is not enough, and hi. Both are in the units of scaled and fs.
	lo, hi := 0.0, 1.0
	ok, err := isEnough(0)
	if ok || err != nil {
		return &lo, err
	}
	const largest, accuracy = 1e9, 1e-7 // the limit of hi, and the relative accuracy of γ
	for {
		if ok, err = isEnough(hi); ok || err != nil {
			break
		}
		if lo, hi = hi, 2*hi; hi > largest {
			return nil, nil
		}
	}
	for err == nil && hi-lo > accuracy*hi {
		mid := lo + float64((hi-lo)/2)
		if ok, err = isEnough(mid); ok {
			hi = mid
		} else {
			lo = mid
		}
	}
	gamma := hi * (lossUnit / unit)
	return &gamma, err
}
