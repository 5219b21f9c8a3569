package report

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

const (
	maxLines  = 7  // the largest number of lines in a panel; more are illegible
	maxPanels = 28 // the largest number of panels in a figure; more do not fit on a page
)

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

// figures returns the figures of an experiment, in this order:
//
//	sets             alone, for an experiment that traces the comparator sets
//	problem-SPEC     regret beside violation on a problem, with all algorithms
//	example          the violation of the paper's Example, as its Fig. 2
//	METRIC           a metric, with a panel for each problem or for each algorithm
//	plane            the way of every algorithm in the plane of violation and regret
//	local-METRIC     local exponents, with the claimed ones
//	ratio-METRIC     the metric over the bound of the proof
//
// A comparison of many problems has no figure of a single one, and an experiment
// without a swept problem none of a metric, unless it has one algorithm. With bounds the
// growth figures show those of the proofs as thin lines.
func figures(a *analysis.Analysis, bounds bool) (all []namedFigure) {
	if f := outlines(a); f != nil {
		return []namedFigure{{"sets", f, outlinesCaption(a)}}
	}
	sweeps, _, _ := sweepsOf(a)
	sweep := len(sweeps) > 0 && sweeps[0].ofProblem
	one := len(a.Algorithms) == 1 && len(a.Problems) > 1
	if !isComparison(a) && !one {
		for _, p := range a.Problems {
			all = appendFigures(all, problemFigure(a, p.Entrant, bounds))
		}
	}
	if sweep && !isComparison(a) {
		all = appendFigures(all, exampleFigure(a))
	}
	if isComparison(a) || sweep || one {
		_, metrics := shown(a)
		for _, m := range metrics {
			all = append(all, metricFigures(a, m, bounds)...)
		}
	}
	all = append(all, planes(a)...)
	for _, kind := range kinds {
		all = append(all, localFigures(a, kind)...)
		all = append(all, ratioFigures(a, kind)...)
	}
	return all
}

// appendFigures appends a figure that has something to show.
func appendFigures(all []namedFigure, f namedFigure) []namedFigure {
	if f.figure == nil {
		return all
	}
	return append(all, f)
}

// A view is a panel of a grid: an algorithm with a line for each problem or, byProblem,
// a problem with a line for each algorithm.
type view struct {
	panel     harness.Entrant
	lines     []harness.Entrant
	byProblem bool
	all       []harness.Entrant // the lines of all panels, which labels are to tell apart
	first     int               // the style of the first line
}

// pair returns the pair of a line, or nil if it was not played.
func (v view) pair(a *analysis.Analysis, line harness.Entrant) *analysis.Pair {
	if v.byProblem {
		return a.Pair(line.Spec, v.panel.Spec)
	}
	return a.Pair(v.panel.Spec, line.Spec)
}

// views returns the panels of a grid of all pairs: of the problems for a comparison, and
// else of the algorithms, with as many for each as the number of lines asks for.
func views(a *analysis.Analysis) (all []view) {
	problems := problemEntrants(a)
	if isComparison(a) {
		for _, p := range problems {
			all = append(all, view{p, a.Algorithms, true, a.Algorithms, 0})
		}
		return all
	}
	for _, e := range a.Algorithms {
		first := 0
		for lines := range parts(problems, maxLines) {
			all = append(all, view{e, lines, false, problems, first})
			first += len(lines)
		}
	}
	return all
}

// parts yields parts of all with about the same length, at most most each.
func parts[E any](all []E, most int) func(yield func([]E) bool) {
	n := max(1, (len(all)+most-1)/most)
	return slices.Chunk(all, max(1, (len(all)+n-1)/n))
}

// grids returns figures of panels, with the size of a grid, named name, name-2, ….
func grids(panels []figure.Panel, name string, caption table.Text) (all []namedFigure) {
	if len(panels) == 0 {
		return nil
	}
	for part := range parts(panels, maxPanels) {
		f := &figure.Figure{Panels: part}
		f.Columns, f.Width, f.Height = gridSize(len(part))
		numbered := name
		if len(all) > 0 {
			numbered = fmt.Sprintf("%s-%d", name, len(all)+1)
		}
		all = append(all, namedFigure{numbered, f, caption})
	}
	return all
}

// gridSize returns the number of columns of a grid of n panels, and the size of a panel
// in centimetres. The grid is as wide as a column of an article, or as two.
func gridSize(n int) (columns int, width, height float64) {
	switch {
	case n == 1:
		return 1, 8.4, 6
	case n == 2 || n == 4:
		return 2, 8.4, 6
	case n <= 9:
		return 3, 5.6, 4.4
	}
	return 4, 4.2, 3.5
}

// problemEntrants returns the names and parameters of the problems.
func problemEntrants(a *analysis.Analysis) (entrants []harness.Entrant) {
	for _, p := range a.Problems {
		entrants = append(entrants, p.Entrant)
	}
	return entrants
}

// fileName returns a SPEC as a file name. One of more than 100 bytes ends with a digest.
func fileName(spec string) string {
	if len(spec) > 100 {
		return fileName(spec[:90]) + fmt.Sprintf("-%.4x", sha256.Sum256([]byte(spec)))
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '.':
			return r
		}
		return '-'
	}, spec)
}

// problemFigure shows regret beside violation on one problem. Many algorithms are in
// several rows, and named at the ends of their curves.
func problemFigure(a *analysis.Analysis, problem harness.Entrant, bounds bool) namedFigure {
	metrics := glance(a)
	f := &figure.Figure{Title: Name(problem), Columns: len(metrics)}
	played := slices.DeleteFunc(slices.Clone(a.Algorithms), func(e harness.Entrant) bool {
		p := a.Pair(e.Spec, problem.Spec)
		return p == nil || !slices.ContainsFunc(metrics, func(m analysis.Metric) bool { return p.Series[m.Name].Known() })
	})
	for lines := range parts(played, maxLines) {
		var row []figure.Panel
		for _, m := range metrics {
			p := growthPanel(a, m, view{problem, lines, true, played, 0}, bounds)
			p.Title = ""
			row = append(row, p)
		}
		if len(lines) < len(played) {
			nameEnds(row)
		}
		f.Panels = append(f.Panels, row...)
	}
	if f.Panels == nil {
		return namedFigure{}
	}
	f.Width, f.Height = 16.8/float64(f.Columns), 6
	if len(f.Panels) > 2 {
		f.Height = 4.6
	}
	return namedFigure{"problem-" + fileName(problem.Spec), f, growthCaption(a, metrics, "of all algorithms on "+Name(problem), f)}
}

// nameEnds names the curves of a row of panels at the end of it.
func nameEnds(row []figure.Panel) {
	last := &row[len(row)-1]
	for _, p := range row {
		for _, s := range p.Series {
			if !s.Thin && !slices.ContainsFunc(last.Series, func(t figure.Series) bool { return t.Label == s.Label }) {
				last.Series = append(last.Series, figure.Series{Label: s.Label, Style: s.Style})
			}
		}
	}
	for k := range row {
		row[k].Ends = true
		if k == len(row)-1 {
			break
		}
		for i := range row[k].Series {
			if s := &row[k].Series[i]; !s.Thin {
				s.Label = ""
			}
		}
	}
}

// exampleFigure shows the soft violation of Penalised FTRL beside that of the
// primal-dual algorithm on the paper's Example, with a line for each c.
//
// Reference: Leith and Iosifidis, Penalised FTRL With Time-Varying Constraints, Fig. 2.
func exampleFigure(a *analysis.Analysis) namedFigure {
	sweeps, _, _ := sweepsOf(a)
	k := slices.IndexFunc(sweeps, func(s *sweep) bool {
		return s.ofProblem && s.param == "c" && s.columns[0].Name == "decaying-frequency"
	})
	if k < 0 || len(sweeps[k].columns) > maxLines {
		return namedFigure{}
	}
	m := a.Metric(algorithms.SoftViolation)
	f := &figure.Figure{Width: 8.4, Height: 6.2}
	for _, name := range []string{"penalised-ftrl", "primal-dual"} {
		i := slices.IndexFunc(a.Algorithms, func(e harness.Entrant) bool { return e.Name == name })
		if i < 0 {
			return namedFigure{}
		}
		f.Panels = append(f.Panels, growthPanel(a, m, view{a.Algorithms[i], sweeps[k].columns, false, sweeps[k].columns, 0}, false))
	}
	return namedFigure{"example", f, growthCaption(a, []analysis.Metric{m}, "on the Example of the paper", f)}
}

// metricFigures shows one metric in a grid of all pairs.
func metricFigures(a *analysis.Analysis, m analysis.Metric, bounds bool) []namedFigure {
	who := "of each algorithm"
	if isComparison(a) {
		who = "of all algorithms on each problem"
	}
	var panels []figure.Panel
	for _, v := range views(a) {
		if p := growthPanel(a, m, v, bounds); p.Series != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) > 2 {
		for k := range panels {
			panels[k].Y.Label = ""
		}
	}
	all := grids(panels, string(m.Name), table.Text{})
	for k := range all {
		f := all[k].figure
		if len(panels) > 2 {
			f.Title = symbols[m.Name]
		}
		all[k].caption = growthCaption(a, []analysis.Metric{m}, who, f)
	}
	return all
}

// growthPanel shows one metric on logarithmic axes, with the mean and the interval of
// each line. The vertical axis is signed logarithmic if a mean is negative, and linear
// if none is positive. The panel has no series if there is nothing to draw.
func growthPanel(a *analysis.Analysis, m analysis.Metric, v view, bounds bool) figure.Panel {
	p := figure.Panel{
		Title: Name(v.panel),
		X:     figure.Axis{Label: "$t$", Scale: figure.Log},
		Y:     figure.Axis{Label: symbols[m.Name], Scale: figure.Log},
	}
	last := float64(a.Experiment.Last())
	atEnd := 0.0
	for k, line := range v.lines {
		pair := v.pair(a, line)
		if pair == nil || !pair.Series[m.Name].Known() {
			continue
		}
		s := pair.Series[m.Name]
		atEnd = max(atEnd, float64(s.Mean.Last().Value))
		label := lineLabel(line, v.all)
		if s.Replicates < s.Of {
			label += fmt.Sprintf(" (%d of %d)", s.Replicates, s.Of)
		}
		p.Series = append(p.Series, meanSeries(s, label, v.first+k))
		if bounds {
			p.Series = appendBound(p.Series, pair, m, v.first+k)
		}
		if h, label := slack(line); !v.byProblem && h > 10 && h <= last && !m.Regret() && !m.OfRounds {
			p.Marks = append(p.Marks, figure.Mark{X: h, Label: label})
		}
	}
	if largest := fitScale(&p); p.Y.Scale == figure.SymLog {
		p.Y.Linthresh = max(1, largest/1e4)
	} else if atEnd > 0 {
		for _, slope := range []float64{0.5, 1} {
			p.Guides = append(p.Guides, figure.Guide{Slope: slope, X: last, Y: atEnd})
		}
	}
	return p
}

// appendBound appends the bound of the proof on a metric of a pair, if there is one.
// The first of a panel is in the legend.
func appendBound(all []figure.Series, p *analysis.Pair, m analysis.Metric, style int) []figure.Series {
	for _, j := range p.Judgements() {
		if j.Metric != m.Name || j.Bound == nil || len(j.Bound.Mean.T) == 0 {
			continue
		}
		s := lineSeries(j.Bound.Mean, style)
		s.Thin = true
		if !slices.ContainsFunc(all, func(s figure.Series) bool { return s.Thin }) {
			s.Label = "bound of the proof"
		}
		all = append(all, s)
	}
	return all
}

// fitScale makes a logarithmic vertical axis signed logarithmic if a value is
// negative, and linear if none is positive. It returns the largest absolute value.
func fitScale(p *figure.Panel) (largest float64) {
	positive, negative := false, false
	for _, s := range p.Series {
		for _, v := range s.Y {
			positive, negative = positive || v > 0, negative || v < 0
			if !math.IsNaN(v) {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	switch {
	case negative:
		p.Y.Scale = figure.SymLog
	case !positive:
		p.Y.Scale = figure.Linear
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

// lineSeries is a line without a band.
func lineSeries(l analysis.Line, style int) figure.Series {
	s := figure.Series{X: l.T, Style: style}
	for _, v := range l.Value {
		s.Y = append(s.Y, float64(v))
	}
	return s
}

// bandSeries is a line with its band.
func bandSeries(c analysis.Band, style int) figure.Series {
	s := lineSeries(analysis.Line{T: c.T, Value: c.Value}, style)
	for k := range c.Value {
		s.Lower, s.Upper = append(s.Lower, float64(c.Lower[k])), append(s.Upper, float64(c.Upper[k]))
	}
	return s
}

// lineLabel returns the label of an entrant in a legend, which has only what varies: the
// title if there are several, and the parameters in which those of one title differ.
func lineLabel(e harness.Entrant, all []harness.Entrant) string {
	if e.Label != "" {
		return Name(e)
	}
	var alike []harness.Entrant
	for _, other := range all {
		if other.Name == e.Name {
			alike = append(alike, other)
		}
	}
	var label []string
	if len(alike) < len(all) || len(all) == 1 {
		label = append(label, fullName(e))
	}
	for _, name := range harness.Varying(alike) {
		label = append(label, tex.Param(name, strings.Trim(e.Param(name), `"`)))
	}
	return strings.Join(label, ", ")
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
