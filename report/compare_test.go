package report

import (
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/harness/run/runtest"
	"ocobench/problems"
	"slices"
	"strings"
	"testing"
)

// The table of a comparison names its metrics, and its notes describe its numbers.
func TestTableWithBaseline(t *testing.T) {
	e, err := spec.Parse("e.yaml", []byte("name: two\nhorizon: 100\nreplicates: 6\nproblems: [{use: "+
		"iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]"))
	if err != nil {
		t.Fatal(err)
	}
	r := runtest.Play(t, t.TempDir(), experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}, e)
	a, err := analysis.Of(t.Context(), experiment.Catalog{}, r)
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Compare(t.Context(), []algorithms.Metric{"regret_xhat", "violation_squared",
		"regret_domain"})
	if err != nil {
		t.Fatal(err)
	}
	tab := WithBaseline(a, "ogd", c.Against("ogd"))
	var metrics []string
	if len(tab.Blocks) != 1 || tab.Blocks[0].Name.Plain != "iid" {
		t.Fatalf("the blocks are %v", tab.Blocks)
	}
	rows := tab.Blocks[0].Rows
	for _, row := range rows {
		metrics = append(metrics, row[1].Plain)
	}
	if want := []string{"regret vs X̂max", "squared violation",
		"–"}; !slices.Equal(append(metrics[:2:2], rows[2][2].Plain), want) {
		t.Errorf("the rows are %v", metrics)
	}
	said := ""
	if rows[0][5].Plain == "–" {
		t.Error("of six pairs nothing is said of the probability of less")
	}
	for _, n := range tab.Notes {
		said += n.Plain + "\n"
	}
	for _, want := range []string{"T = 100", "pairs of 6 replicates", "seed 1",
		"joint sign flips for every two algorithms on every problem", "A significant difference (p ≤ 0.05) needs 6 replicates or more, for any " +
			"number of rows."} {
		if !strings.Contains(said, want) {
			t.Errorf("the notes do not say %q:\n%s", want, said)
		}
	}
}

// Of one pair there is a difference, and no probability of less.
func TestDifferenceOfOnePair(t *testing.T) {
	_, tables := shownOf(t, "name: once\nhorizon: 100\nreplicates: 1\n"+
		"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: ogd}, {use: primal-dual}]")
	for _, tab := range tables {
		if tab.Label != "tab:once-versus" {
			continue
		}
		for _, b := range tab.Blocks {
			for _, row := range b.Rows {
				if row[3].Plain == "–" || row[5].Plain != "–" {
					t.Errorf("%s: the difference is %q, and P(less) %q", b.Name.Plain, row[3].Plain, row[5].Plain)
				}
			}
		}
		return
	}
	t.Error("there is no comparison")
}
