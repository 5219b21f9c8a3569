package tex

import "testing"

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
