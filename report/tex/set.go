package tex

import (
	"fmt"
	"slices"
	"strings"
)

// Set returns the box of a source at the given size, in points. Its error names the first fault of
// the source, or a command that a box cannot have.
//
// Reference: Knuth, The TeXbook, appendix G.
func (f Font) Set(src string, size float64) (Box, error) {
	nodes, err := parse(src)
	if err != nil {
		return Box{}, err
	}
	s := &setter{src: src, faces: f.faces()}
	b := s.setText(nodes, style{base: size})
	return b, s.err
}

// A style is the size of a formula: text, script, or script of a script.
type style struct {
	base  float64 // the size of text, in points
	level int     // 0, 1 or 2
}

// size returns the size of letters in points: scripts are 0.7 of the text, and their scripts 0.5.
func (st style) size() float64 { return st.base * [...]float64{1, 0.7, 0.5}[st.level] }

// script returns the style of scripts in this style.
func (st style) script() style { return style{st.base, min(st.level+1, 2)} }

// Dimensions of formulas, in ems. They are those of TeX's fonts cmsy10 and cmex10, so
// that a label looks like the same formula in the text of a paper.
//
// Reference: Knuth, The TeXbook, appendix G.
const (
	// accentBase is the height of an x. The accent of a taller letter is moved up by the
	// difference.
	accentBase      = 0.431
	supShift        = 0.363 // σ14, the least height of a superscript's baseline
	supDrop         = 0.386 // σ18, from the top of a tall nucleus down to that baseline
	supBottom       = 0.108 // the least height of a superscript's bottom, a quarter of an x
	subShift        = 0.150 // σ16, the least depth of a subscript's baseline
	subShiftWithSup = 0.247 // σ17, the same below a superscript
	subDrop         = 0.050 // σ19, from the bottom of a deep nucleus down to that baseline
	// subTop, 4/5 of an x, is the largest height of the top of a lone subscript. Beside a subscript
	// that is too close, a superscript is raised until its bottom has this height.
	subTop      = 0.344
	scriptGap   = 0.160 // the least distance of superscript and subscript, four rules
	scriptSpace = 0.050 // behind scripts
	rule        = 0.040 // the thickness of rules
)

// A setter sets the nodes of a source, and keeps the first error.
type setter struct {
	src string
	faces
	err error
}

// missingCommand records the error that a command cannot be drawn, and returns an empty box.
func (s *setter) missingCommand(name string) Box {
	if s.err == nil {
		s.err = fmt.Errorf(`TeX %q: \%s cannot be drawn`, s.src, name)
	}
	return Box{}
}

// setText returns the box of a text with its formulas.
func (s *setter) setText(nodes []node, st style) Box {
	var b Box
	var chars strings.Builder
	flush := func() {
		b.appendBox(s.wordBox(s.ligatures.Replace(chars.String()), st.size()))
		chars.Reset()
	}
	for len(nodes) > 0 {
		n := nodes[0]
		raised, count := leadingScripts(nodes) // characters such as ² and ₖ
		nodes = nodes[max(1, count):]
		switch {
		case count > 0:
			flush()
			b.appendBox(s.setFormula([]node{raised}, st))
		case n.kind == letter:
			chars.WriteRune(n.char)
		case n.kind == blank:
			chars.WriteByte(' ')
		// \textquotesingle and \textasciigrave, of which the ligatures would make ’ and ‘.
		case n.char == '\'' || n.char == '`':
			flush()
			b.appendBox(s.wordBox(string(n.char), st.size()))
		case n.kind == command && n.char != 0:
			chars.WriteRune(n.char)
		default:
			flush()
			switch {
			case n.kind == group:
				b.appendBox(s.setText(n.args[0], st))
			case n.kind == formula:
				m := s.setFormula(n.args[0], st)
				b.appendBox(m)
				b.Width += m.italic
			case takesText[n.name]:
				b.appendBox(s.setTextArgument(n, st))
			default:
				b.Width += kerns[n.name] / 18 * st.size()
			}
		}
	}
	flush()
	return b
}

// setTextArgument returns the box of the argument of a command for text. It ignores changes of the
// font.
func (s *setter) setTextArgument(n node, st style) Box {
	if n.name != "text" && n.name != "mbox" {
		return s.missingCommand(n.name)
	}
	return s.setText(n.args[0], st)
}

// An atom is a part of a formula.
type atom struct {
	class class
	box   Box
}

// setFormula returns the box of a formula.
func (s *setter) setFormula(nodes []node, st style) Box {
	var atoms []atom
	for _, n := range nodes {
		if n.kind == blank {
			continue
		}
		a := s.setNucleus(n, st)
		if a.class != kern {
			a.box = s.setScripts(a.box, n.scripts, st)
		}
		atoms = append(atoms, a)
	}
	return joinAtoms(atoms, st)
}

// setNucleus returns a part of a formula without its scripts.
func (s *setter) setNucleus(n node, st style) atom {
	size := st.size()
	arg := func() Box { return s.setFormula(n.args[0], st) }
	alphabet, isAlphabet := alphabets[n.name]
	symbol, isSymbol := symbolNamed[n.name]
	switch {
	case n.kind == letter:
		c := mathChar(n.char)
		return atom{classOf(c), s.formulaBox(c, size)}
	case n.kind == group:
		return atom{ord, arg()}
	case isSymbol:
		return atom{symbol.class, s.formulaBox(mathChar(symbol.char), size)}
	case operators[n.name] != "":
		return atom{op, s.wordBox(strings.TrimSpace(operators[n.name]), size)}
	case n.isKern():
		return atom{kern, Box{Width: kerns[n.name] / 18 * size}}
	case isAlphabet:
		var b Box
		for _, l := range n.args[0] {
			c := s.charBox(mathFace(), inAlphabet(l.char, alphabet), size)
			if b.ink == nil {
				b = c // a single letter keeps its accent position
			} else {
				b.appendBox(c)
			}
		}
		return atom{ord, b}
	case upright[n.name]:
		var letters strings.Builder
		for _, l := range n.args[0] {
			if l.kind == letter {
				letters.WriteRune(l.char)
			}
		}
		class := ord
		if n.name == "operatorname" {
			class = op
		}
		return atom{class, s.wordBox(s.ligatures.Replace(letters.String()), size)}
	case accents[n.name] != 0:
		return atom{ord, s.accentBox(arg(), accents[n.name], size)}
	case n.name == "sqrt":
		return atom{ord, sqrtBox(arg(), size)}
	case takesText[n.name]:
		return atom{ord, s.setTextArgument(n, st)}
	}
	return atom{ord, s.missingCommand(n.name)}
}

// setScripts adds scripts to b.
//
// Reference: Knuth, The TeXbook, appendix G, rule 18.
func (s *setter) setScripts(b Box, scripts []script, st style) Box {
	var sup, sub *Box
	for _, script := range scripts {
		arg := s.setFormula(script.arg, st.script())
		arg.Width += arg.italic
		arg.italic = 0
		if script.mark == '^' {
			sup = &arg
		} else {
			sub = &arg
		}
	}
	if sup == nil && sub == nil {
		return b
	}
	size := st.size()
	var up, down float64
	if !b.char {
		up = b.Height - supDrop*size
		down = b.Depth + subDrop*size
	}
	switch {
	case sub == nil:
		up = max(up, supShift*size, sup.Depth+supBottom*size)
	case sup == nil:
		down = max(down, subShift*size, sub.Height-subTop*size)
	default:
		up = max(up, supShift*size, sup.Depth+supBottom*size)
		down = max(down, subShiftWithSup*size)
		if gap := (up - sup.Depth) - (sub.Height - down); gap < scriptGap*size {
			down += scriptGap*size - gap
			if low := subTop*size - (up - sup.Depth); low > 0 {
				up += low
				down -= low
			}
		}
	}
	right := b.Width
	if sup != nil {
		x := b.Width + b.italic
		b.placeAt(x, up, *sup)
		right = max(right, x+sup.Width)
	}
	if sub != nil {
		b.placeAt(b.Width, -down, *sub)
		right = max(right, b.Width+sub.Width)
	}
	b.Width = right + scriptSpace*size
	b.italic, b.char = 0, false
	return b
}

// accentBox sets an accent of the upright face over b, as LaTeX does. The box of a single character
// with an accent still counts as one, so that its scripts stay where they are without the accent.
func (s *setter) accentBox(b Box, mark rune, size float64) Box {
	m := s.charBox(romanFace(), mark, size) // a combining character, whose ink is left of its origin
	if !b.char {
		b.accent = (b.Width + b.italic) / 2
	}
	b.placeAt(b.accent-m.accent, b.Height-min(b.Height, accentBase*size), m)
	return b
}

// sqrtBox sets b under the smallest radical sign that is tall enough.
func sqrtBox(b Box, size float64) Box {
	f := mathFace()
	thick, gap := rule*size, (rule+rule/4)*size
	inside := b.Height + b.Depth
	base, _ := f.glyph('√')
	sign := glyphBox(f, base, size)
	for _, g := range f.taller[base] {
		if sign.Height+sign.Depth >= inside+gap+thick {
			break
		}
		sign = glyphBox(f, g, size)
	}
	if slack := sign.Height + sign.Depth - thick - inside - gap; slack > 0 {
		gap += slack / 2
	}
	top := b.Height + gap + thick
	var r Box
	r.placeAt(0, top-sign.Height, sign)
	r.placeAt(sign.Width, top-thick, ruleBox(b.Width+b.italic, thick))
	r.placeAt(sign.Width, 0, b)
	r.Width = sign.Width + b.Width + b.italic
	r.Height += thick // the space above the rule
	return r
}

// joinAtoms sets atoms side by side, with the spaces between their classes. It returns a single
// atom unchanged, so that {X} is accented like X.
func joinAtoms(atoms []atom, st style) Box {
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
			} else if slices.Contains([]class{op, bin, rel, open, punct}, atoms[last].class) {
				a.class = ord
			}
		}
		if last >= 0 && atoms[last].class == bin &&
			slices.Contains([]class{rel, closing, punct}, a.class) {
			atoms[last].class = ord
		}
		last = i
	}
	if last >= 0 && atoms[last].class == bin {
		atoms[last].class = ord
	}

	var b Box
	last = -1
	for i, a := range atoms {
		if a.class != kern {
			if last >= 0 {
				b.Width += atomSpace(atoms[last].class, a.class, st)
			}
			last = i
		}
		b.appendBox(a.box)
		b.Width += a.box.italic
	}
	return b
}

// atomSpace returns the space between two adjacent atoms, in points: none, or the thin, medium or
// thick space of [spacing], which are 3, 4 and 5 eighteenths of an em.
func atomSpace(left, right class, st style) float64 {
	mark := spacing[left][right]
	if mark >= 'a' { // a, b and c are 1, 2 and 3 outside of scripts
		if st.level > 0 {
			return 0
		}
		mark -= 'a' - '1'
	}
	return [...]float64{0, 3, 4, 5}[mark-'0'] / 18 * st.size()
}
