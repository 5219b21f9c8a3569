package analysis

import (
	"testing"

	"ocobench/harness"
)

// There is no chance in a pair only if neither the problem nor the algorithm draws.
func TestDeterministicPairs(t *testing.T) {
	a := Describe(&harness.Results{Record: harness.Record{
		Name: "pairs", Horizon: []int{10}, Replicates: 2,
		Problems: []harness.Entrant{{Spec: "fixed rounds", Deterministic: true},
			{Spec: "random rounds"}},
		Algorithms: []harness.Entrant{{Spec: "steady"}, {Spec: "dice", Draws: true}},
	}})
	for _, c := range []struct {
		algorithm, problem string
		want               bool
	}{
		{"steady", "fixed rounds", true},
		{"dice", "fixed rounds", false},
		{"steady", "random rounds", false},
		{"dice", "random rounds", false},
	} {
		if got := a.Pair(c.algorithm, c.problem).Deterministic; got != c.want {
			t.Errorf("%s on %s: deterministic is %v", c.algorithm, c.problem, got)
		}
	}
}
