package report

import (
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
	"ocobench/report/table"
)

// A sweep across T is shown by the final means at its horizons: as a table for each metric, with
// the exponent and the claim beside them, and as a figure in which these are slopes.

// horizonElements returns the horizons of an experiment as elements of a dimension.
func (x *view) horizonElements() (keys []element) {
	for _, h := range x.Experiment.Horizon {
		text := table.Text{Plain: fmt.Sprintf("T = %d", h), TeX: fmt.Sprintf("$T = %d$", h),
			CSV: []string{fmt.Sprintf("T%d", h)}}
		keys = append(keys, element{name: text, horizon: h})
	}
	return keys
}

// meanAtHorizon formats the mean of a metric after a game of the given horizon.
func meanAtHorizon(horizon int) func(*view, *analysis.Pair, analysis.Metric) table.Text {
	return func(x *view, p *analysis.Pair, m analysis.Metric) table.Text {
		s := p.Series[m.Name]
		switch word := noNumber(s); {
		case horizon == x.Experiment.Last():
			return finalMean(x, p, m)
		case word != "":
			return table.Plain(word)
		case s.Across == nil:
			return table.Plain(nothing)
		}
		e, ok := s.Across.At(float64(horizon))
		if !ok {
			return table.Plain(nothing)
		}
		return markPartial(plusMinus(e), p.Played, p.Replicates)
	}
}

// horizonTables returns a table for each metric of the means at the horizons, with the exponent
// and the claim. There is none for an experiment of one horizon.
func horizonTables(x *view) (all []*grid) {
	if len(x.Experiment.Horizon) < 2 {
		return nil
	}
	for _, m := range x.horizonMetrics() {
		g := horizonGrid(x, []Dim{ByAlgorithm}, m).setTitle(
			joinTexts(table.Plain("Mean "), metricText(m), table.Plain(" "), sentence("across T")),
			"horizons-"+string(m.Name))
		g.blocks, g.explain = ByProblem, horizonNotes
		all = append(all, g)
	}
	for _, g := range all {
		g.group = all
	}
	return all
}

// horizonValues returns the table in which a row is a metric of a pair, which CSV has in place of
// those of [horizonTables].
func horizonValues(x *view) *grid {
	return horizonGrid(x, []Dim{ByProblem, ByAlgorithm, ByMetric}, x.horizonMetrics()...)
}

// horizonGrid returns a grid whose columns are the means at the horizons, the exponent and the
// claim.
func horizonGrid(x *view, rows []Dim, metrics ...analysis.Metric) *grid {
	var values []cellValue
	for _, k := range x.horizonElements() {
		values = append(values, cellValue{name: k.name.CSV[0], heading: k.name,
			align: table.Right, fields: estimateFields, text: meanAtHorizon(k.horizon)})
	}
	g := gridOf(x, rows, ByValue, metrics, append(values, growthWithBase, valueNamed("claim"))...)
	g.keep = func(p *analysis.Pair, m analysis.Metric) bool { return x.showsAcross(p, m.Name) }
	return g
}

// growthWithBase shows the judged exponent as a power of t or T.
var growthWithBase = cellValue{name: "exponent", heading: table.Plain("exponent"),
	align: table.Right, fields: judgedFields,
	text: func(_ *view, p *analysis.Pair, m analysis.Metric) table.Text {
		return exponentWithBase(p.Series[m.Name])
	}}

// horizonMetrics returns the metrics of a sweep across T: those of the summary, and those of
// claims.
func (x *view) horizonMetrics() []analysis.Metric {
	return slices.DeleteFunc(slices.Clone(x.Metrics), func(m analysis.Metric) bool {
		return !slices.ContainsFunc(x.Pairs,
			func(p analysis.Pair) bool { return x.showsAcross(&p, m.Name) })
	})
}

// showsAcross reports whether a sweep across T shows a metric of a pair: one of the summary, or
// one that a claim is judged by.
func (x *view) showsAcross(p *analysis.Pair, m algorithms.Metric) bool {
	return slices.ContainsFunc(x.summaryMetrics,
		func(of analysis.Metric) bool { return of.Name == m }) ||
		slices.ContainsFunc(p.Judgements(),
			func(j *analysis.Judgement) bool { return j.Metric == m && j.Claim != nil })
}

// horizonNotes explain the cells of a table of [horizonTables], and the last one the pairs.
func horizonNotes(g *grid) []table.Text {
	x := g.x
	notes := []note{noteIf(true, "Cell: %s.", x.meanWordsAt("each T")),
		x.exponentNote(g.gridMetrics()), legendNote(g.built),
		x.boldNote(g.built), emptyNote(g.built)}
	if g == g.group[len(g.group)-1] {
		notes = append(notes, x.pairNotes(false)...)
	}
	return showNotes(notes, x.provenance)
}

// horizonFigures shows metrics at the horizons of a sweep across T, each in a grid of problems.
func horizonFigures(x *view) (all []namedFigure) {
	if len(x.Experiment.Horizon) < 2 {
		return nil
	}
	for _, m := range x.horizonMetrics() {
		var panels []figure.Panel
		for _, p := range x.problems {
			shown := slices.DeleteFunc(slices.Clone(x.Algorithms), func(e experiment.Entry) bool {
				pair := x.pairs[pairID{e.Spec, p.Spec}]
				return pair == nil || !x.showsAcross(pair, m.Name) || !pair.Series[m.Name].Known()
			})
			if len(shown) == 0 {
				continue
			}
			for _, lines := range rowsOf(shown, x.Algorithms) {
				panels = append(panels, horizonPanel(x, m, x.newCurvePanel(p, lines, true)))
			}
		}
		some := panelGrids(panels, "horizons-"+string(m.Name), metricSymbols[m.Name])
		for k := range some {
			some[k].metrics, some[k].text = []analysis.Metric{m}, "across the horizons"
			some[k].across = true
		}
		all = append(all, some...)
	}
	return all
}

// horizonPanel shows one metric at the horizons, on logarithmic axes: the means with their
// intervals, a line with the judged exponent through the last one, and the claimed rates.
func horizonPanel(x *view, m analysis.Metric, c curvePanel) figure.Panel {
	p := figure.Panel{
		Title: c.title,
		X:     figure.Axis{Label: "$T$", Scale: figure.Log},
		Y: figure.Axis{Label: atHorizon(metricSymbols[m.Name]),
			Scale: figure.Log},
	}
	var guides []figure.Guide
	for line, pair := range c.playedPairs(x) {
		s := pair.Series[m.Name]
		if !s.Known() || s.Across == nil {
			continue
		}
		points := bandSeries(*s.Across, s.Replicates, line.label, line.style)
		points.Name, points.Points = line.Spec, true
		p.Series = append(p.Series, points)
		T, last := float64(x.Experiment.Last()), float64(s.Mean.Final().Value)
		if e, ok := s.Judged(); ok && last > 0 && !s.NeverPositive() {
			from := s.Fit.End.From
			p.Series = append(p.Series, figure.Series{X: []float64{from, T}, Y: []float64{
				last * math.Pow(from/T, float64(e.Value)), last}, Style: line.style, Path: true})
		}
		for _, j := range pair.Judgements() {
			if c := j.Claim; j.Metric == m.Name && c != nil && c.Growth == "" && last > 0 &&
				!slices.ContainsFunc(guides, func(g figure.Guide) bool { return g.Slope == c.Exponent }) {
				guides = append(guides, figure.Guide{Slope: c.Exponent, X: T, Y: last,
					Label: figure.Power("T", c.Exponent)})
			}
		}
	}
	if largest := fitScale(&p); p.Y.Scale == figure.SymLog {
		p.Y.Linthresh = max(1, largest/1e4)
	} else if p.Y.Scale == figure.Log {
		p.Guides = guides
	}
	return p
}
