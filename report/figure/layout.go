package figure

import (
	"cmp"
	"fmt"

	"ocobench/report/tex"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A drawing is a figure with its layout: the places of its panels and of all texts.
// Lengths are in points, from the lower left corner.
type drawing struct {
	width, height float64
	title         tex.Box
	titleAt       vg.Point
	legend        []entry
	panels        []*placedPanel
}

// An entry is a line of the legend.
type entry struct {
	label tex.Box
	at    vg.Point // the left end of its baseline
	curve *Series  // nil for the entry that explains the chevrons at gaps
	// hasInterval and intervalAsBar say whether the sample shows an interval, and whether as a bar
	// and not as a band.
	hasInterval, intervalAsBar bool
}

// layout returns the drawing of f, if f is valid.
func (f *Figure) layout() (*drawing, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	width, height := cmp.Or(f.Width, 8.4)*centimetre, cmp.Or(f.Height, 6)*centimetre
	columns := len(f.Panels)
	if f.Columns > 0 {
		columns = min(columns, f.Columns)
	}
	tiles := draw.Tiles{Cols: columns, Rows: (len(f.Panels) + columns - 1) / columns,
		PadTop: 2 * outerMargin, PadBottom: outerMargin, PadLeft: outerMargin, PadRight: outerMargin,
		PadX: 2 * outerMargin, PadY: 2 * outerMargin}
	d := &drawing{width: width * float64(columns), height: height * float64(tiles.Rows)}
	plots := make([][]*plot.Plot, tiles.Rows)
	for row := range plots {
		plots[row] = make([]*plot.Plot, columns)
	}
	for i := range f.Panels {
		p := newPlacedPanel(&f.Panels[i], f.Font, width, f.Bars())
		d.panels = append(d.panels, p)
		plots[i/columns][i%columns] = p.plot
	}
	// place makes all frames of one size, as large as the labels beside them permit. It runs twice:
	// labels are shrunk to fit the first frames, which can only make room, so that they also fit the
	// second ones.
	place := func() {
		paper := draw.NewCanvas(nil, vg.Length(d.width), vg.Length(d.height))
		canvases := plot.Align(plots, tiles, paper)
		for i, p := range d.panels {
			p.canvas = canvases[i/columns][i%columns]
			p.frame = p.plot.DataCanvas(p.canvas).Rectangle
		}
	}
	place()
	for _, p := range d.panels {
		p.fitLabels()
	}
	place()
	for _, p := range d.panels {
		if size := p.frame.Size(); min(size.X, size.Y) < 1 {
			return nil, fmt.Errorf("figure: a panel of %.3g by %.3g cm is too small for its labels",
				width/centimetre, height/centimetre)
		}
		p.title = fitText(f.Font, p.Title, titleSize, (p.canvas.Size().X - 2*titleMargin).Points())
		p.placeFrameLabels()
		p.placeEndLabels()
	}
	d.placeLegend(f)
	if f.Title != "" {
		d.title = fitText(f.Font, f.Title, titleSize, d.width-2*outerMargin)
		d.titleAt = vg.Point{X: vg.Length((d.width - d.title.Width) / 2),
			Y: vg.Length(d.height + pad + d.title.Depth)}
		d.height += d.title.Height + d.title.Depth + 2*pad + outerMargin
	}
	if max(d.width, d.height) > maxSide {
		return nil, fmt.Errorf("figure: %.0f by %.0f cm is larger than a page of PDF, %.0f cm",
			d.width/centimetre, d.height/centimetre, maxSide/centimetre)
	}
	return d, nil
}

// textBox returns a text at a size. It panics on a fault, which Validate would have found.
func textBox(font tex.Font, src string, size float64) tex.Box {
	b, err := font.Set(src, size)
	if err != nil {
		panic("figure: " + err.Error())
	}
	return b
}

// fitSize returns the given size or, if src would be wider than room, the size at which it fits.
func fitSize(font tex.Font, src string, size, room float64) float64 {
	return size * min(1, room/max(textBox(font, src, size).Width, 1e-9))
}

// fitText sets src at the given size, or smaller if it is wider than room. Lengths are in points.
func fitText(font tex.Font, src string, size, room float64) tex.Box {
	return textBox(font, src, fitSize(font, src, size, room))
}

// Lengths of the legend in points.
const (
	sampleWidth = 20  // the width of the sample line before a legend entry
	legendRow   = 11  // the distance of two rows, from baseline to baseline
	legendGap   = 12  // the distance between columns
	swatch      = 2.8 // half the height of the sample of a band
)

// placeLegend places the legend above the panels, in as many columns as fit, and adds its height to
// the drawing. Entries are in reading order.
func (d *drawing) placeLegend(f *Figure) {
	d.legend = d.legendEntries(f)
	if d.legend == nil {
		return
	}
	widths := d.legendWidths()
	columns := len(widths)
	rows := (len(d.legend) + columns - 1) / columns
	left := (d.width - legendWidth(widths)) / 2
	for i := range d.legend {
		x := left + sampleWidth + pad
		for _, w := range widths[:i%columns] {
			x += w + legendGap
		}
		d.legend[i].at = vg.Point{X: vg.Length(x),
			Y: vg.Length(d.height + pad + legendRow*float64(rows-1-i/columns))}
	}
	d.height += pad + legendRow*float64(rows)
}

// legendEntries returns the entries of the legend: one for each label with a style, and the one
// that explains chevrons.
func (d *drawing) legendEntries(f *Figure) (all []entry) {
	type key struct {
		label string
		style int
		thin  bool
	}
	index := make(map[key]int)
	room := d.width - 2*outerMargin - sampleWidth - pad
	for i := range f.Panels {
		for _, c := range f.Panels[i].Series {
			if c.Label == "" || f.Panels[i].labelledAtEnd(&c) {
				continue
			}
			k := key{c.Label, c.Style, c.Thin}
			if _, ok := index[k]; !ok {
				index[k] = len(all)
				all = append(all, entry{label: fitText(f.Font, c.Label, legendSize, room), curve: &c,
					intervalAsBar: d.panels[i].hasBars})
			}
			if c.Lower != nil {
				all[index[k]].hasInterval = true
			}
		}
	}
	if f.HasChevrons() {
		all = append(all, entry{label: fitText(f.Font, `not positive, off the axis`, legendSize, room)})
	}
	return all
}

// legendWidths returns the widths of the columns of the legend, as many as fit. A column is as wide
// as its widest entry. A number of columns is left out if fewer of them need no more rows.
func (d *drawing) legendWidths() (widths []float64) {
	n := len(d.legend)
	for columns := n; columns >= 1; columns-- {
		widths = make([]float64, columns)
		for i, e := range d.legend {
			widths[i%columns] = max(widths[i%columns], sampleWidth+pad+e.label.Width)
		}
		rows := (n + columns - 1) / columns
		isFewest := columns == (n+rows-1)/rows
		if isFewest && legendWidth(widths) <= d.width-2*outerMargin {
			break
		}
	}
	return widths
}

// legendWidth returns the width of columns with their gaps.
func legendWidth(columns []float64) float64 {
	total := float64(len(columns)-1) * legendGap
	for _, w := range columns {
		total += w
	}
	return total
}

// draw draws d on a canvas of the size of d.
func (d *drawing) draw(canvas vg.Canvas) {
	for _, p := range d.panels {
		p.plot.Draw(draw.Canvas{Canvas: canvas, Rectangle: p.canvas.Rectangle})
	}
	c := draw.Canvas{Canvas: canvas}
	for _, e := range d.legend {
		e.draw(c)
	}
	drawBox(c, d.title, d.titleAt, grey(0))
}

// draw draws the entry: a sample of its interval, line and marker, and to the right of it the
// label.
func (e entry) draw(c draw.Canvas) {
	const xHeight = 0.25 * legendSize // the sample is at half the height of small letters
	end := e.at.Add(vg.Point{X: -pad, Y: xHeight})
	start := end.Add(vg.Point{X: -sampleWidth})
	middle := start.Add(vg.Point{X: sampleWidth / 2})
	if l := e.curve; l == nil {
		drawChevron(c, middle.Add(vg.Point{Y: -chevronSize / 2}), down, chevronSize,
			draw.LineStyle{Color: grey(0x60), Width: curveWidth})
	} else {
		look := l.look()
		switch {
		case e.hasInterval && e.intervalAsBar:
			c.StrokeLine2(draw.LineStyle{Color: look.color, Width: guideWidth}, middle.X,
				middle.Y-1.3*swatch, middle.X, middle.Y+1.3*swatch)
		case e.hasInterval:
			c.FillPolygon(tint(look.color, bandWhite), []vg.Point{
				{X: start.X, Y: start.Y - swatch}, {X: end.X, Y: start.Y - swatch},
				{X: end.X, Y: start.Y + swatch}, {X: start.X, Y: start.Y + swatch},
			})
		}
		if !l.Points {
			c.StrokeLine2(l.lineStyle(), start.X, start.Y, end.X, end.Y)
		}
		switch {
		case l.Path:
			look.drawMarker(c, end)
		case !l.Thin:
			look.drawMarker(c, middle)
		}
	}
	drawBox(c, e.label, e.at, grey(0))
}
