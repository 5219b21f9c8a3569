package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/figure"
)

// kindName is regret, dynamic regret or violation.
func kindName(kind []algorithms.Metric) string {
	switch {
	case slices.Contains(kind, algorithms.RegretXMin):
		return "regret"
	case slices.Contains(kind, algorithms.RegretDynamic):
		return "dynamic regret"
	}
	return "violation"
}

// localFigures shows the local exponents of the metrics that the claims of a kind
// are about, in a grid of all pairs. Levels are the claimed exponents.
func localFigures(x *subject, kind []algorithms.Metric, views []view) []namedFigure {
	var panels []figure.Panel
	for _, v := range views {
		p := figure.Panel{
			Title: v.title,
			X:     figure.Axis{Label: "$t$", Scale: figure.Log},
			Y:     figure.Axis{Label: "local exponent"},
		}
		for _, line := range v.lines {
			pair := v.pair(x, line)
			if pair == nil {
				continue
			}
			j := judgement(pair, kind)
			s := pair.Series[j.Metric]
			if s == nil || s.Slopes == nil || !slices.ContainsFunc(s.Slopes.Value, analysis.Number.Defined) {
				continue
			}
			p.Series = append(p.Series, slopeSeries(s, line.label, line.style))
			if j.Claim != nil && j.Claim.Growth == "" {
				p.Levels = appendLevel(p.Levels, *j.Claim)
			}
		}
		if slices.ContainsFunc(p.Series, isCurve) {
			fitSlopes(&p)
			panels = append(panels, p)
		}
	}
	name := kindName(kind)
	return judgedGrids(panels, "local-"+fileName(name), "Local exponent of the "+name,
		"Local exponents of the "+name+" that each claim is about, over half a decade each: %s Dashed "+
			"lines are claimed exponents. Exponents beyond $-1$ and 2 are cut off.")
}

// judgedGrids lays panels out in grids, with what they show as title above more than two
// in place of the labels beside them.
func judgedGrids(panels []figure.Panel, name, title, text string) []namedFigure {
	if len(panels) > 2 {
		for k := range panels {
			panels[k].Y.Label = ""
		}
	}
	all := grids(panels, name)
	for k := range all {
		if len(panels) > 2 {
			all[k].figure.Title = title
		}
		all[k].text = text
	}
	return all
}

// slopeSeries is the line of the local exponents of a series.
func slopeSeries(s *analysis.Series, label string, style int) figure.Series {
	out := bandSeries(*s.Slopes, style)
	out.Label = label
	if s.Replicates == 1 {
		out.Lower, out.Upper = nil, nil
	}
	return out
}

// isCurve reports whether a series has two numbers, which a curve needs.
func isCurve(s figure.Series) bool {
	n := 0
	for _, v := range s.Y {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n > 1
}

// fitSlopes limits the axis of a panel of local exponents to what says something: an
// exponent beyond −1 or 2 is of a curve near zero.
func fitSlopes(p *figure.Panel) {
	lo, hi := 0.0, 1.0
	for _, s := range p.Series {
		for _, v := range s.Y {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	p.Y.Min, p.Y.Max = max(lo, -1)-0.1, min(hi, 2)+0.1
}

// appendLevel appends the exponent of a claim, once.
func appendLevel(all []figure.Level, c algorithms.Claim) []figure.Level {
	if slices.ContainsFunc(all, func(l figure.Level) bool { return l.Y == c.Exponent }) {
		return all
	}
	return append(all, figure.Level{Y: c.Exponent, Label: figure.Power(c.Exponent)})
}

// ratioFigures shows the metrics of the claims of a kind over the bounds of the
// proofs, in a grid of all pairs with a bound.
func ratioFigures(x *subject, kind []algorithms.Metric, views []view) []namedFigure {
	var panels []figure.Panel
	for _, v := range views {
		p := figure.Panel{
			Title:  v.title,
			X:      figure.Axis{Label: "$t$", Scale: figure.Log},
			Y:      figure.Axis{Label: "measured / bound", Scale: figure.Log},
			Levels: []figure.Level{{Y: 1}},
		}
		for _, line := range v.lines {
			pair := v.pair(x, line)
			if pair == nil {
				continue
			}
			if b := judgement(pair, kind).Bound; b != nil &&
				slices.ContainsFunc(b.Ratios.Value, func(r analysis.Number) bool { return r > 0 }) {
				s := lineSeries(b.Ratios, line.style)
				for i, y := range s.Y {
					if y <= 0 { // there is nothing to bound
						s.Y[i] = math.NaN()
					}
				}
				s.Label = line.label
				p.Series = append(p.Series, s)
			}
		}
		if p.Series != nil {
			panels = append(panels, p)
		}
	}
	title := "Measured " + kindName(kind) + " over the bound of the proof"
	largest := "the largest of " + x.replicates + ", or the mean where the bound is in expectation"
	if x.still {
		largest = onePath
	}
	return judgedGrids(panels, "ratio-"+fileName(kindName(kind)), title,
		title+": "+largest+". Where it is not positive there is no curve. The dashed line is "+
			"1, beyond which a bound is broken.")
}

// planes shows every problem as a plane with violation and regret as coordinates: the
// way of the means of each algorithm from the first round to the last, and the Pareto
// front of the last round. Of many algorithms only those on the front have a colour.
func planes(x *subject) []namedFigure {
	if len(x.Algorithms) < 2 {
		return nil
	}
	var panels []figure.Panel
	many := len(x.played()) > maxLines
	for _, f := range x.Fronts {
		if p := planePanel(x, f, many); p.Series != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil
	}
	regret, violation := "regret", symbols[x.Focus.Violation]
	if len(x.Focus.Regrets()) == 1 {
		regret += " " + symbols[x.Focus.Regret]
	}
	means := "the means over " + x.replicates
	if x.still {
		means = onePath
	}
	text := fmt.Sprintf("R%s against violation %s: %s from the first round to "+
		"the last, which the marker is at. "+
		"The dotted line is the Pareto front of the last round; algorithms that others beat in both "+
		"are above it and to the right of it.", regret[1:], violation, means)
	if many {
		text += " Grey are algorithms that are not on the front."
	}
	if len(panels) > 2 {
		for k := range panels {
			panels[k].X.Label = "violation"
			if len(x.Focus.Regrets()) == 1 {
				panels[k].Y.Label = "regret"
			}
		}
	}
	all := grids(panels, "plane")
	for k := range all {
		f := all[k].figure
		all[k].text, all[k].notes = text, x.Focus.Notes
		if len(panels) > 2 {
			f.Title = cmp.Or(strings.TrimPrefix(regret, "regret"), " Regret")[1:] + " against " + violation
		}
		if many { // the names need room
			f.Columns, f.Width, f.Height = min(len(f.Panels), 2), 8.4, 5.2
			for _, p := range f.Panels {
				f.Height = max(f.Height, 1.8+float64(0.3*float64(len(p.Series)-faint(p))))
			}
		}
	}
	return all
}

// faint counts the faint curves of a panel.
func faint(p figure.Panel) (n int) {
	for _, s := range p.Series {
		if s.Faint {
			n++
		}
	}
	return n
}

// planePanel is the plane of one problem. If there are many algorithms, those that are not on the
// front are grey.
func planePanel(x *subject, front analysis.Front, many bool) figure.Panel {
	p := figure.Panel{
		Title: Name(x.Entry(front.Problem)),
		X:     figure.Axis{Label: symbols[front.Violation], Scale: figure.SymLog},
		Y:     figure.Axis{Label: symbols[front.Regret], Scale: figure.SymLog},
	}
	place := make(map[int]int) // on the front, by style
	for k, e := range x.Algorithms {
		pair := x.pairs[pairID{e.Spec, front.Problem}]
		if pair == nil || !pair.Series[front.Regret].Known() || !pair.Series[front.Violation].Known() {
			continue
		}
		s := figure.Series{Label: lineLabel(e, x.Algorithms), Style: k, Path: true}
		if at := slices.Index(front.Algorithms, e.Spec); many && at < 0 {
			s.Faint, s.Label = true, ""
		} else if many {
			place[k] = at
		}
		violation := pair.Series[front.Violation].Mean
		for i, t := range violation.T {
			if regret, ok := pair.Series[front.Regret].Mean.At(t); ok {
				s.X, s.Y = append(s.X, float64(violation.Value[i])), append(s.Y, float64(regret.Value))
			}
		}
		p.Series = append(p.Series, s)
	}
	if p.Series == nil {
		return p
	}
	if p.Ends = many; many { // the names are in the order of the front
		slices.SortStableFunc(p.Series, func(s, t figure.Series) int {
			return cmp.Compare(place[s.Style], place[t.Style])
		})
	}
	stairs := figure.Series{Label: "Pareto front", Style: 6, Thin: true}
	for _, spec := range front.Algorithms {
		pair := x.pairs[pairID{spec, front.Problem}]
		x, y := float64(pair.Series[front.Violation].Mean.Last().Value),
			float64(pair.Series[front.Regret].Mean.Last().Value)
		if n := len(stairs.Y); n > 0 {
			stairs.X, stairs.Y = append(stairs.X, x), append(stairs.Y, stairs.Y[n-1])
		}
		stairs.X, stairs.Y = append(stairs.X, x), append(stairs.Y, y)
	}
	p.Series = append(p.Series, stairs)
	return p
}
