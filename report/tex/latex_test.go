package tex

import (
	"strings"
	"testing"
)

// A character is spelled for text in a text, and in what is quoted in a formula, and for formulas
// in all else of a formula, however deep it stands.
func TestCharactersAreSpelledForTheirPlace(t *testing.T) {
	for c, spelled := range map[string][2]string{"α": {`$\alpha$`, `{\alpha}`},
		"≤": {`$\le$`, `{\le}`}, "é": {"é", `\mbox{é}`}, "😀": {"[U+1F600]", `\mbox{[U+1F600]}`}} {
		t.Run(c, func(t *testing.T) {
			text, formula := spelled[0], spelled[1]
			for place, want := range map[string]string{
				`a @ b`: text, `\emph{@}`: text, `\emph{$x$ @}`: text, `\textbf{\emph{@}}`: text,
				`$\text{@}$`: text, `$x^{\mbox{a @}}$`: text,
				`$x @$`: formula, `$x^{@}$`: formula, `$\hat{@}$`: formula, `$\frac{1}{\sqrt{@}}$`: formula,
				`\emph{$\hat{@}$}`: formula, `$\text{a $@$}$`: formula,
			} {
				if Check(strings.ReplaceAll(place, "@", "x")) != nil {
					t.Errorf("%s: got an error, want a source", place)
				}
				if got := LaTeX(strings.ReplaceAll(place, "@", c)); got != strings.ReplaceAll(place,
					"@", want) {
					t.Errorf("%s in %s is spelled %s, want %s", c, place, got, want)
				}
			}
		})
	}
}
