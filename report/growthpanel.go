package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/harness/analysis"
	"ocobench/harness/experiment"
	"ocobench/report/figure"
)

// boundCurves says whether figures of growth show the bounds of the proofs.
type boundCurves bool

const (
	withBounds    boundCurves = true
	withoutBounds boundCurves = false
)

// growthPanel shows one metric on logarithmic axes, with the mean and the interval of each line,
// and the bounds of the proofs if asked for. The vertical axis is signed logarithmic if a mean is
// negative, and linear if none is positive. The panel has no series if there is nothing to draw.
func growthPanel(v *analysisView, m analysis.Metric, c curvePanel,
	bounds boundCurves) figure.Panel {

	p := figure.Panel{
		Title: c.title,
		X:     figure.Axis{Label: "$t$", Scale: figure.Log},
		Y:     figure.Axis{Label: metricSymbols[m.Name], Scale: figure.Log},
	}
	last := float64(v.Experiment.Last())
	atEnd := 0.0
	isViolation := !m.Regret() && !m.OfRounds
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
		if bounds == withBounds {
			p.Series = appendBound(p.Series, pair, m, line.style)
		}
		slackFrom, slackLabel := slackRound(line.Entry)
		isInView := slackFrom > 10 && slackFrom <= last // away from the left edge of the panel
		if !c.byProblem && isViolation && isInView {
			p.Marks = append(p.Marks, figure.Mark{X: slackFrom, Label: slackLabel})
		}
	}
	if fitScale(&p.Y, 1, p); p.Y.Scale == figure.Log && atEnd > 0 {
		for _, slope := range []float64{0.5, 1} {
			p.Guides = append(p.Guides, figure.Guide{Slope: slope, X: last, Y: atEnd})
		}
	}
	return p
}

// partialLabel returns the label of a curve, with the number of its replicates if some are missing.
func partialLabel(label string, replicates, of int) string {
	if replicates < of {
		label += fmt.Sprintf(" (%d of %d)", replicates, of)
	}
	return label
}

// appendBound appends the bound of the proof on a metric of a pair, if there is one. The first
// bound of a panel gets a label for the legend.
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

// fitScale makes a logarithmic vertical axis of panels signed logarithmic if a value is negative,
// and linear if at least as many values are zero as are positive. A signed logarithmic axis shows
// at most four decades on each side of 0; what is below them, or below leastLinthresh, is linear.
func fitScale(y *figure.Axis, leastLinthresh float64, panels ...figure.Panel) {
	positive, zero, negative, largest := 0, 0, false, 0.0
	for _, p := range panels {
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
	}
	switch {
	case negative:
		y.Scale, y.Linthresh = figure.SymLog, max(leastLinthresh, largest/1e4)
	case zero >= positive:
		y.Scale = figure.Linear
	}
}

// lineSeries returns a line without a band.
func lineSeries(l analysis.Line, style int) figure.Series {
	s := figure.Series{X: l.T, Style: style}
	for _, v := range l.Value {
		s.Y = append(s.Y, float64(v))
	}
	return s
}

// bandSeries returns a line with its band. The mean of one replicate has no band.
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

// slackRound returns the round t = 100^{1/(1−c)} of the paper's Example from which on x = 10
// satisfies the constraint on average, and a label for it. A small violation after this round says
// nothing about an algorithm, because the cumulative constraint is slack. The round is 0 for other
// problems, and for c = 1.
func slackRound(problem experiment.Entry) (t float64, label string) {
	c, err := strconv.ParseFloat(problem.Param("c"), 64)
	if problem.Name != "decaying-frequency" || err != nil || c >= 1 {
		return 0, ""
	}
	return math.Pow(100, 1/(1-c)), fmt.Sprintf("slack, $c = %g$", c)
}
