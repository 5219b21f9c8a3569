package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/experiment/spec"
	"ocobench/problems"
	"ocobench/report/table"
	"ocobench/stats"
)

// A claim about regret against X^E is judged by X^E if the problem knows it, and by
// X^max otherwise, with a note. Other claims are judged by their own sets.
func TestRatesAgainstExpectation(t *testing.T) {
	e, err := spec.Parse("e.yaml", []byte("name: sets\nhorizon: 200\nreplicates: 2\nassumptions: "+
		"ignore\n"+
		"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: yu-neely-wei}, {use: neely-yu}]"))
	if err != nil {
		t.Fatal(err)
	}
	c := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	a, err := analysis.Of(t.Context(), c, play(t, t.TempDir(), c, e))
	if err != nil {
		t.Fatal(err)
	}
	rates := rates(subjectOf(a))[0].build()
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
		said = said || strings.Contains(n.Plain,
			"Claims about regret vs XE are judged by regret vs Xmax where")
	}
	if !said {
		t.Errorf("the notes do not say that xmax stands in: %v", rates.Notes)
	}
}

// Chance is said in numbers: with the confidence 0.9, one or more of 20 slopes
// are said to be above without being so in at most 5 % of tables, and two are said to be within.
func TestRatesChance(t *testing.T) {
	x := &subject{Analysis: &analysis.Analysis{Experiment: analysis.Experiment{Confidence: 0.9}}}
	text := ""
	for _, n := range (&tally{random: 20}).notes(x) {
		text += n.Plain
	}
	_, text, _ = strings.Cut(text, "By chance")
	want := []string{"20", fmt.Sprint(stats.Beyond), "5", fmt.Sprint(stats.Near), "2"}
	if got := regexp.MustCompile(`\d+(\.\d+)?`).FindAllString(text, -1); !slices.Equal(got, want) {
		t.Errorf("the numbers are %q, want %q: %s", got, want, text)
	}
}

// The growth of a claim that depends on how the rounds move is explained where there is one.
func TestRatesOfMotion(t *testing.T) {
	x := &subject{Analysis: &analysis.Analysis{Experiment: analysis.Experiment{Confidence: 0.9}}}
	for _, moves := range []bool{false, true} {
		explained := slices.ContainsFunc((&tally{moves: moves}).notes(x), func(n table.Text) bool {
			return strings.Contains(n.Plain, "P_t") && strings.Contains(n.Plain, "path length")
		})
		if explained != moves {
			t.Errorf("explained: %v, want %v", explained, moves)
		}
	}
}

// The notes explain the words that are measured, not those of a claim, and expect
// nothing of chance where no slope has a p-value.
func TestRatesNotes(t *testing.T) {
	e, err := spec.Parse("e.yaml", []byte("name: round\nhorizon: 1\nreplicates: 2\nproblems: [{use: "+
		"iid}]\nalgorithms: [{use: sinha-vaze}]"))
	if err != nil {
		t.Fatal(err)
	}
	c := experiment.Catalog{Algorithms: algorithms.All, Problems: problems.All}
	a, err := analysis.Of(t.Context(), c, play(t, t.TempDir(), c, e))
	if err != nil {
		t.Fatal(err)
	}
	rates := rates(subjectOf(a))[0].build()
	if got := rates.Rows[1][4].Plain; got != "t^0.5 log t" {
		t.Fatalf("the claim is %q", got)
	}
	for _, n := range rates.Notes {
		if strings.Contains(n.Plain, "a + b·log t") || strings.Contains(n.Plain, "By chance") {
			t.Errorf("a note says %q", n.Plain)
		}
	}
}
