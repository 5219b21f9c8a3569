package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

const (
	maxLines  = 7  // the largest number of lines in a panel; more are illegible
	maxPanels = 28 // the largest number of panels in a figure; more do not fit on a page
)

// A namedFigure is a figure with the base name of its files, and its caption.
type namedFigure struct {
	name    string
	figure  *figure.Figure
	text    string            // begins the caption, in TeX; %s stands for how it is drawn
	metrics []analysis.Metric // the caption begins with these, and text says of whom
	notes   []string          // on the regret that is shown
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
func (x *subject) figures(bounds bool) (all []namedFigure) {
	add := func(name string, build func() []namedFigure) {
		x.attempt("figures/"+name, func() {
			some := build()
			x.caption(some)
			all = append(all, some...)
		})
	}
	if x.outlines != nil {
		add("sets", func() []namedFigure { return []namedFigure{{name: "sets", figure: x.outlines}} })
		return all
	}
	views, files := views(x), problemFiles(x.problems)
	sweep := len(x.sweeps) > 0 && x.sweeps[0].ofProblem
	one := len(x.Algorithms) == 1 && len(x.Problems) > 1
	if !x.comparison && !one {
		for _, p := range x.Problems {
			add(files[p.Spec], func() []namedFigure {
				return problemFigure(x, p.Entry, files[p.Spec], bounds)
			})
		}
	}
	if sweep && !x.comparison {
		add("example", func() []namedFigure { return exampleFigure(x) })
	}
	if x.comparison || sweep || one {
		for _, m := range fittedOf(x.metrics) {
			add(string(m.Name), func() []namedFigure { return metricFigures(x, m, views, bounds) })
		}
	}
	add("plane", func() []namedFigure { return planes(x) })
	for _, kind := range kinds {
		name := fileName(kindName(kind))
		add("local-"+name, func() []namedFigure { return localFigures(x, kind, views) })
		add("ratio-"+name, func() []namedFigure { return ratioFigures(x, kind, views) })
	}
	return all
}

// A view is a panel of a grid: an algorithm with a line for each problem or, byProblem,
// a problem with a line for each algorithm.
type view struct {
	title     string
	panel     string // SPEC
	lines     []line
	byProblem bool
}

// A line is a curve of a panel: its SPEC, its label and its style.
type line struct {
	experiment.Entry
	label string
	style int
}

// newView returns a view of some lines: algorithms byProblem, and else problems. Each has the
// label and the style that it has in all figures.
func (x *subject) newView(panel experiment.Entry, lines []experiment.Entry, byProblem bool) view {
	v := view{title: Name(panel), panel: panel.Spec, byProblem: byProblem}
	all := x.problems
	if byProblem {
		all = x.Algorithms
	}
	for _, e := range lines {
		v.lines = append(v.lines, line{e, lineLabel(e, all), styleOf(e, all)})
	}
	return v
}

// styleOf is the number of the colour, dashes and marker of an entry: its place among all.
func styleOf(e experiment.Entry, all []experiment.Entry) int {
	return slices.IndexFunc(all, func(other experiment.Entry) bool { return other.Spec == e.Spec })
}

// pair returns the pair of a line, or nil if it was not played.
func (v view) pair(x *subject, l line) *analysis.Pair {
	if v.byProblem {
		return x.pairs[pairID{l.Spec, v.panel}]
	}
	return x.pairs[pairID{v.panel, l.Spec}]
}

// views returns the panels of a grid of all pairs: of the problems for a comparison, and
// else of the algorithms, with as many for each as the number of lines asks for.
func views(x *subject) (all []view) {
	if x.comparison {
		for _, p := range x.problems {
			all = append(all, x.newView(p, x.Algorithms, true))
		}
		return all
	}
	for _, e := range x.Algorithms {
		for lines := range parts(x.problems, maxLines) {
			all = append(all, x.newView(e, lines, false))
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
func grids(panels []figure.Panel, name string) (all []namedFigure) {
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
		all = append(all, namedFigure{name: numbered, figure: f})
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

// fileName returns at most 100 bytes of a text as a file name. It has lower case, since some file
// systems take A.pdf and a.pdf for one file.
func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-', r == '.':
			return r
		}
		return '-'
	}, strings.ToLower(text[:min(len(text), 100)]))
}

// problemFiles returns the base name of the figure of each problem, by SPEC. No two are equal.
func problemFiles(problems []experiment.Entry) map[string]string {
	var specs, names []string
	for _, p := range problems {
		specs, names = append(specs, p.Spec), append(names, "problem-"+fileName(p.Spec))
	}
	files := make(map[string]string)
	for k, name := range tex.Unique(specs, names, tex.Numbered) {
		files[specs[k]] = name
	}
	return files
}

// problemFigure shows regret beside violation on one problem. Many algorithms are in
// several rows, and named at the ends of their curves.
func problemFigure(x *subject, problem experiment.Entry, file string, bounds bool) []namedFigure {
	metrics, title := x.glanceOn(problem.Spec), Name(problem)
	f := &figure.Figure{Title: title, Columns: len(metrics)}
	played := slices.DeleteFunc(slices.Clone(x.Algorithms), func(e experiment.Entry) bool {
		p := x.pairs[pairID{e.Spec, problem.Spec}]
		return p == nil || !slices.ContainsFunc(metrics,
			func(m analysis.Metric) bool { return p.Series[m.Name].Known() })
	})
	if len(played) == 0 {
		return nil
	}
	for _, lines := range rowsOf(played, x.Algorithms) {
		var row []figure.Panel
		for _, m := range metrics {
			p := growthPanel(x, m, x.newView(problem, lines, true), bounds)
			p.Title = ""
			row = append(row, p)
		}
		if len(lines) < len(played) {
			nameEnds(row)
		}
		f.Panels = append(f.Panels, row...)
	}
	f.Width, f.Height = 16.8/float64(f.Columns), 6
	if len(f.Panels) > 2 {
		f.Height = 4.6
	}
	return []namedFigure{{name: file, figure: f, metrics: metrics,
		text: "of all algorithms on " + title, notes: x.NotesOn(problem.Spec)}}
}

// rowsOf distributes algorithms over rows of at most maxLines, in which no two have the same
// colour. They stay in their order where that is possible.
func rowsOf(some, all []experiment.Entry) (rows [][]experiment.Entry) {
	if len(some) <= maxLines {
		used := make(map[int]bool)
		for _, e := range some {
			used[figure.Colour(styleOf(e, all))] = true
		}
		if len(used) == len(some) {
			return append(rows, some)
		}
	}
	least := max(1, (len(some)+maxLines-1)/maxLines)
	size := (len(some) + least - 1) / least
	for _, e := range some {
		free := func(row []experiment.Entry) bool {
			return len(row) < size && !slices.ContainsFunc(row, func(other experiment.Entry) bool {
				return figure.Colour(styleOf(other, all)) == figure.Colour(styleOf(e, all))
			})
		}
		k := slices.IndexFunc(rows, free)
		if k < 0 {
			k, rows = len(rows), append(rows, nil)
		}
		rows[k] = append(rows[k], e)
	}
	return rows
}

// nameEnds names the curves of a row of panels at the end of it.
func nameEnds(row []figure.Panel) {
	last := &row[len(row)-1]
	for _, p := range row {
		for _, s := range p.Series {
			if !s.Thin && !slices.ContainsFunc(last.Series,
				func(t figure.Series) bool { return t.Label == s.Label }) {
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

// metricFigures shows one metric in a grid of all pairs.
func metricFigures(x *subject, m analysis.Metric, views []view, bounds bool) []namedFigure {
	who := "of each algorithm"
	if x.comparison {
		who = "of all algorithms on each problem"
	}
	var panels []figure.Panel
	for _, v := range views {
		if p := growthPanel(x, m, v, bounds); p.Series != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) > 2 {
		for k := range panels {
			panels[k].Y.Label = ""
		}
	}
	all := grids(panels, string(m.Name))
	for k := range all {
		f := all[k].figure
		if len(panels) > 2 {
			f.Title = symbols[m.Name]
		}
		all[k].metrics, all[k].text = []analysis.Metric{m}, who
		if m.Regret() && slices.Contains(x.Focus.Regrets(), m.Name) {
			all[k].notes = x.Focus.Notes
		}
	}
	return all
}

// growthPanel shows one metric on logarithmic axes, with the mean and the interval of
// each line. The vertical axis is signed logarithmic if a mean is negative, and linear
// if none is positive. The panel has no series if there is nothing to draw.
func growthPanel(x *subject, m analysis.Metric, v view, bounds bool) figure.Panel {
	p := figure.Panel{
		Title: v.title,
		X:     figure.Axis{Label: "$t$", Scale: figure.Log},
		Y:     figure.Axis{Label: symbols[m.Name], Scale: figure.Log},
	}
	last := float64(x.Experiment.Last())
	atEnd := 0.0
	for _, line := range v.lines {
		pair := v.pair(x, line)
		if pair == nil || !pair.Series[m.Name].Known() {
			continue
		}
		s := pair.Series[m.Name]
		atEnd = max(atEnd, float64(s.Mean.Final().Value))
		label := line.label
		if s.Replicates < s.Of {
			label += fmt.Sprintf(" (%d of %d)", s.Replicates, s.Of)
		}
		p.Series = append(p.Series, meanSeries(s, label, line.style))
		if bounds {
			p.Series = appendBound(p.Series, pair, m, line.style)
		}
		if h, label := slack(line.Entry); !v.byProblem && h > 10 && h <= last && !m.Regret() &&
			!m.OfRounds {
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
func appendBound(all []figure.Series, p *analysis.Pair, m analysis.Metric,
	style int) []figure.Series {
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
