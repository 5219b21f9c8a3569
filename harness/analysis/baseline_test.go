package analysis

import (
	"testing"

	"ocobench/harness/experiment"
)

// The baseline is the first algorithm that the registry lacks, else the first of all.
func TestBaselineIsTheFirstUnregisteredAlgorithm(t *testing.T) {
	ogd, ftrl := experiment.Entry{Name: "ogd", Spec: "ogd"},
		experiment.Entry{Name: "penalised-ftrl", Spec: "penalised-ftrl:gamma=1"}
	mine, other := experiment.Entry{Name: "mine", Spec: "mine:step=2"},
		experiment.Entry{Name: "other", Spec: "other"}
	for _, c := range []struct {
		all  []experiment.Entry
		want string
	}{
		{[]experiment.Entry{ogd, ftrl}, "ogd"},
		{[]experiment.Entry{ftrl}, "penalised-ftrl:gamma=1"},
		{[]experiment.Entry{ogd, mine, ftrl, other}, "mine:step=2"},
		{[]experiment.Entry{other, mine}, "other"},
	} {
		if got := BaselineOf(experiment.Record{Algorithms: c.all, Baseline: "gone"}); got != c.want {
			t.Errorf("where the baseline is gone it is %s, want %s", got, c.want)
		}
		last := c.all[len(c.all)-1].Spec
		if got := BaselineOf(experiment.Record{Algorithms: c.all, Baseline: last}); got != last {
			t.Errorf("the baseline that the experiment names is %s, want %s", got, last)
		}
	}
	if got := BaselineOf(experiment.Record{}); got != "" {
		t.Errorf("without algorithms: got baseline %q, want none", got)
	}
}
