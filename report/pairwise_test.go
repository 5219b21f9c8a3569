package report

import (
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/report/table"
	"ocobench/stats"
	"slices"
	"strings"
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

// A significant difference that has a warning has a question mark, also among the counts of the
// ranking, and the note says whether the pairs are too few or the differences are skewed.
func TestQuestionMarksSayWhatIsDoubtful(t *testing.T) {
	const few, skewed = "fewer than 10 do not show", "some are skewed"
	a := analysed(t, parsedExperiment(t, smallExperiment))
	const first, second = "ogd", "mahdavi"
	played := slices.Clone(a.Comparisons.Rows)
	for _, c := range []struct {
		name      string
		pairs     int
		warnings  []string // nil for those of the games
		says, not string
	}{
		{"too few", 6, nil, few, skewed},
		{"skewed", 12, []string{"skewed"}, skewed, few},
		{"symmetric", 12, []string{}, "", "question mark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doubtful := 0
			for k, row := range played {
				row.Replicates, row.Of = c.pairs, c.pairs
				if c.warnings != nil {
					row.Warnings = c.warnings
				}
				if a.Comparisons.Rows[k] = row; row.IsDoubtful() {
					doubtful++
				}
			}
			if (doubtful > 0) != (c.says != "") {
				t.Fatalf("got %d doubtful differences, want some exactly if %q", doubtful, c.says)
			}
			for name, tab := range map[string]*table.Table{
				"pairwise": PairwiseTable(a, first, second, true),
				"ranking":  RankingTable(a, first),
				"baseline": BaselineTable(a, first, a.Comparisons.Against(first)),
			} {
				marked := anyCell([]*table.Table{tab}, func(cell table.Text) bool {
					return strings.HasSuffix(cell.Plain, " ?") && !strings.Contains(cell.Plain, "t^") ||
						cell.Below != nil && strings.HasSuffix(cell.Below.Plain, " ?") &&
							strings.HasPrefix(cell.Below.Plain, "p ")
				})
				var notes strings.Builder
				for _, n := range tab.Notes {
					notes.WriteString(n.Plain)
				}
				if text := notes.String(); marked != (c.says != "") || !strings.Contains(text, c.says) ||
					strings.Contains(text, c.not) {
					t.Errorf("%s: some cell is marked: %v; want %v, notes with %q and without %q:\n%s", name,
						marked, c.says != "", c.says, c.not, text)
				}
			}
		})
	}
}
