package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/paper/figure"
	"ocobench/paper/table"
)

// maxLines is the largest number of lines in a panel. More lines are illegible.
const maxLines = 7

// isComparison tells whether an experiment has many problems and a few algorithms.
// It then has one figure for each metric, a grid with a small panel for each
// problem.
func isComparison(a *analysis.Analysis) bool {
	return len(a.Problems) > maxLines && len(a.Algorithms) > 1 && len(a.Algorithms) <= maxLines
}

// A namedFigure is a figure with the base name of its files, and its caption.
type namedFigure struct {
	name    string
	figure  *figure.Figure
	caption table.Text
}

// figures returns the growth figures of an experiment. A panel shows one algorithm with
// a line for each problem, as the paper's figure does, or one problem with a line for
// each algorithm. Where there are several of both, the metrics of the first table have
// figures of both kinds. With bounds a panel shows those of the proofs as thin lines.
func figures(a *analysis.Analysis, bounds bool) (all []namedFigure) {
	metrics, _ := shown(a)
	if isComparison(a) {
		for _, m := range metrics {
			f := &figure.Figure{Title: symbols[m.Name], Columns: 4, Width: 5.2, Height: 4.2}
			for _, problem := range a.Problems {
				if p := growthPanel(a, m, problem.Entrant, a.Algorithms, true, bounds); p != nil {
					p.Y.Label = ""
					f.Panels = append(f.Panels, *p)
				}
			}
			if f.Panels != nil {
				all = append(all, namedFigure{string(m.Name), f, growthCaption(a, m, "of each algorithm on each problem", false)})
			}
		}
		return all
	}
	problems := problemEntrants(a)
	if len(problems) > maxLines || len(problems) == 1 && len(a.Algorithms) > 1 {
		return panelFigures(a, metrics, problems, a.Algorithms, true, bounds)
	}
	all = panelFigures(a, metrics, a.Algorithms, problems, false, bounds)
	if 1 < len(a.Algorithms) && len(a.Algorithms) <= maxLines {
		all = append(all, panelFigures(a, glance(a), problems, a.Algorithms, true, bounds)...)
	}
	return all
}

// panelFigures returns a figure for each metric and panel, with as many more as the
// number of lines asks for.
func panelFigures(a *analysis.Analysis, metrics []analysis.Metric, panels, lines []harness.Entrant, byProblem, bounds bool) (all []namedFigure) {
	for _, m := range metrics {
		for _, p := range panels {
			for k := 0; k < len(lines); k += maxLines {
				name := string(m.Name) + "-" + fileName(p.Spec)
				if k > 0 {
					name = fmt.Sprintf("%s-%d", name, k/maxLines+1)
				}
				if panel := growthPanel(a, m, p, lines[k:min(k+maxLines, len(lines))], byProblem, bounds); panel != nil {
					who := "of " + p.Title()
					if byProblem {
						who = "on " + p.Title()
					}
					caption := growthCaption(a, m, who, panel.Marks != nil)
					all = append(all, namedFigure{name, &figure.Figure{Panels: []figure.Panel{*panel}}, caption})
				}
			}
		}
	}
	return all
}

// problemEntrants returns the names and parameters of the problems.
func problemEntrants(a *analysis.Analysis) (entrants []harness.Entrant) {
	for _, p := range a.Problems {
		entrants = append(entrants, p.Entrant)
	}
	return entrants
}

// fileName returns a SPEC as a file name.
func fileName(spec string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '.':
			return r
		}
		return '-'
	}, spec)
}

// growthPanel shows one metric on logarithmic axes, with the mean and the band of
// each line. The vertical axis is signed logarithmic if a mean is negative. The
// panel is nil if there is nothing to draw.
func growthPanel(a *analysis.Analysis, m analysis.Metric, panel harness.Entrant, lines []harness.Entrant, byProblem, bounds bool) *figure.Panel {
	p := &figure.Panel{
		Title: figure.Escape(panel.Title()),
		X:     figure.Axis{Label: "$t$", Scale: figure.Log},
		Y:     figure.Axis{Label: symbols[m.Name], Scale: figure.Log},
	}
	last := a.Experiment.Last()
	atEnd := 0.0
	for k, line := range lines {
		algorithm, problem := panel, line
		if byProblem {
			algorithm, problem = line, panel
		}
		pair := a.Pair(algorithm.Spec, problem.Spec)
		if pair == nil {
			continue
		}
		s := pair.Series[m.Name]
		if s.State != analysis.Measured && s.State != analysis.Rounding {
			continue
		}
		atEnd = max(atEnd, float64(s.Mean.Last().Value))
		label := lineLabel(line, lines)
		if s.Replicates < s.Of {
			label += fmt.Sprintf(" (%d of %d)", s.Replicates, s.Of)
		}
		p.Series = append(p.Series, meanSeries(s, label, k))
		if bounds {
			p.Series = appendBound(p.Series, pair, m, k)
		}
		if h, label := slack(problem); h > 10 && h <= float64(last) && m.Set == "" && !byProblem {
			p.Marks = append(p.Marks, figure.Mark{X: h, Label: label})
		}
	}
	if len(p.Series) == 0 {
		return nil
	}
	if largest := signed(p); p.Y.Scale == figure.SymLog {
		p.Y.Linthresh = max(1, largest/1e4)
	} else if atEnd > 0 {
		for _, slope := range []float64{0.5, 1} {
			p.Guides = append(p.Guides, figure.Guide{Slope: slope, X: float64(last), Y: atEnd})
		}
	}
	return p
}

// appendBound appends the bound of the proof on a metric of a pair, if there is one.
// The first of a panel is in the legend.
func appendBound(all []figure.Series, p *analysis.Pair, m analysis.Metric, style int) []figure.Series {
	for _, j := range []analysis.Judgement{p.Regret, p.Violation} {
		if j.Metric != m.Name || j.Bound == nil || len(j.Bound.Mean.T) == 0 {
			continue
		}
		s := figure.Series{X: j.Bound.Mean.T, Style: style, Thin: true}
		if !slices.ContainsFunc(all, func(s figure.Series) bool { return s.Thin }) {
			s.Label = "bound of the proof"
		}
		for _, v := range j.Bound.Mean.Value {
			s.Y = append(s.Y, float64(v))
		}
		all = append(all, s)
	}
	return all
}

// signed makes the vertical axis of a panel signed logarithmic if a value is
// negative. It returns the largest absolute value.
func signed(p *figure.Panel) (largest float64) {
	for _, s := range p.Series {
		for _, v := range s.Y {
			if v < 0 {
				p.Y.Scale = figure.SymLog
			}
			largest = max(largest, math.Abs(v))
		}
	}
	return largest
}

// meanSeries returns the mean of a series with its band. One replicate has no
// band.
func meanSeries(s *analysis.Series, label string, style int) figure.Series {
	out := bandSeries(s.Mean, style)
	out.Label = label
	if s.Replicates == 1 {
		out.Lower, out.Upper = nil, nil
	}
	return out
}

// bandSeries is a line with its band.
func bandSeries(c analysis.Band, style int) figure.Series {
	s := figure.Series{X: c.T, Style: style}
	for k, v := range c.Value {
		s.Y, s.Lower, s.Upper = append(s.Y, float64(v)), append(s.Lower, float64(c.Lower[k])), append(s.Upper, float64(c.Upper[k]))
	}
	return s
}

// lineLabel returns the label of an entrant in a legend: the values of the
// parameters that vary, or the title if it has a label or the names differ.
func lineLabel(e harness.Entrant, all []harness.Entrant) string {
	for _, other := range all {
		if other.Name != e.Name || e.Label != "" {
			return figure.Escape(e.Title())
		}
	}
	var parts []string
	for _, name := range harness.Varying(all) {
		value := strings.Trim(e.Param(name), `"`)
		if len(name) == 1 {
			parts = append(parts, fmt.Sprintf("$%s = %s$", name, value))
		} else {
			parts = append(parts, figure.Escape(name+" = "+value))
		}
	}
	if len(parts) == 0 {
		return figure.Escape(e.Spec)
	}
	return strings.Join(parts, ", ")
}

// slack returns the round of the paper's Example from which on x = 10 satisfies
// the constraint on average, t = 100^{1/(1−c)}. A small violation after this round
// says nothing about an algorithm, because the cumulative constraint is slack. The
// round is 0 for other problems, and for c = 1.
func slack(problem harness.Entrant) (t float64, label string) {
	c, err := strconv.ParseFloat(problem.Param("c"), 64)
	if problem.Name != "decaying-frequency" || err != nil || c >= 1 {
		return 0, ""
	}
	return math.Pow(100, 1/(1-c)), fmt.Sprintf("slack, $c = %g$", c)
}
