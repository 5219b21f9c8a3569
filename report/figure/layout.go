package figure

import (
	"image/color"
	"slices"

	"ocobench/report/tex"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A drawing is a figure with its layout: the boxes of all texts and their places.
// Lengths are in points, from the lower left corner.
type drawing struct {
	width, height float64
	title         tex.Box
	titleAt       vg.Point
	legend        []entry
	panels        []*panelDrawing
}

// An entry is a line of the legend.
type entry struct {
	label tex.Box
	at    vg.Point // the left end of its baseline
	curve *Series  // nil for the entry that explains the chevrons at gaps
	band  bool
	bars  bool // the intervals are bars
}

// layout returns the drawing of f, which must be valid.
func (f *Figure) layout() (*drawing, error) {
	width, height := f.Width, f.Height
	if width == 0 {
		width = 8.4
	}
	if height == 0 {
		height = 6
	}
	width *= centimetre
	height *= centimetre

	columns := len(f.Panels)
	if f.Columns > 0 {
		columns = min(columns, f.Columns)
	}
	rows := (len(f.Panels) + columns - 1) / columns
	s := &sheet{}
	d := &drawing{width: width * float64(columns), height: height * float64(rows)}
	for i := range f.Panels {
		d.panels = append(d.panels, s.panel(&f.Panels[i], width, height))
	}
	// All frames have the same size. They are aligned in rows and columns.
	lefts, rights := make([]float64, columns), make([]float64, columns)
	var top, bottom, depth, margins float64
	for i, p := range d.panels {
		c := i % columns
		lefts[c], rights[c] = max(lefts[c], p.left), max(rights[c], p.right)
		top, bottom = max(top, p.top), max(bottom, p.bottom)
		depth = max(depth, p.title.Depth)
		p.bars = f.Bars()
	}
	for c := range columns {
		margins += lefts[c] + rights[c]
	}
	frame := max(d.width-margins, float64(columns)) / float64(columns)
	x := 0.0
	for i, p := range d.panels {
		c := i % columns
		if c == 0 {
			x = 0
		}
		p.left, p.right, p.top, p.bottom = lefts[c], rights[c], top, bottom
		y := float64(rows-1-i/columns) * height
		p.frame = vg.Rectangle{
			Min: vg.Point{X: vg.Length(x + p.left), Y: vg.Length(y + bottom)},
			Max: vg.Point{X: vg.Length(x + p.left + frame), Y: vg.Length(y + height - top)},
		}
		room := p.left + frame + p.right
		x += room
		p.titleDepth = depth
		if p.titleMargin = outerMargin; columns > 1 {
			p.titleMargin = titleGap / 2
		}
		p.title = s.fit(p.Title, titleSize, room-2*p.titleMargin)
		p.xLabel = s.fit(p.xText, labelSize, room-2*outerMargin)
		p.yLabel = s.fit(p.yText, labelSize, height-top-bottom+p.below())
		p.placeNotes()
		p.placeEnds()
	}

	s.legend(f, d)
	if f.Title != "" {
		d.title = s.fit(f.Title, titleSize, d.width-2*outerMargin)
		d.titleAt = vg.Point{X: vg.Length((d.width - d.title.Width) / 2),
			Y: vg.Length(d.height + pad + d.title.Depth)}
		d.height += d.title.Height + d.title.Depth + 2*pad + outerMargin
	}
	return d, s.err
}

// A sheet sets texts and records the first error.
type sheet struct{ err error }

func (s *sheet) set(src string, size float64) tex.Box {
	b, err := tex.Set(src, size)
	if err != nil && s.err == nil {
		s.err = err
	}
	return b
}

// fit sets src at the given size or, if it would be wider than room, at the size at
// which it fits.
func (s *sheet) fit(src string, size, room float64) tex.Box {
	b := s.set(src, size)
	if b.Width > room {
		b = s.set(src, size*room/b.Width)
	}
	return b
}

const (
	sampleWidth = 20  // of the sample line before a legend entry
	legendRow   = 11  // from baseline to baseline
	legendGap   = 12  // between columns
	swatch      = 2.8 // half the height of the sample of a band
)

// legend places the entries above the panels, in as many columns as fit, and adds
// their height to d.
func (s *sheet) legend(f *Figure, d *drawing) {
	type key struct {
		label string
		style int
		thin  bool
	}
	index := make(map[key]int)
	room := d.width - 2*outerMargin - sampleWidth - pad
	for i := range f.Panels {
		for _, c := range f.Panels[i].Series {
			if c.Label == "" || f.Panels[i].Ends && !c.Thin {
				continue
			}
			k := key{c.Label, c.Style, c.Thin}
			if _, ok := index[k]; !ok {
				index[k] = len(d.legend)
				d.legend = append(d.legend, entry{label: s.fit(c.Label, legendSize, room), curve: &c,
					bars: d.panels[i].bars})
			}
			if c.Lower != nil {
				d.legend[index[k]].band = true
			}
		}
	}
	if slices.ContainsFunc(d.panels, (*panelDrawing).showsGap) {
		d.legend = append(d.legend, entry{label: s.fit(`not positive, off the axis`, legendSize, room)})
	}
	n := len(d.legend)
	if n == 0 {
		return
	}

	// Entries are in reading order, and a column is as wide as its widest entry.
	var widths []float64
	var total float64
	for columns := n; columns >= 1; columns-- {
		widths, total = make([]float64, columns), float64(columns-1)*legendGap
		for i, e := range d.legend {
			widths[i%columns] = max(widths[i%columns], sampleWidth+pad+e.label.Width)
		}
		for _, w := range widths {
			total += w
		}
		rows := (n + columns - 1) / columns
		even := columns == (n+rows-1)/rows // fewer columns need more rows
		if even && total <= d.width-2*outerMargin {
			break
		}
	}
	columns := len(widths)
	rows := (n + columns - 1) / columns
	for i := range d.legend {
		x := (d.width-total)/2 + sampleWidth + pad
		for _, w := range widths[:i%columns] {
			x += w + legendGap
		}
		d.legend[i].at = vg.Point{X: vg.Length(x),
			Y: vg.Length(d.height + pad + legendRow*float64(rows-1-i/columns))}
	}
	d.height += pad + legendRow*float64(rows)
}

// draw draws d on a canvas of the size of d.
func (d *drawing) draw(canvas vg.Canvas) {
	c := draw.Canvas{Canvas: canvas}
	for _, p := range d.panels {
		p.draw(c)
	}
	for _, e := range d.legend {
		e.draw(c)
	}
	drawBox(c, d.title, d.titleAt, grey(0))
}

func drawBox(c draw.Canvas, b tex.Box, at vg.Point, ink color.Color) {
	if b.Empty() {
		return
	}
	c.SetColor(ink)
	c.Fill(b.Path(at, false))
}

func (e entry) draw(c draw.Canvas) {
	const xHeight = 0.25 * legendSize // the sample is at half the height of small letters
	end := e.at.Add(vg.Point{X: -pad, Y: xHeight})
	start := end.Add(vg.Point{X: -sampleWidth})
	middle := start.Add(vg.Point{X: sampleWidth / 2})
	if l := e.curve; l == nil {
		drawGap(c, middle.Add(vg.Point{Y: -gapSize / 2}), false, grey(0x60))
	} else {
		look := l.look()
		switch {
		case e.band && e.bars:
			c.StrokeLine2(draw.LineStyle{Color: look.color, Width: guideWidth}, middle.X,
				middle.Y-1.3*swatch, middle.X, middle.Y+1.3*swatch)
		case e.band:
			c.FillPolygon(tint(look.color, bandWhite), []vg.Point{
				{X: start.X, Y: start.Y - swatch}, {X: end.X, Y: start.Y - swatch},
				{X: end.X, Y: start.Y + swatch}, {X: start.X, Y: start.Y + swatch},
			})
		}
		c.StrokeLine2(l.line(), start.X, start.Y, end.X, end.Y)
		switch {
		case l.Path:
			look.drawMarker(c, end)
		case !l.Thin:
			look.drawMarker(c, middle)
		}
	}
	drawBox(c, e.label, e.at, grey(0))
}

// drawMarker draws the marker of l at p, with a white edge that separates it from
// other curves.
func (l look) drawMarker(c draw.Canvas, p vg.Point) {
	c.SetColor(grey(0xff))
	c.Fill(markerPath(l.marker, p, markerSize+0.5))
	c.SetColor(l.color)
	c.Fill(markerPath(l.marker, p, markerSize))
}
