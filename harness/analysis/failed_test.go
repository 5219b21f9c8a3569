package analysis

import (
	"errors"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/convex"
	"ocobench/harness/experiment"
	"ocobench/problems"
)

// moody fails in the replicates with certain draws, and always where it is asked to.
type moody struct {
	position
	fails bool
}

func (m *moody) Observe(x []float64, r convex.Round) error {
	if m.t == 80 && m.fails {
		return errors.New("enough")
	}
	return m.position.Observe(x, r)
}

// Failures show in every number: in its count of replicates, or in its absence with the reason.
func TestFailuresShowInEveryNumber(t *testing.T) {
	entry := func(name string, fails func(seed uint64) bool) algorithms.Algorithm {
		return algorithms.Algorithm{Name: name, Version: 1, Anytime: true,
			New: func(_ any, s algorithms.Setup) (algorithms.Learner, error) {
				return &moody{position{at: func(float64) float64 { return -0.5 }}, fails(s.Seed)}, nil
			}}
	}
	c := experiment.Catalog{
		Algorithms: []algorithms.Algorithm{
			entry("calm", func(uint64) bool { return false }),
			entry("some", func(seed uint64) bool { return seed%2 == 0 }),
			entry("none", func(uint64) bool { return true }),
		},
		Problems: []problems.Problem{steepProblem},
	}
	_, s, failures := runExperiment(t, c, "name: e\nhorizon: 100\nreplicates: 8\nproblems: [{use: "+
		"steep}]\nalgorithms: [{use: calm}, {use: some}, {use: none}]")
	if len(failures) <= 8 || len(failures) >= 16 {
		t.Fatalf("%d failures: want those of all and of some", len(failures))
	}
	_, a := loadAndAnalyse(t, c, s)
	lost := len(failures) - 8
	for name, want := range map[string]struct {
		played, failed int
	}{"calm": {8, 0}, "some": {8 - lost, lost}, "none": {0, 8}} {
		t.Run(name, func(t *testing.T) {
			pair := a.Pair(name, "steep")
			if pair.Replicates != 8 || pair.Played != want.played || pair.Failed != want.failed ||
				(want.failed > 0) != strings.Contains(pair.Failure, "round 81: enough") {
				t.Errorf("%d of %d replicates are played and %d cells failed (%s), want %+v",
					pair.Played, pair.Replicates, pair.Failed, pair.Failure, want)
			}
			regret := pair.Series[algorithms.RegretXMin]
			if regret.Replicates != want.played || regret.Of != 8 ||
				(regret.State == Failed) != (want.played == 0) {
				t.Errorf("got regret %s of %d of %d replicates, want %d of 8", regret.State, regret.Replicates,
					regret.Of, want.played)
			}
			if unknown := pair.Series[algorithms.RegretXE]; unknown.State != Missing {
				t.Errorf("got %s of a regret that nobody knows, want it missing", unknown.State)
			}
		})
	}
	for _, c := range a.Comparisons.Against("calm").Rows {
		if played := a.Pair(c.A, "steep").Played; c.Replicates != played || c.Of != 8 ||
			(c.State == Failed) != (played == 0) {
			t.Errorf("%s: got compared in %d of %d pairs, %s, want %d of 8", c.A, c.Replicates, c.Of,
				c.State, played)
		}
	}
}
