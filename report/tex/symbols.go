package tex

import (
	"slices"
	"strings"
)

// The one table of symbols: what a command is in formulas, in Unicode, in the fonts of
// figures and, read backwards, how LaTeX spells a character. A new symbol is one row.

// A class is the class of an atom in TeX, which determines the space around it.
//
// Reference: Knuth, The TeXbook, chapter 18 and appendix G.
type class byte

// The classes of atoms.
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

// spacing[a][b] is the space between an atom of class a and one of class b: 0 none, 1 thin, 2
// medium, 3 thick; a, b and c are 1, 2 and 3 outside of scripts, and 0 in scripts. The
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

// A symbol is a command of formulas for one character, with its class. Unicode text has the rune
// plain in place of char, the character of the fonts.
type symbol struct {
	name        string
	char, plain rune
	class       class
}

// symbols lists the names of symbols with their character and, if it differs, their plain
// character. If several names have one character, LaTeX spells it by the first.
var symbols = slices.Concat(
	parseSymbols(ord, `alpha α  beta β  gamma γ  delta δ  epsilon ϵε  varepsilon ε  zeta ζ  eta η  theta θ
		vartheta ϑ  iota ι  kappa κ  lambda λ  mu μ  nu ν  xi ξ  pi π  rho ρ  varrho ϱ  sigma σ
		varsigma ς  tau τ  upsilon υ  phi ϕφ  varphi φ  chi χ  psi ψ  omega ω
		Gamma Γ  Delta Δ  Theta Θ  Lambda Λ  Xi Ξ  Pi Π  Sigma Σ  Upsilon Υ  Phi Φ  Psi Ψ  Omega Ω
		infty ∞  emptyset ∅  forall ∀  exists ∃  neg ¬  partial ∂  nabla ∇  surd √  ell ℓ  top ⊤ᵀ
		ldots …  dots …  Vert ‖  | ‖  % %  & &  # #  $ $  _ _`),
	parseSymbols(op, `sum ∑Σ  prod ∏Π  int ∫`),
	parseSymbols(bin, `times ×  div ÷  cdot ⋅·  ast ∗  circ ∘  pm ±  mp ∓  cap ∩  cup ∪  setminus ∖
		wedge ∧  vee ∨`),
	parseSymbols(rel, `le ≤  ge ≥  ne ≠  approx ≈  sim ∼  equiv ≡  propto ∝  ll ≪  gg ≫  in ∈  notin ∉
		subset ⊂  subseteq ⊆  supseteq ⊇  mid ∣|  rightarrow →  to →  leftarrow ←
		leftrightarrow ↔  Rightarrow ⇒  uparrow ↑  downarrow ↓`),
	parseSymbols(open, `{ {  langle ⟨  lfloor ⌊  lceil ⌈`),
	parseSymbols(closing, `} }  rangle ⟩  rfloor ⌋  rceil ⌉`),
)

// verdictSigns lists the signs of verdicts. LaTeX gets two of them from the preamble of package
// table or from amssymb.
var verdictSigns = parseSymbols(ord, `checkmark ✓  blacktriangle ▲  triangle △`)

// parseSymbols reads a table of names and characters, all of one class. If there are two
// characters, the second one is the plain one.
func parseSymbols(of class, table string) (all []symbol) {
	for pair := range slices.Chunk(strings.Fields(table), 2) {
		chars := []rune(pair[1])
		all = append(all, symbol{pair[0], chars[0], chars[len(chars)-1], of})
	}
	return all
}

// symbolNamed has the symbols by the names of their commands, symbolOf by characters. The first
// pass enters the characters of the fonts, the second one the plain characters that are not in it:
// ε is varepsilon, although epsilon, which is ε in Unicode, is first in the table.
var symbolNamed, symbolOf = func() (map[string]symbol, map[rune]symbol) {
	named, of := make(map[string]symbol), make(map[rune]symbol)
	for _, char := range []func(symbol) rune{
		func(s symbol) rune { return s.char }, func(s symbol) rune { return s.plain },
	} {
		for _, s := range slices.Concat(symbols, verdictSigns) {
			named[s.name] = s
			if _, known := of[char(s)]; !known && char(s) > '~' {
				of[char(s)] = s
			}
		}
	}
	return named, of
}()

// classOf returns the class of a character that stands for itself.
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

// operators maps the commands of upright words to the words in Unicode.
var operators = map[string]string{
	"log": "log", "max": "max", "min": "min", "exp": "exp", "cos": "cos", "sin": "sin",
	"sup": "sup", "inf": "inf", "lim": "lim", "limsup": "lim sup", "liminf": "lim inf",
	"arg": "arg ",
}

// kerns maps the commands of spaces to widths in 18ths of an em. Unicode text has a blank for
// widths of 3 or more.
var kerns = map[string]float64{",": 3, ":": 4, ";": 5, " ": 6, "quad": 18, "!": -3}

// latexOnly holds the commands that only LaTeX follows: sizes of brackets, and places where a line
// may break.
var latexOnly = map[string]bool{
	"left": true, "right": true, "big": true, "Big": true, "bigl": true, "bigr": true,
	"displaystyle": true, "-": true, "allowbreak": true,
}

// accents maps the commands of accents to combining characters.
var accents = map[string]rune{"hat": '\u0302', "bar": '\u0304'}

// upright and takesText are the commands whose argument is set upright in formulas, and
// those whose argument is text.
var (
	upright   = map[string]bool{"mathrm": true, "operatorname": true}
	takesText = map[string]bool{
		"text": true, "mbox": true, "emph": true, "texttt": true, "textbf": true,
	}
)

// fractions holds the commands that have a numerator and a denominator.
var fractions = map[string]bool{"frac": true, "tfrac": true, "dfrac": true}

// textChars maps commands of text to characters.
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

// textName maps the characters of textChars to their commands.
var textName = func() map[rune]string {
	names := make(map[rune]string)
	for name, r := range textChars {
		names[r] = name
	}
	return names
}()

// alphabets maps the commands of alphabets to their first capital and their first small letter.
var alphabets = map[string][2]rune{
	"mathcal": {'𝒜', '𝒶'},
	"mathbb":  {'𝔸', '𝕒'},
}

// letterElsewhere maps the code points that Unicode leaves free in its block of mathematical
// alphabets to the letters, which it has elsewhere.
var letterElsewhere = map[rune]rune{
	0x1D455: 'ℎ',
	0x1D49D: 'ℬ', 0x1D4A0: 'ℰ', 0x1D4A1: 'ℱ', 0x1D4A3: 'ℋ', 0x1D4A4: 'ℐ', 0x1D4A7: 'ℒ',
	0x1D4A8: 'ℳ', 0x1D4AD: 'ℛ',
	0x1D53A: 'ℂ', 0x1D53F: 'ℍ', 0x1D545: 'ℕ', 0x1D547: 'ℙ', 0x1D548: 'ℚ', 0x1D549: 'ℝ',
	0x1D551: 'ℤ',
}

// inAlphabet returns the letter r in the alphabet with these first letters, and other characters
// unchanged.
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

// mathChar returns the character that formulas have for r: italic letters and small Greek letters,
// and a minus for a hyphen.
func mathChar(r rune) rune {
	if other, ok := inFormulas[r]; ok {
		return other
	}
	if 'α' <= r && r <= 'ω' {
		return '𝛼' + r - 'α'
	}
	return inAlphabet(r, [2]rune{'𝐴', '𝑎'}) // italics
}

// inFormulas maps characters to those that formulas set in their place.
var inFormulas = map[rune]rune{
	'-': '−', '*': '∗', '\'': '′', 'ϵ': '𝜖', 'ϑ': '𝜗', 'ϕ': '𝜙', 'ϱ': '𝜚',
}

// paramSymbols maps the names of parameters to their symbols in the literature.
var paramSymbols = map[string]string{
	"gamma": `\gamma`, "gamma0": `\gamma_0`, "kappa": `\kappa`, "alpha": `\alpha`,
	"alpha0": `\alpha_0`, "beta": `\beta`, "eta": `\eta`, "epsilon": `\epsilon`, "rho": `\rho`,
	"lambda": `\lambda`, "dim": "n", "constraints": "m", "x0": "x_0",
}
