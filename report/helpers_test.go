package report

import (
	"bytes"
	"flag"
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run/runtest"
	"ocobench/problems"
	"ocobench/report/table"
	"slices"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false,
	"rewrite the golden files; commit them only if you understand the changes")

// parsedExperiment reads an experiment.
func parsedExperiment(t *testing.T, text string) *spec.Experiment {
	t.Helper()
	x, err := spec.Parse("e.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// analysed plays an experiment and analyses it.
func analysed(t *testing.T, x *spec.Experiment) *analysis.Analysis {
	t.Helper()
	catalog := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	a, err := analysis.NewUnfitted(catalog, runtest.Play(t, t.TempDir(), catalog, x)).Fit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// shownAt returns tables as a terminal shows them.
func shownAt(t *testing.T, tables []*table.Table, width int) string {
	t.Helper()
	var b bytes.Buffer
	for _, tab := range tables {
		if err := table.WriteTerminal(&b, tab, width); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// characters counts the characters of a line that take a place on a terminal.
func characters(line string) (n int) {
	for _, r := range line {
		if !unicode.Is(unicode.Mn, r) {
			n++
		}
	}
	return n
}

// smallExperiment is played in a second, and fills every kind of table.
const smallExperiment = `name: small

horizon: [100, 400]
replicates: 6
metrics: [regret_dynamic, path_length]
problems: [{use: decaying-frequency, c: [0.5, 1]}, {use: iid, dim: 2}]
algorithms: [{use: penalised-ftrl, gamma: [5, 25]}, {use: ogd}, {use: mahdavi}]
`

// shownOf analyses an experiment that has ogd, and returns the analysis and its tables: those of a
// run, of its files, of comparisons, and some pivot tables.
func shownOf(t *testing.T, text string) (*analysis.Analysis, []*table.Table) {
	t.Helper()
	x := parsedExperiment(t, text)
	a := analysed(t, x)
	a.Computed = nil // the version of the program
	tables := slices.Concat(newAnalysisView(a).summaryTables(), Tables(a), []*table.Table{
		BaselineTable(a, "ogd", a.Comparisons.Against("ogd")), RankingTable(a, "ogd")})
	of := newAnalysisView(a)
	for _, f := range tableFiles {
		if f.name != "finals" { // those of Tables
			tables = append(tables, f.tables(of)...)
		}
		if f.values != nil {
			tables = append(tables, f.values(of))
		}
	}
	names, _ := CellValues()
	for _, g := range []PivotTable{
		{Rows: []Dimension{ByAlgorithm, ByProblem}, Columns: ByValue, Values: names},
		{Rows: []Dimension{ByAlgorithm}, Columns: ByProblem, Values: []string{"final", "exponent"},
			Metrics: []algorithms.Metric{"regret_xhat", "violation_soft"}, Caption: "Means and $V_t$"},
	} {
		tables = append(tables, g.Tables(a)...)
	}
	return a, tables
}
