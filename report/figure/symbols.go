package figure

// A class is the class of an atom in TeX, which determines the space around it.
//
// Reference: Knuth, The TeXbook, chapter 18 and appendix G.
type class byte

const (
	ord class = iota
	op
	bin
	rel
	open
	closing
	punct
	kern // an explicit space; the atoms beside it are spaced as if it were absent
)

// spacing[a][b] is the space between an atom of class a and one of class b: 1 thin, 2
// medium, 3 thick; a, b and c are the same outside of scripts, and 0 in scripts. The
// pairs marked * cannot occur.
var spacing = [7]string{
	ord:     "01bc000",
	op:      "11*c000",
	bin:     "bb**b**",
	rel:     "cc*0c00",
	open:    "00*0000",
	closing: "01bc000",
	punct:   "aa*aaaa",
}

// A symbol is a character with its class.
type symbol struct {
	char  rune
	class class
}

// symbols are the commands for one character.
var symbols = map[string]symbol{
	"alpha": {'α', ord}, "beta": {'β', ord}, "gamma": {'γ', ord}, "delta": {'δ', ord},
	"epsilon": {'ϵ', ord}, "varepsilon": {'ε', ord}, "zeta": {'ζ', ord}, "eta": {'η', ord},
	"theta": {'θ', ord}, "vartheta": {'ϑ', ord}, "iota": {'ι', ord}, "kappa": {'κ', ord},
	"lambda": {'λ', ord}, "mu": {'μ', ord}, "nu": {'ν', ord}, "xi": {'ξ', ord}, "pi": {'π', ord},
	"rho": {'ρ', ord}, "varrho": {'ϱ', ord}, "sigma": {'σ', ord}, "varsigma": {'ς', ord},
	"tau": {'τ', ord}, "upsilon": {'υ', ord}, "phi": {'ϕ', ord}, "varphi": {'φ', ord},
	"chi": {'χ', ord}, "psi": {'ψ', ord}, "omega": {'ω', ord},
	"Gamma": {'Γ', ord}, "Delta": {'Δ', ord}, "Theta": {'Θ', ord}, "Lambda": {'Λ', ord},
	"Xi": {'Ξ', ord}, "Pi": {'Π', ord}, "Sigma": {'Σ', ord}, "Upsilon": {'Υ', ord},
	"Phi": {'Φ', ord}, "Psi": {'Ψ', ord}, "Omega": {'Ω', ord},

	"infty": {'∞', ord}, "sum": {'∑', op}, "times": {'×', bin}, "cdot": {'⋅', bin},
	"le": {'≤', rel}, "ge": {'≥', rel}, "in": {'∈', rel},
	"{": {'{', open}, "}": {'}', closing},
}

// charClass is the class of the characters that are written as themselves and are
// not ord.
var charClass = func() map[rune]class {
	m := map[rune]class{
		'+': bin, '−': bin, '∗': bin, '=': rel, '<': rel, '>': rel, ':': rel,
		'(': open, '[': open, ')': closing, ']': closing, '?': closing, '!': closing,
		',': punct, ';': punct,
	}
	for _, s := range symbols {
		if s.char > 0x7f && s.class != ord {
			m[s.char] = s.class
		}
	}
	return m
}()

// operators are the commands for upright words.
var operators = map[string]bool{"log": true, "max": true, "min": true}

// spaces are kerns, in 18ths of an em.
var spaces = map[string]float64{",": 3, ";": 5, " ": 6}

// textSymbols are the commands for characters that are syntax in text.
var textSymbols = map[string]string{
	"%": "%", "&": "&", "#": "#", "$": "$", "_": "_", "{": "{", "}": "}",
	"textbackslash": `\`, "textasciitilde": "~",
}

// alphabets have the first capital and the first small letter of the alphabets of
// commands.
var alphabets = map[string][2]rune{
	"mathcal": {'𝒜', '𝒶'},
	"mathbb":  {'𝔸', '𝕒'},
}

// letterElsewhere are the letters that Unicode has outside its block of
// mathematical alphabets.
var letterElsewhere = map[rune]rune{
	0x1D455: 'ℎ',
	0x1D49D: 'ℬ', 0x1D4A0: 'ℰ', 0x1D4A1: 'ℱ', 0x1D4A3: 'ℋ', 0x1D4A4: 'ℐ', 0x1D4A7: 'ℒ', 0x1D4A8: 'ℳ', 0x1D4AD: 'ℛ',
	0x1D53A: 'ℂ', 0x1D53F: 'ℍ', 0x1D545: 'ℕ', 0x1D547: 'ℙ', 0x1D548: 'ℚ', 0x1D549: 'ℝ', 0x1D551: 'ℤ',
}

// inAlphabet returns the letter r in an alphabet with these first letters, and other
// characters unchanged.
func inAlphabet(r rune, first [2]rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		r = first[0] + r - 'A'
	case 'a' <= r && r <= 'z':
		r = first[1] + r - 'a'
	}
	if e, ok := letterElsewhere[r]; ok {
		return e
	}
	return r
}

// mathChar returns the character for r in mathematics: italic letters and small
// Greek letters, a minus for a hyphen.
func mathChar(r rune) rune {
	switch r {
	case '-':
		return '−'
	case '*':
		return '∗'
	case '\'':
		return '′'
	case 'ϵ':
		return '𝜖'
	case 'ϑ':
		return '𝜗'
	case 'ϕ':
		return '𝜙'
	case 'ϱ':
		return '𝜚'
	}
	if 'α' <= r && r <= 'ω' {
		return '𝛼' + r - 'α'
	}
	return inAlphabet(r, [2]rune{'𝐴', '𝑎'}) // italics
}
