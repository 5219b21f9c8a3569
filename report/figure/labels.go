package figure

import (
	"cmp"
	"math"
	"slices"

	"ocobench/report/tex"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A frameLabel is a text in the frame of a panel, at the place where it covers least.
type frameLabel struct {
	box tex.Box
	at  vg.Point // the left end of its baseline
}

// rectangle returns the rectangle that the label covers.
func (n frameLabel) rectangle() vg.Rectangle {
	low := n.at.Sub(vg.Point{Y: vg.Length(n.box.Depth)})
	return vg.Rectangle{Min: low, Max: low.Add(boxSize(n.box))}
}

// boxSize returns the width and the height of a box, with its depth.
func boxSize(b tex.Box) vg.Point {
	return vg.Point{X: vg.Length(b.Width), Y: vg.Length(b.Height + b.Depth)}
}

// The costs of a label that covers a typographic point of length, or another label.
const (
	markerCost    = 6 // of its outline
	curveCost     = 4
	referenceCost = 2
	bandEdgeCost  = 1
	labelCost     = 1000 // more than any points
	laterCost     = 0.2  // of a place for each better one: of equal places the first is taken
)

// placeFrameLabels places the labels of guides, marks, levels and regions where they cover least of
// the markers and their bars, of the curves, of other lines and of each other.
func (p *placedPanel) placeFrameLabels() {
	inFrame, occupied := draw.Canvas{Rectangle: p.frame}, p.findObstacles()
	for _, r := range p.references() {
		if visible := inFrame.ClipLinesXY(r.line); r.label != "" && len(visible) > 0 {
			b := textBox(p.font, r.label, frameLabelSize)
			p.placeFrameLabel(b, placesAlong(visible[0], boxSize(b)), occupied)
		}
	}
	for _, r := range p.Regions {
		if r.Label != "" {
			b := textBox(p.font, r.Label, frameLabelSize)
			p.placeFrameLabel(b, p.placesIn(r, boxSize(b)), occupied)
		}
	}
}

// findObstacles returns the markers, curves and lines of the panel.
func (p *placedPanel) findObstacles() *obstacles {
	inFrame, occupied := draw.Canvas{Rectangle: p.frame}, new(obstacles)
	for i := range p.Series {
		s := &p.Series[i]
		if !s.Points {
			occupied.addLines(inFrame.ClipLinesXY(p.curveLines(s)...), curveCost)
		}
		if !p.hasBars {
			lower, upper := p.bandEdges(s)
			occupied.addLines(inFrame.ClipLinesXY(append(lower, upper...)...), bandEdgeCost)
		}
		for _, k := range p.markedPoints(s) {
			at, half := p.markerAt(s, k), vg.Point{X: markerSize, Y: markerSize}
			outline := cornersOf(vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)})
			occupied.addLines([][]vg.Point{append(outline, outline[0])}, markerCost)
			if bar, _ := p.barAt(s, k); bar != nil {
				occupied.addLines([][]vg.Point{bar}, curveCost)
			}
		}
	}
	for _, r := range p.references() {
		occupied.addLines(inFrame.ClipLinesXY(r.line), referenceCost)
	}
	return occupied
}

// placeFrameLabel puts a label where it costs least of the places in the frame with these lower
// left corners, the better ones first, and adds it to the obstacles. Without such a place the label
// is left out.
func (p *placedPanel) placeFrameLabel(b tex.Box, corners []vg.Point, occupied *obstacles) {
	inFrame := draw.Canvas{Rectangle: p.frame}
	best, least := frameLabel{}, math.Inf(1)
	for i, at := range corners {
		label := frameLabel{b, at.Add(vg.Point{Y: vg.Length(b.Depth)})}
		r := label.rectangle()
		if !inFrame.Contains(r.Min) || !inFrame.Contains(r.Max) {
			continue
		}
		if cost := occupied.coverCost(r) + laterCost*float64(i); cost < least {
			best, least = label, cost
		}
	}
	if !math.IsInf(least, 1) {
		p.frameLabels = append(p.frameLabels, best)
		occupied.rects = append(occupied.rects, best.rectangle())
	}
}

// labelGap is the distance of a label from the frame or a vertical line, in points. At other lines
// the distance of a corner is half of it in each direction, or more where that is occupied.
const labelGap = 2.5

// placesAlong returns places for the lower left corner of a label, the best first, at which the
// label is close to a straight line and does not touch it: first those nearest to the line, from
// its right end on. If the line is vertical, its first point is below the last one.
func placesAlong(line []vg.Point, label vg.Point) (places []vg.Point) {
	p, q := line[0], line[len(line)-1]
	if p.X == q.X {
		return placesBeside(p, q, label)
	}
	if q.X < p.X {
		p, q = q, p
	}
	for _, gap := range []vg.Length{labelGap / 2, labelGap/2 + 4} {
		for percent := 95; percent > 0; percent -= 2 {
			at := p.Add(q.Sub(p).Scale(vg.Length(percent) / 100))
			left, right := at.X-gap-label.X, at.X+gap
			above, below := at.Y+gap, at.Y-gap-label.Y
			if p.Y <= q.Y { // a rising line
				places = append(places, vg.Point{X: left, Y: above}, vg.Point{X: right, Y: below})
			} else {
				places = append(places, vg.Point{X: right, Y: above}, vg.Point{X: left, Y: below})
			}
		}
	}
	return places
}

// placesBeside returns places on both sides of the vertical line from p up to q, as [placesAlong]
// does.
func placesBeside(p, q vg.Point, label vg.Point) (places []vg.Point) {
	room := q.Y - p.Y - label.Y - 2*labelGap
	for _, share := range []vg.Length{1, 0, 0.8, 0.2, 0.6, 0.4} {
		y := p.Y + labelGap + share*room
		places = append(places, vg.Point{X: p.X - labelGap - label.X, Y: y},
			vg.Point{X: p.X + labelGap, Y: y})
	}
	return places
}

// placesIn returns places for the lower left corner of the label of a region, in the middle between
// its sides, the best first.
func (p *placedPanel) placesIn(r Region, label vg.Point) (places []vg.Point) {
	x := (p.pointAt(r.Min, 0).X + p.pointAt(r.Max, 0).X - label.X) / 2
	room := p.frame.Size().Y - label.Y - 2*labelGap
	for _, share := range []vg.Length{0, 0.1, 0.2, 0.9, 1, 0.5} {
		places = append(places, vg.Point{X: x, Y: p.frame.Min.Y + labelGap + share*room})
	}
	return places
}

// obstacles holds what a label should not cover: points along lines, with the cost of each, and the
// rectangles of other labels.
type obstacles struct {
	points []vg.Point
	costs  []float64
	rects  []vg.Rectangle
}

// addLines adds the points of lines, about one each typographic point of length, at the given cost.
func (o *obstacles) addLines(lines [][]vg.Point, cost float64) {
	for _, line := range lines {
		for i := 1; i < len(line); i++ {
			step := line[i].Sub(line[i-1])
			n := 1 + int(math.Hypot(float64(step.X), float64(step.Y)))
			for k := range n {
				o.points = append(o.points, line[i-1].Add(step.Scale(vg.Length(k)/vg.Length(n))))
				o.costs = append(o.costs, cost)
			}
		}
	}
}

// coverCost returns the sum of the costs of what r would cover, or come near to.
func (o *obstacles) coverCost(r vg.Rectangle) float64 {
	const air = 1 // around r, in points
	var sum float64
	for i, p := range o.points {
		if p.X > r.Min.X-air && p.X < r.Max.X+air && p.Y > r.Min.Y-air && p.Y < r.Max.Y+air {
			sum += o.costs[i]
		}
	}
	for _, q := range o.rects {
		if r.Min.X < q.Max.X && q.Min.X < r.Max.X && r.Min.Y < q.Max.Y && q.Min.Y < r.Max.Y {
			sum += labelCost
		}
	}
	return sum
}

// An endLabel is the label of a curve to the right of the frame, with its marker, and a line from
// the end of the curve to it.
type endLabel struct {
	look         look
	box          tex.Box
	hasEnd       bool    // the curve has an end
	isPath       bool    // which may be anywhere in the frame
	endY, labelY float64 // the heights of the end and of the label above the bottom of the frame
}

// placeEndLabels places the labels of the curves to the right of the frame, as near to the ends of
// the curves as there is room. The labels of paths are a list.
func (p *placedPanel) placeEndLabels() {
	top := float64(p.frame.Size().Y)
	row := min(frameLabelSize+1, top/float64(max(len(p.endLabels), 1)))
	n := 0
	for _, s := range p.Series {
		if !p.labelledAtEnd(&s) {
			continue
		}
		e := &p.endLabels[n] // newPlacedPanel has made one for each such curve, in their order
		n++
		if k := len(s.X) - 1; k >= 0 && isFinite(s.X[k]) && isFinite(s.Y[k]) {
			e.hasEnd, e.isPath = true, s.Path
			e.endY = min(max(float64(p.pointAt(s.X[k], s.Y[k]).Y-p.frame.Min.Y), 0), top)
		}
		if s.Path { // the labels are a list, in the order of the curves
			e.endY = top - row*float64(n)
		}
		e.labelY = e.endY
	}
	slices.SortStableFunc(p.endLabels, func(a, b endLabel) int { return cmp.Compare(a.endY, b.endY) })
	for i := range p.endLabels {
		if i > 0 {
			p.endLabels[i].labelY = max(p.endLabels[i].labelY, p.endLabels[i-1].labelY+row)
		}
	}
	ceiling := top
	for i := len(p.endLabels) - 1; i >= 0; i-- {
		p.endLabels[i].labelY = min(p.endLabels[i].labelY, ceiling)
		ceiling = p.endLabels[i].labelY - row
	}
}

// drawEndLabels draws the labels at the ends with the markers of their curves.
func (p *placedPanel) drawEndLabels(c draw.Canvas) {
	for _, e := range p.endLabels {
		marker := vg.Point{X: c.Max.X + endWidth - 6, Y: c.Min.Y + vg.Length(e.labelY)}
		if e.hasEnd && !e.isPath {
			line := []vg.Point{{X: c.Max.X, Y: c.Min.Y + vg.Length(e.endY)}, marker}
			c.StrokeLines(draw.LineStyle{Color: grey(0x90), Width: gridWidth}, line)
		}
		if e.hasEnd {
			e.look.drawMarker(c, marker)
		}
		drawBox(c, e.box, vg.Point{X: c.Max.X + endWidth, Y: marker.Y - 0.25*frameLabelSize}, grey(0))
	}
}
