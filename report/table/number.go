package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ocobench/report/tex"
)

// Every number that tables, figures, captions, notes and macros show is written here; the script of
// the page has the same rules (format in data.js), and a test compares the two. A number has three
// significant digits, or as many as its uncertainty deserves if these are more. Outside of
// [1e-4, 1e6) it has a power of ten, as in 1.90·10¹³. Zero is 0, and no other number looks like it.

// How many significant digits numbers have.
const (
	leastDigits = 3  // of a number, at least
	halfDigits  = 2  // of an uncertainty
	mostDigits  = 10 // at most, of a number with a tiny uncertainty
)

// Number returns v and, unless it is NaN, its uncertainty half ≥ 0: 143, 143 ± 18, 1.90·10¹³.
// The uncertainty has two digits, and v has three, or more if the uncertainty has a digit in a
// lower place. Small has the uncertainty. NaN is an en dash, and an infinity ∞ or -∞.
func Number(v, half float64) Text {
	text := Precise(v, digitsFor(v, half))
	if !math.IsNaN(half) {
		addHalf(&text, Precise(half, halfDigits))
	}
	return text
}

// Decimals returns v and, unless it is NaN, its uncertainty half ≥ 0, both with so many decimals:
// 9.57 ± 1.00.
func Decimals(v, half float64, decimals int) Text {
	text := fixedDecimals(v, decimals)
	if !math.IsNaN(half) {
		addHalf(&text, fixedDecimals(half, decimals))
	}
	return text
}

// fixedDecimals returns v with so many decimals.
func fixedDecimals(v float64, decimals int) Text {
	if special := notFinite(v); special != "" {
		return digitText(special)
	}
	return digitText(strconv.FormatFloat(v, 'f', decimals, 64))
}

// addHalf adds the uncertainty half to the text of a number.
func addHalf(text *Text, half Text) {
	text.Plain += " ± " + half.Plain
	text.Small = []string{`$\pm ` + strings.Trim(half.TeX, "$") + "$"}
}

// Interval returns an estimate with its interval, "estimate [lower, upper]". The estimate has three
// digits, or more if the half-width of the interval has two digits in lower places. The ends have
// digits down to the last place of the half-width. Without an interval, lower and upper are NaN.
func Interval(v, lower, upper float64) Text {
	if math.IsNaN(lower) && math.IsNaN(upper) {
		return Number(v, math.NaN())
	}
	half := (upper - lower) / 2
	end := func(x float64) Text {
		digits := digitsFor(x, half)
		if half > 0 && !math.IsInf(half, 0) {
			digits = max(1, decimalExponent(x)-decimalExponent(half)+halfDigits)
		}
		return Precise(x, min(digits, mostDigits))
	}
	return withInterval(Precise(v, digitsFor(v, half)), end(lower), end(upper))
}

// Exponent returns a growth exponent with two decimals and its interval, 0.52 [0.49, 0.55]. Without
// an interval, lower and upper are NaN. A negative exponent keeps its sign, as in -0.00, unless it
// is a rounding error of the fit.
func Exponent(v, lower, upper float64) Text {
	if math.IsNaN(lower) && math.IsNaN(upper) {
		return twoDecimals(v)
	}
	return withInterval(twoDecimals(v), twoDecimals(lower), twoDecimals(upper))
}

// Precise returns v with so many significant digits, but with all digits of its integer part if it
// is less than a million. The rules for zero, powers of ten and numbers that are not finite are
// those of [Number].
func Precise(v float64, digits int) Text {
	if special := notFinite(v); special != "" {
		return digitText(special)
	}
	if v == 0 {
		return digitText("0")
	}
	// Whether there is a power of ten depends on v rounded to three digits or more, even if fewer are
	// shown: 996000 in two digits is not 1.0·10⁶.
	if _, power := scientific(v, max(digits, leastDigits)); -4 <= power && power < 6 {
		return digitText(strconv.FormatFloat(v, 'f', max(0, digits-1-power), 64))
	}
	mantissa, power := scientific(v, digits)
	return Text{
		Plain: mantissa + "·10" + tex.Raised(strconv.Itoa(power)),
		TeX:   fmt.Sprintf(`$%s\cdot 10^{%d}$`, mantissa, power),
	}
}

// scientific returns a finite v with so many digits as a mantissa, such as 1.90, and a power of
// ten.
func scientific(v float64, digits int) (mantissa string, power int) {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	power, _ = strconv.Atoi(exponent)
	return mantissa, power
}

// Trimmed returns v with up to so many significant digits, without trailing zeros.
func Trimmed(v float64, digits int) string {
	number, power, raised := strings.Cut(Precise(v, digits).Plain, "·")
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	if raised {
		number += "·" + power
	}
	return number
}

// digitsFor returns the number of significant digits of v beside an uncertainty, which may be NaN.
func digitsFor(v, half float64) int {
	if !(half > 0) || math.IsInf(half, 0) || v == 0 {
		return leastDigits
	}
	return min(max(leastDigits, decimalExponent(v)-decimalExponent(half)+halfDigits), mostDigits)
}

// decimalExponent returns the power of ten of the first digit of v, rounded to three digits.
func decimalExponent(v float64) int {
	_, power := scientific(v, leastDigits)
	return power
}

// PValue returns a p-value with three decimals, or < 0.001.
func PValue(p float64) Text {
	switch {
	case math.IsNaN(p):
		return Plain("–")
	case p > 0 && p < 0.001:
		return Text{Plain: "< 0.001", TeX: "$<0.001$"}
	}
	return fixedDecimals(p, 3)
}

// twoDecimals returns v with two decimals and its sign. A rounding error is 0.
func twoDecimals(v float64) Text {
	const rounding = 1e-9
	if math.Abs(v) < rounding {
		v = 0
	}
	return fixedDecimals(v, 2)
}

// notFinite returns the sign of a number that is not finite, or "" for a finite one.
func notFinite(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.IsInf(v, 1):
		return "∞"
	case math.IsInf(v, -1):
		return "-∞"
	}
	return ""
}

// digitText returns the text of a number in digits, which LaTeX aligns if it is finite.
func digitText(plain string) Text {
	inMath := strings.NewReplacer("–", `\mbox{--}`, "∞", `\infty`).Replace(plain)
	text := Text{Plain: plain, TeX: "$" + inMath + "$"}
	if !strings.ContainsAny(plain, "–∞") {
		text.Number = plain
	}
	return text
}

// withInterval returns an estimate followed by its interval.
func withInterval(v, lower, upper Text) Text {
	v.Plain = fmt.Sprintf("%s [%s, %s]", v.Plain, lower.Plain, upper.Plain)
	v.Small = []string{fmt.Sprintf(`$[%s,\,%s]$`, strings.Trim(lower.TeX, "$"),
		strings.Trim(upper.TeX, "$"))}
	return v
}
