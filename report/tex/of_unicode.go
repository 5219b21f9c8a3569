package tex

import (
	"regexp"
	"strings"
	"unicode"
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
	for i := 0; i < len(s); i++ {
		r := s[i]
		isWithinWord := i > 0 && unicode.IsLower(s[i-1]) && s[i-1] < unicode.MaxASCII
		word, prose := "", "" // that begin here
		if !isWithinWord {
			rest := string(s[i:])
			word, prose = wordInFormula.FindString(rest), proseInFormula.FindString(rest)
		}
		switch {
		case prose != "" && len(prose) >= len(word): // else a longer word, such as forward
			out.WriteString(`\text{ ` + prose + " }")
			i += len(prose) - 1
		case word != "":
			out.WriteString(uprightWord(word))
			i += len(word) - 1
		case r == ' ' && i > 0 && s[i-1] == ' ':
			out.WriteString(`\quad `)
		case r == '√' && i+1 < len(s) && s[i+1] == '(': // of what is in brackets
			end := i + 1 + closingAt(s[i+1:])
			out.WriteString(`\sqrt{` + formulaOfUnicode(s[i+2:end]) + "}")
			i = end
		case r == '√' && i+1 < len(s): // of one character with its subscript
			end := i + 2
			if end+1 < len(s) && s[end] == '_' {
				end += 2
				if s[end-1] == '{' {
					end += closingAt(s[end-1:])
				}
			}
			out.WriteString(`\sqrt{` + formulaOfUnicode(s[i+1:end]) + "}")
			i = end - 1
		case r == '{' && (i == 0 || s[i-1] != '^' && s[i-1] != '_'): // a set, and not a script
			end := i + closingAt(s[i:])
			out.WriteString(`\{` + formulaOfUnicode(s[i+1:end]) + `\}`)
			i = end
		case i+1 < len(s) && (s[i+1] == '\u0302' || s[i+1] == '\u0304'): // a letter with an accent
			for name, accent := range accents {
				if accent == s[i+1] {
					out.WriteString(`\` + name + "{" + formulaOfUnicode(s[i:i+1]) + "}")
				}
			}
			i++
		default:
			out.WriteString(characterSource(r))
		}
	}
	return out.String()
}

// closingAt returns the index of the bracket that closes the one at the beginning, or the last
// index if there is none.
func closingAt(s []rune) int {
	depth := 0
	for i, r := range s {
		switch r {
		case '(', '{':
			depth++
		case ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s) - 1
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
