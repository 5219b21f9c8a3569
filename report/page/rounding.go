package page

import (
	"fmt"
	"strconv"
	"strings"

	"ocobench/harness/analysis"
)

// A direction says how a number is rounded to fewer digits: to the nearest number with these
// digits, or to the next one below or above.
type direction int

const (
	down      direction = -1
	toNearest direction = 0
	up        direction = 1
)

// roundAll rounds numbers to the given significant digits.
func roundAll(all []analysis.Number, digits int, to direction) analysis.Numbers {
	out := make(analysis.Numbers, len(all))
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
