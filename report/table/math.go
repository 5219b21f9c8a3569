package table

import (
	"regexp"
	"strings"
)

// TeX returns a text with mathematics: the TeX as it is for LaTeX, and for the other
// formats the same in Unicode, such as "x ∈ X̂^max_t" of `$x \in \hat{X}^{\max}_t$`. It
// knows the commands that the texts of this program need; the plain form of another
// begins with a backslash, which a test of the texts finds.
func TeX(src string) Text {
	plain := src
	for _, p := range texPatterns {
		for before := ""; before != plain; { // arguments may be nested
			before, plain = plain, p.pattern.ReplaceAllString(plain, p.with)
		}
	}
	plain = texWords.ReplaceAllStringFunc(plain, func(command string) string {
		if s, ok := texSigns[command[1:]]; ok {
			return s
		}
		return command
	})
	return Text{Plain: oneLine(texBraces.Replace(plain)), TeX: src}
}

// texPatterns are replaced first, in this order.
var texPatterns = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\{\}`), "\x05"}, // parts characters, as in -{}-
	{regexp.MustCompile(`\\(?:emph|texttt|textbf|mathcal|mathbb|mathrm|text|operatorname)\{([^{}]*)\}`), "$1"},
	{regexp.MustCompile(`\\hat\{?([A-Za-z])\}?`), "$1\u0302"},
	{regexp.MustCompile(`\\bar\{?([A-Za-z])\}?`), "$1\u0304"},
	{regexp.MustCompile(`\\sqrt\{(\\?[A-Za-z0-9]+)\}`), "√$1"},
	{regexp.MustCompile(`\\sqrt\{([^{}]*)\}`), "√($1)"},
	{regexp.MustCompile(`\\sqrt ?([A-Za-z0-9])`), "√$1"},
	{regexp.MustCompile(`\\[td]?frac\{(\\?[A-Za-z0-9]+)\}\{(\\?[A-Za-z0-9]+)\}`), "($1/$2)"},
	{regexp.MustCompile(`\\[td]?frac\{([^{}]*)\}\{([^{}]*)\}`), "($1)/($2)"},
	{regexp.MustCompile(`([\^_])\{(\\?[A-Za-z0-9]+|\([A-Za-z]\)|[+*])\}`), "$1$2"},
	{regexp.MustCompile(`([\^_])\{([^{}]*)\}`), "$1($2)"},
}

var texWords = regexp.MustCompile(`\\(?:[A-Za-z]+|[,;:! \\|{}%&#$_-])`)

// texSigns are the commands for a sign or a word.
var texSigns = map[string]string{
	"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
	"theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
	"tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ",
	"Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω", "Pi": "Π",
	"le": "≤", "ge": "≥", "ne": "≠", "approx": "≈", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "supseteq": "⊇",
	"cap": "∩", "cup": "∪", "setminus": "∖", "emptyset": "∅", "infty": "∞", "sum": "Σ", "prod": "Π", "int": "∫",
	"to": "→", "Rightarrow": "⇒", "forall": "∀", "exists": "∃", "partial": "∂", "nabla": "∇", "cdot": "·", "times": "×",
	"pm": "±", "ll": "≪", "gg": "≫", "sim": "∼", "ldots": "…", "dots": "…", "mid": "|", "ell": "ℓ", "top": "ᵀ",
	"min": "min", "max": "max", "arg": "arg ", "log": "log", "cos": "cos", "sin": "sin", "exp": "exp", "sup": "sup", "inf": "inf", "lim": "lim", "limsup": "lim sup", "liminf": "lim inf",
	"quad": " ", "left": "", "right": "", "big": "", "Big": "", "bigl": "", "bigr": "", "displaystyle": "",
	",": " ", ";": " ", ":": " ", " ": " ", "!": "", "-": "", "|": "‖", "{": "\x01", "}": "\x02",
	"%": "%", "&": "&", "#": "#", "$": "\x03", "_": "\x04",
	"textbackslash": "\x06", "textasciitilde": "\x07",
}

// texBraces removes the syntax that is left, and then writes the characters that stood
// for themselves.
var texBraces = strings.NewReplacer("{", "", "}", "", "$", "", "~", " ", "--", "–", "\x01", "{", "\x02", "}", "\x03", "$", "\x04", "_", "\x05", "", "\x06", `\`, "\x07", "~")
