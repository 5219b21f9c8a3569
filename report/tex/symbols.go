package tex

// The one table of symbols: what a command is in formulas, in Unicode, in the fonts of
// figures and, read backwards, how LaTeX spells a character. A new symbol is one row.

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

// A symbol is a command of formulas for one character, with its class. Unicode text has
// another character where plain is given.
type symbol struct {
	name  string
	char  rune
	class class
	plain rune
}

// symbols are in this order where LaTeX may spell a character by several.
var symbols = []symbol{
	{name: "alpha", char: 'α'}, {name: "beta", char: 'β'}, {name: "gamma", char: 'γ'},
	{name: "delta", char: 'δ'}, {name: "epsilon", char: 'ϵ', plain: 'ε'},
	{name: "varepsilon", char: 'ε'}, {name: "zeta", char: 'ζ'}, {name: "eta", char: 'η'},
	{name: "theta", char: 'θ'}, {name: "vartheta", char: 'ϑ'}, {name: "iota", char: 'ι'},
	{name: "kappa", char: 'κ'}, {name: "lambda", char: 'λ'}, {name: "mu", char: 'μ'},
	{name: "nu", char: 'ν'}, {name: "xi", char: 'ξ'}, {name: "pi", char: 'π'},
	{name: "rho", char: 'ρ'}, {name: "varrho", char: 'ϱ'}, {name: "sigma", char: 'σ'},
	{name: "varsigma", char: 'ς'}, {name: "tau", char: 'τ'}, {name: "upsilon", char: 'υ'},
	{name: "phi", char: 'ϕ', plain: 'φ'}, {name: "varphi", char: 'φ'}, {name: "chi", char: 'χ'},
	{name: "psi", char: 'ψ'}, {name: "omega", char: 'ω'},
	{name: "Gamma", char: 'Γ'}, {name: "Delta", char: 'Δ'}, {name: "Theta", char: 'Θ'},
	{name: "Lambda", char: 'Λ'}, {name: "Xi", char: 'Ξ'}, {name: "Pi", char: 'Π'},
	{name: "Sigma", char: 'Σ'}, {name: "Upsilon", char: 'Υ'}, {name: "Phi", char: 'Φ'},
	{name: "Psi", char: 'Ψ'}, {name: "Omega", char: 'Ω'},

	{name: "infty", char: '∞'}, {name: "emptyset", char: '∅'}, {name: "forall", char: '∀'},
	{name: "exists", char: '∃'}, {name: "neg", char: '¬'}, {name: "partial", char: '∂'},
	{name: "nabla", char: '∇'}, {name: "surd", char: '√'}, {name: "ell", char: 'ℓ'},
	{name: "top", char: '⊤', plain: 'ᵀ'}, {name: "ldots", char: '…'}, {name: "dots", char: '…'},
	{name: "|", char: '‖'}, {name: "Vert", char: '‖'},

	{name: "sum", char: '∑', class: op, plain: 'Σ'},
	{name: "prod", char: '∏', class: op, plain: 'Π'}, {name: "int", char: '∫', class: op},

	{name: "times", char: '×', class: bin}, {name: "div", char: '÷', class: bin},
	{name: "cdot", char: '⋅', class: bin, plain: '·'}, {name: "ast", char: '∗', class: bin},
	{name: "circ", char: '∘', class: bin}, {name: "pm", char: '±', class: bin},
	{name: "mp", char: '∓', class: bin}, {name: "cap", char: '∩', class: bin},
	{name: "cup", char: '∪', class: bin}, {name: "setminus", char: '∖', class: bin},
	{name: "wedge", char: '∧', class: bin}, {name: "vee", char: '∨', class: bin},

	{name: "le", char: '≤', class: rel}, {name: "ge", char: '≥', class: rel},
	{name: "ne", char: '≠', class: rel}, {name: "approx", char: '≈', class: rel},
	{name: "sim", char: '∼', class: rel}, {name: "equiv", char: '≡', class: rel},
	{name: "propto", char: '∝', class: rel}, {name: "ll", char: '≪', class: rel},
	{name: "gg", char: '≫', class: rel}, {name: "in", char: '∈', class: rel},
	{name: "notin", char: '∉', class: rel}, {name: "subset", char: '⊂', class: rel},
	{name: "subseteq", char: '⊆', class: rel}, {name: "supseteq", char: '⊇', class: rel},
	{name: "mid", char: '∣', class: rel, plain: '|'},
	{name: "rightarrow", char: '→', class: rel}, {name: "to", char: '→', class: rel},
	{name: "leftarrow", char: '←', class: rel}, {name: "leftrightarrow", char: '↔', class: rel},
	{name: "Rightarrow", char: '⇒', class: rel}, {name: "uparrow", char: '↑', class: rel},
	{name: "downarrow", char: '↓', class: rel},

	{name: "{", char: '{', class: open}, {name: "}", char: '}', class: closing},
	{name: "langle", char: '⟨', class: open}, {name: "rangle", char: '⟩', class: closing},
	{name: "lfloor", char: '⌊', class: open}, {name: "rfloor", char: '⌋', class: closing},
	{name: "lceil", char: '⌈', class: open}, {name: "rceil", char: '⌉', class: closing},
	{name: "%", char: '%'}, {name: "&", char: '&'}, {name: "#", char: '#'},
	{name: "$", char: '$'}, {name: "_", char: '_'},
}

// symbolNamed has the symbols by the names of their commands, symbolOf by characters.
var symbolNamed, symbolOf = func() (map[string]symbol, map[rune]symbol) {
	named, of := make(map[string]symbol), make(map[rune]symbol)
	add := func(r rune, s symbol) {
		if _, known := of[r]; !known && r > '~' {
			of[r] = s
		}
	}
	for _, s := range symbols {
		named[s.name] = s
		add(s.char, s)
	}
	for _, s := range symbols {
		add(s.plain, s)
	}
	return named, of
}()

// classOf is the class of a character that is written as itself.
func classOf(r rune) class {
	switch r {
	case '+', '−', '∗':
		return bin
	case '=', '<', '>', ':':
		return rel
	case '(', '[':
		return open
	case ')', ']', '?', '!':
		return closing
	case ',', ';':
		return punct
	}
	return symbolOf[r].class
}

// operators are the commands for upright words, as Unicode has them.
var operators = map[string]string{
	"log": "log", "max": "max", "min": "min", "exp": "exp", "cos": "cos", "sin": "sin",
	"sup": "sup", "inf": "inf", "lim": "lim", "limsup": "lim sup", "liminf": "lim inf", "arg": "arg ",
}

// spaces are kerns, in 18ths of an em. Unicode has a blank for those of 3 or more.
var spaces = map[string]float64{",": 3, ":": 4, ";": 5, " ": 6, "quad": 18, "!": -3}

// unseen are the commands that no output but LaTeX follows: sizes of brackets, and
// places where a line may break.
var unseen = map[string]bool{
	"left": true, "right": true, "big": true, "Big": true, "bigl": true, "bigr": true,
	"displaystyle": true, "-": true, "allowbreak": true,
}

// accents are the commands for combining characters.
var accents = map[string]rune{"hat": '\u0302', "bar": '\u0304'}

// upright and quoted are the commands whose argument is set upright in formulas, and
// those whose argument is text.
var (
	upright = map[string]bool{"mathrm": true, "operatorname": true}
	quoted  = map[string]bool{
		"text": true, "mbox": true, "emph": true, "texttt": true, "textbf": true,
	}
)

// fractions are the commands with a numerator and a denominator.
var fractions = map[string]bool{"frac": true, "tfrac": true, "dfrac": true}

// textChars are the commands of text for characters.
var textChars = map[string]rune{
	"%": '%', "&": '&', "#": '#', "$": '$', "_": '_', "{": '{', "}": '}',
	"textbackslash": '\\', "textasciitilde": '~', "textasciicircum": '^', "textless": '<',
	"textgreater": '>', "textbar": '|', "textquotedbl": '"', "textasciigrave": '`',
	"textquotesingle": '\'',

	"textendash": '–', "textemdash": '—', "ldots": '…', "textbullet": '•',
	"textquoteleft": '‘', "textquoteright": '’', "textquotedblleft": '“',
	"textquotedblright": '”', "S": '§', "P": '¶', "textdegree": '°', "texteuro": '€',
	"dag": '†', "ddag": '‡',
}

// textName is textChars the other way round.
var textName = func() map[rune]string {
	names := make(map[rune]string)
	for name, r := range textChars {
		names[r] = name
	}
	return names
}()

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
	0x1D49D: 'ℬ', 0x1D4A0: 'ℰ', 0x1D4A1: 'ℱ', 0x1D4A3: 'ℋ', 0x1D4A4: 'ℐ', 0x1D4A7: 'ℒ',
	0x1D4A8: 'ℳ', 0x1D4AD: 'ℛ',
	0x1D53A: 'ℂ', 0x1D53F: 'ℍ', 0x1D545: 'ℕ', 0x1D547: 'ℙ', 0x1D548: 'ℚ', 0x1D549: 'ℝ',
	0x1D551: 'ℤ',
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

// paramSymbols are the symbols of the literature for parameters, by their names.
var paramSymbols = map[string]string{
	"gamma": `\gamma`, "gamma0": `\gamma_0`, "kappa": `\kappa`, "alpha": `\alpha`,
	"alpha0": `\alpha_0`, "beta": `\beta`, "eta": `\eta`, "epsilon": `\epsilon`, "rho": `\rho`,
	"lambda": `\lambda`, "dim": "n", "constraints": "m", "x0": "x_0",
}
