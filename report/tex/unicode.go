package tex

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unicode returns a text with its formulas in Unicode, such as "x ∈ X̂^max_t" for `$x \in
// \hat{X}^{\max}_t$`. A source with a fault, which only a text of the program can have, is returned
// as it is; [Check] names the fault.
func Unicode(src string) string {
	nodes, err := parse(src)
	if err != nil {
		return src
	}
	return oneLine(textInUnicode(nodes))
}

// Check returns an error unless src is in the language of the package.
func Check(src string) error {
	_, err := parse(src)
	return err
}

// oneLine returns s with one blank for every run of white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// dashReplacer replaces the hyphens that TeX sets as dashes in text. Braces between hyphens keep
// them apart.
var dashReplacer = strings.NewReplacer("---", "—", "--", "–")

// textInUnicode returns the nodes of a text in Unicode. Dashes are replaced within runs of letters
// alone.
func textInUnicode(nodes []node) string {
	var out, run strings.Builder
	flush := func() {
		out.WriteString(dashReplacer.Replace(run.String()))
		run.Reset()
	}
	for _, n := range nodes {
		switch {
		case n.kind == letter:
			run.WriteRune(n.char)
			continue
		case n.kind == blank:
			run.WriteByte(' ')
			continue
		}
		flush()
		switch {
		case n.kind == formula:
			out.WriteString(formulaInUnicode(n.args[0]))
		case n.kind == group || takesText[n.name]:
			out.WriteString(textInUnicode(n.args[0]))
		case n.char != 0:
			out.WriteRune(n.char)
		case kerns[n.name] > 0:
			out.WriteByte(' ')
		}
	}
	flush()
	return out.String()
}

// formulaInUnicode returns the nodes of a formula in Unicode, such as t^(1/2).
func formulaInUnicode(nodes []node) string {
	var out strings.Builder
	for _, n := range nodes {
		out.WriteString(n.inUnicode())
		for _, s := range n.scripts {
			arg := formulaInUnicode(s.arg)
			isSign := arg == "+" || arg == "*" // as in x^+ and x^*
			if s.braced && !isSimple(s.arg) && !isSign && !inBrackets(arg) {
				arg = "(" + arg + ")"
			}
			out.WriteString(string(s.mark) + arg)
		}
	}
	return out.String()
}

// inUnicode returns a node of a formula without its scripts.
func (n *node) inUnicode() string {
	arg := func(k int) string { return formulaInUnicode(n.args[k]) }
	bracketed := func(k int) string {
		if isSimple(n.args[k]) {
			return arg(k)
		}
		return "(" + arg(k) + ")"
	}
	switch {
	case n.kind == letter:
		return string(n.char)
	case n.kind == blank:
		return " "
	case n.kind == group:
		return arg(0)
	case takesText[n.name]:
		return textInUnicode(n.args[0])
	case accents[n.name] != 0:
		return arg(0) + string(accents[n.name])
	case n.name == "sqrt":
		return "√" + bracketed(0)
	case fractions[n.name]:
		// Without its brackets (1/i)Σ would read as 1 over iΣ. Other fractions have them in their parts.
		if isSimple(n.args[0]) && isSimple(n.args[1]) {
			return "(" + arg(0) + "/" + arg(1) + ")"
		}
		return "(" + arg(0) + ")/(" + arg(1) + ")"
	case n.args != nil: // of a command for a font: an alphabet, or upright letters
		return arg(0)
	case operators[n.name] != "":
		return operators[n.name]
	case kerns[n.name] > 0:
		return " "
	}
	if s, ok := symbolNamed[n.name]; ok {
		return string(s.plain)
	}
	return ""
}

// isSimple reports whether an argument needs no brackets: one symbol or word, or ASCII letters and
// digits.
func isSimple(nodes []node) bool {
	if len(nodes) == 1 && nodes[0].kind == command && nodes[0].scripts == nil {
		n := nodes[0]
		_, isAlphabet := alphabets[n.name]
		return n.args == nil ||
			(upright[n.name] || isAlphabet || takesText[n.name]) && isSimple(n.args[0])
	}
	for _, n := range nodes {
		ascii := n.char < utf8.RuneSelf && (unicode.IsLetter(n.char) || unicode.IsDigit(n.char))
		if n.kind != letter || n.scripts != nil || !ascii {
			return false
		}
	}
	return len(nodes) > 0
}

// inBrackets reports whether a script is one letter in brackets, such as (j).
func inBrackets(s string) bool {
	return len(s) == 3 && s[0] == '(' && s[2] == ')' && unicode.IsLetter(rune(s[1]))
}
