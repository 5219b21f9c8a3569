package recorded

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/convex/vec"
	"ocobench/internal/input"
)

// This file turns the cells of a table of assets into returns, in three steps. candidatesOf finds
// what each column may hold: returns around 0, gross returns around 1, or prices. The table holds
// what all columns have in common; without exactly one such kind the user has to name it. If the
// cells are returns around 0, fractionOrPercent tells fractions from percent by their size over all
// columns. Last, toReturns writes them as fractions, 0.01 being one percent.

// Cells names what the cells of a table of assets hold: "fraction", "percent", "factor" or "price".
// The empty string means that it is to be recognised.
type Cells string

// The kinds of cells.
const (
	Fraction Cells = "fraction"
	Percent  Cells = "percent"
	Factor   Cells = "factor"
	Price    Cells = "price"
)

// cellKinds lists the kinds of cells.
var cellKinds = []struct {
	Cells
	expected    string  // what a cell must be, for messages
	lowerLimit  float64 // a cell must be larger than this
	description string  // for the note that says how the cells were read
}{
	{Fraction, "a return > -1, such as 0.01 for one percent", -1,
		"returns as fractions: 0.01 is one percent"},
	{Percent, "a return in percent > -100", -100, "returns in percent: 1 is one percent"},
	{Factor, "a gross return > 0, such as 1.01 for one percent", 0,
		"gross returns: 1.01 is one percent"},
	{Price, "a price > 0", 0, "prices: a round has the return p_t/p_(t-1) - 1"},
}

// readReturns reads the columns of assets and returns their returns as fractions. While the lines
// are read it is not known what the cells are, so it notes the first cell of each column that is
// out of range for each kind of cells.
func (p Portfolio) readReturns(s *input.Sheet, c Columns) (*sheetNumbers, error) {
	assetColumn := input.Column{Expected: "a price, or a return > -1, such as 0.01 for one percent"}
	for _, k := range cellKinds {
		if k.Cells == p.Cells {
			assetColumn.Expected = k.expected
		}
	}
	type fault struct {
		Cells
		column string
	}
	faults := make(map[fault]error)
	out, err := c.read(s, assetColumn, assetColumn, func(row []float64, at []int) {
		for j, v := range row {
			for _, k := range cellKinds {
				name := s.Names[at[j]]
				if f := (fault{k.Cells, name}); !(v > k.lowerLimit) && faults[f] == nil {
					faults[f] = s.Errorf(at[j], "%s: %v is out of range (expected %s)", name, v, k.expected)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if err := checkChosen(s, len(out.names), 2, "asset", "assets"); err != nil {
		return nil, err
	}
	kind, remark := p.Cells, ""
	if kind == "" {
		if kind, err = recogniseCells(out); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		remark = " (recognised; --cells overrides it)"
	}
	for _, name := range out.names {
		switch err := faults[fault{kind, name}]; {
		case err != nil && remark != "":
			return nil, fmt.Errorf("%w; --cells says what the cells are", err)
		case err != nil:
			return nil, err
		}
	}
	for _, k := range cellKinds {
		if k.Cells == kind {
			out.addNote("%s: %s%s", input.Few(out.names, ", "), k.description, remark)
		}
	}
	if kind == Price && s.Skipped() > 0 {
		out.addNote("the return after a line that is left out is since the line before it")
	}
	return out, out.toReturns(s, kind)
}

// toReturns replaces the cells by returns as fractions. Prices make one line less.
func (c *sheetNumbers) toReturns(s *input.Sheet, kind Cells) error {
	if kind == Price && len(c.rows) < 2 {
		return fmt.Errorf("%s:3: the file ends after one line of prices (expected at least two, "+
			"for a return)", s.Name)
	}
	for t, row := range c.rows {
		for i, v := range row {
			switch kind {
			case Percent:
				row[i] = v / 100
			case Factor:
				row[i] = v - 1
			case Price:
				if t+1 < len(c.rows) { // 12 decimals: prices have fewer significant digits
					row[i] = math.Round((c.rows[t+1][i]/v-1)*1e12) / 1e12
				}
			}
		}
	}
	if kind == Price {
		c.rows = c.rows[:len(c.rows)-1]
	}
	return nil
}

// The fewest lines that recognition needs. With fewer than minLinesForPercent, small numbers are
// taken for fractions; with fewer than minLinesForFactors, gross returns and prices are not told
// apart.
const minLinesForPercent, minLinesForFactors = 10, 30

// candidates is a set of what a column may be.
type candidates uint8

const (
	aroundZero  candidates = 1 << iota // returns as fractions or in percent
	aroundOne                          // gross returns
	priceLevels                        // prices
)

// recogniseCells returns the one kind that the cells of all columns may be. It returns an error if
// there is none, or more than one.
func recogniseCells(c *sheetNumbers) (Cells, error) {
	const remedy = "; say what they are with --cells fraction, percent, factor or price, and leave " +
		"out other columns with --ignore"
	sets := make([]candidates, len(c.names))
	common, returnsAroundZero, allSmall := aroundZero|aroundOne|priceLevels, []float64{}, true
	for i := range c.names {
		v := c.column(i)
		sets[i] = candidatesOf(v)
		common &= sets[i]
		if sets[i] == aroundZero {
			returnsAroundZero = append(returnsAroundZero, v...)
		}
		allSmall = allSmall && slices.Max(v) <= 0.5
	}
	switch {
	case common == priceLevels:
		return Price, nil
	case common == aroundOne:
		return Factor, nil
	case common == aroundZero:
		return fractionOrPercent(returnsAroundZero, len(c.rows), remedy)
	case common == aroundZero|priceLevels && allSmall && len(c.rows) < minLinesForPercent:
		return Fraction, nil
	case common != 0:
		return "", fmt.Errorf("the numbers of %s may be %s%s", input.Few(c.names, ", "), common, remedy)
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
func (m candidates) String() string {
	var names []string
	for k, name := range []string{"returns", "gross returns", "prices"} {
		if m&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// candidatesOf returns what a column may hold. Let middle be the median of its numbers v_t, step
// the median of |log(v_t/v_(t-1))|, and spread the median of |log(v_t/middle)|.
//
//	some v_t ≤ 0              returns
//	middle ≤ 1/2              returns or prices
//	middle ≥ 2, step ≤ 0.3    prices
//	middle ≥ 2, step > 0.3    returns or prices
//	else                      gross returns if step ≥ spread, prices if step ≤ spread/2,
//	                          and either of them in between
//
// The last rule needs 30 numbers that are not all equal. Numbers within 2 % of 1 with step < spread
// may also be either. The reason for the rule: independent gross returns have step ≈ √2·spread,
// while a price moves away from where it was, so that its spread grows with the number of lines and
// its step does not.
func candidatesOf(v []float64) candidates {
	low, high := slices.Min(v), slices.Max(v)
	middle := median(v)
	switch {
	case low <= 0:
		return aroundZero
	case middle <= 0.5:
		return aroundZero | priceLevels
	}
	steps, spreads := make([]float64, 0, len(v)), make([]float64, len(v))
	for t, x := range v {
		spreads[t] = math.Abs(vec.Log(x / middle))
		if t > 0 {
			steps = append(steps, math.Abs(vec.Log(x/v[t-1])))
		}
	}
	step, spread := median(steps), median(spreads)
	switch {
	case middle >= 2 && step <= 0.3:
		return priceLevels
	case middle >= 2:
		return aroundZero | priceLevels
	case len(v) < minLinesForFactors || spread == 0: // too little evidence: either
	case low >= 0.98 && high <= 1.02 && step < spread: // either
	case step >= spread:
		return aroundOne
	case step <= spread/2:
		return priceLevels
	}
	return aroundOne | priceLevels
}

// fractionOrPercent tells fractions from percent by the median of |v| over the returns v ≠ 0 of all
// columns, and by whether some v ≤ -1, which no return as a fraction is. It returns an error, with
// the remedy, if they may be both.
func fractionOrPercent(v []float64, lines int, remedy string) (Cells, error) {
	moves := make([]float64, 0, len(v))
	for _, x := range v {
		if x != 0 {
			moves = append(moves, math.Abs(x))
		}
	}
	middle := median(moves)
	switch {
	case lines < minLinesForPercent:
		return Fraction, nil
	case slices.Min(v) <= -1 && middle > 0.05:
		return Percent, nil
	case middle <= 0.1:
		return Fraction, nil
	}
	return "", fmt.Errorf("half of the returns are more than %.3g and none is less than -1: they may "+
		"be fractions or percent%s", middle, remedy)
}

// median returns the median of numbers, the upper one of two, or 0 if there are none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
