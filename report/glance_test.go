package report

import (
	"fmt"
	"strings"
	"testing"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment/spec"
	"ocobench/report/table"
)

// On a single problem an algorithm has one line with the answer, the means and what they grow like.
// Algorithms that are played on no problem have none, and are named.
func TestOneProblem(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: one\nhorizon: 100\nreplicates: 3\n"+
		"problems: [{use: iid}]\nalgorithms: all"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	tables := First(a)
	if len(tables) != 1 || len(tables[0].Rows) != len(a.Pairs) {
		t.Fatalf("%d tables, and %d rows for %d pairs", len(tables), len(tables[0].Rows), len(a.Pairs))
	}
	text := shownAt(t, tables, table.Width)
	for _, want := range []string{"at √t on iid?", "│ regret vs X̂max │",
		"Played on no problem: yu-neely, valls, ", "and beside it the exponent"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, row := range tables[0].Rows {
		p := a.Pair(row[0].Plain, "iid")
		if p == nil || row[3].Plain != signed(p.Series["regret_xhat"]) ||
			!strings.HasPrefix(row[1].Plain, signs[p.Root]) {
			t.Errorf("the line of %s is %v", row[0].Plain, row)
		}
	}
}

// Sentences on a sweep count more than five rivals, each once for a value of the parameter; those
// that were played on no problem are no rivals.
func TestManyRivalsAreCounted(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: many\nhorizon: 200\nreplicates: 6\n"+
		"problems: [{use: decaying-frequency, c: [0.5, 1]}]\n"+
		"algorithms: [{use: primal-dual, step: [0.1, 1, 5, 20, 50, 80, 90]}, {use: ftrl}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	var less, more [2]int
	for _, c := range a.Comparisons.Against(a.Experiment.Baseline).Rows {
		if c.Metric == "violation_soft" && float64(c.Difference.Adjusted) <= 0.05 {
			k := 0
			if c.Problem == "decaying-frequency:c=1" {
				k = 1
			}
			if c.MeanA < c.MeanB {
				less[k]++
			} else {
				more[k]++
			}
		}
	}
	want := fmt.Sprintf("Against it: of 6 others %d lower and %d higher (c = 0.5), %d and %d (1).",
		less[0], more[0], less[1], more[1])
	if words := strings.Join(Words(a), "\n"); !strings.Contains(words, want) || more[1]+less[1] == 0 {
		t.Errorf("%q is missing in\n%s", want, words)
	}
}

// A run says which bounds are broken.
func TestBrokenBoundsAreNamed(t *testing.T) {
	for _, algorithms := range []string{"[{use: ogd}, {use: primal-dual}]", "all"} {
		x, err := spec.Parse("e.yaml", []byte("name: broken\nhorizon: 100\nreplicates: 3\n"+
			"problems: [{use: iid}, {use: shrinking}]\nalgorithms: "+algorithms))
		if err != nil {
			t.Fatal(err)
		}
		a := analysed(t, x)
		if text := shownAt(t, First(a), 0); strings.Contains(text, "Broken bounds") {
			t.Errorf("a bound is broken in\n%s", text)
		}
		a.Pair("ogd", "iid").Regret.Bound.State = analysis.Broken
		want := "Broken bounds (1): " + a.Metric(a.Pair("ogd", "iid").Regret.Metric).Title +
			" of ogd on iid. Where: bench table broken --value bound."
		if text := shownAt(t, First(a), 0); !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
