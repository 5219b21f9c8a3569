package analysis

import (
	"slices"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

// Games are compared by the metrics that both have: sinha-vaze is also measured by violation_ccv,
// which its claim is about, and ogd is not. With another step the games differ.
func TestGamesAreEqualByCommonMetrics(t *testing.T) {
	c := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	_, a := analysedRun(t, c,
		"horizon: 30\nreplicates: 2\nproblems: [{use: decaying-frequency}]\n"+
			"algorithms: [{use: ogd}, {use: sinha-vaze}, {use: ogd, step: 0.01}]")
	if len(a.Equal) != 1 || !slices.Equal(a.Equal[0].Algorithms, []string{"ogd", "sinha-vaze"}) {
		t.Errorf("got equal %+v, want ogd and sinha-vaze", a.Equal)
	}
}
