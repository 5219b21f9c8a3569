package claims

import (
	"regexp"
	"strconv"
	"strings"

	"ocobench/report/table"
)

// numberWithE matches a number such as 9.2e+03, its second group, unless it is part of a word or
// the value of a parameter, as in gamma=1e+03.
var numberWithE = regexp.MustCompile(`(^|[^=\w.-])(-?\d(?:\.\d+)?e[+-]\d+)`)

// withoutE returns a text in TeX with numbers such as 9.2e+03 written as in tables, 9.2·10³.
func withoutE(text string) string {
	var out strings.Builder
	done := 0 // text[:done] is in out
	for _, at := range numberWithE.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[4], at[5] // the second group
		v, err := strconv.ParseFloat(text[from:to], 64)
		if err != nil {
			continue
		}
		mantissa, _, _ := strings.Cut(text[from:to], "e")
		digits := len(strings.Trim(strings.Replace(mantissa, ".", "", 1), "-"))
		number := table.Precise(v, digits).TeX
		if strings.Count(text[:from], "$")%2 == 1 { // inside of dollar signs already
			number = strings.Trim(number, "$")
		}
		out.WriteString(text[done:from] + number)
		done = to
	}
	return out.String() + text[done:]
}
