package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ocobench/harness"
	"ocobench/harness/analysis"
	"ocobench/report/figure"
	"ocobench/report/table"
)

// outlinesCaption returns the caption of [outlines].
func outlinesCaption(a *analysis.Analysis) table.Text {
	return table.Plain(fmt.Sprintf("The comparator sets at T = %d, through the best fixed actions for %d angles of the loss. Experiment %s, seed %d.",
		a.Experiment.Last(), len(a.Problems), a.Experiment.Name, a.Experiment.Seed))
}

// outlines returns the figure of the comparator sets in the plane, for an
// experiment whose problems differ only in the angle of a fixed linear loss. The
// best fixed actions are then support points of the sets, one for each angle.
// Joined in the order of the angles they are the outlines of the sets. The figure
// is nil for other experiments.
func outlines(a *analysis.Analysis) *figure.Figure {
	if !slices.Equal(harness.Varying(problemEntrants(a)), []string{"angle"}) || a.Problems[0].Param("dim") != "2" {
		return nil
	}
	angle := func(p analysis.Problem) float64 {
		v, err := strconv.ParseFloat(p.Param("angle"), 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	turning := slices.SortedStableFunc(slices.Values(a.Problems), func(p, q analysis.Problem) int { return cmp.Compare(angle(p), angle(q)) })
	p := figure.Panel{X: figure.Axis{Label: "$x_1$"}, Y: figure.Axis{Label: "$x_2$"}}
	extent := 0.0
	for k, set := range []string{"xmax", "xhat", "xmin"} {
		s := figure.Series{Label: setSymbols[set], Style: k}
		for _, problem := range turning {
			b := slices.IndexFunc(problem.Best, func(b analysis.Best) bool { return b.Set == set })
			if b < 0 {
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
