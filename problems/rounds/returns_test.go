package rounds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// table returns n columns of lines of what f makes.
func table(lines, n int, f func(i int) func() float64) *cells {
	c := &cells{rows: make([][]float64, lines)}
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
func TestRecognisePlanted(t *testing.T) {
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
					switch got, err := recognise(table(lines, 4, f)); {
					case err != nil:
						unknown[is]++
					case got != is:
						wrong[is]++
					}
				}
			}
			if lines >= short && len(wrong) > 0 {
				t.Errorf("%d lines with the deviation %v: %v of %d tables are taken for something else",
					lines, sd, wrong, games)
			}
			if lines < short && wrong[Fraction]+wrong[Factor]+wrong[Price] > 0 {
				t.Errorf("%d lines with the deviation %v: %v are taken for something else", lines, sd, wrong)
			}
			if lines >= 100 && (unknown[Fraction] > 0 || unknown[Price] > games/4 ||
				unknown[Factor] > 0 || unknown[Percent] > 0 && sd > 0.005) {
				t.Errorf("%d lines with the deviation %v: %v of %d are not recognised", lines, sd, unknown,
					games)
			}
		}
	}
}

// The sets of what a column may be, and the columns that cannot be of one table.
func TestRecognise(t *testing.T) {
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
	} {
		got, err := recognise(table(len(c.columns[0]), len(c.columns), func(i int) func() float64 {
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

func TestDates(t *testing.T) {
	for text, want := range map[string]bool{
		"1991-07-01": true, "01.07.1991": true, "1.7.91": true, "07/31/1991": true, "31/07/1991": true,
		"1991-07-01 09:30": true, "1991-07-01T09:30:00Z": true, "2020-01-02 15:04:05.123": true,
		"2020-01-02 00:00:00-05:00": true, "2-Jan-1991": true, "Jan 2, 1991": true, "Aug 1 2004": true, "1991-07": true,
		"09:30": true, " 1991-07-01 ": true, "Jan 1991": true,
		"1991.5": false, "1991": false, "0.01": false, "mon": false, "d-001": false, "": false,
		"1991-13-01": false, "1,5": false, "NaN": false, "1.628,75": false, "1%": false,
	} {
		if got := isDate(text); got != want {
			t.Errorf("%q is a date: %v", text, got)
		}
	}
	if isDays([]float64{19910701}) || isDays([]float64{19910701, 19910701}) ||
		isDays([]float64{19910701, 19911301}) || isDays([]float64{19910701, 19910702.5}) ||
		!isDays([]float64{19910630, 19910701}) {
		t.Error("dates as numbers")
	}
	var counts, years, rounded, prices, cash []float64
	for i := range 200 {
		counts = append(counts, float64(i))
		years = append(years, 1991+float64(i)/260)
		rounded = append(rounded, math.Round(1000*(1991+float64(i)/260))/1000)
		prices = append(prices, 1900+20*math.Sin(float64(i)))
		cash = append(cash, 100*math.Pow(1.0001, float64(i)))
	}
	if !isClock(counts) || !isClock(years) || !isClock(rounded) || isClock(prices) || isClock(cash) ||
		isClock(counts[:9]) {
		t.Error("counts and years")
	}
}

// Columns that count lines or are years against the definition: numbers with one step, years that
// are up to two steps from a line, and those that leave 1800 to 2200, or go back once.
func TestClocks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	clock := func(v []float64) bool {
		last := len(v) - 1
		counts, years := v[0] == math.Trunc(v[0]), v[0] >= 1800 && v[last] <= 2200 && v[0] < v[last]
		for k := range last {
			counts = counts && v[k+1]-v[k] == 1
			years = years && v[k+1] > v[k]
		}
		for k, x := range v {
			share := float64(k) / float64(last)
			off := math.Abs(x - ((1-share)*v[0] + share*v[last]))
			years = years && off*float64(last) <= v[last]-v[0]
		}
		return last+1 >= 10 && (counts || years)
	}
	seen := make(map[string]int)
	for game := range 4000 {
		v := make([]float64, 9+r.IntN(8))
		n, at, step := len(v), r.IntN(9), math.Exp2(float64(r.IntN(8)-6)) // no rounding
		kind := []string{"lines", "years", "bent", "walk"}[game%4]
		v[0] = math.Trunc(1790 + 400*r.Float64())
		if kind == "lines" {
			v[0], step = 0.5*float64(r.IntN(6)), 1
		}
		for k := range n - 1 {
			v[k+1] = v[k] + step
			if kind == "walk" {
				v[k+1] = v[k] + 0.25*step*float64(r.IntN(9))
			}
		}
		switch {
		case kind == "bent":
			v[1+at%(n-2)] += 0.125 * step * float64(r.IntN(17)-8)
		case kind == "lines" && game%3 == 0:
			v[at] += 0.5
		}
		want := clock(v)
		if got := isClock(v); got != want {
			t.Fatalf("%v counts lines or has years: %v, want %v", v, got, want)
		}
		seen[fmt.Sprint(kind, want)]++
	}
	for _, kind := range []string{"lines", "years", "bent", "walk"} {
		for _, is := range []bool{true, false} {
			if n := seen[fmt.Sprint(kind, is)]; n < 20 {
				t.Errorf("%d of the kind %s with the answer %v", n, kind, is)
			}
		}
	}
}
