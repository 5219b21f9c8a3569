package recorded

import (
	"fmt"
	"math"
	"slices"

	"ocobench/convex"
	"ocobench/convex/vec"
	"ocobench/internal/input"
)

// Regression makes rounds of features h_t and labels y_t, with weights x in the box
// [−radius, radius]^n:
//
//	f_t(x) = ½(h_t·x − y_t)²
//	g_t(x) = (h_t·x − y_t − bias,  y_t − h_t·x − bias)
type Regression struct {
	Intercept    bool // there is a last feature that is 1
	Standardise  bool // columns have their mean subtracted, and are divided by their deviation
	Radius, Bias float64
}

// Read implements [Kind], with the column of the label and those of the features.
func (g Regression) Read(s *input.Sheet, c Columns) (*Import, error) {
	if err := checkFeatureCount(s, len(c.Many)); err != nil {
		return nil, err
	}
	c.features = true
	number := input.Column{Expected: "a number"}
	read, err := c.read(s, number, number, nil)
	if err != nil {
		return nil, err
	}
	if err := checkFeatureCount(s, len(read.names)-1); err != nil {
		return nil, err
	}
	label := read.names[0]
	read.addNote("%s: the label; %s: %s", label, input.Few(read.names[1:], ", "),
		input.Plural(len(read.names)-1, "feature"))
	mean, deviation := meanAndDeviation(read.column(0))
	unit := fmt.Sprintf("the unit of %s, whose mean is %.4g and standard deviation %.4g", label, mean,
		deviation)
	if g.Standardise {
		if err := read.standardise(s, 0); err != nil {
			return nil, err
		}
		unit = fmt.Sprintf("standard deviations of %s, each %.4g", label, deviation)
	}
	if g.Intercept {
		for t := range read.rows {
			read.rows[t] = append(read.rows[t], 1)
		}
	}
	r := g.rounds(read.rows)
	r.Notes = read.notes
	r.budgetText = func(float64) string {
		return fmt.Sprintf("--bias %v is the largest mean error, in %s, with weights up to --radius %v",
			g.Bias, unit, g.Radius)
	}
	return r, nil
}

// checkFeatureCount returns an error if a round cannot have n features.
func checkFeatureCount(s *input.Sheet, n int) error {
	switch {
	case n == 0:
		return fmt.Errorf("%s:1:1: there is no column of features (expected at least one, beside "+
			"the label)", s.Name)
	case n >= MaxImported:
		return fmt.Errorf("%s:1:1: %d features (expected less than %d; name them in --features)",
			s.Name, n, MaxImported)
	}
	return nil
}

// standardise replaces each number v of the columns from first on by (v − mean)/deviation of its
// column.
func (c *sheetNumbers) standardise(s *input.Sheet, first int) error {
	for i := first; i < len(c.names); i++ {
		name := c.names[i]
		mean, deviation := meanAndDeviation(c.column(i))
		if !(deviation > 0) || math.IsInf(deviation, 0) {
			remedy := "; leave it out with --ignore"
			if i < c.own {
				remedy = ", and is the label"
			}
			return fmt.Errorf("%s: --standardise: %s has the standard deviation %v%s", s.Name, name,
				deviation, remedy)
		}
		for _, row := range c.rows {
			row[i] = (row[i] - mean) / deviation
		}
		c.addNote("%s is less its mean %v, divided by its standard deviation %v", name, mean, deviation)
	}
	return nil
}

// meanAndDeviation returns the mean and the standard deviation of n numbers, with the divisor n−1.
func meanAndDeviation(v []float64) (mean, deviation float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		d := x - mean
		deviation += float64(d * d)
	}
	if n > 1 {
		deviation = math.Sqrt(deviation / (n - 1))
	}
	return mean, deviation
}

// rounds returns the rounds of these numbers, one row each.
func (g Regression) rounds(table [][]float64) *Import {
	n := len(table[0]) - 1
	return &Import{Domain: convex.Cube(n, -g.Radius, g.Radius), Constraints: 2, Count: len(table),
		table: table, round: func(line []float64) convex.Round {
			y, h, minus := line[0], line[1:], slices.Clone(line[1:])
			vec.Scale(minus, -1)
			return convex.Round{Loss: &convex.LeastSquares{H: h, Y: []float64{y}},
				Constraints: []convex.Func{&convex.Affine{A: h, B: -y - g.Bias},
					&convex.Affine{A: minus, B: y - g.Bias}}}
		}}
}
