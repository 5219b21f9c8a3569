package tex

import (
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot/vg"
)

// A Box is a text with its layout. Its origin is the left end of its baseline.
// Lengths are in points, and y points upwards.
type Box struct {
	Width, Height, Depth float64
	italic               float64 // the italic correction, by which a superscript moves
	accent               float64 // the position of the middle of an accent
	// char is a single character, with or without accent: its scripts have standard heights.
	char bool
	ink  []ink
}

// An ink is a glyph or, if face is nil, a rule of the given width whose thickness is size. (x, y)
// is its lower left corner.
type ink struct {
	face              *face
	glyph             sfnt.GlyphIndex
	x, y, size, width float64
}

// glyphBox returns the box of a glyph of f.
func glyphBox(f *face, g sfnt.GlyphIndex, size float64) Box {
	m := f.metric(g)
	accent, ok := f.accent[g]
	if !ok {
		accent = (m.left + m.right) / 2
	}
	return Box{
		Width:  m.advance * size,
		Height: m.height * size,
		Depth:  m.depth * size,
		italic: f.italic[g] * size,
		accent: accent * size,
		char:   true,
		ink:    []ink{{face: f, glyph: g, size: size}},
	}
}

// ruleBox returns the box of a rule on the baseline.
func ruleBox(width, thickness float64) Box {
	return Box{Width: width, Height: thickness, ink: []ink{{size: thickness, width: width}}}
}

// placeAt adds c to b with the origin of c at (x, y). It increases the height and the depth of b so
// that b contains c. The caller sets the width.
func (b *Box) placeAt(x, y float64, c Box) {
	if len(c.ink) > 0 {
		b.Height = math.Max(b.Height, c.Height+y)
		b.Depth = math.Max(b.Depth, c.Depth-y)
	}
	for _, k := range c.ink {
		k.x += x
		k.y += y
		b.ink = append(b.ink, k)
	}
}

// Empty reports whether b has nothing to draw.
func (b Box) Empty() bool { return len(b.ink) == 0 }

// appendBox adds c to the right of b.
func (b *Box) appendBox(c Box) {
	b.placeAt(b.Width, 0, c)
	b.Width += c.Width
}

// Path returns the outline of b with its origin at p, rotated by 90 degrees counterclockwise if
// upwards. A text is one path, which keeps files small.
func (b Box) Path(p vg.Point, upwards bool) vg.Path {
	var path vg.Path
	for _, k := range b.ink {
		at := func(x, y float64) vg.Point {
			x, y = k.x+x, k.y+y
			if upwards {
				x, y = -y, x
			}
			return p.Add(vg.Point{X: vg.Length(x), Y: vg.Length(y)})
		}
		if k.face == nil {
			path.Move(at(0, 0))
			path.Line(at(k.width, 0))
			path.Line(at(k.width, k.size))
			path.Line(at(0, k.size))
			path.Close()
			continue
		}
		unit := func(p fixed.Point26_6) vg.Point { return at(ems(p.X)*k.size, -ems(p.Y)*k.size) }
		isOpen := false
		for _, s := range k.face.outline(k.glyph) {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if isOpen {
					path.Close()
				}
				isOpen = true
				path.Move(unit(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(unit(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(unit(s.Args[0]), unit(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(unit(s.Args[0]), unit(s.Args[1]), unit(s.Args[2]))
			}
		}
		if isOpen {
			path.Close()
		}
	}
	return path
}
