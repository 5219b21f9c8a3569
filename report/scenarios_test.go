package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/golden"
	"ocobench/internal/race"
	"ocobench/report/table"
)

const (
	// sweptExperiment has a parameter that all problems sweep, and claims with bounds.
	sweptExperiment = "name: swept\nhorizon: 3000\nreplicates: 8\nproblems: [{use: " +
		"decaying-frequency, c: [0.5, 0.9]}]\nalgorithms: [{use: penalised-ftrl}, {use: primal-dual}]"
	// acrossExperiment sweeps the horizon, which one algorithm needs.
	acrossExperiment = "name: across\nhorizon: [100, 300, 1000]\nreplicates: 6\nproblems: [{use: " +
		"iid}, {use: shrinking}]\n" +
		"algorithms: [{use: ogd}, {use: mahdavi}]"
	// deterministicExperiment has one problem, and draws no random number.
	deterministicExperiment = "name: still\nhorizon: 1000\nreplicates: 3\nproblems: [{use: " +
		"shrinking}]\n" +
		"algorithms: [{use: ogd}, {use: penalised-ftrl}, {use: primal-dual}]"
	// manyExperiment has more algorithms than a figure has lines.
	manyExperiment = "name: many\nhorizon: 1000\nreplicates: 6\nproblems: [{use: iid}, " +
		"{use: shrinking}]\n" +
		"algorithms: [{use: ogd}, {use: primal-dual}, {use: penalised-ftrl}, {use: mahdavi}, {use: " +
		"yu-neely}, {use: yu-neely-wei}, {use: guo}, {use: ftrl}, {use: liakopoulos}]"
)

// Each scenario is a file that a reader of a change can check by eye.
func TestScenarios(t *testing.T) {
	race.SkipSequential(t)
	for _, c := range []struct {
		name       string
		experiment string
		change     func(*analysis.Analysis)
		write      func(*testing.T, *analysis.Analysis) string
	}{
		// The answer comes first, then the values with their exponents, then the comparison.
		{"summary-sweep", sweptExperiment, nil, summaryText},
		// One line an algorithm. Nothing has an interval, and nothing is said of replicates.
		{"summary-one-problem", deterministicExperiment, nil, summaryText},
		// A ranking and a table of means, with pairs that were not played.
		{"summary-many", manyExperiment, nil, summaryText},
		// What went wrong comes before what is usual: a bound is broken, a cell failed, one algorithm
		// has no comparator, one is too large, and a pair was played against an assumption.
		{"summary-failures", sweptExperiment, goWrong, summaryText},
		// The notes that the summary has no room for.
		{"exponents-failures", sweptExperiment, goWrong, fileText("exponents")},
		// Means with exponents of every metric, and the comparison as a table.
		{"finals-sweep", sweptExperiment, nil, fileText("finals")},
		// The mean at every horizon, the power of T or of t, and the claim with the same.
		{"horizons", acrossExperiment, nil, fileText("horizons")},
		{"summary-across", acrossExperiment, nil, summaryText},
		// Signs are about the claim. A metric without one has no sign.
		{"rates-sweep", sweptExperiment, nil, fileText("rates")},
		// Counts of verdicts stand beside how many are expected by chance.
		{"claims-many", manyExperiment, nil, fileText("claims")},
		// LaTeX has bold leads and their note, formulas in notes, and no exponents beside means.
		{"finals-sweep.tex", sweptExperiment, nil, finalsInLaTeX},
		// A caption says what is drawn, and repeats no number.
		{"captions", sweptExperiment, nil, figureCaptions},
		// Every number of a pair that prose can quote.
		{"macros", sweptExperiment, nil, macroLines},
		// What a table can show, side by side.
		{"values", sweptExperiment, nil, valuesText},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := parsedExperiment(t, c.experiment)
			a := analysed(t, x)
			a.Computed = nil // the version of the program
			if c.change != nil {
				c.change(a)
			}
			name := c.name
			if !strings.Contains(name, ".") {
				name += ".txt"
			}
			golden.File(t, name, c.write(t, a), *update)
		})
	}
}

// goWrong plants what can go wrong in a sweep.
func goWrong(a *analysis.Analysis) {
	failed := a.Pair("primal-dual", "decaying-frequency:c=0.5")
	failed.Failed, failed.Failure, failed.Played = 1, "out of memory", 7
	for _, s := range failed.Series {
		s.Replicates = 7
	}
	for name, s := range a.Pair("primal-dual", "decaying-frequency:c=0.9").Series {
		if s.State = analysis.Overflow; a.Metric(name).Regret() {
			s.State = analysis.Empty
		}
		s.Fit, s.SqrtVerdict = nil, ""
	}
	a.Pair("primal-dual", "decaying-frequency:c=0.9").SqrtVerdict = ""
	broken := a.Pair("penalised-ftrl", "decaying-frequency:c=0.9")
	broken.Regret.Bound.State, broken.Unmet = analysis.Broken, []string{"a convex domain"}
	a.Unmet = append(a.Unmet, experiment.Unmet{Algorithm: broken.Algorithm, Problem: broken.Problem,
		Assumptions: broken.Unmet})
}

// summaryText returns the summary of a run in 80 columns.
func summaryText(t *testing.T, a *analysis.Analysis) string {
	text := shownAt(t, newAnalysisView(a).summaryTables(), 80)
	for line := range strings.Lines(text) {
		if n := characters(strings.TrimSpace(line)); n > 80 {
			t.Errorf("%d characters, want 80 at most: %s", n, line)
		}
	}
	return text
}

// fileText returns the function that writes the tables of a file.
func fileText(name string) func(*testing.T, *analysis.Analysis) string {
	return func(t *testing.T, a *analysis.Analysis) string {
		return shownAt(t, fileTables(a, name), table.Width)
	}
}

// fileTables returns the tables of a file.
func fileTables(a *analysis.Analysis, name string) []*table.Table {
	k := slices.IndexFunc(tableFiles, func(f tableFile) bool { return f.name == name })
	return tableFiles[k].tables(newAnalysisView(a))
}

// finalsInLaTeX returns the tables of final values in LaTeX.
func finalsInLaTeX(t *testing.T, a *analysis.Analysis) string {
	var out bytes.Buffer
	for _, tab := range finalTables(newAnalysisView(a)) {
		if err := table.WriteLaTeX(&out, tab); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// figureCaptions returns the captions of all figures, as plain text and in LaTeX.
func figureCaptions(_ *testing.T, a *analysis.Analysis) string {
	var out strings.Builder
	for _, f := range newAnalysisView(a).figures(withBounds) {
		fmt.Fprintf(&out, "%s: %s\n\t%s\n", f.name, f.caption.Plain, f.caption.TeX)
	}
	return out.String()
}

// macroLines returns the macros of one pair and one metric.
func macroLines(_ *testing.T, a *analysis.Analysis) string {
	var out strings.Builder
	v := newAnalysisView(a)
	for _, m := range numberMacros(v) {
		if strings.Contains(m.name, "PenalisedFtrlCZeroPointNineSoft") ||
			strings.HasPrefix(m.name, "ocoSweptPenalisedFtrlClaim") {
			fmt.Fprintf(&out, "%s = %s: %s\n", m.name, m.value, m.comment)
		}
	}
	return out.String()
}

func valuesText(t *testing.T, a *analysis.Analysis) string {
	names, _ := CellValues()
	return shownAt(t, PivotTable{Rows: []Dimension{ByAlgorithm, ByProblem}, Columns: ByValue,
		Values: names}.Tables(a), 160)
}
