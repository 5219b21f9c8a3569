package figure

import (
	"image/color"
	"math"
	"slices"

	"ocobench/report/tex"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Plot draws the frame and the title. The frame covers the curves.
func (d *panel) Plot(c draw.Canvas, _ *plot.Plot) {
	c.StrokeLines(frameStyle, append(corners(c.Rectangle), c.Min, c.Min.Add(vg.Point{X: 1})))
	x := (c.Min.X + c.Max.X - vg.Length(d.title.Width)) / 2
	x = min(x, d.canvas.Max.X-titleMargin-vg.Length(d.title.Width))
	x = max(x, d.canvas.Min.X+titleMargin)
	drawBox(c, d.title, vg.Point{X: x, Y: c.Max.Y + titleAbove}, grey(0))
}

// corners returns the corners of r, counterclockwise from the lower left one.
func corners(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

// drawRegions shades the regions from the lower to the upper end of the frame.
func (d *panel) drawRegions(c draw.Canvas) {
	for _, r := range d.Regions {
		shade := c.Rectangle
		shade.Min.X, shade.Max.X = d.pointAt(r.Min, 0).X, d.pointAt(r.Max, 0).X
		c.FillPolygon(grey(0xec), c.ClipPolygonXY(corners(shade)))
	}
}

// curves returns the layer of the lines of all faint curves, or of all others.
func (d *panel) curves(faint bool) layer {
	return func(c draw.Canvas) {
		for i := range d.Series {
			if s := &d.Series[i]; s.Faint == faint && !s.Points {
				c.StrokeLines(s.lineStyle(), c.ClipLinesXY(d.curveLines(s)...)...)
			}
		}
	}
}

// drawBands draws the bands of all curves, and then their edges.
func (d *panel) drawBands(c draw.Canvas) {
	if d.bars {
		return
	}
	var edges []func()
	for i := range d.Series {
		s := &d.Series[i]
		ink := lookOf(s.Style).color
		lower, upper := d.bandEdges(s)
		for k := range lower {
			outline := slices.Clone(upper[k])
			slices.Reverse(outline)
			c.FillPolygon(tint(ink, bandWhite), c.ClipPolygonXY(append(outline, lower[k]...)))
		}
		edges = append(edges, func() {
			edge := draw.LineStyle{Color: tint(ink, edgeWhite), Width: gridWidth}
			c.StrokeLines(edge, c.ClipLinesXY(append(lower, upper...)...)...)
		})
	}
	for _, draw := range edges {
		draw()
	}
}

// drawNotes draws the notes before the curves, so that a note never covers a curve.
func (d *panel) drawNotes(c draw.Canvas) {
	const air = 1 // points of white around a note
	for _, n := range d.notes {
		r := n.rectangle()
		r.Min, r.Max = r.Min.Sub(vg.Point{X: air, Y: air}), r.Max.Add(vg.Point{X: air, Y: air})
		c.FillPolygon(grey(0xff), corners(r))
		drawBox(c, n.box, n.at, grey(0x38))
	}
}

// drawReferences draws the lines of guides, marks and levels.
func (d *panel) drawReferences(c draw.Canvas) {
	for _, r := range d.references() {
		c.StrokeLines(r.style, c.ClipLinesXY(r.line)...)
	}
}

// drawMarkers draws the markers of all curves: that of a path at its end.
func (d *panel) drawMarkers(c draw.Canvas) {
	for i := range d.Series {
		switch s, k := &d.Series[i], len(d.Series[i].X)-1; {
		case s.Path && k >= 0:
			if d.holds(s.X[k], s.Y[k]) {
				d.drawMarker(c, s, k)
			}
		case !s.Thin:
			d.drawMarkersOf(c, s)
			d.drawChevrons(c, s)
		}
	}
}

// drawMarker draws the marker of s at its point k, and the interval if that is a bar.
func (d *panel) drawMarker(c draw.Canvas, s *Series, k int) {
	dodge := vg.Point{X: d.dodge(s)}
	p := d.pointAt(s.X[k], s.Y[k]).Add(dodge)
	if !c.Contains(p) {
		return
	}
	l := s.look()
	if d.bars && s.Lower != nil && finite(s.Lower[k]) && d.Y.Scale.holds(s.Upper[k]) {
		bar := []vg.Point{d.pointAt(s.X[k], s.Lower[k]).Add(dodge),
			d.pointAt(s.X[k], s.Upper[k]).Add(dodge)}
		c.StrokeLines(draw.LineStyle{Color: l.color, Width: guideWidth}, c.ClipLinesXY(bar)...)
	}
	l.drawMarker(c, p)
}

// drawMarkersOf draws the markers of s at a distance of markerEvery, shifted by style
// so that the markers of different curves do not coincide. In a run with few
// points every point has a marker.
func (d *panel) drawMarkersOf(c draw.Canvas, s *Series) {
	const few = 8
	for _, run := range d.runsBetweenGaps(s) {
		// The length of the curve since the last marker. It begins with a share of markerEvery that
		// depends on the colour.
		since := vg.Length(markerEvery * (0.35 + 0.61*float64(Colour(s.Style))/float64(len(looks))))
		points := d.pointsAt(run, s.X, s.Y)
		for k, i := range run {
			if k > 0 {
				since += distance(points[k], points[k-1])
			}
			if (since >= markerEvery || s.Points || len(run) <= few) && c.Contains(points[k]) {
				d.drawMarker(c, s, i)
				since = 0
			}
		}
	}
}

// distance returns the Euclidean distance of two points.
func distance(p, q vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)))
}

// drawChevrons shows the points of s that are off the axis, one in a distance of gapEvery. Those of
// different curves with lines are one above the other; points are side by side already.
func (d *panel) drawChevrons(c draw.Canvas, s *Series) {
	last, step := vg.Point{X: -gapEvery}, vg.Length(d.gapRow(s))*gapStep
	for i := range s.X {
		p := d.pointAt(s.X[i], s.Y[i])
		p.X += d.dodge(s)
		if !d.offAxis(s, i) || !c.Contains(p) {
			continue
		}
		sideways := d.Y.Scale.holds(s.Y[i])
		if sideways {
			p.X += step
		} else {
			p.Y += step
		}
		if distance(p, last) >= gapEvery {
			drawGap(c, p, sideways, s.look().color)
			last = p
		}
	}
}

// gapRow returns the number of curves with a line before s that have points off the axis too.
func (p *Panel) gapRow(s *Series) (row int) {
	for k := range p.Series {
		of := &p.Series[k]
		if s.Points || of == s {
			break
		}
		for i := range of.X {
			if !of.Points && !of.Thin && p.offAxis(of, i) {
				row++
				break
			}
		}
	}
	return row
}

// drawGap draws a chevron with its tip at p, which is no marker of a curve. It points
// down or, if sideways, to the left.
func drawGap(c draw.Canvas, p vg.Point, sideways bool, ink color.Color) {
	const half = gapSize / 2
	line := []vg.Point{p.Add(vg.Point{X: -half, Y: gapSize}), p, p.Add(vg.Point{X: half, Y: gapSize})}
	if sideways {
		line = []vg.Point{p.Add(vg.Point{X: gapSize, Y: half}), p, p.Add(vg.Point{X: gapSize, Y: -half})}
	}
	c.StrokeLines(draw.LineStyle{Color: ink, Width: curveWidth}, line)
}

// showsGap reports whether a point that is off the axis has its chevron in the frame.
func (d *panel) showsGap() bool {
	for k := range d.Series {
		s := &d.Series[k]
		for i, x := range s.X {
			if d.offAxis(s, i) &&
				(!d.X.Scale.holds(x) || 0 <= d.x.position(x) && d.x.position(x) <= 1) {
				return true
			}
		}
	}
	return false
}

// drawBox draws a text with the left end of its baseline at a point, unless it is empty.
func drawBox(c draw.Canvas, b tex.Box, at vg.Point, ink color.Color) {
	if !b.Empty() {
		c.SetColor(ink)
		c.Fill(b.Path(at, false))
	}
}
