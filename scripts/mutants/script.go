//go:build unix

package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Defects made by rule, in JavaScript. The rules are those for Go. They are applied to the
// tokens of the text, since there are no types: two neighbouring arguments are swapped if
// both are names or both are numbers, a statement is dropped if it is a line of its own, and
// a + beside a string stays, since it does not add.

// A lexeme is a token of JavaScript.
type lexeme struct {
	kind     string // name, number, text, or mark
	s        string
	from, to int
}

var (
	nameRE   = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*`)
	numberRE = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?)`)
	regexRE  = regexp.MustCompile(`^/(\\.|\[(\\.|[^\]\\])*\]|[^/\\\[\n])+/[a-z]*`)
	stringRE = regexp.MustCompile(`^("(\\.|[^"\\])*"|'(\\.|[^'\\])*')`)
	markRE   = regexp.MustCompile(`^(>>>=|\.\.\.|===|!==|\*\*=|\?\?=|&&=|\|\|=|<<=|>>=|>>>|=>|==|!=|<=|>=|` +
		`&&|\|\||\?\?|\?\.|\+\+|--|\+=|-=|\*=|/=|%=|\*\*|<<|>>|[-+*/%<>=!&|^~?:;,.(){}\[\]])`)
)

// words of the language, after which a value starts.
var keywords = strings.Fields("break case const continue default delete do else export for " +
	"function if import in instanceof let new of return switch throw typeof var void while yield")

// lex returns the tokens of a script. The texts between the values of a template are one
// token each.
func lex(src string) (all []lexeme) {
	var braces []int // of each open template, how many braces are open in its value
	put := func(kind string, from, to int) {
		all = append(all, lexeme{kind, src[from:to], from, to})
	}
	template := func(i int) int { // a text of a template that starts at i ends at
		for ; i < len(src); i++ {
			switch {
			case src[i] == '\\':
				i++
			case src[i] == '`':
				return i + 1
			case strings.HasPrefix(src[i:], "${"):
				braces = append(braces, 0)
				return i + 2
			}
		}
		return i
	}
	for i := 0; i < len(src); {
		rest, depth := src[i:], len(braces)-1
		switch m := ""; {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			i++
		case strings.HasPrefix(rest, "//"):
			i += max(strings.IndexByte(rest+"\n", '\n'), 1)
		case strings.HasPrefix(rest, "/*"):
			i += strings.Index(rest+"*/", "*/") + 2
		case rest[0] == '`', rest[0] == '}' && depth >= 0 && braces[depth] == 0:
			if rest[0] == '}' {
				braces = braces[:depth]
			}
			to := template(i + 1)
			put("text", i, to)
			i = to
		default:
			kind := "mark"
			if m = nameRE.FindString(rest); m != "" {
				kind = "name"
			} else if m = numberRE.FindString(rest); m != "" {
				kind = "number"
			} else if m = stringRE.FindString(rest); m != "" {
				kind = "text"
			} else if m = regexRE.FindString(rest); m != "" && !ends(all) {
				kind = "text"
			} else if m = markRE.FindString(rest); m == "" {
				m = rest[:1]
			}
			if depth >= 0 {
				braces[depth] += map[string]int{"{": 1, "}": -1}[m]
			}
			put(kind, i, i+len(m))
			i += len(m)
		}
	}
	return all
}

// ends reports whether the last token ends a value, so that an operator follows.
func ends(all []lexeme) bool {
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	switch last.kind {
	case "name":
		return !slices.Contains(keywords, last.s)
	case "text":
		return !strings.HasSuffix(last.s, "${")
	case "mark":
		return last.s == ")" || last.s == "]" || last.s == "}"
	}
	return true
}

// scriptSwaps has what operators are changed to, and by which rule.
var scriptSwaps = map[string][]string{
	"<": {"comparison", "<=", ">="}, "<=": {"comparison", "<", ">"},
	">": {"comparison", ">=", "<="}, ">=": {"comparison", ">", "<"},
	"===": {"comparison", "!=="}, "!==": {"comparison", "==="},
	"&&": {"logic", "||"}, "||": {"logic", "&&"},
	"+": {"arithmetic", "-"}, "-": {"arithmetic", "+"}, "*": {"arithmetic", "/"},
	"/": {"arithmetic", "*"}, "%": {"arithmetic", "*"}, "+=": {"arithmetic", "-="},
	"-=": {"arithmetic", "+="}, "*=": {"arithmetic", "/="}, "/=": {"arithmetic", "*="},
	"++": {"arithmetic", "--"}, "--": {"arithmetic", "++"},
}

// A scriptEditor makes the defects of one script.
type scriptEditor struct {
	name, src string
	tokens    []lexeme
	all       []defect
}

// scriptDefects returns the defects of a script, in the order of the text.
func scriptDefects(name, src string) []defect {
	e := &scriptEditor{name: name, src: src, tokens: lex(src)}
	for k, t := range e.tokens {
		switch {
		case t.kind == "mark":
			e.mark(k)
		case t.kind == "number" && !strings.HasPrefix(t.s, "0x"):
			if n, err := strconv.Atoi(t.s); err == nil {
				e.add("off by one", t.from, t.to, strconv.Itoa(n+1))
			}
			if v, err := strconv.ParseFloat(t.s, 64); err == nil && v != 0 {
				e.add("doubled", t.from, t.to, strconv.FormatFloat(2*v, 'g', -1, 64))
			}
		}
	}
	e.drop()
	return number(e.all)
}

// mark makes the defects of an operator, or of the call that a parenthesis opens.
func (e *scriptEditor) mark(k int) {
	t := e.tokens[k]
	beside := func(i int) bool { return i >= 0 && i < len(e.tokens) && e.tokens[i].kind == "text" }
	switch {
	case t.s == "!", t.s == "-" && !ends(e.tokens[:k]):
		e.add("negation", t.from, t.to, "")
	case t.s == "+" && (beside(k-1) || beside(k+1) || !ends(e.tokens[:k])), t.s == "+=" && beside(k+1):
	case t.s == "(":
		e.call(k)
	default:
		for i, other := range scriptSwaps[t.s] {
			if i > 0 {
				e.add(scriptSwaps[t.s][0], t.from, t.to, other)
			}
		}
	}
}

var (
	pathRE  = regexp.MustCompile(`^[\pL_$][\pL\pN_$.]*$`)
	plainRE = regexp.MustCompile(`^[0-9.]+$`)
)

// call swaps neighbouring arguments of a call, if both are names or both are numbers.
func (e *scriptEditor) call(k int) {
	if k == 0 || e.tokens[k-1].kind != "name" || slices.Contains(keywords, e.tokens[k-1].s) ||
		k > 1 && e.tokens[k-2].s == "function" {
		return
	}
	args, end := e.arguments(k)
	if end+1 < len(e.tokens) && e.tokens[end+1].s == "{" { // a method is declared
		return
	}
	for i := 1; i < len(args); i++ {
		a, b := e.text(args[i-1]), e.text(args[i])
		if a == b || !(pathRE.MatchString(a) && pathRE.MatchString(b)) &&
			!(plainRE.MatchString(a) && plainRE.MatchString(b)) {
			continue
		}
		between := e.src[e.tokens[args[i-1].last].to:e.tokens[args[i].first].from]
		e.add("swapped", e.tokens[args[i-1].first].from, e.tokens[args[i].last].to, b+between+a)
	}
}

// A stretch is some tokens in a row.
type stretch struct{ first, last int }

func (e *scriptEditor) text(s stretch) string {
	return e.src[e.tokens[s.first].from:e.tokens[s.last].to]
}

// arguments are those between the parenthesis k and its closing one, which is returned too.
func (e *scriptEditor) arguments(k int) (args []stretch, end int) {
	depth, from := 0, k+1
	for end = k; end < len(e.tokens); end++ {
		s := e.tokens[end].s
		if e.tokens[end].kind != "mark" {
			continue
		}
		switch s {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if (depth == 0 || depth == 1 && s == ",") && end > from {
			args = append(args, stretch{from, end - 1})
			from = end + 1
		}
		if depth == 0 {
			break
		}
	}
	return args, end
}

// drop drops lines that are one statement: they end with a semicolon, close what they open,
// declare nothing, and stand after the end of another statement or the start of a block.
func (e *scriptEditor) drop() {
	for k := 0; k < len(e.tokens); {
		line := strings.Count(e.src[:e.tokens[k].from], "\n")
		n, depth := k, 0
		for n < len(e.tokens) && strings.Count(e.src[:e.tokens[n].from], "\n") == line {
			if e.tokens[n].kind == "mark" {
				depth += strings.Count("([{", e.tokens[n].s) - strings.Count(")]}", e.tokens[n].s)
			}
			n++
		}
		first, last := e.tokens[k], e.tokens[n-1]
		fresh := k == 0 || slices.Contains([]string{";", "{", "}"}, e.tokens[k-1].s)
		follows := n < len(e.tokens) && e.tokens[n].s == "else"
		if fresh && depth == 0 && last.s == ";" && !follows && first.kind == "name" &&
			(first.s == "if" || !slices.Contains(keywords, first.s)) {
			e.add("dropped", first.from, last.to, "")
		}
		k = n
	}
}

var declared = regexp.MustCompile(`(?m)^(?:async )?(?:function\*?|const|let|class) ([\pL\pN_$]+)`)

// add makes a defect. Its function is the last that starts a line before it.
func (e *scriptEditor) add(rule string, from, to int, text string) {
	fn := "top"
	if all := declared.FindAllStringSubmatch(e.src[:from], -1); all != nil {
		fn = all[len(all)-1][1]
	}
	e.all = append(e.all, change(e.name, e.src, fn, rule, from, to, text))
}
