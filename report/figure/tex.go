package figure

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// set returns the box of src at the given size, in points. The package comment says
// which part of TeX it knows.
func set(src string, size float64) (box, error) {
	s := &setter{src: src}
	b := s.text(style{base: size}, false)
	return b, s.err
}

// A style is the size of a formula: text, script, or script of a script.
type style struct {
	base  float64 // the size of text, in points
	level int     // 0, 1 or 2
}

func (st style) size() float64 { return st.base * [...]float64{1, 0.7, 0.5}[st.level] }

func (st style) script() style { return style{st.base, min(st.level+1, 2)} }

// Dimensions of formulas, in ems. They are those of TeX's fonts cmsy10 and cmex10, so
// that a label looks like the same formula in the text of a paper.
//
// Reference: Knuth, The TeXbook, appendix G.
const (
	axisHeight      = 0.250
	accentBase      = 0.431 // the height of an x; the accent of a taller letter is moved up by the difference
	supShift        = 0.363
	supDrop         = 0.386
	supBottom       = 0.108
	subShift        = 0.150
	subShiftWithSup = 0.247
	subDrop         = 0.050
	subTop          = 0.344
	scriptGap       = 0.160
	scriptSpace     = 0.050
	rule            = 0.040
)

// A setter parses and sets a label in one pass. This is possible because the style
// of every part is known before the part is read. After an error its position is the
// end of the source, so that every loop ends.
type setter struct {
	src   string
	pos   int
	depth int
	err   error
}

func (s *setter) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("TeX %q: %s", s.src, fmt.Sprintf(format, args...))
	}
	s.pos = len(s.src)
}

// peek returns the next character, or 0 at the end.
func (s *setter) peek() rune {
	if s.pos == len(s.src) {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(s.src[s.pos:])
	return r
}

func (s *setter) next() rune {
	r, n := utf8.DecodeRuneInString(s.src[s.pos:])
	if r == utf8.RuneError && n == 1 {
		s.fail("invalid UTF-8")
		return 0
	}
	s.pos += n
	return r
}

// accept reads r if it is the next character.
func (s *setter) accept(r rune) bool {
	if r != s.peek() || s.pos == len(s.src) {
		return false
	}
	s.next()
	return true
}

func (s *setter) skipSpace() {
	for unicode.IsSpace(s.peek()) {
		s.next()
	}
}

// command reads the name of a command after its backslash: letters, or one other
// character.
func (s *setter) command() string {
	start := s.pos
	for r := s.peek(); r < utf8.RuneSelf && unicode.IsLetter(r); r = s.peek() {
		s.next()
	}
	if s.pos == start {
		if s.pos == len(s.src) {
			s.fail("it ends in a backslash")
			return ""
		}
		return string(s.next())
	}
	name := s.src[start:s.pos]
	s.skipSpace()
	return name
}

// char returns the box of a character in the face f or, if f does not have it, in
// the mathematical face.
func (s *setter) char(f *face, r rune, size float64) box {
	g, ok := f.glyph(r)
	if !ok {
		f = mathFace()
		if g, ok = f.glyph(r); !ok {
			s.fail("Latin Modern has no character %q (%U)", r, r)
			return box{}
		}
	}
	return glyphBox(f, g, size)
}

// ligatures are those of TeX.
var ligatures = strings.NewReplacer(
	"ffi", "ﬃ", "ffl", "ﬄ", "ff", "ﬀ", "fi", "ﬁ", "fl", "ﬂ",
	"---", "—", "--", "–", "``", "“", "''", "”", "`", "‘", "'", "’",
)

// word sets upright characters without markup.
func (s *setter) word(chars string, size float64) box {
	var b box
	roman := romanFace()
	for _, r := range ligatures.Replace(chars) {
		c := s.char(roman, r, size)
		if n := len(b.ink); n > 0 && c.ink != nil && b.ink[n-1].face == roman && c.ink[0].face == roman {
			b.width += roman.kern(b.ink[n-1].glyph, c.ink[0].glyph) * size
		}
		b.append(c)
	}
	return b
}

// text sets text, with mathematics between dollar signs, up to the end of the source
// or, in a group, up to its closing brace.
func (s *setter) text(st style, group bool) box {
	var b box
	var chars strings.Builder
	flush := func() {
		b.append(s.word(chars.String(), st.size()))
		chars.Reset()
	}
	for s.pos < len(s.src) {
		switch r := s.next(); {
		case r == '}' && group:
			flush()
			return b
		case r == '}':
			s.fail("a } without its {")
		case r == '{':
			flush()
			if s.enter() {
				b.append(s.text(st, true))
				s.leave()
			}
		case r == '$':
			flush()
			m := s.formula(st, '$')
			b.append(m)
			b.width += m.italic
			if !s.accept('$') {
				s.fail("a $ without its second")
			}
		case r == '\\':
			switch name := s.command(); {
			case s.err != nil:
			case spaces[name] != 0:
				flush()
				b.width += spaces[name] / 18 * st.size()
			case textSymbols[name] != "":
				chars.WriteString(textSymbols[name])
			default:
				s.fail(`unknown command \%s in text`, name)
			}
		case r == '~' || unicode.IsSpace(r):
			chars.WriteByte(' ')
		default:
			chars.WriteRune(r)
		}
	}
	flush()
	if group {
		s.fail("a { without its }")
	}
	return b
}

// enter counts the open groups, and fails if they are nested so deeply that the stack
// could overflow. If it returns true, the caller calls leave.
func (s *setter) enter() bool {
	if s.depth++; s.depth > 100 {
		s.fail("it is nested deeper than 100")
	}
	return s.err == nil
}

func (s *setter) leave() { s.depth-- }

// An atom is a part of a formula.
type atom struct {
	class class
	box   box
}

// formula sets mathematics up to a closing character, which it does not read, or to
// the end of the source.
func (s *setter) formula(st style, until rune) box {
	var atoms []atom
	for {
		s.skipSpace()
		if s.pos == len(s.src) || s.peek() == until {
			return join(atoms, st)
		}
		if c := s.peek(); c == '$' || c == '}' {
			s.fail("a %c where %c was to come first", c, until)
			return box{}
		}
		var a atom
		if c := s.peek(); c != '^' && c != '_' { // a script may have no nucleus
			a = s.nucleus(st)
		}
		if a.class != kern {
			a.box = s.scripts(a.box, st)
		}
		atoms = append(atoms, a)
	}
}

// argument sets the argument of a command or a script, which is a group or one
// token.
func (s *setter) argument(st style) box {
	if !s.enter() {
		return box{}
	}
	defer s.leave()
	s.skipSpace()
	switch c := s.peek(); {
	case s.pos == len(s.src) || c == '}' || c == '$' || c == '^' || c == '_':
		s.fail("an argument is missing")
		return box{}
	case c == '{':
		return s.group(st)
	}
	return join([]atom{s.nucleus(st)}, st)
}

func (s *setter) group(st style) box {
	s.next()
	b := s.formula(st, '}')
	if !s.accept('}') {
		s.fail("a { without its }")
	}
	return b
}

// letters reads an argument of plain characters.
func (s *setter) letters(command string) string {
	rest, braced := strings.CutPrefix(s.src[s.pos:], "{")
	if !braced && rest != "" {
		_, n := utf8.DecodeRuneInString(rest)
		rest = rest[:n] + "}"
	}
	letters, _, ok := strings.Cut(rest, "}")
	if !ok || letters == "" || strings.ContainsAny(letters, `{\$^_`) {
		s.fail(`\%s takes plain characters between braces`, command)
		return ""
	}
	s.pos += len(letters)
	if braced {
		s.pos += len("{}")
	}
	return letters
}

// nucleus sets the next part of a formula without its scripts.
func (s *setter) nucleus(st style) atom {
	if !s.enter() {
		return atom{}
	}
	defer s.leave()
	size := st.size()
	if s.peek() == '{' {
		return atom{ord, s.group(st)}
	}
	r := s.next()
	if r == '~' {
		return atom{kern, box{width: spaces[" "] / 18 * size}}
	}
	if r != '\\' {
		c := mathChar(r)
		return atom{charClass[c], s.char(mathFace(), c, size)}
	}
	name := s.command()
	if sym, ok := symbols[name]; ok {
		return atom{sym.class, s.char(mathFace(), mathChar(sym.char), size)}
	}
	if operators[name] {
		return atom{op, s.word(name, size)}
	}
	if mu, ok := spaces[name]; ok {
		return atom{kern, box{width: mu / 18 * size}}
	}
	if alphabet, ok := alphabets[name]; ok {
		var b box
		for _, r := range s.letters(name) {
			c := s.char(mathFace(), inAlphabet(r, alphabet), size)
			if b.ink == nil {
				b = c // a single letter keeps its accent position
			} else {
				b.append(c)
			}
		}
		return atom{ord, b}
	}
	switch name {
	case "mathrm":
		return atom{ord, s.word(strings.ReplaceAll(s.letters(name), " ", ""), size)}
	case "hat":
		return atom{ord, s.hat(s.argument(st), size)}
	case "sqrt":
		return atom{ord, sqrt(s.argument(st), size)}
	}
	if s.err == nil {
		s.fail(`unknown command \%s`, name)
	}
	return atom{}
}

// scripts reads the superscript and the subscript of b, and adds them to b.
//
// Reference: Knuth, The TeXbook, appendix G, rule 18.
func (s *setter) scripts(b box, st style) box {
	var sup, sub *box
	for {
		s.skipSpace()
		script := &sup
		if s.peek() == '_' {
			script = &sub
		} else if s.peek() != '^' {
			break
		}
		mark := s.next()
		if *script != nil {
			s.fail("a second %c on the same symbol", mark)
			return b
		}
		arg := s.argument(st.script())
		arg.width += arg.italic
		arg.italic = 0
		*script = &arg
	}
	if sup == nil && sub == nil {
		return b
	}
	size := st.size()
	var up, down float64
	if !b.char {
		up = b.height - supDrop*size
		down = b.depth + subDrop*size
	}
	switch {
	case sub == nil:
		up = max(up, supShift*size, sup.depth+supBottom*size)
	case sup == nil:
		down = max(down, subShift*size, sub.height-subTop*size)
	default:
		up = max(up, supShift*size, sup.depth+supBottom*size)
		down = max(down, subShiftWithSup*size)
		if gap := (up - sup.depth) - (sub.height - down); gap < scriptGap*size {
			down += scriptGap*size - gap
			if low := subTop*size - (up - sup.depth); low > 0 {
				up += low
				down -= low
			}
		}
	}
	right := b.width
	if sup != nil {
		x := b.width + b.italic
		b.place(x, up, *sup)
		right = max(right, x+sup.width)
	}
	if sub != nil {
		b.place(b.width, -down, *sub)
		right = max(right, b.width+sub.width)
	}
	b.width = right + scriptSpace*size
	b.italic, b.char = 0, false
	return b
}

// hat sets a circumflex of the upright face over b, as LaTeX does. It does not move
// the scripts of a single character.
func (s *setter) hat(b box, size float64) box {
	m := s.char(romanFace(), '\u0302', size) // a combining character, whose ink is left of its origin
	if !b.char {
		b.accent = (b.width + b.italic) / 2
	}
	b.place(b.accent-m.accent, b.height-min(b.height, accentBase*size), m)
	return b
}

// sqrt sets b under the smallest radical sign that is tall enough.
func sqrt(b box, size float64) box {
	f := mathFace()
	thick, gap := rule*size, (rule+rule/4)*size
	inside := b.height + b.depth
	base, _ := f.glyph('√')
	sign := glyphBox(f, base, size)
	for _, g := range f.taller[base] {
		if sign.height+sign.depth >= inside+gap+thick {
			break
		}
		sign = glyphBox(f, g, size)
	}
	if slack := sign.height + sign.depth - thick - inside - gap; slack > 0 {
		gap += slack / 2
	}
	top := b.height + gap + thick
	var r box
	r.place(0, top-sign.height, sign)
	r.place(sign.width, top-thick, ruleBox(b.width+b.italic, thick))
	r.place(sign.width, 0, b)
	r.width = sign.width + b.width + b.italic
	r.height += thick // the space above the rule
	return r
}

// join sets atoms side by side, with the spaces of their classes. A single atom is
// returned unchanged, so that {X} is accented like X.
func join(atoms []atom, st style) box {
	if len(atoms) == 1 {
		return atoms[0].box
	}
	// A binary operator without two operands is an ordinary sign: -1.
	last := -1 // index of the previous atom other than a kern
	for i := range atoms {
		a := &atoms[i]
		if a.class == kern {
			continue
		}
		if a.class == bin {
			if last < 0 {
				a.class = ord
			} else if c := atoms[last].class; c == op || c == bin || c == rel || c == open || c == punct {
				a.class = ord
			}
		}
		if last >= 0 && atoms[last].class == bin && (a.class == rel || a.class == closing || a.class == punct) {
			atoms[last].class = ord
		}
		last = i
	}
	if last >= 0 && atoms[last].class == bin {
		atoms[last].class = ord
	}

	var b box
	last = -1
	for i, a := range atoms {
		if a.class != kern {
			if last >= 0 {
				b.width += space(atoms[last].class, a.class, st)
			}
			last = i
		}
		b.append(a.box)
		b.width += a.box.italic
	}
	return b
}

// space returns the space between two adjacent atoms, in points.
func space(left, right class, st style) float64 {
	mark := spacing[left][right]
	switch {
	case mark >= 'a' && st.level > 0:
		return 0
	case mark >= 'a':
		mark -= 'a' - '1'
	}
	return [...]float64{0, 3, 4, 5}[mark-'0'] / 18 * st.size()
}
