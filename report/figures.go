package report

import (
	"fmt"
	"iter"
	"slices"
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

// The widths of figures for an article with two columns, in centimetres.
const (
	columnWidth = 8.4
	pageWidth   = 16.8
)

// A namedFigure is a figure with its caption and the base name of its files.
type namedFigure struct {
	name   string
	figure *figure.Figure
	// The caption begins with the names of the metrics, followed by captionText, in TeX, which says
	// whose they are. Without metrics captionText is the whole beginning, and a %s in it stands for
	// the sentences on the curves.
	metrics        []analysis.Metric
	captionText    string
	notes          []string // on the regret that is shown
	acrossHorizons bool     // all horizons are shown, not only the last
	caption        table.Text
}

// figures returns the figures of an experiment, in this order:
//
//	sets             alone, for an experiment that shows the comparator sets
//	problem-SPEC     regret beside violation on a problem, with all algorithms
//	example          the violation of the paper's Example, as its Fig. 2
//	METRIC           a metric, with a panel for each problem or for each algorithm
//	horizons-METRIC  a metric at the horizons of a sweep across T, with slopes
//	plane            the path of every algorithm in the plane of violation and regret
//	state-NAME       a quantity of the learners' state, with a panel for each problem
//	local-METRIC     local exponents, with the claimed ones
//	ratio-METRIC     the metric over the bound of the proof
//
// Many problems (see [analysisView]) have no figure each. A metric has a figure only where there
// are many problems, a problem is swept, or there is one algorithm. With bounds, the figures
// of growth show the bounds of the proofs as thin lines.
func (v *analysisView) figures(bounds boundCurves) (all []namedFigure) {
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
	layout, problemFileNames := curvePanels(v), problemFiles(v.problems)
	hasProblemSweep := len(v.sweeps) > 0 && v.sweeps[0].ofProblem
	oneAlgorithm := len(v.Algorithms) == 1 && len(v.Problems) > 1
	if !v.manyProblems && !oneAlgorithm {
		for _, p := range v.Problems {
			add(problemFileNames[p.Spec], func() []namedFigure {
				return problemFigure(v, p.Entry, problemFileNames[p.Spec], bounds)
			})
		}
	}
	if hasProblemSweep && !v.manyProblems {
		add("example", func() []namedFigure { return exampleFigure(v) })
	}
	if v.manyProblems || hasProblemSweep || oneAlgorithm {
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
		name := fileName(string(kind))
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

// problemPanel returns the panel of a problem with a line for each of some algorithms. A line has
// the label and the style that it has in all figures.
func (v *analysisView) problemPanel(problem experiment.Entry,
	algorithms []experiment.Entry) curvePanel {
	c := curvePanel{title: Name(problem), panel: problem.Spec, byProblem: true}
	for _, e := range algorithms {
		c.lines = append(c.lines, panelLine{e, lineLabel(e, v.Algorithms), styleOf(e, v.styleOrder)})
	}
	return c
}

// algorithmPanel returns the panel of an algorithm with a line for each of some problems. A line
// has the label and the style that it has in all figures.
func (v *analysisView) algorithmPanel(algorithm experiment.Entry,
	problems []experiment.Entry) curvePanel {
	c := curvePanel{title: Name(algorithm), panel: algorithm.Spec}
	for _, e := range problems {
		c.lines = append(c.lines, panelLine{e, lineLabel(e, v.problems), styleOf(e, v.problems)})
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
			algorithm, problem := c.panel, l.Spec
			if c.byProblem {
				algorithm, problem = problem, algorithm
			}
			if p := v.Pair(algorithm, problem); p != nil && !yield(l, p) {
				return
			}
		}
	}
}

// curvePanels returns the panels of a grid of all pairs: one for each problem if there are many
// problems, and otherwise one or more for each algorithm, with at most [maxLines] lines each.
func curvePanels(v *analysisView) (all []curvePanel) {
	if v.manyProblems {
		for _, p := range v.problems {
			all = append(all, v.problemPanel(p, v.Algorithms))
		}
		return all
	}
	for _, e := range v.Algorithms {
		for lines := range evenParts(v.problems, maxLines) {
			all = append(all, v.algorithmPanel(e, lines))
		}
	}
	return all
}

// evenParts yields parts of all of about equal lengths, at most maxLength elements each.
func evenParts[E any](all []E, maxLength int) func(yield func([]E) bool) {
	n := max(1, (len(all)+maxLength-1)/maxLength)
	return slices.Chunk(all, max(1, (len(all)+n-1)/n))
}

// panelGrids divides panels among figures of the size of a grid, which are as f but for their
// names: f.name, f.name-2, …. A figure of more than two panels has the title, unless it is "", in
// place of the labels beside the panels.
func (f namedFigure) panelGrids(panels []figure.Panel, title string) (all []namedFigure) {
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
		numbered := f
		if len(all) > 0 {
			numbered.name += fmt.Sprintf("-%d", len(all)+1)
		}
		columns, width, height := gridSize(len(part))
		numbered.figure = &figure.Figure{Title: title, Panels: part, Columns: columns, Width: width,
			Height: height}
		all = append(all, numbered)
	}
	return all
}

// gridSize returns the number of columns of a grid of n panels, and the size of a panel in
// centimetres. The grid is [columnWidth] or [pageWidth] wide.
func gridSize(n int) (columns int, width, height float64) {
	switch {
	case n == 1:
		return 1, columnWidth, 6
	case n == 2 || n == 4:
		return 2, columnWidth, 6
	case n <= 12:
		return 3, pageWidth / 3, 4.4
	}
	return 3, pageWidth / 3, 3.8
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
	bounds boundCurves) []namedFigure {
	metrics, title := v.summaryMetricsOn(problem.Spec), Name(problem)
	f := &figure.Figure{Title: title, Columns: len(metrics)}
	played := v.algorithmsOn(problem.Spec, func(p *analysis.Pair) bool {
		return slices.ContainsFunc(metrics,
			func(m analysis.Metric) bool { return p.Series[m.Name].Known() })
	})
	if len(played) == 0 {
		return nil
	}
	for _, lines := range rowsOf(played, v.Algorithms) {
		var row []figure.Panel
		for _, m := range metrics {
			p := growthPanel(v, m, v.problemPanel(problem, lines), bounds)
			p.Title = ""
			row = append(row, p)
		}
		if len(lines) < len(played) {
			nameEnds(row)
		}
		f.Panels = append(f.Panels, row...)
	}
	f.Width, f.Height = pageWidth/float64(f.Columns), 6
	if len(f.Panels) > 2 {
		f.Height = 4.6
	}
	return []namedFigure{{name: file, figure: f, metrics: metrics,
		captionText: "of all algorithms on " + nameInSentence(problem), notes: v.NotesOn(problem.Spec)}}
}

// rowsOf distributes some of all algorithms over rows of at most [maxLines], in which no two have
// the same colour. They stay in their order where that is possible.
func rowsOf(some, all []experiment.Entry) (rows [][]experiment.Entry) {
	leastRows := max(1, (len(some)+maxLines-1)/maxLines)
	size := (len(some) + leastRows - 1) / leastRows // rows of about equal lengths
	for _, e := range some {
		hasRoom := func(row []experiment.Entry) bool {
			return len(row) < size && !slices.ContainsFunc(row, func(other experiment.Entry) bool {
				return figure.Colour(styleOf(other, all)) == figure.Colour(styleOf(e, all))
			})
		}
		k := slices.IndexFunc(rows, hasRoom)
		if k < 0 {
			k, rows = len(rows), append(rows, nil)
		}
		rows[k] = append(rows[k], e)
	}
	return rows
}

// nameEnds puts the labels of the curves of a row beside the ends of the curves of its last panel,
// which gets a label without a curve for each curve that only other panels have.
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
	last.Ends = true
	for k := range row[:len(row)-1] {
		row[k].Ends = true
		for i := range row[k].Series {
			if s := &row[k].Series[i]; !s.Thin {
				s.Label = ""
			}
		}
	}
}

// metricFigures shows one metric in a grid of all pairs.
func metricFigures(v *analysisView, m analysis.Metric, layout []curvePanel,
	bounds boundCurves) []namedFigure {
	f := namedFigure{name: string(m.Name), metrics: []analysis.Metric{m},
		captionText: "of each algorithm"}
	if v.manyProblems {
		f.captionText = "of all algorithms on each problem"
	}
	if v.isFocusRegret(m) {
		f.notes = v.Focus.Notes
	}
	var panels []figure.Panel
	for _, c := range layout {
		if p := growthPanel(v, m, c, bounds); p.Series != nil {
			panels = append(panels, p)
		}
	}
	return f.panelGrids(panels, metricSymbols[m.Name])
}

// isFocusRegret reports whether the notes of the focus are about a metric: a regret that it shows.
func (v *analysisView) isFocusRegret(m analysis.Metric) bool {
	return m.Regret() && slices.Contains(v.Focus.Regrets(), m.Name)
}

// stateFigures shows a quantity of the state of learners, such as a step, with a panel for each
// problem. The panels have no guides, since no rate is claimed for it.
func stateFigures(v *analysisView, m analysis.Metric) []namedFigure {
	var panels []figure.Panel
	for _, problem := range v.problems {
		shown := v.algorithmsOn(problem.Spec,
			func(p *analysis.Pair) bool { return p.Series[m.Name].Known() })
		for lines := range evenParts(shown, maxLines) {
			p := growthPanel(v, m, v.problemPanel(problem, lines), withoutBounds)
			p.Y.Label, p.Guides = m.Title, nil
			panels = append(panels, p)
		}
	}
	return namedFigure{name: fileName(string(m.Name)), metrics: []analysis.Metric{m},
		captionText: "of each algorithm that shows it"}.panelGrids(panels, input.Capital(m.Title))
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
	f := &figure.Figure{Width: columnWidth, Height: 6.2}
	for _, name := range []string{"penalised-ftrl", "primal-dual"} {
		i := slices.IndexFunc(v.Algorithms, func(e experiment.Entry) bool { return e.Name == name })
		if i < 0 {
			return nil
		}
		f.Panels = append(f.Panels, growthPanel(v, m,
			v.algorithmPanel(v.Algorithms[i], v.sweeps[k].columns), withoutBounds))
	}
	return []namedFigure{{name: "example", figure: f, metrics: []analysis.Metric{m},
		captionText: "on the Example of the paper"}}
}
