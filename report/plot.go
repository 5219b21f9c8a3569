package report

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/internal/input"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/report/tex"
)

// A Plot chooses a figure of an analysis for an article: a panel for each metric on each problem,
// with a line for each algorithm. Of one algorithm there is a panel for each metric, with a line
// for each problem.
type Plot struct {
	Metrics []algorithms.Metric // nil: those of the summary

	// Algorithms and Problems are SPECs. All are shown where they are nil.
	Algorithms, Problems []string

	// X is what the horizontal axis has: t, T for the horizons of a sweep, or the name of a
	// parameter that takes several values.
	X string

	// Y is the scale of the vertical axis, of [Scales]. Where it is empty, the values choose it.
	Y string

	Caption string // with formulas in TeX between dollar signs; empty: what is shown

	Column bool // as wide as a column of an article with two, and not as the text
	Font   tex.Font
	Bounds bool // show the bounds of the proofs
}

// A Drawing holds a figure of a [Plot], with the data that it shows.
type Drawing struct {
	Figure     *figure.Figure
	named      namedFigure
	experiment string
	x          string // the name of the horizontal axis in the data
	panels     []drawnPanel
}

// A drawnPanel says what a panel shows.
type drawnPanel struct {
	curvePanel
	metric algorithms.Metric
}

// Draw returns the figure that p chooses of an analysis, or an error that says why there is none.
func (p Plot) Draw(a *analysis.Analysis) (*Drawing, error) {
	v := newAnalysisView(p.restrict(a))
	v.styleOrder = stylesOf(v.Algorithms, a.Algorithms)
	panels, draw, err := p.choosePanels(v)
	if err != nil {
		return nil, err
	}
	for _, c := range panels {
		if len(c.lines) > maxLines {
			return nil, fmt.Errorf("%d lines in a panel (expected at most %d; choose some by "+
				"--algorithms or --problems)", len(c.lines), maxLines)
		}
	}
	d := &Drawing{experiment: a.Experiment.Name, x: p.X, Figure: &figure.Figure{Font: p.Font}}
	metrics := v.metricsNamed(p.Metrics)
	if p.Metrics == nil {
		metrics = v.summaryMetrics
	}
	var shown []analysis.Metric
	for _, m := range metrics {
		isDrawn := false
		for _, c := range panels {
			panel := draw(m, c)
			if panel.Series == nil {
				continue
			}
			p.setScale(&panel)
			if len(panels) == 1 {
				panel.Title = ""
			}
			d.Figure.Panels = append(d.Figure.Panels, panel)
			d.panels = append(d.panels, drawnPanel{c, m.Name})
			isDrawn = true
		}
		if isDrawn {
			shown = append(shown, m)
		}
	}
	switch n := len(d.panels); {
	case n == 0:
		return nil, errors.New("there is nothing to draw: no pair that is chosen has such a metric")
	case n > maxPanels:
		return nil, fmt.Errorf("%d panels (expected at most %d; choose some by --metric or "+
			"--problems)", n, maxPanels)
	default:
		d.Figure.Columns, d.Figure.Width, d.Figure.Height = p.panelSize(n)
	}
	named := []namedFigure{{figure: d.Figure, metrics: shown, captionText: p.whatText(v, panels),
		acrossHorizons: p.X == "T"}}
	if slices.ContainsFunc(shown, v.isFocusRegret) {
		named[0].notes = v.Focus.Notes
	}
	if p.Caption == "" {
		v.setCaptions(named)
	} else {
		named[0].caption = ParseCaption(p.Caption)
	}
	d.named = named[0]
	return d, nil
}

// Scales are the names of the scales of an axis.
var Scales = []string{"log", "linear", "symlog"}

// setScale gives the vertical axis of a panel the scale of the plot, if that has one. Powers are
// straight lines on logarithmic axes only.
func (p Plot) setScale(panel *figure.Panel) {
	if k := slices.Index(Scales, p.Y); k >= 0 {
		panel.Y.Scale = []figure.Scale{figure.Log, figure.Linear, figure.SymLog}[k]
		panel.Y.Linthresh = 0
	}
	if panel.Y.Scale != figure.Log {
		panel.Guides = nil
	}
}

// restrict returns the part of an analysis about the chosen algorithms and problems.
func (p Plot) restrict(a *analysis.Analysis) *analysis.Analysis {
	algorithms, problems := p.Algorithms, p.Problems
	if algorithms == nil {
		for _, e := range a.Algorithms {
			algorithms = append(algorithms, e.Spec)
		}
	}
	if problems == nil {
		for _, q := range a.Problems {
			problems = append(problems, q.Spec)
		}
	}
	return a.Only(algorithms, problems)
}

// stylesOf returns the list in which the place of an algorithm is the style of its curves: all
// algorithms of the experiment, so that an algorithm looks the same in all figures, or only those
// that are shown if two of them would have one colour.
func stylesOf(some, all []experiment.Entry) []experiment.Entry {
	used := make(map[int]bool)
	for _, e := range some {
		used[figure.Colour(styleOf(e, all))] = true
	}
	if len(used) < len(some) {
		return some
	}
	return all
}

// choosePanels returns the panels that a metric has, and a function that draws one.
func (p Plot) choosePanels(v *analysisView) (panels []curvePanel,
	draw func(analysis.Metric, curvePanel) figure.Panel, err error) {
	if p.X != "t" && p.X != "T" {
		axis, err := v.newParameterAxis(p.X)
		return axis.panels, func(m analysis.Metric, c curvePanel) figure.Panel {
			return axis.finalMeansPanel(v, m, c)
		}, err
	}
	if len(v.Algorithms) == 1 && len(v.problems) > 1 {
		panels = []curvePanel{v.algorithmPanel(v.Algorithms[0], v.problems)}
	} else {
		for _, q := range v.problems {
			panels = append(panels, v.problemPanel(q, v.Algorithms))
		}
	}
	if p.X == "T" {
		if len(v.Experiment.Horizon) < 2 {
			err = fmt.Errorf("--x T: experiment %s has one horizon, %d (expected several)",
				v.Experiment.Name, v.Experiment.Last())
		}
		return panels, func(m analysis.Metric, c curvePanel) figure.Panel {
			panels := []figure.Panel{horizonPanel(v, m, c)}
			fitScales(panels)
			return panels[0]
		}, err
	}
	return panels, func(m analysis.Metric, c curvePanel) figure.Panel {
		return growthPanel(v, m, c, boundCurves(p.Bounds))
	}, nil
}

// panelSize returns the number of columns of n panels, and the size of a panel in centimetres.
func (p Plot) panelSize(n int) (columns int, width, height float64) {
	switch {
	case p.Column && n == 1:
		return 1, columnWidth, 6
	case p.Column:
		return 1, columnWidth, 4.6
	case n == 1:
		return 1, pageWidth, 7
	}
	return gridSize(n)
}

// whatText returns the part of the caption after the names of the metrics, in TeX: against what,
// and of whom, they are shown.
func (p Plot) whatText(v *analysisView, panels []curvePanel) string {
	text := ""
	switch p.X {
	case "t":
	case "T":
		text = "at several horizons "
	default:
		text = "at the last round against " + tex.ParamSymbol(p.X) + " "
	}
	switch {
	case len(panels) > 1:
		return text + "on each problem"
	case panels[0].byProblem:
		return text + "on " + nameInSentence(v.Entry(panels[0].panel))
	}
	return text + "of " + nameInSentence(v.Entry(panels[0].panel))
}

// WriteFloat writes the floating environment of the figure for LaTeX, which reads the file pdf.
func (d *Drawing) WriteFloat(w io.Writer, pdf, label string) error {
	return writeFloat(w, pdf, label, d.named)
}

// WriteCSV writes the curves as CSV, a row a point: the metric, the problem, the algorithm, where
// the point is, the mean, and the ends of its interval.
func (d *Drawing) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"metric", "problem", "algorithm", d.x, "value", "lower", "upper"})
	for k, p := range d.panels {
		for _, s := range d.Figure.Panels[k].Series {
			if s.Name == "" { // such as a bound
				continue
			}
			problem, algorithm := s.Name, p.panel
			if p.byProblem {
				problem, algorithm = algorithm, problem
			}
			for i := range s.X {
				row := []string{string(p.metric), problem, algorithm, table.Value(s.X[i]),
					table.Value(s.Y[i]), "", ""}
				if s.Lower != nil {
					row[5], row[6] = table.Value(s.Lower[i]), table.Value(s.Upper[i])
				}
				out.Write(row)
			}
		}
	}
	out.Flush()
	return out.Error()
}

// A parameterAxis puts a parameter on the horizontal axis of a figure: a parameter of algorithms
// or, where no algorithm has several values of it, of problems.
type parameterAxis struct {
	name       string
	ofProblems bool
	panels     []curvePanel
	// groups holds the algorithms or the problems that differ in the parameter only, by the SPEC of
	// the first. The line of an algorithm, or the panel of a problem, shows a group. An entry without
	// the parameter is a group of its own, and so are all entries of the other kind.
	groups   map[string][]experiment.Entry
	min, max float64 // the extreme values in groups of several entries
}

// newParameterAxis returns the axis of a parameter, with its panels. The error names the
// parameters that take several values.
func (v *analysisView) newParameterAxis(name string) (*parameterAxis, error) {
	s := &parameterAxis{name: name, groups: make(map[string][]experiment.Entry)}
	if lines, ok := s.groupEntries(v.Algorithms); ok {
		for _, q := range v.problems {
			s.groups[q.Spec] = []experiment.Entry{q}
			c := curvePanel{title: Name(q), panel: q.Spec, byProblem: true}
			for k, e := range lines {
				c.lines = append(c.lines, panelLine{e, s.lineLabel(e, lines), k})
			}
			s.panels = append(s.panels, c)
		}
		return s, nil
	}
	clear(s.groups)
	problems, ok := s.groupEntries(v.problems)
	if !ok {
		return s, &UnvariedError{name, v.unvariedMessage(name)}
	}
	s.ofProblems = true
	for _, e := range v.Algorithms {
		s.groups[e.Spec] = []experiment.Entry{e}
	}
	for _, q := range problems {
		if len(s.groups[q.Spec]) > 1 {
			c := v.problemPanel(q, v.Algorithms)
			c.title = Name(entryWithout(q, name))
			s.panels = append(s.panels, c)
		}
	}
	return s, nil
}

// UnvariedError is the error of a figure over a parameter that takes one value.
type UnvariedError struct{ Parameter, Reason string }

// Error implements error.
func (e *UnvariedError) Error() string { return "--x: " + e.Reason }

// unvariedMessage says that a parameter does not take several values, and which parameters do.
func (v *analysisView) unvariedMessage(name string) string {
	var others []string
	for _, all := range [][]experiment.Entry{v.Algorithms, v.problems} {
		for _, e := range all {
			alike := slices.DeleteFunc(slices.Clone(all),
				func(other experiment.Entry) bool { return other.Name != e.Name })
			for _, p := range experiment.Varying(alike) {
				if !slices.Contains(others, p) {
					others = append(others, p)
				}
			}
		}
	}
	expected := "t or T; no parameter takes several values here"
	if others != nil {
		expected = "t, T, or a parameter that does: " + strings.Join(others, ", ")
	}
	return fmt.Sprintf("no algorithm and no problem takes several numbers as %s (expected %s)",
		input.Shown(name), expected)
}

// groupEntries sets groups, min and max, and returns the first entry of each group. several reports
// whether some group has several entries.
func (s *parameterAxis) groupEntries(all []experiment.Entry) (firsts []experiment.Entry,
	several bool) {
	type key struct {
		spec  string // what the SPECs of a group share
		alone bool   // without a number for the parameter
	}
	first := make(map[key]string) // the SPEC of the first entry of a group
	for _, e := range all {
		shared := key{e.Spec, true}
		if !math.IsNaN(s.valueOf(e)) {
			shared = key{entryWithout(e, s.name).Spec, false}
		}
		if first[shared] == "" {
			first[shared], firsts = e.Spec, append(firsts, e)
		}
		s.groups[first[shared]] = append(s.groups[first[shared]], e)
	}
	s.min, s.max = math.Inf(1), math.Inf(-1)
	for _, group := range s.groups {
		if len(group) > 1 {
			several = true
			slices.SortStableFunc(group, func(d, e experiment.Entry) int {
				return cmp.Compare(s.valueOf(d), s.valueOf(e))
			})
			s.min = min(s.min, s.valueOf(group[0]))
			s.max = max(s.max, s.valueOf(group[len(group)-1]))
		}
	}
	return firsts, several
}

// valueOf returns the value of the parameter of an entry. It is NaN if the entry lacks the
// parameter, or its value is no number.
func (s *parameterAxis) valueOf(e experiment.Entry) float64 {
	v, err := strconv.ParseFloat(e.Param(s.name), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// lineLabel returns the label of an algorithm's line. It leaves out the parameter if the line goes
// through several of its values.
func (s *parameterAxis) lineLabel(e experiment.Entry, lines []experiment.Entry) string {
	all := slices.Clone(lines)
	for k, e := range all {
		if len(s.groups[e.Spec]) > 1 {
			all[k] = entryWithout(e, s.name)
		}
	}
	k := slices.IndexFunc(lines, func(other experiment.Entry) bool { return other.Spec == e.Spec })
	return lineLabel(all[k], all)
}

// finalMeansPanel shows the final means of a metric against the parameter. An algorithm with one
// value, or without the parameter, is a level across the values of the others.
func (s *parameterAxis) finalMeansPanel(v *analysisView, m analysis.Metric,
	c curvePanel) figure.Panel {
	p := figure.Panel{
		Title: c.title,
		X:     figure.Axis{Label: tex.ParamSymbol(s.name)},
		Y:     figure.Axis{Label: atHorizon(metricSymbols[m.Name]), Scale: figure.Log},
	}
	if s.min > 0 && s.max >= 10*s.min {
		p.X.Scale = figure.Log
	}
	for _, line := range c.lines {
		var b analysis.Band
		add := func(at float64, e analysis.Estimate) {
			b.T, b.Value = append(b.T, at), append(b.Value, e.Value)
			b.Lower, b.Upper = append(b.Lower, e.Lower), append(b.Upper, e.Upper)
		}
		replicates, of := math.MaxInt, 0      // the fewest of a point, and how many were to be played
		for _, q := range s.groups[c.panel] { // one problem, unless ofProblems
			for _, a := range s.groups[line.Spec] { // one algorithm, if ofProblems
				pair := v.Pair(a.Spec, q.Spec)
				if pair == nil || !pair.Series[m.Name].Known() {
					continue
				}
				series := pair.Series[m.Name]
				replicates, of = min(replicates, series.Replicates), max(of, series.Of)
				final := series.Mean.Final()
				switch {
				case s.ofProblems:
					add(s.valueOf(q), final)
				case len(s.groups[line.Spec]) > 1:
					add(s.valueOf(a), final)
				default:
					add(s.min, final)
					add(s.max, final)
				}
			}
		}
		if b.T != nil {
			drawn := bandSeries(b, replicates, partialLabel(line.label, replicates, of), line.style)
			if drawn.Name = line.Spec; len(s.groups[line.Spec]) > 1 {
				drawn.Name = entryWithout(line.Entry, s.name).Spec
			}
			p.Series = append(p.Series, drawn)
		}
	}
	fitScale(&p.Y, 1, p)
	return p
}

// atHorizon returns the symbol of a metric with T in place of t.
func atHorizon(symbol string) string { return strings.ReplaceAll(symbol, "_t", "_T") }
