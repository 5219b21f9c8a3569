package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ocobench/harness/analysis"
)

// compactNumbers holds numbers in the JSON form of [analysis.Number], written as short as possible:
// 12345e-8 and not 0.00012345.
type compactNumbers []analysis.Number

// A direction says how a number is rounded to fewer digits: to the nearest number with these
// digits, or to the next one below or above.
type direction int

const (
	down      direction = -1
	toNearest direction = 0
	up        direction = 1
)

// roundAll rounds numbers to the given significant digits.
func roundAll(all []analysis.Number, digits int, to direction) compactNumbers {
	out := make(compactNumbers, len(all))
	for i, n := range all {
		v := float64(n)
		scientific := strconv.FormatFloat(v, 'e', digits-1, 64) // d.ddde±dd, nearest to v
		rounded, _ := strconv.ParseFloat(scientific, 64)
		if to == down && rounded > v || to == up && rounded < v {
			// The number on the other side of v is one unit of the last digit away.
			mantissa, exponent, _ := strings.Cut(scientific, "e")
			units, _ := strconv.Atoi(strings.Replace(mantissa, ".", "", 1))
			power, _ := strconv.Atoi(exponent)
			rounded, _ = strconv.ParseFloat(fmt.Sprintf("%de%d", units+int(to), power-digits+1), 64)
		}
		out[i] = analysis.Number(rounded)
	}
	return out
}

// MarshalJSON implements [json.Marshaler]. NaN and infinite numbers have the form of
// [analysis.Number].
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
	scientific := string(strconv.AppendFloat(text[:0], v, 'e', -1, 64)) // d.ddde±dd
	mantissa, exponent, _ := strings.Cut(scientific, "e")
	digits := mantissa[:1] + strings.TrimPrefix(mantissa[1:], ".")
	first, _ := strconv.Atoi(exponent) // the power of ten of the first digit
	last := first - len(digits) + 1    // the power of ten of the last digit
	switch {
	case last > 2, first < -3: // 1e5 is shorter than 100000, 1e-4 than 0.0001
		return strconv.AppendInt(append(append(out, digits...), 'e'), int64(last), 10)
	case last >= 0:
		return append(append(out, digits...), "00"[:last]...)
	case first >= 0:
		out = append(append(out, digits[:first+1]...), '.')
		return append(out, digits[first+1:]...)
	}
	out = append(append(out, "0."...), "00"[:-first-1]...)
	return append(out, digits...)
}
