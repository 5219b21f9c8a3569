package claims

import "testing"

func TestNumbersOfFindingsAreWrittenAsInTables(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"in text", `490 and 9.2e+03 with`, `490 and $9200$ with`},
		{"in mathematics", `is $1.23e+07t$`, `is $1.23\cdot 10^{7}t$`},
		{"negative", `are -2.19e+03 and -2.2e-05`, `are $-2190$ and $-2.2\cdot 10^{-5}$`},
		{"value of a parameter", `\texttt{ogd:step=1e-05}`, `\texttt{ogd:step=1e-05}`},
		{"no number", `one of 3 at 10^3`, `one of 3 at 10^3`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := withoutE(c.text); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
