package table

import (
	"slices"
	"strings"
	"testing"
)

// A line of a cell ends between words, and not within a count of several, or between a sign and
// what it is of.
func TestCellBreaksOnlyBetweenTerms(t *testing.T) {
	for text, want := range map[string][]string{
		"-176k ± 15k (4 of 5)":   {"-176k", "± 15k", "(4 of 5)"},
		"1.26 (unresolved)":      {"1.26", "(unresolved)"},
		"3, 2 of 6":              {"3, 2 of 6"},
		"6: ✓✓▲?·":               {"6: ✓✓▲?·"},
		"✓ both":                 {"✓ both"},
		"△ violation":            {"△ violation"},
		"– too little evidence":  {"– too", "little", "evidence"},
		"t^0.46 ✓":               {"t^0.46 ✓"},
		"open ?":                 {"open ?"},
		"My Own Algorithm":       {"My", "Own", "Algorithm"},
		"t^0.39 [0.22, 0.56]":    {"t^0.39", "[0.22, 0.56]"},
		"a + b·t^0.73 transient": {"a + b·t^0.73", "transient"},
		"mean of, say, 2":        {"mean", "of,", "say, 2"},
	} {
		t.Run(text, func(t *testing.T) {
			if got := cellTerms(text); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", strings.Join(got, "|"), strings.Join(want, "|"))
			}
		})
	}
	var out strings.Builder
	table := &Table{Keys: 1, Columns: []Column{{Name: Plain("algorithm")},
		{Name: Plain("violation rank"), Align: Right}, {Name: Plain("less, more"), Align: Right}},
		Rows: [][]Text{{Plain("primal-dual"), Plain("10.3 ± 0.2"), Plain("3, 2 of 6")}}}
	if err := WriteTerminal(&out, table, 40); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, "3, 2 of 6 │") ||
		!strings.Contains(text, "violation │") {
		t.Errorf("in 40 characters: want terms whole, got\n%s", text)
	}
}
