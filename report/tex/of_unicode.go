package tex

import (
	"regexp"
	"strings"
)

// This file makes sources of this package from formulas as one writes them in Unicode, such as
// f_t(x) = ½σ‖x − θ_t‖² or x_{t+1} = Π(x_t − α_t∇f_t(x_t)).

// OfUnicode returns the source of a formula that is written in Unicode with roots, scripts, sets in
// braces, functions and words, such as √t(1 + P_t). Scripts are as in TeX, or ^(…). A root covers
// the next character with its subscript, or the next brackets. A word of two or more small letters,
// such as the name of a parameter, is set upright. Two blanks are a wide space.
func OfUnicode(s string) string {
	s = scriptsInBrackets.ReplaceAllString(s, `^{$1}`)
	return "$" + blanks.ReplaceAllString(formulaOfUnicode([]rune(s)), " ") + "$"
}

// OfText returns the source of a text whose formulas are in Unicode between dollar signs.
func OfText(s string) string {
	var out strings.Builder
	for k, part := range strings.Split(s, "$") {
		switch {
		case k%2 == 1:
			out.WriteString(OfUnicode(part))
		case part != "":
			out.WriteString(BetweenBlanks(part, Escape))
		}
	}
	return out.String()
}

// PlainText returns a text whose formulas are in Unicode between dollar signs without these signs.
func PlainText(s string) string { return strings.ReplaceAll(s, "$", "") }

// BetweenBlanks returns a text converted by [Escape] or [Prose], between the blanks that it begins
// and ends with, which these leave out.
func BetweenBlanks(text string, convert func(string) string) string {
	trimmed := strings.Trim(text, " ")
	begin, end, _ := strings.Cut(text, trimmed)
	return begin + convert(trimmed) + end
}

// What [formulaOfUnicode] recognises in a formula.
var (
	scriptsInBrackets = regexp.MustCompile(`\^\(([^()]*)\)`)
	blanks            = regexp.MustCompile(` {2,}`)
	proseInFormula    = regexp.MustCompile(`^(for|all|and|or)( (for|all|and|or))*\b`)
	wordInFormula     = regexp.MustCompile(`^[a-z]{2,}(-[a-z]+)*`)
)

// accented maps letters that are one character with their accent.
var accented = map[rune]string{'ā': `\bar{a}`, 'ḡ': `\bar{g}`, 'ŷ': `\hat{y}`, 'Ĝ': `\hat{G}`}

// formulaOfUnicode returns the source of a formula without the dollar signs.
func formulaOfUnicode(s []rune) string {
	var out strings.Builder
	for before := rune(0); len(s) > 0; {
		source, n := firstSource(before, s)
		out.WriteString(source)
		before, s = s[n-1], s[n:]
	}
	return out.String()
}

// firstSource returns the source of what the rest of a formula begins with, and how many characters
// that is. before is the character before it, or 0 at the beginning of the formula.
func firstSource(before rune, rest []rune) (source string, n int) {
	if isWithinWord := 'a' <= before && before <= 'z'; !isWithinWord {
		word := wordInFormula.FindString(string(rest))
		prose := proseInFormula.FindString(string(rest))
		switch {
		case prose != "" && len(prose) >= len(word): // else a longer word, such as forward
			return `\text{ ` + prose + " }", len(prose)
		case word != "":
			return uprightWord(word), len(word)
		}
	}
	var next rune
	if len(rest) > 1 {
		next = rest[1]
	}
	accent := ""
	for name, mark := range accents {
		if mark == next {
			accent = `\` + name
		}
	}
	switch r := rest[0]; {
	case r == ' ' && before == ' ':
		return `\quad `, 1
	case r == '√' && next != 0:
		inside, length := underRoot(rest[1:])
		return `\sqrt{` + formulaOfUnicode(inside) + "}", 1 + length
	case r == '{' && before != '^' && before != '_': // a set, and not a script
		inside, length := cutBrackets(rest)
		return `\{` + formulaOfUnicode(inside) + `\}`, length
	case accent != "":
		return accent + "{" + formulaOfUnicode(rest[:1]) + "}", 2
	}
	return characterSource(rest[0]), 1
}

// underRoot returns what a root covers of the characters behind its sign, and their number: what is
// in brackets, which are not part of it, or one character with its subscript.
func underRoot(s []rune) (inside []rune, length int) {
	switch {
	case s[0] == '(':
		return cutBrackets(s)
	case len(s) < 3 || s[1] != '_':
		length = 1
	case s[2] == '{':
		_, length = cutBrackets(s[2:])
		length += 2
	default:
		length = 3
	}
	return s[:length], length
}

// cutBrackets returns what is in the brackets that a text begins with, and the length of both
// together. Without the closing one they end with the text, whose last character is left out.
func cutBrackets(s []rune) (inside []rune, length int) {
	depth := 0
	for i, r := range s {
		switch r {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		}
		if depth == 0 {
			return s[1:i], i + 1
		}
	}
	return s[1:max(1, len(s)-1)], len(s)
}

// uprightWord returns the source of a word in a formula.
func uprightWord(word string) string {
	switch {
	case operators[word] != "":
		return `\` + word + " "
	case word == "mod":
		return `\:\text{mod}\:`
	case word == "argmin", word == "argmax", word == "sign", word == "ln":
		return `\operatorname{` + word + "}"
	}
	return `\text{` + word + "}"
}

// characterSource returns the source of one character of a formula.
func characterSource(r rune) string {
	switch {
	case accented[r] != "":
		return accented[r]
	case r == '−':
		return "-"
	case r == 'Σ':
		return `\sum `
	case r == 'ℝ':
		return `\mathbb{R}`
	case r == 'ᵀ':
		return `^\top `
	case r == '𝓑':
		return `\mathcal{B}`
	case r == '%', r == '&', r == '#':
		return `\` + string(r)
	}
	if s, ok := symbolOf[r]; ok {
		return `\` + s.name + " "
	}
	return string(r)
}
