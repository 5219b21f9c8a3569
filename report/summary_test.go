package report

import (
	"fmt"
	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/table"
	"ocobench/stats"
	"strings"
	"testing"
)

// Of many algorithms the first tables are a ranking and the means. A naive count gives the same
// numbers, and the lines fit 100 characters.
func TestRankingMatchesNaiveCount(t *testing.T) {
	x := parsedExperiment(t, "name: many\nhorizon: 100\nreplicates: 3\nproblems: "+
		"[{use: iid, dim: [1, 2]}, {use: shrinking}]\nalgorithms: [{use: ogd, step: [1, 2, 3, 4]}, "+
		"{use: primal-dual, step: [1, 2, 3]}, {use: penalised-ftrl}]")
	a := analysed(t, x)
	tables := newAnalysisView(a).summaryTables()
	if len(tables) != 2 || len(tables[0].Rows) != 8 || len(tables[1].Blocks) != 2 {
		t.Fatalf("got %d tables, want two, of 8 rows and of 2 blocks", len(tables))
	}
	whole := shownAt(t, []*table.Table{RankingTable(a, a.Experiment.Baseline)}, 100)
	if !strings.Contains(whole, "With --all the differences on each problem follow.") ||
		!strings.Contains(whole, a.Experiment.Baseline) {
		t.Errorf("got\n%s\nwant where the differences are, and the baseline", whole)
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
			t.Errorf("got %s after one with %d problems and the ranks %v, want it before", row[0].Plain,
				before, rankBefore)
		}
		before, rankBefore = keeps, mean
		if base := row[3].Plain == "baseline"; base != (row[0].Plain == a.Experiment.Baseline) {
			t.Errorf("%s: got %q, want baseline in the row of %s", row[0].Plain, row[3].Plain,
				a.Experiment.Baseline)
		}
	}
	for line := range strings.Lines(shownAt(t, tables, 100)) {
		if n := characters(strings.TrimSpace(line)); n > 100 {
			t.Errorf("got %d characters, want at most 100: %s", n, line)
		}
	}
}

// The answer of a pair names what is not shown to keep √t.
func TestBothVerdictNamesWhatIsNotKept(t *testing.T) {
	v := &analysisView{Analysis: &analysis.Analysis{Focus: analysis.Focus{Regret: "regret_xhat",
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
		if got := v.bothVerdict(p).Plain; got != c.want {
			t.Errorf("got %q, want that of %+v", got, c)
		}
		p.Played, p.Replicates = 4, 9
		if got := v.bothVerdict(p).Plain; c.want != "–" && got != c.want+" (4 of 9)" {
			t.Errorf("four replicates: got %q, want that of %+v, and their number", got, c)
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
		x := parsedExperiment(t, "name: long\nhorizon: 4\nreplicates: 2\nproblems: "+
			c.problems+"\nalgorithms: "+c.algorithms)
		a := analysed(t, x)
		for _, first := range newAnalysisView(a).summaryTables() {
			text := ""
			for _, n := range first.Notes {
				text += n.Plain + "\n"
			}
			if !strings.Contains(text, "The files of tables have 2 more problems.") {
				t.Errorf("%s: got the notes\n%s\nwant the number of other problems", first.Title.Plain, text)
			}
			if len(first.Columns) > 13 {
				t.Errorf("%s: got %d columns, want at most 13", first.Title.Plain, len(first.Columns))
			}
			for _, b := range first.Blocks {
				if len(b.Rows) > 12 {
					t.Errorf("%s: got %d rows, want at most 12", first.Title.Plain, len(b.Rows))
				}
			}
		}
	}
}
