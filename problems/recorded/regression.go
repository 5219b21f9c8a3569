package recorded

import (
	"fmt"
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
	read, err := c.readFeatures(s, input.Column{Expected: "a number"})
	if err != nil {
		return nil, err
	}
	read.noteFeatures("the label")
	label := read.names[0]
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
		read.addIntercept()
	}
	r := newImport(read, convex.Cube(len(read.rows[0])-1, -g.Radius, g.Radius), 2, g.roundOfLine)
	r.budgetText = func(float64) string {
		return fmt.Sprintf("--bias %v is the largest mean error, in %s, with weights up to --radius %v",
			g.Bias, unit, g.Radius)
	}
	return r, nil
}

// roundOfLine returns the round of a label and features.
func (g Regression) roundOfLine(line []float64) convex.Round {
	y, h, minus := line[0], line[1:], slices.Clone(line[1:])
	vec.Scale(minus, -1)
	return convex.Round{Loss: &convex.LeastSquares{H: h, Y: []float64{y}},
		Constraints: []convex.Func{&convex.Affine{A: h, B: -y - g.Bias},
			&convex.Affine{A: minus, B: y - g.Bias}}}
}
