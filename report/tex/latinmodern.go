package tex

import (
	"encoding/binary"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/latin-modern/lmmath"
	"codeberg.org/go-fonts/latin-modern/lmroman10regular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// A face is one of the fonts. The methods metric and kern return ems, and y points upwards; advance
// and outline return font units, and y points downwards, as in package sfnt.
type face struct {
	font *sfnt.Font
	mathTable
	glyphs  memo[rune, sfnt.GlyphIndex] // 0 for a character that the face does not have
	metrics memo[sfnt.GlyphIndex, metric]
}

// A memo keeps the values of a function: a label is measured again and again.
type memo[K, V any] struct{ values sync.Map }

// get returns the value of a key, computed when it is asked for first. It may be called
// concurrently.
func (m *memo[K, V]) get(key K, compute func() V) V {
	if v, ok := m.values.Load(key); ok {
		return v.(V)
	}
	v := compute()
	m.values.Store(key, v)
	return v
}

// The two faces are those of LaTeX's lmodern.
var (
	romanFace = sync.OnceValue(func() *face { return mustLoad(lmroman10regular.TTF) })
	mathFace  = sync.OnceValue(func() *face { return mustLoad(lmmath.TTF) })
)

// mustLoad parses an embedded font. It panics on an error, which no caller could remedy.
func mustLoad(data []byte) *face {
	f, err := sfnt.Parse(data)
	if err != nil {
		panic("tex: " + err.Error())
	}
	return &face{font: f, mathTable: readMathTable(data)}
}

// em is the number of font units in an em. At this ppem, package sfnt returns lengths
// in font units.
const em fixed.Int26_6 = 1000

// ems returns font units in ems.
func ems(u fixed.Int26_6) float64 { return float64(u) / float64(em) }

// glyph returns the glyph of r, if the face has one.
func (f *face) glyph(r rune) (sfnt.GlyphIndex, bool) {
	g := f.glyphs.get(r, func() sfnt.GlyphIndex {
		g, err := f.font.GlyphIndex(nil, r)
		if err != nil {
			return 0
		}
		return g
	})
	return g, g != 0
}

// A metric is the size of a glyph: its advance and the extent of its ink.
type metric struct{ advance, height, depth, left, right float64 }

// advance returns the advance of a glyph in font units. It panics on a glyph that the font lacks.
func (f *face) advance(g sfnt.GlyphIndex) fixed.Int26_6 {
	w, err := f.font.GlyphAdvance(nil, g, em, font.HintingNone)
	if err != nil {
		panic("tex: " + err.Error())
	}
	return w
}

// metric returns the size of a glyph, which it keeps. It panics on a glyph that the font lacks.
func (f *face) metric(g sfnt.GlyphIndex) metric {
	return f.metrics.get(g, func() metric {
		bounds, advance, err := f.font.GlyphBounds(nil, g, em, font.HintingNone)
		if err != nil {
			panic("tex: " + err.Error())
		}
		return metric{
			advance: ems(advance),
			height:  ems(-bounds.Min.Y),
			depth:   ems(bounds.Max.Y),
			left:    ems(bounds.Min.X),
			right:   ems(bounds.Max.X),
		}
	})
}

// kern returns the kerning between g and h.
func (f *face) kern(g, h sfnt.GlyphIndex) float64 {
	k, err := f.font.Kern(nil, g, h, em, font.HintingNone)
	if err != nil {
		return 0 // sfnt.ErrNotFound: the pair has no kerning
	}
	return ems(k)
}

// outline returns the contours of g.
func (f *face) outline(g sfnt.GlyphIndex) sfnt.Segments {
	s, err := f.font.LoadGlyph(nil, g, em, nil)
	if err != nil {
		panic("tex: " + err.Error())
	}
	return s
}

// A mathTable is the part that is used here of the OpenType table MATH, which package
// sfnt does not read.
//
// Reference: OpenType specification 1.9, "MATH — The mathematical typesetting table".
type mathTable struct {
	italic map[sfnt.GlyphIndex]float64           // the italic correction
	accent map[sfnt.GlyphIndex]float64           // the position of the middle of an accent
	taller map[sfnt.GlyphIndex][]sfnt.GlyphIndex // taller variants of a glyph, in order of height
}

// readMathTable reads the MATH table of a font in its OpenType file. A font without one has an
// empty table.
func readMathTable(data []byte) mathTable {
	var t mathTable
	u16 := func(b []byte, i int) int { return int(binary.BigEndian.Uint16(b[i:])) }
	table := func() []byte {
		for entry := range u16(data, 4) {
			e := data[12+16*entry:]
			if string(e[:4]) == "MATH" {
				return data[binary.BigEndian.Uint32(e[8:]):]
			}
		}
		return nil
	}()
	if table == nil {
		return t
	}

	// covered returns the glyphs of a subtable, in its order.
	covered := func(b []byte) (glyphs []sfnt.GlyphIndex) {
		format, n := u16(b, 0), u16(b, 2)
		for i := range n {
			if format == 1 {
				glyphs = append(glyphs, sfnt.GlyphIndex(u16(b, 4+2*i)))
				continue
			}
			for g := u16(b, 4+6*i); g <= u16(b, 6+6*i); g++ {
				glyphs = append(glyphs, sfnt.GlyphIndex(g))
			}
		}
		return glyphs
	}
	values := func(b []byte) map[sfnt.GlyphIndex]float64 {
		m := make(map[sfnt.GlyphIndex]float64)
		for i, g := range covered(b[u16(b, 0):]) {
			m[g] = ems(fixed.Int26_6(int16(u16(b, 4+4*i))))
		}
		return m
	}

	glyphs := table[u16(table, 6):]
	t.italic = values(glyphs[u16(glyphs, 0):])
	t.accent = values(glyphs[u16(glyphs, 2):])

	variants := table[u16(table, 8):]
	t.taller = make(map[sfnt.GlyphIndex][]sfnt.GlyphIndex)
	for i, g := range covered(variants[u16(variants, 2):]) {
		construction := variants[u16(variants, 10+2*i):]
		for k := range u16(construction, 2) {
			t.taller[g] = append(t.taller[g], sfnt.GlyphIndex(u16(construction, 4+4*k)))
		}
	}
	return t
}

// Width returns the width of a text in Latin Modern at 10 pt, in points.
func Width(s string) (points float64) {
	f := romanFace()
	for _, r := range s {
		g, ok := f.glyph(r)
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
		case r > '~' && latexSpelling(r) == codePoint(r):
			points += Width(codePoint(r)) // which is printed, as LaTeX does not know r
		case ok:
			points += 10 * float64(f.advance(g)) / float64(em)
		default:
			points += 8 // not in the roman face: few signs of formulas are wider
		}
	}
	return points
}
