package report

import (
	"ocobench/report/table"
	"strings"
	"testing"
)

// A swept algorithm is among its rivals: it and no sweep have a block for each problem.
func TestFinalsHaveTheShapeOfTheSweep(t *testing.T) {
	for _, c := range []struct {
		name, problems, algorithms string
		titles, columns            []string
		blocks                     []int
	}{
		{"of an algorithm", "[{use: iid}, {use: fixed}]", "[{use: primal-dual, step: [1, 5]}]",
			[]string{"T = 20, experiment", "compared with primal-dual:step=1 by step of primal-dual"},
			[]string{"algorithm, regret vs X̂max, soft violation", "problem, step = 1, step = 5"},
			[]int{2, 2}},
		{"of both", "[{use: iid, dim: [1, 2]}]", "[{use: primal-dual, step: [1, 5]}]",
			[]string{"by dim of iid", "compared with primal-dual:step=1 by dim of iid"},
			[]string{"algorithm, dim = 1, dim = 2", "algorithm, dim = 1, dim = 2"}, []int{2, 2}},
		{"of a part", "[{use: iid, dim: [1, 2], constraints: 2}, {use: fixed}]", "[{use: ogd}]",
			[]string{"by dim of iid:constraints=2", "T = 20, experiment"},
			[]string{"algorithm, dim = 1, dim = 2", "algorithm, regret vs X̂max, soft violation"},
			[]int{2, 1}},
		{"of words", "[{use: perturbed, noise: [iid, drift]}]", "[{use: penalised-ftrl}]",
			[]string{"by noise of perturbed"}, []string{"algorithm, noise = iid, noise = drift"}, []int{3}},
		{"of two parameters", "[{use: iid, dim: [1, 2], constraints: [1, 2]}]", "[{use: ogd}]",
			[]string{"T = 20, experiment"}, []string{"algorithm, regret vs X̂max, soft violation"},
			[]int{4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := parsedExperiment(t, "name: shapes\nhorizon: 20\nreplicates: 3\nproblems: "+
				c.problems+"\nalgorithms: "+c.algorithms)
			tables := finalTables(newAnalysisView(analysed(t, x)))
			if len(tables) != len(c.titles) {
				t.Fatalf("a sweep %s: got %d tables, want %d", c.name, len(tables), len(c.titles))
			}
			for k, tab := range tables {
				var columns []string
				for _, column := range tab.Columns {
					columns = append(columns, column.Name.Plain)
				}
				if got := strings.Join(columns, ", "); !strings.Contains(tab.Title.Plain, c.titles[k]) ||
					got != c.columns[k] || len(tab.Blocks) != c.blocks[k] {
					t.Errorf("a sweep %s: got %q with the columns %s and %d blocks, want %q, %s, %d", c.name,
						tab.Title.Plain, got, len(tab.Blocks), c.titles[k], c.columns[k], c.blocks[k])
				}
			}
		})
	}
}

// What was not played on any problem of a table or figure is not in it, and where nothing was
// there is none: ftrl asks for fixed constraints.
func TestUnplayedAreNotShown(t *testing.T) {
	for algorithms, tables := range map[string]int{"{use: ftrl}": 1, "{use: ftrl}, {use: ogd}": 2} {
		t.Run(algorithms, func(t *testing.T) {
			x := parsedExperiment(t, "name: absent\nhorizon: 20\nreplicates: 3\nproblems: "+
				"[{use: iid, dim: [1, 2]}, {use: fixed}]\nalgorithms: ["+algorithms+"]")
			a := analysed(t, x)
			finals := finalTables(newAnalysisView(a))
			if len(finals) != tables {
				t.Errorf("there are %d tables, want %d", len(finals), tables)
			}
			for _, tab := range finals {
				text := shownAt(t, []*table.Table{tab}, 100)
				if strings.Contains(text, "not played") || !strings.Contains(text, "│ ogd ") && tables == 2 ||
					strings.Contains(text, "│ ftrl ") == strings.Contains(text, "by dim of iid") {
					t.Errorf("got\n%s\nwant only what was played", text)
				}
			}
			for _, f := range newAnalysisView(a).figures(withBounds) {
				if strings.HasPrefix(f.name, "problem-iid") && tables == 1 {
					t.Errorf("got a figure %s, want none", f.name)
				}
				for _, p := range f.figure.Panels {
					if len(p.Series) == 0 {
						t.Errorf("figure %s: got a panel without a curve, want none", f.name)
					}
				}
			}
		})
	}
}

// A caption is TeX, or plain text with formulas, or plain text.
func TestCaptionIsTeXOrPlain(t *testing.T) {
	for text, want := range map[string]table.Text{
		"Regret & 5 %":          table.Plain("Regret & 5 %"),
		`A \& $V_T$`:            {Plain: "A & V_T", TeX: `A \& $V_T$`},
		"A & $V_T$ at 50 % of":  {Plain: "A & V_T at 50 % of", TeX: `A \& $V_T$ at 50 \% of`},
		"$x$ & $y$":             {Plain: "x & y", TeX: `$x$ \& $y$`},
		"5 $":                   table.Plain("5 $"),
		`of $\nosuchthing$ & a`: table.Plain(`of $\nosuchthing$ & a`),
	} {
		t.Run(text, func(t *testing.T) {
			if got := ParseCaption(text); got.Plain != want.Plain || got.TeX != want.TeX {
				t.Errorf("%q: %+v, want %+v", text, got, want)
			}
		})
	}
}

// A claim about regret against X^E is judged by X^E if the problem knows it, and by
// X^max otherwise, with a note. Other claims are judged by their own sets.
func TestRatesNameTheSetThatStandsIn(t *testing.T) {
	e := parsedExperiment(t, "name: sets\nhorizon: 200\nreplicates: 2\nassumptions: "+
		"ignore\n"+
		"problems: [{use: iid}, {use: shrinking}]\nalgorithms: [{use: yu-neely-wei}, {use: neely-yu}]")
	a := analysed(t, e)
	rates := rateTables(newAnalysisView(a))[0]
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
		t.Errorf("got notes %v, want one that xmax stands in", rates.Notes)
	}
}
