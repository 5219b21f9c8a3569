package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"ocobench/report/tex"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	bandWhite = 0.80 // the share of white in a band
	edgeWhite = 0.45 // the share of white in its edges, which stay visible under a later band
	mostBands = 4    // more bands in a panel would bury each other
	gapSize   = 4    // the size of the chevrons at gaps, in points
	gapEvery  = 12   // the least distance of the chevrons of a curve
)

// A panelDrawing is a panel with its layout.
type panelDrawing struct {
	*Panel
	x, y                     ruler
	xTicks, yTicks           []setTick
	title, xLabel, yLabel    tex.Box
	xText, yText             string  // of the labels, which are fitted to the frame
	left, right, top, bottom float64 // the margins around the frame
	frame                    vg.Rectangle
	titleDepth               float64 // of the deepest title, so that all are in line
	titleMargin              float64 // beside a title that is as wide as the panel
	bars                     bool    // intervals are bars, not bands
	notes                    []note  // labels of guides, marks, levels, regions and paths
	ends                     []end
}

// A setTick is a tick with its label as a box.
type setTick struct {
	tick
	label tex.Box
}

// A note is a label in the frame, at the place where it covers least.
type note struct {
	box tex.Box
	at  vg.Point
}

// An end is the label of a curve to the right of the frame, with its marker and a line
// from the end of the curve.
type end struct {
	look  look
	box   tex.Box
	drawn bool    // the curve has an end
	path  bool    // which may be anywhere in the frame
	y, at float64 // the heights of the end and of the label above the bottom of the frame
}

// panel sets the texts of p and computes the margins around its frame.
func (s *sheet) panel(p *Panel, width, height float64) *panelDrawing {
	d := &panelDrawing{Panel: p}
	d.x, d.y = p.rulers()
	var xExponent, yExponent int
	d.xTicks, xExponent = s.ticks(d.x)
	d.yTicks, yExponent = s.ticks(d.y)

	var xHeight, yWidth float64
	for _, t := range d.xTicks {
		xHeight = max(xHeight, t.label.Height)
	}
	for _, t := range d.yTicks {
		yWidth = max(yWidth, t.label.Width)
	}
	d.top = outerMargin + tickSize/2
	d.title = s.fit(p.Title, titleSize, width-2*outerMargin)
	if p.Title != "" {
		d.top = 2*outerMargin + d.title.Height + d.title.Depth + 1.5*pad
	}
	d.bottom = outerMargin + majorTick + pad + xHeight
	d.xText = p.X.label(xExponent)
	d.xLabel = s.fit(d.xText, labelSize, width-2*outerMargin)
	if !d.xLabel.Empty() {
		d.bottom += pad + d.xLabel.Height + d.xLabel.Depth
	}
	d.left = outerMargin + majorTick + 0.7*pad + yWidth
	d.yText = p.Y.label(yExponent)
	d.yLabel = s.fit(d.yText, labelSize, height-2*outerMargin)
	if !d.yLabel.Empty() {
		d.left += pad + d.yLabel.Height + d.yLabel.Depth
	}
	// The last label of the x axis may extend beyond the frame.
	d.right = 3 * outerMargin
	for _, t := range d.xTicks {
		inside := (1 - d.x.at(t.value)) * (width - d.left - d.right)
		d.right = max(d.right, t.label.Width/2-inside+outerMargin)
	}
	if p.Ends {
		for _, c := range p.Series {
			if c.Label != "" && !c.Thin {
				label := s.fit(c.Label, noteSize, width/2)
				d.ends = append(d.ends, end{look: c.look(), box: label})
				d.right = max(d.right, endWidth+label.Width+outerMargin)
			}
		}
	}
	return d
}

// below is how far the label of the y axis may reach below the frame, so that it does not
// touch that of the x axis.
func (d *panelDrawing) below() float64 {
	return d.bottom - outerMargin - pad - d.xLabel.Height - d.xLabel.Depth
}

// label returns the label of an axis with the power of ten of its ticks. It says that
// the axis is signed logarithmic, which readers do not expect.
func (a Axis) label(exponent int) string {
	label := a.Label
	if exponent != 0 {
		label = fmt.Sprintf(`%s ($\times10^{%d}$)`, label, exponent)
	}
	if a.Scale == SymLog {
		label = strings.TrimPrefix(label+" (symmetric log)", " ")
	}
	return label
}

func (s *sheet) ticks(r ruler) ([]setTick, int) {
	ticks, exponent := r.ticks()
	out := make([]setTick, len(ticks))
	for i, t := range ticks {
		out[i] = setTick{t, s.set(t.label, tickSize)}
	}
	return out, exponent
}

// rulers fits the axes to the curves and their bands. On a logarithmic axis a band
// extends the range of the curves by a decade at most. A lower end just above zero
// would otherwise take most of the axis.
func (p *Panel) rulers() (x, y ruler) {
	type span struct{ lo, hi float64 }
	empty := span{math.Inf(1), math.Inf(-1)}
	grow := func(s span, v float64) span { return span{math.Min(s.lo, v), math.Max(s.hi, v)} }
	xs, ys, bands := empty, empty, empty
	for _, s := range p.Series {
		for i := range s.X {
			if p.X.Scale.holds(s.X[i]) && finite(s.Y[i]) {
				xs = grow(xs, s.X[i]) // also where y is not positive
			}
			if !p.holds(s.X[i], s.Y[i]) {
				continue
			}
			ys = grow(ys, s.Y[i])
			if s.Lower != nil && p.Y.Scale.holds(s.Lower[i]) {
				bands = grow(bands, s.Lower[i])
			}
			if s.Upper != nil && p.Y.Scale.holds(s.Upper[i]) {
				bands = grow(bands, s.Upper[i])
			}
		}
	}
	if p.Y.Scale == Log {
		bands = span{math.Max(bands.lo, ys.lo/10), math.Min(bands.hi, ys.hi*10)}
	}
	ys = span{math.Min(ys.lo, bands.lo), math.Max(ys.hi, bands.hi)}
	for _, m := range p.Marks {
		xs = grow(xs, m.X)
	}
	for _, r := range p.Regions {
		xs = grow(grow(xs, r.Min), r.Max)
	}
	for _, l := range p.Levels {
		ys = grow(ys, l.Y)
	}
	return p.X.fit(xs.lo, xs.hi, 0.02), p.Y.fit(ys.lo, ys.hi, 0.05)
}

// at returns the place of (x, y). A coordinate without a position on its axis
// is put at the start of it.
func (d *panelDrawing) at(x, y float64) vg.Point {
	var u, v float64
	if d.X.Scale.holds(x) {
		u = d.x.at(x)
	}
	if d.Y.Scale.holds(y) {
		v = d.y.at(y)
	}
	// Positions far outside the frame are limited, because clipping loses
	// precision there.
	const far = 1e4
	u, v = min(max(u, -far), far), min(max(v, -far), far)
	size := d.frame.Size()
	return d.frame.Min.Add(vg.Point{X: vg.Length(u) * size.X, Y: vg.Length(v) * size.Y})
}

// segments returns the indices of the points of s between its gaps.
func (d *panelDrawing) segments(s *Series) [][]int {
	var segments [][]int
	broken := true
	for i := range s.X {
		if !d.holds(s.X[i], s.Y[i]) {
			broken = true
			continue
		}
		if broken {
			segments = append(segments, nil)
			broken = false
		}
		last := &segments[len(segments)-1]
		*last = append(*last, i)
	}
	return segments
}

// runs returns the segments of s as points of the page.
func (d *panelDrawing) runs(s *Series) [][]vg.Point {
	var runs [][]vg.Point
	for _, segment := range d.segments(s) {
		run := make([]vg.Point, len(segment))
		for k, i := range segment {
			run[k] = d.at(s.X[i], s.Y[i])
		}
		runs = append(runs, run)
	}
	return runs
}

// bands returns the segments of the band of s, each as its lower and its upper
// edge. On a logarithmic axis a band whose lower end is not positive extends to the
// bottom of the frame.
func (d *panelDrawing) bands(s *Series) (lower, upper [][]vg.Point) {
	broken := true
	for i := range s.Lower {
		if !d.X.Scale.holds(s.X[i]) || !finite(s.Lower[i]) || !d.Y.Scale.holds(s.Upper[i]) {
			broken = true
			continue
		}
		if broken {
			lower, upper = append(lower, nil), append(upper, nil)
			broken = false
		}
		l, u := &lower[len(lower)-1], &upper[len(upper)-1]
		*l = append(*l, d.at(s.X[i], s.Lower[i]))
		*u = append(*u, d.at(s.X[i], s.Upper[i]))
	}
	return lower, upper
}

// guide returns the line of g from one side of the frame to the other.
func (d *panelDrawing) guide(g Guide) []vg.Point {
	line := make([]vg.Point, 2)
	for i, x := range []float64{d.x.min, d.x.max} {
		// In logarithms, because the power may overflow.
		v := math.Log10(g.Y) + g.Slope*(math.Log10(x)-math.Log10(g.X))
		line[i] = d.at(x, 1)
		at := (v - math.Log10(d.y.min)) / (math.Log10(d.y.max) - math.Log10(d.y.min))
		line[i].Y = d.frame.Min.Y + vg.Length(at)*d.frame.Size().Y
	}
	return line
}

// text returns the label of g.
func (g Guide) text() string {
	if g.Label != "" {
		return g.Label
	}
	return Power(g.Slope)
}

// Power returns the label of a power of t, such as $t^{1/2}$.
func Power(exponent float64) string {
	for q := 1; q <= 6; q++ {
		if p := math.Round(exponent * float64(q)); math.Abs(exponent*float64(q)-p) < 1e-9 {
			switch {
			case q > 1:
				return fmt.Sprintf("$t^{%g/%d}$", p, q)
			case p == 1:
				return "$t$"
			}
			return fmt.Sprintf("$t^{%g}$", p)
		}
	}
	return "$t^{" + strconv.FormatFloat(exponent, 'f', 2, 64) + "}$"
}

func (d *panelDrawing) draw(c draw.Canvas) {
	in := draw.Canvas{Canvas: c.Canvas, Rectangle: d.frame}
	for _, r := range d.Regions {
		lo, hi := d.at(r.Min, 0).X, d.at(r.Max, 0).X
		c.FillPolygon(grey(0xec), in.ClipPolygonXY([]vg.Point{
			{X: lo, Y: d.frame.Min.Y}, {X: hi, Y: d.frame.Min.Y}, {X: hi, Y: d.frame.Max.Y},
			{X: lo, Y: d.frame.Max.Y}}))
	}
	d.drawGrid(in)

	for i := range d.Series {
		if s := &d.Series[i]; s.Faint {
			c.StrokeLines(s.line(), in.ClipLinesXY(d.runs(s)...)...)
		}
	}
	if !d.bars {
		d.drawBands(in)
	}

	// Notes are drawn before the curves, so that a note never covers a curve.
	for _, n := range d.notes {
		const air = 1
		x, y := n.at.X, n.at.Y
		c.FillPolygon(grey(0xff), []vg.Point{
			{X: x - air, Y: y - vg.Length(n.box.Depth) - air},
			{X: x + vg.Length(n.box.Width) + air, Y: y - vg.Length(n.box.Depth) - air},
			{X: x + vg.Length(n.box.Width) + air, Y: y + vg.Length(n.box.Height) + air},
			{X: x - air, Y: y + vg.Length(n.box.Height) + air},
		})
		drawBox(c, n.box, n.at, grey(0x38))
	}
	for _, g := range d.Guides {
		dashed := draw.LineStyle{Color: grey(0x70), Width: guideWidth, Dashes: []vg.Length{4, 2}}
		c.StrokeLines(dashed, in.ClipLinesXY(d.guide(g))...)
	}
	for _, m := range d.Marks {
		dotted := draw.LineStyle{Color: grey(0x38), Width: guideWidth, Dashes: []vg.Length{0.8, 1.6}}
		x := d.at(m.X, 0).X
		c.StrokeLines(dotted, in.ClipLinesXY(
			[]vg.Point{{X: x, Y: d.frame.Min.Y}, {X: x, Y: d.frame.Max.Y}})...)
	}

	for _, l := range d.Levels {
		dashed := draw.LineStyle{Color: grey(0x38), Width: guideWidth, Dashes: []vg.Length{4, 2}}
		c.StrokeLines(dashed, in.ClipLinesXY(d.level(l))...)
	}

	for i := range d.Series {
		if s := &d.Series[i]; !s.Faint {
			c.StrokeLines(s.line(), in.ClipLinesXY(d.runs(s)...)...)
		}
	}
	d.drawAxes(c)
	for i := range d.Series {
		switch s := &d.Series[i]; {
		case s.Path && len(s.X) > 0:
			if k := len(s.X) - 1; d.holds(s.X[k], s.Y[k]) {
				d.drawMarker(in, s, k)
			}
		case !s.Thin:
			d.drawMarkers(in, s)
		}
	}
	for _, e := range d.ends {
		e.draw(c, d.frame)
	}
}

// drawBands draws the bands of all curves, and then their edges.
func (d *panelDrawing) drawBands(c draw.Canvas) {
	for i := range d.Series {
		s := &d.Series[i]
		lower, upper := d.bands(s)
		for k := range lower {
			outline := append([]vg.Point{}, lower[k]...)
			for j := len(upper[k]) - 1; j >= 0; j-- {
				outline = append(outline, upper[k][j])
			}
			c.FillPolygon(tint(lookOf(s.Style).color, bandWhite), c.ClipPolygonXY(outline))
		}
	}
	for i := range d.Series {
		s := &d.Series[i]
		edge := draw.LineStyle{Color: tint(lookOf(s.Style).color, edgeWhite), Width: gridWidth}
		lower, upper := d.bands(s)
		c.StrokeLines(edge, c.ClipLinesXY(append(lower, upper...)...)...)
	}
}

// level returns the line of l from one side of the frame to the other.
func (d *panelDrawing) level(l Level) []vg.Point {
	y := d.at(0, l.Y).Y
	return []vg.Point{{X: d.frame.Min.X, Y: y}, {X: d.frame.Max.X, Y: y}}
}

// drawMarker draws the marker of s at its point k, and the interval if that is a bar.
func (d *panelDrawing) drawMarker(c draw.Canvas, s *Series, k int) {
	p := d.at(s.X[k], s.Y[k])
	if !c.Contains(p) {
		return
	}
	l := s.look()
	if d.bars && s.Lower != nil && finite(s.Lower[k]) && d.Y.Scale.holds(s.Upper[k]) {
		bar := []vg.Point{d.at(s.X[k], s.Lower[k]), d.at(s.X[k], s.Upper[k])}
		c.StrokeLines(draw.LineStyle{Color: l.color, Width: guideWidth}, c.ClipLinesXY(bar)...)
	}
	l.drawMarker(c, p)
}

// drawMarkers draws the markers of s at a distance of markerEvery, shifted by style
// so that the markers of different curves do not coincide. In a segment with few
// points every point has a marker. Chevrons show the points that have no position
// on a logarithmic axis, one in a distance of gapEvery.
func (d *panelDrawing) drawMarkers(c draw.Canvas, s *Series) {
	const few = 8
	for _, segment := range d.segments(s) {
		since := vg.Length(markerEvery * (0.35 + 0.61*float64(s.Style%len(looks))/float64(len(looks))))
		for k, i := range segment {
			p := d.at(s.X[i], s.Y[i])
			if k > 0 {
				step := p.Sub(d.at(s.X[i-1], s.Y[i-1]))
				since += vg.Length(math.Hypot(float64(step.X), float64(step.Y)))
			}
			if (since >= markerEvery || len(segment) <= few) && c.Contains(p) {
				d.drawMarker(c, s, i)
				since = 0
			}
		}
	}
	last := vg.Point{X: -gapEvery}
	for i := range s.X {
		if finite(s.X[i]) && finite(s.Y[i]) && !d.holds(s.X[i], s.Y[i]) {
			sideways := d.Y.Scale.holds(s.Y[i])
			if p := d.at(s.X[i], s.Y[i]); c.Contains(p) {
				if step := vg.Length(s.Style%len(looks)) * gapSize; sideways { // curves do not bury each other
					p.X += step
				} else {
					p.Y += step
				}
				if away := p.Sub(last); math.Hypot(float64(away.X), float64(away.Y)) >= gapEvery {
					drawGap(c, p, sideways, s.look().color)
					last = p
				}
			}
		}
	}
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

// showsGap reports whether a point that has no position has its chevron in the frame.
func (d *panelDrawing) showsGap() bool {
	for _, s := range d.Series {
		for i := range s.X {
			if finite(s.X[i]) && finite(s.Y[i]) && !d.holds(s.X[i], s.Y[i]) &&
				(!d.X.Scale.holds(s.X[i]) || inside(d.x.at(s.X[i]))) {
				return true
			}
		}
	}
	return false
}

// inside reports whether a position along an axis is within its ends.
func inside(u float64) bool { return 0 <= u && u <= 1 }

func (d *panelDrawing) drawGrid(c draw.Canvas) {
	light := draw.LineStyle{Color: grey(0xe2), Width: gridWidth}
	for _, t := range d.xTicks {
		if x := c.X(d.x.at(t.value)); t.tick.label != "" {
			c.StrokeLine2(light, x, c.Min.Y, x, c.Max.Y)
		}
	}
	for _, t := range d.yTicks {
		if y := c.Y(d.y.at(t.value)); t.tick.label != "" {
			c.StrokeLine2(light, c.Min.X, y, c.Max.X, y)
		}
	}
	if d.Y.Scale != Log && d.y.min < 0 && d.y.max > 0 {
		y := c.Y(d.y.at(0))
		c.StrokeLine2(draw.LineStyle{Color: grey(0x90), Width: frameWidth}, c.Min.X, y, c.Max.X, y)
	}
}

// drawAxes draws the frame, the ticks and the labels around it.
func (d *panelDrawing) drawAxes(c draw.Canvas) {
	f := d.frame
	black := grey(0)
	thin := draw.LineStyle{Color: grey(0x30), Width: frameWidth}
	c.StrokeLines(thin, []vg.Point{f.Min, {X: f.Max.X, Y: f.Min.Y}, f.Max, {X: f.Min.X, Y: f.Max.Y},
		f.Min, {X: f.Max.X, Y: f.Min.Y}})

	length := func(t setTick) vg.Length {
		if t.tick.label == "" {
			return minorTick
		}
		return majorTick
	}
	// A label that would touch the previous one is left out, but not its tick.
	var xHeight float64
	for _, t := range d.xTicks {
		xHeight = max(xHeight, t.label.Height)
	}
	below := f.Min.Y - majorTick - pad - vg.Length(xHeight)
	end := vg.Length(math.Inf(-1))
	for _, t := range d.xTicks {
		x := f.Min.X + vg.Length(d.x.at(t.value))*f.Size().X
		c.StrokeLine2(thin, x, f.Min.Y, x, f.Min.Y-length(t))
		// Frames are as narrow as the widest margins of all panels ask: the last label of another
		// panel would leave the paper.
		width := vg.Length(t.label.Width)
		x = min(x-width/2, f.Max.X+vg.Length(d.right)-width)
		if !t.label.Empty() && x > end+pad {
			drawBox(c, t.label, vg.Point{X: x, Y: below}, black)
			end = x + width
		}
	}
	end = vg.Length(math.Inf(-1))
	var yWidth float64
	for _, t := range d.yTicks {
		yWidth = max(yWidth, t.label.Width)
		y := f.Min.Y + vg.Length(d.y.at(t.value))*f.Size().Y
		c.StrokeLine2(thin, f.Min.X, y, f.Min.X-length(t), y)
		// The digits of a label are centred on the tick; superscripts are not counted.
		const digit = 0.33 * tickSize
		if !t.label.Empty() && y-digit > end+1 {
			x := f.Min.X - majorTick - 0.7*pad - vg.Length(t.label.Width)
			drawBox(c, t.label, vg.Point{X: x, Y: y - digit}, black)
			end = y - digit + vg.Length(t.label.Height)
		}
	}

	middle := (f.Min.X + f.Max.X) / 2
	centred := func(b tex.Box, margin float64) vg.Length {
		// Centred on the frame, or shifted so that it fits in the panel.
		x := middle - vg.Length(b.Width/2)
		lo, hi := f.Min.X-vg.Length(d.left-margin),
			f.Max.X+vg.Length(d.right-margin-b.Width)
		return max(min(x, hi), lo)
	}
	drawBox(c, d.title, vg.Point{X: centred(d.title, d.titleMargin),
		Y: f.Max.Y + vg.Length(1.5*pad+d.titleDepth)}, black)
	drawBox(c, d.xLabel, vg.Point{X: centred(d.xLabel, outerMargin),
		Y: below - vg.Length(pad+d.xLabel.Height)}, black)
	if !d.yLabel.Empty() {
		x := f.Min.X - majorTick - vg.Length(1.7*pad+yWidth+d.yLabel.Depth)
		y := (f.Min.Y+f.Max.Y)/2 - vg.Length(d.yLabel.Width/2)
		y = max(min(y, f.Max.Y-vg.Length(d.yLabel.Width)), f.Min.Y-vg.Length(d.below()))
		c.SetColor(black)
		c.Fill(d.yLabel.Path(vg.Point{X: x, Y: y}, true))
	}
}
