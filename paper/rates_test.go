package paper

import (
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/harness/spec"
	"ocobench/problems"
)

// A claim about regret against X^E is judged by X^E if the problem knows it, and by
// X^max otherwise, with a note. Other claims are judged by their own sets.
func TestRatesAgainstExpectation(t *testing.T) {
	e, err := spec.Parse("e.yaml", []byte("name: sets\nhorizon: 200\nreplicates: 2\nassumptions: ignore\n"+
		"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: yu-neely-wei}, {use: neely-yu}]"))
	if err != nil {
		t.Fatal(err)
	}
	c := harness.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	a, err := analysis.Of(t.Context(), c, play(t, t.TempDir(), c, e))
	if err != nil {
		t.Fatal(err)
	}
	rates := Rates(a)
	want := map[string]string{
		"iid yu-neely-wei": "vs xe", "shrinking (deterministic) yu-neely-wei *": "vs xmax",
		"iid neely-yu": "vs xmin", "shrinking (deterministic) neely-yu *": "vs xmin",
	}
	for _, row := range rates.Rows {
		pair := row[0].Plain + " " + row[1].Plain
		if row[2].Plain == "soft" {
			continue
		}
		if row[2].Plain != want[pair] || row[3].Plain == "–" {
			t.Errorf("%s is measured %q: %s, want %q", pair, row[2].Plain, row[3].Plain, want[pair])
		}
		delete(want, pair)
	}
	if len(want) > 0 {
		t.Errorf("no rows for %v", want)
	}
	said := false
	for _, n := range rates.Notes {
		said = said || strings.Contains(n.Plain, "Claims about regret vs XE are judged by regret vs Xmax where")
	}
	if !said {
		t.Errorf("the notes do not say that xmax stands in: %v", rates.Notes)
	}
}
