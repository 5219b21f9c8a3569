package analysis

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

// A pair whose assumptions the problem lacks is not in the analysis if it is not played, and is in
// it with what is lacking if assumptions are ignored.
func TestUnplayedPairsAreNotInTheAnalysis(t *testing.T) {
	low := algorithms.Algorithm{Name: "low", Version: 1, Anytime: true,
		New: func(any, algorithms.Setup) (algorithms.Learner, error) {
			return &position{at: func(float64) float64 { return -0.9 }}, nil
		}}
	affine := low
	affine.Name, affine.Assumes = "affine", []algorithms.Assumption{algorithms.FixedConstraints}
	c := experiment.Catalog{Algorithms: []algorithms.Algorithm{low, affine},
		Problems: []problems.Problem{steepProblem}}
	for _, ignore := range []bool{false, true} {
		text := "problems: [{use: steep}]\nhorizon: 20\nreplicates: 2\nalgorithms: all\n"
		if ignore {
			text += "assumptions: ignore\n"
		}
		_, a := analysedRun(t, c, text)
		if a.Pair("low", "steep") == nil || len(a.Unmet) != 1 {
			t.Fatalf("ignore: %v: got pairs %+v, unmet %v, want low on steep and one unmet", ignore, a.Pairs,
				a.Unmet)
		}
		if p := a.Pair("affine", "steep"); (p != nil) != ignore || p != nil && len(p.Unmet) != 1 {
			t.Errorf("ignore: %[1]v: got pair %+[2]v that lacks something, want it: %[1]v", ignore, p)
		}
	}
}
