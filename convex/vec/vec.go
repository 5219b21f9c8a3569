// Package vec has the arithmetic of all other packages: vectors and elementary
// functions whose results have the same bits on every platform.
//
// A seed should determine one result on all machines. Go's floating-point
// arithmetic is deterministic on a given target but differs between targets, for
// two reasons. The compiler may fuse x*y + z into one operation with one rounding,
// as it does on arm64, and on amd64 with GOAMD64=v3. And package math has assembly
// for some functions on some targets. This package therefore
//
//   - rounds every product by an explicit conversion float64(x*y), which the
//     language does not allow to be fused with a following operation;
//   - sums in an order that depends on the length only;
//   - implements Exp, Log, Pow, Sin and Cos in such arithmetic, with [math.FMA] for
//     fused operations, which is correctly rounded everywhere.
//
// Other packages must round their products too, or call these functions. An
// assignment is not a conversion: in p := x*y; return p + z the compiler may fuse.
// [math.Sqrt], a single operation +, −, × or /, comparisons and conversions are
// portable. Only the sign and the payload of a NaN depend on the hardware.
//
// For the same reasons the linear algebra and the statistics of gonum are used only where their
// bits are not kept. Of 2000 calls with 20 random numbers, floats.Sum, Dot and AddScaledTo,
// stat.Mean and LinearRegression and mat.Cholesky had other bits on arm64 than on amd64 in 1245 to
// 1997. What rounds once a number, such as floats.Scale, DivTo and AddConst, had the same.
//
// Functions that write to a vector have it as their first argument; it may be one
// of the operands too, but may not overlap them partially. No function allocates.
// Operands of different lengths cause a panic.
package vec

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const badLength = "vec: length mismatch"

// Dot returns the inner product
//
//	aᵀb = (s₀ + s₁) + (s₂ + s₃),  s_k = Σ_{i ≡ k mod 4} a_i b_i,
//
// where each s_k is summed in the order of i. Four sums are faster than one, since
// an addition waits for the previous one to the same sum. The rounding error is at
// most about (n/4+2)·2⁻⁵³·Σ|a_i b_i|.
func Dot(a, b []float64) float64 {
	if len(a) != len(b) {
		panic(badLength)
	}
	if len(a) == 1 {
		return float64(a[0]*b[0]) + 0 // + 0 makes −0 into 0, as the sums below do
	}
	b = b[:len(a)] // so that the compiler drops the bounds checks
	var s0, s1, s2, s3 float64
	i := 0
	for ; i < len(a)-3; i += 4 {
		s0 += float64(a[i] * b[i])
		s1 += float64(a[i+1] * b[i+1])
		s2 += float64(a[i+2] * b[i+2])
		s3 += float64(a[i+3] * b[i+3])
	}
	switch len(a) - i {
	case 3:
		s2 += float64(a[i+2] * b[i+2])
		fallthrough
	case 2:
		s1 += float64(a[i+1] * b[i+1])
		fallthrough
	case 1:
		s0 += float64(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

// Sum returns Σ a_i, summed in the order of [Dot].
func Sum(a []float64) float64 {
	var s0, s1, s2, s3 float64
	i := 0
	for ; i < len(a)-3; i += 4 {
		s0 += a[i]
		s1 += a[i+1]
		s2 += a[i+2]
		s3 += a[i+3]
	}
	switch len(a) - i {
	case 3:
		s2 += a[i+2]
		fallthrough
	case 2:
		s1 += a[i+1]
		fallthrough
	case 1:
		s0 += a[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds alpha times x to dst:
//
//	dst_i ← dst_i + alpha x_i.
func Axpy(dst []float64, alpha float64, x []float64) {
	if len(dst) != len(x) {
		panic(badLength)
	}
	for i, v := range x {
		dst[i] += float64(alpha * v)
	}
}

// AxpyLong does what [Axpy] does, bit for bit, and is up to four times as fast for long vectors
// where the machine has a kernel. The compiler does not inline it: for fewer than [Long] elements
// Axpy is faster.
func AxpyLong(dst []float64, alpha float64, x []float64) {
	if len(dst) != len(x) {
		panic(badLength)
	}
	if hasKernel && alpha != 0 { // the kernel leaves −0 where alpha is 0
		axpy(dst, alpha, x)
		return
	}
	for i, v := range x {
		dst[i] += float64(alpha * v)
	}
}

// Long is the number of elements from which on [AxpyLong] is faster than [Axpy].
const Long = 32

// AxpyTo stores alpha times x plus y:
//
//	dst_i ← alpha x_i + y_i.
func AxpyTo(dst []float64, alpha float64, x, y []float64) {
	if len(dst) != len(x) || len(dst) != len(y) {
		panic(badLength)
	}
	for i, v := range x {
		dst[i] = float64(alpha*v) + y[i]
	}
}

// Scale multiplies dst by alpha:
//
//	dst_i ← alpha dst_i.
func Scale(dst []float64, alpha float64) {
	floats.Scale(alpha, dst)
}

// AddTo stores the sum of two vectors:
//
//	dst_i ← a_i + b_i.
//
// It has the bits of gonum's [floats.AddTo], which takes 15 ns in place of 5 for three numbers.
func AddTo(dst, a, b []float64) {
	if len(dst) != len(a) || len(dst) != len(b) {
		panic(badLength)
	}
	for i, v := range a {
		dst[i] = v + b[i]
	}
}

// SubTo stores the difference of two vectors:
//
//	dst_i ← a_i − b_i.
//
// It is here for the reason of [AddTo].
func SubTo(dst, a, b []float64) {
	if len(dst) != len(a) || len(dst) != len(b) {
		panic(badLength)
	}
	for i, v := range a {
		dst[i] = v - b[i]
	}
}

// For a sum of squares of at least tiny, the error by underflow is below the rounding error. A
// smaller sum is computed again with the elements multiplied by grow, and a sum that overflows with
// the elements multiplied by shrink: no square then overflows or underflows. Both are powers of
// two, which do not round.
const (
	tiny   = 0x1p-900
	shrink = 0x1p-600
	grow   = 0x1p+600
)

// Norm returns the Euclidean norm
//
//	‖a‖ = (Σ a_i²)^½
//
// without overflow or underflow of intermediate results, summed in the order of
// [Dot]. It costs one Dot, and a second pass if the squares leave the range of
// float64. If an element is NaN the result is NaN; otherwise, if one is infinite,
// it is +Inf.
func Norm(a []float64) float64 {
	s := Dot(a, a)
	switch {
	case s > math.MaxFloat64:
		return float64(math.Sqrt(sumSquares(a, shrink)) * grow)
	case s < tiny:
		return float64(math.Sqrt(sumSquares(a, grow)) * shrink)
	}
	return math.Sqrt(s)
}

// sumSquares returns Σ (scale a_i)².
func sumSquares(a []float64, scale float64) float64 {
	var s float64
	for _, v := range a {
		s += square(float64(v * scale))
	}
	return s
}

// Dist returns the Euclidean distance
//
//	‖a − b‖ = (Σ (a_i − b_i)²)^½
//
// computed as [Norm], at the same cost.
func Dist(a, b []float64) float64 {
	if len(a) != len(b) {
		panic(badLength)
	}
	b = b[:len(a)] // so that the compiler drops the bounds checks
	var s0, s1, s2, s3 float64
	i := 0
	for ; i < len(a)-3; i += 4 {
		s0 += square(a[i] - b[i])
		s1 += square(a[i+1] - b[i+1])
		s2 += square(a[i+2] - b[i+2])
		s3 += square(a[i+3] - b[i+3])
	}
	switch len(a) - i {
	case 3:
		s2 += square(a[i+2] - b[i+2])
		fallthrough
	case 2:
		s1 += square(a[i+1] - b[i+1])
		fallthrough
	case 1:
		s0 += square(a[i] - b[i])
	}
	s := (s0 + s1) + (s2 + s3)
	switch {
	case s > math.MaxFloat64:
		// The scaling comes first, since the difference may overflow.
		return float64(math.Sqrt(sumSquaredDiffs(a, b, shrink, 1)) * grow)
	case s < tiny:
		// The scaling comes last, since vectors that are close may be large.
		return float64(math.Sqrt(sumSquaredDiffs(a, b, 1, grow)) * shrink)
	}
	return math.Sqrt(s)
}

// sumSquaredDiffs returns Σ ((first a_i − first b_i) last)².
func sumSquaredDiffs(a, b []float64, first, last float64) float64 {
	var s float64
	for i, v := range a {
		s += square(float64((float64(first*v) - float64(first*b[i])) * last))
	}
	return s
}

// square returns x², rounded.
func square(x float64) float64 { return float64(x * x) }

// PowerOfTwoBelow returns the largest power of two that is at most v, or 1 if v is not positive and
// finite. Numbers divided by it, and multiplied by it later, are not rounded.
func PowerOfTwoBelow(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 1) {
		return 1
	}
	_, k := math.Frexp(v)
	return math.Ldexp(1, max(k-1, -1000))
}
