package report

import (
	"fmt"
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment/spec"
	"ocobench/report/table"
	"ocobench/stats"
	"strings"
	"testing"
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
	tables := SummaryTables(a)
	if len(tables) != 1 || len(tables[0].Rows) != len(a.Pairs) {
		t.Fatalf("%d tables, and %d rows for %d pairs", len(tables), len(tables[0].Rows), len(a.Pairs))
	}
	text := shownAt(t, tables, table.Width)
	for _, want := range []string{"at √t on iid?", "│ regret vs X̂max │",
		"and on no problem yu-neely, valls, ", "beside it the growth exponent"} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, row := range tables[0].Rows {
		p := a.Pair(row[0].Plain, "iid")
		if p == nil || row[3].Plain != shortExponent(p.Series["regret_xhat"]) ||
			!strings.HasPrefix(row[1].Plain, p.SqrtVerdict.Sign()) {
			t.Errorf("the line of %s is %v", row[0].Plain, row)
		}
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
		if text := shownAt(t, SummaryTables(a), 0); strings.Contains(text, "Broken bounds") {
			t.Errorf("a bound is broken in\n%s", text)
		}
		a.Pair("ogd", "iid").Regret.Bound.State = analysis.Broken
		want := "Broken bounds (1): " + a.Metric(a.Pair("ogd", "iid").Regret.Metric).Title +
			" of ogd on iid. Where: bench table broken --value bound."
		if text := shownAt(t, SummaryTables(a), 0); !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Of many algorithms the first tables are a ranking and the means. A naive count gives the same
// numbers, and the lines fit 100 characters.
func TestRankingMatchesNaiveCount(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: many\nhorizon: 100\nreplicates: 3\nproblems: "+
		"[{use: iid, dim: [1, 2]}, {use: shrinking}]\nalgorithms: [{use: ogd, step: [1, 2, 3, 4]}, "+
		"{use: primal-dual, step: [1, 2, 3]}, {use: penalised-ftrl}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	tables := SummaryTables(a)
	if len(tables) != 2 || len(tables[0].Rows) != 8 || len(tables[1].Blocks) != 2 {
		t.Fatalf("there are %d tables", len(tables))
	}
	whole := shownAt(t, []*table.Table{Ranking(a, a.Experiment.Baseline)}, 100)
	if !strings.Contains(whole, "With --all the differences on each problem follow.") ||
		!strings.Contains(whole, a.Experiment.Baseline) {
		t.Errorf("the ranking of a comparison does not say where the differences are:\n%s", whole)
	}
	before, rankBefore := 99, 0.0
	for _, row := range tables[0].Rows {
		keeps, signs, mean := 0, "", 0.0
		for _, problem := range a.Problems {
			p := a.Pair(row[0].Plain, problem.Spec)
			if p == nil {
				signs += "·"
				continue
			}
			signs += p.SqrtVerdict.Sign()
			if p.SqrtVerdict == stats.AtMost {
				keeps++
			}
		}
		if want := fmt.Sprintf("%d: %s", keeps, signs); row[1].Plain != want {
			t.Errorf("%s keeps %q, want %q", row[0].Plain, row[1].Plain, want)
		}
		for k, m := range []string{"regret_xhat", "violation_soft"} {
			for _, r := range a.Ranks {
				if r.Problem == "" && r.Algorithm == row[0].Plain && string(r.Metric) == m {
					mean += float64(r.Rank.Value)
					if want := fmt.Sprintf("%.2f", float64(r.Rank.Value)); !strings.HasPrefix(row[2+2*k].Plain,
						want) {
						t.Errorf("%s has the rank %q by %s, want %s", row[0].Plain, row[2+2*k].Plain, m, want)
					}
				}
			}
		}
		if keeps > before || keeps == before && mean < rankBefore-1e-9 {
			t.Errorf("%s comes after one with %d problems and the ranks %v", row[0].Plain, before,
				rankBefore)
		}
		before, rankBefore = keeps, mean
		if base := row[3].Plain == "baseline"; base != (row[0].Plain == a.Experiment.Baseline) {
			t.Errorf("%s: %q", row[0].Plain, row[3].Plain)
		}
	}
	for line := range strings.Lines(shownAt(t, tables, 100)) {
		if n := characters(strings.TrimSpace(line)); n > 100 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

// A note says what "less, more" means where a column is headed so, and nowhere else: for a
// comparison of regret and violation, of one of them, and of neither.
func TestRankingExplainsItsColumns(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: two\nhorizon: 60\nreplicates: 2\nproblems: [{use: "+
		"iid}]\nalgorithms: [{use: ogd}, {use: primal-dual}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	const words = "less, more"
	for k, metrics := range [][]algorithms.Metric{{a.Focus.Regret, a.Focus.Violation},
		{a.Focus.Regret}, {a.Focus.Violation}, {algorithms.HardViolation}} {
		a.Comparisons.Metrics = metrics
		tab := Ranking(a, a.Experiment.Baseline)
		columns, notes := 0, 0
		for _, h := range tab.Columns {
			if h.Name.Plain == words {
				columns++
			}
		}
		for _, n := range tab.Notes {
			if strings.HasPrefix(n.Plain, words) {
				notes++
			}
		}
		if want := []int{2, 1, 1, 0}[k]; columns != want || notes != min(want, 1) {
			t.Errorf("%v: %d columns and %d notes on %s", metrics, columns, notes, words)
		}
	}
}

// The answer of a pair names what is not shown to keep √t.
func TestBothVerdict(t *testing.T) {
	x := &view{Analysis: &analysis.Analysis{Focus: analysis.Focus{Regret: "regret_xhat",
		Violation: "violation_soft"}}}
	for _, c := range []struct {
		both, regret, violation stats.Verdict
		want                    string
	}{
		{stats.AtMost, stats.AtMost, stats.AtMost, "✓ both"},
		{stats.Above, stats.Above, stats.Undecided, "▲ regret"},
		{stats.Above, stats.AtMost, stats.Above, "▲ violation"},
		{stats.Undecided, stats.Undecided, stats.AtMost, "? regret"},
		{stats.Undecided, stats.Undecided, stats.Undecided, "? both"},
		{stats.Slowing, stats.Undecided, stats.Slowing, "△ violation"},
		{stats.TooLittle, stats.TooLittle, stats.AtMost, "–"},
		{"", "", stats.AtMost, "–"},
	} {
		p := &analysis.Pair{SqrtVerdict: c.both, Series: map[algorithms.Metric]*analysis.Series{
			"regret_xhat": {SqrtVerdict: c.regret}, "violation_soft": {SqrtVerdict: c.violation}}}
		if got := x.bothVerdict(p).Plain; got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
		p.Played, p.Replicates = 4, 9
		if got := x.bothVerdict(p).Plain; c.want != "–" && got != c.want+" (4 of 9)" {
			t.Errorf("%+v, of four replicates: %q", c, got)
		}
	}
}

// The tables of a run show twelve problems and count the others, whether the algorithms are few or
// many, and whether or not the problems are one sweep.
func TestManyProblemsEndWithACount(t *testing.T) {
	for _, c := range []struct{ problems, algorithms string }{
		{"[{use: iid, dim: [1, 2, 3, 4, 5, 6, 7]}, {use: fixed, dim: [1, 2, 3, 4, 5, 6, 7]}]",
			"[{use: ogd}, {use: primal-dual}]"},
		{"[{use: fixed, dim: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]}]",
			"[{use: ogd}, {use: primal-dual}]"},
		{"[{use: iid, dim: [1, 2, 3, 4, 5, 6, 7]}, {use: fixed, dim: [1, 2, 3, 4, 5, 6, 7]}]",
			"[{use: ogd, step: [1, 2, 3, 4, 5, 6, 7, 8]}]"},
	} {
		x, err := spec.Parse("e.yaml", []byte("name: long\nhorizon: 4\nreplicates: 2\nproblems: "+
			c.problems+"\nalgorithms: "+c.algorithms))
		if err != nil {
			t.Fatal(err)
		}
		a := analysed(t, x)
		for _, first := range SummaryTables(a) {
			text := ""
			for _, n := range first.Notes {
				text += n.Plain + "\n"
			}
			if !strings.Contains(text, "The files of tables have 2 more problems.") {
				t.Errorf("%s: the notes are\n%s", first.Title.Plain, text)
			}
			if len(first.Columns) > 13 {
				t.Errorf("%s: %d columns", first.Title.Plain, len(first.Columns))
			}
			for _, b := range first.Blocks {
				if len(b.Rows) > 12 {
					t.Errorf("%s: %d rows", first.Title.Plain, len(b.Rows))
				}
			}
		}
	}
}
