package page

import (
	"math"
	"strconv"
	"strings"

	"ocobench/harness/analysis"
)

// compactNumbers holds numbers in the JSON form of [analysis.Number], written as short as possible:
// 12345e-8 and not 0.00012345.
type compactNumbers []analysis.Number

// roundAll rounds numbers to the given significant digits.
func roundAll(all []analysis.Number, digits int) compactNumbers {
	return roundToSide(all, digits, 0)
}

// roundToSide rounds numbers to the given significant digits: down if side is −1, up if it is 1,
// and to nearest if it is 0.
func roundToSide(all []analysis.Number, digits, side int) compactNumbers {
	out := make(compactNumbers, len(all))
	var text [32]byte
	for i, n := range all {
		v := float64(n)
		scientific := string(strconv.AppendFloat(text[:0], v, 'e', digits-1, 64))
		near, _ := strconv.ParseFloat(scientific, 64)
		if float64(side)*near < float64(side)*v { // to the other side: one unit of the last digit more
			mantissa, exponent, _ := strings.Cut(scientific, "e")
			last, _ := strconv.Atoi(strings.Replace(mantissa, ".", "", 1))
			at, _ := strconv.Atoi(exponent)
			next := append(strconv.AppendInt(text[:0], int64(last+side), 10), 'e')
			near, _ = strconv.ParseFloat(string(strconv.AppendInt(next, int64(at-digits+1), 10)), 64)
		}
		out[i] = analysis.Number(near)
	}
	return out
}

// MarshalJSON implements [json.Marshaler].
func (l compactNumbers) MarshalJSON() ([]byte, error) {
	out := append(make([]byte, 0, 8*len(l)+2), '[')
	for i, n := range l {
		if i > 0 {
			out = append(out, ',')
		}
		if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
			text, err := n.MarshalJSON()
			if err != nil {
				return nil, err
			}
			out = append(out, text...)
		} else {
			out = appendShort(out, v)
		}
	}
	return append(out, ']'), nil
}

// appendShort appends the shortest JSON number that reads back as v.
func appendShort(out []byte, v float64) []byte {
	if v == 0 {
		return append(out, '0')
	}
	if v < 0 {
		out, v = append(out, '-'), -v
	}
	var text [32]byte
	scientific := strconv.AppendFloat(text[:0], v, 'e', -1, 64) // d.ddde±dd
	digits := [24]byte{scientific[0]}
	n, k := 1, 1
	if scientific[1] == '.' {
		for k = 2; scientific[k] != 'e'; k++ {
			digits[n] = scientific[k]
			n++
		}
	}
	exponent, _ := strconv.Atoi(string(scientific[k+1:])) // the power of ten of the first digit
	tail := exponent - n + 1                              // that of the last digit
	switch {
	case tail > 2, exponent < -3: // 1e5 is shorter than 100000, 1e-4 than 0.0001
		out = append(out, digits[:n]...)
		return strconv.AppendInt(append(out, 'e'), int64(tail), 10)
	case tail >= 0:
		return append(append(out, digits[:n]...), "00"[:tail]...)
	case exponent >= 0:
		out = append(out, digits[:exponent+1]...)
		return append(append(out, '.'), digits[exponent+1:n]...)
	}
	out = append(append(out, '0', '.'), "00"[:-exponent-1]...)
	return append(out, digits[:n]...)
}
