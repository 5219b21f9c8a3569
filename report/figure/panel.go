package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/report/tex"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Shades, limits and sizes of bands and of chevrons at gaps.
const (
	bandWhite    = 0.80 // the share of white in a band
	edgeWhite    = 0.45 // the share of white in its edges, which stay visible under a later band
	mostBands    = 4    // more bands in a panel would bury each other
	chevronSize  = 4    // the size of the chevrons at gaps, in points
	chevronStep  = 2.4  // from the chevrons of one curve up to those of the next
	chevronEvery = 12   // the least distance of the chevrons of a curve
	arrowSize    = 2.8  // the size of the chevron at the end of a bar that goes on below the axis
	arrowLength  = 9    // from the marker to that end
)

// A placedPanel is a Panel as a plot of gonum/plot. Its rulers are the normalizers of the axes and
// make their ticks, its layers are the plotters, and the space that they need beyond the frame is a
// glyph box. Plot draws ticks and their labels, and aligns the frames of panels, which gives canvas
// and frame.
type placedPanel struct {
	*Panel
	font                   tex.Font
	xRuler                 ruler
	yRuler                 ruler
	plot                   *plot.Plot
	canvas                 draw.Canvas  // the part of the paper that the plot is drawn on
	frame                  vg.Rectangle // of the data
	topMargin, rightMargin vg.Length    // the space beyond the frame for the title and the ends
	title                  tex.Box
	hasBars                bool         // intervals are bars, not bands
	frameLabels            []frameLabel // labels of guides, marks, levels and regions
	endLabels              []endLabel
}

// A layer draws a part of a panel. It is a plot.Plotter that has no range of data.
type layer func(c draw.Canvas)

// Plot implements [plot.Plotter].
func (l layer) Plot(c draw.Canvas, _ *plot.Plot) { l(c) }

// newPlacedPanel returns a panel as a plot that has no place on the paper yet: canvas and frame are
// zero.
func newPlacedPanel(panel *Panel, font tex.Font, width float64, bars bool) *placedPanel {
	p := &placedPanel{Panel: panel, font: font, plot: plot.New(), hasBars: bars}
	labels := tex.Handler{Font: font}
	p.plot.BackgroundColor, p.plot.Legend.TextStyle.Handler = nil, labels
	p.xRuler, p.yRuler = panel.rulers()
	xTicks := p.xRuler.applyTo(&p.plot.X, panel.X, labels)
	yTicks := p.yRuler.applyTo(&p.plot.Y, panel.Y, labels)

	p.topMargin, p.rightMargin = strut*tickSize/2, 2*outerMargin
	if panel.Title != "" {
		p.topMargin = titleAbove + vg.Length(fitText(font, panel.Title, titleSize, width).Height)
	}
	for _, t := range xTicks {
		p.rightMargin = max(p.rightMargin, p.plot.X.Tick.Label.Width(t.Label)/2-outerMargin)
	}
	for i := range yTicks {
		if !yTicks[i].IsMinor() {
			yTicks[i].Label += `\;` // keeps the label at a distance from its tick
		}
	}
	p.plot.X.Tick.Label.YAlign -= 0.3 // the same distance, in heights of a label
	p.plot.X.Label.Padding, p.plot.Y.Label.Padding = pad, pad
	for _, s := range panel.Series {
		if panel.labelledAtEnd(&s) {
			e := endLabel{look: s.look(), box: fitText(font, s.Label, frameLabelSize, width/2-endWidth)}
			p.endLabels = append(p.endLabels, e)
			p.rightMargin = max(p.rightMargin, endWidth+vg.Length(e.box.Width))
		}
	}
	light := draw.LineStyle{Color: grey(0xe2), Width: gridWidth}
	p.plot.Add(layer(p.drawRegions), &plotter.Grid{Vertical: light, Horizontal: light},
		p.drawCurves(true), layer(p.drawBands), layer(p.drawFrameLabels),
		layer(p.drawReferences), p.drawCurves(false), p, layer(p.drawMarkers), layer(p.drawEndLabels))
	return p
}

// labelledAtEnd reports whether the label of a curve is beside the frame, at the end of the curve.
// The legend then leaves it out.
func (p *Panel) labelledAtEnd(s *Series) bool { return p.Ends && s.Label != "" && !s.Thin }

// GlyphBoxes returns the space beyond the frame at its upper right corner.
func (p *placedPanel) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 1, Y: 1,
		Rectangle: vg.Rectangle{Max: vg.Point{X: p.rightMargin, Y: p.topMargin}}}}
}

// fitLabels makes the labels of the axes so small that they do not reach beyond the labels of the
// ticks, and leaves out the labels of ticks that would touch each other. A label is centred on its
// side of the frame, and may reach beyond it by the smaller of the two margins, on both sides.
func (p *placedPanel) fitLabels() {
	outer, size := p.canvas.Size(), p.frame.Size()
	x, y := &p.plot.X, &p.plot.Y
	beside := func(a *plot.Axis) vg.Length { return a.Label.TextStyle.Height(a.Label.Text) + pad }
	left, below := outer.X-size.X-p.rightMargin-beside(y), outer.Y-size.Y-p.topMargin-beside(x)
	shorten := func(a *plot.Axis, side, marginBefore, marginAfter vg.Length) {
		room := side + 2*max(min(marginBefore, marginAfter), 0)
		a.Label.TextStyle.Font.Size = vg.Length(fitSize(p.font, a.Label.Text, labelSize, room.Points()))
	}
	shorten(x, size.X, left, p.rightMargin)
	shorten(y, size.Y, below, strut*tickSize/2) // not beside the title
	p.xRuler.omitLabels(x, size.X, pad, x.Tick.Label.Width)
	p.yRuler.omitLabels(y, size.Y, 0, y.Tick.Label.Height)
}

// rulers fits the axes to the curves and their bands. On a logarithmic axis a band extends the
// range of the curves by a decade at most, since a lower end just above zero would take most of the
// axis.
func (p *Panel) rulers() (x, y ruler) {
	var xs, ys, bands []float64
	for _, s := range p.Series {
		for i := range s.X {
			if p.X.Scale.holds(s.X[i]) && isFinite(s.Y[i]) {
				xs = append(xs, s.X[i]) // also where y is not positive
			}
			if !p.holds(s.X[i], s.Y[i]) {
				continue
			}
			ys = append(ys, s.Y[i])
			if s.Lower != nil {
				bands = append(bands, s.Lower[i], s.Upper[i])
			}
		}
	}
	low, high := math.Inf(-1), math.Inf(1)
	if p.Y.Scale == Log && len(ys) > 0 {
		low, high = floats.Min(ys)/10, 10*floats.Max(ys)
	}
	for _, v := range bands {
		if p.Y.Scale.holds(v) {
			ys = append(ys, min(max(v, low), high))
		}
	}
	for _, m := range p.Marks {
		xs = append(xs, m.X)
	}
	for _, r := range p.Regions {
		xs = append(xs, r.Min, r.Max)
	}
	for _, l := range p.Levels {
		ys = append(ys, l.Y)
	}
	marginX, marginY := 0.02, 0.05
	if slices.ContainsFunc(p.Series, func(s Series) bool { return s.Points }) {
		marginX = 0.06 // so that points are not on the frame
	}
	return p.X.fitRuler(xs, marginX), p.Y.fitRuler(ys, marginY)
}

// ShareY gives panels the ends of the vertical axis that shows all their curves. They need one
// scale of that axis.
func ShareY(panels []Panel) {
	all := panels[0]
	all.Series = nil
	for _, p := range panels {
		all.Series = append(all.Series, p.Series...)
	}
	_, y := all.rulers()
	for k := range panels {
		panels[k].Y.Min, panels[k].Y.Max = y.min, y.max
	}
}

// dodgeOffset returns how far the points of a curve without a line are drawn to the right of their
// places, so that the bars of several curves do not cover each other. It is negative for the first
// curves.
func (p *Panel) dodgeOffset(s *Series) vg.Length {
	if !s.Points {
		return 0
	}
	points := p.pointSeries()
	place, middle := slices.Index(points, s), float64(len(points)-1)/2
	step := min(dodgeStep, mostDodge/max(middle, 1))
	return vg.Length(step * (float64(place) - middle))
}

// Dodged reports whether points of different curves at one x are drawn side by side.
func (p *Panel) Dodged() bool {
	return len(p.pointSeries()) > 1
}

// pointSeries returns the curves without a line.
func (p *Panel) pointSeries() (points []*Series) {
	for k := range p.Series {
		if s := &p.Series[k]; s.Points {
			points = append(points, s)
		}
	}
	return points
}

// pointAt returns the place of (x, y) on the paper. A coordinate that has no position on its axis
// is put at the start of the axis.
func (p *placedPanel) pointAt(x, y float64) vg.Point {
	var u, v float64
	if p.X.Scale.holds(x) {
		u = p.xRuler.position(x)
	}
	if p.Y.Scale.holds(y) {
		v = p.yRuler.position(y)
	}
	// Positions far outside the frame are limited, because clipping loses
	// precision there.
	const far = 1e4
	u, v = min(max(u, -far), far), min(max(v, -far), far)
	size := p.frame.Size()
	return p.frame.Min.Add(vg.Point{X: vg.Length(u) * size.X, Y: vg.Length(v) * size.Y})
}

// pointsAt returns the places of the points of a curve with these indices.
func (p *placedPanel) pointsAt(of []int, x, y []float64) []vg.Point {
	points := make([]vg.Point, len(of))
	for k, i := range of {
		points[k] = p.pointAt(x[i], y[i])
	}
	return points
}

// indexIntervals returns the longest intervals of indices below n in which ok holds for every
// index.
func indexIntervals(n int, ok func(i int) bool) (all [][]int) {
	for i := range n {
		if !ok(i) {
			continue
		}
		if i == 0 || !ok(i-1) {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], i)
	}
	return all
}

// runsBetweenGaps returns the indices of the points of s between its gaps.
func (p *placedPanel) runsBetweenGaps(s *Series) [][]int {
	return indexIntervals(len(s.X), func(i int) bool { return p.holds(s.X[i], s.Y[i]) })
}

// curveLines returns the runs of s as points of the page.
func (p *placedPanel) curveLines(s *Series) (lines [][]vg.Point) {
	for _, run := range p.runsBetweenGaps(s) {
		lines = append(lines, p.pointsAt(run, s.X, s.Y))
	}
	return lines
}

// bandEdges returns the lower and the upper edges of the band of s between its gaps. On a
// logarithmic axis a band whose lower end is not positive extends to the bottom of the frame.
func (p *placedPanel) bandEdges(s *Series) (lower, upper [][]vg.Point) {
	for _, run := range indexIntervals(len(s.Lower), func(i int) bool {
		return p.X.Scale.holds(s.X[i]) && isFinite(s.Lower[i]) && p.Y.Scale.holds(s.Upper[i])
	}) {
		lower = append(lower, p.pointsAt(run, s.X, s.Lower))
		upper = append(upper, p.pointsAt(run, s.X, s.Upper))
	}
	return lower, upper
}

// A reference is a straight line across a panel, with its label.
type reference struct {
	line  []vg.Point
	label string
	style draw.LineStyle
}

// references returns the lines of the guides, marks and levels, and the line at zero if curves may
// cross it.
func (p *placedPanel) references() (all []reference) {
	add := func(line []vg.Point, label string, ink uint8, dashes ...vg.Length) {
		style := draw.LineStyle{Color: grey(ink), Width: guideWidth, Dashes: dashes}
		all = append(all, reference{line, label, style})
	}
	low, high := p.frame.Min, p.frame.Max
	across := func(y float64) []vg.Point {
		at := p.pointAt(0, y).Y
		return []vg.Point{{X: low.X, Y: at}, {X: high.X, Y: at}}
	}
	if p.Y.Scale != Log && p.yRuler.min < 0 && p.yRuler.max > 0 {
		add(across(0), "", 0x90)
	}
	for _, g := range p.Guides {
		add(p.guideLine(g), g.labelText(), 0x70, 4, 2)
	}
	for _, m := range p.Marks {
		x := p.pointAt(m.X, 0).X
		add([]vg.Point{{X: x, Y: low.Y}, {X: x, Y: high.Y}}, m.Label, 0x38, 0.8, 1.6)
	}
	for _, l := range p.Levels {
		add(across(l.Y), l.Label, 0x38, 4, 2)
	}
	return all
}

// guideLine returns the line of a guide from one side of the frame to the other. It is computed in
// logarithms, since the power may overflow.
func (p *placedPanel) guideLine(g Guide) []vg.Point {
	low, high := p.yRuler.stretch(p.yRuler.min), p.yRuler.stretch(p.yRuler.max)
	line := make([]vg.Point, 2)
	for i, x := range []float64{p.xRuler.min, p.xRuler.max} {
		y := math.Log10(g.Y) + g.Slope*(math.Log10(x)-math.Log10(g.X))
		line[i] = vg.Point{X: p.pointAt(x, 1).X,
			Y: p.frame.Min.Y + vg.Length((y-low)/(high-low))*p.frame.Size().Y}
	}
	return line
}

// labelText returns the label of the guide, or else the power of t.
func (g Guide) labelText() string {
	if g.Label != "" {
		return g.Label
	}
	return Power("t", g.Slope)
}

// Power returns the label of a power of t or T, such as $t^{1/2}$.
func Power(base string, exponent float64) string {
	for q := 1; q <= 6; q++ {
		if p := math.Round(exponent * float64(q)); math.Abs(exponent*float64(q)-p) < 1e-9 {
			switch {
			case q > 1:
				return fmt.Sprintf("$%s^{%g/%d}$", base, p, q)
			case p == 1:
				return "$" + base + "$"
			}
			return fmt.Sprintf("$%s^{%g}$", base, p)
		}
	}
	return "$" + base + "^{" + strconv.FormatFloat(exponent, 'f', 2, 64) + "}$"
}
