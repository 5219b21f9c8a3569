package report

import (
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/stats"
	"testing"
)

// Of the problems with one outcome those stand first on which one of the two is shown to have more
// than √t, each in the order of the experiment.
func TestAgainstBeginsWithWhatIsShown(t *testing.T) {
	a := &analysis.Analysis{Experiment: analysis.Experiment{Name: "e", Horizon: []int{10}, Replicates: 2}}
	for _, m := range game.Metrics {
		a.Metrics = append(a.Metrics, analysis.Metric{Name: m.Name, Title: m.Title, Set: m.Set})
	}
	a.Algorithms = []experiment.Entry{{Spec: "a", Name: "a"}, {Spec: "b", Name: "b"}}
	const shown = "nynyynnyynnnynyn"
	var want string
	for _, first := range "yn" {
		for k, c := range shown {
			if c == first {
				want += string(rune('A' + k))
			}
		}
	}
	for k, c := range shown {
		problem := string(rune('A' + k))
		roots := map[string]stats.Verdict{"a": stats.Undecided, "b": stats.Undecided}
		if c == 'y' {
			roots[string("ab"[k/2%2])] = stats.Above
		}
		a.Problems = append(a.Problems, analysis.Problem{Entry: experiment.Entry{Spec: problem,
			Name: problem}})
		for spec, root := range roots {
			series := &analysis.Series{State: analysis.Missing}
			a.Pairs = append(a.Pairs, analysis.Pair{Algorithm: spec, Problem: problem, SqrtVerdict: root,
				Series: map[algorithms.Metric]*analysis.Series{"regret_xhat": series,
					"violation_soft": series}})
		}
	}
	a.Focus = analysis.Focus{Regret: "regret_xhat", Violation: "violation_soft"}
	got := ""
	for _, row := range PairwiseTable(a, "a", "b", true).Blocks[0].Rows {
		got += row[0].Plain
	}
	if got != want {
		t.Errorf("the problems are %s, want %s", got, want)
	}
}
