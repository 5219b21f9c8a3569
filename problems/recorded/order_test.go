package recorded_test

import (
	"strings"
	"testing"

	"ocobench/internal/errtest"
	"ocobench/problems/recorded"
)

// A third label is named with the other two.
func TestThirdLabelIsNamed(t *testing.T) {
	s := sheetOfText(t, "y,h\nham,1\neggs,2\nspam,3\n")
	_, err := recorded.Logistic{Rho: 1}.Read(s, recorded.Columns{Own: []int{0}, Many: s.Rest(0)})
	for _, word := range []string{"ham", "eggs", "spam", ":4:1:"} {
		errtest.Contains(t, err, word)
	}
}

// Returns whose squares over the square of the budget, or over the unit, are infinite are refused
// in their round, where the constraint or the loss has them.
func TestReturnsThatAreTooLargeAreRefused(t *testing.T) {
	for _, c := range []struct {
		kind    recorded.Portfolio
		largest float64
		want    bool
	}{
		{recorded.Portfolio{Budget: 1e-60, Unit: 1}, 1e95, true},
		{recorded.Portfolio{Budget: 1e-60, Unit: 1}, 1e90, false},
		{recorded.Portfolio{Budget: 1e-60, Unit: 1, Turnover: true}, 1e95, false},
		{recorded.Portfolio{Budget: 1, Unit: 1e-120, Turnover: true}, 1e97, true},
		{recorded.Portfolio{Budget: 1, Unit: 1e-120, Turnover: true}, 1e90, false},
	} {
		c.kind.Cells = recorded.Fraction
		s := sheetOf(t, []string{"a", "b"}, [][]float64{{0.1, 0.2}, {0.1, c.largest}})
		_, err := c.kind.Read(s, recorded.Columns{Many: s.Rest()})
		if (err != nil) != c.want || err != nil && !strings.Contains(err.Error(), "round 2 ") {
			t.Errorf("%+v, a return of %v: error %v, want one: %v", c.kind, c.largest, err, c.want)
		}
	}
}
