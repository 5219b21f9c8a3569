package tex

import (
	"reflect"
	"strings"
	"testing"
)

// uprightGreek has Greek letters as a figure draws them in text.
var uprightGreek = strings.NewReplacer(`$\lambda$`, "λ", `$\alpha$`, "α", `$\chi$`, "χ")

// A superscript or a subscript of Unicode is set as the script that it is, in LaTeX and in figures.
func TestScriptCharactersAreSetAsScripts(t *testing.T) {
	for label, want := range map[string]string{
		"λ₁":         `$\lambda$$_{1}$`,
		"10⁻³":       "10$^{-3}$",
		"10⁺¹²³⁴ m²": "10$^{+1234}$ m$^{2}$",
		"xₜ₊₁²":      "x$_{t+1}$$^{2}$",
		"αᵢⱼ, χᵦ":    `$\alpha$$_{ij}$, $\chi$$_{\beta}$`,
		"Aᵀ xⁿ⁽ᵏ⁾":   "A$^{T}$ x$^{n(k)}$",
		"₀₁₂₃₄₅₆₇₈₉": "$_{0123456789}$",
		"a² ³":       "a$^{2}$ $^{3}$",
		"H₂O":        "H$_{2}$O",
	} {
		t.Run(label, func(t *testing.T) {
			src := Escape(label)
			if got := LaTeX(src); got != want {
				t.Errorf("it is spelled %s, want %s", got, want)
			}
			drawn := uprightGreek.Replace(want)
			if got, want := mustSet(t, src), mustSet(t, drawn); !near(got.Width, want.Width) ||
				!near(got.Height, want.Height) || len(got.ink) != len(want.ink) {
				t.Errorf("it is drawn %v wide and %v high with %d glyphs, want %v, %v and %d", got.Width,
					got.Height, len(got.ink), want.Width, want.Height, len(want.ink))
			}
			if got := Unicode(src); got != label {
				t.Errorf("it is %q in a terminal, want %q", got, label)
			}
			if got := Missing(src); got != nil {
				t.Errorf("%q are missing, want none", got)
			}
		})
	}
}

// Every script that is listed is one of a character that LaTeX and the fonts have.
func TestScriptCharactersAreThere(t *testing.T) {
	for r, s := range scriptForms {
		if missing := Missing("$" + string(s.base) + "$"); missing != nil || s.base == 0 {
			t.Errorf("%c: got the base %c, which is missing, want it in the font", r, s.base)
		}
	}
}

func TestMissingNamesWhatNoFontHas(t *testing.T) {
	for label, want := range map[string]string{
		"ogd":                    "",
		"naïve Łódź – γ ≤ ½ ‖x‖": "",
		"метод λ₁":               "метод",
		"数据":                     "数据",
		"日本 日本":                  "日本",
		"😀 ok":                   "😀",
		"שלום":                   "שלום",
		"a\u0301":                "\u0301",
	} {
		t.Run(label, func(t *testing.T) {
			if got := Missing(Escape(label)); string(got) != want {
				t.Errorf("%q are missing, want %q", string(got), want)
			}
		})
	}
	if got := Missing(`$x \le \sqrt{y}$ \emph{数}`); !reflect.DeepEqual(got, []rune("数")) {
		t.Errorf("%q are missing in a quotation, want 数", got)
	}
}
