package figure

import (
	"cmp"
	"math"
	"slices"

	"ocobench/report/tex"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placeNotes places the labels of guides, marks, levels and regions where they cover
// least of the curves, of other lines and of each other.
func (d *panelDrawing) placeNotes() {
	in := draw.Canvas{Rectangle: d.frame}
	var busy obstacles
	for i := range d.Series {
		busy.addLines(in.ClipLinesXY(d.runs(&d.Series[i])...), 4)
		lower, upper := d.bands(&d.Series[i])
		busy.addLines(in.ClipLinesXY(append(lower, upper...)...), 1)
	}
	for _, l := range d.Levels {
		busy.addLines([][]vg.Point{d.level(l)}, 2)
	}
	for _, g := range d.Guides {
		busy.addLines(in.ClipLinesXY(d.guide(g)), 2)
	}
	for _, m := range d.Marks {
		x := d.at(m.X, 0).X
		busy.addLines([][]vg.Point{{{X: x, Y: d.frame.Min.Y}, {X: x, Y: d.frame.Max.Y}}}, 2)
	}

	place := func(text string, corners []vg.Point) {
		b, _ := tex.Set(text, noteSize) // Validate has checked it
		best, cost := -1, math.Inf(1)
		rects := make([]vg.Rectangle, len(corners))
		for i, p := range corners {
			rects[i] = vg.Rectangle{Min: p, Max: p.Add(
				vg.Point{X: vg.Length(b.Width), Y: vg.Length(b.Height + b.Depth)})}
			if !in.Contains(rects[i].Min) || !in.Contains(rects[i].Max) {
				continue
			}
			if k := busy.cost(rects[i]) + 0.01*float64(i); k < cost {
				best, cost = i, k
			}
		}
		if best < 0 {
			return // the frame has no place that is large enough
		}
		d.notes = append(d.notes, note{b, rects[best].Min.Add(vg.Point{Y: vg.Length(b.Depth)})})
		busy.rects = append(busy.rects, rects[best])
	}
	for _, g := range d.Guides {
		if visible := in.ClipLinesXY(d.guide(g)); len(visible) > 0 {
			b, _ := tex.Set(g.text(), noteSize)
			place(g.text(), alongside(visible[0][0], visible[0][len(visible[0])-1], b))
		}
	}
	for _, m := range d.Marks {
		if m.Label == "" {
			continue
		}
		b, _ := tex.Set(m.Label, noteSize)
		var corners []vg.Point
		line := d.at(m.X, 0)
		for _, y := range []float64{1, 0, 0.8, 0.2, 0.6, 0.4} {
			room := d.frame.Size().Y - vg.Length(b.Height+b.Depth) - 2*noteGap
			y := d.frame.Min.Y + noteGap + vg.Length(y)*room
			corners = append(corners,
				vg.Point{X: line.X - noteGap - vg.Length(b.Width), Y: y},
				vg.Point{X: line.X + noteGap, Y: y})
		}
		place(m.Label, corners)
	}
	for _, l := range d.Levels {
		if line := d.level(l); l.Label != "" && in.ContainsY(line[0].Y) {
			b, _ := tex.Set(l.Label, noteSize)
			place(l.Label, alongside(line[0], line[1], b))
		}
	}
	for _, r := range d.Regions {
		b, _ := tex.Set(r.Label, noteSize)
		middle := (d.at(r.Min, 0).X + d.at(r.Max, 0).X - vg.Length(b.Width)) / 2
		var corners []vg.Point
		for _, y := range []float64{0, 0.1, 0.2, 0.9, 1, 0.5} {
			room := d.frame.Size().Y - vg.Length(b.Height+b.Depth) - 2*noteGap
			corners = append(corners, vg.Point{X: middle, Y: d.frame.Min.Y + noteGap + vg.Length(y)*room})
		}
		if r.Label != "" {
			place(r.Label, corners)
		}
	}
}

// placeEnds places the labels of the curves to the right of the frame, as near to the
// ends of the curves as there is room.
func (d *panelDrawing) placeEnds() {
	top := float64(d.frame.Size().Y)
	row := min(noteSize+1, top/float64(max(len(d.ends), 1)))
	n := 0
	for _, s := range d.Series {
		if !d.Ends || s.Label == "" || s.Thin {
			continue
		}
		e := &d.ends[n]
		n++
		if k := len(s.X) - 1; k >= 0 && finite(s.X[k]) && finite(s.Y[k]) {
			e.drawn, e.path = true, s.Path
			e.y = min(max(float64(d.at(s.X[k], s.Y[k]).Y-d.frame.Min.Y), 0), top)
		}
		if s.Path { // the labels are a list
			e.y = top - row*float64(n)
		}
		e.at = e.y
	}
	slices.SortStableFunc(d.ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	for i := range d.ends {
		if i > 0 {
			d.ends[i].at = max(d.ends[i].at, d.ends[i-1].at+row)
		}
	}
	for i := len(d.ends) - 1; i >= 0; i-- {
		d.ends[i].at = min(d.ends[i].at, top)
		top = d.ends[i].at - row
	}
}

// draw draws the label with the marker of its curve.
func (e end) draw(c draw.Canvas, frame vg.Rectangle) {
	marker := vg.Point{X: frame.Max.X + endWidth - 6, Y: frame.Min.Y + vg.Length(e.at)}
	if e.drawn && !e.path {
		line := []vg.Point{{X: frame.Max.X, Y: frame.Min.Y + vg.Length(e.y)}, marker}
		c.StrokeLines(draw.LineStyle{Color: grey(0x90), Width: gridWidth}, line)
	}
	if e.drawn {
		e.look.drawMarker(c, marker)
	}
	drawBox(c, e.box, vg.Point{X: frame.Max.X + endWidth, Y: marker.Y - 0.25*noteSize}, grey(0))
}

// noteGap is the distance of a note from its line, in points.
const noteGap = 2.5

// alongside returns places for the lower left corner of b, the best first. At each
// of them b is close to the line from p to q and does not touch it.
func alongside(p, q vg.Point, b tex.Box) []vg.Point {
	if q.X < p.X {
		p, q = q, p
	}
	rising := q.Y >= p.Y
	w, h := vg.Length(b.Width), vg.Length(b.Height+b.Depth)
	var corners []vg.Point
	for _, along := range []vg.Length{0.9, 0.8, 0.7, 0.6, 0.5, 0.95, 0.4, 0.3, 0.2, 0.1, 0.05} {
		at := p.Add(q.Sub(p).Scale(along))
		above := vg.Point{X: at.X - noteGap/2 - w, Y: at.Y + noteGap/2}
		below := vg.Point{X: at.X + noteGap/2, Y: at.Y - noteGap/2 - h}
		if !rising {
			above.X, below.X = at.X+noteGap/2, at.X-noteGap/2-w
		}
		corners = append(corners, above, below)
	}
	return corners
}

// obstacles are what a note should not cover: points along lines, with weights, and
// the rectangles of other notes.
type obstacles struct {
	points  []vg.Point
	weights []float64
	rects   []vg.Rectangle
}

func (o *obstacles) addLines(lines [][]vg.Point, weight float64) {
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			step := line[i].Sub(line[i-1])
			n := 1 + int(math.Hypot(float64(step.X), float64(step.Y))) // one point each typographic point
			for k := range n {
				o.points = append(o.points, line[i-1].Add(step.Scale(vg.Length(k)/vg.Length(n))))
				o.weights = append(o.weights, weight)
			}
		}
	}
}

// cost returns the sum of the weights that r would cover.
func (o *obstacles) cost(r vg.Rectangle) float64 {
	const air = 1
	var sum float64
	for i, p := range o.points {
		if p.X > r.Min.X-air && p.X < r.Max.X+air && p.Y > r.Min.Y-air && p.Y < r.Max.Y+air {
			sum += o.weights[i]
		}
	}
	for _, q := range o.rects {
		if r.Min.X < q.Max.X && q.Min.X < r.Max.X && r.Min.Y < q.Max.Y && q.Min.Y < r.Max.Y {
			sum += 1000
		}
	}
	return sum
}
