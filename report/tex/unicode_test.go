package tex

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnicode(t *testing.T) {
	for src, want := range map[string]string{
		`$x_{\tau+1} \in \hat{X}^{\max}_\tau$`:                "x_(τ+1) ∈ X̂^max_τ",
		`$\mathcal{R}_t \le O(\sqrt{t})$, 50\,\% of $D$`:      "R_t ≤ O(√t), 50 % of D",
		`$\sum_{i \le t} g_i^{(j)}(x_i)$`:                     "Σ_(i ≤ t) g_i^(j)(x_i)",
		`$\frac{a+1}{\sqrt{x+y}}$`:                            "(a+1)/(√(x+y))",
		`\texttt{penalised-ftrl:gamma=25} -- \emph{no} \{1\}`: "penalised-ftrl:gamma=25 – no {1}",
		`\texttt{play -{}-horizon 9}, $\arg\min_x f$`:         "play --horizon 9, arg min_x f",
		`$\frac{1}{i}\sum_{k \le i} g_k$`:                     "(1/i)Σ_(k ≤ i) g_k",
		`C:\textbackslash{}x\textasciitilde{}1\_a`:            `C:\x~1_a`,
		`$[g]_{+}$ and $\|x\|^2$`:                             "[g]_+ and ‖x‖^2",
	} {
		if got := Unicode(src); got != want || LaTeX(src) != src {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}

// Lowered digits are formulas, and the sign after them is none of them.
func TestLowered(t *testing.T) {
	for k, r := range []rune("₀₁₂₃₄₅₆₇₈₉₊") {
		want := fmt.Sprintf("$_{%d}$", k)
		if r == '₊' {
			want = "[U+208A]"
		}
		if got := LaTeX(Escape(string(r))); got != want {
			t.Errorf("%c is spelled %s, want %s", r, got, want)
		}
	}
}

// Blanks before and behind the signs of scripts change nothing.
func TestBlanks(t *testing.T) {
	for _, src := range []string{`$x_{\tau+1}^2$`, `$\hat{X}^{\max}_\tau$`, `$O(\sqrt{t})$`,
		`$g_i^{(j)}(x_i)$`, `$[g]_{+}$`, `${x}^2$`, `$x^{ab}_{cd}$`} {
		for _, sign := range []string{"^", "_"} {
			spaced := strings.ReplaceAll(src, sign, " "+sign+" ")
			if got, want := Unicode(spaced), Unicode(src); got != want {
				t.Errorf("%s: %q, want %q", spaced, got, want)
			}
			if got, want := mustSet(t, spaced), mustSet(t, src); !near(got.Width, want.Width) ||
				len(got.ink) != len(want.ink) {
				t.Errorf("%s is %v wide, want %v", spaced, got.Width, want.Width)
			}
		}
	}
}

// A long SPEC may be broken behind its signs as long as more than 20 characters follow, and
// is otherwise what Escape makes of it. Its first character is never alone.
func TestProse(t *testing.T) {
	for src, want := range map[string]string{
		"short:a=1 words":                     "short:a=1 words",
		"penalised-ftrl:gamma=25,kappa=2":     "penalised-ftrl:| gamma=25,kappa=2",
		"x  aaaaaaaaaa:bbbbbbbbb":             "x aaaaaaaaaa:bbbbbbbbb",
		"aaaaaaaaaa:bbbbbbbbbb":               "aaaaaaaaaa:|bbbbbbbbbb",
		"a:bbbbbbbbbbbbbbbbbbbbbbbb=c;d/e":    "a:|bbbbbbbbbbbbbbbbbbbbbbbb=|c;d/e",
		"a,b=c;d/e_f:ggggggggggggggggggggggg": "a,|b=|c;|d/|e\\_|f:|ggggggggggggggggggggggg",
		":aaaaaaaaaaaaaaaaaaaaaaaaa:b":        ":aaaaaaaaaaaaaaaaaaaaaaaaa:|b",
	} {
		want = strings.NewReplacer("| ", `\allowbreak{}`, "|", `\allowbreak{}`).Replace(want)
		if got := Prose(src); got != want {
			t.Errorf("%s: %s, want %s", src, got, want)
		}
	}
}
