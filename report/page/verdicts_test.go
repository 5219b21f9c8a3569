package page

import (
	"testing"

	"ocobench/stats"
)

// The page takes the worse one of two verdicts by their severity, as the analysis does.
func TestSeverityIsTheOrderOfWorst(t *testing.T) {
	all := append([]stats.Verdict{""}, stats.Verdicts...)
	severity := make(map[stats.Verdict]int)
	for _, view := range verdicts() {
		for _, v := range all {
			if view.Key == verdictKey(v) {
				severity[v] = view.Severity
			}
		}
	}
	for _, v := range all {
		for _, w := range all {
			worse := v
			if severity[w] > severity[v] {
				worse = w
			}
			if want := stats.Worst(v, w); worse != want {
				t.Errorf("the worse one of %q and %q is %q, want %q", v, w, worse, want)
			}
		}
	}
}
