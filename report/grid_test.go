package report

import (
	"slices"
	"testing"

	"ocobench/harness/experiment/spec"
	"ocobench/report/table"
)

// The notes on single pairs, whose signs stand in the cells, are the last ones of every table.
func TestNotesOnPairsAreLast(t *testing.T) {
	x, err := spec.Parse("e.yaml", []byte("name: e\nhorizon: 20\nreplicates: 2\nassumptions: ignore\n"+
		"problems: [{use: iid}]\nalgorithms: [{use: yu-neely}, {use: ogd}]"))
	if err != nil {
		t.Fatal(err)
	}
	a := analysed(t, x)
	a.Focus.Notes = []string{"planted"}
	of, found := subjectOf(a), make(map[string]bool)
	onPair := func(n table.Text) bool {
		return slices.ContainsFunc(slices.Concat(of.marks, of.pairNotes),
			func(m table.Text) bool { return m.Plain == n.Plain && m.TeX == n.TeX })
	}
	for _, named := range tablesOf(of, of.metrics, of.glance) {
		for _, tab := range named.build() {
			if first := slices.IndexFunc(tab.Notes, onPair); first >= 0 {
				found[named.name] = found[named.name] || slices.ContainsFunc(tab.Notes[:first],
					func(n table.Text) bool { return n.Plain == "planted" })
				for _, n := range tab.Notes[first:] {
					if !onPair(n) {
						t.Errorf("table %s: %q is after the notes on pairs", named.name, n.Plain)
					}
				}
			}
		}
	}
	if !found["means"] || !found["finals"] || !found["exponents"] {
		t.Errorf("%v: have they the planted note before those on pairs?", found)
	}
}

// A caption is TeX, or plain text with formulas, or plain text.
func TestCaptioned(t *testing.T) {
	for text, want := range map[string]table.Text{
		"Regret & 5 %":          table.Plain("Regret & 5 %"),
		`A \& $V_T$`:            {Plain: "A & V_T", TeX: `A \& $V_T$`},
		"A & $V_T$ at 50 % of":  {Plain: "A & V_T at 50 % of", TeX: `A \& $V_T$ at 50 \% of`},
		"$x$ & $y$":             {Plain: "x & y", TeX: `$x$ \& $y$`},
		"5 $":                   table.Plain("5 $"),
		`of $\nosuchthing$ & a`: table.Plain(`of $\nosuchthing$ & a`),
	} {
		if got := captioned(text); got.Plain != want.Plain || got.TeX != want.TeX {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
