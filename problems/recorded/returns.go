package recorded

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/convex/vec"
	"ocobench/internal/input"
)

// This file makes returns of the cells of a table. First, each column says what it may be: returns
// around 0, gross returns around 1, or prices ([possible]). The table is what all columns may be;
// if they agree on nothing, or on more than one, the user has to say it. Returns around 0 are
// fractions or percent, by their size over all columns ([sizes]). Last, the cells become
// returns as fractions, 0.01 being one percent.

// Cells is what the cells of a table of assets are: "fraction", "percent", "factor" or "price".
// It is to be recognised if it is "".
type Cells string

// What cells may be.
const (
	Fraction Cells = "fraction"
	Percent  Cells = "percent"
	Factor   Cells = "factor"
	Price    Cells = "price"
)

// kinds are what cells may be, with what is expected of one of them, and the words of what they
// were taken for.
var kinds = []struct {
	Cells
	expected string
	above    float64 // cells are larger
	words    string
}{
	{Fraction, "a return > -1, such as 0.01 for one percent", -1,
		"returns as fractions: 0.01 is one percent"},
	{Percent, "a return in percent > -100", -100, "returns in percent: 1 is one percent"},
	{Factor, "a gross return > 0, such as 1.01 for one percent", 0,
		"gross returns: 1.01 is one percent"},
	{Price, "a price > 0", 0, "prices: a round has the return p_t/p_(t-1) - 1"},
}

// returns reads the columns of assets as returns.
func (p Portfolio) returns(s *input.Sheet, c Columns) (*cells, error) {
	one := input.Column{Expected: "a price, or a return > -1, such as 0.01 for one percent"}
	for _, k := range kinds {
		if k.Cells == p.Cells {
			one.Expected = k.expected
		}
	}
	type fault struct {
		Cells
		column string
	}
	faults := make(map[fault]error) // the first ones
	out, err := c.read(s, one, one, func(row []float64, at []int) {
		for j, v := range row {
			for _, k := range kinds {
				name := s.Names[at[j]]
				if f := (fault{k.Cells, name}); !(v > k.above) && faults[f] == nil {
					faults[f] = s.Errorf(at[j], "%s: %v is out of range (expected %s)", name, v, k.expected)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if err := checkAssetCount(s, len(out.names)); err != nil {
		return nil, err
	}
	is, how := p.Cells, ""
	if is == "" {
		if is, err = recognise(out); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		how = " (recognised; --cells overrides it)"
	}
	for _, name := range out.names {
		switch err := faults[fault{is, name}]; {
		case err != nil && how != "":
			return nil, fmt.Errorf("%w; --cells says what the cells are", err)
		case err != nil:
			return nil, err
		}
	}
	for _, k := range kinds {
		if k.Cells == is {
			out.note("%s: %s%s", input.Few(out.names, ", "), k.words, how)
		}
	}
	if is == Price && s.Skipped() > 0 {
		out.note("the return after a line that is left out is since the line before it")
	}
	return out, out.toReturns(s, is)
}

// toReturns replaces cells by the returns that they stand for.
func (c *cells) toReturns(s *input.Sheet, is Cells) error {
	if is == Price && len(c.rows) < 2 {
		return fmt.Errorf("%s:3: the file ends after one line of prices (expected at least two, "+
			"for a return)", s.Name)
	}
	for t, row := range c.rows {
		for i, v := range row {
			switch is {
			case Percent:
				row[i] = v / 100
			case Factor:
				row[i] = v - 1
			case Price:
				if t+1 < len(c.rows) { // prices have fewer digits than the 12 decimals of the return
					row[i] = math.Round((c.rows[t+1][i]/v-1)*1e12) / 1e12
				}
			}
		}
	}
	if is == Price {
		c.rows = c.rows[:len(c.rows)-1]
	}
	return nil
}

// A few lines show less. Of fewer than short lines, small numbers are fractions; of fewer than
// long ones, gross returns are not told from prices.
const short, long = 10, 30

// may is a set of what a column may be.
type may uint8

const (
	aroundZero may = 1 << iota // returns as fractions or in percent
	aroundOne                  // gross returns
	level                      // prices
)

// recognise returns what the cells of a table are.
func recognise(c *cells) (Cells, error) {
	const remedy = "; say what they are with --cells fraction, percent, factor or price, and leave " +
		"out other columns with --ignore"
	sets := make([]may, len(c.names))
	all, signed, small := aroundZero|aroundOne|level, []float64{}, true
	for i := range c.names {
		v := c.column(i)
		sets[i] = possible(v)
		all &= sets[i]
		if sets[i] == aroundZero {
			signed = append(signed, v...)
		}
		small = small && slices.Max(v) <= 0.5
	}
	switch {
	case all == level:
		return Price, nil
	case all == aroundOne:
		return Factor, nil
	case all == aroundZero:
		return sizes(signed, len(c.rows), remedy)
	case all == aroundZero|level && small && len(c.rows) < short:
		return Fraction, nil
	case all != 0:
		return "", fmt.Errorf("the numbers of %s may be %s%s", input.Few(c.names, ", "), all, remedy)
	}
	for i := range sets {
		for j := range sets[:i] {
			if sets[i]&sets[j] == 0 {
				return "", fmt.Errorf("%s looks like %s, and %s like %s%s", c.names[j], sets[j], c.names[i],
					sets[i], remedy)
			}
		}
	}
	panic("recorded: columns agree in pairs and not together")
}

// String implements [fmt.Stringer].
func (m may) String() string {
	var names []string
	for k, name := range []string{"returns", "gross returns", "prices"} {
		if m&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// possible returns what a column may be. Let half be the median of its numbers v_t, step that of
// |log(v_t/v_(t-1))|, and spread that of |log(v_t/half)|.
//
//	some v_t ≤ 0            returns
//	half ≤ 1/2              returns or prices
//	half ≥ 2, step ≤ 0.3    prices
//	half ≥ 2, step > 0.3    returns or prices
//	else                    gross returns if step ≥ spread, prices if step ≤ spread/2
//
// The last line is for at least 30 numbers that are not all within 2 % of 1; of others, a column
// may be both. Independent gross returns have step ≈ √2·spread; a price moves away from where
// it was, so that its spread grows with the number of lines, and its step does not.
func possible(v []float64) may {
	low, high := slices.Min(v), slices.Max(v)
	half := median(v)
	switch {
	case low <= 0:
		return aroundZero
	case half <= 0.5:
		return aroundZero | level
	}
	steps, spreads := make([]float64, 0, len(v)), make([]float64, len(v))
	for t, x := range v {
		spreads[t] = math.Abs(vec.Log(x / half))
		if t > 0 {
			steps = append(steps, math.Abs(vec.Log(x/v[t-1])))
		}
	}
	step, spread := median(steps), median(spreads)
	switch {
	case half >= 2 && step <= 0.3:
		return level
	case half >= 2:
		return aroundZero | level
	case len(v) < long || spread == 0 || low >= 0.98 && high <= 1.02 && step < spread:
	case step >= spread:
		return aroundOne
	case step <= spread/2:
		return level
	}
	return aroundOne | level
}

// sizes returns whether returns around 0 are fractions or percent, by the median of |v| and
// by whether some are -1 or less.
func sizes(v []float64, lines int, remedy string) (Cells, error) {
	moves := make([]float64, 0, len(v))
	for _, x := range v {
		if x != 0 {
			moves = append(moves, math.Abs(x))
		}
	}
	half := median(moves)
	switch {
	case lines < short:
		return Fraction, nil
	case slices.Min(v) <= -1 && half > 0.05:
		return Percent, nil
	case half <= 0.1:
		return Fraction, nil
	}
	return "", fmt.Errorf("half of the returns are more than %.3g and none is less than -1: they may "+
		"be fractions or percent%s", half, remedy)
}

// median returns the median of numbers, 0 of none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
