package vec

import "math"

// The exponential and the logarithm work in double-double arithmetic: a number
// is an unevaluated sum hi + lo, about 107 bits. Each reduces its argument to the
// neighbourhood of one of the points j/32, and combines a tabulated value at this
// point with a short Taylor series. The series is so small compared with the
// tabulated value that its rounding errors hardly matter. The error is then that of
// rounding hi + lo.

const (
	// ln2Hi is a multiple of 2⁻⁴², so that k·ln2Hi is exact for |k| < 2¹¹.
	ln2Hi = 0x1.62e42fefa38p-1
	ln2Lo = math.Ln2 - ln2Hi

	// stepHi is a multiple of 2⁻⁴², so that k·stepHi is exact for |k| < 2¹⁶.
	step   = math.Ln2 / 32
	stepHi = 0x1.62e42fefap-6
	stepLo = step - stepHi

	// Above expMax the exponential overflows, and below expMin it rounds to zero.
	expMax = 709.8
	expMin = -745.2

	minNormal = 0x1p-1022
)

// Exp returns e**x, the base-e exponential of x. The error is below 0.53 ulp,
// and below 0.77 ulp where the result is subnormal. Special cases are those of
// [math.Exp].
func Exp(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return exp(x, 0)
}

// Log returns the natural logarithm of x. The error is below 0.51 ulp. Special
// cases are those of [math.Log].
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	hi, lo := log(x)
	return hi + lo
}

// Pow returns x**y, the base-x exponential of y. The error is below 0.58 ulp,
// and below 0.8 ulp where the result is subnormal; a power that is a normal
// float64 is returned exactly. Special cases are those of [math.Pow].
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case y == 1:
		return x
	case math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case x == -1 && math.IsInf(y, 0):
		return 1
	}
	sign := 1.0
	if math.Signbit(x) {
		switch {
		case isOddInteger(y):
			sign = -1
		case x < 0 && x >= -math.MaxFloat64 && y != math.Trunc(y):
			return math.NaN()
		}
		x = -x
	}
	if x == 0 || x > math.MaxFloat64 || math.IsInf(y, 0) {
		// The logarithm or the exponent is infinite. The limit is +Inf if they
		// have the same sign, and 0 otherwise.
		if (x > 1) == (y > 0) {
			return sign * math.Inf(1)
		}
		return sign * 0
	}
	hi, lo := log(x)
	p := float64(y * hi)
	if p > expMax || p < expMin {
		return sign * exp(p, 0)
	}
	return sign * exp(p, math.FMA(y, hi, -p)+float64(y*lo))
}

// isOddInteger reports whether y is an odd integer.
func isOddInteger(y float64) bool {
	y = math.Abs(y)
	// At 2⁵³ and above every float64 is even.
	return y < 1<<53 && y == math.Trunc(y) && int64(y)&1 == 1
}

// exp returns e^(hi+lo), rounded once, for |lo| much less than 1 and hi not
// NaN. With k the integer nearest 32 hi / ln 2,
//
//	e^(hi+lo) = 2^⌊k/32⌋ · 2^((k mod 32)/32) · e^r,  |r| ≤ ln 2 / 64.
//
// Of the three factors the first is exact, the second comes from a table and
// the third is 1 + r + r²/2! + … + r⁷/7!.
func exp(hi, lo float64) float64 {
	switch {
	case hi > expMax:
		return math.Inf(1)
	case hi < expMin:
		return 0
	}
	n := math.RoundToEven(hi * (1 / step))
	k := int(n)
	r := (hi - float64(n*stepHi)) + (lo - float64(n*stepLo))
	r2 := float64(r * r)
	e := float64(r*(1./6)) + 1./2
	e += float64(r2 * (float64(r*(1./120)) + 1./24))
	e += float64(float64(r2*r2) * (float64(r*(1./5040)) + 1./720))
	e = float64(r2*e) + r // e^r - 1

	t := &exp2Table[k&31]
	y := t.hi + (float64(t.hi*e) + t.lo)
	k >>= 5
	if k < -1021 || k > 1023 {
		return math.Ldexp(y, k)
	}
	return float64(y * math.Float64frombits(uint64(k+1023)<<52))
}

// log returns the natural logarithm of x, finite and positive, as hi + lo with
// a relative error of about 2⁻⁶⁶ and |lo| ≤ ulp(hi)/2. With x = 2^k m and
// c = j/32 the point nearest m,
//
//	log x = k log 2 + log c + 2 artanh s,  s = (m-c)/(m+c),
//	artanh s = s + s³/3 + s⁵/5 + … + s¹¹/11,  |s| < 0.011.
//
// Since log c is exactly 0 at c = 1, the error is a relative one near x = 1 too.
func log(x float64) (hi, lo float64) {
	k := 0
	if x < minNormal {
		x *= 1 << 54
		k = -54
	}
	// x = 2^k m with m in [22.5/32, 45/32).
	const low = 0x3fe6800000000000 // the bits of 22.5/32
	ix := math.Float64bits(x)
	e := int64(ix-low) >> 52
	k += int(e)
	m := math.Float64frombits(ix - uint64(e)<<52)
	j := int(float64(m*32) + 0.5)
	c := float64(float64(j) * (1. / 32))

	// s + sLo to 100 bits from one division. m - c is num and m + c is
	// den + denLo, both exactly: c has few bits and m is near.
	num, den := m-c, m+c
	denLo := m - (den - c)
	inv := 1 / den
	s := float64(num * inv)
	sLo := float64((math.FMA(-s, den, num) - float64(s*denLo)) * inv)

	s2 := float64(s * s)
	p := float64(s2*(1./11)) + 1./9
	p = float64(s2*p) + 1./7
	p = float64(s2*p) + 1./5
	p = float64(s2*p) + 1./3
	p = float64(float64(s*s2)*p) + sLo // artanh s - s

	// Both terms of big are multiples of 2⁻⁴² below 2¹⁰, so it is exact.
	t := &logTable[j-logTableStart]
	big := float64(float64(k)*ln2Hi) + t.hi
	hi = big + (s + s)
	lo = (big - hi) + (s + s)
	lo += float64(float64(k)*ln2Lo) + t.lo + (p + p)
	sum := hi + lo
	return sum, (hi - sum) + lo
}

// exp2Table[j] is 2^(j/32).
var exp2Table = [32]struct{ hi, lo float64 }{
	{0x1p+0, 0},
	{0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
	{0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
	{0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
	{0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
	{0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
	{0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
	{0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
	{0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
	{0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
	{0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
	{0x1.44e086061892dp+0, 0x1.89b7a04ef80dp-59},
	{0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
	{0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
	{0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
	{0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
	{0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
	{0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
	{0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
	{0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
	{0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
	{0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
	{0x1.9c49182a3f09p+0, 0x1.c7c46b071f2bep-56},
	{0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
	{0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
	{0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
	{0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
	{0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
	{0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
	{0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
	{0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
	{0x1.f50765b6e454p+0, 0x1.9d3e12dd8a18bp-54},
}

const logTableStart = 23

// logTable[j-logTableStart] is log(j/32), hi being a multiple of 2⁻⁴².
var logTable = [...]struct{ hi, lo float64 }{
	{-0x1.522ae0738ap-2, -0x1.ebe708164c759p-45}, // 23/32
	{-0x1.269621134ep-2, 0x1.1b61f10522625p-44},  // 24/32
	{-0x1.f991c6cb3cp-3, 0x1.90d04cd7cc834p-44},  // 25/32
	{-0x1.a93ed3c8aep-3, 0x1.8724350562169p-45},  // 26/32
	{-0x1.5bf406b544p-3, 0x1.27023eb68981cp-46},  // 27/32
	{-0x1.1178e8227ep-3, -0x1.1ef78ce2d07f2p-45}, // 28/32
	{-0x1.9335e5d594p-4, -0x1.3115c3abd47dap-45}, // 29/32
	{-0x1.08598b59e4p-4, 0x1.7e5dd7009902cp-46},  // 30/32
	{-0x1.0415d89e78p-5, 0x1.dddc7f461c516p-44},  // 31/32
	{0, 0}, // 32/32
	{0x1.f829b0e78p-6, 0x1.980267c7e09e4p-45},   // 33/32
	{0x1.f0a30c0118p-5, -0x1.d599e83368e91p-45}, // 34/32
	{0x1.6f0d28ae58p-4, -0x1.4b4641b664613p-44}, // 35/32
	{0x1.e27076e2bp-4, -0x1.a342c2af0003cp-45},  // 36/32
	{0x1.29552f82p-3, -0x1.5b967f4471dfcp-44},   // 37/32
	{0x1.5ff3070a7ap-3, -0x1.8586f183bebf2p-44}, // 38/32
	{0x1.9525a9cf46p-3, -0x1.297137d9f158fp-44}, // 39/32
	{0x1.c8ff7c79aap-3, -0x1.7794f689f8434p-45}, // 40/32
	{0x1.fb9186d5e4p-3, -0x1.d572aab993c87p-47}, // 41/32
	{0x1.1675cababap-2, 0x1.8380e731f55c4p-44},  // 42/32
	{0x1.2e8e2bae12p-2, -0x1.67b1e99b72bd8p-45}, // 43/32
	{0x1.4618bc21c6p-2, -0x1.3d82f484c84ccp-46}, // 44/32
	{0x1.5d1bdbf581p-2, -0x1.8d6bdc9c7c238p-44}, // 45/32
}
