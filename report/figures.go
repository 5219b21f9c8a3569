package report

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/harness/game"
	"ocobench/internal/input"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// The limits of a figure.
const (
	maxLines  = 7  // the largest number of lines in a panel; more are illegible
	maxPanels = 18 // the largest number of panels in a figure; more would be too small on a page
)

// A namedFigure is a figure with its caption and the base name of its files.
type namedFigure struct {
	name           string
	figure         *figure.Figure
	captionText    string            // begins the caption, in TeX; %s stands for how it is drawn
	metrics        []analysis.Metric // the caption begins with these, and text says of whom
	notes          []string          // on the regret that is shown
	acrossHorizons bool              // all horizons are shown, not only the last
	caption        table.Text
}

// figures returns the figures of an experiment, in this order:
//
//	sets             alone, for an experiment that traces the comparator sets
//	problem-SPEC     regret beside violation on a problem, with all algorithms
//	example          the violation of the paper's Example, as its Fig. 2
//	METRIC           a metric, with a panel for each problem or for each algorithm
//	horizons-METRIC  a metric at the horizons of a sweep across T, with slopes
//	plane            the way of every algorithm in the plane of violation and regret
//	state-NAME       what the learners show of themselves, with a panel for each problem
//	local-METRIC     local exponents, with the claimed ones
//	ratio-METRIC     the metric over the bound of the proof
//
// A comparison of many problems has no figure of a single one, and an experiment
// without a swept problem none of a metric, unless it has one algorithm. With bounds the
// growth figures show those of the proofs as thin lines.
func (v *analysisView) figures(bounds bool) (all []namedFigure) {
	add := func(name string, build func() []namedFigure) {
		v.buildOrOmit("figures/"+name, func() {
			built := build()
			v.setCaptions(built)
			all = append(all, built...)
		})
	}
	if v.outlines != nil {
		add("sets", func() []namedFigure { return []namedFigure{{name: "sets", figure: v.outlines}} })
		return all
	}
	layout, files := curvePanels(v), problemFiles(v.problems)
	sweep := len(v.sweeps) > 0 && v.sweeps[0].ofProblem
	oneAlgorithm := len(v.Algorithms) == 1 && len(v.Problems) > 1
	if !v.manyProblems && !oneAlgorithm {
		for _, p := range v.Problems {
			add(files[p.Spec], func() []namedFigure {
				return problemFigure(v, p.Entry, files[p.Spec], bounds)
			})
		}
	}
	if sweep && !v.manyProblems {
		add("example", func() []namedFigure { return exampleFigure(v) })
	}
	if v.manyProblems || sweep || oneAlgorithm {
		for _, m := range fittedOf(v.metrics) {
			add(string(m.Name), func() []namedFigure { return metricFigures(v, m, layout, bounds) })
		}
	}
	add("horizons", func() []namedFigure { return horizonFigures(v) })
	add("plane", func() []namedFigure { return tradeoffFigures(v) })
	for _, m := range v.Metrics {
		if game.IsState(m.Name) {
			add(fileName(string(m.Name)), func() []namedFigure { return stateFigures(v, m) })
		}
	}
	for _, kind := range claimKinds {
		name := fileName(kindName(kind))
		add("local-"+name, func() []namedFigure { return localFigures(v, kind, layout) })
		add("ratio-"+name, func() []namedFigure { return ratioFigures(v, kind, layout) })
	}
	return all
}

// A curvePanel is a panel of a grid: a problem with a line for each algorithm if byProblem is set,
// and else an algorithm with a line for each problem.
type curvePanel struct {
	title     string
	panel     string // the SPEC of the problem or of the algorithm
	lines     []panelLine
	byProblem bool
}

// A panelLine is the SPEC, the label and the style of a curve of a panel.
type panelLine struct {
	experiment.Entry
	label string
	style int
}

// newCurvePanel returns a panel of some lines: algorithms if byProblem is set, and else problems.
// Each has the label and the style that it has in all figures.
func (v *analysisView) newCurvePanel(panel experiment.Entry, lines []experiment.Entry,
	byProblem bool) curvePanel {
	c := curvePanel{title: Name(panel), panel: panel.Spec, byProblem: byProblem}
	all, styled := v.problems, v.problems
	if byProblem {
		all, styled = v.Algorithms, v.styleOrder
	}
	for _, e := range lines {
		c.lines = append(c.lines, panelLine{e, lineLabel(e, all), styleOf(e, styled)})
	}
	return c
}

// styleOf returns the number of the colour, dashes and marker of an entry: its place among all.
func styleOf(e experiment.Entry, all []experiment.Entry) int {
	return slices.IndexFunc(all, func(other experiment.Entry) bool { return other.Spec == e.Spec })
}

// playedPairs yields the lines whose pair was played, with the pair.
func (c curvePanel) playedPairs(v *analysisView) iter.Seq2[panelLine, *analysis.Pair] {
	return func(yield func(panelLine, *analysis.Pair) bool) {
		for _, l := range c.lines {
			id := pairID{c.panel, l.Spec}
			if c.byProblem {
				id = pairID{l.Spec, c.panel}
			}
			if p := v.pairs[id]; p != nil && !yield(l, p) {
				return
			}
		}
	}
}

// curvePanels returns the panels of a grid of all pairs: one for each problem if there are many,
// and else one for each algorithm, or several of at most [maxLines] lines.
func curvePanels(v *analysisView) (all []curvePanel) {
	if v.manyProblems {
		for _, p := range v.problems {
			all = append(all, v.newCurvePanel(p, v.Algorithms, true))
		}
		return all
	}
	for _, e := range v.Algorithms {
		for lines := range evenParts(v.problems, maxLines) {
			all = append(all, v.newCurvePanel(e, lines, false))
		}
	}
	return all
}

// evenParts yields parts of all with about equal lengths, at most the given number of elements
// each.
func evenParts[E any](all []E, most int) func(yield func([]E) bool) {
	n := max(1, (len(all)+most-1)/most)
	return slices.Chunk(all, max(1, (len(all)+n-1)/n))
}

// panelGrids returns figures of panels, with the size of a grid, named name, name-2, …. More than
// two panels have the title, if there is one, in place of the labels beside them.
func panelGrids(panels []figure.Panel, name, title string) (all []namedFigure) {
	if len(panels) == 0 {
		return nil
	}
	if len(panels) <= 2 {
		title = ""
	}
	for k := range panels {
		if title != "" {
			panels[k].Y.Label = ""
		}
	}
	for part := range evenParts(panels, maxPanels) {
		f := &figure.Figure{Title: title, Panels: part}
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
	case n <= 12:
		return 3, 5.6, 4.4
	}
	return 3, 5.6, 3.8
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
func problemFigure(v *analysisView, problem experiment.Entry, file string,
	bounds bool) []namedFigure {
	metrics, title := v.summaryMetricsOn(problem.Spec), Name(problem)
	f := &figure.Figure{Title: title, Columns: len(metrics)}
	played := slices.DeleteFunc(slices.Clone(v.Algorithms), func(e experiment.Entry) bool {
		p := v.pairs[pairID{e.Spec, problem.Spec}]
		return p == nil || !slices.ContainsFunc(metrics,
			func(m analysis.Metric) bool { return p.Series[m.Name].Known() })
	})
	if len(played) == 0 {
		return nil
	}
	for _, lines := range rowsOf(played, v.Algorithms) {
		var row []figure.Panel
		for _, m := range metrics {
			p := growthPanel(v, m, v.newCurvePanel(problem, lines, true), bounds)
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
		captionText: "of all algorithms on " + nameInSentence(problem), notes: v.NotesOn(problem.Spec)}}
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
	leastRows := max(1, (len(some)+maxLines-1)/maxLines)
	size := (len(some) + leastRows - 1) / leastRows // rows of about equal lengths
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
func metricFigures(v *analysisView, m analysis.Metric, layout []curvePanel,
	bounds bool) []namedFigure {
	who := "of each algorithm"
	if v.manyProblems {
		who = "of all algorithms on each problem"
	}
	var panels []figure.Panel
	for _, c := range layout {
		if p := growthPanel(v, m, c, bounds); p.Series != nil {
			panels = append(panels, p)
		}
	}
	all := panelGrids(panels, string(m.Name), metricSymbols[m.Name])
	for k := range all {
		all[k].metrics, all[k].captionText = []analysis.Metric{m}, who
		if m.Regret() && slices.Contains(v.Focus.Regrets(), m.Name) {
			all[k].notes = v.Focus.Notes
		}
	}
	return all
}

// stateFigures shows a number that learners show of themselves, with a panel for each problem. It
// has no rate to be compared with.
func stateFigures(v *analysisView, m analysis.Metric) []namedFigure {
	var panels []figure.Panel
	for _, problem := range v.problems {
		shown := slices.DeleteFunc(slices.Clone(v.Algorithms), func(e experiment.Entry) bool {
			p := v.pairs[pairID{e.Spec, problem.Spec}]
			return p == nil || !p.Series[m.Name].Known()
		})
		for lines := range evenParts(shown, maxLines) {
			p := growthPanel(v, m, v.newCurvePanel(problem, lines, true), false)
			p.Y.Label, p.Guides = m.Title, nil
			panels = append(panels, p)
		}
	}
	all := panelGrids(panels, fileName(string(m.Name)), input.Capital(m.Title))
	for k := range all {
		all[k].metrics, all[k].captionText = []analysis.Metric{m}, "of each algorithm that shows it"
	}
	return all
}

// growthPanel shows one metric on logarithmic axes, with the mean and the interval of
// each line. The vertical axis is signed logarithmic if a mean is negative, and linear
// if none is positive. The panel has no series if there is nothing to draw.
func growthPanel(v *analysisView, m analysis.Metric, c curvePanel, bounds bool) figure.Panel {
	p := figure.Panel{
		Title: c.title,
		X:     figure.Axis{Label: "$t$", Scale: figure.Log},
		Y:     figure.Axis{Label: metricSymbols[m.Name], Scale: figure.Log},
	}
	last := float64(v.Experiment.Last())
	atEnd := 0.0
	for line, pair := range c.playedPairs(v) {
		if !pair.Series[m.Name].Known() {
			continue
		}
		s := pair.Series[m.Name]
		atEnd = max(atEnd, float64(s.Mean.Final().Value))
		label := partialLabel(line.label, s.Replicates, s.Of)
		curve := bandSeries(s.Mean, s.Replicates, label, line.style)
		curve.Name = line.Spec
		p.Series = append(p.Series, curve)
		if bounds {
			p.Series = appendBound(p.Series, pair, m, line.style)
		}
		h, label := slackRound(line.Entry)
		inView := h > 10 && h <= last
		if ofViolation := !m.Regret() && !m.OfRounds; !c.byProblem && inView && ofViolation {
			p.Marks = append(p.Marks, figure.Mark{X: h, Label: label})
		}
	}
	if largest := fitScale(&p); p.Y.Scale == figure.SymLog {
		p.Y.Linthresh = max(1, largest/1e4) // at most four decades on each side of 0
	} else if p.Y.Scale == figure.Log && atEnd > 0 {
		for _, slope := range []float64{0.5, 1} {
			p.Guides = append(p.Guides, figure.Guide{Slope: slope, X: last, Y: atEnd})
		}
	}
	return p
}

// partialLabel returns the label of a curve, with the number of its replicates if it lacks some.
func partialLabel(label string, replicates, of int) string {
	if replicates < of {
		label += fmt.Sprintf(" (%d of %d)", replicates, of)
	}
	return label
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
// negative, and linear if most are zero. It returns the largest absolute value.
func fitScale(p *figure.Panel) (largest float64) {
	positive, zero, negative := 0, 0, false
	for _, s := range p.Series {
		for _, v := range s.Y {
			switch {
			case v > 0:
				positive++
			case v == 0:
				zero++
			}
			negative = negative || v < 0
			if !math.IsNaN(v) {
				largest = max(largest, math.Abs(v))
			}
		}
	}
	switch {
	case negative:
		p.Y.Scale = figure.SymLog
	case zero >= positive:
		p.Y.Scale = figure.Linear
	}
	return largest
}

// lineSeries returns a line without a band.
func lineSeries(l analysis.Line, style int) figure.Series {
	s := figure.Series{X: l.T, Style: style}
	for _, v := range l.Value {
		s.Y = append(s.Y, float64(v))
	}
	return s
}

// bandSeries returns a line with its band. One replicate has no band.
func bandSeries(b analysis.Band, replicates int, label string, style int) figure.Series {
	s := lineSeries(analysis.Line{T: b.T, Value: b.Value}, style)
	s.Label = label
	for k := range b.Value {
		if replicates != 1 {
			s.Lower, s.Upper = append(s.Lower, float64(b.Lower[k])), append(s.Upper, float64(b.Upper[k]))
		}
	}
	return s
}

// kindName returns regret, dynamic regret or violation.
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
func localFigures(v *analysisView, kind []algorithms.Metric, layout []curvePanel) []namedFigure {
	var panels []figure.Panel
	for _, c := range layout {
		p := figure.Panel{
			Title: c.title,
			X:     figure.Axis{Label: "$t$", Scale: figure.Log},
			Y:     figure.Axis{Label: "local exponent"},
		}
		for line, pair := range c.playedPairs(v) {
			j := judgementOn(pair, kind)
			s := pair.Series[j.Metric]
			if s == nil || s.Slopes == nil || !slices.ContainsFunc(s.Slopes.Value, analysis.Number.Defined) {
				continue
			}
			p.Series = append(p.Series, bandSeries(*s.Slopes, s.Replicates, line.label, line.style))
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
	all := panelGrids(panels, "local-"+fileName(name), "Local exponent of the "+name)
	for k := range all {
		all[k].captionText = "Local exponents of the " + name + " that each claim is about, over half " +
			"a decade each: %s Dashed lines are claimed exponents. Exponents beyond $-1$ and 2 are cut off."
	}
	return all
}

// isCurve reports whether a series has two numbers or more, without which no line can be drawn.
func isCurve(s figure.Series) bool {
	n := 0
	for _, v := range s.Y {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n > 1
}

// fitSlopes limits the axis of a panel of local exponents to [−1, 2]. An exponent beyond comes
// from a mean near zero and says nothing about growth.
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

// appendLevel appends the exponent of a claim as a dashed line, unless there is one already.
func appendLevel(all []figure.Level, c algorithms.Claim) []figure.Level {
	if slices.ContainsFunc(all, func(l figure.Level) bool { return l.Y == c.Exponent }) {
		return all
	}
	return append(all, figure.Level{Y: c.Exponent, Label: figure.Power("t", c.Exponent)})
}

// ratioFigures shows the metrics of the claims of a kind over the bounds of the
// proofs, in a grid of all pairs with a bound.
func ratioFigures(v *analysisView, kind []algorithms.Metric, layout []curvePanel) []namedFigure {
	var panels []figure.Panel
	for _, c := range layout {
		p := figure.Panel{
			Title:  c.title,
			X:      figure.Axis{Label: "$t$", Scale: figure.Log},
			Y:      figure.Axis{Label: "measured / bound", Scale: figure.Log},
			Levels: []figure.Level{{Y: 1}},
		}
		for line, pair := range c.playedPairs(v) {
			if b := judgementOn(pair, kind).Bound; b != nil &&
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
	largest := "the largest of " + v.replicates + ", or the mean where the bound is in expectation"
	if v.deterministic {
		largest = onePath
	}
	all := panelGrids(panels, "ratio-"+fileName(kindName(kind)), title)
	for k := range all {
		all[k].captionText = title + ": " + largest + ". Where it is not positive there is no curve. " +
			"The dashed line is 1, beyond which a bound is broken."
	}
	return all
}

// tradeoffFigures returns the figures with violation and regret as coordinates, one panel a
// problem. A curve follows the means of an algorithm from the first round to the last; a line joins
// the Pareto front of the last round. Of many algorithms only those on the front have a colour.
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
	regret, violation := "regret", metricSymbols[v.Focus.Violation]
	if len(v.Focus.Regrets()) == 1 {
		regret += " " + metricSymbols[v.Focus.Regret]
	}
	means := "the means over " + v.replicates
	if v.deterministic {
		means = onePath
	}
	text := fmt.Sprintf("R%s against violation %s: %s from the first round to "+
		"the last, which the marker is at. "+
		"The dotted line is the Pareto front of the last round.", regret[1:], violation, means)
	if many {
		text += " Grey are algorithms that are not on the front."
	}
	if len(panels) > 2 {
		for k := range panels {
			panels[k].X.Label = "violation"
			if len(v.Focus.Regrets()) == 1 {
				panels[k].Y.Label = "regret"
			}
		}
	}
	all := panelGrids(panels, "plane", "")
	for k := range all {
		f := all[k].figure
		all[k].captionText, all[k].notes = text, v.Focus.Notes
		if len(panels) > 2 {
			f.Title = cmp.Or(strings.TrimPrefix(regret, "regret"), " Regret")[1:] + " against " + violation
		}
		if many { // the names need room
			f.Columns, f.Width, f.Height = min(len(f.Panels), 2), 8.4, 5.2
			for _, p := range f.Panels {
				f.Height = max(f.Height, 1.8+float64(0.3*float64(len(p.Series)-countFaint(p))))
			}
		}
	}
	return all
}

// countFaint counts the faint curves of a panel.
func countFaint(p figure.Panel) (n int) {
	for _, s := range p.Series {
		if s.Faint {
			n++
		}
	}
	return n
}

// planePanel draws the plane of one problem. If there are many algorithms, those that are not on
// the front are grey.
func planePanel(v *analysisView, front analysis.Front, many bool) figure.Panel {
	p := figure.Panel{
		Title: Name(v.Entry(front.Problem)),
		X:     figure.Axis{Label: metricSymbols[front.Violation], Scale: figure.SymLog},
		Y:     figure.Axis{Label: metricSymbols[front.Regret], Scale: figure.SymLog},
	}
	place := make(map[int]int) // on the front, by style
	for k, e := range v.Algorithms {
		pair := v.pairs[pairID{e.Spec, front.Problem}]
		if pair == nil || !pair.Series[front.Regret].Known() || !pair.Series[front.Violation].Known() {
			continue
		}
		s := figure.Series{Label: lineLabel(e, v.Algorithms), Style: k, Path: true}
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
		pair := v.pairs[pairID{spec, front.Problem}]
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

// comparatorOutlines returns the figure of the comparator sets in the plane, for an
// experiment whose problems differ only in the angle of a fixed linear loss. The
// best fixed actions are then support points of the sets, one for each angle.
// Joined in the order of the angles they are the outlines of the sets. The figure
// is nil for other experiments.
func comparatorOutlines(v *analysisView) *figure.Figure {
	if !slices.Equal(experiment.Varying(v.problems), []string{"angle"}) ||
		v.Problems[0].Param("dim") != "2" {
		return nil
	}
	angle := func(p analysis.Problem) float64 {
		v, err := strconv.ParseFloat(p.Param("angle"), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	turning := slices.SortedStableFunc(slices.Values(v.Problems),
		func(p, q analysis.Problem) int { return cmp.Compare(angle(p), angle(q)) })
	p := figure.Panel{X: figure.Axis{Label: "$x_1$"}, Y: figure.Axis{Label: "$x_2$"}}
	extent := 0.0
	for k, set := range []string{"xmax", "xhat", "xmin"} {
		s := figure.Series{Label: setSymbols[set], Style: k}
		for _, problem := range turning {
			b := slices.IndexFunc(problem.Best, func(b analysis.Best) bool { return b.Set == set })
			if b < 0 || len(problem.Best[b].Action) != 2 { // another problem has its own dimension
				return nil
			}
			x := problem.Best[b].Action
			s.X, s.Y = append(s.X, float64(x[0])), append(s.Y, float64(x[1]))
		}
		if math.IsNaN(s.X[0]) { // an empty set has no outline
			continue
		}
		extent = max(extent, slices.Max(s.X), -slices.Min(s.X), slices.Max(s.Y), -slices.Min(s.Y))
		s.X, s.Y = append(s.X, s.X[0]), append(s.Y, s.Y[0])
		p.Series = append(p.Series, s)
	}
	if len(p.Series) == 0 {
		return nil
	}
	// Equal units on both axes.
	extent *= 1.05
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -extent, extent, -extent, extent
	return &figure.Figure{Panels: []figure.Panel{p}, Width: 7, Height: 6.6}
}

// exampleFigure shows the soft violation of Penalised FTRL beside that of the
// primal-dual algorithm on the paper's Example, with a line for each c.
//
// Reference: Leith and Iosifidis, Penalised FTRL With Time-Varying Constraints, Fig. 2.
func exampleFigure(v *analysisView) []namedFigure {
	k := slices.IndexFunc(v.sweeps, func(s *sweep) bool {
		return s.ofProblem && s.param == "c" && s.columns[0].Name == "decaying-frequency"
	})
	if k < 0 || len(v.sweeps[k].columns) > maxLines {
		return nil
	}
	m := v.Metric(algorithms.SoftViolation)
	f := &figure.Figure{Width: 8.4, Height: 6.2}
	for _, name := range []string{"penalised-ftrl", "primal-dual"} {
		i := slices.IndexFunc(v.Algorithms, func(e experiment.Entry) bool { return e.Name == name })
		if i < 0 {
			return nil
		}
		f.Panels = append(f.Panels, growthPanel(v, m,
			v.newCurvePanel(v.Algorithms[i], v.sweeps[k].columns, false), false))
	}
	return []namedFigure{{name: "example", figure: f, metrics: []analysis.Metric{m},
		captionText: "on the Example of the paper"}}
}

// slackRound returns the round of the paper's Example from which on x = 10 satisfies
// the constraint on average, t = 100^{1/(1−c)}. A small violation after this round
// says nothing about an algorithm, because the cumulative constraint is slack. The
// round is 0 for other problems, and for c = 1.
func slackRound(problem experiment.Entry) (t float64, label string) {
	c, err := strconv.ParseFloat(problem.Param("c"), 64)
	if problem.Name != "decaying-frequency" || err != nil || c >= 1 {
		return 0, ""
	}
	return math.Pow(100, 1/(1-c)), fmt.Sprintf("slack, $c = %g$", c)
}

// setCaptions sets the captions of the figures. They say what is drawn and how, give the parameters
// that legends leave out, and name the experiment.
func (v *analysisView) setCaptions(all []namedFigure) {
	for k := range all {
		f := &all[k]
		if f.figure == v.outlines {
			f.caption = table.Plain(fmt.Sprintf("The comparator sets at T = %d, through the best fixed "+
				"actions for %d angles of the loss. Experiment %s, seed %d.",
				v.Experiment.Last(), len(v.Problems), v.Experiment.Name, v.Experiment.Seed))
			continue
		}
		parts := []table.Text{table.TeX(captionStart(v, f))}
		for _, text := range f.notes {
			parts = append(parts, plainNote(text).render())
		}
		for _, t := range append(parts, captionEnd(v, f)) {
			f.caption.Plain = strings.TrimLeft(f.caption.Plain+" "+t.Plain, " ")
			f.caption.TeX = strings.TrimLeft(f.caption.TeX+" "+t.TeX, " ")
		}
	}
}

// captionStart begins a caption: with the metrics, or with the text of the figure.
func captionStart(v *analysisView, f *namedFigure) string {
	if f.metrics == nil {
		return strings.Replace(f.captionText, "%s", curveSentences(v, f), 1)
	}
	var names []string
	for _, m := range f.metrics {
		kind := m.Title
		if m.Set != "" {
			kind = "regret" // the symbol has the set
		}
		names = append(names, strings.TrimSuffix(kind+" "+metricSymbols[m.Name], " "))
	}
	return input.Capital(joinNames(names)) + " " + f.captionText + ": " + curveSentences(v, f)
}

// claimants says who claims the powers of T in a figure, such as ": $T^{1/2}$ of \emph{CLASP}".
func (v *analysisView) claimants(f *namedFigure) string {
	var by grouping // names, by the power
	for _, p := range v.Pairs {
		for _, j := range p.Judgements() {
			if c := j.Claim; c != nil && c.Growth == "" && slices.ContainsFunc(f.metrics,
				func(m analysis.Metric) bool { return m.Name == j.Metric }) {
				by.add(figure.Power("T", c.Exponent),
					`\emph{`+lineLabel(v.Entry(p.Algorithm), v.Algorithms)+"}")
			}
		}
	}
	var all []string
	for _, power := range by.keys {
		all = append(all, power+" of "+by.fewOrAll(power, false))
	}
	if all == nil {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// curveSentences returns sentences in TeX on the curves and lines of a figure.
func curveSentences(v *analysisView, of *namedFigure) string {
	f := of.figure
	var bands, marks, guides, thin, points, fits, apart, beyond bool
	for _, p := range f.Panels {
		apart = apart || p.Dodged()
		marks, guides = marks || p.Marks != nil, guides || p.Guides != nil
		for _, s := range p.Series {
			bands, thin = bands || s.Lower != nil, thin || s.Thin && !s.Solid
			points, fits = points || s.Points, fits || s.Solid
			beyond = beyond || f.Bars() && p.Y.Scale == figure.Log &&
				slices.ContainsFunc(s.Lower, func(lower float64) bool { return lower <= 0 })
		}
	}
	text := "mean"
	switch {
	case v.deterministic:
		text = onePath
	case bands:
		text += fmt.Sprintf(` and %g\,\%% interval`, 100*v.Experiment.Confidence)
		if f.Bars() {
			text += " (bars)"
		}
	}
	if !v.deterministic {
		text += " over " + v.replicates
	}
	text += "."
	for _, s := range []struct {
		shown    bool
		sentence string
	}{
		{apart, `Points of one $T$ are drawn side by side.`},
		{fits, `Solid lines are the fits by which growth is judged, to the largest value so far of the ` +
			`mean; there is none to fewer than three points, or where the mean has fallen since.`},
		{guides && points, `Dashed lines are claimed powers of $T$` + v.claimants(of) + `.`},
		{guides && !points, `Dashed lines are powers of $t$.`},
		{thin, `Dotted curves are the bounds of the proofs.`},
		{marks, `After a dotted vertical line the cumulative constraint is slack.`},
		{slices.ContainsFunc(f.Gaps(), func(g figure.Gap) bool { return g.NotPositive > 0 }),
			`A mark at the lower end of an axis is a value that is not positive.`},
		{beyond, `Bars down to the frame go on below it.`},
	} {
		if s.shown {
			text += " " + s.sentence
		}
	}
	return text
}

// captionEnd returns the sentences that end a caption: the parameters that legends leave
// out, and the experiment with the horizons that are shown.
func captionEnd(v *analysisView, f *namedFigure) table.Text {
	var names []string
	for _, e := range v.Algorithms {
		if name := nameWithParams(e); name != lineLabel(e, v.Algorithms) {
			names = append(names, name)
		}
	}
	text := ""
	if names != nil {
		text = "Parameters: " + strings.Join(names, "; ") + ". "
	}
	horizons := fmt.Sprint(v.Experiment.Last())
	if f.acrossHorizons {
		horizons = strings.Trim(fmt.Sprint(v.Experiment.Horizon), "[]")
	}
	return table.TeX(text + fmt.Sprintf("Experiment %s, $T = %s$, seed %d.",
		tex.Escape(v.Experiment.Name), strings.ReplaceAll(horizons, " ", ", "), v.Experiment.Seed))
}
