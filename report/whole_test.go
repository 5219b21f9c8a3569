package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/internal/golden"
	"ocobench/internal/race"
	"ocobench/problems"
	"ocobench/report/figure"
	"ocobench/report/table"
)

// TestWhole freezes all that is shown of a small experiment: with a sweep of problems and one of
// algorithms, two horizons, dynamic regret, bounds and a comparison, the tables of the files
// included. Every figure is written as the numbers that it is drawn from, and of CSV and the macros
// there are sums. What these should be, the tests beside compute a second
// time for some; that a change of others is meant, a reader of the file has to say.
func TestWhole(t *testing.T) {
	if race.Enabled && testing.Short() {
		t.Skip("one goroutine draws tables")
	}
	a, tables := shownOf(t, smallExperiment)
	var out strings.Builder
	for _, pair := range [][2]string{{"penalised-ftrl:gamma=5", "ogd"}, {"mahdavi", "ogd"}} {
		tables = append(tables, Against(a, pair[0], pair[1], true), Against(a, pair[0], pair[1], false))
	}
	for _, tab := range tables {
		if err := table.WriteMarkdown(&out, tab); err != nil {
			t.Fatal(err)
		}
		sums(t, &out, tab)
	}
	writeMany(t, &out)
	sumsOfMacros(&out, subjectOf(a))
	fmt.Fprintf(&out, "\n%s\n", strings.Join(Words(a), "\n"))
	for _, f := range subjectOf(a).figures(true) {
		fmt.Fprintf(&out, "\nfigure %s: %s\n", f.name, f.caption.Plain)
		outline(&out, reflect.ValueOf(*f.figure), "")
	}
	golden.File(t, "whole.txt", out.String(), *update)
}

// writeMany writes what a run shows of more algorithms than a figure has lines, without the
// numbers of each line. One of six games of a pair failed, a bound is broken, one holds to a
// round before the last, and a pair lacks an assumption.
func writeMany(t *testing.T, w io.Writer) {
	t.Helper()
	x, err := spec.Parse("e.yaml", []byte("name: many\nhorizon: 100\nreplicates: 6\nproblems: [{use: "+
		"iid}, {use: fixed}, {use: shrinking}]\nalgorithms: [{use: ogd}, {use: primal-dual}, {use: "+
		"penalised-ftrl}, {use: mahdavi}, {use: yu-neely}, {use: yu-neely-wei}, {use: guo}, {use: "+
		"ftrl}, {use: liakopoulos}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	a.Computed = nil
	failed := a.Pair("guo", "iid")
	failed.Played, failed.Failed, failed.Failure = 5, 1, "a planted failure"
	for _, s := range failed.Series {
		s.Replicates = 5
	}
	broken := a.Pair("mahdavi", "iid").Regret.Bound
	broken.State, broken.T, broken.Replicate = analysis.Broken, 64, 3
	failed.Regret.Bound.Until = 50
	a.Pair("liakopoulos", "fixed").Unmet = []string{"a planted assumption"}
	of := subjectOf(a)
	tables := slices.Concat(First(a), Tables(a))
	for _, named := range tablesOf(of, of.metrics[:2], of.glance) {
		if named.name == "rates" || named.name == "means" {
			tables = append(tables, named.build()...)
		}
	}
	for _, tab := range tables {
		if err := table.WriteMarkdown(w, tab); err != nil {
			t.Fatal(err)
		}
		sums(t, w, tab)
	}
	for _, f := range of.figures(true) {
		fmt.Fprintf(w, "\nfigure %s, %d columns: %s\n", f.name, f.figure.Columns, f.caption.Plain)
		for _, p := range f.figure.Panels {
			var labels []string
			sum := 0.0
			for _, s := range p.Series {
				labels = append(labels, s.Label)
				for _, y := range s.Y {
					if !math.IsNaN(y) {
						sum += y
					}
				}
			}
			fmt.Fprintf(w, "  %s: %d guides, Σ %.5g, %q\n", p.Title, len(p.Guides),
				math.Round(1e6*sum)/1e6, labels)
		}
	}
}

// sums writes how many values each column of a table has in CSV, and the sum of those that are
// numbers.
func sums(t *testing.T, w io.Writer, tab *table.Table) {
	t.Helper()
	var text bytes.Buffer
	if err := table.WriteCSV(&text, tab); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(w, "\nCSV of %s:", tab.Label)
	for k, name := range records[0] {
		n, sum := 0, 0.0
		for _, r := range records[1:] {
			if r[k] != "" {
				n++
			}
			if x, err := strconv.ParseFloat(r[k], 64); err == nil && !math.IsInf(x, 0) {
				sum += x
			}
		}
		fmt.Fprintf(w, " %s %d: %.5g,", name, n, sum)
	}
	fmt.Fprintln(w)
}

// sumsOfMacros writes how many macros say each thing, and the sum of their numbers.
func sumsOfMacros(w io.Writer, x *subject) {
	n, sum := make(map[string]int), make(map[string]float64)
	for _, m := range macros(x, x.metrics) {
		what := m.doc[strings.LastIndex(m.doc, ": ")+1:]
		value, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(m.value, `\ensuremath{`),
			"}"), 64)
		n[what]++
		sum[what] += value
	}
	for _, what := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(w, "\nmacros, %s: %d, %.5g", what, n[what], sum[what])
	}
	fmt.Fprintln(w)
}

const smallExperiment = `name: small
horizon: [100, 400]
replicates: 6
metrics: [regret_dynamic, path_length]
problems: [{use: decaying-frequency, c: [0.5, 1]}, {use: iid, dim: 2}]
algorithms: [{use: penalised-ftrl, gamma: [5, 25]}, {use: ogd}, {use: mahdavi}]
`

// shownOf returns the analysis of an experiment in which ogd is, and its tables: those of a run, of
// its files, of comparisons, and some that are chosen.
func shownOf(t *testing.T, text string) (*analysis.Analysis, []*table.Table) {
	t.Helper()
	x, err := spec.Parse("e.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r := play(t, t.TempDir(), experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}, x)
	a, err := analysis.Of(t.Context(), experiment.Catalog{Algorithms: algorithms.All,
		Problems: problems.All}, r)
	if err != nil {
		t.Fatal(err)
	}
	a.Computed = nil // the version of the program
	tables := slices.Concat(First(a), Tables(a), []*table.Table{
		WithBaseline(a, "ogd", a.Comparisons.Against("ogd")), Ranking(a, "ogd")})
	of := subjectOf(a)
	for _, named := range tablesOf(of, of.metrics, of.glance) {
		if named.name != "finals" { // those of Tables
			tables = append(tables, named.build()...)
		}
		if named.values != nil {
			tables = append(tables, named.values.build())
		}
	}
	names, _ := Values()
	for _, g := range []Grid{
		{Rows: []Dim{ByAlgorithm, ByProblem}, Columns: ByValue, Values: names},
		{Rows: []Dim{ByAlgorithm}, Columns: ByProblem, Values: []string{"final", "root"},
			Metrics: []algorithms.Metric{"regret_xhat", "violation_soft"}, Caption: "Means and $V_t$"},
	} {
		tables = append(tables, g.Tables(a)...)
	}
	return a, tables
}

// outline writes the fields of a value that are not zero, and of many numbers how many there are,
// the first, the last, and their sum.
func outline(w *strings.Builder, v reflect.Value, head string) {
	line, inside := []string(nil), new(strings.Builder)
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch numbers, ok := f.Interface().([]float64); {
		case f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0:
		case ok:
			sum := 0.0
			for _, x := range numbers {
				if !math.IsNaN(x) && !math.IsInf(x, 0) {
					sum += x
				}
			}
			line = append(line, fmt.Sprintf("%s %d: %.5g … %.5g Σ %.5g", name, len(numbers), numbers[0],
				numbers[len(numbers)-1], sum))
		case f.Kind() == reflect.Slice:
			for k := range f.Len() {
				outline(inside, f.Index(k), fmt.Sprintf("  %s %d: ", name, k+1))
			}
		case f.Kind() == reflect.Float64:
			line = append(line, fmt.Sprintf("%s %.5g", name, f.Float()))
		default:
			line = append(line, fmt.Sprintf("%s %v", name, f.Interface()))
		}
	}
	fmt.Fprintf(w, "%s%s\n%s", head, strings.Join(line, ", "), inside)
}

// Words of two algorithms name the one that keeps both first, whichever was asked for first. A
// grid is as many columns wide as its panels fill: 1, 2, 3, 2×2, 3×2 up to 3×3, and then 4.
func TestWordsAndGrids(t *testing.T) {
	x := subjectOf(&analysis.Analysis{Algorithms: []experiment.Entry{
		{Name: "ogd", Spec: "ogd"}, {Name: "guo", Spec: "guo"}}})
	for outcome, want := range map[analysis.Outcome]string{
		analysis.FirstKeeps:   "ogd keeps both at √t and guo is not shown to",
		analysis.SecondKeeps:  "guo keeps both at √t and ogd is not shown to",
		analysis.Tie:          "One keeps both at √t, and the other is not shown to, nor to have more,",
		analysis.BothKeep:     "Each keeps both at √t",
		analysis.NeitherKeeps: "Neither keeps both at √t",
	} {
		if got := strings.ToLower(x.outcomeWords("ogd", "guo", outcome)); got != strings.ToLower(want) {
			t.Errorf("%v: %s", outcome, got)
		}
	}
	for n, want := range []int{0, 1, 2, 3, 2, 3, 3, 3, 3, 3, 4, 4, 4} {
		if columns, width, height := gridSize(n); n > 0 && (columns != want ||
			math.Abs(float64(columns)*width-min(16.8, 8.4*float64(n))) > 1e-9 || height > width) {
			t.Errorf("%d panels: %d columns of %v × %v cm", n, columns, width, height)
		}
	}
}

// Many panels are several figures, as few as have room, of about the same size and in the same
// order, and each has a name of its own.
func TestGridsOfMany(t *testing.T) {
	for n := range 4 * maxPanels {
		var panels []figure.Panel
		for k := range n {
			panels = append(panels, figure.Panel{Title: fmt.Sprint(k)})
		}
		all := grids(panels, "plane")
		var got []figure.Panel
		for k, f := range all {
			want := "plane"
			if k > 0 {
				want = fmt.Sprintf("plane-%d", k+1)
			}
			size := len(f.figure.Panels)
			if most := len(all[0].figure.Panels); f.name != want || size > min(most, maxPanels) ||
				size <= most-len(all) {
				t.Errorf("figure %d of %d panels is %s with %d", k, n, f.name, size)
			}
			got = append(got, f.figure.Panels...)
		}
		if !reflect.DeepEqual(got, panels) || float64(len(all)) != math.Ceil(float64(n)/maxPanels) {
			t.Errorf("%d panels are in %d figures, or others are", n, len(all))
		}
	}
}
