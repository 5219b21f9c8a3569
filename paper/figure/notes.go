package figure

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placeNotes places the labels of guides and marks where they cover least of the
// curves, of other lines and of each other.
func (d *panelDrawing) placeNotes() {
	in := draw.Canvas{Rectangle: d.frame}
	var busy obstacles
	for i := range d.Series {
		busy.addLines(in.ClipLinesXY(d.runs(&d.Series[i])...), 4)
		lower, upper := d.bands(&d.Series[i])
		busy.addLines(in.ClipLinesXY(append(lower, upper...)...), 1)
	}
	for _, g := range d.Guides {
		busy.addLines(in.ClipLinesXY(d.guide(g)), 2)
	}
	for _, m := range d.Marks {
		x := d.at(m.X, 0).X
		busy.addLines([][]vg.Point{{{X: x, Y: d.frame.Min.Y}, {X: x, Y: d.frame.Max.Y}}}, 2)
	}

	place := func(text string, corners []vg.Point) {
		b, _ := set(text, noteSize) // Validate has checked it
		best, cost := -1, math.Inf(1)
		rects := make([]vg.Rectangle, len(corners))
		for i, p := range corners {
			rects[i] = vg.Rectangle{Min: p, Max: p.Add(vg.Point{X: vg.Length(b.width), Y: vg.Length(b.height + b.depth)})}
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
		d.notes = append(d.notes, note{b, rects[best].Min.Add(vg.Point{Y: vg.Length(b.depth)})})
		busy.rects = append(busy.rects, rects[best])
	}
	for _, g := range d.Guides {
		if visible := in.ClipLinesXY(d.guide(g)); len(visible) > 0 {
			b, _ := set(g.text(), noteSize)
			place(g.text(), alongside(visible[0][0], visible[0][len(visible[0])-1], b))
		}
	}
	for _, m := range d.Marks {
		if m.Label == "" {
			continue
		}
		b, _ := set(m.Label, noteSize)
		var corners []vg.Point
		line := d.at(m.X, 0)
		for _, y := range []float64{1, 0, 0.8, 0.2, 0.6, 0.4} {
			room := d.frame.Size().Y - vg.Length(b.height+b.depth) - 2*noteGap
			y := d.frame.Min.Y + noteGap + vg.Length(y)*room
			corners = append(corners,
				vg.Point{X: line.X - noteGap - vg.Length(b.width), Y: y},
				vg.Point{X: line.X + noteGap, Y: y})
		}
		place(m.Label, corners)
	}
}

// noteGap is the distance of a note from its line, in points.
const noteGap = 2.5

// alongside returns places for the lower left corner of b, the best first. At each
// of them b is close to the line from p to q and does not touch it.
func alongside(p, q vg.Point, b box) []vg.Point {
	if q.X < p.X {
		p, q = q, p
	}
	rising := q.Y >= p.Y
	w, h := vg.Length(b.width), vg.Length(b.height+b.depth)
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
