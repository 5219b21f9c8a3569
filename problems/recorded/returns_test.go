package recorded

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// table returns n columns of lines of what f makes.
func table(lines, n int, f func(i int) func() float64) *sheetNumbers {
	c := &sheetNumbers{rows: make([][]float64, lines)}
	for i := range n {
		c.names = append(c.names, string(rune('a'+i)))
		next := f(i)
		for t := range lines {
			c.rows[t] = append(c.rows[t], next())
		}
	}
	return c
}

// Of planted tables, none is taken for something else, whatever its length, its volatility and
// its drift; those of a hundred lines are recognised.
func TestPlantedTablesAreNotMistaken(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, lines := range []int{2, 5, 12, 30, 40, 100, 400} {
		for _, sd := range []float64{0.005, 0.02, 0.05} { // of a day, a week and a month
			wrong, unknown := make(map[Cells]int), make(map[Cells]int)
			const games = 40
			for range games {
				gain := func() float64 { return 0.03*sd + sd*r.NormFloat64() }
				price := func(first float64) func() float64 {
					return func() float64 {
						first *= 1 + gain()
						return first
					}
				}
				for is, f := range map[Cells]func(i int) func() float64{
					Fraction: func(int) func() float64 { return gain },
					Percent:  func(int) func() float64 { return func() float64 { return 100 * gain() } },
					Factor:   func(int) func() float64 { return func() float64 { return 1 + gain() } },
					Price:    func(i int) func() float64 { return price([]float64{1, 1, 40, 1628.75}[i]) },
				} {
					switch got, err := recogniseCells(table(lines, 4, f)); {
					case err != nil:
						unknown[is]++
					case got != is:
						wrong[is]++
					}
				}
			}
			if lines >= minLinesForPercent && len(wrong) > 0 {
				t.Errorf("%d lines with the deviation %v: got %v of %d tables taken for something else, "+
					"want none", lines, sd, wrong, games)
			}
			if lines < minLinesForPercent && wrong[Fraction]+wrong[Factor]+wrong[Price] > 0 {
				t.Errorf("%d lines with the deviation %v: got %v taken for something else, want only percent",
					lines, sd, wrong)
			}
			if lines >= 100 && (unknown[Fraction] > 0 || unknown[Price] > games/4 ||
				unknown[Factor] > 0 || unknown[Percent] > 0 && sd > 0.005) {
				t.Errorf("%d lines with the deviation %v: got %v of %d not recognised, want fewer", lines, sd,
					unknown, games)
			}
		}
	}
}

// The sets of what a column may be, and the columns that cannot be of one table.
func TestCellsAreRecognisedByTheirSets(t *testing.T) {
	var wave []float64
	for t := range 32 {
		wave = append(wave, 1+0.1*math.Sin(0.7*float64(t)))
	}
	for _, c := range []struct {
		columns [][]float64
		want    string
	}{
		{[][]float64{{1628.75, 1613.63}, {1678.1, 1688.5}}, "price"},
		{[][]float64{{1628.75, 1613.63}, {1.1, 1.2}}, "price"},
		{[][]float64{{1628.75, 1613.63}, {0.1, 0.12}}, "price"},
		{[][]float64{{0.5, -0.5}, {-0.25, 0.5}}, "fraction"},
		{[][]float64{{0.5, 0.4}, {0.25, 0.25}}, "fraction"},
		{[][]float64{{0.5, -0.4}, {0.0001, 0.0001}}, "fraction"},
		{[][]float64{{1.01, 0.99}, {0.98, 1.02}}, "the numbers of a and b may be gross returns or prices"},
		{[][]float64{{0.01, -0.01}, {1628.75, 1613.63}}, "a looks like returns, and b like prices"},
		{[][]float64{{0.01, -0.01}, {1.0001, 1.0001}},
			"a looks like returns, and b like gross returns or prices"},
		{[][]float64{alternate(12, 0.4), alternate(12, 0.6)},
			"half of the returns are more than 0.6 and none is less than -1: they may be fractions or percent"},
		{[][]float64{alternate(12, 0.4), alternate(12, 1.5)}, "percent"},
		{[][]float64{alternate(12, 0.02), {0.5, 2, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0}}, "fraction"},
		{[][]float64{{0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2, 0.1, 0.2}, {1e-4, 1e-4, 1e-4, 1e-4, 1e-4,
			1e-4, 1e-4, 1e-4, 1e-4, 1e-4}}, "the numbers of a and b may be returns or prices"},
		// steps between a half of the spread and all of it
		{[][]float64{wave}, "the numbers of a may be gross returns or prices"},
	} {
		got, err := recogniseCells(table(len(c.columns[0]), len(c.columns), func(i int) func() float64 {
			t := -1
			return func() float64 { t++; return c.columns[i][t] }
		}))
		text := string(got)
		if err != nil {
			text = err.Error()
		}
		if !strings.HasPrefix(text, c.want) {
			t.Errorf("%v is %s, want %s", c.columns, text, c.want)
		}
	}
}

func alternate(n int, v float64) (all []float64) {
	for t := range n {
		all = append(all, v*math.Pow(-1, float64(t)))
	}
	return all
}
