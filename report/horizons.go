package report

import (
	"fmt"
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/figure"
	"ocobench/report/table"
	"ocobench/stats"
)

// A sweep across T is shown by the final means at its horizons: as a table for each metric, with
// the exponent and the claim beside them, and as a figure in which these are slopes.

// horizonMembers returns the horizons of an experiment as members of a dimension.
func (v *analysisView) horizonMembers() (members []member) {
	for _, h := range v.Experiment.Horizon {
		text := table.Text{Plain: fmt.Sprintf("T = %d", h), TeX: fmt.Sprintf("$T = %d$", h),
			CSV: []string{fmt.Sprintf("T%d", h)}}
		members = append(members, member{name: text, horizon: h})
	}
	return members
}

// meanAtHorizon formats the mean of a metric after a game of the given horizon.
func meanAtHorizon(horizon int) func(*analysisView, *analysis.Pair, analysis.Metric) table.Text {
	return func(v *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
		s := p.Series[m.Name]
		switch word := noNumber(s); {
		case horizon == v.Experiment.Last():
			return finalMean(v, p, m)
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
func horizonTables(v *analysisView) (all []*table.Table) {
	if len(v.Experiment.Horizon) < 2 {
		return nil
	}
	metrics := v.horizonMetrics()
	for k, m := range metrics {
		b := horizonBuilder(v, []Dimension{ByAlgorithm}, m)
		b.blocks = ByProblem
		t := b.build()
		v.setTitle(t, joinTexts(table.Plain("Mean "), metricText(m), table.Plain(" "),
			titleText("across T")), "horizons-"+string(m.Name))
		t.Notes = horizonNotes(v, m, t, k == len(metrics)-1)
		all = append(all, t)
	}
	return all
}

// horizonValues returns the table for CSV that replaces those of [horizonTables]: a row is a metric
// of a pair.
func horizonValues(v *analysisView) *table.Table {
	return horizonBuilder(v, []Dimension{ByProblem, ByAlgorithm, ByMetric},
		v.horizonMetrics()...).build()
}

// horizonBuilder returns the builder of a table whose columns are the means at the horizons, the
// exponent and the claim.
func horizonBuilder(v *analysisView, rows []Dimension, metrics ...analysis.Metric) *tableBuilder {
	var values []cellValue
	for _, k := range v.horizonMembers() {
		values = append(values, cellValue{name: k.name.CSV[0], heading: k.name,
			align: table.Right, fields: estimateFields, text: meanAtHorizon(k.horizon)})
	}
	values = append(values, growthWithBase, valueNamed("claim"))
	b := newTableBuilder(v, rows, ByValue, metrics, values...)
	b.keepsRow = func(p *analysis.Pair, m analysis.Metric) bool { return v.showsAcross(p, m.Name) }
	return b
}

// growthWithBase shows the judged exponent as a power of t or T.
var growthWithBase = cellValue{name: "exponent", heading: table.Plain("exponent"),
	align: table.Right, fields: judgedFields,
	text: func(_ *analysisView, p *analysis.Pair, m analysis.Metric) table.Text {
		return exponentWithBase(p.Series[m.Name])
	}}

// horizonMetrics returns the metrics of a sweep across T: those of the summary, and those of
// claims.
func (v *analysisView) horizonMetrics() []analysis.Metric {
	return slices.DeleteFunc(slices.Clone(v.Metrics), func(m analysis.Metric) bool {
		return !slices.ContainsFunc(v.Pairs,
			func(p analysis.Pair) bool { return v.showsAcross(&p, m.Name) })
	})
}

// showsAcross reports whether a sweep across T shows a metric of a pair: one of the summary, or
// one that a claim is judged by.
func (v *analysisView) showsAcross(p *analysis.Pair, m algorithms.Metric) bool {
	return slices.ContainsFunc(v.summaryMetrics,
		func(shown analysis.Metric) bool { return shown.Name == m }) ||
		slices.ContainsFunc(p.Judgements(),
			func(j *analysis.Judgement) bool { return j.Metric == m && j.Claim != nil })
}

// horizonNotes explain the cells of the table of a metric of [horizonTables], and the last one the
// pairs.
func horizonNotes(v *analysisView, m analysis.Metric, t *table.Table, isLast bool) []table.Text {
	notes := []note{noteIf(true, "Cell: %s.", v.meanWordsAt("each T")),
		v.exponentNote([]analysis.Metric{m}), v.legendNote(t), v.boldNote(t), emptyNote(t)}
	if isLast {
		notes = append(notes, v.pairNotes(summedUp)...)
	}
	return showNotes(notes, v.provenance)
}

// horizonFigures shows metrics at the horizons of a sweep across T, each in a grid of problems.
func horizonFigures(v *analysisView) (all []namedFigure) {
	if len(v.Experiment.Horizon) < 2 {
		return nil
	}
	for _, m := range v.horizonMetrics() {
		var panels []figure.Panel
		for _, p := range v.problems {
			shown := v.algorithmsOn(p.Spec, func(pair *analysis.Pair) bool {
				return v.showsAcross(pair, m.Name) && pair.Series[m.Name].Known()
			})
			if len(shown) == 0 {
				continue
			}
			rows := rowsOf(shown, v.Algorithms)
			var ofProblem []figure.Panel
			for k, lines := range rows {
				panel := horizonPanel(v, m, v.problemPanel(p, lines))
				if len(rows) > 1 {
					panel.Title += fmt.Sprintf(" (%d of %d)", k+1, len(rows))
				}
				ofProblem = append(ofProblem, panel)
			}
			fitScales(ofProblem)
			panels = append(panels, ofProblem...)
		}
		f := namedFigure{name: "horizons-" + string(m.Name), metrics: []analysis.Metric{m},
			captionText: "across the horizons", acrossHorizons: true}
		all = append(all, f.panelGrids(panels, metricSymbols[m.Name])...)
	}
	return all
}

// fitScales gives the panels of one problem the same vertical axis, so that they can be compared:
// the scale that [fitScale] chooses for all their curves. Claimed rates are straight lines on
// logarithmic axes only.
func fitScales(panels []figure.Panel) {
	y := panels[0].Y
	fitScale(&y, 1, panels...)
	for k := range panels {
		if panels[k].Y = y; y.Scale != figure.Log {
			panels[k].Guides = nil
		}
	}
	if len(panels) > 1 {
		figure.ShareY(panels)
	}
}

// horizonPanel shows one metric at the horizons, on logarithmic axes: the means with their
// intervals, the fits by which the growth is judged, and the claimed rates. [fitScales] chooses the
// scale.
func horizonPanel(v *analysisView, m analysis.Metric, c curvePanel) figure.Panel {
	p := figure.Panel{
		Title: c.title,
		X:     figure.Axis{Label: "$T$", Scale: figure.Log},
		Y:     figure.Axis{Label: atHorizon(metricSymbols[m.Name]), Scale: figure.Log},
	}
	claimants := make(map[float64][]string) // by the claimed exponent
	for line, pair := range c.playedPairs(v) {
		s := pair.Series[m.Name]
		if !s.Known() || s.Across == nil {
			continue
		}
		points := bandSeries(*s.Across, s.Replicates, line.label, line.style)
		points.Name, points.Points = line.Spec, true
		p.Series = append(p.Series, points)
		T, last := float64(v.Experiment.Last()), float64(s.Mean.Final().Value)
		if fit, ok := fittedGrowth(s, float64(v.Experiment.Horizon[0])); ok {
			fit.Style = line.style
			p.Series = append(p.Series, fit)
		}
		for _, j := range pair.Judgements() {
			c := j.Claim
			if j.Metric != m.Name || c == nil || c.Growth != "" || last <= 0 ||
				positiveMeans(*s.Across) < leastClaimed {
				continue
			}
			if claimants[c.Exponent] == nil {
				p.Guides = append(p.Guides, figure.Guide{Slope: c.Exponent, X: T, Y: last,
					Label: figure.Power("T", c.Exponent)})
			}
			claimants[c.Exponent] = append(claimants[c.Exponent],
				lineLabel(v.Entry(pair.Algorithm), v.Algorithms))
		}
	}
	for k := range p.Guides {
		p.Guides[k].Claimants = claimants[p.Guides[k].Slope]
	}
	if n := len(v.Experiment.Horizon); n <= maxHorizonTicks {
		for _, h := range v.Experiment.Horizon {
			p.X.Ticks = append(p.X.Ticks, float64(h))
		}
	}
	return p
}

// maxHorizonTicks is the largest number of horizons that have a tick each.
const maxHorizonTicks = 8

// leastClaimed is the least number of positive means beside which a claimed power is drawn: one
// point shows no growth.
const leastClaimed = 2

// positiveMeans returns the number of points of a curve that are positive.
func positiveMeans(c analysis.Band) (n int) {
	for _, v := range c.Value {
		if v > 0 {
			n++
		}
	}
	return n
}

// leastFitted is the least number of points through which a fit is drawn.
const leastFitted = 3

// fittedGrowth returns the power T^e by which the growth of a series is judged, as a line through
// the middle of the points (log T, log of the largest mean so far). ok is false with fewer than
// [leastFitted] points, if the exponent is not above 0, and where the line would be away from the
// points: if a mean is not positive, or the last one is significantly below the largest one. The
// line begins at the first horizon at the earliest.
func fittedGrowth(s *analysis.Series, first float64) (line figure.Series, ok bool) {
	e, ok := s.Judged()
	if !ok || s.NeverPositive() || e.Value <= 0 {
		return line, false
	}
	means, from, to := s.Mean, s.Fit.End.From, s.Fit.To
	if s.Fit.Design == stats.AcrossT {
		means = *s.Across
	}
	n, sumLogT, sumLogY, largest := 0, 0.0, 0.0, 0.0
	for k, t := range means.T {
		largest = max(largest, float64(means.Value[k]))
		if t >= from && t <= to {
			if means.Value[k] <= 0 {
				return line, false
			}
			n, sumLogT, sumLogY = n+1, sumLogT+math.Log(t), sumLogY+math.Log(largest)
		}
	}
	last := s.Mean.Final()
	if !last.Upper.Defined() { // a deterministic game has no interval
		last.Upper = last.Value
	}
	if n < leastFitted || last.Value <= 0 || float64(last.Upper) < largest {
		return line, false
	}
	meanLogT, meanLogY := sumLogT/float64(n), sumLogY/float64(n)
	const parts = 16 // a power is no straight line on a linear axis
	from = max(from, first)
	line = figure.Series{Thin: true, Solid: true}
	for k := range parts + 1 {
		t := from * math.Pow(to/from, float64(k)/parts)
		rise := float64(float64(e.Value) * (math.Log(t) - meanLogT)) // no fused multiply-add
		line.X, line.Y = append(line.X, t), append(line.Y, math.Exp(meanLogY+rise))
	}
	return line, true
}
