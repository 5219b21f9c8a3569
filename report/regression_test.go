package report

import (
	"math"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/regression"
	"ocobench/harness/store"
	"ocobench/internal/golden"
	"ocobench/stats"
)

// The views of a report with everything in it.
func TestCheckReportsKeepTheirGolden(t *testing.T) {
	key := func(metric algorithms.Metric, design stats.Design) regression.Key {
		return regression.Key{Algorithm: "mahdavi", Problem: "trace:file=a|b_c.jsonl", Metric: metric,
			Design: design}
	}
	estimate := func(v analysis.Number) analysis.Estimate {
		return analysis.Estimate{Value: v, Lower: v - 0.02, Upper: v + 0.02}
	}
	change := func(k regression.Key, before, after analysis.Number, a stats.Answer, open bool,
		compared string) regression.Difference {
		return regression.Difference{Comparison: analysis.Comparison{A: k.Algorithm, Problem: k.Problem,
			Metric: k.Metric}, Design: k.Design, Answer: a,
			Growth: &regression.Growth{Compared: compared, Reference: estimate(before),
				Current: estimate(after), Change: estimate(after - before), Margin: 2.5, Adjusted: 0.02, Open: open}}
	}
	r := &regression.Report{
		Experiment: "x", Paired: true, Confidence: 0.95, Answer: stats.Regression,
		Reference: regression.Run{Seed: 1, Provenance: store.Provenance{
			Version: "1.0.0", Go: "go1.26.0", GOARCH: "amd64",
		}},
		Current: regression.Run{Seed: 1, Provenance: store.Provenance{
			Version: "1.1.0", Go: "go1.26.8", GOARCH: "arm64",
		}},
		Total: 9, Same: 5,
		Gone: []regression.Key{key(algorithms.SoftViolation, stats.AlongT)},
		New:  []regression.Key{key(algorithms.RegretXE, stats.AlongT)},
		Changes: []regression.Difference{
			change(key(algorithms.HardViolation, stats.AcrossT), 0.7, 1.1, stats.Regression, false,
				"exponent"),
			change(key(algorithms.HardViolation, stats.AlongT), 0.7, 0.5, stats.Suspicious, false,
				"exponent"),
			change(key(algorithms.RegretXMin, stats.AlongT), -53.2, -53.1, stats.Changed, true, "final"),
			change(key(algorithms.PenaltyViolation, stats.AcrossT), 0.7, 0.7, stats.Changed, false,
				"exponent"),
		},
		Sensitivity: regression.Sensitivity{Replicates: 10, Curves: []regression.CurveSensitivity{
			{Key: key(algorithms.HardViolation, stats.AlongT), Sensitivity: stats.Sensitivity{Change: 0.12}},
			{Key: key(algorithms.SoftViolation, stats.AlongT),
				Sensitivity: stats.Sensitivity{Change: math.Inf(1)}},
			{Key: key(algorithms.RegretXMin, stats.AlongT),
				Sensitivity: stats.Sensitivity{Final: true, Change: 1.56}},
			{Key: key(algorithms.RegretXE, stats.AlongT), Sensitivity: stats.Sensitivity{Final: true}},
		}},
		Broken: []regression.BrokenBound{{Algorithm: "mahdavi", Problem: "iid",
			Metric: algorithms.HardViolation, T: 100, Horizon: 316, Replicate: 2, Ratio: 1.5}},
	}
	var terminal, markdown, nothing strings.Builder
	if err := WriteCheck(&terminal, r); err != nil {
		t.Fatal(err)
	}
	if err := WriteSummary(&markdown, r, "bench check --update --baseline x.json"); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "check.txt", terminal.String(), *update)
	golden.File(t, "check.md", markdown.String(), *update)

	r = &regression.Report{Experiment: "x", Total: 9, Same: 9, Answer: regression.NoChange}
	if err := WriteSummary(&nothing, r, "no"); err != nil {
		t.Fatal(err)
	}
	if text := nothing.String(); !strings.HasPrefix(text,
		"## bench check: the same\n\nExperiment x: the same: all 9 curves, bit for bit.\n") ||
		strings.Contains(text, "accept") || strings.Contains(text, "Changes") {
		t.Errorf("the same: got\n%s\nwant one line, and nothing to accept", text)
	}
}

// A mean that has become a rounding error of the other one is shown as 0, and curves that differ by
// rounding only are counted beside those that are the same.
func TestCheckShowsNoRoundingError(t *testing.T) {
	d := regression.Difference{Growth: &regression.Growth{Compared: "final",
		Reference: analysis.Estimate{Value: 1.14, Lower: 1, Upper: 2},
		Current:   analysis.Estimate{Value: -7.77e-16, Lower: -1e-15, Upper: 1e-15}}}
	if before, after, _, _ := changeTexts(d); before != "1.14" || after != "0" {
		t.Errorf("the change is shown as %s → %s, want 1.14 → 0", before, after)
	}
	d.Reference.Value = 1e-15 // both are small: nothing says that they are rounding errors
	if before, after, _, _ := changeTexts(d); before == "0" || after == "0" {
		t.Errorf("two small values are shown as %s → %s, want their digits", before, after)
	}
	r := &regression.Report{Total: 9, Rounding: 3, Answer: regression.Rounding}
	const want = ": 0 of 9 curves are the same, bit for bit; 3 more differ by rounding only"
	if got := CheckSummary(r); !strings.HasSuffix(got, want) {
		t.Errorf("the summary is %q, want it to end with %q", got, want)
	}
}
