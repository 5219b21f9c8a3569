package claims_test

// Examples of the claims that are worked by hand, a second time and apart from the registry
// and from the learners: each derives its example in the comment, plays Penalised FTRL by
// bisection on the slope of a function of one variable, and uses the standard library alone.
// Throughout,
//
//	A_i = (1/i) sum_{k<=i} g_k,   h_i = sum_j max(0, A_i^(j)),
//	x_{t+1} = argmin_D R_t + sum_{i<=t} f_i + gamma h_i,   R_t = sqrt(t) x^2,
//
// unless a test says otherwise, and the boundary of a set is relative to D. The tests are in
// worked_*_test.go, by the part of the paper, and are named by the numbers of the claims;
// what they share is here.

import (
	"math/rand/v2"
)

// argminBySlope returns the least minimiser over [lo, hi] of the convex function
// with the given right derivative, up to the last bits.
func argminBySlope(lo, hi float64, slope func(x float64) float64) float64 {
	if slope(lo) >= 0 {
		return lo
	}
	for range 100 {
		mid := (lo + hi) / 2
		if slope(mid) >= 0 {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

func clip(x, lo, hi float64) float64 { return max(lo, min(hi, x)) }

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 13)) }

// activeAt returns the number of sums a x + b >= 0 at the rational p/q, q > 0.
func activeAt(a, b []int, p, q int) int {
	n := 0
	for i := range a {
		if a[i]*p+b[i]*q >= 0 {
			n++
		}
	}
	return n
}

// rightEnd returns the right end p/q of {a x + b <= 0 for all} on x < right,
// a > 0 throughout: the least -b/a; ok says that it lies inside (-right, right).
func rightEnd(a, b []int, right int) (p, q int, ok bool) {
	p, q = right, 1
	for i := range a {
		if -b[i]*q < p*a[i] {
			p, q = -b[i], a[i]
		}
	}
	return p, q, p < right*q && p > -right*q
}
