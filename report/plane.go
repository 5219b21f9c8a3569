package report

import (
	"cmp"
	"fmt"
	"slices"

	"ocobench/harness/analysis"
	"ocobench/internal/input"
	"ocobench/report/figure"
)

// tradeoffFigures returns the figures with violation and regret as coordinates, one panel a
// problem. A curve follows the means of an algorithm from the first round to the last, and a line
// joins the Pareto front of the last round. If there are many algorithms, more than [maxLines],
// only those on the front and the user's own have a colour.
func tradeoffFigures(v *analysisView) []namedFigure {
	if len(v.Algorithms) < 2 {
		return nil
	}
	var panels []figure.Panel
	many := len(v.playedAlgorithms()) > maxLines
	for _, f := range v.Fronts {
		if p := planePanel(v, f, many); p.Series != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil
	}
	regret, regretSymbol, violation := "regret", "", metricSymbols[v.Focus.Violation]
	if len(v.Focus.Regrets()) == 1 {
		regretSymbol = metricSymbols[v.Focus.Regret]
		regret += " " + regretSymbol
	}
	means := "the means over " + v.replicates
	if v.deterministic {
		means = onePath
	}
	text := fmt.Sprintf("%s against violation %s: %s from the first round to the last, which the "+
		"marker is at. The dotted line is the Pareto front of the last round.", input.Capital(regret),
		violation, means)
	if many {
		var own []string
		for _, e := range v.Algorithms {
			if analysis.IsUserDefined(e) {
				own = append(own, Name(e))
			}
		}
		text += " Grey are algorithms that are not on the front"
		if own != nil {
			text += ", apart from " + input.Few(own, ", ")
		}
		text += "."
	}
	hasTitle := len(panels) > 2 // with the symbols, in place of the labels of the panels
	if hasTitle {
		for k := range panels {
			panels[k].X.Label = "violation"
			if regretSymbol != "" {
				panels[k].Y.Label = "regret"
			}
		}
	}
	all := namedFigure{name: "plane", captionText: text, notes: v.Focus.Notes}.panelGrids(panels, "")
	for k := range all {
		f := all[k].figure
		if hasTitle {
			f.Title = cmp.Or(regretSymbol, "Regret") + " against " + violation
		}
		if many { // the names need room
			f.Columns, f.Width, f.Height = min(len(f.Panels), 2), columnWidth, 5.2
			for _, p := range f.Panels {
				names := len(p.Series) - countFaint(p)
				f.Height = max(f.Height, 1.8+float64(0.3*float64(names))) // 3 mm a name
			}
		}
	}
	return all
}

// countFaint returns the number of faint curves of a panel.
func countFaint(p figure.Panel) (n int) {
	for _, s := range p.Series {
		if s.Faint {
			n++
		}
	}
	return n
}

// planePanel draws violation against regret on one problem. If there are many algorithms, those
// that are not on the front are grey, apart from the user's own.
func planePanel(v *analysisView, front analysis.Front, many bool) figure.Panel {
	p := figure.Panel{
		Title: Name(v.Entry(front.Problem)),
		X:     figure.Axis{Label: metricSymbols[front.Violation], Scale: figure.SymLog},
		Y:     figure.Axis{Label: metricSymbols[front.Regret], Scale: figure.SymLog},
	}
	placeOnFront := make(map[int]int) // of a curve, by its style; after the front for all others
	for k, e := range v.Algorithms {
		pair := v.Pair(e.Spec, front.Problem)
		if pair == nil || !pair.Series[front.Regret].Known() || !pair.Series[front.Violation].Known() {
			continue
		}
		s := figure.Series{Label: lineLabel(e, v.Algorithms), Style: k, Path: true}
		place := slices.Index(front.Algorithms, e.Spec)
		if isOnFront := place >= 0; !isOnFront {
			place = len(front.Algorithms)
			if many && !analysis.IsUserDefined(e) {
				s.Faint, s.Label = true, ""
			}
		}
		placeOnFront[k] = place
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
	if p.Ends = many; many { // the names at the ends are in the order of the front
		slices.SortStableFunc(p.Series, func(s, t figure.Series) int {
			return cmp.Compare(placeOnFront[s.Style], placeOnFront[t.Style])
		})
	}
	const frontStyle = 6
	stairs := figure.Series{Label: "Pareto front", Style: frontStyle, Thin: true}
	for _, spec := range front.Algorithms {
		pair := v.Pair(spec, front.Problem)
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
