package claims

import (
	"math"
	"math/rand/v2"
)

// separable is F(x) = Σ_k a_k x_k²/2 + b_k x_k on D = [−1, 1]^n. It is convex if all a_k ≥ 0.
type separable struct{ a, b []float64 }

// newSeparable returns the function 0 of n coordinates.
func newSeparable(n int) separable { return separable{make([]float64, n), make([]float64, n)} }

// add adds g to f in place.
func (f separable) add(g separable) {
	for k := range f.a {
		f.a[k] += g.a[k]
		f.b[k] += g.b[k]
	}
}

// value returns F(x).
func (f separable) value(x []float64) (v float64) {
	for k, x := range x {
		v += float64(f.a[k]*x*x/2) + float64(f.b[k]*x)
	}
	return v
}

// lipschitz returns the largest ‖∇F‖ on D, which is at a corner.
func (f separable) lipschitz() float64 {
	sum := 0.0
	for k := range f.a {
		d := math.Abs(f.a[k]) + math.Abs(f.b[k])
		sum += float64(d * d)
	}
	return math.Sqrt(sum)
}

// argmin writes to x the minimiser over D of the function, which has a ≥ 0.
func (f separable) argmin(x []float64) {
	for k := range x {
		switch {
		case f.a[k] > 0:
			x[k] = min(1, max(-1, -f.b[k]/f.a[k]))
		case f.b[k] > 0:
			x[k] = -1
		default:
			x[k] = 1
		}
	}
}

// drawSeparable draws a function f such that sum + f is at least modulus-strongly convex in every
// coordinate. Two in ten are linear, and two have no linear part. Where the minimiser of sum is on
// the boundary, the linear part pulls it back inside.
func drawSeparable(rng *rand.Rand, sum separable, modulus float64) separable {
	f := newSeparable(len(sum.a))
	kind := rng.IntN(10)
	linear, noLinearPart := kind < 2, kind == 2 || kind == 3
	for k := range f.a {
		if !linear {
			f.a[k] = max(modulus-sum.a[k], drawSymmetric(rng))
		}
		if !noLinearPart {
			u := float64(rng.Float64()) // squared: small slopes are the more frequent ones
			f.b[k] = float64(2 * u * u)
			// The minimiser −b/a of sum is below −1, or it is inside and a coin falls so.
			if sum.b[k] > sum.a[k] || sum.b[k] >= -sum.a[k] && rng.IntN(2) == 0 {
				f.b[k] = -f.b[k]
			}
		}
	}
	return f
}
