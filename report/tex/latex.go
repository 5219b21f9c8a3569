package tex

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
)

// Escape returns the source that sets exactly s, a text that is not TeX, such as the label of an
// algorithm. White space of any kind becomes one blank, and bytes that are not UTF-8 become U+FFFD.
//
// ASCII characters that LaTeX reads as syntax become commands, and ligatures are broken (-- would
// become a dash). All others stand for themselves until [LaTeX] spells them.
func Escape(s string) string {
	var out strings.Builder
	var last rune
	for _, r := range oneLine(s) {
		if r == last && (r == '-' || r == ',') {
			out.WriteString("{}")
		}
		last = r
		if name, ok := textName[r]; ok && r < 0x80 {
			out.WriteString(commandOf(name))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

// commandOf returns a command of text that does not swallow a blank behind it.
func commandOf(name string) string {
	if unicode.IsLetter(rune(name[0])) {
		name += "{}"
	}
	return `\` + name
}

// Prose escapes a paragraph as [Escape] does, and lets LaTeX break a long SPEC after its signs.
func Prose(s string) string {
	const long = 20 // bytes, from which on a word may be broken
	words := strings.Fields(s)
	for k, w := range words {
		var out strings.Builder
		for len(w) > long {
			i := strings.IndexAny(w[1:], ":,=;/_")
			if i < 0 {
				break
			}
			out.WriteString(Escape(w[:i+2]) + `\allowbreak{}`)
			w = w[i+2:]
		}
		words[k] = out.String() + Escape(w)
	}
	return strings.Join(words, " ")
}

// ParamSymbol returns the name of a parameter in TeX, or its symbol if it has one, such as
// $\gamma$.
func ParamSymbol(name string) string {
	if symbol, ok := paramSymbol(name); ok {
		return "$" + symbol + "$"
	}
	return Escape(name)
}

// paramSymbol returns the symbol of a parameter; known is false if it has none.
func paramSymbol(name string) (symbol string, known bool) {
	if len(name) == 1 && unicode.IsLetter(rune(name[0])) { // a letter is its own symbol
		return name, true
	}
	symbol, known = paramSymbols[name]
	return symbol, known
}

// Param returns a parameter and its value: $\gamma = 25$ for a parameter that has a symbol, step 5
// for another one, and only the value if that is a word.
func Param(name, value string) string {
	number := value != "" && strings.Trim(value, "0123456789.e+-") == ""
	symbol, known := paramSymbol(name)
	switch {
	case known && number:
		return "$" + symbol + " = " + value + "$"
	case number, value == "true", value == "false":
		return Escape(name + " " + value)
	}
	return Escape(value)
}

// LaTeX returns LaTeX that sets a source. It needs pdflatex with the T1 encoding and no
// package beyond the kernel of 2020, apart from \checkmark for ✓ and \blacktriangle for ▲, which
// amssymb has. Characters beyond ASCII are spelled as that needs: signs and Greek letters in
// math mode, and one that has no spelling as its code point, such as [U+1F600]. All else is as it
// is in the source. A source with a fault, which only a text of the program can have, is returned
// as it is; [Check] names the fault.
func LaTeX(src string) string {
	nodes, err := parse(src)
	if err != nil {
		return src
	}
	var out []byte
	from, last := 0, ""
	visitSpelled(nodes, textMode, func(n node, spelled string) {
		between := src[from:n.at]
		if between == "" && isScript(spelled) && strings.HasPrefix(last, spelled[:len("$^{")]) {
			// Adjacent scripts become one: ⁻³ is $^{-3}$, and not $^{-}$$^{3}$.
			out = append(bytes.TrimSuffix(out, []byte("}$")), spelled[len("$^{"):]...)
		} else {
			out = append(out, between+spelled...)
		}
		from, last = n.at+len(string(n.char)), spelled
	})
	return string(out) + src[from:]
}

// isScript reports whether the LaTeX of a character in text is a script without a base.
func isScript(spelled string) bool {
	return strings.HasPrefix(spelled, "$^{") || strings.HasPrefix(spelled, "$_{")
}

// A mode is a mode of TeX. What stands between dollar signs is read in math mode.
type mode bool

// The modes of TeX.
const (
	textMode mode = false
	mathMode mode = true
)

// visitSpelled calls visit, in order, for the letters of a text or a formula that LaTeX spells as
// commands, with their spelling in the mode that they are in. The outermost nodes are in mode m.
func visitSpelled(nodes []node, m mode, visit func(n node, spelled string)) {
	for _, n := range nodes {
		if n.kind == letter && (n.char < ' ' || n.char > '~') {
			spelled := latexSpelling(n.char)
			if inner, ok := strings.CutPrefix(spelled, "$"); m == mathMode && ok {
				spelled = "{" + strings.TrimSuffix(inner, "$") + "}"
			} else if m == mathMode {
				spelled = `\mbox{` + spelled + "}"
			}
			visit(n, spelled)
		}
		inner := m
		switch {
		case n.kind == formula:
			inner = mathMode
		case takesText[n.name]:
			inner = textMode
		}
		for _, arg := range n.args {
			visitSpelled(arg, inner, visit)
		}
		for _, s := range n.scripts {
			visitSpelled(s.arg, m, visit)
		}
	}
}

// latexSpelling returns the LaTeX of a character beyond ASCII in text.
func latexSpelling(r rune) string {
	if name, ok := textName[r]; ok {
		return commandOf(name)
	}
	if tex, ok := formulaOf[r]; ok {
		return "$" + tex + "$"
	}
	if s, ok := symbolOf[r]; ok {
		return `$\` + s.name + "$"
	}
	if 'À' <= r && r <= 'ÿ' || strings.ContainsRune(latinExtended, r) {
		return string(r)
	}
	return codePoint(r)
}

// codePoint returns the text that replaces a character that cannot be set, such as [U+1F600].
func codePoint(r rune) string { return fmt.Sprintf("[U+%04X]", r) }

// latinExtended lists the letters beyond Latin-1 that the kernel's utf8 input
// and the T1 encoding know.
const latinExtended = "ĂăĄąĆćČčĎďĐđĒēĘęĚěĞğĪīĹĺĽľŁłŃńŇňŌōŐőŒœŔŕŘřŚśŞşŠšŢţŤťŪūŮůŰűŸŹźŻżŽž"

// formulaOf maps characters to the formulas that spell them, if that is not their symbol.
var formulaOf = func() map[rune]string {
	all := map[rune]string{
		'µ': `\mu`, '−': "-", '′': "'", '✗': `\times`,
		'½': `\frac{1}{2}`, '¼': `\frac{1}{4}`, '¾': `\frac{3}{4}`,
	}
	for r, s := range scriptForms {
		base := string(s.base)
		if symbol, ok := symbolOf[s.base]; ok && s.base > '~' {
			base = `\` + symbol.name
		}
		all[r] = fmt.Sprintf("%c{%s}", s.mark, base)
	}
	return all
}()

// superscripts lists the digits as superscripts.
var superscripts = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")

// Raised returns the digits of an integer as superscripts.
func Raised(digits string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' {
			return '⁻'
		}
		return superscripts[r-'0']
	}, digits)
}
