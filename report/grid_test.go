package report

import (
	"testing"

	"ocobench/report/table"
)

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
