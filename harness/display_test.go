package harness_test

import (
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/problems"
)

func TestDisplay(t *testing.T) {
	c := harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	for _, want := range []struct{ label, spec, name, display string }{
		{"", "penalised-ftrl:gamma=25", "penalised-ftrl", `Penalised FTRL, $\gamma=25$`},
		{"", "primal-dual", "primal-dual", "Primal-dual"},
		{"", "primal-dual:step=0.1", "primal-dual", "Primal-dual, step 0.1"},
		{"", "penalised-ftrl:penalty=per-round", "penalised-ftrl", "Penalised FTRL, per-round"},
		{"a_1 & 50 %", "penalised-ftrl:gamma=25", "penalised-ftrl", `a\_1 \& 50 \%`},
		{"", "of-another:c=1", "of-another", "of-another, $c=1$"}, // not in the registry
	} {
		if got := c.AlgorithmDisplay(harness.Entrant{Label: want.label, Spec: want.spec, Name: want.name}); got != want.display {
			t.Errorf("%s %s: %s, want %s", want.label, want.spec, got, want.display)
		}
	}
	if got, want := c.ProblemDisplay(harness.Entrant{Spec: "fixed:dim=3,kind=quadratic", Name: "fixed"}), "Fixed constraints, $n=3$, quadratic"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
