package claims

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

// quickLab returns a quick lab without experiments.
func quickLab(t *testing.T) *Lab {
	return &Lab{Context: t.Context(), Catalog: experiment.Catalog{
		Algorithms: algorithms.All, Problems: problems.All,
	}, Quick: true}
}

// A leader that is a round late breaks the inequality of be-the-leader.
func TestLateLeaderBreaksTheInequality(t *testing.T) {
	rng := quickLab(t).Rand("late")
	most := 0
	for range 20 {
		most = max(most, runLeader(rng, 0, previousLeader).maxDifference)
	}
	if most == 0 {
		t.Error("got differences of at most 0, want one above")
	}
}

// Bounds that can be attained are.
func TestBoundsThatCanBeAttainedAre(t *testing.T) {
	for _, run := range []func(l *Lab) (Finding, error){
		leaderSteps, func(l *Lab) (Finding, error) { return penaltyPoints(l, 1) }, func(l *Lab) (Finding, error) { return playLeaders(l, 5) },
	} {
		f, err := run(quickLab(t))
		ratio := f.Ratios.Ratio
		if f.Values != nil {
			ratio = f.Values[0].Value
		}
		if err != nil || !(ratio >= 0.99) {
			t.Errorf("%s: ratio %v, want 0.99 at least; %v", f.Text, ratio, err)
		}
	}
}
