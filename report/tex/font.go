package tex

import (
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationserifitalic"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
)

// A Font is a family of faces in which texts are drawn.
type Font string

// The fonts. Figures in Times go with articles whose class takes Times, such as that of the IEEE.
const (
	LatinModern Font = ""      // the shapes of Computer Modern
	Times       Font = "times" // Liberation Serif, which has the widths of Times New Roman
)

// faces holds the faces of a font, and the ligatures of its upright face.
type faces struct {
	roman *face
	// italic has the letters of formulas; where it is nil, the mathematical face has them, and
	// digits and signs too.
	italic    *face
	ligatures *strings.Replacer
}

// quotes lists what TeX sets in place of typewriter quotes and hyphens.
var quotes = []string{"---", "—", "--", "–", "``", "“", "''", "”", "`", "‘", "'", "’"}

// The ligatures of a font in text: of Times, quotes and dashes alone.
var (
	quotesOnly = strings.NewReplacer(quotes...)
	ligatures  = strings.NewReplacer(append([]string{
		"ffi", "ﬃ", "ffl", "ﬄ", "ff", "ﬀ", "fi", "ﬁ", "fl", "ﬂ"}, quotes...)...)
)

// The faces of Times.
var (
	serifFace = sync.OnceValue(func() *face { return mustLoad(liberationserifregular.TTF) })
	slantFace = sync.OnceValue(func() *face { return mustLoad(liberationserifitalic.TTF) })
)

// faces returns the faces of f. It panics on an unknown font.
func (f Font) faces() faces {
	switch f {
	case LatinModern:
		return faces{roman: romanFace(), ligatures: ligatures}
	case Times:
		return faces{roman: serifFace(), italic: slantFace(), ligatures: quotesOnly}
	}
	panic("tex: unknown font " + string(f))
}

// charBox returns the box of a character in the given face or, if that lacks it, in the
// mathematical face or in Latin Modern. A character that all of them lack is set as its code point.
func (f faces) charBox(in *face, r rune, size float64) Box {
	for _, candidate := range []*face{in, mathFace(), romanFace()} {
		if g, ok := candidate.glyph(r); ok {
			return glyphBox(candidate, g, size)
		}
	}
	return f.wordBox(codePoint(r), size)
}

// wordBox returns the box of upright characters, with kerns.
func (f faces) wordBox(chars string, size float64) Box {
	var b Box
	for _, r := range chars {
		c := f.charBox(f.roman, r, size)
		n := len(b.ink)
		if n > 0 && c.ink != nil && b.ink[n-1].face == f.roman && c.ink[0].face == f.roman {
			b.Width += f.roman.kern(b.ink[n-1].glyph, c.ink[0].glyph) * size
		}
		b.appendBox(c)
	}
	return b
}

// formulaBox returns the box of a character of [mathChar] in a formula: a letter in italics, a
// digit or a sign upright.
func (f faces) formulaBox(r rune, size float64) Box {
	if f.italic == nil {
		return f.charBox(mathFace(), r, size)
	}
	in, r := f.italic, uprightLetter(r)
	if r < 'A' || r == '−' {
		in = f.roman
	}
	b := f.charBox(in, r, size)
	if b.ink != nil && b.ink[0].face == f.italic {
		m := f.italic.metric(b.ink[0].glyph)
		b.italic = max(0, m.right-m.advance) * size // it leans out of its width
	}
	return b
}

// uprightLetter returns the upright form of an italic letter of mathematics. It returns other
// characters as they are.
func uprightLetter(r rune) rune {
	for _, first := range [][3]rune{{'𝐴', '𝑍', 'A'}, {'𝑎', '𝑧', 'a'}, {'𝛼', '𝜔', 'α'}} {
		if first[0] <= r && r <= first[1] {
			return first[2] + r - first[0]
		}
	}
	if r == 'ℎ' {
		return 'h'
	}
	return r
}
