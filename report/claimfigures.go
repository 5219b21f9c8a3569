package report

import (
	"math"
	"slices"

	"ocobench/algorithms"
	"ocobench/harness/analysis"
	"ocobench/report/figure"
)

// localFigures shows the local exponents of the metrics that the claims of a kind are about, in a
// grid of all pairs. Dashed levels are the claimed exponents.
func localFigures(v *analysisView, kind claimKind, layout []curvePanel) []namedFigure {
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
			limitExponentAxis(&p)
			panels = append(panels, p)
		}
	}
	name := string(kind)
	f := namedFigure{name: "local-" + fileName(name), captionText: "Local exponents of the " + name +
		" that each claim is about, over half a decade each: %s Dashed lines are claimed exponents. " +
		"Exponents beyond $-1$ and 2 are cut off."}
	return f.panelGrids(panels, "Local exponent of the "+name)
}

// isCurve reports whether a series has at least two numbers, so that it is a line.
func isCurve(s figure.Series) bool {
	n := 0
	for _, v := range s.Y {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n > 1
}

// limitExponentAxis limits the vertical axis of a panel of local exponents to the values, but at
// least to [0, 1] and at most to [−1, 2]. An exponent beyond it comes from a mean near zero, and
// says nothing about growth.
func limitExponentAxis(p *figure.Panel) {
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

// appendLevel appends the exponent of a claim as a dashed level, unless the exponent has one.
func appendLevel(all []figure.Level, c algorithms.Claim) []figure.Level {
	if slices.ContainsFunc(all, func(l figure.Level) bool { return l.Y == c.Exponent }) {
		return all
	}
	return append(all, figure.Level{Y: c.Exponent, Label: figure.Power("t", c.Exponent)})
}

// ratioFigures shows the metrics of the claims of a kind, divided by the bounds of the proofs, in a
// grid of all pairs that have a bound.
func ratioFigures(v *analysisView, kind claimKind, layout []curvePanel) []namedFigure {
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
					if y <= 0 { // has no logarithm, and keeps every bound
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
	title := "Measured " + string(kind) + " over the bound of the proof"
	largest := "the largest of " + v.replicates + ", or the mean where the bound is in expectation"
	if v.deterministic {
		largest = onePath
	}
	f := namedFigure{name: "ratio-" + fileName(string(kind)), captionText: title + ": " + largest +
		". Where it is not positive there is no curve. The dashed line is 1, beyond which a bound is " +
		"broken."}
	return f.panelGrids(panels, title)
}
