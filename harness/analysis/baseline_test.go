package analysis

import (
	"testing"

	"ocobench/harness"
)

// The baseline is the first algorithm that the registry lacks, else the first of all.
func TestBaseline(t *testing.T) {
	ogd, ftrl := harness.Entrant{Name: "ogd", Spec: "ogd"},
		harness.Entrant{Name: "penalised-ftrl", Spec: "penalised-ftrl:gamma=1"}
	mine, other := harness.Entrant{Name: "mine", Spec: "mine:step=2"},
		harness.Entrant{Name: "other", Spec: "other"}
	for _, c := range []struct {
		all  []harness.Entrant
		want string
	}{
		{[]harness.Entrant{ogd, ftrl}, "ogd"},
		{[]harness.Entrant{ftrl}, "penalised-ftrl:gamma=1"},
		{[]harness.Entrant{ogd, mine, ftrl, other}, "mine:step=2"},
		{[]harness.Entrant{other, mine}, "other"},
	} {
		a := &Analysis{Algorithms: c.all}
		if got := a.Baseline(); got != c.want {
			t.Errorf("the baseline of %v is %s, want %s", c.all, got, c.want)
		}
		if got := BaselineOf(harness.Record{Algorithms: c.all, Baseline: "gone"}); got != c.want {
			t.Errorf("where the baseline is gone it is %s, want %s", got, c.want)
		}
		last := c.all[len(c.all)-1].Spec
		if got := BaselineOf(harness.Record{Algorithms: c.all, Baseline: last}); got != last {
			t.Errorf("the baseline that the experiment names is %s, want %s", got, last)
		}
		a.Comparison = &Comparison{Baseline: "named"}
		if got := a.Baseline(); got != "named" {
			t.Errorf("the baseline of a comparison with named is %s", got)
		}
	}
	if got := new(Analysis).Baseline(); got != "" {
		t.Errorf("without algorithms the baseline is %q", got)
	}
}
