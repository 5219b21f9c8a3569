package tex

import (
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// A Handler sets the texts of a plot of gonum/plot, whose sources are the TeX of this package. Of
// the font that plot gives it uses the size only: the faces are those of its Font. It panics on a
// source that has a fault.
type Handler struct{ Font Font }

var _ text.Handler = Handler{}

// The strut of a text, in ems: its box is at least as high and as deep, so that the baselines of
// labels in a row are level. The middle of the strut is that of a digit.
const (
	strutHeight = 0.84
	strutDepth  = 0.18
)

// Cache returns nil, since the fonts are not those of plot.
func (Handler) Cache() *font.Cache { return nil }

// Extents returns the size of a font as its ascent. The depth is that of each text.
func (Handler) Extents(f font.Font) font.Extents {
	return font.Extents{Ascent: f.Size, Height: f.Size}
}

// Lines returns one line.
func (Handler) Lines(src string) []string { return []string{src} }

// Box returns the size of a text, which has a strut. Blanks at its ends have no width.
func (h Handler) Box(src string, f font.Font) (width, height, depth vg.Length) {
	b := h.strutBox(src, f)
	return vg.Length(b.Width), vg.Length(b.Height), vg.Length(b.Depth)
}

// strutBox returns a text without the blanks at its ends, with a strut.
func (h Handler) strutBox(src string, f font.Font) Box {
	size := f.Size.Points()
	b, err := h.Font.Set(strings.TrimSpace(src), size)
	if err != nil {
		panic("tex: " + err.Error())
	}
	b.Height, b.Depth = max(b.Height, strutHeight*size), max(b.Depth, strutDepth*size)
	return b
}

// Draw draws a text as outlines. The rotation is none, or a quarter turn counterclockwise.
func (h Handler) Draw(c vg.Canvas, src string, sty text.Style, p vg.Point) {
	b := h.strutBox(src, sty.Font)
	shift := vg.Point{X: vg.Length(sty.XAlign) * vg.Length(b.Width),
		Y: vg.Length(b.Depth) + vg.Length(sty.YAlign)*vg.Length(b.Height+b.Depth)}
	switch sty.Rotation {
	case 0:
	case math.Pi / 2:
		shift.X, shift.Y = -shift.Y, shift.X
	default:
		panic("tex: a text is horizontal or vertical")
	}
	if !b.Empty() {
		c.SetColor(sty.Color)
		c.Fill(b.Path(p.Add(shift), sty.Rotation != 0))
	}
}
