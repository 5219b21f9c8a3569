// Package tex is the small TeX in which the program writes its own names and formulas,
// such as
//
//	Penalised FTRL, $\gamma=25$
//	$\mathcal{R}_t(\hat{X}^{\max}_t)$
//
// It has one parser and three outputs: [Unicode] for a terminal, Markdown and the page,
// [LaTeX] for a document, and [Font.Set], which makes a [Box] of glyphs for a figure. What
// others wrote, such as the label of an algorithm, is no TeX: [Escape] gives the source
// that sets exactly that, in all three. Superscripts and subscripts of Unicode, as in λ₁ and
// 10⁻³, are set as such. A character that pdflatex or Latin Modern lacks stands in a document
// or in a figure as its code point, such as [U+1F600], and [Missing] finds it.
//
// # The language
//
// Text has letters, signs and the characters that [Escape] spells; dashes and quotation
// marks as in TeX; \emph, \textbf and \texttt; and formulas between dollar signs. A
// formula has letters, digits and signs; scripts (^ and _); the symbols of the table
// in symbols.go; \sqrt, \frac, \hat and \bar; \mathcal, \mathbb, \mathrm, \operatorname
// and \text; \log, \max and their like; and the spaces \, \: \; \! and \quad. All of it is
// LaTeX, and LaTeX has it as it is written, but for characters beyond ASCII. A box does
// not have \frac, nor the faces of text.
package tex

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind says what a node is.
type kind byte

// The kinds of nodes.
const (
	letter  kind = iota // a character that is written as itself
	blank               // white space, which formulas set nowhere
	group               // what stands between braces: args[0]
	formula             // what stands between dollar signs: args[0]
	command             // with its arguments
)

// A node is a part of a text or of a formula, with the scripts behind it.
type node struct {
	kind    kind
	char    rune   // of a letter, or of a command for a character of text
	name    string // of a command
	args    [][]node
	scripts []script
	at      int // where a letter stands in the source
}

// A script is a superscript or a subscript.
type script struct {
	mark   rune // ^ or _
	arg    []node
	braced bool
}

// maxDepth is the largest number of nested groups, so that the stack cannot overflow.
const maxDepth = 100

// A parser reads a source in one pass. After an error its position is the end of the source, so
// that every loop ends.
type parser struct {
	src   string
	pos   int
	depth int
	err   error
}

// parse returns the nodes of a text. The error names the first fault.
func parse(src string) ([]node, error) {
	p := &parser{src: src}
	nodes := p.parseText(endOfSource)
	return nodes, p.err
}

// endOfSource takes the place of the character that closes a group.
const endOfSource rune = 0

// fail records the first error, and moves to the end of the source.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("TeX %q: %s", p.src, fmt.Sprintf(format, args...))
	}
	p.pos = len(p.src)
}

// peek returns the next character, or 0 at the end.
func (p *parser) peek() rune {
	if p.pos == len(p.src) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return r
}

// next reads the next character. At a byte that is no UTF-8 it fails and returns 0.
func (p *parser) next() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	if r == utf8.RuneError && n == 1 {
		p.fail("invalid UTF-8")
		return 0
	}
	p.pos += n
	return r
}

// accept reads r if it is the next character.
func (p *parser) accept(r rune) bool {
	if p.pos == len(p.src) || r != p.peek() {
		return false
	}
	p.next()
	return true
}

// skipSpace skips white space, and reports whether there was any.
func (p *parser) skipSpace() (skipped bool) {
	for unicode.IsSpace(p.peek()) {
		p.next()
		skipped = true
	}
	return skipped
}

// commandName reads the name of a command after its backslash: letters, or one other character.
func (p *parser) commandName() string {
	start := p.pos
	for r := p.peek(); r < utf8.RuneSelf && unicode.IsLetter(r); r = p.peek() {
		p.next()
	}
	if p.pos == start {
		if p.pos == len(p.src) {
			p.fail("it ends in a backslash")
			return ""
		}
		return string(p.next())
	}
	return p.src[start:p.pos]
}

// enter counts an open group, and fails if groups are nested too deeply. If it returns true, the
// caller has to call leave.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.fail("it is nested deeper than %d", maxDepth)
	}
	return p.err == nil
}

// leave counts a group that is closed.
func (p *parser) leave() { p.depth-- }

// parseText reads text up to [endOfSource] or, in a group, up to its closing brace, which it reads
// too.
func (p *parser) parseText(until rune) (nodes []node) {
	for p.pos < len(p.src) {
		at := p.pos
		switch r := p.next(); {
		case r == '}' && until == '}':
			return nodes
		case r == '}':
			p.fail("a } without its {")
		case r == '{':
			if p.enter() {
				nodes = append(nodes, node{kind: group, args: [][]node{p.parseText('}')}})
				p.leave()
			}
		case r == '$':
			nodes = append(nodes, node{kind: formula, args: [][]node{p.parseFormula('$')}})
			if !p.accept('$') {
				p.fail("a $ without its second")
			}
		case r == '\\':
			nodes = append(nodes, p.parseTextCommand())
		case strings.ContainsRune("%&#_^", r):
			p.fail(`a %c without its backslash in text`, r)
		case r == '~' || unicode.IsSpace(r):
			nodes = append(nodes, node{kind: blank})
		default:
			nodes = append(nodes, node{kind: letter, char: r, at: at})
		}
	}
	if until == '}' {
		p.fail("a { without its }")
	}
	return nodes
}

// parseTextCommand reads a command of text after its backslash, with its argument.
func (p *parser) parseTextCommand() node {
	name := p.commandName()
	n := node{kind: command, name: name, char: textChars[name]}
	switch {
	case p.err != nil:
	case n.char != 0, kerns[name] != 0, latexOnly[name]:
		if r, _ := utf8.DecodeRuneInString(name); unicode.IsLetter(r) {
			p.skipSpace()
		}
	case takesText[name]:
		n.args = [][]node{p.parseTextArgument(name)}
	default:
		p.fail(`unknown command \%s in text`, name)
	}
	return n
}

// parseTextArgument reads the argument of a command that is text between braces.
func (p *parser) parseTextArgument(name string) (nodes []node) {
	if !p.accept('{') {
		p.fail(`\%s takes text between braces`, name)
	} else if p.enter() {
		nodes = p.parseText('}')
		p.leave()
	}
	return nodes
}

// parseFormula reads a formula up to the closing character, which it does not read, or to the end
// of the source.
func (p *parser) parseFormula(until rune) (nodes []node) {
	for {
		if p.skipSpace() {
			nodes = append(nodes, node{kind: blank})
		}
		if p.pos == len(p.src) || p.peek() == until {
			return nodes
		}
		if c := p.peek(); c == '$' || c == '}' {
			p.fail("a %c where %c was to come first", c, until)
			return nil
		}
		n := node{kind: group, args: [][]node{nil}} // a script may have no nucleus
		if c := p.peek(); c != '^' && c != '_' {
			n = p.parseNucleus()
		}
		if !n.isKern() {
			p.parseScripts(&n)
		}
		nodes = append(nodes, n)
	}
}

// isKern reports whether a node of a formula sets nothing but a space, or nothing: it has no
// scripts.
func (n *node) isKern() bool {
	return n.kind == blank || n.kind == command && (kerns[n.name] != 0 || latexOnly[n.name])
}

// parseScripts reads the scripts behind a node.
func (p *parser) parseScripts(n *node) {
	for {
		start := p.pos
		p.skipSpace()
		mark := p.peek()
		if mark != '^' && mark != '_' {
			p.pos = start // keep the blank, which text in Unicode shows
			return
		}
		p.next()
		if slices.ContainsFunc(n.scripts, func(s script) bool { return s.mark == mark }) {
			p.fail("a second %c on the same symbol", mark)
			return
		}
		p.skipSpace()
		braced := p.peek() == '{'
		n.scripts = append(n.scripts, script{mark, p.parseArgument(), braced})
	}
}

// parseArgument reads the argument of a command or a script, which is a group or one token.
func (p *parser) parseArgument() []node {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.skipSpace()
	switch c := p.peek(); {
	case p.pos == len(p.src) || c == '}' || c == '$' || c == '^' || c == '_':
		p.fail("an argument is missing")
		return nil
	case c == '{':
		return p.parseGroup()
	}
	return []node{p.parseNucleus()}
}

// parseGroup reads the formula between two braces.
func (p *parser) parseGroup() []node {
	p.next()
	nodes := p.parseFormula('}')
	if !p.accept('}') {
		p.fail("a { without its }")
	}
	return nodes
}

// parseNucleus reads the next part of a formula without its scripts.
func (p *parser) parseNucleus() node {
	if !p.enter() {
		return node{}
	}
	defer p.leave()
	if p.peek() == '{' {
		return node{kind: group, args: [][]node{p.parseGroup()}}
	}
	at := p.pos
	switch r := p.next(); r {
	case '\\': // a command, which is read below
	case '~':
		return node{kind: command, name: " "}
	case '%', '&', '#':
		p.fail(`a %c without its backslash`, r)
		fallthrough
	default:
		return node{kind: letter, char: r, at: at}
	}
	name := p.commandName()
	n := node{kind: command, name: name}
	_, symbol := symbolNamed[name]
	_, alphabet := alphabets[name]
	switch {
	case p.err != nil, symbol, operators[name] != "", kerns[name] != 0, latexOnly[name]:
	case takesText[name]:
		n.args = [][]node{p.parseTextArgument(name)}
	case upright[name], alphabet:
		n.args = [][]node{p.parseArgument()}
		if slices.ContainsFunc(n.args[0], func(a node) bool {
			return a.kind != letter && a.kind != blank || a.scripts != nil
		}) || n.args[0] == nil {
			p.fail(`\%s takes plain characters between braces`, name)
		}
	case accents[name] != 0, name == "sqrt":
		n.args = [][]node{p.parseArgument()}
	case fractions[name]:
		n.args = [][]node{p.parseArgument(), p.parseArgument()}
	default:
		p.fail(`unknown command \%s`, name)
	}
	return n
}
