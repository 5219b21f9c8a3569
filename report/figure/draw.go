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

// Plot draws the frame and the title. The frame covers the curves. Its line goes on for a point
// after the corner where it begins, so that this corner is joined like the others.
func (p *placedPanel) Plot(c draw.Canvas, _ *plot.Plot) {
	c.StrokeLines(frameStyle, append(cornersOf(c.Rectangle), c.Min, c.Min.Add(vg.Point{X: 1})))
	x := (c.Min.X + c.Max.X - vg.Length(p.title.Width)) / 2
	x = min(x, p.canvas.Max.X-titleMargin-vg.Length(p.title.Width))
	x = max(x, p.canvas.Min.X+titleMargin)
	drawBox(c, p.title, vg.Point{X: x, Y: c.Max.Y + titleAbove}, grey(0))
}

// cornersOf returns the corners of r, counterclockwise from the lower left one.
func cornersOf(r vg.Rectangle) []vg.Point {
	return []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}}
}

// drawRegions shades the regions from the lower to the upper end of the frame.
func (p *placedPanel) drawRegions(c draw.Canvas) {
	for _, r := range p.Regions {
		shade := c.Rectangle
		shade.Min.X, shade.Max.X = p.pointAt(r.Min, 0).X, p.pointAt(r.Max, 0).X
		c.FillPolygon(grey(0xec), c.ClipPolygonXY(cornersOf(shade)))
	}
}

// drawCurves returns a layer that draws the lines of the curves that are faint, or of those that
// are not, without their gaps.
func (p *placedPanel) drawCurves(faint bool) layer {
	return func(c draw.Canvas) {
		for i := range p.Series {
			if s := &p.Series[i]; s.Faint == faint && !s.Points {
				c.StrokeLines(s.lineStyle(), c.ClipLinesXY(p.curveLines(s)...)...)
			}
		}
	}
}

// drawBands draws the bands of all curves, and then their edges. A band has the curve's own colour,
// even if the line is faint.
func (p *placedPanel) drawBands(c draw.Canvas) {
	if p.hasBars {
		return
	}
	var edges []func()
	for i := range p.Series {
		s := &p.Series[i]
		ink := lookOf(s.Style).color
		lower, upper := p.bandEdges(s)
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

// drawFrameLabels draws the labels in the frame before the curves, so that a label never covers a
// curve.
func (p *placedPanel) drawFrameLabels(c draw.Canvas) {
	const air = 1 // points of white around a label
	for _, label := range p.frameLabels {
		r := label.rectangle()
		r.Min, r.Max = r.Min.Sub(vg.Point{X: air, Y: air}), r.Max.Add(vg.Point{X: air, Y: air})
		c.FillPolygon(grey(0xff), cornersOf(r))
		drawBox(c, label.box, label.at, grey(0x38))
	}
}

// drawReferences draws the lines of guides, marks and levels.
func (p *placedPanel) drawReferences(c draw.Canvas) {
	for _, r := range p.references() {
		c.StrokeLines(r.style, c.ClipLinesXY(r.line)...)
	}
}

// drawMarkers draws the markers and the bars of all curves, and the chevrons of their points off
// the axis.
func (p *placedPanel) drawMarkers(c draw.Canvas) {
	for i := range p.Series {
		s := &p.Series[i]
		for _, k := range p.markedPoints(s) {
			l := s.look()
			if bar, reachesBelow := p.barAt(s, k); bar != nil {
				style := draw.LineStyle{Color: l.color, Width: guideWidth}
				c.StrokeLines(style, c.ClipLinesXY(bar)...)
				if reachesBelow {
					drawChevron(c, bar[0], down, arrowSize, style)
				}
			}
			l.drawMarker(c, p.markerAt(s, k))
		}
		if s.marksOffAxis() {
			p.drawChevrons(c, s)
		}
	}
}

// markerAt returns the place of the marker of s at its point k.
func (p *placedPanel) markerAt(s *Series, k int) vg.Point {
	return p.pointAt(s.X[k], s.Y[k]).Add(vg.Point{X: p.dodgeOffset(s)})
}

// barAt returns the lower and the upper end of the bar at the marker of s at its point k, or nil if
// the interval is no bar, as on a logarithmic axis if its upper end is not positive. A bar ends at
// the frame. One that goes on below it ends in an arrow a little below the marker, since bars down
// to the frame would bury the lines.
func (p *placedPanel) barAt(s *Series, k int) (bar []vg.Point, reachesBelow bool) {
	if !p.hasBars || s.Lower == nil || !isFinite(s.Lower[k]) || !p.Y.Scale.holds(s.Upper[k]) {
		return nil, false
	}
	marker := p.markerAt(s, k)
	low, high := marker, marker
	low.Y = p.pointAt(s.X[k], s.Lower[k]).Y
	high.Y = min(p.pointAt(s.X[k], s.Upper[k]).Y, p.frame.Max.Y)
	if reachesBelow = !p.yRuler.reaches(s.Lower[k]); reachesBelow {
		low.Y = max(marker.Y-arrowLength, p.frame.Min.Y)
	}
	return []vg.Point{low, high}, reachesBelow
}

// markedPoints returns the indices of the points of s that have a marker, in the frame: of a path
// its end, and of a curve those at a distance of markerEvery. The place of the first one depends on
// the style, so that the markers of different curves do not coincide. In a run with few points
// every point has a marker.
func (p *placedPanel) markedPoints(s *Series) (marked []int) {
	const few = 8
	inFrame := draw.Canvas{Rectangle: p.frame}
	if k := len(s.X) - 1; s.Path {
		if k >= 0 && p.holds(s.X[k], s.Y[k]) && inFrame.Contains(p.markerAt(s, k)) {
			marked = append(marked, k)
		}
		return marked
	}
	if s.Thin {
		return nil
	}
	// A curve begins as if it had gone a share of markerEvery since a marker: 0.35 for the first
	// colour, and less than 0.35 + 0.61 for the last one.
	share := 0.35 + 0.61*float64(Colour(s.Style))/float64(len(looks))
	for _, run := range p.runsBetweenGaps(s) {
		sinceMarker := vg.Length(markerEvery * share)
		points := p.pointsAt(run, s.X, s.Y)
		for k, i := range run {
			if k > 0 {
				sinceMarker += distance(points[k], points[k-1])
			}
			if (sinceMarker >= markerEvery || s.Points || len(run) <= few) &&
				inFrame.Contains(points[k]) && inFrame.Contains(p.markerAt(s, i)) {
				marked = append(marked, i)
				sinceMarker = 0
			}
		}
	}
	return marked
}

// distance returns the Euclidean distance of two points.
func distance(p, q vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)))
}

// marksOffAxis reports whether chevrons are drawn for points of s that are off the axis.
func (s *Series) marksOffAxis() bool { return !s.Thin && !s.Path }

// drawChevrons draws chevrons for the points of s that are off the axis, at a distance of
// [chevronEvery].
// The chevrons of different lines are above each other; points without lines are side by side
// already.
func (p *placedPanel) drawChevrons(c draw.Canvas, s *Series) {
	last, step := vg.Point{X: -chevronEvery}, vg.Length(p.chevronRow(s))*chevronStep
	for i := range s.X {
		tip := p.pointAt(s.X[i], s.Y[i])
		tip.X += p.dodgeOffset(s)
		if !p.offAxis(s, i) || !c.Contains(tip) {
			continue
		}
		toward := down
		if p.Y.Scale.holds(s.Y[i]) { // it is x that has no place on its axis
			toward = left
			tip.X += step
		} else {
			tip.Y += step
		}
		if distance(tip, last) >= chevronEvery {
			drawChevron(c, tip, toward, chevronSize,
				draw.LineStyle{Color: s.look().color, Width: curveWidth})
			last = tip
		}
	}
}

// chevronRow returns the number of lines before s that have points off the axis, too. It is 0 for
// points without a line.
func (p *Panel) chevronRow(s *Series) (row int) {
	for k := range p.Series {
		other := &p.Series[k]
		if s.Points || other == s {
			break
		}
		for i := range other.X {
			if !other.Points && other.marksOffAxis() && p.offAxis(other, i) {
				row++
				break
			}
		}
	}
	return row
}

// A direction is where a chevron points to.
type direction byte

const (
	down direction = iota
	left
)

// drawChevron draws a chevron of the given size with its tip at a point.
func drawChevron(c draw.Canvas, tip vg.Point, toward direction, size vg.Length,
	style draw.LineStyle) {
	half := size / 2
	line := []vg.Point{tip.Add(vg.Point{X: -half, Y: size}), tip, tip.Add(vg.Point{X: half, Y: size})}
	if toward == left {
		line = []vg.Point{tip.Add(vg.Point{X: size, Y: half}), tip, tip.Add(vg.Point{X: size, Y: -half})}
	}
	c.StrokeLines(style, line)
}

// hasChevrons reports whether the panel has a chevron in its frame.
func (p *Panel) hasChevrons() bool {
	x, _ := p.rulers()
	for k := range p.Series {
		s := &p.Series[k]
		for i := range s.X {
			if s.marksOffAxis() && p.offAxis(s, i) && (!p.X.Scale.holds(s.X[i]) ||
				0 <= x.position(s.X[i]) && x.position(s.X[i]) <= 1) {
				return true
			}
		}
	}
	return false
}

// hasArrows reports whether the panel has a bar that ends in an arrow.
func (p *placedPanel) hasArrows() bool {
	for i := range p.Series {
		s := &p.Series[i]
		if slices.ContainsFunc(p.markedPoints(s), func(k int) bool {
			_, reachesBelow := p.barAt(s, k)
			return reachesBelow
		}) {
			return true
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
