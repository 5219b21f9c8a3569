package page

import (
	"testing"

	"ocobench/harness/analysis"
)

// Every control, cell and address of a page leads where a plain model of the view says, and its
// tables have the numbers of the data, whatever an experiment has and lacks.
func TestControlsLeadWhereThePlainModelSays(t *testing.T) {
	inNode(t, "controls.js", saved(t, Item{Analysis: &analysis.Analysis{
		Experiment: analysis.Experiment{Name: "empty", Horizon: []int{10}, Replicates: 1}}}))
}
