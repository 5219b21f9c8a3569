package vec

import (
	"math"
	"math/big"
	"sync"
)

// The reference: the elementary functions to some hundred bits by their power
// series. Slow, and plain enough to be seen right.

// seriesBits is the precision of sums; reductionBits that of the reduction of
// an angle, which cancels as many bits as the angle's exponent has.
const (
	seriesBits    = 200
	reductionBits = 1400
)

func newBig() *big.Float { return new(big.Float).SetPrec(seriesBits) }

// exact returns x as it is.
func exact(x float64) *big.Float { return newBig().SetFloat64(x) }

func ratio(a, b int64) *big.Float {
	return newBig().Quo(newBig().SetInt64(a), newBig().SetInt64(b))
}

// negligible reports whether adding term to sum changes nothing.
func negligible(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-int(sum.Prec())
}

// artanh returns Σ_k s^(2k+1)/(2k+1).
func artanh(s *big.Float) *big.Float {
	sum := newBig().Set(s)
	s2 := newBig().Mul(s, s)
	power := newBig().Set(s)
	for k := int64(3); ; k += 2 {
		power.Mul(power, s2)
		term := newBig().Quo(power, newBig().SetInt64(k))
		if negligible(term, sum) {
			return sum
		}
		sum.Add(sum, term)
	}
}

var bigLn2 = sync.OnceValue(func() *big.Float {
	a := artanh(ratio(1, 3)) // log 2 = 2 artanh(1/3)
	return a.Add(a, a)
})

// bigLog returns log x = k log 2 + 2 artanh((m-1)/(m+1)), x = 2^k m.
func bigLog(x *big.Float) *big.Float {
	m := newBig()
	k := x.MantExp(m)
	if m.Cmp(exact(0.75)) < 0 {
		m.SetMantExp(m, 1)
		k--
	}
	one := exact(1)
	a := artanh(newBig().Quo(newBig().Sub(m, one), newBig().Add(m, one)))
	a.Add(a, a)
	return a.Add(a, newBig().Mul(bigLn2(), exact(float64(k))))
}

// bigExp returns e^x = 2^k e^r, r = x - k log 2. An argument out of any range
// is cut to one merely out of the range of float64.
func bigExp(x *big.Float) *big.Float {
	f, _ := x.Float64()
	k := math.Round(max(-3000, min(3000, f)) / math.Ln2)
	if math.Abs(f) > 2000 {
		return newBig().SetMantExp(exact(1), int(k))
	}
	r := newBig().Sub(x, newBig().Mul(bigLn2(), exact(k)))
	sum, term := exact(1), exact(1)
	for i := int64(1); ; i++ {
		term.Quo(term.Mul(term, r), newBig().SetInt64(i))
		if negligible(term, sum) {
			return sum.SetMantExp(sum, int(k))
		}
		sum.Add(sum, term)
	}
}

// bigPi returns π = 16 arctan(1/5) - 4 arctan(1/239).
var bigPi = sync.OnceValue(func() *big.Float {
	arctan := func(n int64) *big.Float { // of 1/n
		wide := func(i int64) *big.Float { return new(big.Float).SetPrec(reductionBits).SetInt64(i) }
		power := wide(1)
		power.Quo(power, wide(n))
		sum := wide(0).Set(power)
		for k := int64(3); ; k += 2 {
			power.Quo(power, wide(-n*n))
			term := wide(0).Quo(power, wide(k))
			if negligible(term, sum) {
				return sum
			}
			sum.Add(sum, term)
		}
	}
	a, b := arctan(5), arctan(239)
	a.SetMantExp(a, 4)
	return a.Sub(a, b.SetMantExp(b, 2))
})

// bigSin and bigCos reduce to within π/4 of a multiple q of π/2.
func bigSin(x *big.Float) *big.Float { return bigSinOrCos(x, 0) }
func bigCos(x *big.Float) *big.Float { return bigSinOrCos(x, 1) }

func bigSinOrCos(x *big.Float, shift int64) *big.Float {
	half := new(big.Float).SetMantExp(bigPi(), -1)
	quotient := new(big.Float).SetPrec(reductionBits).Quo(x, half)
	if x.Sign() < 0 {
		quotient.Sub(quotient, exact(0.5))
	} else {
		quotient.Add(quotient, exact(0.5))
	}
	q, _ := quotient.Int(nil)
	turns := new(big.Float).SetPrec(reductionBits).SetInt(q)
	wide := turns.Mul(turns, half)
	r := newBig().Set(wide.Sub(new(big.Float).SetPrec(reductionBits).Set(x), wide))

	n := q.Add(q, big.NewInt(shift)).And(q, big.NewInt(3)).Int64()
	// Σ (-1)^k r^(2k+i)/(2k+i)!, i = 1 for the sine and 0 for the cosine.
	i, term := int64(1), newBig().Set(r)
	if n&1 == 1 {
		i, term = 0, exact(1)
	}
	sum := newBig().Set(term)
	r2 := newBig().Mul(r, r)
	for ; ; i += 2 {
		term.Quo(term.Mul(term, r2), newBig().SetInt64(-(i+1)*(i+2)))
		if negligible(term, sum) {
			break
		}
		sum.Add(sum, term)
	}
	if n&2 != 0 {
		sum.Neg(sum)
	}
	return sum
}

// ulps returns the error of got in units of the last place that a float64 next
// to want has. An overflow is right where rounding overflows.
func ulps(got float64, want *big.Float) float64 {
	if math.IsInf(got, 0) {
		if rounded, _ := want.Float64(); rounded == got {
			return 0
		}
		return math.Inf(1)
	}
	if want.Sign() == 0 {
		return math.Abs(got) / 0x1p-1074
	}
	diff := newBig().Sub(exact(got), want)
	place := max(want.MantExp(nil)-53, -1074)
	err, _ := diff.SetMantExp(diff, -place).Float64()
	return math.Abs(err)
}
