package paper

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ocobench/harness"
	"ocobench/paper/figure"
	"ocobench/stats"
)

// most is the number of curves that one panel can hold legibly.
const most = 7

// A comparison is an experiment of many problems and a few algorithms. It has
// one figure a metric: a grid with a small panel for each problem.
func comparison(r *harness.Results) bool {
	return len(r.Problems) > most && len(r.Algorithms) > 1 && len(r.Algorithms) <= most
}

// grid returns the figure of one metric of a comparison.
func grid(r *harness.Results, m Metric) (*figure.Figure, error) {
	f := &figure.Figure{Title: m.Symbol, Columns: 4, Width: 5.2, Height: 4.2}
	for _, problem := range r.Problems {
		p, err := growth(r, m, problem, r.Algorithms, true)
		if err != nil {
			return nil, err
		}
		if p != nil {
			p.Y.Label = ""
			f.Panels = append(f.Panels, *p)
		}
	}
	if f.Panels == nil {
		return nil, nil
	}
	return f, nil
}

// growth returns the panel of one metric of an experiment, on logarithmic
// axes, signed where a mean is negative, with the mean curve and band of each
// line. A panel shows one algorithm and a line for each problem, as the
// paper's figure does, or one problem and a line for each algorithm. It is nil
// where there is nothing to draw.
func growth(r *harness.Results, m Metric, panel harness.Entrant, lines []harness.Entrant, byProblem bool) (*figure.Panel, error) {
	p := &figure.Panel{
		Title: figure.Escape(panel.Spec),
		X:     figure.Axis{Label: "$t$", Scale: figure.Log},
		Y:     figure.Axis{Label: m.Symbol, Scale: figure.Log},
	}
	last := r.Horizon[len(r.Horizon)-1]
	largest, atEnd := 0.0, 0.0
	for k, line := range lines {
		algorithm, problem := panel, line
		if byProblem {
			algorithm, problem = line, panel
		}
		t, y := r.Curve(algorithm.Spec, problem.Spec, last, m.Name)
		c := stats.Curve{T: t, Y: y}
		if len(y) == 0 || hasNaN(c) {
			continue
		}
		s, err := meanSeries(c, r.Confidence, lineLabel(line, lines), k)
		if err != nil {
			return nil, err
		}
		if negligible(c) { // or rounding errors would have most of the axis
			clear(s.Y)
			clear(s.Lower)
			clear(s.Upper)
		}
		for _, v := range s.Y {
			if v < 0 {
				p.Y.Scale = figure.SymLog
			}
			largest = max(largest, math.Abs(v))
		}
		atEnd = max(atEnd, s.Y[len(s.Y)-1])
		p.Series = append(p.Series, s)
		if h, label := slack(problem); h > 10 && h <= float64(last) && strings.HasPrefix(m.Name, "violation") && !byProblem {
			p.Marks = append(p.Marks, figure.Mark{X: h, Label: label})
		}
	}
	if len(p.Series) == 0 {
		return nil, nil
	}
	if p.Y.Scale == figure.SymLog {
		p.Y.Linthresh = max(1, largest/1e4)
	} else if atEnd > 0 {
		for _, slope := range []float64{0.5, 1} {
			p.Guides = append(p.Guides, figure.Guide{Slope: slope, X: float64(last), Y: atEnd})
		}
	}
	return p, nil
}

// meanSeries is the mean of a curve with the band of its replicates.
func meanSeries(c stats.Curve, confidence float64, label string, style int) (figure.Series, error) {
	band, err := c.Band(confidence)
	s := figure.Series{Label: label, X: band.T, Y: band.Mean, Style: style}
	if len(c.Y) > 1 {
		s.Lower, s.Upper = band.Lower, band.Upper
	}
	return s, err
}

// lineLabel is what tells an entrant from the others of a legend: the values
// of the parameters that vary, or its SPEC if the names differ.
func lineLabel(e harness.Entrant, all []harness.Entrant) string {
	for _, other := range all {
		if other.Name != e.Name {
			return figure.Escape(e.Spec)
		}
	}
	var parts []string
	for _, name := range harness.Varying(all) {
		value := strings.Trim(e.Param(name), `"`)
		if len(name) == 1 {
			parts = append(parts, fmt.Sprintf("$%s = %s$", name, value))
		} else {
			parts = append(parts, figure.Escape(name+" = "+value))
		}
	}
	if len(parts) == 0 {
		return figure.Escape(e.Spec)
	}
	return strings.Join(parts, ", ")
}

// slack is the round of the paper's Example beyond which x = 10 satisfies the
// constraint on average, t = 100^{1/(1−c)}: a violation that vanishes there is
// slack, not success. 0 for other problems, and for c = 1.
func slack(problem harness.Entrant) (t float64, label string) {
	c, err := strconv.ParseFloat(problem.Param("c"), 64)
	if problem.Name != "decaying-frequency" || err != nil || c >= 1 {
		return 0, ""
	}
	return math.Pow(100, 1/(1-c)), fmt.Sprintf("slack, $c = %g$", c)
}
