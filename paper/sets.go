package paper

import (
	"ocobench/harness"
	"ocobench/paper/figure"
)

// outlines is the figure of the three comparator sets: where an experiment
// sweeps the direction of a fixed linear loss over a circle, the best fixed
// actions in two dimensions are the support points of the sets, and joined
// they are the sets' outlines. It is nil for other experiments.
func outlines(r *harness.Results) *figure.Figure {
	return nil
}
