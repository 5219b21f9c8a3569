package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A look distinguishes a curve from the others by colour, dashes and marker.
type look struct {
	color  color.NRGBA
	dashes []vg.Length
	marker []vg.Point // corners on a circle of radius 1; nil for the circle itself
}

// looks lists the colours of Okabe and Ito except yellow, which is hardly visible on paper, each
// with its dashes and its marker.
//
// Reference: Okabe and Ito, Color Universal Design, 2008.
var looks = [7]look{
	{color.NRGBA{0x00, 0x72, 0xb2, 0xff}, nil, nil},                                    // blue
	{color.NRGBA{0xd5, 0x5e, 0x00, 0xff}, []vg.Length{5, 1.6}, polygon(4, 45)},         // vermilion
	{color.NRGBA{0x00, 0x9e, 0x73, 0xff}, []vg.Length{5, 1.5, 1, 1.5}, polygon(3, 90)}, // green
	{color.NRGBA{0xcc, 0x79, 0xa7, 0xff}, []vg.Length{2.4, 1.4}, polygon(4, 0)},        // purple
	{color.NRGBA{0xe6, 0x9f, 0x00, 0xff}, []vg.Length{8, 1.6}, polygon(3, -90)},        // orange
	{color.NRGBA{0x56, 0xb4, 0xe9, 0xff}, []vg.Length{5, 1.4, 1, 1.4, 1, 1.4}, star},   // sky
	// black, as dark as the axes
	{color.NRGBA{0x2a, 0x2a, 0x2a, 0xff}, []vg.Length{1, 1.2}, polygon(5, 90)},
}

// star is a five-pointed star, with every second corner nearer to the center.
var star = polygon(10, 90, 1.15, 0.5)

// lookOf returns the look of a style. Styles beyond the last colour repeat the colours with other
// dashes and markers.
func lookOf(style int) look {
	l := looks[(style+style/len(looks))%len(looks)]
	l.color = looks[style%len(looks)].color
	return l
}

// Colour returns the number of the colour of a style. Seven successive styles have different
// colours.
func Colour(style int) int { return style % len(looks) }

// look returns the look of a curve.
func (s *Series) look() look {
	l := lookOf(s.Style)
	if s.Faint {
		l = look{color: grey(0xb4)}
	}
	return l
}

// lineStyle returns how the line of a curve is drawn.
func (s *Series) lineStyle() draw.LineStyle {
	l := s.look()
	switch {
	case s.Thin && s.Solid:
		return draw.LineStyle{Color: l.color, Width: guideWidth}
	case s.Thin:
		return draw.LineStyle{Color: l.color, Width: guideWidth, Dashes: []vg.Length{1.5, 1.5}}
	case s.Path, s.Faint:
		return draw.LineStyle{Color: l.color, Width: guideWidth}
	}
	return draw.LineStyle{Color: l.color, Width: curveWidth, Dashes: l.dashes}
}

// polygon returns the corners of a regular polygon, the first one at the given angle in degrees.
// With two radii it returns those of a star.
func polygon(corners int, first float64, radii ...float64) []vg.Point {
	points := make([]vg.Point, corners)
	for i := range points {
		sin, cos := math.Sincos((first + 360*float64(i)/float64(corners)) * math.Pi / 180)
		points[i] = vg.Point{X: vg.Length(cos), Y: vg.Length(sin)}
		if len(radii) > 0 {
			points[i] = points[i].Scale(vg.Length(radii[i%len(radii)]))
		}
	}
	return points
}

// drawMarker draws the marker at p, with a white edge that separates it from other curves.
func (l look) drawMarker(c draw.Canvas, p vg.Point) {
	c.SetColor(grey(0xff))
	c.Fill(markerPath(l.marker, p, markerSize+0.5))
	c.SetColor(l.color)
	c.Fill(markerPath(l.marker, p, markerSize))
}

// markerPath returns the outline of a marker around p.
func markerPath(corners []vg.Point, p vg.Point, radius vg.Length) (path vg.Path) {
	if corners == nil {
		path.Move(p.Add(vg.Point{X: radius}))
		path.Arc(p, radius, 0, 2*math.Pi)
	}
	for i, c := range corners {
		// a polygon looks smaller than its circumscribed circle
		if q := p.Add(c.Scale(radius * 1.15)); i == 0 {
			path.Move(q)
		} else {
			path.Line(q)
		}
	}
	path.Close()
	return path
}

// tint mixes a colour with a share of white. Bands are opaque tints, since the PDF backend turns
// translucent colours grey.
func tint(c color.NRGBA, white float64) color.NRGBA {
	mix := func(v uint8) uint8 {
		return uint8(
			math.Round(float64(v) + float64(white*float64(0xff-v))))
	}
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

// frameStyle is the style of frames and ticks.
var frameStyle = draw.LineStyle{Color: grey(0x30), Width: frameWidth}

// grey returns the grey of a level, from 0 for black to 0xff for white.
func grey(level uint8) color.NRGBA { return color.NRGBA{level, level, level, 0xff} }

// Lengths and sizes, in points.
const (
	centimetre = 72 / 2.54

	titleSize      = 9
	labelSize      = 9
	tickSize       = 8
	legendSize     = 8
	frameLabelSize = 7.5 // of the labels of guides and marks

	curveWidth  = 1.1
	frameWidth  = 0.5
	gridWidth   = 0.35
	guideWidth  = 0.6
	markerSize  = 1.9
	dodgeStep   = 2.6 // between the points of two curves at one x
	mostDodge   = 7.5 // of a point from its x
	markerEvery = 36  // the distance of markers along a curve
	majorTick   = 3
	endWidth    = 18 // from the frame to the label of a curve at its end
	pad         = 3  // between an axis or curve sample and its label
	outerMargin = 2
	titleMargin = 4    // beside the title of a panel, so that titles side by side are apart
	titleAbove  = 7    // from the frame to the baseline of the title
	strut       = 1.02 // the height of a tick's label, in its size
)
