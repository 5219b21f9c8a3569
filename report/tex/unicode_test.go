package tex

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

func TestUnicodeReadsAsTheFormula(t *testing.T) {
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
		t.Run(src, func(t *testing.T) {
			if got := Unicode(src); got != want || LaTeX(src) != src {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// A long SPEC may be broken behind its signs as long as more than 20 characters follow, and
// is otherwise what Escape makes of it. Its first character is never alone.
func TestLongSpecBreaksBehindItsSigns(t *testing.T) {
	for src, want := range map[string]string{
		"short:a=1 words":                     "short:a=1 words",
		"penalised-ftrl:gamma=25,kappa=2":     "penalised-ftrl:| gamma=25,kappa=2",
		"x  aaaaaaaaaa:bbbbbbbbb":             "x aaaaaaaaaa:bbbbbbbbb",
		"aaaaaaaaaa:bbbbbbbbbb":               "aaaaaaaaaa:|bbbbbbbbbb",
		"a:bbbbbbbbbbbbbbbbbbbbbbbb=c;d/e":    "a:|bbbbbbbbbbbbbbbbbbbbbbbb=|c;d/e",
		"a,b=c;d/e_f:ggggggggggggggggggggggg": "a,|b=|c;|d/|e\\_|f:|ggggggggggggggggggggggg",
		":aaaaaaaaaaaaaaaaaaaaaaaaa:b":        ":aaaaaaaaaaaaaaaaaaaaaaaaa:|b",
	} {
		t.Run(src, func(t *testing.T) {
			want = strings.NewReplacer("| ", `\allowbreak{}`, "|", `\allowbreak{}`).Replace(want)
			if got := Prose(src); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// A formula in Unicode has brackets enough: read with the usual precedence, it has the value of
// the formula.
func TestUnicodeHasTheValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 3000 {
		src, want := drawSum(rng, 3)
		r := &sumReader{rest: []rune(Unicode("$" + src + "$"))}
		if got := r.sum(); len(r.rest) > 0 || math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Fatalf("%s is %v, and %s is read as %v, up to %q", src, want, Unicode("$"+src+"$"), got,
				string(r.rest))
		}
	}
}

// drawSum draws a sum in TeX, and its value. The letter a is 1.1, b is 1.2 and so on.
func drawSum(rng *rand.Rand, depth int) (src string, value float64) {
	for k := range 1 + rng.IntN(3) {
		if k > 0 {
			src += "+"
		}
		kind := rng.IntN(6)
		if depth == 0 {
			kind = 0
		}
		letter := rng.IntN(5)
		v := 1.1 + 0.1*float64(letter)
		name := string(rune('a' + letter))
		inner, x := "", 0.0
		if kind > 0 {
			inner, x = drawSum(rng, depth-1)
		}
		switch kind {
		case 0:
			src += name
		case 1:
			below, y := drawSum(rng, depth-1)
			src, v = src+`\frac{`+inner+"}{"+below+"}", x/y
		case 2:
			src, v = src+`\sqrt{`+inner+"}", math.Sqrt(x)
		case 3:
			src, v = src+name+"^{"+inner+"}", math.Pow(v, x)
		case 4:
			src, v = src+"("+inner+")", x
		case 5:
			src, v = src+`\mathrm{`+name+"}^"+"2", v*v
		}
		value += v
	}
	return src, value
}

// sumReader evaluates a sum in Unicode, with the usual precedence.
type sumReader struct{ rest []rune }

// takes reports whether the character c comes next, and moves beyond it.
func (r *sumReader) takes(c rune) bool {
	if len(r.rest) == 0 || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// sum reads terms with + between them.
func (r *sumReader) sum() float64 {
	v := r.quotient()
	for r.takes('+') {
		v += r.quotient()
	}
	return v
}

// quotient reads powers with / between them.
func (r *sumReader) quotient() float64 {
	v := r.power()
	for r.takes('/') {
		v /= r.power()
	}
	return v
}

// power reads an atom with or without an exponent.
func (r *sumReader) power() float64 {
	v := r.atom()
	if r.takes('^') {
		v = math.Pow(v, r.atom())
	}
	return v
}

// atom reads a root, brackets, a letter or the number 2.
func (r *sumReader) atom() float64 {
	switch {
	case r.takes('√'):
		return math.Sqrt(r.atom())
	case r.takes('('):
		v := r.sum()
		if !r.takes(')') {
			return math.NaN()
		}
		return v
	case len(r.rest) > 0 && unicode.IsLetter(r.rest[0]):
		v := 1.1 + 0.1*float64(r.rest[0]-'a')
		r.rest = r.rest[1:]
		return v
	case r.takes('2'):
		return 2
	}
	return math.NaN()
}

// TestFormulasInUnicodeAreLaTeX: formulas as definitions have them.
func TestFormulasInUnicodeAreLaTeX(t *testing.T) {
	for in, want := range map[string]string{
		"$x ≤ y$ and 50% of $z$": `$x \le y$ and 50\% of $z$`,
		"$f_t(x) = −(d + loss-noise·v_t)·x$": `$f_t(x) = ` +
			`-(d + \text{loss-noise}\cdot v_t)\cdot x$`,
		"$√S_t + √S_{t−1}·x$":          `$\sqrt{S_t} + \sqrt{S_{t-1}}\cdot x$`,
		"$√(1 + (a + b)²),  √n$":       `$\sqrt{1 + (a + b)²}, \quad \sqrt{n}$`,
		"$D = {x: ‖x‖ ≤ R} ⊆ ℝ^{n}$":   `$D = \{x: \Vert x\Vert \le R\} \subseteq \mathbb{R}^{n}$`,
		"$argmin_{x∈D} Σ_i ā_i·xᵀx$":   `$\operatorname{argmin}_{x\in D} \sum _i \bar{a}_i\cdot x^\top x$`,
		"$(t mod P)·max_i X̂_i·log t$": `$(t \:\text{mod}\: P)\cdot \max _i \hat{X}_i\cdot \log t$`,
	} {
		t.Run(in, func(t *testing.T) {
			if got := OfText(in); got != want {
				t.Errorf("%s is\n%s, want\n%s", in, got, want)
			}
			if err := Check(want); err != nil {
				t.Errorf("%s: %v", want, err)
			}
		})
	}
}

// A definition of another program may lack brackets. It is written somehow, and does not panic.
func TestFormulasWithUnclosedBracketsAreWritten(t *testing.T) {
	for in, want := range map[string]string{
		"$√($": `$\sqrt{}$`, "$x = {$": `$x = \{\}$`, "$√x_{$": `$\sqrt{x_{}$`, "$√($ and": `$\sqrt{}$ and`,
	} {
		t.Run(in, func(t *testing.T) {
			if got := OfText(in); got != want {
				t.Errorf("the source is %s, want %s", got, want)
			}
		})
	}
}
