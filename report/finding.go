package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ocobench/harness/attack"
	"ocobench/harness/store"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// FindingTable returns the table of what a search found: its score on the rounds of the search, on
// a fresh seed, and at ten times the horizon.
func FindingTable(f *attack.Finding) *table.Table {
	goal := map[attack.Goal]string{
		attack.Value: "value", attack.Bound: "value / bound", attack.Growth: "exponent",
		attack.Lead: "lead",
	}[f.Goal]
	number := func(v float64) table.Text {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return table.Plain("none")
		}
		return table.Plain(fourDigits(v))
	}
	out := &table.Table{
		Title: table.Plain(fmt.Sprintf("The largest %s of %s found for %s at T = %d", goal, f.Metric,
			f.Algorithm.Name, f.Horizon)),
		Label:   "tab:attack",
		Columns: table.Columns("played", ">T", ">"+goal, ">"+string(f.Metric)),
		Rows: [][]table.Text{
			{table.Plain("in the search"), table.Plain(fmt.Sprint(f.Horizon)), number(f.Instance.Score),
				table.Plain("")},
			{table.Plain("again, on a fresh seed"), table.Plain(fmt.Sprint(f.Fresh.Horizon)),
				number(f.Fresh.Score), number(f.Fresh.Value)},
			{table.Plain("to ten times the horizon"), table.Plain(fmt.Sprint(f.Long.Horizon)),
				number(f.Long.Score), number(f.Long.Value)},
		},
	}
	p := store.CurrentProvenance()
	family := f.Instance.Family
	if family != "" {
		family = ": " + family
	}
	growth := fmt.Sprintf("The metric grows like T^%s from T to ten times T.",
		plainExponent(f.Exponent))
	switch {
	case f.Passing:
		growth += " It grows at most linearly: that is passing."
	case math.IsNaN(f.Exponent):
		growth = "The metric is not positive at T and at ten times T: it has no exponent."
	}
	out.Notes = []table.Text{
		table.Plain(fmt.Sprintf("The worst found with %d instances and seed %d, which is not the worst "+
			"there is%s.", f.Evaluations, f.Question.Seed, family)),
		table.Plain(growth),
		table.Plain(fmt.Sprintf("Fresh seed %d; ocobench %s, %s, %s.", f.Fresh.Seed, p.Version, p.Go,
			p.GOARCH)),
	}
	return out
}

// FindingsFigure draws findings up to ten times the horizon of their searches: for the goals
// growth, value and lead the metric, with at most [maxLines] curves a panel; for the goal bound the
// ratio to the bound, all in one panel, in which the [maxLines] largest have names. The figure is
// nil if there is nothing to draw.
func FindingsFigure(all []*attack.Finding) *figure.Figure {
	f := new(figure.Figure)
	for _, goal := range []attack.Goal{attack.Growth, attack.Value, attack.Lead, attack.Bound} {
		ofGoal := slices.DeleteFunc(slices.Clone(all),
			func(f *attack.Finding) bool { return f.Goal != goal || len(f.Curve.T) == 0 })
		if goal == attack.Bound {
			if len(ofGoal) > 0 {
				slices.SortStableFunc(ofGoal, func(f, g *attack.Finding) int {
					return cmp.Compare(g.Long.Score, f.Long.Score)
				})
				f.Panels = append(f.Panels, findingsPanel("value / bound", ofGoal))
			}
			continue
		}
		for part := range evenParts(ofGoal, maxLines) {
			f.Panels = append(f.Panels, findingsPanel(string(goal), part))
		}
	}
	if f.Panels == nil {
		return nil
	}
	f.Columns, f.Width, f.Height = gridSize(len(f.Panels))
	return f
}

// findingsPanel draws findings that have the same goal. The first [maxLines] have labels.
func findingsPanel(title string, findings []*attack.Finding) figure.Panel {
	p := figure.Panel{Title: title, X: figure.Axis{Label: "$t$", Scale: figure.Log},
		Y: figure.Axis{Scale: figure.Log}, Ends: true}
	for k, finding := range findings {
		s := lineSeries(finding.Curve, k)
		if k < maxLines {
			s.Label = tex.Escape(cmp.Or(finding.Name, finding.Algorithm.Name))
		} else {
			s.Faint, s.Thin = true, true
		}
		above := 0.0 // only larger values are drawn; others have no logarithm
		switch finding.Goal {
		case attack.Lead:
			above = math.Inf(-1) // a lead may be negative
		case attack.Bound:
			above = 1e-3 // a smaller ratio is far from the bound, or a rounding error
		}
		end := len(s.Y) // after the last point that is drawn, where the label is
		for i, y := range s.Y {
			if y > above {
				end = i + 1
			} else {
				s.Y[i] = math.NaN()
			}
		}
		s.X, s.Y = s.X[:end], s.Y[:end]
		p.Series = append(p.Series, s)
	}
	fitScale(&p.Y, 1, p)
	first := p.Series[0]
	x, y := first.X[len(first.X)-1], first.Y[len(first.Y)-1]
	switch goal := findings[0].Goal; {
	case goal == attack.Bound:
		p.Levels = []figure.Level{{Y: 1}}
	case goal == attack.Growth && y > 0 && p.Y.Scale != figure.Linear:
		p.Guides = []figure.Guide{{Slope: 1, X: x, Y: y}} // linear growth to the end of the first curve
	}
	return p
}
