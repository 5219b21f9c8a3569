package recorded

import (
	"fmt"
	"math"

	"ocobench/internal/input"
)

// This file holds what [Regression] and [Logistic] share: a label and features in each line.

// readFeatures reads the column of the label, which is parsed as label says, and those of the
// features.
func (c Columns) readFeatures(s *input.Sheet, label input.Column) (*sheetNumbers, error) {
	if err := checkFeatureCount(s, len(c.Many)); err != nil {
		return nil, err
	}
	c.features = true
	read, err := c.read(s, label, input.Column{Expected: "a number"}, nil)
	if err != nil {
		return nil, err
	}
	return read, checkFeatureCount(s, len(read.names)-1)
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

// noteFeatures notes what the label is, and which columns are the features.
func (c *sheetNumbers) noteFeatures(label string) {
	features := c.names[1:]
	c.addNote("%s: %s; %s: %s", c.names[0], label, input.Few(features, ", "),
		input.Plural(len(features), "feature"))
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

// addIntercept adds a last feature that is 1 to every line.
func (c *sheetNumbers) addIntercept() {
	for t := range c.rows {
		c.rows[t] = append(c.rows[t], 1)
	}
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
