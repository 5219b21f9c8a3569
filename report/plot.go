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

	Column bool // as wide as a column of an article with two, and not as the text
	Font   tex.Font
	Bounds bool // show the bounds of the proofs
}

// A Drawing is a figure of a [Plot], with the data that it shows.
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

// Draw returns the figure of p. The error says what cannot be drawn of the analysis.
func (p Plot) Draw(a *analysis.Analysis) (*Drawing, error) {
	x := newView(p.part(a))
	x.styled = stylesOf(x.Algorithms, a.Algorithms)
	panels, draw, err := p.layout(x)
	if err != nil {
		return nil, err
	}
	for _, c := range panels {
		if len(c.lines) > maxLines {
			return nil, fmt.Errorf("%d lines in a panel (expected at most %d; choose algorithms, or "+
				"problems)", len(c.lines), maxLines)
		}
	}
	d := &Drawing{experiment: a.Experiment.Name, x: p.X, Figure: &figure.Figure{Font: p.Font}}
	metrics := x.metricsNamed(p.Metrics)
	if p.Metrics == nil {
		metrics = x.summaryMetrics
	}
	var shown []analysis.Metric
	for _, m := range metrics {
		before := len(d.panels)
		for _, c := range panels {
			panel := draw(m, c)
			if panel.Series == nil {
				continue
			}
			if len(panels) == 1 {
				panel.Title = ""
			}
			d.Figure.Panels = append(d.Figure.Panels, panel)
			d.panels = append(d.panels, drawnPanel{c, m.Name})
		}
		if len(d.panels) > before {
			shown = append(shown, m)
		}
	}
	switch n := len(d.panels); {
	case n == 0:
		return nil, errors.New("there is nothing to draw: no pair that is chosen has such a metric")
	case n > maxPanels:
		return nil, fmt.Errorf("%d panels (expected at most %d; choose metrics and problems)", n,
			maxPanels)
	default:
		d.Figure.Columns, d.Figure.Width, d.Figure.Height = p.size(n)
	}
	d.named = namedFigure{figure: d.Figure, metrics: shown, text: p.text(panels)}
	if slices.ContainsFunc(shown, func(m analysis.Metric) bool {
		return m.Regret() && slices.Contains(x.Focus.Regrets(), m.Name)
	}) {
		d.named.notes = x.Focus.Notes
	}
	named := []namedFigure{d.named}
	x.setCaptions(named)
	d.named = named[0]
	return d, nil
}

// part returns the analysis with the chosen algorithms and problems only.
func (p Plot) part(a *analysis.Analysis) *analysis.Analysis {
	part := *a
	part.Algorithms = slices.DeleteFunc(slices.Clone(a.Algorithms), func(e experiment.Entry) bool {
		return p.Algorithms != nil && !slices.Contains(p.Algorithms, e.Spec)
	})
	part.Problems = slices.DeleteFunc(slices.Clone(a.Problems), func(q analysis.Problem) bool {
		return p.Problems != nil && !slices.Contains(p.Problems, q.Spec)
	})
	part.Pairs = slices.DeleteFunc(slices.Clone(a.Pairs), func(q analysis.Pair) bool {
		return !slices.ContainsFunc(part.Algorithms,
			func(e experiment.Entry) bool { return e.Spec == q.Algorithm }) ||
			!slices.ContainsFunc(part.Problems,
				func(e analysis.Problem) bool { return e.Spec == q.Problem })
	})
	return &part
}

// stylesOf returns the algorithms whose places are the styles of some: all of the experiment, so
// that an algorithm looks the same in all its figures, unless two of some would have one colour.
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

// layout returns the panels that a metric has, and how one is drawn.
func (p Plot) layout(x *view) (panels []curvePanel,
	draw func(analysis.Metric, curvePanel) figure.Panel, err error) {
	if p.X != "t" && p.X != "T" {
		s, err := x.sweepBy(p.X)
		return s.panels, func(m analysis.Metric, c curvePanel) figure.Panel {
			return s.panel(x, m, c)
		}, err
	}
	if len(x.Algorithms) == 1 && len(x.problems) > 1 {
		panels = []curvePanel{x.newCurvePanel(x.Algorithms[0], x.problems, false)}
	} else {
		for _, q := range x.problems {
			panels = append(panels, x.newCurvePanel(q, x.Algorithms, true))
		}
	}
	if p.X == "T" {
		if len(x.Experiment.Horizon) < 2 {
			err = fmt.Errorf("--x T: experiment %s has one horizon, %d (expected several)",
				x.Experiment.Name, x.Experiment.Last())
		}
		return panels, func(m analysis.Metric, c curvePanel) figure.Panel {
			return horizonPanel(x, m, c)
		}, err
	}
	return panels, func(m analysis.Metric, c curvePanel) figure.Panel {
		return growthPanel(x, m, c, p.Bounds)
	}, nil
}

// size returns the number of columns of n panels, and the size of a panel in centimetres.
func (p Plot) size(n int) (columns int, width, height float64) {
	switch {
	case p.Column && n == 1:
		return 1, 8.4, 6
	case p.Column:
		return 1, 8.4, 4.6
	case n == 1:
		return 1, 16.8, 7
	}
	return gridSize(n)
}

// text returns how the caption goes on after the metrics, in TeX.
func (p Plot) text(panels []curvePanel) string {
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
		return text + "on " + panels[0].title
	}
	return text + "of " + panels[0].title
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

// A sweptParameter is a parameter on the horizontal axis of a figure: of algorithms or, where none
// has several values of it, of problems.
type sweptParameter struct {
	name   string
	panels []curvePanel
	// groups are the entries that differ in the parameter only, by the SPEC of the first.
	groups   map[string][]experiment.Entry
	min, max float64 // the extreme values
}

// sweepBy returns the figures' panels of a parameter. The error names the parameters that take
// several values.
func (x *view) sweepBy(name string) (*sweptParameter, error) {
	s := &sweptParameter{name: name, groups: make(map[string][]experiment.Entry)}
	if lines, ok := s.group(x.Algorithms); ok {
		for _, q := range x.problems {
			s.groups[q.Spec] = []experiment.Entry{q}
			c := curvePanel{title: Name(q), panel: q.Spec, byProblem: true}
			for k, e := range lines {
				c.lines = append(c.lines, panelLine{e, s.label(e, lines), k})
			}
			s.panels = append(s.panels, c)
		}
		return s, nil
	}
	clear(s.groups)
	s.min, s.max = 0, 0
	problems, ok := s.group(x.problems)
	if !ok {
		return s, fmt.Errorf("--x: %s", x.noSweep(name))
	}
	for _, e := range x.Algorithms {
		s.groups[e.Spec] = []experiment.Entry{e}
	}
	for _, q := range problems {
		if len(s.groups[q.Spec]) > 1 {
			c := x.newCurvePanel(q, x.Algorithms, true)
			c.title = Name(withoutParam(q, name))
			s.panels = append(s.panels, c)
		}
	}
	return s, nil
}

// noSweep says that a parameter takes no several values, and which do.
func (x *view) noSweep(name string) string {
	var others []string
	for _, all := range [][]experiment.Entry{x.Algorithms, x.problems} {
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

// group groups entries that differ in the parameter only, and returns the first of each group. It
// reports whether some group has several.
func (s *sweptParameter) group(all []experiment.Entry) (firsts []experiment.Entry, several bool) {
	first := make(map[string]string)
	s.min, s.max = math.Inf(1), math.Inf(-1)
	for _, e := range all {
		_, ok := s.value(e)
		if !ok {
			firsts, s.groups[e.Spec] = append(firsts, e), []experiment.Entry{e}
			continue
		}
		key := withoutParam(e, s.name).Spec
		if first[key] == "" {
			first[key], firsts = e.Spec, append(firsts, e)
		}
		s.groups[first[key]] = append(s.groups[first[key]], e)
		several = several || len(s.groups[first[key]]) > 1
	}
	for _, group := range s.groups {
		slices.SortStableFunc(group, func(d, e experiment.Entry) int {
			v, _ := s.value(d)
			w, _ := s.value(e)
			return cmp.Compare(v, w)
		})
		if len(group) > 1 {
			first, _ := s.value(group[0])
			last, _ := s.value(group[len(group)-1])
			s.min, s.max = min(s.min, first), max(s.max, last)
		}
	}
	return firsts, several
}

// value returns the parameter of an entry, if it is a number.
func (s *sweptParameter) value(e experiment.Entry) (float64, bool) {
	v, err := strconv.ParseFloat(e.Param(s.name), 64)
	return v, err == nil
}

// label returns the label of the line of an algorithm: without the parameter, if it has several.
func (s *sweptParameter) label(e experiment.Entry, lines []experiment.Entry) string {
	all := slices.Clone(lines)
	for k, e := range all {
		if len(s.groups[e.Spec]) > 1 {
			all[k] = withoutParam(e, s.name)
		}
	}
	k := slices.IndexFunc(lines, func(other experiment.Entry) bool { return other.Spec == e.Spec })
	return lineLabel(all[k], all)
}

// panel shows the final means of a metric against the parameter. An algorithm with
// one value, or without the parameter, is a level across the values of the others.
func (s *sweptParameter) panel(x *view, m analysis.Metric, c curvePanel) figure.Panel {
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
		replicates, of := math.MaxInt, 0
		for _, q := range s.groups[c.panel] {
			for _, a := range s.groups[line.Spec] {
				pair := x.pairs[pairID{a.Spec, q.Spec}]
				if pair == nil || !pair.Series[m.Name].Known() {
					continue
				}
				series := pair.Series[m.Name]
				replicates, of = min(replicates, series.Replicates), max(of, series.Of)
				e := series.Mean.Final()
				swept := a
				if len(s.groups[c.panel]) > 1 {
					swept = q
				} else if len(s.groups[line.Spec]) == 1 {
					add(s.min, e)
					add(s.max, e)
					continue
				}
				v, _ := s.value(swept)
				add(v, e)
			}
		}
		if b.T != nil {
			drawn := bandSeries(b, replicates, partialLabel(line.label, replicates, of), line.style)
			if drawn.Name = line.Spec; len(s.groups[line.Spec]) > 1 {
				drawn.Name = withoutParam(line.Entry, s.name).Spec
			}
			p.Series = append(p.Series, drawn)
		}
	}
	if largest := fitScale(&p); p.Y.Scale == figure.SymLog {
		p.Y.Linthresh = max(1, largest/1e4)
	}
	return p
}

// atHorizon returns the symbol of a metric at the last round.
func atHorizon(symbol string) string { return strings.ReplaceAll(symbol, "_t", "_T") }
