package vec

import (
	"math"
	"math/bits"
)

// Sin returns the sine of the radian argument x. In the tests the error is
// below 0.9 ulp, however large x is. Special cases are those of [math.Sin].
func Sin(x float64) float64 {
	switch {
	case x == 0 || math.IsNaN(x):
		return x
	case math.IsInf(x, 0):
		return math.NaN()
	}
	q, r, rLo := reduce(math.Abs(x))
	y := sinOrCos(q, r, rLo)
	if x < 0 {
		return -y
	}
	return y
}

// Cos returns the cosine of the radian argument x. In the tests the error is
// below 0.9 ulp, however large x is. Special cases are those of [math.Cos].
func Cos(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return math.NaN()
	}
	q, r, rLo := reduce(math.Abs(x))
	return sinOrCos(q+1, r, rLo)
}

// sinOrCos returns sin(q π/2 + r + rLo).
func sinOrCos(q uint64, r, rLo float64) float64 {
	var y float64
	if q&1 == 0 {
		y = sin(r, rLo)
	} else {
		y = cos(r, rLo)
	}
	if q&2 != 0 {
		return -y
	}
	return y
}

// sin returns the sine of r + rLo, |r| ≤ π/4, as r + (rLo (1 - r²/2) + r³ p),
// where r³ p is the Taylor series from -r³/3! to r¹⁷/17!.
func sin(r, rLo float64) float64 {
	z := float64(r * r)
	p := float64(z*(1./355687428096000)) - 1./1307674368000
	p = float64(z*p) + 1./6227020800
	p = float64(z*p) - 1./39916800
	p = float64(z*p) + 1./362880
	p = float64(z*p) - 1./5040
	p = float64(z*p) + 1./120
	p = float64(z*p) - 1./6
	return r + (float64(float64(r*z)*p) + float64(rLo*(1-float64(z/2))))
}

// cos returns the cosine of r + rLo, |r| ≤ π/4, as 1 - r²/2 + (r⁴ p - r rLo),
// where r⁴ p is the Taylor series from r⁴/4! to r¹⁶/16!. The rounding error of
// 1 - r²/2 is computed and added.
func cos(r, rLo float64) float64 {
	z := float64(r * r)
	p := float64(z*(1./20922789888000)) - 1./87178291200
	p = float64(z*p) + 1./479001600
	p = float64(z*p) - 1./3628800
	p = float64(z*p) + 1./40320
	p = float64(z*p) - 1./720
	p = float64(z*p) + 1./24
	half := float64(z / 2)
	head := 1 - half
	return head + (((1 - head) - half) + (float64(float64(z*z)*p) - float64(r*rLo)))
}

// reduce returns q and r + rLo with x = q π/2 + r + rLo up to a multiple of 2π,
// |r| ≤ π/4, for finite x ≥ 0. It is Payne and Hanek's reduction: in
//
//	x · 2/π = ix · 2^e · Σ_i b_i 2⁻ⁱ,  ix an integer of 53 bits,
//
// the bits b_i with e - i ≥ 2 add multiples of four, which are multiples of 2π in x.
// The 192 bits that follow are enough for the fraction: no float64 is closer to a
// multiple of π/2 than about 2⁻⁶², and 126 bits of the fraction are kept.
//
// References:
//   - M. Payne and R. Hanek, Radian reduction for trigonometric functions,
//     ACM SIGNUM Newsletter 18 (1983).
//   - K. C. Ng, Argument reduction for huge arguments: good to the last bit
//     (1992).
func reduce(x float64) (q uint64, r, rLo float64) {
	if x <= math.Pi/4 {
		return 0, x, 0
	}
	ix := math.Float64bits(x)
	e := int(ix>>52) - 1075
	ix = ix&(1<<52-1) | 1<<52

	// b is the window of 192 bits; b_i is bit 63+i of the table.
	word, shift := uint(e+62)/64, uint(e+62)%64
	var b [3]uint64
	for i := range b {
		b[i] = twoOverPi[word+uint(i)]<<shift | twoOverPi[word+uint(i)+1]>>(64-shift)
	}
	// hi and lo are the upper 128 of the lower 192 bits of ix·b:
	// x · 2/π mod 4 in units of 2⁻¹²⁶.
	carry, _ := bits.Mul64(ix, b[2])
	hi, lo := bits.Mul64(ix, b[1])
	lo, carry = bits.Add64(lo, carry, 0)
	hi += ix*b[0] + carry

	// Keep only the fraction, in units of 2⁻¹²⁸, and round to the nearest
	// quadrant: a fraction of one half or more becomes negative.
	q = hi >> 62
	hi, lo = hi<<2|lo>>62, lo<<2
	sign := uint64(0)
	if hi>>63 == 1 {
		q++
		sign = 1 << 63
		lo, carry = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, carry)
	}
	// Shift out leading zeros, take the upper 53 bits and the 53 after them,
	// and multiply by π/2 = pio2 + pio2Lo.
	const (
		pio2   = 0x1.921fb54442d18p+0
		pio2Lo = math.Pi/2 - pio2
	)
	n := uint(bits.LeadingZeros64(hi))
	hi, lo = hi<<n|lo>>(64-n), lo<<n
	unit := math.Float64frombits(sign | uint64(1023-53-n)<<52)
	f := float64(float64(hi>>11) * unit)
	fLo := float64(float64((hi<<53|lo>>11)>>11) * (unit * 0x1p-53))
	r = float64(f * pio2)
	rLo = math.FMA(f, pio2, -r) + (float64(f*pio2Lo) + float64(fLo*pio2))
	return q, r, rLo
}

// twoOverPi is the binary expansion of 2/π to 1216 bits, enough for the largest
// float64. The leading zero word is its integer part.
var twoOverPi = [20]uint64{
	0,
	0xa2f9836e4e441529,
	0xfc2757d1f534ddc0,
	0xdb6295993c439041,
	0xfe5163abdebbc561,
	0xb7246e3a424dd2e0,
	0x06492eea09d1921c,
	0xfe1deb1cb129a73e,
	0xe88235f52ebb4484,
	0xe99c7026b45f7e41,
	0x3991d639835339f4,
	0x9c845f8bbdf9283b,
	0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f,
	0x6d367ecf27cb09b7,
	0x4f463f669e5fea2d,
	0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea,
	0x6bfb5fb11f8d5d08,
	0x56033046fc7b6bab,
}
